"""Examples of modules whose extras are not installed are left out."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("torch") else ["genreplay/estimators/torch.py"]

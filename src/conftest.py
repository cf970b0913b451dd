"""Examples of modules whose extras are not installed are left out."""

from importlib.util import find_spec

_NEEDED = {
    "genreplay/estimators/torch.py": "torch",
    "genreplay/fleet/spark.py": "pyspark",
    "genreplay/rl": "stable_baselines3",
}
collect_ignore = [place for place, package in _NEEDED.items() if find_spec(package) is None]

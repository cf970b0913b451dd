"""``python -m genreplay`` is the command ``genreplay``."""

from genreplay.cli import main

main()

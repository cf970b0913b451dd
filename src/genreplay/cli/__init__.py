"""The command ``genreplay``: parse, call, print."""

from genreplay.cli.main import main

__all__ = ["main"]

"""Rows in and out: tables of numbers, categories, booleans and times, and their way to codes and back."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from genreplay.streams.encoder import TableEncoder
    from genreplay.streams.series import SeriesEncoder

__all__ = ["SeriesEncoder", "TableEncoder"]

_HOMES = {"SeriesEncoder": "series", "TableEncoder": "encoder"}

if not TYPE_CHECKING:  # a type checker that saw this function would accept any name

    def __getattr__(name: str) -> object:
        """Import on first use (PEP 562): both need scikit-learn, which the readers and coders beside them do not."""
        if name in _HOMES:
            return getattr(import_module(f"genreplay.streams.{_HOMES[name]}"), name)
        raise AttributeError(f"module 'genreplay.streams' has no attribute {name!r}")

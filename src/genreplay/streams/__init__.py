"""Rows in and out: tables of numbers, categories, booleans and times, and their way to codes and back."""

from genreplay.streams.encoder import TableEncoder
from genreplay.streams.series import SeriesEncoder

__all__ = ["SeriesEncoder", "TableEncoder"]

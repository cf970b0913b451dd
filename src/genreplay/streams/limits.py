"""What a reader takes at most of an input that nobody has looked at, before it takes memory for it."""

from __future__ import annotations

from typing import NamedTuple

from genreplay.streams.chunks import InputError


class Limits(NamedTuple):
    """Sizes beyond which an input is refused, or a row is bad. Each can be raised by an option of the command line."""

    columns: int = 1_024
    """of a table: the memory that learning takes grows with their square"""
    cell: int = 2**18
    """bytes of a cell, and of a line of text"""
    array: int = 2**27
    """bytes of data that must be held as a whole: an array in Fortran order from an npz file or a pipe, a column of
    Parquet that is far larger than its place in the file, the description at the end of such a file"""

    def check_columns(self, n_columns: int, origin: str) -> None:
        """Refuse a table that is too wide.

        >>> Limits().check_columns(100_000, "The header")
        Traceback (most recent call last):
        genreplay.streams.chunks.InputError: The header has 100,000 columns, more than 1,024: is this the right format?
        If it is, add --max-columns 100000.
        """
        if n_columns > self.columns:
            raise InputError(
                f"{origin} has {n_columns:,} columns, more than {self.columns:,}: is this the right format? If it is, "
                f"add --max-columns {n_columns}."
            )

    def check_array(self, n_bytes: int, what: str) -> None:
        """Refuse data that would have to be held as a whole.

        >>> Limits().check_array(2**30, "The array")
        Traceback (most recent call last):
        genreplay.streams.chunks.InputError: The array takes 1,073,741,824 bytes of memory, more than 134,217,728: to
        allow it, add --max-array 1073741824.
        """
        if n_bytes > self.array:
            raise InputError(
                f"{what} takes {n_bytes:,} bytes of memory, more than {self.array:,}: to allow it, add --max-array "
                f"{n_bytes}."
            )


LIMITS = Limits()

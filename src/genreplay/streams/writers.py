"""Rows out: typed cells as lines of CSV or NDJSON."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence

import numpy as np

from genreplay.streams import lines

_MARKS = re.compile('[,"\r\n]')
"""what a cell of CSV is quoted for"""
_FORMULA = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
"""how a cell starts that a spreadsheet may take for a formula, by OWASP's list; the last are wide forms of = + - @"""
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def csv_line(cells: Sequence[object]) -> str:
    r"""One line of CSV: whole numbers without a point, true and false as words, an empty cell for a missing value.

    >>> csv_line([42.0, 0.5, "a, b", True, None, float("nan")])
    '42,0.5,"a, b",true,,\n'
    """
    if len(cells) == 1:
        return (_csv_cell(cells[0]) or '""') + "\n"  # readers skip blank lines
    return ",".join(map(_csv_cell, cells)) + "\n"


def without_formula(cell: object) -> object:
    """The cell, or, where a spreadsheet might take its text for a formula, the text behind an apostrophe.

    >>> [without_formula(cell) for cell in ("=1+1", "-x", "-1.5", -1.5, "a=b", None)]
    ["'=1+1", "'-x", '-1.5', -1.5, 'a=b', None]
    """
    if cell is None or isinstance(cell, int | float):
        return cell
    text = cell_text(cell)
    return f"'{text}" if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text) else cell


def json_line(names: Sequence[str], cells: Sequence[object]) -> str:
    r"""One line of NDJSON; a missing cell is null.

    >>> json_line(["n", "colour"], [42.0, None])
    '{"n": 42, "colour": null}\n'
    """
    return json.dumps(dict(zip(names, map(_plain, cells), strict=True)), ensure_ascii=False, allow_nan=False) + "\n"


def _plain(cell: object) -> object:
    r"""A value for JSON: whole numbers are integers, NaN is None, and types that JSON lacks are text.

    >>> _plain([np.float64(7), np.nan, np.inf, np.datetime64("2024-05-01T12:30"), b"caf\xe9"])
    [7, None, 'inf', '2024-05-01T12:30', 'caf\udce9']
    """
    if isinstance(cell, np.datetime64):
        return None if np.isnat(cell) else str(cell)
    if isinstance(cell, np.generic):
        cell = cell.item()
    if cell is None or isinstance(cell, str | int):
        return cell
    if isinstance(cell, float):
        if math.isnan(cell):
            return None
        if math.isinf(cell):
            return str(cell)
        return int(cell) if cell.is_integer() and abs(cell) < 2**53 else cell
    if isinstance(cell, dict):
        return {str(key): _plain(value) for key, value in cell.items()}
    if isinstance(cell, list | tuple):
        return [_plain(value) for value in cell]
    return lines.text(cell) if isinstance(cell, bytes) else str(cell)


def cell_text(cell: object) -> str:
    """A cell as CSV has it, without quotation marks.

    >>> cell_text(42.0), cell_text(True), cell_text(None)
    ('42', 'true', '')
    """
    cell = _plain(cell)
    if cell is None:
        return ""
    if isinstance(cell, bool | dict | list):
        return json.dumps(cell, ensure_ascii=False)
    return str(cell)


def _csv_cell(cell: object) -> str:
    """A cell with quotation marks where it needs them; the usual types first, for speed."""
    kind = type(cell)
    if kind is float:
        number: float = cell  # type: ignore[assignment]
        if number - number == 0:
            return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)
    elif kind is int:
        return str(cell)
    elif kind is bool:
        return "true" if cell else "false"
    text: str = cell if kind is str else cell_text(cell)  # type: ignore[assignment]
    return '"' + text.replace('"', '""') + '"' if _MARKS.search(text) else text

"""Rows out: typed cells as lines of CSV or NDJSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np


def csv_line(cells: Sequence[object]) -> str:
    r"""One line of CSV: whole numbers without a point, true and false as words, nothing for what is missing.

    >>> csv_line([42.0, 0.5, "a, b", True, None, float("nan")])
    '42,0.5,"a, b",true,,\n'
    """
    if len(cells) == 1:
        return (_quoted(_text(cells[0])) or '""') + "\n"  # a blank line would be no row
    return ",".join(_quoted(_text(cell)) for cell in cells) + "\n"


def json_line(names: Sequence[str], cells: Sequence[object]) -> str:
    r"""One line of NDJSON; what is missing is null.

    >>> json_line(["n", "colour"], [42.0, None])
    '{"n": 42, "colour": null}\n'
    """
    return json.dumps(dict(zip(names, map(_plain, cells), strict=True)), ensure_ascii=False) + "\n"


def moment(seconds: float) -> str:
    """A timestamp as ISO 8601 text.

    >>> moment(86401.5)
    '1970-01-02T00:00:01.500000+00:00'
    """
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def _plain(cell: object) -> object:
    """NumPy's values as Python's, whole numbers as integers, NaN as None."""
    if isinstance(cell, np.generic):
        cell = cell.item()
    if isinstance(cell, float):
        if np.isnan(cell):
            return None
        return int(cell) if cell.is_integer() and abs(cell) < 2**53 else cell
    return cell


def _text(cell: object) -> str:
    cell = _plain(cell)
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return str(cell)


def _quoted(text: str) -> str:
    if any(mark in text for mark in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text

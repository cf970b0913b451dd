"""Remarks on columns that look like times but are read as something else: dates that are not ISO 8601, and epochs.

Nothing is guessed: 3/4/2025 is a day in April or in March, and 1735689600 may be a number of anything. The column is
read by the rules of ``genreplay.streams.columns``, and the user is told what it looks like and how to make it a time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import date

from genreplay.streams import cells
from genreplay.streams.cells import Kind, Label
from genreplay.streams.chunks import Column, short
from genreplay.streams.columns import MOST, is_missing, items

_DATE = re.compile(r"(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?:[ T,]+\d{1,2}:\d{2}.*)?")
"""day and month in either order, a year, and perhaps a time of day"""
_MIN_CELLS = 3
"""known cells that a remark needs: fewer may look like anything"""
FIRST_EPOCH, LAST_EPOCH = 946_684_800, 4_102_444_800
"""the years 2000 to 2099, in seconds since 1970"""


def remark(name: str, column: Column, kind: Kind) -> str | None:
    """One sentence if a column of this inferred kind looks like times, else None.

    >>> print(remark("when", ["31/12/2025", "1/12/2025", "2/12/2025"], "category"))
    Column 'when' looks like dates written day/month/year, but is read as labels: convert it to ISO 8601 with a time of
    day, such as 2025-12-31T00:00, to read it as times.
    """
    if kind not in ("category", "number"):
        return None
    known = [cell for cell in items(column) if not is_missing(cell) and not isinstance(cell, Label)]
    if len(known) < _MIN_CELLS:
        return None
    if kind == "number":
        return _epoch(name, known)
    order = _order([cell.strip() for cell in known if isinstance(cell, str)], len(known))
    if order is not None:
        return (
            f"Column {short(name)} looks like dates written {order}, but is read as labels: convert it to ISO 8601 "
            "with a time of day, such as 2025-12-31T00:00, to read it as times."
        )
    if sum(map(_is_iso_date, known)) >= MOST * len(known):
        return (
            f"Column {short(name)} looks like dates without a time of day, and is read as labels: declare it as a "
            "timestamp to read it as times."
        )
    return None


def _order(texts: Sequence[str], n_known: int) -> str | None:
    """How most of the cells write a date, as far as they tell; None if they are no dates.

    >>> _order(["31.12.2025"], 1), _order(["12/31/2025"], 1), _order(["3/4/25"], 1), _order(["1.2.3.4"], 1)
    ('day.month.year', 'month/day/year', 'day/month/year or month/day/year', None)
    """
    found = [match for match in map(_DATE.fullmatch, texts) if match]
    firsts, seconds = ([int(match[place]) for match in found] for place in (1, 3))
    valid = [(a, b) for a, b in zip(firsts, seconds, strict=True) if 1 <= min(a, b) <= 12 and max(a, b) <= 31]
    if len(valid) < MOST * n_known:
        return None
    sign = found[0][2]
    day_first, month_first = any(a > 12 for a, _ in valid), any(b > 12 for _, b in valid)
    orders = [f"day{sign}month{sign}year"] if day_first else [f"month{sign}day{sign}year"]
    if day_first == month_first:
        orders = [f"day{sign}month{sign}year", f"month{sign}day{sign}year"]
    return " or ".join(orders)


def _is_iso_date(cell: object) -> bool:
    if isinstance(cell, str):
        with suppress(ValueError):
            date.fromisoformat(cell.strip())
            return not cell.strip().isdigit()
    return False


def _epoch(name: str, known: Sequence[object]) -> str | None:
    """The remark on a column of numbers that all lie where seconds or milliseconds since 1970 do today.

    >>> print(_epoch("t", ["1735689600", "1735689660"]))
    Column 't' looks like seconds since 1970, but is read as a number: declare it as a timestamp to read it as times.
    """
    try:
        values = [cells.number(cell) for cell in known]
    except ValueError:
        return None
    if len(set(values)) < 2:
        return None
    for unit, factor in (("seconds", 1), ("milliseconds", 1000)):
        if all(factor * FIRST_EPOCH <= value < factor * LAST_EPOCH for value in values):
            return (
                f"Column {short(name)} looks like {unit} since 1970, but is read as a number: declare it as a "
                "timestamp to read it as times."
            )
    return None

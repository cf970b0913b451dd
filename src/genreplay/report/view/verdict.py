"""A scored stream in one sentence."""

from __future__ import annotations

import math
from typing import NamedTuple

from genreplay.formatting import figure, number, p_value, thousands

FACTOR = 1.5
"""alarms within this factor of the expected number, or within two standard deviations, are about as many"""
_NOTHING = "The input has no rows, so there is nothing to judge."


class Worst(NamedTuple):
    """The most surprising row, alarm or not."""

    score: float
    """-log of its p-value, in nats, or its anomaly in a series"""
    row: int
    column: str = ""
    """which column says when it came"""
    when: str = ""
    """what that column says, or nothing"""

    @property
    def place(self) -> str:
        """The row in words."""
        return f"row {thousands(self.row)}" + (f" ({self.column} {self.when})" if self.when else "")


def verdict(n_rows: int, n_alarms: int, contamination: float, worst: Worst | None) -> str:
    """The page in one sentence.

    >>> verdict(20_000, 575, 0.01, Worst(11.5, 19_422, "time", "2024-03-09 15:22"))
    '575 of 20,000 rows raised an alarm, 2.9 times the 200 expected of a usual stream; the worst was row 19,422 (time
    2024-03-09 15:22).'
    >>> verdict(150, 0, 0.01, Worst(3.2, 17))
    'None of 150 rows raised an alarm, where about 2 are expected of a usual stream; the most surprising was row 17,
    with a p-value of 0.041.'
    """
    if worst is None:
        return _NOTHING
    expected = contamination * n_rows
    about = thousands(expected) if expected >= 0.95 else figure(expected, 1)
    rows = _rows(n_rows)
    if not n_alarms:
        return (
            f"None of {rows} raised an alarm, where about {about} are expected of a usual stream; the most surprising "
            f"was {worst.place}, with a p-value of {p_value(worst.score)}."
        )
    ratio = n_alarms / expected
    if 1 / FACTOR <= ratio <= FACTOR or abs(n_alarms - expected) <= 2 * math.sqrt(expected):
        compared = "about as many as"
    elif ratio < 1:
        compared = "fewer than"
    else:
        compared = f"{ratio:.1f} times" if ratio < 10 else f"{thousands(ratio)} times"
    return (
        f"{thousands(n_alarms)} of {rows} raised an alarm, {compared} the {about} expected of a usual stream; "
        f"the worst was {worst.place}."
    )


def series_verdict(n_rows: int, n_alarms: int, threshold: float, worst: Worst | None) -> str:
    """The same of a time series, where no number of alarms is expected.

    >>> series_verdict(22_695, 5, 8.0, Worst(13.82, 824, "time", "2013-12-05 17:50:00"))
    '5 of 22,695 rows raised an alarm; the highest anomaly, 13.8, is that of row 824 (time 2013-12-05 17:50:00).'
    >>> series_verdict(150, 0, 8.0, Worst(3.2, 17))
    'None of 150 rows raised an alarm; the highest anomaly, 3.2 where an alarm needs 8, is that of row 17.'
    """
    if worst is None:
        return _NOTHING
    count = thousands(n_alarms) if n_alarms else "None"
    needed = "" if n_alarms else f" where an alarm needs {threshold:g}"
    highest = f"the highest anomaly, {number(worst.score)}{needed}, is that of {worst.place}"
    return f"{count} of {_rows(n_rows)} raised an alarm; {highest}."


def _rows(n: int) -> str:
    return f"{thousands(n)} row{'s' if n > 1 else ''}"

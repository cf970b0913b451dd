"""The series of NAB as small pictures: paths in a frame of fixed size, which the template draws with the page's inks.

Drawings by ``svg.py`` would take twenty times the bytes, and seconds for so many.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from genreplay.estimators.deviations import Deviations
from genreplay.experiments.nab.pictures import LEVELS
from genreplay.formatting import figure, thousands

WIDTH, HEIGHT = 300, 116
_VALUES = (14, 78)
"""top and bottom of the values; above are the marks of alarms"""
_ANOMALY = (86, HEIGHT)
CUT = 2
"""thresholds at which the anomaly is cut off"""


class Window(NamedTuple):
    """A window, with an alarm in it or without."""

    x: float
    width: float
    found: bool


class Picture(NamedTuple):
    """A series, in a frame of WIDTH and HEIGHT."""

    title: str
    period: str
    values_from_to: str
    result: str
    """windows found and missed, false alarms"""
    probation: float
    """right end of the probationary period"""
    windows: list[Window]
    values: str
    """path: the band from the lowest to the highest value of each block"""
    anomaly: str
    """path: the highest anomaly of each block"""
    threshold: float
    """height of the threshold"""
    alarms_in_windows: str
    """path: a triangle for each"""
    false_alarms: str
    """path: a cross for each"""


def draw(name: str, stored: Mapping[str, Any]) -> Picture:
    """Draw a series as ``experiments.nab.pictures`` stores it."""
    windows = [Window(_x(first), _x(end - first), found) for first, end, found in stored["windows"]]
    return Picture(
        title=name.split("/")[-1].removesuffix(".csv"),
        period=f"{stored['starts'][:10]} to {stored['ends'][:10]}, {thousands(stored['n_rows'])} rows",
        values_from_to=f"values {figure(stored['lowest'], 3)} to {figure(stored['highest'], 3)}",
        result=result(len(windows), sum(window.found for window in windows), len(stored["false_alarms"])),
        probation=_x(stored["probation"]),
        windows=windows,
        values=_band(stored["low"], stored["high"]),
        anomaly=_bars(stored["anomaly"]),
        threshold=_height(1 / CUT),
        alarms_in_windows="".join(f"M{_x(place) - 4:g} 2h8l-4 8z" for place in stored["alarms_in_windows"]),
        false_alarms="".join(f"M{_x(place) - 3:g} 3l6 6m0-6l-6 6" for place in stored["false_alarms"]),
    )


def result(n_windows: int, n_found: int, n_false: int) -> str:
    """What was found, in words.

    >>> result(4, 3, 1), result(0, 0, 0)
    ('3 of 4 windows found, 1 missed, 1 false alarm', 'no window, no false alarm')
    """
    false = f"{n_false or 'no'} false alarm{'s' if n_false > 1 else ''}"
    if not n_windows:
        return f"no window, {false}"
    missed = f", {n_windows - n_found} missed" if n_windows > n_found else ""
    return f"{n_found} of {n_windows} window{'s' if n_windows > 1 else ''} found{missed}, {false}"


def _x(share: float) -> float:
    return round(WIDTH * share, 1)


def _height(share: float) -> float:
    """Where a share of the highest anomaly that is drawn lies."""
    top, bottom = _ANOMALY
    return round(bottom - (bottom - top) * share, 1)


def _band(low: Sequence[int], high: Sequence[int]) -> str:
    top, bottom = _VALUES
    xs = [_x((block + 0.5) / len(low)) for block in range(len(low))]
    there, back = (
        [f"{x:g} {bottom - (bottom - top) * level / LEVELS:.1f}" for x, level in zip(xs, levels, strict=True)]
        for levels in (high, low)
    )
    return f"M{'L'.join([*there, *reversed(back)])}z"


def _bars(anomaly: Sequence[float]) -> str:
    most = CUT * Deviations().threshold
    steps = [
        f"V{_height(min(each / most, 1)):g}H{_x((block + 1) / len(anomaly)):g}" for block, each in enumerate(anomaly)
    ]
    return f"M0 {_ANOMALY[1]}{''.join(steps)}V{_ANOMALY[1]}z"

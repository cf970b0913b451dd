r"""NAB's score: early alarms in windows are worth points, missed windows and false alarms cost some.

A row raises an alarm where its anomaly score is at least the threshold, which is one for all series. With the sigmoid

$$\sigma(y) = 2 / (1 + e^{5 y}) - 1, \qquad \sigma(y) = -1 \text{ where } y \geq 3,$$

the sum over all series has three terms:

- a window with an alarm in it counts once, by its earliest alarm: $A_{TP}\, \sigma(y) / \sigma(-1)$, where y goes
  from -1 at the first row of the window to -1 / width at the last;
- a window without an alarm costs $A_{FN}$;
- each alarm outside of windows costs $A_{FP}\, |\sigma(y)|$, where y is the number of rows since the last row of
  the window before it, divided by (width of that window - 1). Before any window, the cost is $A_{FP}$.

Rows in the probationary period do not count. The sum is scaled so that a detector that never fires has 0, and one that
fires in the first row of each window and nowhere else has 100.

With these rules, three published detectors get their published scores (``tests/experiments/test_nab_scorer.py``). Two
cases do not occur in NAB: behind a window of one row, costs are as behind one of two rows; and a window that ends in
the probationary period is neither found nor missed.

A. Lavin, S. Ahmad: Evaluating Real-time Anomaly Detection Algorithms - the Numenta Anomaly Benchmark, 2015.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.datasets.nab import Series

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Scores = Mapping[str, npt.ArrayLike]
"""an anomaly score for each row of each series, by the name of the series; finite, high = anomalous"""
FAR = 3.0
"""widths of a window behind it from which on an alarm has its full cost"""


class Profile(NamedTuple):
    """What alarms and misses are worth."""

    tp: float
    """points for an alarm in the first row of a window"""
    fp: float
    """cost of an alarm far from any window"""
    fn: float
    """cost of a missed window"""


PROFILES = {
    "standard": Profile(tp=1.0, fp=0.11, fn=1.0),
    "reward_low_FP_rate": Profile(tp=1.0, fp=0.22, fn=1.0),
    "reward_low_FN_rate": Profile(tp=1.0, fp=0.11, fn=2.0),
}
"""NAB's three, by their names in its file of profiles"""


class Part(NamedTuple):
    """The alarms in one series, or in several, and what they are worth before scaling."""

    n_windows: int = 0
    n_found: int = 0
    """windows with an alarm"""
    n_false: int = 0
    """alarms outside of windows"""
    found: float = 0.0
    """points for the windows that were found"""
    missed: float = 0.0
    """points for the windows that were not: 0 or negative"""
    false: float = 0.0
    """points for alarms outside of windows: 0 or negative"""

    @property
    def raw(self) -> float:
        """The sum of the three terms."""
        return self.found + self.missed + self.false


class Score(NamedTuple):
    """The score of a detector with one threshold and one profile, and its parts."""

    profile: Profile
    threshold: float
    series: dict[str, Part]
    categories: dict[str, Part]
    total: Part

    @property
    def normalised(self) -> float:
        """The score as NAB publishes it: 0 for a detector that never fires, 100 for a perfect one."""
        return self.points(self.total)

    def points(self, part: Part) -> float:
        """Return what a part contributes: the points of all series, or of all categories, add up to ``normalised``."""
        return _scaled(part, self.total.n_windows, self.profile)

    def alone(self, part: Part) -> float:
        """Return the score of a part as if there were no other series; NaN if it has no window."""
        return _scaled(part, part.n_windows, self.profile) if part.n_windows else math.nan


class Sweep(NamedTuple):
    """What each threshold gives."""

    thresholds: Floats
    """falling: infinity, at which no row raises an alarm, and then each distinct score"""
    normalised: Floats


def score(scores: Scores, profile: Profile, threshold: float, corpus: Sequence[Series]) -> Score:
    """Score the rows of all series of a corpus, which raise an alarm where their score is at least the threshold.

    >>> from genreplay.datasets import nab
    >>> times = np.datetime64("2014-04-01T00:00:00") + np.arange(8)
    >>> series = nab.make("made up/ramp.csv", times, np.arange(8.0), windows=[(3, 5)])
    >>> found = score({series.name: [0, 0, 0, 0.9, 0, 0, 0, 0.9]}, PROFILES["standard"], 0.5, [series])
    >>> found.total.n_found, found.total.n_false, round(found.normalised, 2)
    (1, 1, 94.57)
    """
    checked = _checked(scores, corpus)
    parts = {series.name: _part(series, checked[series.name] >= threshold, profile) for series in corpus}
    categories = {
        category: _sum(parts[series.name] for series in corpus if series.category == category)
        for category in dict.fromkeys(series.category for series in corpus)
    }
    return Score(profile, threshold, parts, categories, _sum(parts.values()))


def score_alarms(alarms: Scores, profile: Profile, corpus: Sequence[Series]) -> Score:
    """Score alarms that a detector raised by itself: 1 or True in the rows with an alarm, 0 or False elsewhere.

    >>> from genreplay.datasets import nab
    >>> times = np.datetime64("2014-04-01T00:00:00") + np.arange(8)
    >>> series = nab.make("made up/ramp.csv", times, np.arange(8.0), windows=[(3, 5)])
    >>> round(score_alarms({series.name: [0, 0, 0, 0, 0, 1, 0, 0]}, PROFILES["standard"], [series]).normalised, 2)
    84.58
    """
    if not all(np.isin(values, (0, 1)).all() for values in alarms.values()):
        raise ValueError("The 'alarms' parameter of score_alarms must have 0 or 1 for every row.")
    return score(alarms, profile, 0.5, corpus)


def best_threshold(scores: Scores, profile: Profile, corpus: Sequence[Series]) -> float:
    """Return the threshold with the best score; the highest of several, and infinity if it is best never to fire."""
    thresholds, normalised = sweep(scores, profile, corpus)
    return float(thresholds[np.argmax(normalised)])


def sweep(scores: Scores, profile: Profile, corpus: Sequence[Series]) -> Sweep:
    """Return the score for each threshold that makes a difference.

    The rows of all series are sorted by their scores once. While the threshold falls, each row adds its gain: the cost
    of a false alarm, or, in a window, what it is worth more than the rows of the window that fired before it.
    """
    checked = _checked(scores, corpus)
    heights = np.concatenate([checked[series.name][series.probation :] for series in corpus])
    gains = np.concatenate([_gains(series, checked[series.name], profile) for series in corpus])
    falling = np.argsort(-heights, kind="stable")
    heights = heights[falling]
    is_last_of_equals = np.append(heights[1:] != heights[:-1], True)
    gained = np.append(0.0, np.cumsum(gains[falling])[is_last_of_equals])
    n_windows = sum(len(counted_windows(series)) for series in corpus)
    return Sweep(np.append(np.inf, heights[is_last_of_equals]), 100 * gained / (n_windows * (profile.tp + profile.fn)))


def worth(series: Series, profile: Profile) -> Floats:
    """Return what an alarm in each row is worth: positive in a window, negative outside.

    >>> from genreplay.datasets import nab
    >>> times = np.datetime64("2014-04-01T00:00:00") + np.arange(8)
    >>> series = nab.make("made up/ramp.csv", times, np.arange(8.0), windows=[(2, 4)])
    >>> worth(series, PROFILES["standard"]).round(3)
    array([-0.11 , -0.11 ,  1.   ,  0.944,  0.692, -0.093, -0.109, -0.11 ])
    """
    rows = np.arange(len(series.times))
    values = np.full(len(rows), -profile.fp)
    for first, last in series.windows:
        inside, behind = rows[first : last + 1], rows[last + 1 :]
        values[inside] = profile.tp * sigmoid((inside - last - 1) / (last - first + 1)) / sigmoid(-1.0)
        values[behind] = profile.fp * sigmoid((behind - last) / max(last - first, 1))
    return values


def sigmoid(position: npt.ArrayLike) -> Floats:
    """Return NAB's scaled sigmoid of a position: negative in a window, 0 at its right edge, positive behind it.

    >>> sigmoid([-1, -0.5, 0, 0.5, 1, 3]).round(3)
    array([ 0.987,  0.848,  0.   , -0.848, -0.987, -1.   ])
    """
    y = np.minimum(position, FAR)
    return np.where(y < FAR, 2 / (1 + np.exp(5 * y)) - 1, -1.0)


def counted_windows(series: Series) -> list[tuple[int, int]]:
    """Return the first and the last row of each window that counts, without the rows in the probationary period."""
    return [(max(first, series.probation), last) for first, last in series.windows if last >= series.probation]


def _part(series: Series, alarms: npt.NDArray[np.bool_], profile: Profile) -> Part:
    """Return what the alarms in a series are worth."""
    values, windows = worth(series, profile), counted_windows(series)
    earliest = [first + int(np.argmax(alarms[first : last + 1])) for first, last in windows]
    found = [row for row in earliest if alarms[row]]
    is_false = alarms & ~series.is_in_window
    is_false[: series.probation] = False
    return Part(
        n_windows=len(windows),
        n_found=len(found),
        n_false=int(is_false.sum()),
        found=float(values[found].sum()),
        missed=-profile.fn * (len(windows) - len(found)),
        false=float(values[is_false].sum()),
    )


def _gains(series: Series, scores: Floats, profile: Profile) -> Floats:
    """Return what the sum gains by each row behind the probationary period when the threshold falls to its score."""
    values = worth(series, profile)
    for first, last in counted_windows(series):
        fired = first + np.argsort(-scores[first : last + 1], kind="stable")
        values[fired] = np.diff(np.maximum.accumulate(values[fired]), prepend=-profile.fn)
    return values[series.probation :]


def _scaled(part: Part, n_windows: int, profile: Profile) -> float:
    """Return what a part has more than a detector that never fires, in percent of what a perfect one has more."""
    return 100 * (part.raw + profile.fn * part.n_windows) / (n_windows * (profile.tp + profile.fn))


def _sum(parts: Iterable[Part]) -> Part:
    return Part(*(sum(column) for column in zip(*parts, strict=True)))


def _checked(scores: Scores, corpus: Sequence[Series]) -> dict[str, Floats]:
    """Return the scores as floats, if there is a finite one for every row of the corpus."""
    if not any(counted_windows(series) for series in corpus):
        raise ValueError("The 'corpus' parameter must have a window behind a probationary period. Got none.")
    checked = {}
    for series in corpus:
        if series.name not in scores:
            raise ValueError(f"The 'scores' parameter must have every series of the corpus. {series.name} is missing.")
        values = np.asarray(scores[series.name], dtype=np.float64)
        if values.shape != series.times.shape:
            raise ValueError(
                f"The 'scores' parameter must have one score for each of the {len(series.times)} rows of {series.name}."
                f" Got the shape {values.shape} instead."
            )
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            raise ValueError(
                f"The 'scores' parameter must be finite. Got {values[bad[0]]} in row {bad[0]} of {series.name} instead."
            )
        checked[series.name] = values
    return checked

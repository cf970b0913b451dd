"""The scores of a stream, row after row, with its alarms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from genreplay.estimators.alarms import JudgedRows
from genreplay.plots.canvas import axes_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SCORE = "#7d8794"
_ALARM = "#c8102e"


def stream(
    scores: npt.ArrayLike | JudgedRows,
    times: npt.ArrayLike | None = None,
    *,
    alarms: npt.ArrayLike | None = None,
    threshold: float | None = None,
    names: Sequence[str] | None = None,
    p_values: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw the scores of a stream over time, and mark its alarms.

    Parameters
    ----------
    scores : JudgedRows or array-like of shape (n_rows,)
        What ``learn_judged`` or ``judged`` of a series returned, with its alarms; or any scores, such as those of
        ``learn_scored`` and ``surprise``, or p-values. Rows that are NaN, as in a warm-up, are left out.
    times : array-like of shape (n_rows,), optional
        When each row came; None for its index.
    alarms : array-like of bool, optional
        Which rows raised an alarm; None for those of ``JudgedRows``, or else for those that reach the threshold.
    threshold : float, optional
        Drawn as a dashed line. High scores are anomalous, small p-values are.
    names : sequence of str, optional
        Names of all columns of the series, for ``JudgedRows``: each alarm then has the colour of its column, "C0" to
        "C9" by its index, and a legend above the axes names it.
    p_values : bool, default=False
        Whether the scores are p-values. Their axis is logarithmic, and the smallest ones are at its top.
    ax : Axes, optional
        Where to draw; None for a new figure.

    Examples
    --------
    >>> import numpy as np
    >>> from genreplay import plots, series_detector
    >>> values = np.random.default_rng(0).uniform(size=(2000, 2))
    >>> values[1500:1510, 1] = 9
    >>> judged = series_detector(random_state=0).learn_judged(values)
    >>> ax = plots.stream(judged, threshold=7, names=["load", "temperature"])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['alarm: temperature']
    """
    judged = scores if isinstance(scores, JudgedRows) else None
    y = np.asarray(scores if judged is None else judged.anomaly, dtype=np.float64)
    if y.ndim != 1:
        raise ValueError(f"The 'scores' parameter of stream must be one number for each row. Got the shape {y.shape}.")
    if p_values and not ((y >= 0) & (y <= 1) | np.isnan(y)).all():
        raise ValueError("The 'scores' parameter of stream must lie between 0 and 1 if they are p-values.")
    if names is not None and judged is None:
        raise ValueError("The 'names' parameter of stream needs what learn_judged returned: it has columns of alarms.")
    if judged is not None and names is not None and len(names) <= judged.column.max(initial=-1):
        raise ValueError(
            "The 'names' parameter of stream must name all columns of the series. "
            f"Got {len(names)} for {judged.column.max() + 1} or more."
        )
    x = _one_for_each("times", np.arange(len(y)) if times is None else times, len(y))
    if alarms is None and judged is not None:
        alarms = judged.alarm
    elif alarms is None and threshold is not None:
        alarms = y <= threshold if p_values else y >= threshold
    is_alarm = _one_for_each("alarms", np.zeros(len(y), dtype=bool) if alarms is None else alarms, len(y))
    if is_alarm.dtype != bool:
        raise ValueError("The 'alarms' parameter of stream must be a bool for each row.")
    ax = axes_for(ax)
    ax.plot(x, y, ".", color=_SCORE, markersize=2.5, alpha=0.6, markeredgewidth=0)
    if threshold is not None:
        ax.axhline(threshold, color=_ALARM, linewidth=0.8, linestyle="--")
    groups = {("alarm", _ALARM): is_alarm}
    if judged is not None and names is not None:
        blamed = np.unique(judged.column[is_alarm]).tolist()
        groups = {(f"alarm: {names[i]}", f"C{i % 10}"): is_alarm & (judged.column == i) for i in blamed}
    for (label, colour), here in groups.items():
        if here.any():
            ax.plot(x[here], y[here], "v", color=colour, markersize=7, markeredgecolor="white", label=label)
    if names is not None and is_alarm.any():
        n_columns = min(len(groups), 4)
        ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=n_columns, frameon=False)  # above: it hides no alarm
    if p_values:
        ax.set_yscale("log")
        ax.invert_yaxis()
    ax.set_ylabel("p-value" if p_values else "score" if judged is None else "anomaly")
    ax.set_xlabel("row" if times is None else "time")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _one_for_each(name: str, values: object, n_rows: int) -> npt.NDArray[np.generic]:
    """The values as an array, if there is one for each row."""
    array = np.asarray(values)
    if array.shape != (n_rows,):
        raise ValueError(
            f"The {name!r} parameter of stream must have one value for each of the {n_rows} rows. "
            f"Got the shape {array.shape} instead."
        )
    return array

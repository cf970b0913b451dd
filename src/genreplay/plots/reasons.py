"""Which columns make rows surprising, as a table of colours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from genreplay.estimators import frames
from genreplay.plots.canvas import axes_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WORTH_A_NUMBER = 1.0
"""nats from which on a cell has its number written into it"""
_MOST_ROWS = 30
"""rows up to which numbers can be read"""


def columns(
    explanation: Any,
    *,
    names: Sequence[str] | None = None,
    rows: Sequence[object] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw what ``explain`` of a detector returned: how surprising each cell is, a line for each row.

    The darker a cell, the more surprising it is than usual in its column, given the rest of its row. Cells that are no
    more surprising than usual are pale. From 1 nat on, the number is in the cell, up to 30 rows.

    Parameters
    ----------
    explanation : array-like or data frame of shape (n_rows, n_columns)
        Nats, as ``OnlineRBMDetector.explain`` returns them.
    names : sequence of str, optional
        Names of the columns; None for those of the data frame, or for x0, x1 and so on.
    rows : sequence, optional
        A label for each row; None for the index of a pandas data frame, or for 0, 1 and so on.
    ax : Axes, optional
        Where to draw; None for a new figure.

    Examples
    --------
    >>> import numpy as np
    >>> from genreplay import OnlineRBMDetector, plots
    >>> usual = np.random.default_rng(0).normal(size=(2000, 3))
    >>> detector = OnlineRBMDetector(random_state=0).fit(usual)
    >>> ax = plots.columns(detector.explain([[0, 9, 0], [0, 0, -9]]), names=["speed", "load", "flow"])
    >>> [text.get_text() for text in ax.get_xticklabels()], len(ax.texts)
    (['speed', 'load', 'flow'], 2)
    """
    library = frames.library_of(explanation)
    nats = np.asarray(explanation, dtype=np.float64)
    if nats.ndim != 2 or 0 in nats.shape:
        raise ValueError(
            "The 'explanation' parameter of columns must be what explain returned, rows and columns of nats. "
            f"Got the shape {nats.shape} instead."
        )
    if names is None:
        names = [f"x{i}" for i in range(nats.shape[1])] if library is None else list(map(str, explanation.columns))
    if rows is None:
        rows = list(explanation.index) if library == "pandas" else range(len(nats))
    for name, labels, n in (("names", names, nats.shape[1]), ("rows", rows, len(nats))):
        if len(labels) != n:
            raise ValueError(f"The {name!r} parameter of columns must have {n} labels. Got {len(labels)} instead.")
    ax = axes_for(ax)
    highest = max(float(nats.max()), _WORTH_A_NUMBER)
    ax.imshow(nats, cmap="OrRd", vmin=0, vmax=highest, aspect="auto", interpolation="nearest")
    ax.set_yticks([])
    if len(nats) <= _MOST_ROWS:
        ax.set_yticks(range(len(nats)), list(map(str, rows)))
        for row, column in np.argwhere(nats >= _WORTH_A_NUMBER):
            value = nats[row, column]
            ink = "white" if value > 0.6 * highest else "black"
            ax.text(column, row, f"{value:.1f}", ha="center", va="center", color=ink, fontsize="small")
    ax.set_xticks(range(len(names)), names, rotation=40, ha="left", rotation_mode="anchor")
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.set_xticks(np.arange(0.5, len(names) - 1), minor=True)
    ax.set_yticks(np.arange(0.5, len(nats) - 1), minor=True)
    ax.grid(which="minor", color="white", linewidth=1.5)
    ax.tick_params(which="minor", length=0)
    ax.spines[:].set_visible(False)
    return ax

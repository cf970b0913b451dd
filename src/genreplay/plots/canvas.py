"""Where a picture is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def axes_for(ax: Axes | None) -> Axes:
    """The axes that were given; those of a new figure of pyplot if there are none."""
    if ax is None:
        import matplotlib.pyplot as plt  # slow to import, and holds global state: only where it is needed

        _, ax = plt.subplots(layout="constrained")
    return ax

"""Pictures of models and of streams, with Matplotlib: axes in, axes out, as scikit-learn's displays have it.

Every function draws into the axes that it is given and returns them, so that titles, labels and further curves are
added with Matplotlib itself. Nothing global is touched then. Without axes it makes a figure with pyplot, as
scikit-learn does: only such a figure appears in a notebook, or with ``plt.show()``. Matplotlib is imported when
something is drawn.
"""

from genreplay.plots.reasons import columns
from genreplay.plots.sheets import dreams, filters, images
from genreplay.plots.timeline import stream

__all__ = ["columns", "dreams", "filters", "images", "stream"]

"""Rows as images, side by side: any rows, the dreams of a model, and the weights of its hidden units."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from genreplay.plots.canvas import axes_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from genreplay.estimators.online_rbm import OnlineRBM
    from genreplay.estimators.seeds import RandomState

N_FILTERS = 100
"""filters that are shown unless others are asked for: more would be too small to see"""
_BETWEEN = "#e3e1da"
"""colour between the images, and of pixels that are NaN"""

Floats = npt.NDArray[np.float64]


def images(
    rows: npt.ArrayLike,
    *,
    shape: tuple[int, int] | None = None,
    n_columns: int | None = None,
    cmap: str = "gray_r",
    limits: tuple[float, float] = (0.0, 1.0),
    ax: Axes | None = None,
) -> Axes:
    """Draw each row as an image, all of them on one sheet.

    Parameters
    ----------
    rows : array-like of shape (n_rows, n_pixels)
        One image each; pixels that are NaN stay empty.
    shape : tuple of two ints, optional
        Height and width of an image; None for a square.
    n_columns : int, optional
        Images side by side; None for a sheet that is about as high as wide.
    cmap : str, default="gray_r"
        Matplotlib's name of the colours: 0 is white and 1 is black by default.
    limits : tuple of two floats, default=(0, 1)
        The values that have the first and the last colour.
    ax : Axes, optional
        Where to draw; None for a new figure.

    Returns
    -------
    Axes
        Without ticks and frame. ``ax.images[0]`` is the sheet.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from genreplay import plots
    >>> ax = plots.images(load_digits().data[:10] / 16, n_columns=5)
    >>> ax.images[0].get_array().shape  # two lines of five images, 8 x 8 pixels each, with a line between them
    (17, 44)
    """
    pixels = np.asarray(rows, dtype=np.float64)
    if pixels.ndim != 2 or 0 in pixels.shape:
        raise ValueError(
            f"The 'rows' parameter of images must be one row or more, in two dimensions. Got the shape {pixels.shape}."
        )
    if n_columns is None:
        n_columns = math.ceil(math.sqrt(len(pixels)))
    elif n_columns < 1:
        raise ValueError(f"The 'n_columns' parameter of images must be a positive int. Got {n_columns!r} instead.")
    height, width = _shape_of(pixels.shape[1], shape)
    sheet = _sheet(pixels.reshape(-1, height, width), n_columns)
    ax = axes_for(ax)
    from matplotlib import colormaps

    colours, (low, high) = colormaps[cmap].with_extremes(bad=_BETWEEN), limits
    ax.imshow(np.ma.masked_invalid(sheet), cmap=colours, vmin=low, vmax=high, interpolation="nearest")
    ax.set_axis_off()
    return ax


def dreams(
    rbm: OnlineRBM,
    n_dreams: int = 36,
    *,
    n_gibbs: int = 200,
    shape: tuple[int, int] | None = None,
    n_columns: int | None = None,
    random_state: RandomState = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw dreams of a model as images: what ``rbm.sample`` returns.

    Parameters
    ----------
    rbm : OnlineRBM
        A model of images that has learned.
    n_dreams : int, default=36
        How many.
    n_gibbs : int, default=200
        Steps of each Gibbs chain. One gives what the paper rehearses; many come near samples of p(v).
    shape : tuple of two ints, optional
        Height and width of an image; None for a square.
    n_columns : int, optional
        Images side by side; None for a sheet that is about as high as wide.
    random_state : int, RandomState instance or None, default=None
        As in ``OnlineRBM.sample``: with None, the same model has the same dreams.
    ax : Axes, optional
        Where to draw; None for a new figure.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from genreplay import OnlineRBM, plots
    >>> rbm = OnlineRBM(n_hidden=16, random_state=0).fit(load_digits().data / 16)
    >>> ax = plots.dreams(rbm, n_dreams=25)
    >>> ax.images[0].get_array().shape
    (44, 44)
    """
    drawn = rbm.sample(n_dreams, n_gibbs=n_gibbs, random_state=random_state)
    return images(drawn, shape=shape, n_columns=n_columns, ax=ax)


def filters(
    rbm: OnlineRBM,
    units: Sequence[int] | npt.NDArray[np.integer] | None = None,
    *,
    shape: tuple[int, int] | None = None,
    n_columns: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the weights of hidden units as images: rows of W.

    Blue pixels switch a unit on, red ones switch it off. All filters have the same scale, whose middle, white, is 0.

    Parameters
    ----------
    rbm : OnlineRBM
        A model of images that has learned.
    units : sequence of ints, optional
        The hidden units to show, in this order; None for the first 100.
    shape : tuple of two ints, optional
        Height and width of an image; None for a square.
    n_columns : int, optional
        Images side by side; None for a sheet that is about as high as wide.
    ax : Axes, optional
        Where to draw; None for a new figure.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from genreplay import OnlineRBM, plots
    >>> rbm = OnlineRBM(n_hidden=16, random_state=0).fit(load_digits().data / 16)
    >>> ax = plots.filters(rbm, units=[3, 1, 4, 1])
    >>> ax.images[0].get_array().shape
    (17, 17)
    """
    check_is_fitted(rbm)
    weights = rbm.components_
    chosen = np.arange(min(len(weights), N_FILTERS)) if units is None else np.asarray(units)
    if chosen.size == 0 or chosen.dtype.kind not in "iu" or chosen.min() < 0 or chosen.max() >= len(weights):
        raise ValueError(
            f"The 'units' parameter of filters must name hidden units from 0 to {len(weights) - 1}. Got {units!r}."
        )
    shown = weights[chosen]
    scale = float(np.abs(shown).max()) or 1.0
    return images(shown, shape=shape, n_columns=n_columns, cmap="RdBu", limits=(-scale, scale), ax=ax)


def _shape_of(n_pixels: int, shape: tuple[int, int] | None) -> tuple[int, int]:
    """Height and width of images with this many pixels."""
    if shape is None:
        side = math.isqrt(n_pixels)
        if side * side != n_pixels:
            raise ValueError(f"{n_pixels} pixels make no square image: pass shape=(height, width).")
        return side, side
    height, width = shape
    if min(height, width) < 1 or height * width != n_pixels:
        raise ValueError(f"The 'shape' parameter must make {n_pixels} pixels, height times width. Got {shape!r}.")
    return height, width


def _sheet(tiles: Floats, n_columns: int) -> Floats:
    """Tiles line by line, with one pixel between them; what is empty is NaN."""
    n_tiles, height, width = tiles.shape
    n_columns = min(n_columns, n_tiles)
    n_lines = -(-n_tiles // n_columns)
    sheet = np.full((n_lines * (height + 1) - 1, n_columns * (width + 1) - 1), np.nan)
    for index, tile in enumerate(tiles):
        top, left = index // n_columns * (height + 1), index % n_columns * (width + 1)
        sheet[top : top + height, left : left + width] = tile
    return sheet

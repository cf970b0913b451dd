"""Readings of sensors to bits, as ``gr_encode`` does it: intervals of equal width, and two beyond either end."""

from __future__ import annotations

from bisect import insort
from typing import Self

import numpy as np
import numpy.typing as npt

Windows = npt.NDArray[np.int16]
Bits = npt.NDArray[np.bool_]


class Coder:
    """Windows of 16-bit readings to rows of bits: one bit of ``n_codes`` for each reading, and for each difference.

    The usual range of a sensor, and of its differences, goes from the 1st to the 99th percentile of the warm-up. It
    is cut into ``n_codes - 4`` intervals of equal width. Beyond either end there are two: up to a range away, and
    further. The percentiles are exact, in fixed memory: only the lowest and the highest hundredth is kept.

    Parameters
    ----------
    n_channels : int
        Sensors.
    window : int
        Readings of each sensor in a row, the newest last.
    n_codes : int
        Intervals of a number.
    warm_up : int
        Windows that the ranges are learned from.

    Examples
    --------
    >>> import numpy as np
    >>> from genreplay.device import Coder
    >>> coder = Coder(n_channels=1, window=2, n_codes=8, warm_up=100)
    >>> readings = np.arange(101, dtype=np.int16)
    >>> coder.learn(np.stack([readings[:-1], readings[1:]], axis=1)[:, np.newaxis]).n_visible
    24
    >>> coder.encode([[[50, 51]], [[98, 500]]]).astype(int)
    array([[0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0],
           [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1]])
    """

    def __init__(self, n_channels: int, window: int = 2, n_codes: int = 10, warm_up: int = 500) -> None:
        self.n_channels, self.window, self.n_codes, self.warm_up = n_channels, window, n_codes, warm_up
        self.n_learned = 0
        self._n_extremes = warm_up // 100 + 1
        self._lowest: list[list[list[int]]] = [[[], []] for _ in range(n_channels)]
        self._highest: list[list[list[int]]] = [[[], []] for _ in range(n_channels)]

    @property
    def n_visible(self) -> int:
        """Bits of a row."""
        return self.n_channels * (2 * self.window - 1) * self.n_codes

    @property
    def is_ready(self) -> bool:
        """Whether the warm-up is over."""
        return self.n_learned >= self.warm_up

    def learn(self, windows: npt.ArrayLike) -> Self:
        """Learn the ranges; windows after the warm-up change nothing (``gr_warm_up``)."""
        for window in self._windows(windows)[: self.warm_up - self.n_learned].tolist():
            for channel, readings in enumerate(window):
                newest = readings[-1]
                for kind, x in enumerate((newest, newest - readings[-2] if self.window > 1 else 0)):
                    lowest, highest = self._lowest[channel][kind], self._highest[channel][kind]
                    insort(lowest, x)
                    insort(highest, x)
                    del lowest[self._n_extremes :], highest[: -self._n_extremes]
            self.n_learned += 1
        return self

    def encode(self, windows: npt.ArrayLike) -> Bits:
        """The rows of bits of windows (``gr_encode``)."""
        if not self.is_ready:
            raise ValueError(f"The coder has learned {self.n_learned} of the {self.warm_up} windows of its warm-up.")
        taken = self._windows(windows).astype(np.int64)
        rows = np.zeros((len(taken), self.n_channels, 2 * self.window - 1, self.n_codes), dtype=bool)
        for channel in range(self.n_channels):
            values, differences = taken[:, channel], np.diff(taken[:, channel], axis=1)
            for kind, x in enumerate((values, differences)):
                codes = self._codes(x, self._lowest[channel][kind][-1], self._highest[channel][kind][0])
                first = kind * self.window
                places = rows[:, channel, first : first + x.shape[1]]
                np.put_along_axis(places, codes[:, :, np.newaxis], True, axis=2)
        return rows.reshape(len(taken), -1)

    def _codes(self, x: npt.NDArray[np.int64], low: int, high: int) -> npt.NDArray[np.int64]:
        n_inner = self.n_codes - 4
        width = (high - low) // n_inner + 1
        span = width * n_inner
        inner = 2 + (x - low) // width
        below = np.where(low - x <= span, 1, 0)
        above = np.where(x - low < 2 * span, self.n_codes - 2, self.n_codes - 1)
        return np.where(x < low, below, np.where(x - low >= span, above, inner))

    def _windows(self, windows: npt.ArrayLike) -> Windows:
        found = np.asarray(windows)
        if found.ndim != 3 or found.shape[1:] != (self.n_channels, self.window):
            raise ValueError(
                f"Windows must have shape (n, {self.n_channels}, {self.window}). Got {found.shape} instead."
            )
        return found.astype(np.int16, casting="same_kind" if found.dtype.kind == "i" else "safe")

"""The encoder of a time series: rows with a time and numbers that wander."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from genreplay.streams.cells import Kind
from genreplay.streams.codes import DAY, TimestampCode
from genreplay.streams.columns import Float64
from genreplay.streams.combinations import Combinations, residuals
from genreplay.streams.encoder import TableEncoder
from genreplay.streams.number_code import NumberCode
from genreplay.streams.table import Array

_TWO_WEEKS = 14 * DAY


class SeriesEncoder(TableEncoder):
    """Turn the rows of a time series into groups of codes, and codes into rows.

    It differs from ``TableEncoder`` in the code of numbers, which fits what the next rows of a series may hold rather
    than what its first rows held: ``n_bins`` intervals, narrow near the median of the warm-up and ever wider away from
    it, up to 60 robust scales, and an open interval on either side. See ``NumberCode.learn_scaled``. And its
    combinations are residuals: for each number, what the others of the same row do not tell of it. A sensor that no
    longer goes with the others shows there long before it leaves its range. A time has a group for the day of the week
    only if the warm-up lasts two weeks: before, nothing can be known about a day.

    Parameters
    ----------
    combinations : bool, default=True
        Whether there are groups for the residuals of the numbers, if there are two or more.
    n_bins : int, default=24
        Intervals of a number; at most 243.
    warm_up : int, default=300
        First rows, which fix the codes: a day with a value every five minutes. A series should be judged soon.
    max_categories, time_bins, kinds, dtype
        As in ``TableEncoder``.

    Examples
    --------
    >>> from genreplay.streams import SeriesEncoder
    >>> rows = [["2014-04-01 00:00", 20.0], ["2014-04-01 00:05", 21.0], ["2014-04-01 00:10", 19.0]]
    >>> encoder = SeriesEncoder().fit(rows)
    >>> encoder.group_sizes_
    array([25, 27])
    >>> encoder.codes([["2014-04-01 00:15", value] for value in (-5000.0, 19.0, 20.0, 21.0, 50.0)])[:, 1]
    array([ 0, 11, 12, 14, 22], dtype=uint8)
    """

    def __init__(
        self,
        *,
        combinations: bool = True,
        n_bins: int = 24,
        max_categories: int = 32,
        time_bins: int = 24,
        kinds: Mapping[str | int, Kind] | None = None,
        warm_up: int = 300,
        dtype: npt.DTypeLike = np.float32,
    ) -> None:
        super().__init__(
            combinations=combinations,
            n_bins=n_bins,
            max_categories=max_categories,
            time_bins=time_bins,
            kinds=kinds,
            warm_up=warm_up,
            dtype=dtype,
        )

    @property
    def residual_groups_(self) -> npt.NDArray[np.int64]:
        return np.arange(self._layout.n_table_groups, len(self.group_sizes_))

    def _number_code(self, cells: Array, n_bins: int) -> NumberCode:
        return NumberCode.learn_scaled(cells, n_bins)

    def _time_code(self, cells: Array) -> TimestampCode:
        known = cells[~np.isnan(cells)]
        return TimestampCode.learn(cells, self.time_bins, len(known) > 0 and bool(np.ptp(known) >= _TWO_WEEKS))

    def _combine(self, numbers: Float64) -> Combinations | None:
        return Combinations.learn(numbers, self.n_bins, residuals, NumberCode.learn_scaled)

"""How the codes of a time series are made: rows with a time and numbers that wander."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from genreplay.streams.cells import Kind
from genreplay.streams.coder import TableCoder
from genreplay.streams.codes import DAY, TimestampCode
from genreplay.streams.columns import Float64
from genreplay.streams.combinations import Combinations, residuals
from genreplay.streams.number_code import NumberCode
from genreplay.streams.table import Array

_TWO_WEEKS = 14 * DAY


class SeriesCoder(TableCoder):
    """Turn the rows of a time series into groups of codes and back: ``SeriesEncoder`` without scikit-learn."""

    _saved_as: ClassVar[str] = "SeriesEncoder"

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

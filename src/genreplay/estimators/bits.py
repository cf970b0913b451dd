"""Rows of bits, checked and made from what a user passes: shared by the estimators that model them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted, validate_data

from genreplay.core.kernels import Array, VisibleRows
from genreplay.estimators.rows import InputRows, above, canonical, dense, plain, value_range


class TakesBits:
    """What an estimator with a threshold ``binarize`` does with its rows."""

    binarize: float | None

    @property
    def _number_type(self) -> npt.DTypeLike:
        """Number type of the model."""
        raise NotImplementedError

    def _check_rows(self, X: npt.ArrayLike, allow_nan: bool = False) -> InputRows:
        """Refuse rows that do not fit the model: column names, shape, numbers, width, range."""
        check_is_fitted(self)
        finite = "allow-nan" if allow_nan else True
        X = plain(X, allow_nan)
        return self._check_values(
            validate_data(self, X, reset=False, accept_sparse="csr", dtype="numeric", ensure_all_finite=finite)
        )

    def _check_values(self, rows: InputRows) -> InputRows:
        rows = canonical(rows)
        low, high = value_range(rows)
        if self.binarize is None and (low < 0 or high > 1):
            raise ValueError(
                f"X must lie in [0, 1] with binarize=None, but {type(self).__name__} got values from {low:g} to "
                f"{high:g}. Scale X, or set binarize to a threshold."
            )
        return rows

    def _warn_of_range(self, rows: InputRows, warned: bool, stacklevel: int) -> bool:
        """Warn, once, about values outside [0, 1], which were probably not meant for a threshold inside it."""
        low, high = value_range(rows)
        outside = (low < 0 or high > 1) and self.binarize is not None and 0 <= self.binarize <= 1
        if outside and not warned:
            warnings.warn(
                f"X has values from {low:g} to {high:g}, outside [0, 1]; those above binarize={self.binarize} become 1 "
                "and the others 0.",
                stacklevel=stacklevel,
            )
        return outside

    def _encode(self, rows: InputRows, dtype: npt.DTypeLike | None = None) -> VisibleRows:
        """Turn values into the model's numbers, or those of another type: 0 and 1, or probabilities as they are."""
        if not isinstance(rows, np.ndarray) and self.binarize is not None and self.binarize >= 0:
            return above(rows, self.binarize, dtype or self._number_type)
        return self._encode_dense(dense(rows), dtype)

    def _encode_dense(self, rows: npt.NDArray[Any], dtype: npt.DTypeLike | None = None) -> Array:
        encoded: Array = (rows if self.binarize is None else rows > self.binarize).astype(dtype or self._number_type)
        return encoded

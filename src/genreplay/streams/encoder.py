"""The scikit-learn transformer that turns rows of a table into groups of codes and back."""

from __future__ import annotations

from itertools import pairwise
from numbers import Integral
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import TransformerMixin, _fit_context
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import _check_feature_names_in, check_array

from genreplay.core.kernels.arrays import MOST_CODES
from genreplay.streams.coder import TableCoder
from genreplay.streams.codes import Bits
from genreplay.streams.columns import Float64, Objects
from genreplay.streams.features import TableFeatures
from genreplay.streams.number_code import FAR

if TYPE_CHECKING:
    from sklearn.utils import Tags


class TableEncoder(TransformerMixin, TableFeatures, TableCoder):  # type: ignore[misc]
    """Turn rows with numbers, categories, booleans, times and missing values into groups of codes, and codes into rows.

    Each column is a group of codes of which exactly one holds. The codes are learned from the first rows of a stream
    and then frozen, so that the meaning of a code never changes after a model has learned it:

    | kind | codes of its group |
    |---|---|
    | number | intervals of equal width between the 1st and the 99th percentile, ever wider ones beyond; missing |
    | category | each of the most frequent labels; unseen, for any other label; missing |
    | boolean | false; true; missing |
    | timestamp | two groups, in UTC: sectors of the day; missing. And: Monday to Sunday; missing |

    A number column with no more than ``n_bins + 1`` different values has an interval for each of them.

    The principal components of the numbers are further groups, coded as numbers are. A row whose cells are all usual,
    but not together, then has an unusual code.

    Parameters
    ----------
    combinations : bool, default=True
        Whether there are groups for the principal components of the numbers.
    n_bins : int, default=8
        Intervals of the usual range of a number; at most 243.
    max_categories : int, default=32
        Most labels that have a code; at most 253.
    time_bins : int, default=24
        Sectors of the day, of equal length from 00:00; at most 254.
    kinds : dict or None, default=None
        For any column, by name or by index, "number", "category", "boolean" or "timestamp". The kind of any
        other column is inferred from the cells of the warm-up, by the rules of ``genreplay.streams.columns``.
    warm_up : int, default=500
        Rows that ``partial_fit`` collects before the codes are made.
    dtype : dtype, default=np.float32
        Number type of the bits that ``transform`` returns.

    Attributes
    ----------
    frozen_ : bool
        Whether the codes are fixed.
    n_waiting_ : int
        Rows of the warm-up collected so far; 0 once the codes are fixed.
    collected_ : ndarray of objects
        These rows.
    column_names_ : list of str
        Names of the columns: those of the data frame, or x0, x1, ...
    kinds_ : list of str
        The kind of each column.
    group_sizes_ : ndarray of int
        The number of codes of each group: first the groups of the columns in their order, then the combinations.
    column_of_group_ : ndarray of int
        For each group, its column; -1 for a combination.
    missing_codes_ : ndarray of int
        For each group, the code of a missing cell; -1 for a combination, whose missing numbers are put at their median.
    unseen_codes_ : ndarray of int
        For each group, the code of a label that has no code of its own; -1 where there are no labels.
    far_of_code_ : ndarray of int
        For all codes, those of the first group first: k for the k-th interval beyond the usual range of a number, from
        1, just beyond it, to 5, the open one; 1 for an unseen label; 0 for all others.
    column_of_bit_ : ndarray of int
        For each bit of ``transform``, its column; -1 for those of combinations.
    n_features_in_ : int
        Columns seen at the first fit.
    feature_names_in_ : ndarray of str
        Their names, if they all have one.

    Notes
    -----
    The percentiles are those of the warm-up, not of a sketch (KLL, t-digest). Nothing can be learned before the codes
    are fixed, so the rows of the warm-up wait in any case, and exact percentiles need no further dependency. They are
    the same to the bit however the stream is cut, and across a save in the middle.

    Examples
    --------
    >>> from genreplay.streams import TableEncoder
    >>> rows = [[21, "red", True], [35, "blue", False], [48, "red", None], [None, "green", True]]
    >>> encoder = TableEncoder().fit(rows)
    >>> encoder.group_sizes_
    array([14,  5,  3])
    >>> encoder.get_feature_names_out(["age", "colour", "member"])[14:].tolist()
    ['colour=red', 'colour=blue', 'colour=green', 'colour=unseen', 'colour=?', 'member=false', 'member=true',
    'member=?']
    >>> codes = encoder.codes([[30, "red", True], [99, "pink", None]])
    >>> codes
    array([[6, 0, 1],
           [9, 3, 2]], dtype=uint8)
    >>> encoder.decode(codes).tolist()
    [[35.0, 'red', True], [170.0, None, None]]
    >>> encoder.outside(codes)
    array([[False, False, False],
           [ True,  True, False]])
    """

    _parameter_constraints: dict[str, Any] = {  # noqa: RUF012 (scikit-learn's own way)
        "combinations": ["boolean"],
        "n_bins": [Interval(Integral, 1, MOST_CODES - 2 * len(FAR) - 4, closed="both")],
        "max_categories": [Interval(Integral, 1, MOST_CODES - 2, closed="both")],
        "time_bins": [Interval(Integral, 1, MOST_CODES - 1, closed="both")],
        "kinds": [dict, None],
        "warm_up": [Interval(Integral, 1, None, closed="left")],
        "dtype": "no_validation",
    }

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: object, y: object = None) -> Self:
        """Make the codes from all rows of X and freeze them."""
        return super().fit(X)

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: object, y: object = None) -> Self:
        """Collect rows until there are ``warm_up`` of them, then make the codes; rows after those change nothing.

        However the stream is cut into calls, the codes are made from exactly its first ``warm_up`` rows.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay.streams import TableEncoder
        >>> encoder = TableEncoder(warm_up=100)
        >>> for chunk in np.split(np.arange(150.0).reshape(-1, 1), 5):
        ...     encoder = encoder.partial_fit(chunk)
        ...     print(encoder.n_waiting_, encoder.frozen_)
        30 False
        60 False
        90 False
        0 True
        0 True
        """
        return super().partial_fit(X)

    def transform(self, X: object) -> Bits:
        """Return the rows as bits, an array of 0 and 1 of shape (n_rows, n_bits): one bit is on in each group.

        Examples
        --------
        >>> from genreplay.streams import TableEncoder
        >>> TableEncoder().fit([["red", True], ["blue", False]]).transform([["red", False], [None, True]])
        array([[1., 0., 0., 0., 1., 0., 0.],
               [0., 0., 0., 1., 0., 1., 0.]], dtype=float32)
        """
        codes = self.codes(X)
        bits = np.zeros((len(codes), self._layout.n_bits), dtype=self.dtype)
        bits[np.arange(len(codes))[:, np.newaxis], self._layout.first_bits + codes] = 1
        return bits

    def inverse_transform(self, X: npt.ArrayLike) -> Objects | Float64:
        """Return the rows that bits, or probabilities of bits, stand for, by the likeliest code of each group.

        Examples
        --------
        >>> from genreplay.streams import TableEncoder
        >>> encoder = TableEncoder().fit([["red", True], ["blue", False]])
        >>> encoder.inverse_transform([[0.1, 0.6, 0.2, 0.1, 0.5, 0.4, 0.1]])
        array([['blue', False]], dtype=object)
        """
        self._require_frozen()
        bits = check_array(X, input_name="X", dtype=[np.float64, np.float32])
        if bits.shape[1] != self._layout.n_bits:
            raise ValueError(f"The rows of TableEncoder have {self._layout.n_bits} bits. Got {bits.shape[1]} instead.")
        ends = pairwise([*self._layout.first_bits, self._layout.n_bits])
        return self._layout.decode(np.stack([bits[:, a:b].argmax(axis=1) for a, b in ends], axis=1))

    def get_feature_names_out(self, input_features: npt.ArrayLike | None = None) -> Objects:
        """Return what each bit says, such as "age in (31.5, 40]", "colour=red", "colour=?".

        Examples
        --------
        >>> from genreplay.streams import TableEncoder
        >>> TableEncoder().fit([["red", True], ["blue", False]]).get_feature_names_out().tolist()
        ['x0=red', 'x0=blue', 'x0=unseen', 'x0=?', 'x1=false', 'x1=true', 'x1=?']
        """
        self._require_frozen()
        return super().get_feature_names_out(_check_feature_names_in(self, input_features))

    def __sklearn_is_fitted__(self) -> bool:
        return self.frozen_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags

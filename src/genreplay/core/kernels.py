"""How the products are computed: dense by BLAS, or sparse where few units are on. The mathematics does not know which.

A product of 0/1 rows with a matrix is a sum of the matrix's rows, so its cost follows the number of ones. Three
observations make contrastive divergence on sparse rows cheaper than its dense products:

- the inputs of the hidden layer, W v, are sums of the columns of W where v is one;
- a sampled reconstruction v' differs from v in few units, so W v' = W v + W (v' - v) needs only those that flipped;
- for the same reason the difference of statistics, h v^T - h' v'^T = (h - h') v^T - h' (v' - v)^T, needs the ones of v
  and the flips, but not the ones of v'.

The sparse products need Numba (the extra ``fast``); without it, or where rows are dense, small or not of zeros and
ones, everything is dense.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, cached_property
from types import ModuleType
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.floating]
Integers = npt.NDArray[np.signedinteger[Any]]

SPARSE_BELOW = 0.2
"""density of ones up to which sums of rows beat BLAS; ``genreplay bench density`` measures where they meet"""
SPARSE_HIDDEN_BELOW = 0.1
"""the same for the way down, which pays for a transposed copy of W besides"""
SPARSE_FROM_WIDTH = 64
"""units of the other layer from which they do"""
_COMPILED_FROM = 2**14
"""numbers from which a compiled loop over them beats a few calls of NumPy"""
# Each factor 1 + exp(-|x|) is at most 2, so this many multiply up without overflow even in float32.
_FACTORS_PER_LOG = 100
_LARGEST = np.iinfo(np.uint64).max

_choice: ContextVar[Literal["auto", "dense", "sparse"]] = ContextVar("products", default="auto")


@contextmanager
def use(products: Literal["auto", "dense", "sparse"]) -> Iterator[None]:
    """Override the choice: "dense" or "sparse" for all products that can be, or "auto" again.

    >>> with use("dense"):
    ...     isinstance(compact(np.zeros((400, 784), np.float32), width=500), Sparse)
    False
    """
    if products not in ("auto", "dense", "sparse"):
        raise ValueError(f"The 'products' parameter of use must be 'auto', 'dense' or 'sparse'. Got {products!r}.")
    if products == "sparse" and _compiled() is None:
        raise ModuleNotFoundError("Sparse products need Numba: install genreplay[fast].")
    token = _choice.set(products)
    try:
        yield
    finally:
        _choice.reset(token)


@contextmanager
def threads(n: int) -> Iterator[None]:
    """Share the rows of the compiled loops among ``n`` threads; the dense products are BLAS's own affair.

    >>> with threads(1):
    ...     compact(np.eye(5), width=500).shape
    (5, 5)
    """
    loops: Any = _compiled()
    before = loops and loops.n_threads
    try:
        if loops:
            loops.n_threads = n
        yield
    finally:
        if loops:
            loops.n_threads = before


@cache
def _compiled() -> ModuleType | None:
    """The compiled loops, if Numba is installed."""
    if importlib.util.find_spec("numba") is None:
        return None
    from genreplay.core import compiled

    return compiled


@dataclass(frozen=True, eq=False)
class Sparse:
    """A matrix that is mostly 0, in CSR form; here its values are 1 and -1.

    >>> Sparse.of(np.array([[0.0, 1.0, 1.0], [0.0, 0.0, 0.0]])).places
    array([1, 2], dtype=int32)
    """

    start: Integers
    """row r lies at places[start[r]:start[r + 1]] and values[start[r]:start[r + 1]]"""
    places: Integers
    values: Array
    n_columns: int

    @classmethod
    def of(cls, rows: Array) -> Sparse:
        """The same numbers, of a dense matrix."""
        row, place = np.nonzero(rows)
        start = np.searchsorted(row, np.arange(len(rows) + 1))
        return cls(start, place.astype(np.int32), rows[row, place], rows.shape[1])

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), self.n_columns

    def __len__(self) -> int:
        return len(self.start) - 1

    def __getitem__(self, rows: slice) -> Sparse:
        first, last, _ = rows.indices(len(self))
        start = self.start[first : max(first, last) + 1]
        inside = slice(start[0], start[-1])
        return Sparse(start - start[0], self.places[inside], self.values[inside], self.n_columns)

    def dense(self, out: Array | None = None) -> Array:
        """The same numbers, as a dense matrix."""
        out = np.empty(self.shape, self.values.dtype) if out is None else out
        out[:] = 0
        out[self._rows, self.places] = self.values
        return out

    @property
    def _rows(self) -> Integers:
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    def sum_of_rows(self, weights: Array) -> Array:
        """The product with a vector, one number a row."""
        terms = self.values * weights[self.places]
        return np.bincount(self._rows, terms, minlength=len(self)).astype(weights.dtype)

    @cached_property
    def sums(self) -> Array:
        """The sum of each column."""
        return np.bincount(self.places, self.values, minlength=self.n_columns).astype(self.values.dtype)

    @cached_property
    def T(self) -> Sparse:
        """The transposed matrix."""
        start = np.concatenate([[0], np.cumsum(np.bincount(self.places, minlength=self.n_columns))])
        places, values = np.empty_like(self.places), np.empty_like(self.values)
        _loops().transpose(len(self), 0, self.start, self.places, self.values, start[:-1].copy(), places, values)
        return Sparse(start, places, values, len(self))

    def add_product(self, table: Array, out: Array, scale: float = 1.0) -> None:
        """Add scale * (self @ table) to ``out``."""
        work, number = len(self.places) * table.shape[1], out.dtype.type
        _loops().add_product(len(self), work, self.start, self.places, self.values, number(scale), table, out)


class Near(NamedTuple):
    """Rows of zeros and ones that differ from other such rows in few units."""

    flips: Sparse
    """these rows less the others"""


Rows = Array | Sparse
"""a visible layer, one row an observation"""


def compact(rows: Rows, width: int, density: float = SPARSE_BELOW) -> Rows:
    """List the ones of ``rows`` if that will make their products with a matrix of ``width`` columns cheaper.

    A list that will not is written out, so that rows give the same numbers in whichever form they come.
    """
    choice, loops = _choice.get(), _compiled()
    if isinstance(rows, Sparse):
        worth = width >= SPARSE_FROM_WIDTH and len(rows.places) <= density * math.prod(rows.shape)
        return rows if loops is not None and (choice == "sparse" or (choice == "auto" and worth)) else rows.dense()
    if choice == "dense" or loops is None or not len(rows):
        return rows
    if choice == "auto":
        some = rows[:: 1 + len(rows) // 8]
        if width < SPARSE_FROM_WIDTH or np.count_nonzero(some) > 1.5 * density * some.size:
            return rows  # too narrow; or so dense in some rows that the others are not worth a look
    rows = np.ascontiguousarray(rows)
    counts = np.empty(len(rows), dtype=np.int64)
    if not all(loops.count_ones(len(rows), rows.size, rows, counts)):
        return rows
    start = np.concatenate([[0], np.cumsum(counts)])
    if choice == "auto" and start[-1] > density * rows.size:
        return rows
    places = np.empty(start[-1], dtype=np.int32)
    loops.list_ones(len(rows), rows.size, rows, start, places)
    return Sparse(start, places, np.ones(len(places), dtype=rows.dtype), rows.shape[1])


def compact_near(rows: Array, origin: Rows) -> Rows | Near:
    """List the ones of 0/1 ``rows``, or where they differ from ``origin``, whichever is less; if ``origin`` is sparse.

    ``rows`` may be overwritten: use what is returned.
    """
    if not isinstance(origin, Sparse):
        return rows
    loops = _loops()
    ones, flips = np.empty(len(rows), dtype=np.int64), np.empty(len(rows), dtype=np.int64)
    if not all(loops.count_flips(len(rows), rows.size, rows, origin.start, origin.places, ones, flips)):
        return rows  # not of zeros and ones: the model has diverged, and what reads them will say so
    near = flips.sum() < ones.sum()
    start = np.concatenate([[0], np.cumsum(flips if near else ones)])
    if _choice.get() == "auto" and start[-1] > SPARSE_BELOW * rows.size:
        return rows
    places, values = np.empty(start[-1], dtype=np.int32), np.ones(start[-1], dtype=rows.dtype)
    if near:
        loops.list_flips(len(rows), rows.size, rows, origin.start, origin.places, start, places, values)
    else:
        loops.list_ones(len(rows), rows.size, rows, start, places)
    listed = Sparse(start, places, values, rows.shape[1])
    return Near(listed) if near else listed


def to_hidden(v: Rows | Near, W: Array, b: Array, out: Array | None = None, origin: Array | None = None) -> Array:
    """The inputs of the hidden layer, b + W v for each row; for ``Near``, ``origin`` has those of the other rows."""
    if isinstance(v, Near):
        assert origin is not None
        terms, start = v.flips, origin
    else:
        rows = compact(v, len(W))
        if isinstance(rows, np.ndarray):
            out = np.matmul(rows, W.T, out=out)
            out += b
            return out
        terms, start = rows, b
    out = np.empty((len(terms), len(W)), dtype=W.dtype) if out is None else out
    np.copyto(out, start)
    terms.add_product(_rows_in_memory(W.T), out)
    return out


def bias_of(v: Rows, a: Array) -> Array:
    """a'v, one number a row."""
    return v.sum_of_rows(a) if isinstance(v, Sparse) else v @ a


def to_visible(h: Array, W: Array, a: Array, out: Array | None = None) -> Array:
    """The inputs of the visible layer, a + W^T h for each row."""
    ones = compact(h, W.shape[1], SPARSE_HIDDEN_BELOW)
    if isinstance(ones, Sparse):
        out = np.empty((len(h), W.shape[1]), dtype=W.dtype) if out is None else out
        np.copyto(out, a)
        ones.add_product(_rows_in_memory(W), out)
    else:
        out = np.matmul(h, W, out=out)
        out += a
    return out


def contrast(V: Rows, H: Array, V_neg: Rows | Near, H_neg: Array, work: Workspace) -> tuple[Array, Array, Array]:
    """The means of h v^T, v and h over rows, less those over the negative phase's (Eq. 5), in the shapes of W, a and b.

    The first is kept as W is: transposed in memory, so that the rows that are added up lie together. H and H_neg may be
    overwritten.
    """
    share, share_neg = 1 / len(H), 1 / len(H_neg)
    mean, mean_neg = (np.full(len(each), 1 / len(each), dtype=H.dtype) for each in (H, H_neg))
    b = mean @ H - mean_neg @ H_neg
    W = work.array("gradient", (V.shape[1], H.shape[1]), H.dtype)
    if isinstance(V_neg, np.ndarray):
        a = -mean_neg @ V_neg
        H_neg *= -mean_neg[0]
        if isinstance(V, np.ndarray):
            H *= mean[0]
            np.matmul(_joined(V, V_neg).T, _joined(H, H_neg), out=W)
            return W.T, a + mean @ V, b
        np.matmul(V_neg.T, H_neg, out=W)
    else:
        negative = V_neg.flips if isinstance(V_neg, Near) else V_neg
        W[:] = 0
        negative.T.add_product(H_neg, W, -share_neg)
        a = -mean_neg[0] * negative.sums
        if isinstance(V, np.ndarray):  # rows that are dense, or real, against sparse chains
            H *= mean[0]
            W += V.T @ H
            return W.T, a + mean @ V, b
    if isinstance(V_neg, Near):
        H -= H_neg
    else:
        a += mean[0] * V.sums
    V.T.add_product(H, W, share)
    return W.T, a, b


def _joined(first: Array, second: Array) -> Array:
    """The rows of both, one below the other; without a copy if that is how they lie in memory."""
    together = first.base
    if first.shape == second.shape and together is not None and together is second.base and together.flags.c_contiguous:
        offset = (first.ctypes.data - together.ctypes.data) // first.itemsize
        if second.ctypes.data == first.ctypes.data + first.nbytes:
            return together.reshape(-1)[offset : offset + 2 * first.size].reshape(-1, first.shape[1])
    return np.concatenate([first, second])


def sigmoid(x: Array, out: Array | None = None) -> Array:
    """S(x) = 1 / (1 + exp(-x)); in NumPy written with tanh, because that cannot overflow."""
    loops = _compiled()
    if loops is not None and x.ndim == 2 and x.size >= _COMPILED_FROM and x.dtype == np.float32:
        out = np.empty_like(x) if out is None else out
        if out is not x:
            np.copyto(out, x)
        loops.sigmoid(len(x), x.size, out)
        return out
    y = np.multiply(x, 0.5, out=out)
    np.tanh(y, out=y)
    y += 1.0
    y *= 0.5
    return y


def draw(p: Array, rng: np.random.Generator, out: Array | None = None) -> Array:
    """Zeros and ones with the probabilities ``p`` of a one; ``out`` may be ``p``.

    A whole number u of 16 random bits stands for the interval from u / 65536 to (u + 1) / 65536. If that lies below p,
    the draw is a one; if above, a zero. Where p lies inside, once in 65,536 times, the chance of a one is the share of
    the interval below p, and a real number decides, one for each row: what is left of it after a decision is uniform
    again, and serves the next. So nothing is rounded, at a fraction of the price of a real number for each unit.
    """
    uniform, spare = _bits(p.shape, rng)
    out = np.multiply(p, 65536, out=out)
    out -= uniform
    np.clip(out, 0, 1, out=out)
    rows = np.atleast_2d(out)
    for r, i in zip(*np.nonzero((rows > 0) & (rows < 1)), strict=True):
        chance = float(rows[r, i])
        on = spare[r] < chance
        spare[r] = spare[r] / chance if on else (spare[r] - chance) / (1 - chance)
        rows[r, i] = on
    return out


def sample(x: Array, rng: np.random.Generator, p: Array | None = None, out: Array | None = None) -> tuple[Array, Array]:
    """The probabilities S(x), and draws with them; ``x``, ``p`` and ``out`` must be three arrays."""
    loops = _compiled()
    if loops is None or x.ndim != 2 or x.size < _COMPILED_FROM or x.dtype != np.float32:
        p = sigmoid(x, out=p)
        return p, draw(p, rng, out=out)
    p = np.empty_like(x) if p is None else p
    out = np.empty_like(x) if out is None else out
    loops.sample(len(x), x.size, x, *_bits(x.shape, rng), p, out)
    return p, out


def _bits(shape: tuple[int, ...], rng: np.random.Generator) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.float64]]:
    """For each unit a number of 16 random bits, four from each that the generator gives; for each row a real one."""
    size = math.prod(shape)
    words = rng.integers(0, _LARGEST, size=-(-size // 4), dtype=np.uint64, endpoint=True)
    return words.view(np.uint16)[:size].reshape(shape), rng.random(math.prod(shape[:-1]))


def sum_softplus(x: Array) -> npt.NDArray[np.float64]:
    """sum_j log(1 + exp(x_j)) over the last axis, for x of any size.

    softplus(x) = max(x, 0) + log(1 + exp(-|x|)), and a sum of logarithms is the logarithm of a product: one
    logarithm serves a hundred units.
    """
    positive: npt.NDArray[np.float64] = np.maximum(x, 0.0).sum(axis=-1, dtype=np.float64)
    return positive + sum_log1p_exp_neg(np.abs(x))


def anneal(
    x: Array, beta: float, following: float, rng: np.random.Generator, p: Array, h: Array
) -> npt.NDArray[np.float64]:
    """One step of AIS seen from the hidden layer, whose inputs are ``x`` at inverse temperature 1.

    Returns sum_j softplus(following x_j) - softplus(beta x_j), one value a row, and draws h with p = S(following x).
    """
    loops, number = _compiled(), x.dtype.type
    if loops is not None and x.dtype == np.float32 and x.size >= _COMPILED_FROM:
        change = np.empty(len(x))
        loops.anneal(len(x), x.size, x, *_bits(x.shape, rng), number(beta), number(following), p, h, change)
        return change
    size = np.abs(x)
    positive: npt.NDArray[np.float64] = np.maximum(x, 0.0).sum(axis=1, dtype=np.float64)
    before, after = (sum_log1p_exp_neg(number(each) * size) for each in (beta, following))
    draw(sigmoid(np.multiply(x, number(following), out=p), out=p), rng, out=h)
    return (following - beta) * positive + after - before


def sum_log1p_exp_neg(x: Array) -> npt.NDArray[np.float64]:
    """sum_j log(1 + exp(-x_j)) over the last axis, for x >= 0."""
    factors = np.exp(-x)
    factors += 1.0
    starts = np.arange(0, x.shape[-1], _FACTORS_PER_LOG)
    products = np.multiply.reduceat(factors, starts, axis=-1)
    total: npt.NDArray[np.float64] = np.log(products.astype(np.float64)).sum(axis=-1)
    return total


def momentum(theta: Array, velocity: Array, slope: Array, rate: float, keep: float, decay: float) -> None:
    """Set velocity to keep velocity + rate (slope - decay theta), and add it to theta; both in place."""
    loops = _compiled()
    alike = theta.strides == velocity.strides == slope.strides and theta.flags.forc
    if loops is not None and alike:
        number = theta.dtype.type
        in_order = (part.ravel("K") for part in (theta, velocity, slope))  # views, since all of them are contiguous
        loops.momentum(theta.size, theta.size, *in_order, number(rate), number(keep), number(rate * decay))
    else:
        velocity *= keep
        velocity += rate * (slope - decay * theta)
        theta += velocity


class Workspace:
    """Arrays that are allocated once and used again, by name; each use may overwrite what an earlier one left."""

    def __init__(self) -> None:
        self._arrays: dict[str, npt.NDArray[Any]] = {}

    def __reduce__(self) -> tuple[type[Workspace], tuple[()]]:
        return Workspace, ()  # a copy starts empty, for nothing here outlives a use

    def array(self, name: str, shape: tuple[int, ...], dtype: npt.DTypeLike) -> Array:
        """An array of this shape, its content left as it is."""
        held = self._arrays.get(name)
        if held is None or held.shape != shape or held.dtype != dtype:
            held = self._arrays[name] = np.empty(shape, dtype)
        return held

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self._arrays.values())


def _loops() -> ModuleType:
    loops = _compiled()
    assert loops is not None
    return loops


def _rows_in_memory(table: Array) -> Array:
    """The same numbers with each row in one piece; W is kept so that its columns are."""
    return np.ascontiguousarray(table)

"""Products with the weights: inputs of the layers, the gradient's statistics, and the momentum update."""

from __future__ import annotations

import numpy as np

from genreplay.core.kernels.arrays import Array
from genreplay.core.kernels.choice import compiled_loops
from genreplay.core.kernels.sparse import SPARSE_HIDDEN_BELOW, Near, Sparse, VisibleRows, compact
from genreplay.core.kernels.workspace import Workspace


def to_hidden(
    v: VisibleRows | Near, W: Array, b: Array, out: Array | None = None, origin: Array | None = None
) -> Array:
    """Return the inputs of the hidden layer, b + W v for each row.

    If ``v`` is ``Near``, ``origin`` must hold the inputs for the rows that ``v`` is compared with.

    >>> to_hidden(np.array([[1.0, 0.0], [1.0, 1.0]]), W=np.array([[2.0, 3.0]]), b=np.array([0.5]))
    array([[2.5],
           [5.5]])
    """
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
    terms.add_product(_with_contiguous_rows(W.T), out)
    return out


def bias_of(v: VisibleRows, a: Array) -> Array:
    """a'v, one number per row.

    >>> bias_of(np.array([[1.0, 0.0], [1.0, 1.0]]), a=np.array([2.0, 3.0]))
    array([2., 5.])
    """
    return v.sum_of_rows(a) if isinstance(v, Sparse) else v @ a


def to_visible(h: Array, W: Array, a: Array, out: Array | None = None) -> Array:
    """Return the inputs of the visible layer, a + W^T h for each row.

    >>> to_visible(np.array([[1.0]]), W=np.array([[2.0, 3.0]]), a=np.array([0.5, 0.0]))
    array([[2.5, 3. ]])
    """
    ones = compact(h, W.shape[1], SPARSE_HIDDEN_BELOW)
    if isinstance(ones, Sparse):
        out = np.empty((len(h), W.shape[1]), dtype=W.dtype) if out is None else out
        np.copyto(out, a)
        ones.add_product(_with_contiguous_rows(W), out)
    else:
        out = np.matmul(h, W, out=out)
        out += a
    return out


def contrast(
    V: VisibleRows, H: Array, V_neg: VisibleRows | Near, H_neg: Array, work: Workspace
) -> tuple[Array, Array, Array]:
    """Return the means of h v^T, v and h over the rows, minus their means in the negative phase (Eq. 5).

    The results have the shapes of W, a and b. The first has the memory order of W: transposed, so that each row that is
    added to is contiguous. H and H_neg may be overwritten.

    >>> V, V_neg = np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]])
    >>> W, a, b = contrast(V, np.array([[1.0]]), V_neg, np.array([[0.5]]), Workspace())
    >>> W, a, b
    (array([[ 0.75, -0.25]]), array([ 0.5, -0.5]), array([0.5]))
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
        if isinstance(V, np.ndarray):  # dense or real-valued rows with sparse chains
            H *= mean[0]
            W += V.T @ H
            return W.T, a + mean @ V, b
    if isinstance(V_neg, Near):
        H -= H_neg
    else:
        a += mean[0] * V.sums
    V.T.add_product(H, W, share)
    return W.T, a, b


def momentum(theta: Array, velocity: Array, slope: Array, rate: float, keep: float, decay: float) -> None:
    """Set velocity to keep velocity + rate (slope - decay theta), and add it to theta; both in place.

    >>> theta, velocity = np.array([1.0]), np.array([1.0])
    >>> momentum(theta, velocity, slope=np.array([2.0]), rate=0.1, keep=0.5, decay=0.0)
    >>> velocity, theta
    (array([0.7]), array([1.7]))
    """
    loops = compiled_loops()
    alike = theta.strides == velocity.strides == slope.strides and theta.flags.forc
    if loops is not None and alike:
        number = theta.dtype.type
        in_order = (part.ravel("K") for part in (theta, velocity, slope))  # views, because all three are contiguous
        loops.momentum(theta.size, theta.size, *in_order, number(rate), number(keep), number(rate * decay))
    else:
        velocity *= keep
        velocity += rate * (slope - decay * theta)
        theta += velocity


def _joined(first: Array, second: Array) -> Array:
    """Stack the rows of both, without a copy if they are neighbours in memory."""
    together = first.base
    if first.shape == second.shape and together is not None and together is second.base and together.flags.c_contiguous:
        offset = (first.ctypes.data - together.ctypes.data) // first.itemsize
        if second.ctypes.data == first.ctypes.data + first.nbytes:
            return together.reshape(-1)[offset : offset + 2 * first.size].reshape(-1, first.shape[1])
    return np.concatenate([first, second])


def _with_contiguous_rows(table: Array) -> Array:
    """Return the matrix in C order; W.T needs no copy, because W is stored in Fortran order."""
    return np.ascontiguousarray(table)

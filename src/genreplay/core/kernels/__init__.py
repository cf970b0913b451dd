"""How products and draws are computed: dense with BLAS, or sparse where few units are on.

The rest of the core calls these functions and does not need to know which of the two is used. The product of 0/1 rows
with a matrix is a sum of rows of the matrix, so the cost of a sparse product is proportional to the number of ones.
Three facts make contrastive divergence on sparse rows cheaper than with dense products:

- the inputs of the hidden layer, W v, are sums of the columns of W where v is one;
- a sampled reconstruction v' differs from v in few units, so W v' = W v + W (v' - v) needs only the flipped units;
- for the same reason the difference of statistics, h v^T - h' v'^T = (h - h') v^T - h' (v' - v)^T, needs the ones of v
  and the flips, but not the ones of v'.

Sparse products need Numba (the extra ``fast``). All products are dense without Numba, and for rows that are dense,
narrow, or contain other values than zero and one.

| file | what it has |
|---|---|
| ``choice.py`` | which implementation runs: ``use``, ``threads`` |
| ``sparse.py`` | sparse rows, and when they are used |
| ``products.py`` | inputs of the layers, the gradient's statistics, momentum |
| ``draws.py`` | probabilities and random draws |
| ``softplus.py`` | sums of softplus, for free energies |
| ``annealing.py`` | the hidden layer's part of one step of annealing |
| ``grouped.py`` | the model of a table |
| ``scores.py`` | how surprising the rows of a table are |
| ``workspace.py`` | arrays that are reused |
| ``compiled/`` | the loops that Numba compiles |
"""

from genreplay.core.kernels.annealing import anneal, softplus_between
from genreplay.core.kernels.arrays import Array, Integers
from genreplay.core.kernels.choice import compiled_loops, threads, use
from genreplay.core.kernels.draws import draw, sample, sigmoid
from genreplay.core.kernels.products import bias_of, contrast, momentum, to_hidden, to_visible
from genreplay.core.kernels.softplus import sum_log1p_exp_neg, sum_softplus
from genreplay.core.kernels.sparse import Near, Sparse, VisibleRows, compact, compact_near
from genreplay.core.kernels.workspace import Workspace

__all__ = [
    "Array",
    "Integers",
    "Near",
    "Sparse",
    "VisibleRows",
    "Workspace",
    "anneal",
    "bias_of",
    "compact",
    "compact_near",
    "compiled_loops",
    "contrast",
    "draw",
    "momentum",
    "sample",
    "sigmoid",
    "softplus_between",
    "sum_log1p_exp_neg",
    "sum_softplus",
    "threads",
    "to_hidden",
    "to_visible",
    "use",
]

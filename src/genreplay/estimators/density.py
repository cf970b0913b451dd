"""What an RBM can compute as a density: scores, log Z, dreams, filled cells. Nothing here changes the model."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import nullcontext
from numbers import Integral
from typing import Literal, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import EfficiencyWarning
from sklearn.utils.validation import check_is_fitted

from genreplay.core import partition, two_way
from genreplay.core import rbm as rbm_module
from genreplay.core.annealing import Progress
from genreplay.core.kernels import Array, VisibleRows
from genreplay.core.partition import LogPartition
from genreplay.core.rbm import RBM
from genreplay.core.state import State
from genreplay.estimators.bar import bar
from genreplay.estimators.bits import TakesBits
from genreplay.estimators.rows import InputRows, blocks, dense
from genreplay.estimators.seeds import RandomState, generator

Float64 = npt.NDArray[np.float64]
T = TypeVar("T", bound=np.generic)

_EXACT_UP_TO = 2**28
"""states of the smaller layer times units of the larger, up to which "auto" enumerates log Z: a few seconds"""
_N_TEMPERATURES = 14_500
"""of AIS, by default: those of Salakhutdinov & Murray"""


class DensityMixin(TakesBits, ClassNamePrefixFeaturesOutMixin, TransformerMixin):  # type: ignore[misc]
    """What can be asked of a model that has learned: a part of ``OnlineRBM``."""

    state_: State
    _log_partition: LogPartition | None

    def transform(self, X: npt.ArrayLike) -> Array:
        """Return the hidden probabilities P(h = 1 | v), shape (n_rows, n_hidden).

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBM
        >>> OnlineRBM(n_hidden=2, random_state=0).fit(np.eye(4).repeat(50, axis=0)).transform(np.eye(4)).shape
        (4, 2)
        """
        return self._by_block(rbm_module.hidden_given_visible, self._check_rows(X))

    def reconstruct(self, X: npt.ArrayLike) -> Array:
        """Return the visible probabilities after one pass up and down, both layers at their probabilities.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBM
        >>> rbm = OnlineRBM(n_hidden=8, random_state=0).fit(np.tile([[1, 1, 0, 0], [0, 0, 1, 1]], (500, 1)))
        >>> rbm.reconstruct([[1, 1, 0, 0]]).round().tolist()
        [[1.0, 1.0, 0.0, 0.0]]
        """
        return self._by_block(
            lambda rbm, v: rbm_module.visible_given_hidden(rbm, rbm_module.hidden_given_visible(rbm, v)),
            self._check_rows(X),
        )

    def free_energy(self, X: npt.ArrayLike) -> Float64:
        """Return F(v), one value a row (Eq. 2); low where the model expects rows. Needs no log Z.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBM
        >>> rbm = OnlineRBM(n_hidden=8, random_state=0).fit(np.tile([[1, 1, 0, 0], [0, 0, 1, 1]], (500, 1)))
        >>> usual, strange = rbm.free_energy([[1, 1, 0, 0], [1, 0, 1, 0]])
        >>> bool(usual < strange)
        True
        """
        return self._by_block(rbm_module.free_energy, self._check_rows(X))

    def score_samples(self, X: npt.ArrayLike, log_partition: LogPartition | None = None) -> Float64:
        """Return log p(v) in nats, one value a row.

        Log Z comes from ``log_partition``, by default from ``self.log_partition(rows=X)``, which is kept until the next
        update. Where that is an estimate, which takes from some seconds to minutes, an ``EfficiencyWarning`` of
        scikit-learn says how long, and what is cheaper.

        The probabilities of distinct rows sum to at most 1. Where they would not, log Z is estimated once more, from
        these rows; where that does not help, or the estimate is unknown, the scores are NaN and a ``RuntimeWarning``
        says why.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBM
        >>> rbm = OnlineRBM(n_hidden=8, random_state=0).fit(np.tile(np.eye(4), (100, 1)))
        >>> quick = rbm.log_partition("ais", temperatures=290)
        >>> rbm.score_samples(np.eye(4), quick).shape
        (4,)
        """
        rows = self._check_rows(X)
        log_p = -self._by_block(rbm_module.free_energy, rows)  # but for log Z
        given = log_partition is not None
        if log_partition is None:
            if self._log_partition is None:
                self._warn_of_long_estimate()
                self._log_partition = self.log_partition(rows=X)
            log_partition = self._log_partition
        if log_partition.method != "exact":
            log_partition = log_partition.knowing(bound := self._bound(rows, log_p))
            if not (given or log_partition.stands):
                log_partition = self.log_partition(rows=X).knowing(bound)
            if not given:
                self._log_partition = log_partition
        if not log_partition.stands:
            warnings.warn(
                f"The scores are NaN, since log Z is unknown: {log_partition.doubt}. More temperatures or chains in "
                "log_partition may help. To compare rows, free_energy needs no log Z.",
                RuntimeWarning,
                stacklevel=2,
            )
            return np.full(len(log_p), np.nan)
        return log_p - log_partition.log_z

    def _bound(self, rows: InputRows, log_p: Float64) -> float:
        """The lower bound of log Z by these rows; none where they are not of 0 and 1."""
        packed = []
        for block in blocks(rows):
            v = self._encode_dense(dense(block))
            if not np.isin(v, (0, 1)).all():
                return -np.inf
            packed.append(np.packbits(v.astype(bool), axis=1))
        return float(np.logaddexp.reduce(log_p[partition.distinct(np.concatenate(packed))]))

    def score(self, X: npt.ArrayLike, y: object = None) -> float:
        """Return the mean of ``score_samples``: the average log-likelihood in nats.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBM
        >>> rows = np.tile([[1, 1, 0, 0], [0, 0, 1, 1]], (500, 1))  # two rows, each with probability 1/2
        >>> bool(-1.5 < OnlineRBM(n_hidden=8, random_state=0).fit(rows).score(rows) < np.log(0.5))
        True
        """
        return float(self.score_samples(X).mean())

    def _warn_of_long_estimate(self) -> None:
        """Tell the caller of ``score_samples`` what will take long, and what to do about it."""
        if self._is_exact_by_default:
            return
        for _ in range(2):  # the first time may include loading compiled loops
            trial = self.log_partition("ais", temperatures=29)
        n_sweeps = partition.N_BURN_IN + 2 * _N_TEMPERATURES  # of AIS and reverse AIS, which take about as long
        seconds = trial.seconds * n_sweeps / 28
        warnings.warn(
            f"score_samples estimates log Z first: about {seconds:,.0f} s. It is kept until the next update. To "
            "compare rows, free_energy needs no log Z; for a rougher estimate in a seventh of the time, pass "
            "log_partition=rbm.log_partition(temperatures=1450); progress=True there draws a bar.",
            EfficiencyWarning,
            stacklevel=3,
        )

    @property
    def _is_exact_by_default(self) -> bool:
        shape = self.state_.model.W.shape
        return bool(2 ** min(shape) * max(shape) <= _EXACT_UP_TO)

    def log_partition(
        self,
        method: Literal["auto", "exact", "two-way", "ais", "reverse-ais"] = "auto",
        *,
        rows: npt.ArrayLike | None = None,
        n_chains: int = 100,
        temperatures: int | npt.ArrayLike = _N_TEMPERATURES,
        random_state: RandomState = None,
        progress: Progress | bool = False,
    ) -> LogPartition:
        """Estimate log Z, with its standard error, effective sample size and time.

        Parameters
        ----------
        method : str, default="auto"
            "exact" enumerates the smaller layer (up to 25 units). "two-way" anneals from a mixture of independent units
            to the model and back; the mixture is fitted to samples of the model, so that modes far from the base rates
            are not missed, and knows the hidden units of each mode, so that chains stay near it. This is done four
            times, and the error is by how much the four differ. "ais" anneals from the
            base rates of the rows seen; where it misses modes, or with too few temperatures, the log-likelihood comes
            out too high. "reverse-ais" anneals back from where "ais" ended. "auto" is exact where that takes seconds
            (18 units against 784), else "two-way".
        rows : array-like of shape (n_rows, n_visible) or None, default=None
            Rows like those that were learned. The samples for "two-way" start from them, and from the model's own
            chains and dreams; from these alone if None. The estimate is held against the bound that they give.
        n_chains : int, default=100
            Chains of AIS. Each of the four estimates of "two-way" has 40 % as many.
        temperatures : int or array-like, default=14500
            How many, spaced as by Salakhutdinov & Murray; or the inverse temperatures themselves, from 0 to 1, which
            "two-way" does not take: it uses a third as many, evenly spaced, each of which takes longer.
        random_state : int, RandomState instance or None, default=None
            None derives the random numbers from the model, without changing it.
        progress : bool or callable, default=False
            True draws a progress bar on stderr. A function is called every 100 Gibbs sweeps with their number, such as
            the ``update`` of a bar of tqdm. In all, "ais" makes one sweep less than there are temperatures,
            "reverse-ais" twice as many and 1,000, "two-way" about as many; "exact" makes none.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBM
        >>> rbm = OnlineRBM(n_hidden=8, random_state=0).fit(np.tile(np.eye(4), (100, 1)))
        >>> truth, estimate = rbm.log_partition("exact"), rbm.log_partition("two-way", temperatures=290)
        >>> low, high = estimate.interval
        >>> low < truth.log_z < high
        True
        >>> def show(n_sweeps):
        ...     print(f"{n_sweeps} more sweeps")
        >>> estimate = rbm.log_partition("ais", temperatures=290, progress=show)
        100 more sweeps
        100 more sweeps
        89 more sweeps
        """
        check_is_fitted(self)
        _require_positive("log_partition", n_chains=n_chains)
        rbm = self.state_.model
        if method == "exact" or (method == "auto" and self._is_exact_by_default):
            return partition.exact(rbm)
        if method not in ("auto", "two-way", "ais", "reverse-ais"):
            raise ValueError(
                "The 'method' parameter of log_partition must be 'auto', 'exact', 'two-way', 'ais' or 'reverse-ais'. "
                f"Got {method!r} instead."
            )
        if isinstance(temperatures, int | np.integer) and temperatures >= 29:
            betas = partition.schedule(int(temperatures))
        elif np.ndim(temperatures) == 1:
            betas = np.asarray(temperatures, dtype=np.float64)
        else:
            raise ValueError(
                "The 'temperatures' parameter of log_partition must be an int of at least 29, or an array of inverse "
                f"temperatures. Got {temperatures!r} instead."
            )
        if np.ndim(temperatures) and method in ("auto", "two-way"):
            raise ValueError(
                "The 'temperatures' parameter of log_partition must be an int for 'two-way', which spaces them itself. "
                "For inverse temperatures of your own, use method='ais' or 'reverse-ais'."
            )
        rng = self._side_generator(random_state)
        n_sweeps = {"ais": len(betas) - 1, "reverse-ais": 2 * (len(betas) - 1) + partition.N_BURN_IN}
        total = n_sweeps.get(method, two_way.n_sweeps(len(betas)))
        with bar("log Z", total) if progress is True else nullcontext(progress or None) as count:
            if method in n_sweeps:
                run = partition.ais if method == "ais" else partition.reverse_ais
                base_bias = partition.base_rate_biases(self.state_.ones, self.state_.n_learned)
                return run(rbm, rng, betas, n_chains, base_bias, count)
            starts = self._starts(rows, n_chains, rng)
            return two_way.two_way(rbm, starts, rng, len(betas), n_chains, count)

    def _starts(self, rows: npt.ArrayLike | None, n_chains: int, rng: np.random.Generator) -> Array:
        """States near the model's modes: rows, if there are any, as many persistent chains, and as many dreams."""
        state = self.state_
        found = [rbm_module.dream(state.model, n_chains, 1, rng)]
        if state.chains is not None:
            found.append(state.chains[rng.integers(len(state.chains), size=n_chains)])
        if rows is not None:
            checked = self._check_rows(rows)
            some = rng.integers(checked.shape[0], size=n_chains)
            found.append(rbm_module.bernoulli(self._encode_dense(dense(checked[some])), rng))
        return np.concatenate(found)

    def sample(self, n_samples: int = 1, *, n_gibbs: int = 1, random_state: RandomState = None) -> Array:
        """Return dreams, rows of 0 and 1: Gibbs chains of ``n_gibbs`` steps started from h ~ U(0, 1).

        One step gives the rows that the paper rehearses; many steps come near samples of p(v). With
        ``random_state=None`` the same model gives the same dreams.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBM
        >>> rbm = OnlineRBM(n_hidden=8, replay="none", random_state=0).fit(np.ones((2000, 3)))
        >>> rbm.sample(2)
        array([[1., 1., 1.],
               [1., 1., 1.]], dtype=float32)
        """
        check_is_fitted(self)
        _require_positive("sample", n_samples=n_samples, n_gibbs=n_gibbs)
        return rbm_module.dream(self.state_.model, n_samples, n_gibbs, self._side_generator(random_state))

    def impute(
        self,
        X: npt.ArrayLike,
        *,
        n_gibbs: int = 200,
        probabilities: bool = False,
        random_state: RandomState = None,
    ) -> Array:
        """Fill the NaN values of X given the other values of their rows, by conditional Gibbs sampling.

        Known values come back as they are. Unknown ones become 0 or 1, the state of a chain after ``n_gibbs`` steps;
        or, with ``probabilities=True``, their probability of a 1, averaged over the second half of the chain.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBM
        >>> patterns = np.array([[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]])
        >>> rbm = OnlineRBM(n_hidden=16, replay="none", random_state=0).fit(np.tile(patterns, (1000, 1)))
        >>> rbm.impute([[1, np.nan, np.nan, 0, np.nan, np.nan]])
        array([[1., 1., 1., 0., 0., 0.]])
        """
        _require_positive("impute", n_gibbs=n_gibbs)
        known = self._check_rows(X, allow_nan=True)
        rng = self._side_generator(random_state)
        filled = []
        for block in blocks(known):
            cells = dense(block)
            unknown = np.isnan(cells)
            v, p = rbm_module.conditional_gibbs(self.state_.model, self._encode_dense(cells), unknown, n_gibbs, rng)
            filled.append(np.where(unknown, p if probabilities else v, cells))
        return np.concatenate(filled)

    def _by_block(self, function: Callable[[RBM, VisibleRows], npt.NDArray[T]], rows: InputRows) -> npt.NDArray[T]:
        rbm = self.state_.model
        return np.concatenate([function(rbm, self._encode(block)) for block in blocks(rows)])

    def _side_generator(self, random_state: RandomState) -> np.random.Generator:
        """Random numbers that leave those of learning unchanged: far ahead in the same sequence, or from a seed."""
        if random_state is None:
            return np.random.Generator(self.state_.rng.bit_generator.jumped())  # type: ignore[attr-defined]
        return generator(random_state)

    @property
    def _number_type(self) -> npt.DTypeLike:
        return self.state_.rbm.W.dtype


def _require_positive(method: str, **values: int) -> None:
    for name, value in values.items():
        if not isinstance(value, Integral) or value < 1:
            raise ValueError(f"The {name!r} parameter of {method} must be a positive int. Got {value!r} instead.")

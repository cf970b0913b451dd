"""OnlineRBM's behaviour: rows in, faults, learning, scores, dreams, imputation."""

import copy
import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.exceptions import EfficiencyWarning, NotFittedError
from sklearn.neural_network import BernoulliRBM

from genreplay import (
    MODERN,
    PAPER,
    DivergenceError,
    GenerativeReplay,
    LogPartition,
    MemoryReplay,
    NoReplay,
    OnlineRBM,
    Recipe,
    Replay,
)
from genreplay.core import RBM, online, partition, two_way
from genreplay.core.averaging import RecentAverage
from genreplay.core.contrastive import Centred, FromRowsAndChains
from genreplay.core.rehearsal import NewRows, OnDrift
from genreplay.core.schedules import EqualTime, Falling
from genreplay.core.start import BaseRateStart
from genreplay.core.steps import MiniBatches, WeightsDecay
from genreplay.estimators import density
from genreplay.experiments.log_z import planted, rows_of
from tests.estimators.snapshot import snapshot

Bits = npt.NDArray[np.float64]
NAMES = list("abcdef")
RESERVOIR = MemoryReplay(capacity=25, policy="reservoir")
SMALL = MODERN.replace(n_epochs=2, rehearsal__rows_per_new=1.5)


def bits(n_rows: int, n_columns: int = 6, seed: int = 0) -> Bits:
    return (np.random.default_rng(seed).random((n_rows, n_columns)) < 0.3).astype(np.float64)


def small(**params: Any) -> OnlineRBM:
    return OnlineRBM(**{"n_hidden": 4, "recipe": SMALL, "batch_size": 20, "random_state": 0, **params})


def all_states(n_units: int) -> Bits:
    return np.array(list(itertools.product([0.0, 1.0], repeat=n_units)))


def strong(n_visible: int = 6, n_hidden: int = 3, **params: Any) -> OnlineRBM:
    """A fitted model whose parameters are set by hand to N(0, 1), far from any independence."""
    model: OnlineRBM = small(n_hidden=n_hidden, **params).fit(bits(40, n_visible))
    rng = np.random.default_rng(7)
    theta = RBM(*(rng.standard_normal(part.shape).astype(part.dtype) for part in model.state_.rbm))
    model.state_ = model.state_._replace(rbm=theta, average=theta)
    return model


def chunks(rows: Bits, size: int) -> Iterator[Bits]:
    return (rows[start : start + size] for start in range(0, len(rows), size))


FORMATS: dict[str, Callable[[Bits], Any]] = {
    "bool": lambda rows: rows.astype(bool),
    "int64": lambda rows: rows.astype(np.int64),
    "uint8": lambda rows: rows.astype(np.uint8),
    "float32": lambda rows: rows.astype(np.float32),
    "fortran order": np.asfortranarray,
    "list": lambda rows: rows.astype(int).tolist(),
    "csr_array": sparse.csr_array,
    "csr_matrix": sparse.csr_matrix,
    "csc_array": sparse.csc_array,
    "csc_matrix": sparse.csc_matrix,
    "coo_array": sparse.coo_array,
    "coo_matrix": sparse.coo_matrix,
    "sparse bool": lambda rows: sparse.csr_array(rows.astype(bool)),
    "pandas": lambda rows: pd.DataFrame(rows, columns=NAMES),
    "pandas bool": lambda rows: pd.DataFrame(rows.astype(bool), columns=NAMES),
    "polars": lambda rows: pl.DataFrame(rows, schema=NAMES),
}


@pytest.mark.parametrize("binarize", [0.5, None])
@pytest.mark.parametrize("name", FORMATS)
def test_the_same_bits_give_the_same_model_and_scores_in_every_format(name: str, binarize: float | None) -> None:
    rows, rows_as = bits(70), FORMATS[name](bits(70))
    model = small(binarize=binarize).fit(rows)
    other = small(binarize=binarize).fit(rows_as)
    assert {**snapshot(other), "names": []} == snapshot(model)
    for method in ("transform", "reconstruct", "free_energy", "score_samples", "impute"):
        np.testing.assert_array_equal(getattr(other, method)(rows_as), getattr(model, method)(rows))


def test_column_names_are_kept_and_must_come_back() -> None:
    table = pd.DataFrame(bits(30), columns=NAMES)
    model = small().fit(table)
    assert list(model.feature_names_in_) == NAMES
    model.partial_fit(table)
    with pytest.raises(ValueError, match="feature names should match"):
        model.partial_fit(table[NAMES[::-1]])
    with pytest.raises(ValueError, match="feature names should match"):
        model.score_samples(table.rename(columns={"a": "z"}))
    assert not hasattr(model.fit(bits(30)), "feature_names_in_")


def test_only_values_above_the_threshold_become_one() -> None:
    model = strong()
    values = [[0.5, np.nextafter(0.5, 1), 0.499, 1.0, 0.0, 0.51]]
    np.testing.assert_array_equal(model.transform(values), model.transform([[0, 1, 0, 1, 0, 1]]))
    model.set_params(binarize=0.2)
    np.testing.assert_array_equal(model.transform([[0.2, 0.21, 0, 1, 0.5, 0]]), model.transform([[0, 1, 0, 1, 1, 0]]))


def test_grey_values_are_cut_at_the_threshold_while_learning() -> None:
    pixels = np.where(bits(60) == 1, 128, 127).astype(np.uint8)
    model = small(binarize=127).fit(pixels)  # who sets such a threshold needs no warning
    assert snapshot(model) == snapshot(small().fit(bits(60)))


def test_values_outside_the_unit_interval_are_warned_of_once_a_model() -> None:
    rows = bits(30)
    model = small().partial_fit(rows)  # filterwarnings = error: no warning here
    with pytest.warns(UserWarning, match=r"values from -3 to 3, outside \[0, 1\]; those above binarize=0.5") as record:
        model.partial_fit(6 * rows - 3)
    assert len(record) == 1
    assert record[0].filename == __file__
    model.partial_fit(6 * rows - 3).partial_fit(rows).partial_fit(2 * rows)
    with pytest.warns(UserWarning, match="values from 0 to 2") as record:
        model.fit(2 * rows)
    assert len(record) == 1
    model.partial_fit(2 * rows)
    model.fit(rows)
    with pytest.warns(UserWarning, match="values from 0 to 2"):
        model.partial_fit(sparse.csr_array(2 * rows))


def test_without_threshold_values_are_probabilities_as_they_are() -> None:
    rows = np.random.default_rng(0).random((40, 6))
    model = small(binarize=None, batch_size=40, dtype="float64").fit(rows)
    np.testing.assert_allclose(model.state_.ones, rows.sum(axis=0))
    net = model.intercept_hidden_ + rows @ model.components_.T
    np.testing.assert_allclose(model.transform(rows), 1 / (1 + np.exp(-net)))


def spoiled(value: float, n_columns: int = 6) -> Bits:
    rows = bits(50, n_columns)
    rows[-1, -1] = value  # in the last row, which any learning by the way would not have reached
    return rows


BAD_EVERYWHERE = [
    pytest.param(spoiled(np.nan), "contains NaN", id="NaN"),
    pytest.param(spoiled(np.inf), "contains infinity", id="infinity"),
    pytest.param(sparse.csr_array(spoiled(np.nan)), "contains NaN", id="sparse NaN"),
    pytest.param(np.empty((0, 6)), r"0 sample\(s\)", id="no rows"),
    pytest.param(np.empty((3, 0)), r"0 feature\(s\)", id="no columns"),
    pytest.param(np.ones(6), "Expected 2D array, got 1D", id="one dimension"),
    pytest.param(np.ones((2, 3, 6)), "dim 3", id="three dimensions"),
    pytest.param([["1", "0", "1", "0", "1", "0"]], "strings", id="strings"),
    pytest.param(np.array([["a"] * 6], dtype=object), "could not convert string", id="objects"),
    pytest.param(bits(5) * 1j, "Complex data", id="complex"),
]
BAD_IN_MID_STREAM = [
    *BAD_EVERYWHERE,
    pytest.param(bits(50, 5), "X has 5 features, but OnlineRBM is expecting 6", id="narrower"),
    pytest.param(bits(50, 7), "X has 7 features, but OnlineRBM is expecting 6", id="wider"),
    pytest.param(pd.DataFrame(bits(50), columns=list("fedcba")), "feature names should match", id="names"),
]
OUTSIDE = pytest.param(
    spoiled(1.5), r"X must lie in \[0, 1\] with binarize=None, but OnlineRBM got values from 0 to 1.5", id="above one"
)
BELOW = pytest.param(sparse.csr_array(spoiled(-0.5)), "values from -0.5 to 1", id="sparse, below zero")


@pytest.mark.filterwarnings("ignore:X does not have valid feature names:UserWarning")
@pytest.mark.parametrize(("rows", "message"), [*BAD_IN_MID_STREAM, OUTSIDE, BELOW])
def test_bad_rows_in_mid_stream_are_refused_and_leave_the_model_as_it_was(rows: Any, message: str) -> None:
    table = pd.DataFrame(bits(70), columns=NAMES)
    model = small(replay=RESERVOIR, binarize=None).fit(table)
    before = snapshot(model)
    with pytest.raises(ValueError, match=message):
        model.partial_fit(rows)
    assert snapshot(model) == before
    for method in ("transform", "reconstruct", "free_energy", "score_samples", "score"):
        with pytest.raises(ValueError, match=message):
            getattr(model, method)(rows)
    assert snapshot(model) == before
    model.partial_fit(table)
    assert model.n_rows_seen_ == 140


@pytest.mark.parametrize(("rows", "message"), [*BAD_EVERYWHERE, OUTSIDE, BELOW])
def test_bad_rows_for_a_new_start_are_refused_and_leave_the_old_model_as_it_was(rows: Any, message: str) -> None:
    model = small(replay=RESERVOIR, binarize=None).fit(pd.DataFrame(bits(70), columns=NAMES))
    before = snapshot(model)
    with pytest.raises(ValueError, match=message):
        model.fit(rows)
    assert snapshot(model) == before


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
@pytest.mark.parametrize(("rows", "message"), [*BAD_EVERYWHERE, OUTSIDE, BELOW])
def test_bad_first_rows_leave_the_model_unfitted(method: str, rows: Any, message: str) -> None:
    model = small(binarize=None)
    with pytest.raises(ValueError, match=message):
        getattr(model, method)(rows)
    with pytest.raises(NotFittedError):
        model.transform(bits(1))
    assert not hasattr(model, "n_features_in_")
    assert snapshot(model.fit(bits(30, 3))) == snapshot(small(binarize=None).fit(bits(30, 3)))


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_a_memory_too_small_for_one_row_leaves_the_model_unfitted(method: str) -> None:
    model = small(replay=MemoryReplay(capacity_bytes=1))
    with pytest.raises(ValueError, match="'capacity_bytes' setting of MemoryReplay must be at least the 24 bytes"):
        getattr(model, method)(bits(30))
    with pytest.raises(NotFittedError):
        model.transform(bits(1))


def test_a_memory_too_small_for_one_row_leaves_a_fitted_model_as_it_was() -> None:
    model = small().fit(bits(30))
    before = snapshot(model)
    with pytest.raises(ValueError, match="capacity_bytes"):
        model.set_params(replay=MemoryReplay(capacity_bytes=1)).fit(bits(30, 3))
    assert snapshot(model) == before


def test_a_warning_turned_into_an_error_leaves_the_model_as_it_was() -> None:
    model = small().fit(bits(30))
    before = snapshot(model)
    with pytest.raises(UserWarning, match="outside"):
        model.fit(2 * bits(30, 3))
    assert snapshot(model) == before


def test_a_packed_memory_is_refused_where_rows_are_probabilities() -> None:
    with pytest.raises(ValueError, match="packed memory keeps bits: set binarize"):
        small(replay=MemoryReplay(packed=True), binarize=None).fit(bits(30))
    model = small(replay=MemoryReplay(packed=True)).fit(bits(30))
    before = snapshot(model)
    with pytest.raises(ValueError, match="packed memory keeps bits"):
        model.set_params(binarize=None).partial_fit(np.full((10, 6), 0.5))
    assert snapshot(model) == before
    model.set_params(binarize=0.5).partial_fit(bits(10))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("batch_size", 0),
        ("binarize", np.nan),
        ("recipe", "foo"),
        ("recipe", None),
        ("n_hidden", 99),
        ("dtype", "float64"),
        ("replay", "none"),
        ("replay", GenerativeReplay(n_gibbs=2)),
    ],
)
def test_bad_settings_given_mid_stream_are_refused_and_leave_the_model_as_it_was(name: str, value: object) -> None:
    model = small().fit(bits(30))
    before, good = snapshot(model), model.get_params()[name]
    with pytest.raises(ValueError, match=f"The '{name}' parameter of OnlineRBM"):
        model.set_params(**{name: value}).partial_fit(bits(30))
    assert snapshot(model) == before
    model.set_params(**{name: good}).partial_fit(bits(30))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("learning_rate", -1.0, "'learning_rate' setting of Recipe must be a positive number or a Schedule"),
        ("learning_rate", np.nan, "'learning_rate' setting of Recipe must be a positive number or a Schedule"),
        ("momentum", 2.0, "'momentum' setting of Recipe must be less than 1"),
        ("n_epochs", 0, "'n_epochs' setting of Recipe must be a positive number, up to 1,000, or a Schedule"),
        ("n_cd", 0, "'n_cd' setting of Recipe must be a positive int"),
        ("rehearsal__rows_per_new", 0, "'rows_per_new' setting of OnDrift must be a positive number"),
        ("weight_decay", -1.0, "'weight_decay' setting of Recipe must be a number, 0 or more, or a Schedule"),
        ("start__sigma", -1.0, "'sigma' setting of BaseRateStart must be a number, 0 or more"),
        ("negative", "rows", "'negative' setting of Recipe must be an ingredient such as FromRows()"),
    ],
)
def test_bad_settings_of_the_recipe_are_refused_when_they_are_set(path: str, value: object, message: str) -> None:
    model = small().fit(bits(30))
    before = snapshot(model)
    with pytest.raises(ValueError, match=re.escape(f"The {message}") + rf".* Got {value!r} instead\."):
        model.set_params(**{f"recipe__{path}": value})
    assert model.recipe == SMALL
    assert snapshot(model) == before
    model.partial_fit(bits(30))


@pytest.mark.parametrize("name", ["learning_rate", "momentum", "n_epochs", "weight_decay", "start__sigma"])
def test_numpy_numbers_as_settings_leave_the_number_type_alone(name: str) -> None:
    value = 2 if name == "n_epochs" else 0.03
    plain = small(recipe=SMALL.replace(**{name: value})).fit(bits(60))
    numpy = small(recipe=SMALL.replace(**{name: np.float64(value)})).fit(bits(60))
    assert snapshot(numpy) == snapshot(plain)


def test_none_in_a_list_and_masked_cells_are_imputed() -> None:
    model = small().fit(bits(60))
    expected = model.impute([[1, np.nan, 0, 1, 0, 1]])
    np.testing.assert_array_equal(model.impute([[1, None, 0, 1, 0, 1]]), expected)
    masked = np.ma.array([[1.0, 99.0, 0.0, 1.0, 0.0, 1.0]], mask=[[0, 1, 0, 0, 0, 0]])
    np.testing.assert_array_equal(model.impute(masked), expected)
    for learn in (model.partial_fit, small().fit):
        with pytest.raises(ValueError, match="masked cells"):
            learn(masked)
        with pytest.raises(ValueError, match="NaN"):
            learn([[1, None, 0, 1, 0, 1]])
        with pytest.raises(ValueError, match="must hold numbers"):
            learn([[1, object(), 0, 1, 0, 1]])


def test_what_needs_a_fitted_model_says_so() -> None:
    for call in ("transform", "reconstruct", "free_energy", "score_samples", "score", "impute"):
        with pytest.raises(NotFittedError):
            getattr(small(), call)(bits(2))
    for call in ("sample", "log_partition", "get_feature_names_out"):
        with pytest.raises(NotFittedError):
            getattr(small(), call)()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("replay", ["generative", "infinite-memory", RESERVOIR])
def test_a_diverging_update_names_its_settings_and_leaves_no_trace(replay: str | Replay, dtype: str) -> None:
    rows = bits(130)
    model, undisturbed = (small(replay=replay, dtype=dtype).fit(rows[:70]) for _ in range(2))
    before = snapshot(model)
    model.set_params(recipe__learning_rate=1e200, recipe__weight_decay=1.0)
    message = r"Update 4 .* non-finite with learning_rate=1e\+200, momentum=0.5, weight_decay=1: .* after update 3"
    with pytest.raises(DivergenceError, match=message):
        model.partial_fit(rows[70:])
    assert snapshot(model) == before
    assert np.isfinite(model.score(rows))

    model.set_params(recipe=SMALL).partial_fit(rows[70:])
    undisturbed.partial_fit(rows[70:])
    assert snapshot(model) == snapshot(undisturbed)


def test_divergence_in_the_middle_of_a_call_keeps_the_updates_before_it() -> None:
    # Each of the two epochs of an update multiplies the parameters by about 1 - 1e4, so float32 (up to 3e38) is left
    # after a few updates, not at the first.
    recipe = SMALL.replace(replay=RESERVOIR, learning_rate=1.0, weight_decay=1e4, momentum=0)
    rows = bits(400)
    model = small(recipe=recipe).partial_fit(rows[:10])
    with pytest.raises(DivergenceError):
        model.partial_fit(rows[10:])
    assert 1 < model.n_updates_ < 19
    assert model.n_rows_seen_ == 20 * model.n_updates_
    assert snapshot(model) == snapshot(small(recipe=recipe).fit(rows[: model.n_rows_seen_]))


def test_rows_wait_until_a_batch_is_full() -> None:
    model = small().partial_fit(bits(19))
    start = model.components_.copy()
    assert (model.n_updates_, model.n_rows_seen_, model.state_.n_waiting) == (0, 19, 19)
    model.partial_fit(bits(1))
    assert (model.n_updates_, model.n_rows_seen_, model.state_.n_waiting) == (1, 20, 0)
    assert not np.array_equal(model.components_, start)
    model.partial_fit(bits(45))
    assert (model.n_updates_, model.n_rows_seen_, model.state_.n_waiting) == (3, 65, 5)


def test_fit_with_too_few_rows_for_an_update_warns_where_it_is_called() -> None:
    with pytest.warns(UserWarning, match="Nothing learned yet: 19 rows wait for a batch of batch_size=20") as record:
        small().fit(bits(19))
    assert record[0].filename == __file__


def test_fit_starts_anew() -> None:
    model = small(replay=RESERVOIR).fit(bits(90, 8, seed=1)).partial_fit(bits(33, 8))
    assert snapshot(model.fit(bits(50))) == snapshot(small(replay=RESERVOIR).fit(bits(50)))


@pytest.mark.parametrize("replay", [None, "generative", "limited-memory", "infinite-memory", "none", RESERVOIR])
def test_however_the_stream_is_cut_the_model_is_the_same(replay: str | Replay | None) -> None:
    rows = bits(2150)
    whole = snapshot(small(replay=replay, batch_size=100).fit(rows))
    for size in (1, 7, 100, 999, 1001):
        model = small(replay=replay, batch_size=100)
        for chunk in chunks(rows, size):
            model.partial_fit(chunk)
        assert snapshot(model) == whole


def test_every_setting_reaches_the_core() -> None:
    recipe = Recipe(
        start=BaseRateStart(sigma=0.5),
        replay=MemoryReplay(capacity=9),
        rehearsal=OnDrift(rows_per_new=2),
        n_epochs=EqualTime(Falling(first=6, last=4, n_first=1), at_least=1),
        n_cd=3,
        negative=FromRowsAndChains(n_chains=9),
        centring=Centred(),
        divisor=NewRows(),
        steps=MiniBatches(5),
        decays=WeightsDecay(),
        learning_rate=Falling(first=0.1, last=0.03, n_first=2, n_warm_up=2),
        momentum=0.7,
        weight_decay=0.01,
        averaging=RecentAverage(keep=0.5),
    )
    paper = PAPER.get_params(deep=False)
    assert all(value != paper[name] for name, value in recipe.get_params(deep=False).items())
    model = OnlineRBM(5, recipe=recipe, batch_size=7, dtype="float64", random_state=1).partial_fit(bits(1))
    assert model.components_.shape == (5, 6)
    assert model.components_.dtype == np.float64
    assert 0.2 < model.components_.std() < 0.8  # 30 draws of N(0, 0.5)
    by_hand = copy.deepcopy(model)
    for state, _ in online.observe(by_hand.state_, bits(60), recipe, batch_size=7):
        by_hand.state_ = state
    assert snapshot(model.partial_fit(bits(60))) == snapshot(by_hand)


@pytest.mark.parametrize(
    ("name", "strategy"),
    [
        ("generative", GenerativeReplay()),
        ("limited-memory", MemoryReplay()),
        ("infinite-memory", MemoryReplay(capacity="infinite")),
        ("none", NoReplay()),
    ],
)
def test_a_strategy_and_its_name_are_the_same(name: str, strategy: Replay) -> None:
    model = small(replay=name).fit(bits(60))
    assert snapshot(model) == snapshot(small(replay=strategy).fit(bits(60)))
    assert (model.replay_nbytes_ == 0) == (name in ("generative", "none"))


def test_the_seed_decides_the_model() -> None:
    model = small(random_state=3).fit(bits(60))
    assert snapshot(model) == snapshot(small(random_state=3).fit(bits(60)))
    same = np.random.RandomState(3)
    assert snapshot(model) == snapshot(small(random_state=same).fit(bits(60)))
    for other in (4, same, None):
        assert not np.array_equal(small(random_state=other).fit(bits(60)).components_, model.components_)


@pytest.mark.parametrize(("batch_size", "n_updates", "n_waiting"), [(3, 4, 0), (5, 2, 2), (12, 1, 0), (50, 0, 12)])
def test_a_new_batch_size_keeps_the_rows_that_wait(batch_size: int, n_updates: int, n_waiting: int) -> None:
    rows = bits(32)
    model = small().fit(rows[:30])  # 10 rows wait
    model.set_params(batch_size=batch_size).partial_fit(rows[30:])
    assert (model.n_updates_, model.n_rows_seen_, model.state_.n_waiting) == (1 + n_updates, 32, n_waiting)
    np.testing.assert_array_equal(model.state_.waiting[:n_waiting], rows[32 - n_waiting :])
    np.testing.assert_array_equal(model.state_.ones, rows[: 32 - n_waiting].sum(axis=0))


def test_scoring_and_dreaming_do_not_disturb_learning() -> None:
    rows, holes = bits(100), np.where(bits(5, seed=1) == 1, np.nan, 0.0)
    quiet, busy = (small(replay=RESERVOIR) for _ in range(2))
    for chunk in chunks(rows, 15):
        quiet.partial_fit(chunk)
        busy.partial_fit(chunk)
        before = snapshot(busy)
        busy.score(rows)
        busy.transform(rows)
        busy.reconstruct(rows)
        busy.sample(10, n_gibbs=3)
        busy.impute(holes, n_gibbs=5)
        busy.log_partition("ais", n_chains=5, temperatures=30)
        assert snapshot(busy) == before == snapshot(quiet)


P_ONE, N_VISIBLE = 0.3, 50


@pytest.mark.parametrize(("chunk", "batch_size"), [(1, 100), (7, 100), (100, 100), (1000, 100), (100, 10)])
def test_samples_have_the_mean_of_the_data_however_large_the_chunks(chunk: int, batch_size: int) -> None:
    # What learning last saw is one batch, whose mean has the standard error below; its memory of earlier batches and
    # the 2,000 dreams only make the error smaller. A negative phase divided by the wrong number of rows ends at 0 or 1.
    standard_error = np.sqrt(P_ONE * (1 - P_ONE) / (batch_size * N_VISIBLE))
    rows = (np.random.default_rng(0).random((4000, N_VISIBLE)) < P_ONE).astype(np.float64)
    recipe = MODERN.replace(replay=NoReplay(), n_epochs=5)
    model = OnlineRBM(5, recipe=recipe, batch_size=batch_size, random_state=0)
    for part in chunks(rows, chunk):
        model.partial_fit(part)
    assert model.sample(2000, n_gibbs=200).mean() == pytest.approx(P_ONE, abs=4 * standard_error)


def test_the_same_stream_takes_the_samples_of_bernoulli_rbm_to_one() -> None:
    # scikit-learn's BernoulliRBM.partial_fit divides the sum over its batch_size fantasy rows by the rows of the chunk.
    rows = (np.random.default_rng(0).random((4000, N_VISIBLE)) < P_ONE).astype(np.float64)
    rival = BernoulliRBM(n_components=10, batch_size=10, random_state=0)
    for part in chunks(rows, 100):
        rival.partial_fit(part)
    v = np.zeros((200, N_VISIBLE))
    for _ in range(50):
        v = rival.gibbs(v)
    assert v.mean() > 0.95


@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-5), ("float64", 1e-12)])
@pytest.mark.parametrize("n_hidden", [3, 9])
def test_the_probabilities_of_all_states_sum_to_one(n_hidden: int, dtype: str, tolerance: float) -> None:
    model = strong(n_hidden=n_hidden, dtype=dtype)
    probabilities = np.exp(model.score_samples(all_states(6)))
    assert probabilities.sum() == pytest.approx(1, abs=tolerance)
    assert probabilities.max() > 2 * probabilities.mean()  # not the uniform distribution


def test_free_energy_is_that_of_the_formula() -> None:
    model, v = strong(dtype="float64"), all_states(6)
    net = model.intercept_hidden_ + v @ model.components_.T
    expected = -v @ model.intercept_visible_ - np.log1p(np.exp(net)).sum(axis=1)
    np.testing.assert_allclose(model.free_energy(v), expected, rtol=1e-12)


def test_more_rows_than_a_block_are_scored_in_their_order() -> None:
    model, rows = strong(), bits(2300)
    scores, hidden = model.score_samples(rows), model.transform(sparse.csr_array(rows))
    for part in (slice(0, 3), slice(998, 1002), slice(2297, 2300)):
        np.testing.assert_allclose(scores[part], model.score_samples(rows[part]), rtol=1e-6)
        np.testing.assert_allclose(hidden[part], model.transform(rows[part]), rtol=1e-6)
    assert scores.shape == (2300,)


class CountsPartitions(OnlineRBM):
    n_partitions = 0

    def log_partition(self, *args: Any, **kwargs: Any) -> LogPartition:
        self.n_partitions += 1
        return super().log_partition(*args, **kwargs)


def test_log_z_is_computed_once_until_the_next_update() -> None:
    rows = bits(60)
    model = CountsPartitions(4, batch_size=20, random_state=0).fit(rows)
    model.score(rows)
    model.score_samples(rows)
    assert model.n_partitions == 1
    model.partial_fit(rows[:19]).score(rows)
    assert model.n_partitions == 1  # no update yet
    model.partial_fit(rows[:1]).score(rows)
    assert model.n_partitions == 2
    model.fit(rows).score(rows)
    assert model.n_partitions == 3
    assert np.exp(model.score_samples(all_states(6))).sum() == pytest.approx(1, abs=1e-5)


@pytest.mark.filterwarnings("ignore:Nothing learned yet:UserWarning")
def test_log_z_of_the_old_model_is_forgotten_by_a_new_start_without_an_update() -> None:
    model = small().fit(bits(60))
    model.score(bits(60))
    assert np.exp(model.fit(bits(19)).score_samples(all_states(6))).sum() == pytest.approx(1, abs=1e-5)


def test_scores_stay_normalised_after_every_update() -> None:
    model = small(recipe=SMALL.replace(learning_rate=0.5))
    for chunk in chunks(bits(200), 20):
        assert np.exp(model.partial_fit(chunk).score_samples(all_states(6))).sum() == pytest.approx(1, abs=1e-5)


def test_a_given_log_z_is_the_one_used() -> None:
    model, rows = CountsPartitions(4, batch_size=20, random_state=0).fit(bits(60)), bits(5)
    given = LogPartition(log_z=123.0, std_error=0.0, ess=9.0, method="ais", n_sweeps=1, seconds=0.0)
    np.testing.assert_array_equal(model.score_samples(rows, given), -model.free_energy(rows) - 123.0)
    assert model.n_partitions == 0
    assert abs(model.score(rows) + model.free_energy(rows).mean()) < 100  # and it is not kept


def test_scores_say_once_that_ais_will_take_long_how_long_and_what_is_cheaper(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(density, "_EXACT_UP_TO", 0)  # as if the layers were large
    monkeypatch.setattr(density, "_N_TEMPERATURES", 60)
    ais, estimate, calls = partition.ais, two_way.two_way, list[int]()

    def trial(rbm: RBM, rng: np.random.Generator, betas: Any, *args: Any) -> LogPartition:
        calls.append(len(betas))
        return ais(rbm, rng, betas, *args)._replace(seconds=28.0)

    def quick(rbm: RBM, rows: Any, rng: np.random.Generator, n_temperatures: int, *args: Any) -> LogPartition:
        calls.append(n_temperatures)
        return estimate(rbm, rows, rng, 29, *args)

    monkeypatch.setattr(partition, "ais", trial)
    monkeypatch.setattr(two_way, "two_way", quick)
    model, rows = strong(), bits(5)
    with pytest.warns(EfficiencyWarning) as told:
        model.score_samples(rows)
    (warning,) = told
    assert str(warning.message) == (
        "score_samples estimates log Z first: about 1,120 s. It is kept until the next update. To compare rows, "
        "free_energy needs no log Z; for a rougher estimate in a seventh of the time, pass "
        "log_partition=rbm.log_partition(temperatures=1450); progress=True there draws a bar."
    )
    assert warning.filename == __file__, "it points to the caller"
    assert calls == [29, 29, 14_500], "two short trials, then the estimate by its own default"
    model.score_samples(rows)  # a further warning would be an error here
    assert len(calls) == 3


def with_planted_modes() -> tuple[OnlineRBM, Bits]:
    """A model that gives its rows a positive mean log-likelihood by AIS, which cannot be."""
    rng = np.random.default_rng([0, 28])
    rbm = planted(rng)
    rows = rows_of(rbm, 200, rng)
    model = OnlineRBM(rbm.n_hidden, recipe="paper", random_state=0).fit(rows)
    model.state_ = model.state_._replace(rbm=rbm)
    return model, rows


def test_log_likelihoods_that_cannot_be_are_not_reported() -> None:
    model, rows = with_planted_modes()
    by_ais = model.log_partition("ais", temperatures=290, random_state=1)
    assert (-model.free_energy(rows)).mean() - by_ais.log_z > 5, "more than certain"
    with pytest.warns(
        RuntimeWarning, match=r"NaN, since log Z is unknown: the estimate is .*, but known rows alone give"
    ):
        assert np.isnan(model.score_samples(rows, by_ais)).all()


def test_scores_by_default_are_right_where_ais_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    model, rows = with_planted_modes()
    truth = model.score(rows)
    monkeypatch.setattr(density, "_EXACT_UP_TO", 0)
    model._log_partition = None
    few = model.log_partition("two-way", rows=rows, temperatures=290)
    assert model.score_samples(rows, few).mean() == pytest.approx(truth, abs=4 * few.std_error)


def test_an_estimate_that_later_rows_contradict_is_made_again_from_them(monkeypatch: pytest.MonkeyPatch) -> None:
    model, rows = with_planted_modes()
    truth = model.log_partition("exact").log_z
    monkeypatch.setattr(density, "_EXACT_UP_TO", 0)
    model._log_partition = LogPartition(truth - 30, 0.1, 90.0, "two-way", 1, 0.0)  # as if rows had been missing
    made: list[object] = []

    def again(*args: Any, **options: Any) -> LogPartition:
        made.append(options["rows"])
        return OnlineRBM.log_partition(model, "two-way", temperatures=290, **options)

    monkeypatch.setattr(model, "log_partition", again)
    assert np.isfinite(model.score_samples(rows)).all()
    assert len(made) == 1
    assert made[0] is rows
    assert np.isfinite(model.score_samples(rows)).all()
    assert len(made) == 1, "it is kept"


def test_rows_of_probabilities_give_no_bound() -> None:
    model, rows = with_planted_modes()
    model.set_params(binarize=None)
    by_ais = model.log_partition("ais", temperatures=290, random_state=1)
    assert np.isfinite(model.score_samples(0.9 * rows, by_ais)).all()


def test_scores_need_no_warning_where_log_z_is_given_or_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    model, rows = strong(), bits(5)
    model.score_samples(rows)
    monkeypatch.setattr(density, "_EXACT_UP_TO", 0)
    model.score_samples(rows, model.log_partition("ais", temperatures=30))


def test_score_is_the_mean_of_score_samples() -> None:
    model, rows = strong(), bits(50)
    score = model.score(rows)
    assert isinstance(score, float)
    assert score == pytest.approx(model.score_samples(rows).mean(), rel=1e-12)


def test_ais_from_both_sides_agrees_with_the_exact_value() -> None:
    model = strong(dtype="float64")
    exact = model.log_partition("exact")
    by_hand = np.logaddexp.reduce(-model.free_energy(all_states(6)))
    assert exact.log_z == pytest.approx(by_hand, rel=1e-12)
    assert (exact.method, exact.std_error) == ("exact", 0.0)
    for method in ("ais", "reverse-ais", "two-way"):
        estimate = model.log_partition(method, temperatures=1000)
        assert estimate.method == method
        assert 0 < estimate.std_error < 0.05
        assert estimate.log_z == pytest.approx(exact.log_z, abs=5 * estimate.std_error)


def test_an_unknown_method_of_log_z_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"'method' parameter of log_partition must be .* Got 'guess' instead"):
        strong().log_partition("guess")  # type: ignore[arg-type]


def test_exact_log_z_of_large_layers_is_refused() -> None:
    model = small(n_hidden=26).fit(bits(40, 26))
    with pytest.raises(ValueError, match="at most 25 units, but the smaller one has 26"):
        model.log_partition("exact")


@pytest.mark.parametrize(
    ("n_visible", "n_hidden", "expected"),
    [(23, 32, "exact"), (32, 23, "exact"), (23, 33, "two-way"), (33, 23, "two-way")],
)
def test_log_z_is_exact_by_default_where_enumeration_takes_seconds(
    n_visible: int, n_hidden: int, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stub = LogPartition(0.0, 0.0, np.inf, "exact", 1, 0.0)
    monkeypatch.setattr(partition, "exact", lambda rbm: stub)  # the million states are not the point here
    model = small(n_hidden=n_hidden).fit(bits(40, n_visible))
    assert model.log_partition(n_chains=3, temperatures=30).method == expected


def test_ais_takes_a_number_of_temperatures_or_the_temperatures_themselves() -> None:
    model = strong()
    swept: list[int] = []
    assert model.log_partition("ais", n_chains=7, temperatures=290, progress=swept.append).n_sweeps == 7 * 289
    assert sum(swept) == 289
    by_number = model.log_partition("ais", temperatures=290).log_z
    assert model.log_partition("ais", temperatures=partition.schedule(290)).log_z == by_number
    assert model.log_partition("ais", n_chains=7, temperatures=[0, 0.3, 1]).n_sweeps == 7 * 2
    with pytest.raises(ValueError, match="from 0 to 1"):
        model.log_partition("ais", temperatures=[0.1, 1])
    with pytest.raises(ValueError, match="an int for 'two-way', which spaces them itself"):
        model.log_partition("two-way", temperatures=[0, 0.3, 1])


def test_a_progress_bar_of_ais_goes_to_stderr_and_reaches_its_end(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    model = strong()
    for method in ("ais", "reverse-ais", "two-way"):
        drawn = model.log_partition(method, temperatures=290, progress=True)
        assert drawn.log_z == model.log_partition(method, temperatures=290).log_z
        out, err = capsys.readouterr()
        assert out == ""
        assert "log Z" in err
        assert "0:00:00" in err, "all sweeps were counted"


def test_ais_starts_from_the_base_rates_of_the_rows_seen() -> None:
    # With zero weights the model is its visible biases: set to the base rates, both ends of the path are one model.
    model = small(n_hidden=2, dtype="float64").fit(bits(60))
    rates = partition.base_rate_biases(bits(60).sum(axis=0), 60)
    model.state_ = model.state_._replace(average=RBM(W=np.zeros((2, 6)), a=rates, b=np.zeros(2)))
    estimate = model.log_partition("ais", n_chains=5, temperatures=[0, 1])
    assert estimate.std_error == pytest.approx(0, abs=1e-12)
    assert estimate.log_z == pytest.approx(model.log_partition("exact").log_z, rel=1e-12)


def test_ais_is_repeatable_and_its_seed_can_be_chosen() -> None:
    model = strong()
    first, again = (model.log_partition("ais", temperatures=30).log_z for _ in range(2))
    seeded, reseeded = (model.log_partition("ais", temperatures=30, random_state=5).log_z for _ in range(2))
    assert first == again
    assert seeded == reseeded != first


def test_dreams_are_bits_that_only_the_model_and_the_seed_decide() -> None:
    model = strong()
    dreams = model.sample(50)
    assert dreams.shape == (50, 6)
    assert dreams.dtype == np.float32
    assert set(np.unique(dreams)) == {0, 1}
    np.testing.assert_array_equal(model.sample(50), dreams)
    assert not np.array_equal(model.sample(50, n_gibbs=2), dreams)
    other = model.sample(50, random_state=1)
    assert not np.array_equal(other, dreams)
    np.testing.assert_array_equal(model.sample(50, random_state=1), other)
    assert model.sample().shape == (1, 6)


def test_long_dreams_have_the_probabilities_of_the_model() -> None:
    model, n = strong(), 4000
    powers = 2 ** np.arange(5, -1, -1)  # the order of all_states
    counts = np.bincount((model.sample(n, n_gibbs=100) @ powers).astype(int), minlength=64)
    expected = np.exp(model.score_samples(all_states(6)))
    # counts are binomial; 5 standard errors and one row for each of the 64 states
    assert (np.abs(counts - n * expected) < 5 * np.sqrt(n * expected * (1 - expected)) + 1).all()


@pytest.mark.parametrize("name", ["n_samples", "n_gibbs"])
@pytest.mark.parametrize("value", [0, -1, 1.5])
def test_sample_refuses_what_is_no_positive_int(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"'{name}' parameter of sample must be a positive int. Got {value} instead"):
        strong().sample(**{name: value})


def test_transform_and_reconstruct_are_the_conditional_probabilities() -> None:
    model, v = strong(dtype="float64"), all_states(6)
    W, a, b = model.components_, model.intercept_visible_, model.intercept_hidden_
    hidden = 1 / (1 + np.exp(-(b + v @ W.T)))
    visible = 1 / (1 + np.exp(-(a + hidden @ W)))
    np.testing.assert_allclose(model.transform(v), hidden, rtol=1e-12)
    np.testing.assert_allclose(model.reconstruct(v), visible, rtol=1e-12)
    assert model.fit_transform(bits(40)).shape == (40, 3)


HOLES = np.array(
    [
        [1, np.nan, 0, np.nan, 1, 0],
        [np.nan, np.nan, np.nan, 1, 0, 1],
        [np.nan, 0, 0, 0, 0, np.nan],
        [np.nan] * 6,
    ]
)


def conditional(model: OnlineRBM, row: Bits) -> tuple[Bits, Bits]:
    """The states that agree with the known cells of ``row``, and their probabilities given these cells."""
    states = all_states(len(row))
    states = states[(np.isnan(row) | (states == row)).all(axis=1)]
    weights = np.exp(-model.free_energy(states))
    return states, weights / weights.sum()


def test_imputed_probabilities_are_the_conditional_ones() -> None:
    model, n_chains, n_gibbs = strong(), 200, 400
    for row in HOLES:
        states, weights = conditional(model, row)
        filled = model.impute(np.tile(row, (n_chains, 1)), n_gibbs=n_gibbs, probabilities=True)
        # The second half of each chain is averaged. A probability varies by at most 1/2; the factor 5 leaves room for
        # neighbouring steps that are not independent.
        tolerance = 5 * 0.5 / np.sqrt(n_chains * n_gibbs / 2)
        np.testing.assert_allclose(filled.mean(axis=0), weights @ states, atol=tolerance)
        assert (np.ptp(filled, axis=0)[np.isnan(row)] > 0).all()  # each row has a chain of its own


def test_imputed_draws_have_the_conditional_distribution() -> None:
    model, n = strong(), 4000
    for row in HOLES:
        states, weights = conditional(model, row)
        filled = model.impute(np.tile(row, (n, 1)), n_gibbs=60)
        assert set(np.unique(filled)) <= {0, 1}
        p = np.clip(weights @ states, 0, 1)  # sums may be rounded to more than 1
        assert (np.abs(filled.mean(axis=0) - p) <= 5 * np.sqrt(p * (1 - p) / n) + 1e-6).all()
        # and together, not only one by one: the draws of each whole state are binomial
        frequencies = (filled[:, None, :] == states).all(axis=2).mean(axis=0)
        assert (np.abs(frequencies - weights) <= 5 * np.sqrt(weights * (1 - weights) / n) + 1 / n).all()


@pytest.mark.parametrize("probabilities", [False, True])
@pytest.mark.parametrize("binarize", [0.5, None])
def test_known_values_come_back_as_they_are(binarize: float | None, probabilities: bool) -> None:
    rows = np.random.default_rng(0).random((1100, 6))
    unknown = np.random.default_rng(1).random((1100, 6)) < 0.2
    holes = np.where(unknown, np.nan, rows)
    model = strong(binarize=binarize)
    filled = model.impute(holes, n_gibbs=3, probabilities=probabilities)
    np.testing.assert_array_equal(filled[~unknown], rows[~unknown])
    assert ((filled[unknown] >= 0) & (filled[unknown] <= 1)).all()
    assert np.isin(filled[unknown], [0, 1]).all() != probabilities
    np.testing.assert_array_equal(model.impute(rows), rows)


def test_imputation_is_repeatable_and_its_seed_can_be_chosen() -> None:
    model, holes = strong(), np.tile(HOLES, (20, 1))
    first = model.impute(holes)
    np.testing.assert_array_equal(model.impute(holes), first)
    assert not np.array_equal(model.impute(holes, random_state=1), first)
    np.testing.assert_array_equal(model.impute(holes, random_state=1), model.impute(holes, random_state=1))


def test_imputation_refuses_infinite_values_and_another_width() -> None:
    with pytest.raises(ValueError, match="infinity"):
        strong().impute(np.where(np.isnan(HOLES), np.inf, HOLES))
    with pytest.raises(ValueError, match="X has 5 features"):
        strong().impute(HOLES[:, :5])
    with pytest.raises(ValueError, match=r"X must lie in \[0, 1\]"):
        strong(binarize=None).impute(2 * HOLES)


@pytest.mark.parametrize("value", [0, -3, 1.5])
def test_imputation_refuses_a_number_of_steps_that_is_no_positive_int(value: Any) -> None:
    with pytest.raises(ValueError, match=f"'n_gibbs' parameter of impute must be a positive int. Got {value} instead"):
        strong().impute(HOLES, n_gibbs=value)


def test_a_replay_class_in_place_of_an_object_is_refused_with_the_remedy() -> None:
    with pytest.raises(ValueError, match=r"write MemoryReplay\(\)"):
        MODERN.replace(replay=MemoryReplay)
    with pytest.raises(
        ValueError, match=r"'replay' parameter .* an instance of .*Replay' .* Got <class .*MemoryReplay'>"
    ):
        OnlineRBM(n_hidden=3, replay=MemoryReplay).fit(np.eye(4))  # type: ignore[arg-type]


def test_cells_that_a_sparse_matrix_holds_twice_are_summed_before_their_range_is_checked() -> None:
    twice = sparse.csr_array((np.array([0.7, 0.7]), np.array([1, 1]), np.array([0, 2])), shape=(1, 3))
    with pytest.raises(ValueError, match=r"\[0, 1\] with binarize=None"):
        OnlineRBM(n_hidden=3, binarize=None).fit(twice)
    assert twice.nnz == 2, "the caller's matrix is left alone"


def test_one_step_dreams_move_a_model_of_independent_bits_away_from_its_data() -> None:
    # A limit of the method at the paper's settings, see "What to know before you trust it" in docs/how-it-works.md.
    bits = np.random.default_rng(5).random((10_000, 20)) < 0.3
    means = {
        name: OnlineRBM(n_hidden=16, recipe=recipe, random_state=0)
        .fit(bits)
        .sample(2_000, n_gibbs=200)
        .mean(dtype=float)
        for name, recipe in (
            ("the paper's dreams", PAPER),
            ("longer and fewer dreams", PAPER.replace(replay__n_gibbs=30, rehearsal__n_rows=100)),
            ("no dreams", PAPER.replace(replay=NoReplay())),
            ("by default", MODERN),
        )
    }
    assert means["the paper's dreams"] < 0.1
    assert abs(means["longer and fewer dreams"] - 0.3) < 0.03
    assert abs(means["no dreams"] - 0.3) < 0.03
    assert abs(means["by default"] - 0.3) < 0.03

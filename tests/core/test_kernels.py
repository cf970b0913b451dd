"""The products and draws, both ways, against plain NumPy and against what is known exactly."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, chisquare

from genreplay.core import PAPER, contrastive, kernels, online, partition, rbm
from genreplay.core.ingredient import Layer
from genreplay.core.kernels import Near, Sparse, Workspace
from genreplay.core.rbm import RBM
from genreplay.core.state import bytes_held

RNG = np.random.default_rng
needs_numba = pytest.mark.skipif(kernels.compiled_loops() is None, reason="sparse products need Numba")


@pytest.fixture
def compiled_for_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let small arrays go through the compiled loops too."""
    monkeypatch.setattr(kernels.choice, "COMPILED_FROM", 1)


def bits(n: int, m: int, density: float, seed: int = 0, dtype: type = np.float32) -> np.ndarray:
    return (RNG(seed).random((n, m)) < density).astype(dtype)


def model(n_visible: int, n_hidden: int, scale: float = 0.5, dtype: type = np.float32) -> RBM:
    return rbm.init(n_visible, n_hidden, RNG(5), sigma=scale, dtype=dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("density", [0.0, 0.03, 0.3, 1.0])
def test_inputs_of_both_layers_are_the_plain_products(density: float, dtype: type) -> None:
    theta = model(70, 90, dtype=dtype)
    v, h = bits(33, 70, density, dtype=dtype), bits(33, 90, density, seed=1, dtype=dtype)
    tolerance = {"rtol": 2e-5, "atol": 2e-5} if dtype is np.float32 else {"rtol": 1e-12, "atol": 1e-12}
    np.testing.assert_allclose(kernels.to_hidden(v, theta.W, theta.b), v @ theta.W.T + theta.b, **tolerance)
    np.testing.assert_allclose(kernels.to_visible(h, theta.W, theta.a), h @ theta.W + theta.a, **tolerance)


def test_real_values_and_any_memory_order_go_through_unharmed() -> None:
    theta = model(70, 90)
    v = np.asfortranarray(RNG(0).random((20, 70), dtype=np.float32))
    expected = v @ theta.W.T + theta.b
    np.testing.assert_allclose(kernels.to_hidden(v, theta.W, theta.b), expected, rtol=1e-5, atol=1e-5)
    in_rows = theta._replace(W=np.ascontiguousarray(theta.W))
    zeros_and_ones = np.asfortranarray(bits(20, 70, 0.1))
    np.testing.assert_allclose(
        kernels.to_hidden(zeros_and_ones, in_rows.W, theta.b),
        zeros_and_ones @ theta.W.T + theta.b,
        rtol=1e-5,
        atol=1e-5,
    )


def test_sparse_rows_are_listed_sliced_and_written_back() -> None:
    rows = bits(11, 13, 0.2)
    rows[4] = 0
    listed = Sparse.of(rows)
    np.testing.assert_array_equal(listed.dense(), rows)
    for part in (slice(0, 3), slice(3, 11), slice(5, 5), slice(8, 99), slice(0, 0)):
        np.testing.assert_array_equal(listed[part].dense(), rows[part])
    np.testing.assert_array_equal(listed.sums, rows.sum(axis=0))
    weights = RNG(1).random(13)
    np.testing.assert_allclose(listed.sum_of_rows(weights), rows @ weights)


@needs_numba
def test_transposed_sparse_matrix_has_the_same_numbers() -> None:
    rows = bits(11, 13, 0.2)
    rows[:, 3] = 0
    np.testing.assert_array_equal(Sparse.of(-rows).T.dense(), -rows.T)


@needs_numba
@pytest.mark.parametrize("density", [0.0, 0.02, 0.3, 0.9])
def test_near_rows_are_the_other_rows_plus_the_flips(density: float) -> None:
    origin, rows = bits(25, 40, 0.1), bits(25, 40, 0.1)
    flipped = bits(25, 40, density, seed=9) == 1
    rows[flipped] = 1 - rows[flipped]
    listed = kernels.compact_near(rows.copy(), Sparse.of(origin))
    if isinstance(listed, Near):
        np.testing.assert_array_equal(origin + listed.flips.dense(), rows)
    else:
        np.testing.assert_array_equal(listed.dense() if isinstance(listed, Sparse) else listed, rows)


@needs_numba
@pytest.mark.parametrize("value", [np.nan, np.inf, 0.5, -1.0, 2.0])
def test_rows_with_other_numbers_are_left_as_they_are(value: float) -> None:
    rows = bits(25, 40, 0.1)
    rows[3, 7] = value
    assert kernels.compact_near(rows, Sparse.of(bits(25, 40, 0.1))) is rows


@needs_numba
def test_lists_of_flips_are_used_only_where_they_are_shorter_than_lists_of_ones() -> None:
    origin = bits(25, 400, 0.1)
    few, many = origin.copy(), bits(25, 400, 0.1, seed=3)
    few[:, :5] = 1 - few[:, :5]
    assert isinstance(kernels.compact_near(few, Sparse.of(origin)), Near)
    assert isinstance(kernels.compact_near(many, Sparse.of(origin)), Sparse)


def test_choice_follows_density_width_and_values() -> None:
    there = kernels.compiled_loops() is not None
    with kernels.use("auto"):
        assert isinstance(kernels.compact(bits(50, 300, 0.05), width=500), Sparse) == there
        assert isinstance(kernels.compact(bits(50, 300, 0.5), width=500), np.ndarray)
        assert isinstance(kernels.compact(bits(50, 300, 0.05), width=8), np.ndarray)
        assert isinstance(kernels.compact(0.5 * bits(50, 300, 0.05), width=500), np.ndarray)
        assert isinstance(kernels.compact(np.empty((0, 300), np.float32), width=500), np.ndarray)


def test_unknown_choice_is_refused() -> None:
    with pytest.raises(ValueError, match="'auto', 'dense' or 'sparse'"), kernels.use("fast"):  # type: ignore[arg-type]
        pass


def test_sparse_products_without_numba_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels.choice, "compiled_loops", lambda: None)
    with pytest.raises(ImportError, match=r"genreplay\[fast\]"), kernels.use("sparse"):
        pass


@pytest.mark.parametrize("reconstruction", ["probabilities", "samples"])
@pytest.mark.parametrize("n_cd", [1, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gradient_does_not_depend_on_how_it_is_computed(reconstruction: Layer, n_cd: int, dtype: type) -> None:
    theta = model(120, 80, scale=0.3, dtype=dtype)
    theta.a[:] = -2
    V = bits(60, 120, 0.1, dtype=dtype)
    with kernels.use("dense"):
        expected = contrastive.cd_gradient(theta, V, n_cd, RNG(2), reconstruction)
    gradient = contrastive.cd_gradient(theta, V, n_cd, RNG(2), reconstruction)
    for part, plain in zip(gradient, expected, strict=True):
        np.testing.assert_allclose(part, plain, atol=1e-6 if dtype is np.float32 else 1e-13)


def test_gradient_in_a_used_work_space_is_that_in_a_new_one() -> None:
    theta, work = model(120, 80), Workspace()
    for n in (60, 25, 60):
        V = bits(n, 120, 0.1, seed=n)
        used = contrastive.cd_gradient(theta, V, 1, RNG(2), work=work)
        new = contrastive.cd_gradient(theta, V, 1, RNG(2))
        for part, expected in zip(used, new, strict=True):
            np.testing.assert_array_equal(part, expected)


def test_rows_are_not_written_to() -> None:
    theta, work = model(120, 80), Workspace()
    V = bits(60, 120, 0.1)
    before = V.copy()
    contrastive.cd_gradient(theta, V, 2, RNG(2), "samples", work)
    np.testing.assert_array_equal(V, before)


@pytest.mark.usefixtures("compiled_for_any_size")
def test_sigmoid_is_exact_to_the_last_digits_of_float32() -> None:
    x = np.linspace(-120, 120, 200_001, dtype=np.float32).reshape(1, -1)
    exact = 1 / (1 + np.exp(-x.astype(np.float64)))
    np.testing.assert_allclose(kernels.sigmoid(x), exact, atol=1.2e-7)
    edge = np.array([[-np.inf, -0.0, 0.0, np.inf, np.nan]], dtype=np.float32)
    np.testing.assert_array_equal(kernels.sigmoid(edge)[0, 1:4], [0.5, 0.5, 1.0])
    assert kernels.sigmoid(edge)[0, 0] == 0
    assert np.isnan(kernels.sigmoid(edge)[0, 4])


@pytest.mark.usefixtures("compiled_for_any_size")
def test_probabilities_have_no_subnormal_products() -> None:
    x = np.linspace(-120, 0, 20_001, dtype=np.float32).reshape(1, -1)
    p = kernels.sigmoid(x)
    least = p[p > 0].min()
    assert least * least / 10_000 > np.finfo(np.float32).tiny  # a product of two, averaged over many rows


class FixedBits:
    """A generator that gives chosen 16-bit numbers, and a chosen real number where they cannot tell."""

    def __init__(self, numbers: list[int], real: float) -> None:
        self.numbers, self.real = numbers, real

    def integers(self, low: int, high: int, size: int, dtype: type, endpoint: bool) -> np.ndarray:
        padded = np.zeros(4 * size, dtype=np.uint16)
        padded[: len(self.numbers)] = self.numbers
        return padded.view(np.uint64)

    def random(self, size: int) -> np.ndarray:
        assert size == 1  # one for each row
        return np.array([self.real])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_draws_are_decided_by_16_bits_and_where_they_cannot_by_the_fraction(dtype: type) -> None:
    p = np.array([[0.0, 1.0, 100.25 / 65536, 100.25 / 65536, 100.25 / 65536, 1.0, 0.0]], dtype=dtype)
    numbers = [0, 65535, 99, 100, 101, 0, 65535]
    for real, tie in ((0.24, 1), (0.26, 0)):
        rng: np.random.Generator = FixedBits(numbers, real)  # type: ignore[assignment]
        np.testing.assert_array_equal(kernels.draw(p, rng), [[0, 1, 1, tie, 0, 1, 0]])


@pytest.mark.usefixtures("compiled_for_any_size")
def test_undecided_units_of_one_row_are_independent_draws() -> None:
    quarter = np.float32(100.25 / 65536)
    x = np.full((40_000, 3), np.log(quarter) - np.log1p(-quarter), dtype=np.float32)
    spare = RNG(5).random(len(x))

    class Undecided:
        """Every unit of every row left to the spare number of its row."""

        def integers(self, low: int, high: int, size: int, dtype: type, endpoint: bool) -> np.ndarray:
            return np.full(4 * size, 100, dtype=np.uint16).view(np.uint64)

        def random(self, size: int) -> np.ndarray:
            return spare.copy()

    rng: np.random.Generator = Undecided()  # type: ignore[assignment]
    probabilities, draws = kernels.sample(x, rng)
    chance = 65536 * float(probabilities[0, 0]) - 100
    visits = np.bincount((draws @ [4, 2, 1]).astype(int), minlength=8)
    ones = np.array([bin(state).count("1") for state in range(8)])
    assert chisquare(visits, len(x) * chance**ones * (1 - chance) ** (3 - ones)).pvalue > 1e-4
    np.testing.assert_array_equal(kernels.draw(probabilities, rng), draws)


@pytest.mark.usefixtures("compiled_for_any_size")
@pytest.mark.parametrize("p", [3e-6, 1e-5, 1.5 / 65536, 0.3, 0.5, 1 - 1e-5])
@pytest.mark.parametrize("how", ["draw", "sample"])
def test_a_million_draws_show_no_bias(p: float, how: str) -> None:
    n = 4_000_000  # rounding p to 16 bits would be wrong by up to half, and this would see a tenth of that
    shape = (2000, 2000)
    if how == "draw":
        draws = kernels.draw(np.full(shape, p), RNG(1))
    else:
        x = np.full(shape, np.log(p) - np.log1p(-p), dtype=np.float32)
        probabilities, draws = kernels.sample(x, RNG(1))
        p = float(probabilities[0, 0])
    assert binomtest(int(draws.sum()), n, p).pvalue > 1e-4


@pytest.mark.usefixtures("compiled_for_any_size")
def test_draws_of_neighbours_are_independent() -> None:
    x = np.zeros((50_000, 8), dtype=np.float32)
    _, draws = kernels.sample(x, RNG(3))
    visits = np.bincount((draws @ 2 ** np.arange(8)).astype(int), minlength=256)
    assert chisquare(visits).pvalue > 1e-4


@pytest.mark.usefixtures("compiled_for_any_size")
@settings(max_examples=25, deadline=None)
@given(beta=st.floats(0, 1), step=st.floats(0, 0.5), seed=st.integers(0, 1000))
def test_change_of_log_weight_is_that_of_the_softplus_sums(beta: float, step: float, seed: int) -> None:
    x = (10 * RNG(seed).standard_normal((9, 230))).astype(np.float32)
    p, h = np.empty_like(x), np.empty_like(x)
    change = kernels.anneal(x, beta, beta + step, RNG(0), p, h)
    y = x.astype(np.float64)
    exact = np.logaddexp(0, (beta + step) * y).sum(axis=1) - np.logaddexp(0, beta * y).sum(axis=1)
    np.testing.assert_allclose(change, exact, rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(p, 1 / (1 + np.exp(-(beta + step) * y)), atol=1e-6)
    assert set(np.unique(h)) <= {0.0, 1.0}


def test_compiled_annealing_brackets_the_enumerated_partition_function() -> None:
    theta = model(300, 10, scale=0.3)
    truth = partition.exact(theta).log_z
    estimate = partition.ais(theta, RNG(0), partition.schedule(580), n_chains=2000)  # 20,000 numbers: the compiled loop
    assert abs(estimate.log_z - truth) < 5 * estimate.std_error + 1e-3


@pytest.mark.parametrize("size", [7, 30_000])
def test_momentum_in_any_memory_order_gives_the_same_numbers(size: int) -> None:
    shape = (size, 2)
    start = [RNG(k).random(shape) for k in range(3)]
    expected = 0.9 * start[1] + 0.1 * (start[2] - 0.01 * start[0])
    for orders in ("CCC", "FFF", "CFC", "FCF", "SSS"):
        theta, velocity, slope = (
            np.repeat(part, 2, axis=0)[::2] if order == "S" else np.array(part, order=order)  # S: every other row
            for part, order in zip(start, orders, strict=True)
        )
        kernels.momentum(theta, velocity, slope, 0.1, 0.9, 0.01)
        np.testing.assert_allclose(velocity, expected)
        np.testing.assert_allclose(theta, start[0] + expected)


@needs_numba
def test_any_number_of_threads_gives_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    from genreplay.core.kernels import compiled

    monkeypatch.setattr(compiled.parallel, "PARALLEL_FROM", 1)
    theta = model(120, 80, scale=0.3)
    theta.a[:] = -2
    V = bits(61, 120, 0.1)
    gradients = []
    for n in (1, 3, 100):
        with kernels.threads(n):
            gradients.append(contrastive.cd_gradient(theta, V, 2, RNG(2), "samples"))
    for other in gradients[1:]:
        for part, expected in zip(other, gradients[0], strict=True):
            np.testing.assert_array_equal(part, expected)


@needs_numba
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_threads_do_not_hang_a_forked_child(monkeypatch: pytest.MonkeyPatch) -> None:
    from genreplay.core.kernels import compiled

    monkeypatch.setattr(compiled.parallel, "PARALLEL_FROM", 1)
    x = np.zeros((400, 50), dtype=np.float32)
    with kernels.threads(2):
        compiled.sigmoid(len(x), x.size, x)
        child = os.fork()
        if child == 0:
            compiled.sigmoid(len(x), x.size, x)
            os._exit(0)
        deadline = time.monotonic() + 30
        while (done := os.waitpid(child, os.WNOHANG))[0] == 0 and time.monotonic() < deadline:
            time.sleep(0.01)
        if done[0] == 0:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    assert done == (child, 0)


def test_work_space_is_not_copied_with_what_holds_it() -> None:
    work = Workspace()
    work.array("a", (10, 10), np.float32)
    assert work.nbytes == 400
    for twin in (copy.deepcopy(work), copy.copy(work), pickle.loads(pickle.dumps(work))):
        assert twin.nbytes == 0


def test_a_state_tells_its_bytes_in_parts() -> None:
    recipe = PAPER.replace(rehearsal__n_rows=15)
    state = online.init(20, 8, recipe, RNG(0), batch_size=10)
    *_, (state, _) = online.observe(state, bits(40, 20, 0.3), recipe, 10)
    held = bytes_held(state)
    theta = (20 * 8 + 20 + 8) * 4
    assert held[:3] == (theta, theta, 10 * 20 * 4 + 20 * 8)
    assert held.replay == 0
    assert held.total == sum(held) > 2 * theta

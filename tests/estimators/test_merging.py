"""Models that meet through their dreams: what they know together, how much each counts, and what cannot be merged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from genreplay import MODERN, PAPER, MemoryReplay, OnlineRBM, OnlineRBMDetector, TableEncoder, TableRBM
from genreplay.core import online
from genreplay.core.dreamers import Dreamer, dreams_of
from genreplay.core.rbm import RBM
from tests.core.tiny import all_states, random_rbm, visible_distribution

RECIPE = MODERN.replace(learning_rate__first=0.05)


def known(rbm: RBM, n_learned: int = 1_000, seed: int = 0) -> OnlineRBM:
    """A model with given parameters that says to have learned some rows."""
    state = online.init(rbm.n_visible, rbm.n_hidden, RECIPE, np.random.default_rng(seed), dtype=np.float64)
    ones = n_learned * visible_distribution(rbm) @ all_states(rbm.n_visible)
    model = OnlineRBM.from_state(state._replace(rbm=rbm, n_learned=n_learned, ones=ones), RECIPE)
    return model.set_params(random_state=seed)


def two(n_visible: int = 6) -> list[RBM]:
    """Two models of different sizes with different rows."""
    first, second = random_rbm(n_visible, 3, 0.7, seed=1), random_rbm(n_visible, 2, 0.7, seed=2)
    return [first._replace(a=first.a + 1), second._replace(a=second.a - 1)]


def kl(p: np.ndarray, q: np.ndarray) -> float:
    return float((p * np.log(p / q)).sum())


def distribution(model: OnlineRBM) -> np.ndarray:
    return np.exp(model.score_samples(all_states(model.n_features_in_)))


def test_dreams_for_others_have_the_distribution_of_the_model() -> None:
    rbm, rng = random_rbm(5, 3, scale=0.6), np.random.default_rng(0)
    rows = Dreamer(known(rbm).state_, rng).rows(50_000, rng)
    shares = np.bincount(rows.astype(int) @ (1 << np.arange(5)[::-1]), minlength=32) / len(rows)
    # 5 standard errors, if one dream in four counts: those of a chain, ten steps apart, are alike. The fast weights
    # follow the statistics of 4,000 states, which are off by 1 %.
    np.testing.assert_allclose(shares, visible_distribution(rbm), atol=5 * np.sqrt(0.1 / 12_500) + 0.01)


BISTABLE = RBM(W=np.full((1, 6), 10.0), a=np.full(6, -5.0), b=np.array([-30.0]))
"""six zeros or six ones, half each; no chain of any usual length gets from one to the other"""


def test_dreams_for_others_keep_the_shares_of_the_pool() -> None:
    """The chains of the moment are all in one mode; the pool, which is older, has a fifth in the other."""
    state, rng = known(BISTABLE).state_, np.random.default_rng(0)
    pool = np.repeat([[1.0] * 6, [0.0] * 6], [200, 800], axis=0)
    state.past.remember(pool, rng, chains=pool)
    rows = Dreamer(state._replace(chains=np.zeros((150, 6))), rng).rows(5_000, rng)
    assert (rows.mean(axis=1) > 0.5).mean() == pytest.approx(0.2, abs=0.01)


def test_dreams_for_others_do_not_start_from_stored_rows() -> None:
    recipe = RECIPE.replace(replay=MemoryReplay(capacity="infinite"), negative=PAPER.negative)
    rng = np.random.default_rng(0)
    state = online.init(6, 1, recipe, rng, dtype=np.float64)._replace(rbm=BISTABLE)
    state.past.remember(np.ones((500, 6)), rng)
    ones = (Dreamer(state, rng).rows(4_000, rng).mean(axis=1) > 0.5).mean()
    assert ones < 0.9, "chains from noise end in both modes, chains from these rows in one"


def test_each_model_has_its_share_of_the_dreams() -> None:
    on, off = (RBM(W=np.zeros((2, 4)), a=np.full(4, bias), b=np.zeros(2)) for bias in (50.0, -50.0))
    states = [known(on).state_, known(off).state_]
    rows = np.concatenate(list(dreams_of(states, np.array([0.2, 0.8]), 20_000, np.random.default_rng(0))))
    assert len(rows) == 20_000
    assert rows[:, 0].mean() == pytest.approx(0.2, abs=5 * 0.4 / np.sqrt(20_000))
    assert (rows == rows[:, :1]).all()


@pytest.mark.parametrize(("n_first", "n_second"), [(1_000, 1_000), (500, 4_500)])
def test_a_merged_model_is_near_the_mixture_by_rows_learned(n_first: int, n_second: int) -> None:
    first, second = two()
    models = [known(first, n_first), known(second, n_second)]
    share = n_first / (n_first + n_second)
    mixture = share * visible_distribution(first) + (1 - share) * visible_distribution(second)
    merged = OnlineRBM.merge(models, n_hidden=16, n_dreams=10_000, random_state=0)
    assert merged.n_rows_seen_ == n_first + n_second
    assert kl(mixture, distribution(merged)) < 0.03
    # and it is no accident: the other shares, and each model alone, are far from it
    other = (1 - share) * visible_distribution(first) + share * visible_distribution(second)
    assert share == 0.5 or kl(mixture, other) > 0.3
    assert min(kl(mixture, visible_distribution(each)) for each in (first, second)) > 0.05


def test_averaged_parameters_are_no_mixture() -> None:
    first, second = random_rbm(6, 3, 0.7, seed=1), random_rbm(6, 3, 0.7, seed=2)
    first, second = first._replace(a=first.a + 1), second._replace(a=second.a - 1)
    average = RBM(*((one + other) / 2 for one, other in zip(first, second, strict=True)))
    mixture = (visible_distribution(first) + visible_distribution(second)) / 2
    merged = OnlineRBM.merge([known(first), known(second)], n_hidden=16, n_dreams=10_000, random_state=0)
    assert kl(mixture, distribution(merged)) < kl(mixture, visible_distribution(average)) / 5


def test_sums_of_rows_are_exact_and_those_of_the_shared_past_count_once() -> None:
    before = known(two()[0], 1_000)
    nodes = [known(rbm, n) for rbm, n in zip(two(), (1_300, 1_100), strict=True)]
    merged = OnlineRBM.merge(nodes, since=before, n_dreams=200, random_state=0)
    assert merged.n_rows_seen_ == 1_400
    expected = nodes[0].state_.ones + nodes[1].state_.ones - before.state_.ones
    np.testing.assert_allclose(merged.state_.ones, np.clip(expected, 0, 1_400))


def test_the_same_seed_gives_the_same_model_and_the_models_stay_as_they_were(tmp_path: Path) -> None:
    nodes = [known(rbm) for rbm in two()]
    for place, node in enumerate(nodes):
        node.save(tmp_path / f"{place}")
    for name in ("a", "b"):
        OnlineRBM.merge(nodes, n_dreams=300, random_state=3).save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    for place, node in enumerate(nodes):
        node.save(tmp_path / "again")
        assert (tmp_path / "again").read_bytes() == (tmp_path / f"{place}").read_bytes()


def test_a_merged_model_goes_on_learning_from_its_file_to_the_bit(tmp_path: Path) -> None:
    merged = OnlineRBM.merge([known(rbm) for rbm in two()], n_dreams=300, random_state=0)
    merged.save(tmp_path / "merged")
    rows = (np.random.default_rng(0).random((250, 6)) < 0.3).astype(float)
    again = OnlineRBM.load(tmp_path / "merged").partial_fit(rows)
    np.testing.assert_array_equal(again.components_, merged.partial_fit(rows).components_)
    assert again.n_rows_seen_ == 2_250


def test_models_of_any_recipe_and_size_can_meet() -> None:
    rows = (np.random.default_rng(0).random((400, 6)) < 0.3).astype(float)
    paper = OnlineRBM(5, recipe=PAPER, random_state=0).fit(rows)
    stored = OnlineRBM(3, replay="infinite-memory", dtype="float64", random_state=0).fit(rows)
    merged = OnlineRBM.merge([paper, stored], n_dreams=300, random_state=0)
    assert (merged.recipe, merged.components_.shape, merged.n_rows_seen_) == (PAPER, (5, 6), 800)


def fitted(n: int, columns: int = 2) -> OnlineRBM:
    return OnlineRBM(2, batch_size=10, random_state=0).partial_fit(np.eye(columns)[np.zeros(n, dtype=int)])


@pytest.mark.parametrize(
    ("models", "options", "said"),
    [
        ([], {}, "merge needs at least one model"),
        ([fitted(20), OnlineRBM()], {}, "Model 2 has learned no rows"),
        ([fitted(20), fitted(5)], {}, "Model 2 has learned no rows"),
        ([fitted(20), fitted(20, columns=3)], {}, "the first has 2, but model 2 has 3"),
        ([fitted(20)], {"since": fitted(30)}, "fewer than the 30 of the model in 'since'"),
        ([fitted(20)], {"since": fitted(20)}, "No model has learned a row since"),
        ([fitted(20)], {"n_dreams": 0}, "'n_dreams' parameter of merge must be a positive int"),
        ([fitted(20)], {"n_hidden": 0}, "'n_hidden' parameter of OnlineRBM must be"),
    ],
)
def test_what_cannot_be_merged_is_one_sentence(models: list[OnlineRBM], options: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        OnlineRBM.merge(models, **options)  # type: ignore[arg-type]


RNG = np.random.default_rng(0)


def table(n_rows: int, place: float, labels: str) -> np.ndarray:
    """Two numbers that go together, a label, and a time of day that goes with the label."""
    rows = np.empty((n_rows, 4), dtype=object)
    x = RNG.normal(place, 1, n_rows)
    rows[:, 0], rows[:, 1] = x, 2 * x + RNG.normal(0, 0.1, n_rows)
    is_first = RNG.random(n_rows) < 0.5
    rows[:, 2] = np.where(is_first, labels[0], labels[1])
    rows[:, 3] = [f"2024-01-{1 + k % 28:02}T{8 if day else 20:02}:30:00Z" for k, day in enumerate(is_first)]
    return rows


def detector(rows: np.ndarray, **options: object) -> OnlineRBMDetector:
    options = {"kinds": {2: "category", 3: "timestamp"}, **options}
    model = OnlineRBMDetector(TableEncoder(**options), TableRBM(16), random_state=0)  # type: ignore[arg-type]
    return model.partial_fit(rows).flush()


@pytest.fixture(scope="module")
def sites() -> list[OnlineRBMDetector]:
    """Two sites whose numbers, labels and numbers of intervals differ."""
    return [detector(table(3_000, -5, "ab")), detector(table(1_000, 5, "bc"), n_bins=12)]


@pytest.fixture(scope="module")
def hall(sites: list[OnlineRBMDetector]) -> OnlineRBMDetector:
    return OnlineRBMDetector.merge(sites, n_dreams=6_000, random_state=0)


def test_a_merged_detector_knows_what_each_of_them_knew(
    sites: list[OnlineRBMDetector], hall: OnlineRBMDetector
) -> None:
    assert (hall.n_learned_, hall.n_waiting_, hall.n_renewals_) == (4_000, 0, 0)
    for place, labels in ((-5, "ab"), (5, "bc")):
        usual = table(400, place, labels)
        assert (hall.p_values(usual) <= 0.01).mean() < 0.05
    torn = table(200, -5, "ab")
    torn[:, 1] = 10.0  # usual at the other site, but not beside such a number
    assert np.median(hall.p_values(torn)) < 0.02
    wrong_hour = table(200, -5, "aa")
    wrong_hour[:, 3] = "2024-01-01T20:30:00Z"
    assert hall.explain(wrong_hour)[:, 2].mean() > 1
    assert np.median(sites[1].p_values(table(200, -5, "ab"))) < 0.01, "which one site alone does not know"


def test_dreams_of_a_merged_detector_have_the_shares_of_the_rows_learned(hall: OnlineRBMDetector) -> None:
    rows = hall.sample(4_000, random_state=0)
    assert (rows[:, 0].astype(float) < 0).mean() == pytest.approx(0.75, abs=0.06)
    labels, counts = np.unique(rows[:, 2][rows[:, 2] != None].astype(str), return_counts=True)  # noqa: E711
    assert labels.tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(counts / counts.sum(), [0.375, 0.5, 0.125], atol=0.06)


def test_a_merged_detector_is_a_file_like_any_other_and_goes_on_learning(
    hall: OnlineRBMDetector, tmp_path: Path
) -> None:
    hall.save(tmp_path / "hall")
    again, rows = OnlineRBMDetector.load(tmp_path / "hall"), table(250, 5, "bc")
    np.testing.assert_array_equal(again.surprise(rows), hall.surprise(rows))
    again.partial_fit(rows)
    assert again.n_rows_seen_ == 4_250


def test_equal_codes_are_kept(sites: list[OnlineRBMDetector], hall: OnlineRBMDetector, tmp_path: Path) -> None:
    hall.save(tmp_path / "hall")
    nodes = [OnlineRBMDetector.load(tmp_path / "hall").partial_fit(table(n, 5, "bc")) for n in (100, 300)]
    again = OnlineRBMDetector.merge(nodes, since=hall, n_dreams=1_000, random_state=0)
    assert again.encoder_.state() == hall.encoder_.state()
    assert again.n_learned_ == 4_400


def test_a_start_that_counts_as_few_rows_follows_its_own_soon(sites: list[OnlineRBMDetector]) -> None:
    drifted = table(600, 5, "bb")
    drifted[:, 1] = [-cell for cell in drifted[:, 1]]
    p_values = {}
    for counts_as in (None, 200):
        start = OnlineRBMDetector.merge(sites, n_dreams=3_000, counts_as=counts_as, random_state=0)
        assert start.n_learned_ == (counts_as or 4_000)
        p_values[counts_as] = np.median(start.partial_fit(drifted[:500]).p_values(drifted[500:]))
    assert p_values[200] > p_values[None]


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ([OnlineRBMDetector()], "Model 2 has learned no rows"),
        ([OnlineRBMDetector(random_state=0).fit(np.ones((50, 3)))], "the first has 4, but model 2 has 3"),
        (
            [detector(table(60, 0, "ab"), kinds={0: "category", 2: "category", 3: "timestamp"})],
            "'x0: number' where model 2 has 'x0: category'",
        ),
    ],
)
def test_detectors_that_cannot_meet_are_refused_in_one_sentence(
    sites: list[OnlineRBMDetector], others: list[OnlineRBMDetector], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        OnlineRBMDetector.merge([sites[0], *others], random_state=0)


def test_a_weight_that_makes_no_sense_is_refused(sites: list[OnlineRBMDetector]) -> None:
    with pytest.raises(ValueError, match="'counts_as' parameter of merge"):
        OnlineRBMDetector.merge(sites, counts_as=0)

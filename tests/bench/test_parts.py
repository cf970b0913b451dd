from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from genreplay import OnlineRBMDetector
from genreplay.bench import ais, cd, fleet, growth, memory, peak, peers, rows, series, stream, table
from genreplay.bench.figures import Figure, Part, Target
from genreplay.bench.measure import Contestant, Effort, threads
from genreplay.bench.run import PARTS, run
from genreplay.core import partition
from genreplay.core.rbm import free_energy, init
from genreplay.datasets import DatasetError

QUICK = Effort(quick=True)


@pytest.fixture
def no_data(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise DatasetError(f"{name} is not here")

    monkeypatch.setattr(rows, "load", missing)
    for cached in (rows._dataset, rows.model_of_mnist):
        cached.cache_clear()


@pytest.mark.parametrize(("value", "met"), [(0.9, True), (1.0, True), (1.1, False)])
def test_a_target_is_met_up_to_its_bound(value: float, met: bool) -> None:
    assert Figure("x", "of the floor", value, target=Target("at most", 1)).met is met
    assert Figure("x", "times as fast", -value, target=Target("at least", -1)).met is met
    assert Figure("x", "of the floor", value).met is None


@pytest.mark.parametrize(
    ("part", "targets"),
    [
        (cd.on_mnist, {("at most", 1.12), ("at most", 0.75), ("at least", 2.5), ("at least", 4)}),
        (cd.on_web, {("at most", 0.5)}),
        pytest.param(ais.ais, {("at most", 1.6), ("at most", 1.2)}, marks=pytest.mark.slow),
        (table.table, {("at least", 20_000), ("at least", 1)}),
        (series.series, {("at least", 20_000), ("at most", 0)}),
        pytest.param(fleet.fleet, {("at most", 1.1), ("at most", 500)}, marks=pytest.mark.slow),  # fresh processes
    ],
)
def test_figures_stand_beside_their_targets(part: Callable[[Effort], Part], targets: set[tuple[str, float]]) -> None:
    judged = [figure for figure in part(QUICK).figures if figure.target]
    assert {tuple(figure.target or ()) for figure in judged} == targets
    assert all(figure.name.startswith(("ours", ais.BOTH_WAYS)) for figure in judged)


@pytest.mark.usefixtures("no_data")
def test_made_up_rows_stand_in_for_missing_data_and_say_so() -> None:
    for made_up, n_visible, density in ((rows.mnist(400, 0), 784, 0.13), (rows.web(400, 0), 300, 0.04)):
        assert made_up.source == "made-up rows"
        assert made_up.V.shape == (400, n_visible)
        assert set(np.unique(made_up.V)) == {0, 1}
        assert made_up.V.mean() == pytest.approx(density, rel=0.35)
    assert "400 made-up rows" in cd.on_web(QUICK).about


@pytest.mark.usefixtures("no_data")
@pytest.mark.parametrize(
    ("part", "package", "peer"),
    [
        (cd.on_mnist, "torch", cd.TORCH),
        (cd.on_mnist, "rbms", cd.RBMS),
        pytest.param(ais.ais, "rbms", ais.RBMS, marks=pytest.mark.slow),
        (stream.stream, "river", stream.TREES),
        (table.table, "river", table.TREES),
    ],
)
def test_a_missing_peer_is_named_and_left_out(
    monkeypatch: pytest.MonkeyPatch, part: Callable[[Effort], Part], package: str, peer: str
) -> None:
    def import_module(name: str) -> ModuleType:
        if name.partition(".")[0] == package:
            raise ModuleNotFoundError(name=package)
        return importlib.import_module(name)

    monkeypatch.setattr(peers, "import_module", import_module)
    measured = part(QUICK)
    # PyTorch, which some peers need, may be missing as well, and is then named in the package's place
    assert {f"{peer}: {missing} is not installed" for missing in (package, "torch")} & set(measured.left_out)
    assert not any(peer in figure.name for figure in measured.figures)
    assert measured.figures


def test_single_rows_are_held_against_the_trees_or_a_fixed_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "ROWS_PER_SECOND", 10)
    targets = {figure.name: figure.target for figure in stream.stream(QUICK).figures}
    assert targets[stream.ONE] == ("at least", 10)
    assert targets[stream.TEN] == ("at least", 2.5)
    assert targets.get(stream.TREES) is None


def test_the_table_has_columns_of_every_kind(tmp_path: Path) -> None:
    numbers, text = table.made_up(200, seed=0)
    names, *lines = text.splitlines()
    assert names.split(",") == table.NAMES
    assert len(lines) == len(numbers) == 200
    assert [float(cell) for cell in lines[7].split(",")[: table.N_NUMBERS]] == numbers[7].tolist()
    (tmp_path / "rows.csv").write_text(text)
    rows.ours.learn_and_score(tmp_path / "rows.csv")
    kinds = OnlineRBMDetector.load(tmp_path / "rows.model").encoder_.kinds_
    assert kinds == ["number"] * 8 + ["category", "category", "boolean", "timestamp"]


def test_growth_covers_a_factor_of_16_of_each_size() -> None:
    part = growth.growth(QUICK)
    assert [curve.name for curve in part.curves] == ["n_v", "n_h", "n_Bhat", "n_Gs"]
    for curve in part.curves:
        assert curve.x[-1] == 16 * curve.x[0]
        assert len(curve.lines["ours"]) == 5
    judged = [figure.name for figure in part.figures if figure.target]
    assert [name.split()[1] for name in judged] == ["n_v", "n_h", "n_Bhat", "n_Gs"]


@pytest.mark.slow
@pytest.mark.skipif(not peak.STATUS.exists(), reason="peak memory is read from /proc")
def test_memory_is_that_of_a_fresh_process(tmp_path: Path) -> None:
    path = tmp_path / "rows.npy"
    np.save(path, rows.synthetic(200, 100, 0.1, seed=0).V.astype(np.uint8))
    ballast = np.ones(30_000_000)  # 240 MB here must not show there
    assert 0 < memory.peak(path, 200) < 100
    assert ballast[-1] == 1


def test_a_quick_run_judges_nothing_and_becomes_json() -> None:
    document = json.loads(json.dumps(run(["stream", "cd-web"], QUICK).to_json()))
    assert list(document["parts"]) == ["cd-web", "stream"], "in the order of the bench"
    assert document["quick"] is True
    assert {"processor", "cores", "BLAS", "numpy", "scikit-learn"} <= document["machine"].keys()
    for part in document["parts"].values():
        for figure in part["figures"]:
            assert figure["value"] > 0
            assert figure["low"] <= figure["high"]
            assert figure["target"] is None


def test_a_full_run_keeps_its_targets(monkeypatch: pytest.MonkeyPatch) -> None:
    figure = Figure("ours", "of the floor", 1.0, target=Target("at most", 1.12))
    part = stream.stream(QUICK)._replace(figures=[figure])
    monkeypatch.setitem(PARTS, "stream", lambda effort: part)
    (written,) = run(["stream"], Effort()).to_json()["parts"]["stream"]["figures"]  # type: ignore[index,call-overload]
    assert written["target"] == {"rule": "at most", "bound": 1.12}
    assert written["met"] is True


def test_the_peers_compute_what_we_compute() -> None:
    pytest.importorskip("rbms")
    V = rows.synthetic(200, 20, 0.3, seed=0).V
    rbm = rows.ours.trained(V, 10, 300, np.random.default_rng(0))
    exact = partition.exact(rbm).log_z
    for contestant in (peers.torch_ais(rbm, 1000, 200, np.zeros(20, np.float32)), peers.rbms_ais(rbm, 1000, 200)):
        with threads(1):
            assert contestant.call() == pytest.approx(exact, abs=0.2)


@pytest.mark.parametrize("peer", [peers.torch_step, partial(peers.rbms_step, training_type="cd")])
def test_the_peers_learn_the_rows(peer: Callable[..., Contestant]) -> None:
    pytest.importorskip("rbms")
    V = rows.synthetic(200, 20, 0.3, seed=0).V
    start = init(20, 10, np.random.default_rng(0))
    ours = rows.ours.trained(V, 10, 1000, np.random.default_rng(0))
    contestant = peer(start, V)
    with threads(1):
        for _ in range(1000):
            learned = contestant.call()
    before, after, reference = (
        float(np.mean(-free_energy(rbm, V)) - partition.exact(rbm).log_z) for rbm in (start, learned, ours)
    )
    assert after - before > 0.8 * (reference - before) > 0

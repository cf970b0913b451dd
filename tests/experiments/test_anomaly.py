from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.metrics import roc_auc_score

from genreplay.cli import main
from genreplay.core.grouped import TableRBM
from genreplay.datasets import anomaly as tables
from genreplay.datasets.anomaly import Known, Labelled
from genreplay.estimators.detector import OnlineRBMDetector
from genreplay.experiments import runner
from genreplay.experiments.anomaly import OFFLINE, ONLINE, VARIANTS, AnomalyRun, rbm, runs, variant_runs, variants
from genreplay.experiments.anomaly import run as anomaly_run
from genreplay.experiments.run import Figures

METHODS = (*ONLINE, *OFFLINE)


def made_up(n_rows: int = 800, n_anomalies: int = 40) -> Labelled:
    """Four columns that rise together, and anomalies in which they do not."""
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(n_rows, 1)) + 0.1 * rng.normal(size=(n_rows, 4))
    rows[:n_anomalies] = rng.uniform(4, 6, (n_anomalies, 4)) * rng.choice([-1, 1], (n_anomalies, 4))
    return Labelled("made up", rows, np.arange(n_rows) < n_anomalies)


@pytest.fixture(autouse=True)
def _loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anomaly_run, "load", lambda dataset: made_up())


def execute(run: AnomalyRun, seed: int = 0) -> Figures:
    return run.execute(seed, lambda share, doing: None)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_finds_rows_that_are_far_off(method: str) -> None:
    shares: list[float] = []
    figures = AnomalyRun(method=method).execute(0, lambda share, doing: shares.append(share))
    assert figures["auc"] > 0.9
    assert 0 < figures["average_precision"] <= 1
    assert figures["seconds"] > 0
    assert figures["held_bytes"] > 100
    assert shares == sorted(shares)
    again = execute(AnomalyRun(method=method))
    assert {**again, "seconds": 0, "held_bytes": 0} == {**figures, "seconds": 0, "held_bytes": 0}


def test_all_methods_are_given_and_count_the_same_rows() -> None:
    found = [execute(AnomalyRun(method=method, max_rows=600)) for method in METHODS]
    names = ("n_rows", "n_total", "n_counted", "n_anomalies")
    (counts,) = {tuple(figures[name] for name in names) for figures in found}
    assert counts[:3] == (600, 800, 450), "a quarter of a short stream is its head"
    assert 0 < counts[3] < 40


def test_a_long_stream_has_a_head_of_500_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anomaly_run, "load", lambda dataset: made_up(2_500))
    assert execute(AnomalyRun(method="IsolationForest"))["n_counted"] == 2_000


def test_the_order_is_drawn_from_the_seed() -> None:
    assert execute(AnomalyRun(), seed=0)["auc"] != execute(AnomalyRun(), seed=1)["auc"]


def test_judging_the_held_out_rows_leaves_no_trace_in_the_scores() -> None:
    _, rows, is_anomaly = made_up()
    order = np.random.default_rng(0).permutation(len(rows))
    detector = OnlineRBMDetector(warm_up=200, random_state=0)
    scores = detector.learn_scored(rows[order])
    figures = execute(AnomalyRun())
    assert figures["auc"] == roc_auc_score(is_anomaly[order][200:], scores[200:])
    assert figures["held_bytes"] == detector.nbytes.total


class Judge:
    """A detector whose p-values are its rows."""

    def p_values(self, rows: np.ndarray) -> np.ndarray:
        return rows[:, 0]


def test_false_alarms_on_a_case_done_by_hand() -> None:
    usual = np.array([0.01, 0.02, 0.05, 0.06, *[0.5] * 96])
    rows = np.concatenate([usual, [0.001]])[:, None]  # the last is an anomaly: no false alarm
    stored = -np.log(np.linspace(0.0001, 1, 10_001))  # its quantiles at 1 % and 5 % are those of true p-values
    figures = rbm.false_alarms(Judge(), stored, rows, np.arange(101) < 100)  # type: ignore[arg-type]
    assert figures["nominal"] == [0.01, 0.05]
    assert figures["dream_alarms"] == [0.01, 0.03], "a p-value of the rate itself is an alarm"
    assert figures["stored_alarms"] == [0.01, 0.03]
    lenient = rbm.false_alarms(Judge(), stored + 10, rows, np.arange(101) < 100)  # type: ignore[arg-type]
    assert lenient["stored_alarms"] == [0, 0]
    assert (figures["n_usual"], figures["n_stored"]) == (100, 10_001)


def test_only_the_rbm_is_asked_for_alarm_rates() -> None:
    assert len(execute(AnomalyRun())["dream_alarms"]) == 2
    assert all("dream_alarms" not in execute(AnomalyRun(method=method)) for method in METHODS[1:])


@pytest.mark.parametrize("n_rows", [240, 367])
def test_in_a_short_stream_every_counted_row_has_a_score(n_rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anomaly_run, "load", lambda dataset: made_up(n_rows, 30))
    _, rows, is_anomaly = made_up(n_rows, 30)
    n_head = n_rows // 4
    assert n_head < 100, "less than a batch"
    found = rbm.score(rows, ~is_anomaly, n_head, 0.3, 2_000, 0, lambda share, doing: None)
    assert (found.scores[n_head:] > 0).all()
    assert execute(AnomalyRun())["n_counted"] == n_rows - n_head


def test_a_variant_changes_its_settings_and_nothing_else() -> None:
    detector = variants.detector("rbm__n_hidden=7, encoder__n_bins=3", random_state=5)
    assert (detector.rbm.n_hidden, detector.encoder.n_bins, detector.random_state) == (7, 3, 5)
    default = execute(AnomalyRun())
    same = execute(AnomalyRun(variant=f"rbm__n_hidden={TableRBM().n_hidden}"))
    other = execute(AnomalyRun(variant="rbm__n_hidden=7"))
    assert same["auc"] == default["auc"], "a default that is given is the default"
    assert other["auc"] != default["auc"]
    assert other["held_bytes"] < default["held_bytes"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_differs_from_the_defaults(variant: str) -> None:
    changed = variants.parsed(variant)
    defaults = variants.detector("on_drift='nothing'").get_params()  # with the default encoder and rbm as objects
    assert all(defaults[name] != value for name, value in changed.items())
    assert changed.items() <= variants.detector(variant).get_params().items()


def test_settings_are_compared_in_one_order_on_the_first_rows() -> None:
    found = variant_runs()
    assert len(found) == len(set(found)) == 28 * (len(VARIANTS) + 2)
    assert {run.max_rows for run in found if run.dataset == "http"} == {5_000}
    assert {run.max_rows for run in found if run.dataset == "vertebral"} == {50_000}, "shared with the other experiment"
    assert {run.max_rows for run in variant_runs(quick=True)} == {2_000}
    seeds = {(job.run.variant != "", job.seed) for job in runner.expand(found, 3)}  # type: ignore[attr-defined]
    assert seeds == {(True, 0), (False, 0), (False, 1), (False, 2)}
    assert AnomalyRun("skin", variant="rbm__n_hidden=16").title == "skin RBM rbm__n_hidden=16"


def test_local_outlier_factor_is_fitted_on_a_sample() -> None:
    figures = execute(AnomalyRun(method="LocalOutlierFactor", max_sample=300))
    assert (figures["n_fitted"], figures["held_bytes"]) == (300, 300 * 4 * 8)
    assert execute(AnomalyRun(method="IsolationForest", max_sample=300))["n_fitted"] == 800


def test_without_an_anomaly_to_be_found_there_is_no_auc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anomaly_run, "load", lambda dataset: made_up(n_anomalies=0))
    figures = execute(AnomalyRun())
    assert (figures["auc"], figures["average_precision"], figures["n_anomalies"]) == (None, None, 0)


def test_runs_are_all_sets_and_methods() -> None:
    assert len({(run.dataset, run.method) for run in runs()}) == len(runs()) == 29 * 6
    assert {run.max_rows for run in runs()} == {50_000}
    assert {run.max_rows for run in runs(quick=True)} == {2_000}


def test_the_memory_of_timed_runs_is_not_traced(tmp_path: Path) -> None:
    (record,) = runner.carry_out(runner.expand([AnomalyRun(method="IsolationForest")], 1), tmp_path / "runs.jsonl")
    assert record["peak_bytes"] is None
    assert record["figures"]["auc"] > 0.9


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with one made-up set, the only one there is."""
    _, rows, is_anomaly = made_up()
    monkeypatch.setenv("GENREPLAY_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(tables, "KNOWN", {"cardio": Known("tiny.npz", *rows.shape, int(is_anomaly.sum()))})
    np.savez(tmp_path / "tiny.npz", X=rows, y=is_anomaly)
    return tmp_path


def reproduce(out: Path, *more: str) -> tuple[int, str]:
    arguments = ["reproduce", "anomaly", "--quick", "--seeds", "1", "--jobs", "1", "--out", str(out), *more]
    done = CliRunner().invoke(main, arguments, catch_exceptions=False)
    return done.exit_code, " ".join(done.stderr.split())


def test_reproduce_runs_all_methods_and_resumes(folder: Path) -> None:
    out = folder / "runs.jsonl"
    assert reproduce(out)[0] == 0
    assert [record["settings"].get("method", "RBM") for record in runner.read(out)] == list(METHODS)
    lines = out.read_bytes().splitlines(keepends=True)
    out.write_bytes(b"".join(lines[:3]))
    assert reproduce(out, "--resume")[0] == 0
    assert out.read_bytes().splitlines(keepends=True)[:3] == lines[:3]
    assert len(runner.read(out)) == 6


def test_without_river_its_runs_are_left_out_in_a_sentence_and_the_others_go_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "river.anomaly", None)
    code, said = reproduce(folder / "runs.jsonl")
    assert code == 0
    assert "2 of 6 runs are left out: River is not installed" in said
    assert "pip install --upgrade 'genreplay[river]'." in said
    assert {record["settings"].get("method", "RBM") for record in runner.read(folder / "runs.jsonl")} == {
        "RBM",
        "histograms",
        *OFFLINE,
    }


def test_where_all_runs_lack_river_that_is_the_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "river.anomaly", None)
    (folder / "mine.toml").write_text('method = "LODA"')
    code, said = reproduce(folder / "runs.jsonl", "--settings", str(folder / "mine.toml"))
    assert code == 2
    assert "River is not installed" in said


def test_missing_rows_are_said_before_anything_runs(folder: Path) -> None:
    (folder / "tiny.npz").unlink()
    code, said = reproduce(folder / "runs.jsonl")
    assert code == 2
    assert "Minqi824/ADBench" in said
    assert not (folder / "runs.jsonl").exists()

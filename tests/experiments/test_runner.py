from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from click.testing import CliRunner

from genreplay.cli import main
from genreplay.experiments import runner
from genreplay.experiments.paper.cost import CostRun
from genreplay.experiments.paper.fig3 import ClassesInTurn
from genreplay.experiments.paper.offline import OfflineRun
from genreplay.experiments.paper.online import OnlineRun, independent_bernoullis
from genreplay.experiments.registry import EXPERIMENTS
from genreplay.experiments.results import Results
from genreplay.experiments.run import Figures, Report, Run, describe, identity
from tests.datasets.tiny import needs_data


@dataclass(frozen=True)
class Coin:
    """A run that takes no time."""

    kind: ClassVar[str] = "coin"
    version: ClassVar[int] = 1
    p: float = 0.5

    @property
    def title(self) -> str:
        return f"coin {self.p}"

    def execute(self, seed: int, report: Report) -> Figures:
        report(0.5, "tossing")
        return {"heads": int(np.random.default_rng(seed).binomial(100, self.p))}


SMALL = [ClassesInTurn(n_dreams=20, n_temperatures=29, n_hidden=n) for n in (3, 5)]


def same(records: list[dict[str, Any]]) -> dict[str, Any]:
    """What must not depend on how the runs were carried out: all but times and bytes."""
    fields = ("kind", "settings", "seed", "figures")
    return {
        identity(record): {
            field: {k: v for k, v in record[field].items() if "seconds" not in k}
            if field == "figures"
            else record[field]
            for field in fields
        }
        for record in records
    }


def test_jobs_are_every_run_with_every_seed_once() -> None:
    jobs = runner.expand([Coin(0.1), Coin(0.2), Coin(0.1)], n_seeds=3)
    assert [(job.run.p, job.seed) for job in jobs] == [  # type: ignore[attr-defined]
        (0.1, 0),
        (0.1, 1),
        (0.1, 2),
        (0.2, 0),
        (0.2, 1),
        (0.2, 2),
    ]


def test_a_run_may_need_fewer_seeds_than_are_asked_for() -> None:
    class OneCoin(Coin):
        max_seeds = 1

    assert [job.seed for job in runner.expand([Coin(), OneCoin(0.2)], n_seeds=3)] == [0, 1, 2, 0]
    assert [job.seed for job in runner.expand([OneCoin()], n_seeds=1)] == [0]


def name_of(run: Run, seed: int = 0) -> str:
    return identity(describe(run, seed))


def test_identity_depends_on_kind_settings_and_seed_alone() -> None:
    names = {name_of(Coin(0.1)), name_of(Coin(0.1), 1), name_of(Coin(0.2)), name_of(OnlineRun()), name_of(OfflineRun())}
    assert len(names) == 5
    assert name_of(Coin(0.1)) == name_of(Coin(0.1))


@dataclass(frozen=True)
class CoinWithANewField(Coin):
    """The same run, later, when it has learned to do more."""

    n_sides: int = 2


@dataclass(frozen=True)
class CoinThatMeansSomethingElse(Coin):
    """The same settings, which now mean another experiment."""

    version: ClassVar[int] = 2


def test_a_new_field_with_a_default_leaves_stored_results_found(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    list(runner.carry_out(runner.expand([Coin(), Coin(0.2)], 2), path))
    assert list(runner.carry_out(runner.expand([CoinWithANewField(), CoinWithANewField(0.2)], 2), path)) == []
    stored = Results(runner.read(path))
    assert stored.of(CoinWithANewField(0.2)) == stored.of(Coin(0.2)) != []
    assert stored.of(CoinWithANewField(n_sides=3)) == stored.of(CoinThatMeansSomethingElse()) == []
    assert len(list(runner.carry_out(runner.expand([CoinWithANewField(n_sides=3)], 2), path))) == 2, "another setting"


def test_results_of_another_version_are_not_found(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    list(runner.carry_out(runner.expand([Coin()], 1), path))
    (record,) = runner.carry_out(runner.expand([CoinThatMeansSomethingElse()], 1), path)
    assert record["version"] == 2
    assert len(runner.read(path)) == 2


def test_results_with_another_setting_are_not_found(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    list(runner.carry_out(runner.expand([Coin(0.1)], 1), path))
    assert len(list(runner.carry_out(runner.expand([Coin(0.2)], 1), path))) == 1
    assert len(list(runner.carry_out(runner.expand([Coin()], 1), path))) == 1, "nor those that differ from the default"


def test_a_default_that_is_passed_explicitly_changes_nothing() -> None:
    assert name_of(OnlineRun(n_hidden=500, dataset="mnist")) == name_of(OnlineRun())
    assert name_of(CostRun(checkpoints=(1_000, 3_000, 10_000, 30_000, 60_000))) == name_of(CostRun())


def test_a_setting_that_is_a_tuple_is_found_again_after_it_was_a_list_in_the_file() -> None:
    described = describe(CostRun(checkpoints=(1, 2)), 0)
    assert identity(json.loads(json.dumps(described))) == identity(described)


def test_results_carry_what_a_reader_needs(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    (record,) = runner.carry_out(runner.expand([Coin()], 1), path)
    assert runner.read(path) == [record]
    assert (record["kind"], record["version"], record["settings"]) == ("coin", 1, {}), (
        "all settings have their defaults"
    )
    assert record["seconds"] > 0
    assert record["peak_bytes"] > 0
    assert {"python", "numpy", "genreplay"} <= set(record["versions"])


def test_finished_runs_are_not_repeated_and_a_torn_line_is_mended(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    jobs = runner.expand([Coin(0.1), Coin(0.2)], n_seeds=2)
    whole = list(runner.carry_out(jobs, path))
    assert list(runner.carry_out(jobs, path)) == []
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:3]) + lines[3][:40])  # killed while it wrote the fourth
    assert len(runner.read(path)) == 3
    assert len(list(runner.carry_out(jobs, path))) == 1
    assert same(runner.read(path)) == same(whole)


@pytest.mark.slow
def test_parallel_runs_give_the_same_results_as_one_after_the_other(tmp_path: Path) -> None:
    jobs = runner.expand(SMALL, n_seeds=2)
    one = list(runner.carry_out(jobs, tmp_path / "one.jsonl", n_workers=1))
    two = list(runner.carry_out(jobs, tmp_path / "two.jsonl", n_workers=2))
    assert same(one) == same(two)
    assert runner.progress_of(tmp_path / "two.jsonl") == {}


@pytest.mark.slow
def test_killing_the_runner_at_any_moment_and_resuming_loses_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "genreplay", "reproduce", "fig3", "--quick", "--seeds", "1", "--jobs", "2"]
    subprocess.run([*command, "--out", str(tmp_path / "calm.jsonl")], check=True, capture_output=True)
    path = tmp_path / "killed.jsonl"
    rng = np.random.default_rng()
    for _ in range(3):
        process = subprocess.Popen(
            [*command, "--resume", "--out", str(path)], start_new_session=True, stderr=subprocess.DEVNULL
        )
        time.sleep(rng.uniform(3, 9))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    subprocess.run([*command, "--resume", "--out", str(path)], check=True, capture_output=True)
    assert same(runner.read(path)) == same(runner.read(tmp_path / "calm.jsonl"))


def members_of_session(session: int) -> list[str]:
    """The processes of a session that still run, by /proc; empty where there is none."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, member_of = stat.read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue  # it has just ended
        if int(member_of) == session and state != "Z":
            found.append(stat.parent.name)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_runner_says_how_to_go_on_and_leaves_no_worker_behind(tmp_path: Path, how: int) -> None:
    path = tmp_path / "runs.jsonl"
    command = [
        sys.executable,
        "-m",
        "genreplay",
        "reproduce",
        "fig3",
        "--seeds",
        "1",
        "--jobs",
        "2",
        "--out",
        str(path),
    ]
    with subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE, text=True) as process:
        while not runner.progress_of(path):
            time.sleep(0.1)
        process.send_signal(how)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "--resume goes on" in said
    time.sleep(1)
    assert members_of_session(process.pid) == []


def test_results_of_an_earlier_call_are_not_overwritten_by_accident(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    list(runner.carry_out(runner.expand([Coin()], 1), path))
    before = path.read_bytes()
    done = CliRunner().invoke(main, ["reproduce", "fig3", "--quick", "--out", str(path)])
    assert done.exit_code == 2
    assert "--resume" in done.stderr
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"my notes", b"my notes\n", b'{"a": 1}\n', b"[1]\n", b"1\n2"])
def test_a_file_that_is_no_results_file_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    for more in ([], ["--resume"]):
        done = CliRunner().invoke(main, ["reproduce", "fig3", "--quick", "--out", str(path), *more])
        assert done.exit_code == 2
        assert "no results file" in done.stderr
        assert path.read_bytes() == content


@pytest.mark.parametrize("command", [["report", "--results"], ["reproduce", "fig3", "--resume", "--out"]])
@pytest.mark.parametrize("content", ['{"key": "46b1", "kind": "coin", "settings": {}, "seed": 0}\n', '{"key": "46b'])
def test_a_file_in_the_earlier_form_is_refused_in_one_sentence(
    tmp_path: Path, command: list[str], content: str
) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text(content)
    done = CliRunner().invoke(main, [*command, str(path)])
    assert done.exit_code == 2
    assert done.stderr.splitlines()[-1] == (
        f"Error: {path} has results in the form of an earlier genreplay: bring it up to date with "
        f"`python tools/migrate_results.py {path}`."
    )
    assert path.read_text() == content


@pytest.mark.parametrize("arguments", [["nosuch"], []])
def test_unknown_experiments_are_refused_with_the_known_ones(arguments: list[str]) -> None:
    done = CliRunner().invoke(main, ["reproduce", *arguments])
    assert done.exit_code == 2
    assert "fig3" in done.stderr
    assert "table2" in done.stderr


def test_missing_data_is_said_before_anything_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GENREPLAY_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    done = CliRunner().invoke(main, ["reproduce", "fig5", "--quick", "--out", str(tmp_path / "runs.jsonl")])
    assert done.exit_code == 2
    assert "genreplay data fetch mnist" in done.stderr
    assert not (tmp_path / "runs.jsonl").exists()


def test_every_experiment_lists_runs_in_both_forms() -> None:
    for name, runs in EXPERIMENTS.items():
        for quick in (True, False):
            listed = runs(quick)
            assert listed, name
            assert len({name_of(run) for run in listed}) == len(listed), name
            json.dumps([run.title for run in listed])


def test_figures_share_the_runs_that_they_have_in_common() -> None:
    def names(experiment: str) -> set[str]:
        return {name_of(run) for run in EXPERIMENTS[experiment](False)}

    assert names("fig5") <= names("fig4") & names("table2")


@needs_data
@pytest.mark.parametrize("method", ["OCD_GR", "ER-ML", "ER-ML packed", "ER-IM", "no replay"])
def test_online_run_measures_likelihood_bytes_and_curve(method: str) -> None:
    run = OnlineRun(
        dataset="dna",
        method=method,
        n_hidden=10,
        max_rows=300,
        n_temperatures=29,
        curve_every=100,
        curve_temperatures=29,
    )
    shares: list[float] = []
    figures = run.execute(0, lambda share, doing: shares.append(share))
    assert figures["curve_rows"] == [100, 200, 300]
    assert len(figures["curve_nats"]) == 3
    assert figures["nats"] < 0
    assert not figures["doubt"]
    assert (figures["replay_bytes"] == 0) == (method in ("OCD_GR", "no replay"))
    assert shares == sorted(shares)
    assert figures == {**run.execute(0, lambda share, doing: None), **_times(figures)}


def _times(figures: Figures) -> Figures:
    return {name: value for name, value in figures.items() if name.endswith("seconds")}


@needs_data
def test_short_sorted_runs_have_all_classes() -> None:
    run = OnlineRun(order="sorted", n_hidden=5, max_rows=300, n_temperatures=29)
    figures = run.execute(0, lambda share, doing: None)
    assert len(figures["class_nats"]) == 10
    assert figures["class_std"] == pytest.approx(np.std(figures["class_nats"]))
    assert {len(bits) for bits in figures["sheets"].values()} == {40 * 98 * 2}


@needs_data
def test_offline_run_keeps_the_best_model_and_stops_early() -> None:
    looks: list[str] = []
    run = OfflineRun(
        dataset="mushrooms",
        n_hidden=20,
        learning_rate=0.3,
        max_steps=3_000,
        patience=3,
        check_temperatures=145,
        n_temperatures=290,
    )
    figures = run.execute(0, lambda share, doing: looks.append(doing))
    checks = [look.split() for look in looks if look.startswith("validation")]
    nats, steps = [float(check[1]) for check in checks], [int(check[4]) for check in checks]
    assert steps[:4] == [100, 125, 156, 195]
    assert figures["nats"] > figures["independent_nats"] + 5
    assert nats[steps.index(figures["best_step"])] == max(nats)
    assert figures["n_steps"] == 3_000 or steps[-4:][0] == figures["best_step"]


def test_independent_bernoullis_on_a_case_done_by_hand() -> None:
    train = np.array([[1, 0], [1, 1]], dtype=np.uint8)
    test = np.array([[1, 1]], dtype=np.uint8)
    assert independent_bernoullis(train, test) == pytest.approx(np.log(3 / 4) + np.log(2 / 4))


@pytest.mark.slow
def test_a_settings_file_replaces_settings_of_every_run_that_has_them(tmp_path: Path) -> None:
    settings = tmp_path / "mine.toml"
    settings.write_text('dataset = "digits"\nn_hidden = 4\nn_temperatures = 29\nlearning_rate = 1\n')
    path = tmp_path / "runs.jsonl"
    arguments = ["reproduce", "search", "--quick", "--seeds", "1", "--settings", str(settings), "--out", str(path)]
    done = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert done.exit_code == 0
    records = runner.read(path)
    assert {record["settings"]["dataset"] for record in records} == {"digits"}
    assert {record["settings"]["n_hidden"] for record in records} == {4}
    assert len({record["settings"]["n_replay"] for record in records}) == 2, "the search itself goes on"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [("n_hiden = 4", "n_hiden"), ('n_hidden = "many"', "must be of type int"), ("n_hidden = = 4", "mine.toml")],
)
def test_bad_settings_files_are_refused_in_a_sentence(tmp_path: Path, text: str, complaint: str) -> None:
    settings = tmp_path / "mine.toml"
    settings.write_text(text)
    done = CliRunner().invoke(main, ["reproduce", "search", "--settings", str(settings), "--out", str(tmp_path / "x")])
    assert done.exit_code == 2
    assert complaint in done.stderr

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from genreplay.cli import main
from genreplay.datasets.regimes import NEW, Visit, regimes
from genreplay.estimators.detector import OnlineRBMDetector
from genreplay.experiments import runner
from genreplay.experiments.regimes import N_BLOCK, N_STAY, REPLAYS, RegimesRun, runs
from genreplay.experiments.regimes.run import alarm_shares, returns
from genreplay.experiments.run import Figures


@pytest.fixture(scope="module")
def by_replay() -> dict[str, Figures]:
    return {run.replay: run.execute(0, lambda share, doing: None) for run in runs(quick=True)}


def test_every_way_of_rehearsal_says_its_alarms_at_each_return_and_in_the_regime_that_stays(
    by_replay: dict[str, Figures],
) -> None:
    assert list(by_replay) == list(REPLAYS)
    for figures in by_replay.values():
        assert [each["regime"] for each in figures["returns"]] == list("ABCA")
        assert [each["n_away"] for each in figures["returns"]] == [0, 1_000, 2_000, 2_000]
        assert len(figures["alarm_shares"]) == figures["n_rows"] // N_BLOCK
        assert figures["stay"] == figures["alarm_shares"][-2:]
        assert figures["visits"][-1] == [NEW, 5_000, 1_000]


def test_the_new_regime_raises_more_alarms_than_a_return(by_replay: dict[str, Figures]) -> None:
    for figures in by_replay.values():
        assert figures["stay"][0] > 2 * max(each["alarms"] for each in figures["returns"])


def test_the_reservoir_has_the_bytes_of_the_dreams(by_replay: dict[str, Figures]) -> None:
    held = {replay: figures["replay_bytes"] for replay, figures in by_replay.items()}
    assert held["none"] == 0
    assert held["reservoir"] == held["dreams"] > 0


def test_with_dreams_it_is_the_detector_with_its_defaults(by_replay: dict[str, Figures]) -> None:
    stream = regimes(1_000, 1_000, turns="ABCA")
    scores = OnlineRBMDetector(random_state=0).learn_scored(stream.rows)
    assert by_replay["dreams"]["alarm_shares"] == alarm_shares(scores)


def test_rows_without_a_score_have_no_share_of_alarms() -> None:
    scores = np.full(1_000, -np.log(0.02))
    scores[:499] = np.nan
    scores[500:510] = -np.log(0.01)
    assert alarm_shares(scores) == [None, 0.02], "a p-value of the rate itself is an alarm"


def test_the_time_away_is_counted_from_the_last_visit_or_the_mixed_beginning() -> None:
    visits = [Visit(name, 500 * place, 500) for place, name in enumerate(["mixed", "A", "B", "A", "C", "D"])]
    found = returns(visits, [None, 0.1, 0.2, 0.3, 0.4, 0.5])
    assert [each["n_away"] for each in found] == [0, 500, 500, 1_500]
    assert [each["alarms"] for each in found] == [0.1, 0.2, 0.3, 0.4], "the regime that stays is no return"


def test_runs_are_all_ways_of_rehearsal() -> None:
    assert [run.replay for run in runs()] == list(REPLAYS)
    assert all(run.n_rows_stay == N_STAY * N_BLOCK * 2 for run in runs())
    assert RegimesRun("reservoir").title == "regimes reservoir"


def test_reproduce_writes_a_result_for_each_run(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text('n_rows_per_visit = 500\nturns = "A"\nreplay = "reservoir"')
    out = tmp_path / "runs.jsonl"
    arguments = ["reproduce", "regimes", "--quick", "--seeds", "1", "--jobs", "1", "--out", str(out)]
    done = CliRunner().invoke(main, [*arguments, "--settings", str(tmp_path / "small.toml")], catch_exceptions=False)
    assert done.exit_code == 0
    assert runner.read(out)[0]["settings"]["replay"] == "reservoir"

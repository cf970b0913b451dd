from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from genreplay.bench.run import PARTS
from genreplay.cli import main
from genreplay.experiments import story
from tests.bench.made_up import a_run


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """The story with few dreams and few rows of each class."""
    monkeypatch.setattr(story, "tell", partial(story.tell, n_dreams=30, n_temperatures=29, n_rows=20))


@pytest.mark.usefixtures("small")
def test_demo_shows_each_learner_saves_the_picture_and_says_what_to_try_next(tmp_path: Path) -> None:
    picture = tmp_path / "new folder" / "demo.png"
    done = CliRunner().invoke(main, ["demo", "--out", str(picture)], env={"COLUMNS": "100"}, catch_exceptions=False)
    assert done.exit_code == 0
    for learner in story.LEARNERS:
        assert learner.title in done.stdout
    assert done.stdout.count(" nats, ") == len(story.LEARNERS)
    assert "█" in done.stdout, "dreams are drawn"
    assert f"Picture: {picture}" in done.stdout
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "genreplay learn FILE.csv" in done.stdout.splitlines()[-1]
    assert "class 10 of 10 learned" in done.stderr, "progress goes to stderr"


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_demo_gives_the_same_figures_for_the_same_seed(tmp_path: Path) -> None:
    outputs = [
        json.loads(
            CliRunner().invoke(main, ["demo", "--json", "--seed", seed, "--out", str(tmp_path / "x.png")]).stdout
        )
        for seed in ("1", "1", "2")
    ]
    assert outputs[0] == outputs[1] != outputs[2]
    for figures in outputs[0]:
        assert len(figures["shares"]) == 10
        assert all(sum(shares) <= 1.001 for shares in figures["shares"])
    assert [figures["n_stored"] > 0 for figures in outputs[0]] == [False, False, True, True, False]


@pytest.mark.slow
def test_the_default_recipe_dreams_of_every_digit_and_no_replay_has_lost_most() -> None:
    parts = list(story.tell(seed=3))
    last = {part.learner.title: part.shares for part in parts if isinstance(part, story.Chapter)}
    assert story.verdict(last["genreplay"]) == "dreams of all 10 digits"
    assert sum(share < 1 / 30 for share in last["no replay"]) >= 6
    nats = {part.learner.title: part.nats for part in parts if isinstance(part, story.Ending)}
    assert nats["genreplay"] > max(nats[title] for title in ("the paper's OCD_GR", "ER-ML", "no replay")) + 3


def test_bench_prints_a_table_for_each_part_and_progress_on_stderr() -> None:
    done = CliRunner().invoke(main, ["bench", "stream", "--quick"], env={"COLUMNS": "140"}, catch_exceptions=False)
    assert done.exit_code == 0
    for word in ("One row at a time", "ours, 1 epoch", "rows a second", "quartiles"):
        assert word in done.stdout
    assert done.stderr == "measuring stream\n"


def test_bench_shows_targets_and_whether_they_are_met(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PARTS, "cd-mnist", lambda effort: a_run().parts["cd-mnist"])
    done = CliRunner().invoke(main, ["bench", "cd-mnist"], env={"COLUMNS": "100"}, catch_exceptions=False)
    dense, sparse = (line for line in done.stdout.splitlines() if "path" in line)
    assert "at most 1.12, not met" in dense
    assert "at most 0.75, met" in sparse
    assert "Left out: rbms: rbms is not installed." in done.stdout


def test_bench_writes_the_json_that_it_prints_and_a_page(tmp_path: Path) -> None:
    out = tmp_path / "new" / "folder"
    done = CliRunner().invoke(
        main, ["bench", "threads", "--quick", "--json", "--out", str(out)], catch_exceptions=False
    )
    printed = json.loads(done.stdout)
    assert printed == json.loads((out / "bench.json").read_text())
    assert list(printed["parts"]) == ["threads"]
    assert "<svg" in (out / "bench.html").read_text()


def test_bench_names_the_parts_when_one_is_unknown() -> None:
    done = CliRunner().invoke(main, ["bench", "nonsense"])
    assert done.exit_code == 2
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("Error")]
    assert "'nonsense'" in line
    assert all(name in line for name in PARTS)
    assert all(name in CliRunner().invoke(main, ["bench", "--help"]).stdout for name in PARTS)


@pytest.mark.parametrize(
    "arguments",
    [
        ["demo", "--seed", "-1"],
        ["bench", "--seed", "-1"],
        ["bench", "--out", "/dev/null/x"],
        ["demo", "--out", "x.foo"],
        ["demo", "--out", "/dev/null/x.png"],
    ],
)
def test_bad_options_are_refused_before_any_work(arguments: list[str]) -> None:
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 2
    assert "Error" in done.stderr

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from genreplay.bench.run import PARTS
from genreplay.cli import main
from genreplay.experiments.paper import fig3
from tests.bench.made_up import a_run


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TOY", "SECTION_4", "DIGITS"):
        monkeypatch.setattr(fig3, name, replace(getattr(fig3, name), n_dreams=50, n_temperatures=29))


@pytest.mark.usefixtures("small")
def test_demo_prints_a_table_for_each_contest_and_saves_the_picture(tmp_path: Path) -> None:
    picture = tmp_path / "new folder" / "demo.png"
    done = CliRunner().invoke(main, ["demo", "--out", str(picture)], env={"COLUMNS": "100"}, catch_exceptions=False)
    assert done.exit_code == 0
    for word in ("toy classes", "sorted digits", *fig3.FIG3_METHODS, "test nats", "bytes held", "seconds"):
        assert word in done.stdout
    assert f"Picture: {picture}" in done.stdout
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "toy in turn, OCD_GR" in done.stderr, "progress goes to stderr"


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_demo_gives_the_same_figures_for_the_same_seed(tmp_path: Path) -> None:
    outputs = [
        json.loads(
            CliRunner().invoke(main, ["demo", "--json", "--seed", seed, "--out", str(tmp_path / "x.png")]).stdout
        )
        for seed in ("1", "1", "2")
    ]
    nats = [output["toy classes"]["OCD_GR"]["nats"] for output in outputs]
    assert nats[0] == nats[1] != nats[2]
    assert sum(outputs[0]["toy classes"]["OCD_GR"]["counts"][-1]) == pytest.approx(50, abs=0.01)


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

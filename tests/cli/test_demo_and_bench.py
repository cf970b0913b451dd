from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from genreplay import bench as measure
from genreplay.cli import main
from genreplay.paper import fig3


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TOY", "SECTION_4", "DIGITS"):
        monkeypatch.setattr(fig3, name, replace(getattr(fig3, name), n_dreams=50, n_temperatures=29))


@pytest.mark.usefixtures("small")
def test_demo_prints_a_table_for_each_contest_and_saves_the_picture(tmp_path: Path) -> None:
    picture = tmp_path / "new folder" / "demo.png"
    done = CliRunner().invoke(main, ["demo", "--out", str(picture)], env={"COLUMNS": "100"}, catch_exceptions=False)
    assert done.exit_code == 0
    for word in ("toy classes", "sorted digits", *fig3.METHODS, "test nats", "bytes held", "seconds"):
        assert word in done.stdout
    assert f"Picture: {picture}" in done.stdout
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "toy in turn, OCD_GR" in done.stderr, "progress goes to stderr"


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


def test_ratios_are_relative_to_the_first_contestant() -> None:
    steps: list[str] = []
    ratios = measure.interleave({"one": lambda: steps.append("one"), "two": lambda: steps.append("two")}, n_turns=4)
    assert steps == ["one", "two"] * 5, "a warm-up, then turns"
    assert ratios[0].ratio == 1
    assert ratios[1].low <= ratios[1].high


def test_bench_prints_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "Shape", partial(measure.Shape, n_visible=20, n_hidden=10, n_rows=40))
    done = CliRunner().invoke(main, ["bench", "--json"], catch_exceptions=False)
    groups = json.loads(done.stdout)
    assert list(groups) == ["CD-1", "AIS", "replay"]
    assert all(row["ratio"] > 0 for group in groups.values() for row in group)


@pytest.mark.parametrize(
    "arguments",
    [
        ["demo", "--seed", "-1"],
        ["bench", "--seed", "-1"],
        ["demo", "--out", "x.foo"],
        ["demo", "--out", "/dev/null/x.png"],
    ],
)
def test_bad_options_are_refused_before_any_work(arguments: list[str]) -> None:
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 2
    assert "Error" in done.stderr

"""The verdict in words: every sentence is filled from the results, and changes with them."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest

from genreplay.experiments.anomaly import AnomalyRun
from genreplay.experiments.beyond import BeyondRun
from genreplay.experiments.calibration import CalibrationRun
from genreplay.experiments.faults import FaultsRun
from genreplay.experiments.incremental import IncrementalRun
from genreplay.experiments.log_z import PlantedRun
from genreplay.experiments.nab import NabRun
from genreplay.experiments.paper.cost import CostRun
from genreplay.experiments.paper.fig3 import ClassesInTurn
from genreplay.experiments.paper.offline import OfflineRun
from genreplay.experiments.paper.online import OnlineRun
from genreplay.experiments.regimes import RegimesRun
from genreplay.experiments.registry import EXPERIMENTS
from genreplay.experiments.results import Results
from genreplay.experiments.run import Run
from genreplay.experiments.sensors import SensorsRun
from genreplay.report.pages import first_page
from genreplay.report.section import LISTS, Finding, Section
from genreplay.report.sections import SECTIONS
from tests.report.made_up import World, likelihood, records, right, wrong

RIGHT, WRONG = Results(records(right)), Results(records(wrong))
SAYING = [section for section in SECTIONS if section.found(RIGHT)]
by_section = pytest.mark.parametrize("section", SAYING, ids=lambda section: section.name)


def test_the_verdict_speaks_of_the_paper_and_of_what_goes_beyond_it() -> None:
    assert {section.name for section in SECTIONS} - {section.name for section in SAYING} == {"samples", "runs"}


@by_section
@pytest.mark.parametrize("results", [RIGHT, WRONG], ids=["right", "wrong"])
def test_a_finding_is_a_phrase_and_a_sentence_with_figures(section: Section, results: Results) -> None:
    for each in section.found(results):
        assert each.said[0].isupper() or each.said[0] == "`"
        assert each.said[-1].isalnum() or each.said[-1] in ")`"
        assert each.figures[0].isupper() or each.figures[0].isdigit()
        assert each.figures.endswith(".")
        assert any(character.isdigit() for character in each.figures)
        assert each.said.count("`") % 2 == each.figures.count("`") % 2 == 0


@by_section
def test_in_another_world_every_finding_is_another(section: Section) -> None:
    for here, there in zip(section.found(RIGHT), section.found(WRONG), strict=True):
        assert here.figures != there.figures or here.kind == "note"
        if here.kind in ("holds", "fails"):
            assert (here.kind, there.kind) == ("holds", "fails")
            assert here.said != there.said


def test_the_first_page_has_every_finding_and_no_empty_item() -> None:
    page = first_page(RIGHT)
    lists = page[page.index('<div class="verdicts">') : page.index('id="claims"')]
    items = [unescape(re.sub(r"<[^>]+>", "", item)) for item in re.findall(r"<li>(.*?)</li>", lists)]
    said = [(section, each) for section in SECTIONS for each in section.found(RIGHT) if each.kind in LISTS]
    assert len(items) == len(said)
    assert all(len(item) > 40 for item in items)
    for section, each in said:
        text = each.text.replace("*", "").replace("`", "")
        (item,) = (item for item in items if item.startswith(text))
        assert item.endswith(section.title.partition(":")[0])
    assert lists.count("<section") == 2, "nothing fails where the paper is right"
    assert first_page(WRONG).count('<section class="f-fails">') == 1


def changed(kind: type[Run], change: Callable[[Any, dict[str, Any]], None]) -> World:
    """Right, but for a change of the figures of some runs."""

    def world(run: Run, seed: int) -> dict[str, Any]:
        figures = right(run, seed)
        if isinstance(run, kind):
            change(run, figures)
        return figures

    return world


def forget(run: ClassesInTurn, figures: dict[str, Any]) -> None:
    if run.n_epochs == 10:
        figures["counts"][-1] = [10] + [110] * 9


def worse(nats: float, **settings: object) -> Callable[[Any, dict[str, Any]], None]:
    def change(run: Any, figures: dict[str, Any]) -> None:
        if all(getattr(run, name) == value for name, value in settings.items()):
            figures |= likelihood(nats, 1, class_std=30.0)

    return change


def only(figure: str, value: object, **settings: object) -> Callable[[Any, dict[str, Any]], None]:
    def change(run: Any, figures: dict[str, Any]) -> None:
        if all(getattr(run, name) == each for name, each in settings.items()) and figure in figures:
            figures[figure] = value

    return change


MNIST = {"dataset": "mnist", "max_rows": None, "binarisation": "threshold", "n_cd": 1}
CHANGES: dict[str, tuple[str, World, str]] = {
    "a class is forgotten": ("fig3", changed(ClassesInTurn, forget), "9 of 10"),
    "MNIST is worse": (
        "fig4",
        changed(OnlineRun, worse(-140.0, order="random", n_hidden=500, method="OCD_GR", **MNIST)),
        "\N{MINUS SIGN}140.0 ± 0.0 nats",
    ),
    "a small memory is better": (
        "fig4",
        changed(OnlineRun, worse(-120.5, order="sorted", n_hidden=500, method="ER-ML", **MNIST)),
        "that memory (ER-ML) \N{MINUS SIGN}120.5",
    ),
    "offline training is better": (
        "table2",
        changed(OfflineRun, worse(-80.5, dataset="mnist", binarisation="threshold")),
        "our offline CD-1 \N{MINUS SIGN}80.5",
    ),
    "one set is lost": ("table2", changed(OnlineRun, worse(-999.0, method="OCD_GR", dataset="dna")), "8 of 14 cases"),
    "log Z is unknown": (
        "table2",
        changed(OnlineRun, only("doubt", "only 1.0 chains overlap", dataset="dna", method="OCD_GR")),
        "for a seed: 1 of 47",
    ),
    "the model stores rows": (
        "cost",
        changed(CostRun, lambda _, figures: figures["replay_bytes"].update(OCD_GR=[7] * 9)),
        "OCD_GR keeps 7 bytes",
    ),
    "the recipe fails on a set": (
        "beyond",
        changed(BeyondRun, worse(-400.0, dataset="nips", method="dream pool", variant="modern")),
        "on 8 of 9 data sets",
    ),
    "stored rows are better": (
        "beyond",
        changed(BeyondRun, worse(-70.5, dataset="mnist", order="sorted", method="ER-IM")),
        "\N{MINUS SIGN}70.5 nats with every row stored",
    ),
    "the RBM finds more": ("anomaly", changed(AnomalyRun, only("auc", 0.987, method="RBM")), "RBM 0.987"),
    "a rate is wrong": ("calibration", changed(CalibrationRun, only("alarms", [0.1, 0.1], dataset="pima")), "28 of 29"),
    "another rate is wrong": (
        "calibration",
        changed(AnomalyRun, only("dream_alarms", [0.1, 0.1], dataset="pima")),
        "on 28 of 29 tables",
    ),
    "faults are found": (
        "faults",
        changed(FaultsRun, only("auc", {"all": 0.987}, method="RBM")),
        "the RBM 0.987",
    ),
    "regimes are forgotten": (
        "regimes",
        changed(RegimesRun, only("returns", [{"regime": each, "alarms": 0.37} for each in "AC"], replay="dreams")),
        "37 % with dreams",
    ),
    "log Z is elsewhere": (
        "log-z",
        changed(PlantedRun, lambda run, figures: figures["models"].pop(1)),
        "agree on a wrong answer for 0,",
    ),
    "classes are forgotten": (
        "incremental",
        changed(IncrementalRun, only("accuracy", [0.1, 0.523], method="class models")),
        "52.3 % of the test rows are right",
    ),
    "NAB is harder": (
        "nab",
        changed(NabRun, only("scores", dict.fromkeys(("standard", "reward_low_FP_rate", "reward_low_FN_rate"), 12.5))),
        "12.5 of 100, more than 0 of 14",
    ),
    "faults of sensors are missed": (
        "sensors",
        changed(SensorsRun, only("found", {"all": 0.123}, method="RBM")),
        "12.3 % of the faults raise an alarm",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_result_changes_its_sentence(name: str) -> None:
    where, world, expected = CHANGES[name]
    (section,) = (each for each in SECTIONS if each.name == where)
    needed = {*section.experiments, "table2", "fig4"}
    before, after = (section.found(Results(records(each, needed))) for each in (right, world))
    assert not any(expected in each.figures for each in before)
    assert [each for each in after if expected in each.figures], [each.figures for each in after]


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_any_part_of_the_results_can_be_spoken_of(experiment: str) -> None:
    found = records(right, [experiment])
    for results in (Results(found), Results(found[:1])):
        for section in SECTIONS:
            assert all(isinstance(each, Finding) for each in section.found(results))


def test_no_results_say_nothing() -> None:
    nothing = Results([])
    assert not any(section.found(nothing) for section in SECTIONS)


def test_quick_runs_say_nothing() -> None:
    quick = Results(records(right, quick=True, n_seeds=1))
    assert quick.quick
    assert not any(section.found(quick) for section in SECTIONS)

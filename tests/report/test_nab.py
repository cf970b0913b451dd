"""The section on NAB: scores, published ones, categories, and a picture of each series."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from genreplay.datasets import files
from genreplay.datasets import nab as series_of_nab
from genreplay.experiments.nab import METHODS, PROFILES
from genreplay.experiments.nab.published import PUBLISHED
from genreplay.experiments.results import Results
from genreplay.experiments.run import Run
from genreplay.report import nab_pictures
from genreplay.report.markdown import nab_table
from genreplay.report.nab import CATEGORY_TITLES, DETECTOR_TITLES, content, table
from tests.datasets.tiny import needs_data
from tests.report.made_up import World, records, right, wrong
from tests.report.reader import page_of


def results(world: World = right, n_seeds: int = 3, quick: bool = False, **settings: object) -> Results:
    """Made-up results of the runs that have these settings."""

    def wanted(run: object) -> bool:
        return all(getattr(run, name) == value for name, value in settings.items())

    return Results(records(world, ["nab"], n_seeds, quick, wanted))


def test_every_method_has_its_scores_and_those_of_settings_chosen_by_halves() -> None:
    rows = table(results())
    assert [(row.method, row.n_settings) for row in rows] == [("RBM", 8), ("histograms", 8), ("histograms by hour", 8)]
    assert [round(row.defaults["standard"].mean) for row in rows] == [70, 60, 60]
    assert [row.defaults["standard"].deviation is None for row in rows] == [False, True, True]
    assert [round(row.halves.chosen["standard"]) for row in rows] == [70, 60, 60]


def test_a_learning_rate_without_all_seeds_is_not_among_the_choices() -> None:
    found = [each for each in records(right, ["nab"]) if not (each["settings"].get("learning_rate") and each["seed"])]
    assert table(Results(found))[0].n_settings == 8


def test_the_markdown_table_has_a_line_for_each_method() -> None:
    lines = nab_table(results()).splitlines()
    assert lines[2] == "| RBM | 70.0 | 70.0 | 70.0 | 70.0 | 70.0 | 70.0 |"
    assert "settings to choose from: 8 (RBM), 8 (histograms), 8 (histograms by hour)." in lines[-1]
    assert nab_table(Results([])) == ""
    assert "**Quick runs" in nab_table(results(quick=True))


def test_the_sentences_say_what_the_figures_say() -> None:
    section = content(results())
    assert section is not None
    assert section.sentences == [
        "With one set of defaults for all 58 series, the RBM scores 70.0 of 100 on the standard profile, 70.0 on low "
        "FP and 70.0 on low FN; on the standard profile that is more than 12 of 14 published detectors.",
        "In place of the RBM, with the same codes and the same alarms: histograms 60.0 and histograms by hour 60.0.",
        "With settings chosen on one half of the series and judged on the other: RBM 70.0, histograms 60.0 and "
        "histograms by hour 60.0.",
        "Of the 30.0 points that are missing, 50.0 are those of the 58 of 116 windows without an alarm, and at most "
        "8.2 those of 174 false alarms; alarms late in their windows cost the rest.",
    ]
    worse = content(results(wrong))
    assert worse is not None
    assert "50.0 of 100" in worse.sentences[0]
    assert "more than 5 of 14" in worse.sentences[0]


def test_ours_stand_among_the_published_ones_the_best_first() -> None:
    section = content(results())
    assert section is not None
    titles = [line.title for line in section.lines]
    assert titles[:4] == ["ARTime", "Numenta HTM", "RBM", "CAD OSE"]
    assert {line.title for line in section.lines if line.by_halves} == set(METHODS)
    assert len(titles) == len(set(titles)) == len(PUBLISHED) + len(METHODS)
    assert set(DETECTOR_TITLES) <= set(PUBLISHED)


@needs_data
def test_the_published_scores_are_those_of_the_file() -> None:
    folder = files.folder_with((series_of_nab.WINDOWS,))
    assert folder is not None
    published = json.loads((folder.path / "nab/published_results.json").read_text())
    assert set(published) - set(PUBLISHED) == {"null"}
    for name, scores in PUBLISHED.items():
        assert scores == pytest.approx(published[name], abs=6e-4)


def test_a_category_has_the_mean_over_seeds_and_no_score_without_windows() -> None:
    def world(run: Run, seed: int) -> dict[str, Any]:
        figures = right(run, seed)
        figures["categories"]["realTweets"]["n_false"] = 10 * seed
        figures["categories"]["artificialNoAnomaly"] |= {"n_windows": 0, "scores": dict.fromkeys(PROFILES)}
        return figures

    section = content(results(world))
    assert section is not None
    by_title = {each.title: each for each in section.categories["RBM"]}
    assert list(by_title) == list(CATEGORY_TITLES.values())
    assert sum(each.n_series for each in by_title.values()) == 58
    assert by_title["Tweets about companies"].n_false == 10
    assert by_title["Artificial, without anomalies"].scores == {}
    assert page_of(results(world), "nab").count('<span class="nothing">no window</span>') == 3 * len(METHODS)


def test_every_series_has_a_title_for_its_category() -> None:
    assert {name.split("/")[0] for name in series_of_nab.names()} == set(CATEGORY_TITLES)


def test_a_picture_has_windows_alarms_and_an_anomaly_that_is_cut_off() -> None:
    stored = right(Results([]).runs("nab")[0], 0)["pictures"]["realTweets/Twitter_volume_AAPL.csv"]
    picture = nab_pictures.draw("realTweets/Twitter_volume_AAPL.csv", stored)
    assert picture.title == "Twitter_volume_AAPL"
    assert picture.result == "1 of 2 windows found, 1 missed, 3 false alarms"
    assert picture.period == "2014-04-01 to 2014-04-14, 4,032 rows"
    assert picture.values_from_to == "values \N{MINUS SIGN}1.5 to 20"
    assert picture.windows == [(150, 30, True), (240, 30, False)]
    assert picture.probation == 44.9
    heights = [float(height) for height in re.findall(r"V([\d.]+)H", picture.anomaly)]
    top = nab_pictures.HEIGHT - 2 * (nab_pictures.HEIGHT - picture.threshold)
    assert [height < picture.threshold for height in heights] == [False, False, True, True, False, False]
    assert heights[3] == min(heights) == top
    assert picture.alarms_in_windows.count("M") == 1
    assert picture.false_alarms.count("M") == 3


def test_the_values_go_from_the_bottom_to_the_top_of_their_part() -> None:
    stored = right(Results([]).runs("nab")[0], 0)["pictures"]["realTweets/Twitter_volume_AAPL.csv"]
    path = nab_pictures.draw("a/b.csv", stored).values
    heights = [float(point.split()[1]) for point in path.strip("Mz").split("L")]
    assert len(heights) == 2 * len(stored["low"])
    assert (min(heights), max(heights)) == (14, 78)
    assert heights.index(14) == 3, "the highest value, and high is up"


def test_the_page_has_pictures_and_tables() -> None:
    section = page_of(results(), "nab")
    assert section.count("<svg") == 58
    assert section.count("<table") == 1 + len(METHODS)
    assert section.count('<tr class="mine">') == len(METHODS)
    assert "<details open>" not in section, "58 pictures are folded"
    assert '<td>70.0 <span class="spread">± 0.0</span></td>' in section
    assert "7 series, 7 of 14 windows found, 7 missed, 21 false alarms" in section
    assert "Not run" not in section


def test_without_the_rbm_the_page_says_what_is_missing() -> None:
    section = page_of(results(method="histograms"), "nab")
    assert "Not run: the RBM on NAB." in section
    assert "for pictures of the series." in section
    assert "<svg" not in section


def test_results_without_pictures_make_tables() -> None:
    def world(run: Run, seed: int) -> dict[str, Any]:
        return {name: each for name, each in right(run, seed).items() if name != "pictures"}

    section = page_of(results(world), "nab")
    assert "Not run: the RBM on NAB with the first seed, for pictures of the series." in section
    assert section.count("<table") == 1 + len(METHODS)


def test_quick_runs_are_not_set_beside_published_scores() -> None:
    section = content(results(quick=True, n_seeds=1))
    assert section is not None
    assert [line.title for line in section.lines] == list(METHODS)
    assert "published" not in " ".join(section.sentences)
    assert "NAB's file of published results" not in page_of(results(quick=True, n_seeds=1), "nab")
    assert sum(len(group.pictures) for group in section.groups) == 4


def test_what_was_not_run_makes_no_section() -> None:
    nothing = Results(records(right, ["fig5"], n_seeds=1))
    assert content(nothing) is None
    assert "Not run" in page_of(nothing, "nab")

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from genreplay.experiments.anomaly import VARIANTS, AnomalyRun
from genreplay.experiments.results import Results
from genreplay.experiments.run import Run
from genreplay.report.halves import DEFAULTS, FOREST, N_SPLITS, halves, split
from genreplay.report.markdown import anomaly_table
from tests.report.made_up import records, right
from tests.report.reader import page_of


def test_a_setting_that_is_best_everywhere_is_always_chosen_and_nothing_is_lost() -> None:
    rng = np.random.default_rng(0)
    defaults = rng.uniform(0.6, 0.9, 10)
    found = split({DEFAULTS: defaults, "better": defaults + 0.05, FOREST: defaults - 0.1}, n_rows=500)
    assert [setting.n_chosen for setting in found.settings] == [0, N_SPLITS]
    assert found.best_name == "better"
    assert found.chosen == found.best
    assert found.chosen - found.defaults == pytest.approx(0.05)
    assert found.chosen - found.forest == pytest.approx(0.15)
    assert "That is +0.050 against the defaults and +0.000 against the best setting on all sets (better)" in (
        found.sentence
    )


def test_a_setting_chosen_for_one_lucky_set_is_judged_without_it() -> None:
    """Whichever half has the lucky set chooses the setting, and the other half, where it is worse, judges it."""
    defaults = np.full(4, 0.8)
    lucky = np.array([1.0, 0.75, 0.75, 0.75])
    found = split({DEFAULTS: defaults, "lucky": lucky, FOREST: np.full(4, 0.7)}, n_rows=500)
    n_lucky = found.settings[1].n_chosen
    assert 0 < n_lucky < N_SPLITS
    assert found.chosen == pytest.approx(0.8 - 0.05 * n_lucky / N_SPLITS)
    assert found.defaults == pytest.approx(0.8)
    assert found.best_name == "lucky"
    assert found.forest == pytest.approx(0.7)


def test_the_defaults_are_named_where_they_are_best() -> None:
    defaults = np.full(5, 0.8)
    found = split({DEFAULTS: defaults, "worse": defaults - 0.1, FOREST: defaults}, n_rows=500)
    assert "+0.000 against the defaults, which are also the best setting on all sets." in found.sentence


def test_all_sets_that_have_every_setting_are_split() -> None:
    def world(run: Run, seed: int) -> dict[str, Any]:
        assert isinstance(run, AnomalyRun)
        lacks_one = run.dataset == "smtp" and run.variant == VARIANTS[0]
        return right(run, seed) | ({"auc": None} if lacks_one else {})

    found = halves(Results(records(world, ["variants"])))
    assert found is not None
    assert (found.n_sets, found.n_rows) == (27, 5_000)
    assert [setting.name for setting in found.settings] == [DEFAULTS, *VARIANTS]
    assert found.defaults == pytest.approx(0.89), "the seed that all settings have"
    assert found.chosen == pytest.approx(0.89)
    assert found.forest == pytest.approx(0.94)


def test_a_few_sets_or_a_missing_setting_are_not_split() -> None:
    assert halves(Results(records(right, ["anomaly"]))) is None
    few = records(right, ["variants"], only=lambda run: run.dataset in ("skin", "smtp"))
    assert halves(Results(few)) is None
    without = records(right, ["variants"], only=lambda run: run.variant != VARIANTS[-1])
    assert halves(Results(without)) is None


def test_the_page_and_the_markdown_tell_it() -> None:
    results = Results(records(right, ["anomaly", "variants"]))
    found = halves(results)
    assert found is not None
    assert found.sentence in anomaly_table(results)
    page = page_of(results, "anomaly")
    assert f"<code>{VARIANTS[0]}</code></th><td>0.880</td><td>0 of {N_SPLITS}</td>" in page
    assert "Not run: the RBM with other settings" not in page
    n_runs = 28 * (3 + 3 + len(VARIANTS))
    row = rf"<code>variants</code></th><td>{n_runs} of {n_runs}</td>"
    assert re.search(row, page_of(results, "runs")), "variants have one seed"

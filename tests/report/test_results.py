from __future__ import annotations

import math

import pytest
from tools.prune_results import prune

from genreplay.experiments.paper.online import OnlineRun
from genreplay.experiments.results import Results, estimate
from genreplay.experiments.run import describe
from tests.report.made_up import likelihood, records, right


def test_runs_are_found_by_the_settings_that_name_them() -> None:
    results = Results(records(right))
    found = results.find("fig4", order="sorted", n_hidden=250, method="ER-IM")
    assert [record["seed"] for record in found] == [0, 1, 2]
    assert all(record["settings"] == {"order": "sorted", "n_hidden": 250, "method": "ER-IM"} for record in found)
    assert results.find("fig4", order="sorted", n_hidden=999, method="ER-IM") == []
    assert results.find("table2", kind="offline", dataset="dna")[0]["kind"] == "offline"
    assert not results.quick
    assert results.n_not_listed == 0


def test_runs_at_500_units_in_random_order_are_those_with_the_curve() -> None:
    results = Results(records(right, ["fig5"]))
    assert results.find("fig4", order="random", n_hidden=500, method="OCD_GR") == results.find("fig5", method="OCD_GR")


def test_a_file_of_quick_runs_is_read_as_such_and_full_runs_come_first() -> None:
    def small(run: object, seed: int) -> dict[str, object]:
        return likelihood(-100.0, seed)

    quick = records(small, ["cd-steps"], n_seeds=1, quick=True)
    assert Results(quick).quick
    assert Results(quick).nats("cd-steps", n_cd=3) is not None
    both = Results(quick + records(right, ["fig3"]))
    assert not both.quick
    assert both.nats("cd-steps", n_cd=3) is None
    assert both.n_not_listed == len(quick)


def test_results_of_the_version_that_is_replaced_are_shown_until_all_seeds_have_run_again() -> None:
    run = OnlineRun(dataset="dna")
    now = [{**describe(run, seed), "figures": likelihood(-90.0, seed)} for seed in range(3)]
    before = [each | {"version": run.replaces[0], "figures": likelihood(-80.0, each["seed"])} for each in now]
    assert Results(before).of(run) == before
    assert Results([*before, *now[:2]]).of(run) == before
    assert Results([*before, *now]).of(run) == now
    assert Results([*before, *now[:2]]).n_not_listed == 2
    assert prune([*before, *now[:2]]) == [*before, *now[:2]], "what has run again is not lost"
    assert prune([*before, *now]) == now


def test_no_results_are_not_quick_results() -> None:
    assert not Results([]).quick
    assert Results([]).records == []


def test_an_estimate_sums_up_the_seeds() -> None:
    found = estimate([{"figures": likelihood(nats, 1, class_std=20.0)} for nats in (-10.0, -13.0)])
    assert found is not None
    assert found.mean == -11.5
    assert found.deviation == pytest.approx(3 / 2**0.5)
    assert found.error == pytest.approx(((9 / 2 + 0.1**2) / 2) ** 0.5)
    assert found.doubt == ""
    assert found.class_std == 20.0


def test_one_seed_has_no_deviation_and_no_error() -> None:
    found = estimate([{"figures": likelihood(-10.0, 1)}])
    assert found is not None
    assert found.deviation is None
    assert found.error is None


def test_seeds_whose_log_z_is_unknown_do_not_count() -> None:
    known = [{"figures": likelihood(nats, 1, class_std=20.0)} for nats in (-10.0, -13.0)]
    unknown = {"figures": likelihood(+26.0, 1, class_std=90.0, doubt="the weights of only 0.7 chains overlap")}
    found, alone = estimate([*known, unknown]), estimate(known)
    assert found is not None
    assert alone is not None
    assert (found.mean, found.deviation, found.error, found.class_std) == (*alone[:2], alone.error, 20.0)
    assert (found.n_seeds, found.doubt, alone.doubt) == (3, "log Z is unknown for 1 of 3 seeds", "")
    nothing = estimate([unknown])
    assert nothing is not None
    assert math.isnan(nothing.mean)
    assert (nothing.deviation, nothing.doubt) == (None, "log Z is unknown for 1 of 1 seeds")

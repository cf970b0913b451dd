"""Models that meet: splits over nodes, rounds over files, an attack, and the quick form."""

from __future__ import annotations

import numpy as np
import pytest

from genreplay import OnlineRBM, datasets
from genreplay.core.kernels import Array
from genreplay.datasets.faults import SENSORS
from genreplay.datasets.machines import machine
from genreplay.experiments.fleet import DigitsRun, MachinesRun, MembershipRun, MergeIdeasRun, runs
from genreplay.experiments.fleet.digits import averaged
from genreplay.experiments.run import Figures


def silent(share: float, doing: str) -> None:
    """Say nothing."""


def quick(kind: type, **settings: object) -> Figures:
    (run,) = (
        run
        for run in runs(quick=True)
        if isinstance(run, kind) and all(getattr(run, name) == value for name, value in settings.items())
    )
    return run.execute(0, silent)


def test_a_node_gets_one_digit_or_any_and_each_row_goes_to_one_node() -> None:
    data = datasets.load("digits")
    assert data.train_labels is not None
    by_digit, at_random = (DigitsRun("digits", split)._split(data, 0) for split in ("digit", "random"))
    for places in (by_digit, at_random):
        assert sorted(np.concatenate(places).tolist()) == list(range(len(data.train)))
    assert [np.unique(data.train_labels[places]).tolist() for places in by_digit] == [[digit] for digit in range(10)]
    assert all(len(np.unique(data.train_labels[places])) > 7 for places in at_random)


def test_averaged_parameters_are_weighted_by_rows() -> None:
    nodes = [
        OnlineRBM(3, batch_size=10, random_state=0).fit(np.eye(4)[np.full(n, place)])
        for place, n in enumerate((10, 30))
    ]
    hub = averaged(nodes)

    def mean(first: Array, second: Array) -> Array:
        return 0.25 * first + 0.75 * second

    np.testing.assert_allclose(hub.components_, mean(*(node.components_ for node in nodes)), rtol=1e-5)
    assert hub.n_rows_seen_ == 40
    assert hub.partial_fit(np.eye(4).repeat(10, axis=0)).n_updates_ == nodes[0].n_updates_ + 4


def test_machines_differ_in_their_sensors_and_in_nothing_else() -> None:
    tables = [machine(0, 300, seed) for seed in (0, 0, 1)]
    assert tables[0].rows.tolist() == tables[1].rows.tolist() != tables[2].rows.tolist()
    means = {
        sensor: [
            np.mean([cell for cell in machine(k, 2_000).column(sensor) if cell is not None]).item() for k in range(4)
        ]
        for sensor in SENSORS
    }
    assert all(np.ptp(each) > 0.05 * np.mean(each) for each in means.values())
    with pytest.raises(datasets.DatasetError, match="'number' of a machine"):
        machine(-1)


@pytest.mark.slow
def test_nodes_that_meet_through_their_dreams_know_more_than_averaged_ones() -> None:
    once = quick(DigitsRun, split="digit", method="dreams", n_rounds=1)
    one = quick(DigitsRun, split="none")["hub"][0]["nats"]
    assert one - 5 < once["hub"][0]["nats"]
    assert once["averaged"]["nats"] + 1 < once["hub"][0]["nats"]
    assert max(node["nats"] for node in once["nodes"]) < once["hub"][0]["nats"]
    assert once["sent"] > 10 * 4 * 64 * 20
    assert min(once["digits"]) > 0
    rounds = quick(DigitsRun, split="digit", method="dreams", n_rounds=3)
    assert len(rounds["hub"]) == 3
    assert len(quick(DigitsRun, method="averaged")["hub"]) == 3


@pytest.mark.slow
def test_every_idea_and_every_recipe_of_the_attack_runs() -> None:
    nats = quick(MergeIdeasRun, split="digit")["nats"]
    assert nats["averaged"] < nats["dreams"]
    attacks = {run.learner: run.execute(0, silent) for run in runs(quick=True) if isinstance(run, MembershipRun)}
    assert all(0.4 < each["auc"] < 0.8 for each in attacks.values())
    assert attacks["noise 4"]["auc_reference"] < attacks["modern"]["auc_reference"]
    assert attacks["paper"]["epsilon"] is attacks["bounded"]["epsilon"] is None
    assert attacks["noise 4"]["epsilon"] < attacks["noise 1"]["epsilon"] < attacks["noise 0.1"]["epsilon"]


@pytest.mark.slow
def test_a_new_machine_with_a_prior_has_scores_from_the_start() -> None:
    found = quick(MachinesRun)
    assert set(found["detection"]) == {"a model for each", "one for all", "merged"}
    assert found["curves"]["cold"]["auc"][0] is None
    assert found["curves"]["prior"]["auc"][0] > 0.6

from __future__ import annotations

import pytest

from genreplay import datasets
from genreplay.estimators import OnlineRBM
from genreplay.experiments.log_z import RepeatedRun
from genreplay.experiments.readings.reading import NAMED
from tests.datasets.tiny import needs_data


@needs_data
def test_estimates_of_a_model_that_learned_agree_with_its_exact_log_z() -> None:
    run = RepeatedRun("dna", reading="C", n_hidden=10, n_estimates=2, n_temperatures=290)
    estimates = run.execute(0, lambda share, doing: None)["estimates"]
    data = datasets.order(datasets.load("dna"), "random", 0)
    model = OnlineRBM(10, recipe=NAMED["C"].recipe("OCD_GR"), random_state=0).partial_fit(data.train)
    truth = model.score_samples(data.test, model.log_partition("exact")).mean()
    first, second = estimates
    assert first != second
    for each in estimates:
        assert not each["doubt"]
        assert each["nats"] == pytest.approx(truth, abs=4 * each["error"])

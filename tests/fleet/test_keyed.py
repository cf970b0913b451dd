"""What a key learns depends on its own rows and on nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from genreplay.estimators.detector import OnlineRBMDetector
from genreplay.estimators.plain_detector import Detector
from genreplay.fleet.keyed import Blueprint, FleetError, advance, seed_of
from genreplay.streams.schema import Schema
from tests.fleet.made_up import SCHEMA, blueprint, rows


def test_a_key_learns_the_same_however_its_rows_are_cut() -> None:
    _, cells = rows(1, 150)
    whole, model = advance(None, "m", cells, blueprint())
    held, parts = None, []
    for first, last in ((0, 7), (7, 31), (31, 32), (32, 150)):
        found, held = advance(held, "m", cells[first:last], blueprint())
        parts.append(found)
    assert held == model
    for name, values in whole._asdict().items():
        np.testing.assert_array_equal(np.concatenate([getattr(part, name) for part in parts]), values)
    assert np.isnan(whole.anomaly).sum() == 30
    np.testing.assert_array_equal(whole.p_value, np.exp(-whole.anomaly))


def test_a_key_is_the_detector_of_its_rows_with_its_own_seed() -> None:
    _, cells = rows(1, 150)
    plan = blueprint(seed=3)
    found, _ = advance(None, "m", cells, plan)
    alone = Detector(plan.detector.encoder, plan.detector.rbm, warm_up=30, random_state=seed_of(3, "m"))
    np.testing.assert_array_equal(alone.learn_scored(cells), found.anomaly)
    other, _ = advance(None, "n", cells, plan)
    assert not np.array_equal(other.anomaly, found.anomaly, equal_nan=True)


def test_the_reasons_are_the_columns_that_explain_most() -> None:
    _, cells = rows(1, 200)
    _, content = advance(None, "m", cells, blueprint())
    strange = np.array([["run", 1000.0, 99.0], ["idle", 1000.0, 25.0]], dtype=object)
    explained = Detector.from_bytes(content).explain(strange)
    found, _ = advance(content, "m", strange, blueprint())
    for nats, reasons in zip(explained, found.reasons, strict=True):
        order = sorted(np.flatnonzero(nats > 0), key=lambda column, nats=nats: -nats[column])
        assert [place for place in reasons if place >= 0] == order[:3]
    assert found.reasons[0, 0] == 2


@pytest.mark.parametrize(
    ("kinds", "sentence"),
    [
        (
            {"mode": "category", "speed": "number", "temp": "number", "hum": "number"},
            "The model of key 'm' does not know the column 'hum'",
        ),
        ({"mode": "category", "speed": "number"}, "The model of key 'm' needs the column 'temp'"),
        (
            {"mode": "category", "speed": "category", "temp": "number"},
            "The model of key 'm' has learned column 'speed' as number, but now it is category",
        ),
        ({"speed": "number", "mode": "category", "temp": "number"}, "has the columns in the order 'mode', 'speed'"),
    ],
)
def test_a_change_of_columns_is_refused_by_key_and_column(kinds: dict[str, str], sentence: str) -> None:
    _, content = advance(None, "m", rows(1, 50)[1], blueprint())
    plan = blueprint()
    changed = Blueprint(Schema(kinds), plan.detector)  # type: ignore[arg-type]
    with pytest.raises(FleetError, match=sentence):
        advance(content, "m", rows(1, 5)[1], changed)


def test_a_cell_that_cannot_be_read_is_named_by_key_and_column() -> None:
    with pytest.raises(FleetError, match="Key 'm', column 'speed': 'fast' is not a number"):
        blueprint().cells({"mode": ["run"], "speed": ["fast"], "temp": [1.0]}, "m")


def test_a_new_key_goes_on_from_the_prior_with_its_own_seed() -> None:
    _, cells = rows(1, 205)
    _, prior = advance(None, "fleet", cells, blueprint())
    plan = blueprint().with_prior(prior)
    found, content = advance(None, "new", cells[:50], plan)
    assert not np.isnan(found.anomaly).any(), "it needs no warm-up"
    model = Detector.from_bytes(content)
    assert model.n_rows_seen_ == 255
    assert model.random_state == seed_of(0, "new")
    expected = Detector.from_bytes(prior).flush().reseed(seed_of(0, "new")).learn_scored(cells[:50])
    np.testing.assert_array_equal(found.anomaly, expected)


def test_a_prior_from_a_data_frame_fits_by_the_names_of_its_columns() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows(1, 100)[1], columns=list(SCHEMA.names)).infer_objects()
    model = OnlineRBMDetector(warm_up=50, random_state=0).partial_fit(frame)
    found, _ = advance(None, "m", rows(1, 20)[1], blueprint().with_prior(model.to_bytes()))
    assert not np.isnan(found.anomaly).any()


def test_a_prior_in_its_warm_up_is_refused() -> None:
    _, content = advance(None, "m", rows(1, 20)[1], blueprint())
    with pytest.raises(FleetError, match="still in its warm-up"):
        blueprint().with_prior(content)

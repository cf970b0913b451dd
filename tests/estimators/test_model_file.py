"""What a model file may hold: the designed forgeries. Thousands of others are in tests/attack."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from genreplay import CheckpointError, OnlineRBM, OnlineRBMDetector, TableEncoder, TableRBM, series_detector
from genreplay.core import checkpoint
from genreplay.core.grouped import Dreams
from genreplay.core.model_arrays import Form, check_arrays
from genreplay.core.model_file import LARGEST_FILE
from tests.attack.forging import Forged, write

SMALL = TableRBM(n_hidden=3, n_first=2, batch_size=5, replay=Dreams(size=6, n_rows=4))
Change = Callable[[checkpoint.Tensors, dict[str, Any]], None]


def table(n: int = 60) -> np.ndarray[Any, Any]:
    rng, rows = np.random.default_rng(0), np.empty((n, 4), dtype=object)
    rows[:, 0], rows[:, 1] = rng.normal(size=n), rng.integers(0, 9, n).astype(float)
    rows[:, 2], rows[:, 3] = rng.choice(["a", "b"], n), [f"2024-01-{1 + i % 28:02}T10:00:00" for i in range(n)]
    return rows


def bits(n: int = 33) -> np.ndarray[Any, Any]:
    return (np.random.default_rng(0).random((n, 9)) < 0.3).astype(float)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("models")
    models = {
        "detector": OnlineRBMDetector(TableEncoder(warm_up=40), SMALL, random_state=0).partial_fit(table()),
        "new": OnlineRBMDetector(TableEncoder(warm_up=40), SMALL, random_state=0).partial_fit(table(10)),
        "series": series_detector(warm_up=40, random_state=0).partial_fit(table()),
        "learner": OnlineRBM(n_hidden=4, batch_size=10, random_state=0).partial_fit(bits()),
    }
    for name, model in models.items():
        model.save(folder / name)
    return {name: folder / name for name in models}


def load(path: Path) -> OnlineRBM | OnlineRBMDetector:
    return OnlineRBM.load(path) if path.name == "learner" else OnlineRBMDetector.load(path)


def refusal(path: Path, change: Change, tmp_path: Path) -> str:
    """What is said against a file that was changed, and whose digest is right."""
    tensors, header = checkpoint.read(path)
    tensors = {name: array.copy() for name, array in tensors.items()}
    change(tensors, header)
    forged = tmp_path / path.name
    write(forged, Forged("", tensors, header, False))
    with pytest.raises(CheckpointError) as caught:
        load(forged)
    message = str(caught.value)
    assert message.startswith(f"{forged} cannot be read. ")
    assert message.endswith(".")
    assert "\n" not in message
    assert len(message) < 500
    return message


def put(name: str, value: float) -> Change:
    def change(tensors: checkpoint.Tensors, header: dict[str, Any]) -> None:
        tensors[name].reshape(-1)[0] = value

    return change


def times(name: str, factor: float) -> Change:
    def change(tensors: checkpoint.Tensors, header: dict[str, Any]) -> None:
        tensors[name] *= tensors[name].dtype.type(factor)

    return change


def cast(name: str, kind: str) -> Change:
    def change(tensors: checkpoint.Tensors, header: dict[str, Any]) -> None:
        tensors[name] = tensors[name].astype(kind)

    return change


def say(place: str, value: object) -> Change:
    def change(tensors: checkpoint.Tensors, header: dict[str, Any]) -> None:
        *way, last = [int(key) if key.isdigit() else key for key in place.split(".")]
        found: Any = header
        for key in way:
            found = found[key]
        found[last] = value

    return change


ARRAYS = [
    ("detector", "rbm.W", put("rbm.W", math.nan)),
    ("detector", "rbm.W", put("rbm.W", 8.1)),
    ("detector", "rbm.W", times("rbm.W", 1e30)),
    ("detector", "rbm.W", cast("rbm.W", "int64")),
    ("detector", "rbm.W", cast("rbm.W", "float32")),
    ("detector", "rbm.a", put("rbm.a", math.inf)),
    ("detector", "rbm.a", put("rbm.a", 7.0)),
    ("detector", "rbm.b", put("rbm.b", -math.inf)),
    ("detector", "square.W", put("square.W", -1.0)),
    ("detector", "counts", put("counts", -1.0)),
    ("detector", "prior", put("prior", 0.0)),
    ("detector", "offsets", put("offsets", 1)),
    ("detector", "rehearsed", put("rehearsed", 255)),
    ("detector", "waiting", lambda tensors, header: tensors.update(waiting=np.full((2, 6), 255, dtype=np.uint8))),
    ("learner", "theta.W", put("theta.W", math.nan)),
    ("learner", "theta.W", times("theta.W", 1e30)),
    ("learner", "theta.W", cast("theta.W", "int64")),
    ("learner", "theta.a", put("theta.a", math.inf)),
    ("learner", "average.b", put("average.b", 1e7)),
    ("learner", "velocity.W", cast("velocity.W", "float64")),
    ("learner", "chains", put("chains", 2.0)),
    ("learner", "waiting", put("waiting", -1.0)),
    ("learner", "ones", put("ones", 1e9)),
    ("learner", "n_learned", put("past.n_learned", -1)),
    ("learner", "dreams", cast("past.dreams", "int8")),
    ("learner", "ones", lambda tensors, header: tensors.pop("ones")),
    ("learner", "more", lambda tensors, header: tensors.update(more=np.zeros(3))),
    ("learner", "past", lambda tensors, header: tensors.update({"past.past": np.zeros(3)})),
]


@pytest.mark.parametrize(
    ("model", "named", "change"), ARRAYS, ids=[f"{m} {n} {i}" for i, (m, n, _) in enumerate(ARRAYS)]
)
def test_a_forged_array_is_refused_by_its_name(
    model: str, named: str, change: Change, files: dict[str, Path], tmp_path: Path
) -> None:
    assert repr(named) in refusal(files[model], change, tmp_path)


HEADER = [
    ("detector", "extra.encoder.codes.3.n_sectors", 20_000),
    ("detector", "extra.encoder.codes.0.cuts.0", math.nan),
    ("detector", "extra.encoder.codes.0.cuts.0", 1e9),
    ("detector", "extra.encoder.codes.0.usual.1", 99),
    ("detector", "extra.encoder.codes.0.quantiles.0.0", None),
    ("detector", "extra.encoder.codes.2.labels", ["a", "a"]),
    ("detector", "extra.encoder.codes.2.kind", "colour"),
    ("detector", "extra.encoder.combinations.deviation.0", 0.0),
    ("detector", "extra.encoder.combinations.scale.0", math.inf),
    ("detector", "extra.encoder.columns", ["a", "b"]),
    ("detector", "extra.encoder.settings.n_bins", 244),
    ("detector", "extra.encoder.settings.dtype", "S1000000000"),
    ("detector", "extra.judge.row.counts", []),
    ("detector", "extra.judge.row.spread", 0.0),
    ("detector", "extra.judge.judged.0", False),
    ("detector", "extra.means.0.0", 0.0),
    ("detector", "extra.drift.1", -1.0),
    ("detector", "extra.renewal.columns", [0]),
    ("detector", "extra.frame", "os"),
    ("detector", "extra.threshold", math.nan),
    ("detector", "counters.n_learned", -1),
    ("detector", "generator.bit_generator", "MT19937"),
    ("detector", "generator.state.inc", 2**128),
    ("detector", "extra.params.contamination", 0.6),
    ("detector", "extra.params.rbm.ingredient.settings.n_hidden", 4),
    ("detector", "extra.params.rbm.ingredient.settings.replay.settings.size", 5),
    ("detector", "extra.params.rbm.ingredient.class", "Rehearsed"),
    ("detector", "extra.params.alarms", {"ingredient": {"class": "Nothing", "settings": {}}}),
    ("detector", "extra.params.encoder.estimator", "Popen"),
    ("detector", "more", 0),
    ("new", "extra.params.rbm.ingredient.settings.n_hidden", 1_000_000),
    ("new", "extra.params.rbm.ingredient.settings.n_first", 2**31),
    ("new", "extra.params.rbm.ingredient.settings.replay.settings.n_gibbs", 2**31),
    ("new", "extra.params.rbm.ingredient.settings.replay.settings.size", 2**31),
    ("new", "extra.params.warm_up", 0),
    ("new", "extra.encoder.rows.0", []),
    ("new", "extra.encoder.rows.0.0", 10**400),
    ("new", "extra.encoder.rows.0.0", {"time": 0.0, "label": "a"}),
    ("series", "extra.running.n_columns", 99),
    ("series", "extra.running.variance.0.0", -1.0),
    ("series", "extra.running.recent", []),
    ("series", "extra.params.alarms.ingredient.settings.scales", [2**31]),
    ("learner", "t", 0),
    ("learner", "batch_rows", 10**9),
    ("learner", "batch_rows", 1),
    ("learner", "n_learned", 0),
    ("learner", "recipe.settings.n_cd", 10**6),
    ("learner", "recipe.settings.negative.settings.n_chains", 149),
    ("learner", "recipe.settings.n_epochs.settings.n_epochs.settings.first", 1e300),
    ("learner", "recipe.settings.replay.settings.size", 10**9),
    ("learner", "recipe", {"class": "DreamPool", "settings": {}}),
    ("learner", "extra.params.n_hidden", 5),
    ("learner", "extra.params.dtype", "float64"),
    ("learner", "extra.params.binarize", 10**400),
    ("learner", "extra.params.more", 1),
    ("learner", "extra.feature_names", ["a"]),
    ("learner", "generator.uinteger", 2**32),
]  # fmt: skip


@pytest.mark.parametrize(("model", "place", "value"), HEADER, ids=[f"{m} {p} {str(v)[:9]}" for m, p, v in HEADER])
def test_a_forged_header_is_refused(
    model: str, place: str, value: object, files: dict[str, Path], tmp_path: Path
) -> None:
    refusal(files[model], say(place, value), tmp_path)


def test_what_is_wrong_in_the_header_is_said_with_its_place(files: dict[str, Path], tmp_path: Path) -> None:
    said = refusal(files["detector"], say("extra.encoder.codes.3.n_sectors", 20_000), tmp_path)
    assert said.endswith("Its header is wrong at extra.encoder.codes[3].n_sectors: Expected `int` <= 254.")


@pytest.mark.parametrize("model", ["detector", "new", "series", "learner"])
def test_a_sound_file_is_read_and_written_again_to_the_bit(model: str, files: dict[str, Path], tmp_path: Path) -> None:
    load(files[model]).save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == files[model].read_bytes()


def test_a_header_that_is_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    nested: list[Any] = []
    for _ in range(900):
        nested = [nested]
    path = tmp_path / "model"
    checkpoint.write(path, {}, {"extra": {"estimator": "OnlineRBM", "params": {"n_hidden": nested}}})
    with pytest.raises(CheckpointError):
        OnlineRBM.load(path)


def test_a_file_of_more_than_a_gigabyte_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "model"
    with open(path, "wb") as file:
        file.truncate(LARGEST_FILE + 1)  # takes no room on the disk
    with pytest.raises(CheckpointError, match="has 1,073,741,825 bytes, more than the 1,073,741,824 that a model may"):
        OnlineRBM.load(path)


def test_a_header_longer_than_the_file_is_refused(files: dict[str, Path], tmp_path: Path) -> None:
    content = files["learner"].read_bytes()
    (tmp_path / "model").write_bytes((2**62).to_bytes(8, "little") + content[8:])
    with pytest.raises(CheckpointError, match="is not a genreplay model, or it is truncated"):
        OnlineRBM.load(tmp_path / "model")


def test_what_is_not_finite_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        checkpoint.write(tmp_path / "model", {}, {"extra": {"loss": math.nan}})
    assert not list(tmp_path.iterdir())


def test_sums_beyond_all_floats_can_be_saved(tmp_path: Path) -> None:
    rows = np.full((60, 2), 1.5e308) * np.random.default_rng(0).uniform(0.9, 1, (60, 2))
    model = OnlineRBMDetector(TableEncoder(warm_up=40), SMALL, random_state=0).partial_fit(rows)
    model.save(tmp_path / "model")
    again = OnlineRBMDetector.load(tmp_path / "model")
    np.testing.assert_array_equal(again.surprise(rows), model.surprise(rows))


def test_limits_may_differ_from_column_to_column() -> None:
    form = Form("uint8", (None, 2), 0, np.array([1, 3]))
    check_arrays({"codes": np.array([[1, 3]], dtype=np.uint8)}, codes=form)
    with pytest.raises(ValueError, match="'codes' has values"):
        check_arrays({"codes": np.array([[2, 3]], dtype=np.uint8)}, codes=form)


def test_a_model_that_could_not_be_read_again_is_not_saved(tmp_path: Path) -> None:
    path = tmp_path / "m"
    model = OnlineRBM(4, batch_size=20, random_state=0).fit(np.eye(8).repeat(5, axis=0))
    model.save(path)
    before = path.read_bytes()
    rbm = model.state_.rbm
    model.state_ = model.state_._replace(rbm=rbm._replace(W=rbm.W * 1e9))
    with pytest.raises(ValueError, match=r"is not written, since it could not be read again\. Its array 'theta.W' has"):
        model.save(path)
    assert path.read_bytes() == before, "the file from before is still there"

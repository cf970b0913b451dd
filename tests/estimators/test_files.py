"""Saving and loading: learning goes on to the bit, and no bad file is ever taken for a model."""

import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from safetensors.numpy import save as serialize
from sklearn.exceptions import NotFittedError

from genreplay import (
    MODERN,
    PAPER,
    CheckpointError,
    DreamPool,
    GenerativeReplay,
    MemoryReplay,
    NoReplay,
    OnlineRBM,
    Recipe,
    Replay,
)
from genreplay.core import checkpoint
from genreplay.core.averaging import RecentAverage
from genreplay.core.contrastive import Centred, FromChains, FromRowsAndChains
from genreplay.core.ingredient import Ingredient
from genreplay.core.rehearsal import NewRows, OnDrift
from genreplay.core.schedules import Clock, EqualTime, Falling, LowAtFirst, Schedule
from genreplay.core.start import BaseRateStart
from genreplay.core.steps import MiniBatches, WeightsDecay
from tests.estimators.snapshot import snapshot

NAMES = list("abcdef")
SMALL = MODERN.replace(n_epochs=2, rehearsal__rows_per_new=1.5)
STRATEGIES = [
    "generative",
    "limited-memory",
    "infinite-memory",
    "none",
    DreamPool(size=25),
    GenerativeReplay(n_gibbs=3),
    MemoryReplay(capacity=50),
    MemoryReplay(packed=True, policy="reservoir"),
    MemoryReplay(capacity_bytes=200, policy="reservoir"),
]


def bits(n_rows: int, seed: int = 0) -> npt.NDArray[np.float64]:
    return (np.random.default_rng(seed).random((n_rows, 6)) < 0.3).astype(np.float64)


def small(**params: Any) -> OnlineRBM:
    return OnlineRBM(**{"n_hidden": 4, "recipe": SMALL, "batch_size": 20, "random_state": 0, **params})


def saved(path: Path, **params: Any) -> bytes:
    small(**params).fit(bits(70)).save(path)
    return path.read_bytes()


def whole(model: OnlineRBM) -> dict[str, object]:
    """The training state and the settings."""
    return {**snapshot(model), "recipe": model.recipe_, "params": model.get_params()}


def refusal(path: Path) -> str:
    """What ``load`` says against a file: one line that names the file and ends as a sentence does."""
    with pytest.raises(CheckpointError) as caught:
        OnlineRBM.load(path)
    message = str(caught.value)
    assert isinstance(caught.value, ValueError)
    assert message.startswith(str(path))
    assert message.endswith(".")
    assert "\n" not in message
    return message


@pytest.mark.parametrize("dtype", ["float32", pytest.param("float64", marks=pytest.mark.slow)])
@pytest.mark.parametrize("recipe", ["paper", "modern"])
@pytest.mark.parametrize("replay", STRATEGIES, ids=str)
def test_a_loaded_model_learns_on_to_the_bit(replay: str | Replay, recipe: str, dtype: str, tmp_path: Path) -> None:
    path, rows = tmp_path / "model.safetensors", bits(400)
    if isinstance(replay, DreamPool) and recipe == "paper":
        model = small(replay=replay, recipe=PAPER.replace(negative=FromRowsAndChains()), dtype=dtype)
    else:
        model = small(replay=replay, recipe=recipe, dtype=dtype)
    for start in range(0, 330, 33):
        model.partial_fit(rows[start : start + 33])
    assert model.state_.n_waiting == 10
    model.save(path)
    assert os.listdir(tmp_path) == [path.name]
    loaded = OnlineRBM.load(path)
    assert whole(loaded) == whole(model)
    assert loaded.replay_nbytes_ == model.replay_nbytes_
    np.testing.assert_array_equal(loaded.sample(9), model.sample(9))
    np.testing.assert_array_equal(loaded.score_samples(rows), model.score_samples(rows))
    for learner in (model, loaded):
        learner.partial_fit(rows[330:])
    assert whole(loaded) == whole(model)
    assert model.n_updates_ == 20


@pytest.mark.parametrize("replay", ["generative", MemoryReplay(capacity=50)], ids=str)
def test_a_model_that_has_not_yet_learned_can_be_saved(replay: str | Replay, tmp_path: Path) -> None:
    model = small(replay=replay).partial_fit(bits(7))
    model.save(tmp_path / "model")
    loaded = OnlineRBM.load(tmp_path / "model")
    assert whole(loaded.partial_fit(bits(70))) == whole(model.partial_fit(bits(70)))


def test_every_setting_comes_back(tmp_path: Path) -> None:
    recipe = Recipe(
        start=BaseRateStart(sigma=0.5),
        replay=GenerativeReplay(n_gibbs=2),
        rehearsal=OnDrift(rows_per_new=5, redraw=False),
        n_epochs=EqualTime(Falling(first=4, last=2, n_first=3, n_warm_up=1), at_least=2),
        n_cd=3,
        negative=FromChains(n_chains=6),
        centring=Centred(),
        divisor=NewRows(),
        steps=MiniBatches(5),
        decays=WeightsDecay(),
        learning_rate=Falling(first=0.03, last=0.02),
        momentum=LowAtFirst(first=0.2, last=0.7, n_epochs=3, of="update"),
        weight_decay=0.01,
        averaging=RecentAverage(keep=0.5),
    )
    paper = PAPER.get_params(deep=False)
    assert all(value != paper[name] for name, value in recipe.get_params(deep=False).items())
    params = {
        "n_hidden": 3,
        "recipe": recipe,
        "replay": MemoryReplay(capacity=50, policy="reservoir"),
        "batch_size": 7,
        "binarize": None,
        "dtype": "float64",
        "random_state": 12345,
    }
    assert set(params) == set(OnlineRBM().get_params(deep=False))
    OnlineRBM(**params).fit(bits(30)).save(tmp_path / "model")  # type: ignore[arg-type]
    loaded = OnlineRBM.load(str(tmp_path / "model"))
    assert loaded.get_params(deep=False) == params
    assert loaded.recipe_ == recipe.replace(replay=params["replay"])


def test_equal_models_are_equal_files(tmp_path: Path) -> None:
    contents = set()
    for name in "abcdefgh":  # safetensors alone would write its header in a random order
        OnlineRBM(n_hidden=3, random_state=0).fit(bits(300)).save(tmp_path / name)
        contents.add((tmp_path / name).read_bytes())
    assert len(contents) == 1


def test_leftovers_of_killed_saves_are_removed_and_nothing_else(tmp_path: Path) -> None:
    keep = ["m[1]", "m[1].part", "m[1].0123456.part", "m[1].zzzzzzzz.part", "m1.01234567.part", "other.01234567.part"]
    for name in [*keep, "m[1].01234567.part", "m[1].89abcdef.part"]:
        (tmp_path / name).touch()
    checkpoint.remove_leftovers(tmp_path / "m[1]")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(keep)


def test_column_names_come_back_and_are_checked(tmp_path: Path) -> None:
    table = pd.DataFrame(bits(30), columns=NAMES)
    small().fit(table).save(tmp_path / "model")
    loaded = OnlineRBM.load(tmp_path / "model")
    assert list(loaded.feature_names_in_) == NAMES
    loaded.partial_fit(table)
    with pytest.raises(ValueError, match="feature names should match"):
        loaded.partial_fit(table[NAMES[::-1]])


def test_without_column_names_none_come_back(tmp_path: Path) -> None:
    saved(tmp_path / "model")
    assert not hasattr(OnlineRBM.load(tmp_path / "model"), "feature_names_in_")


def test_a_random_state_that_is_no_int_comes_back_as_none_but_learning_goes_on(tmp_path: Path) -> None:
    model = small(random_state=np.random.RandomState(0)).fit(bits(50))
    model.save(tmp_path / "model")
    loaded = OnlineRBM.load(tmp_path / "model")
    assert loaded.random_state is None
    np.testing.assert_array_equal(loaded.partial_fit(bits(50)).components_, model.partial_fit(bits(50)).components_)


@pytest.mark.parametrize(
    "params",
    [
        {"batch_size": np.int64(20)},
        {"recipe": SMALL.replace(learning_rate=np.float32(0.05))},
        {"recipe": SMALL.replace(learning_rate=Falling(first=np.float64(0.05), last=0.01, n_first=np.int64(3)))},
        {"random_state": np.int64(3)},
        {"n_hidden": np.int32(4)},
        {"replay": MemoryReplay(capacity=np.int64(30))},
    ],
    ids=str,
)
def test_settings_that_are_numpy_numbers_can_be_saved(params: dict[str, Any], tmp_path: Path) -> None:
    model = small(**params).fit(bits(70))  # as a grid search over np.logspace or np.arange would set them
    model.save(tmp_path / "model")
    loaded = OnlineRBM.load(tmp_path / "model")
    (name,) = params
    assert getattr(loaded, name) == getattr(model, name)
    np.testing.assert_array_equal(loaded.partial_fit(bits(70)).components_, model.partial_fit(bits(70)).components_)


@pytest.mark.parametrize("batch_size", [3, 10, 50])
def test_a_batch_size_changed_while_rows_wait_can_be_saved(batch_size: int, tmp_path: Path) -> None:
    model = small().fit(bits(70)).set_params(batch_size=batch_size)  # 10 rows wait
    model.save(tmp_path / "model")
    loaded = OnlineRBM.load(tmp_path / "model")
    assert loaded.n_rows_seen_ == 70
    assert whole(loaded.partial_fit(bits(70))) == whole(model.partial_fit(bits(70)))


def test_an_unfitted_model_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(NotFittedError):
        small().save(tmp_path / "model")
    assert os.listdir(tmp_path) == []


def test_a_truncated_file_is_refused_wherever_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "model"
    content = saved(path, replay=MemoryReplay(capacity=5))
    header_ends = 8 + int.from_bytes(content[:8], "little")
    for size in (*range(10), header_ends - 1, header_ends, header_ends + 1, *range(20, len(content), 97)):
        path.write_bytes(content[:size])
        assert "is not a genreplay model, or it is truncated" in refusal(path)
    path.write_bytes(content + b"\0")
    refusal(path)


def test_a_flipped_bit_is_never_taken_for_a_model(tmp_path: Path) -> None:
    path = tmp_path / "model"
    content = saved(path, recipe="paper", replay=MemoryReplay(capacity=5))  # short: every byte is tried
    rng = np.random.default_rng(0)
    for position in range(len(content)):
        damaged = bytearray(content)
        damaged[position] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        refusal(path)


def test_a_flipped_bit_in_the_weights_is_called_damage(tmp_path: Path) -> None:
    path = tmp_path / "model"
    content = saved(path)
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert "damaged" in refusal(path)


FOREIGN = {
    "empty": b"",
    "random bytes": np.random.default_rng(0).bytes(5000),
    "JSON": json.dumps({"format": "genreplay", "version": "1"}).encode(),
    "text": b"a,b,c\n1,0,1\n",
    "zeros": bytes(1000),
    "safetensors": serialize({"W": np.zeros((2, 3))}),
    "safetensors with other metadata": serialize({"W": np.zeros((2, 3))}, {"format": "pt"}),
    "safetensors that says it is ours": serialize({"W": np.zeros(3)}, {"format": "genreplay", "version": "1"}),
    "safetensors with null metadata": (24).to_bytes(8, "little") + b'{"__metadata__": null}  ',
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_foreign_file_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_bytes(FOREIGN[name])
    refusal(path)


@pytest.mark.parametrize("version", ["1", "5", "7", "10", "0", "", "six"])
def test_a_format_version_that_cannot_be_read_is_refused_by_number(version: str, tmp_path: Path) -> None:
    path = tmp_path / "model"
    content = saved(path)
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size])
    assert header["__metadata__"]["version"] == "6"
    header["__metadata__"]["version"] = version
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + content[8 + size :])
    assert f"has format version {version!r}, but this genreplay reads 6: learn the model again" in refusal(path)


def test_a_missing_file_is_reported_as_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        OnlineRBM.load(tmp_path / "model")


def test_a_learner_saved_without_the_estimator_is_refused(tmp_path: Path) -> None:
    checkpoint.save(tmp_path / "model", small().fit(bits(30)).state_, SMALL)
    assert "holds a bare learner, not an OnlineRBM" in refusal(tmp_path / "model")


class OtherRBM(OnlineRBM):
    pass


def test_another_estimator_is_refused_by_name(tmp_path: Path) -> None:
    OtherRBM(3, batch_size=20).fit(bits(30)).save(tmp_path / "model")
    assert isinstance(OtherRBM.load(tmp_path / "model"), OtherRBM)
    assert "holds a OtherRBM, not an OnlineRBM" in refusal(tmp_path / "model")


@dataclass(frozen=True, repr=False)
class ForgetfulReplay(NoReplay):
    pass


def test_a_strategy_of_ones_own_comes_back_by_its_name(tmp_path: Path) -> None:
    saved(tmp_path / "model", replay=ForgetfulReplay())
    assert type(OnlineRBM.load(tmp_path / "model").replay) is ForgetfulReplay


@dataclass(frozen=True, repr=False)
class Swinging(Schedule):
    """A learning rate that nobody needs, written as a user would write one."""

    middle: float
    width: float = 0.5

    def at(self, clock: Clock) -> float:
        return self.middle * (1 + self.width * (-1) ** clock.t)


def test_a_model_with_a_schedule_of_ones_own_goes_on_to_the_bit(tmp_path: Path) -> None:
    rows = bits(200)
    recipe = SMALL.replace(learning_rate=Swinging(0.08, width=0.25))
    model = small(recipe=recipe).partial_fit(rows[:110])
    assert model.info_ is not None
    assert model.info_.learning_rate == pytest.approx(0.06 * (1 + model.info_.n_replayed / 20))  # t = 5
    model.save(tmp_path / "model")
    loaded = OnlineRBM.load(tmp_path / "model")
    assert loaded.recipe == recipe
    assert whole(loaded.partial_fit(rows[110:])) == whole(model.partial_fit(rows[110:]))


def test_an_unknown_ingredient_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model"
    saved(path, recipe=SMALL.replace(learning_rate=Swinging(0.08)))
    monkeypatch.delitem(Ingredient.classes, "Swinging")  # as in a program that does not import it
    assert "names the ingredient 'Swinging', which is not known: import the module that defines it." in refusal(path)


@pytest.mark.parametrize("function", ["fsync", "replace"])
@pytest.mark.parametrize("exists", [True, False])
def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    function: str, exists: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> None:
        raise OSError("No space left on device")

    path = tmp_path / "model"
    old = saved(path) if exists else None
    model = small().fit(bits(90))
    with monkeypatch.context() as patch:
        patch.setattr(os, function, fail)
        with pytest.raises(OSError, match="No space left"):
            model.save(path)
    assert os.listdir(tmp_path) == ([path.name] if exists else [])
    if old is not None:
        assert path.read_bytes() == old
    model.save(path)
    assert whole(OnlineRBM.load(path)) == whole(model)


def test_the_file_is_on_the_disk_before_it_takes_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    fsync, replace = os.fsync, os.replace

    def noting_fsync(descriptor: int) -> None:
        calls.append("fsync")
        fsync(descriptor)

    def noting_replace(source: Path, target: Path) -> None:
        calls.append("replace")
        assert not target.exists()
        assert source.parent == target.parent
        replace(source, target)

    monkeypatch.setattr(os, "fsync", noting_fsync)
    monkeypatch.setattr(os, "replace", noting_replace)
    saved(tmp_path / "model")
    assert calls[:2] == ["fsync", "replace"]


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_a_file_that_is_saved_again_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "model"
    saved(path)
    path.chmod(0o600)
    saved(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600

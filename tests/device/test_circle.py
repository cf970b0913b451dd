"""From Python to a device, and back: a model goes on learning on either side."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from sklearn.datasets import load_digits

from genreplay import MODERN, PAPER, OnlineRBM
from genreplay.cli import main
from genreplay.core import FromRows, GenerativeReplay, MeanField, MiniBatches, WeightsDecay, online
from genreplay.core.rehearsal import EveryUpdate
from genreplay.device import Reference, Settings, toolchain
from genreplay.device.toolchain import CORES
from genreplay.device.transfer import from_device, to_device
from tests.device.conftest import HERE, needs

RECIPE = PAPER.replace(
    rehearsal=EveryUpdate(60, redraw=True), n_epochs=4, momentum=0.9, negative__reconstruction="samples"
)
DIGITS = load_digits().data > 7


def learned(n_rows: int = 110, **changes: object) -> OnlineRBM:
    recipe = RECIPE.replace(**changes)
    return OnlineRBM(n_hidden=8, recipe=recipe, batch_size=20, random_state=0).partial_fit(DIGITS[:n_rows])


def genreplay(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments])


@pytest.mark.slow
@needs("arm-none-eabi-gcc", "qemu-system-arm")
@pytest.mark.parametrize(("core", "integer"), [("cortex-m0", False), ("cortex-m0", True), ("cortex-m4f", False)])
def test_export_compile_learn_1000_rows_import_and_go_on(core: str, integer: bool, tmp_path: Path) -> None:
    learned().save(tmp_path / "model.safetensors")
    options = ["--integer"] if integer else []
    exported = genreplay("export", tmp_path / "model.safetensors", "--c", tmp_path, *options)
    assert exported.exit_code == 0, exported.output
    rows = DIGITS[110:1110]
    lines = [", ".join(map(str, row)) for row in np.packbits(rows, axis=1, bitorder="little").tolist()]
    packed = ",\n".join(f"{{{line}}}" for line in lines)
    (tmp_path / "rows.h").write_text(f"static const uint8_t rows[1000][GR_BYTES] = {{\n{packed}}};\n", "utf-8")
    program = toolchain.compile_cortex([HERE / "circle.c"], tmp_path / "circle.elf", CORES[core], f"-I{tmp_path}")
    toolchain.emulate(program, CORES[core], tmp_path)
    imported = genreplay("import", tmp_path / "saved.bin", "--out", tmp_path / "back.safetensors")
    assert imported.output == f"64 x 8 units, 55 updates, 10 rows wait: {tmp_path / 'back.safetensors'}\n"

    back = OnlineRBM.load(tmp_path / "back.safetensors")
    assert back.n_rows_seen_ == 1110
    state = learned().state_
    same = to_device(state, RECIPE, 20, integer).learner.learn(rows)
    assert np.array_equal(back.components_, same.rbm.W)  # the reference did what the device did
    before = back.score_samples(DIGITS[1110:]).mean()
    assert before > learned().score_samples(DIGITS[1110:]).mean() + 0.5  # the device learned something
    back.partial_fit(DIGITS[1110:1510])
    assert back.n_updates_ == 75
    assert back.score_samples(DIGITS[1110:]).mean() > before


def test_a_float_learner_is_the_same_on_both_sides() -> None:
    model = learned()
    learner, remarks = to_device(model.state_, model.recipe_, 20)
    assert remarks == []
    state, recipe, batch_size = from_device(Reference.from_bytes(learner.to_bytes()))
    assert recipe == model.recipe_
    assert (batch_size, state.t, state.n_waiting, state.n_learned) == (20, 6, 10, 100)
    for ours, theirs in zip((*state.rbm, *state.velocity), (*model.state_.rbm, *model.state_.velocity), strict=True):
        assert np.array_equal(ours, theirs)
    assert np.array_equal(state.waiting[:10], DIGITS[100:110])
    assert np.abs(state.ones / 100 - DIGITS[:100].mean(axis=0)).mean() < 0.15


def test_an_integer_learner_keeps_16_bits_of_each_parameter() -> None:
    model = learned()
    learner = to_device(model.state_, model.recipe_, 20, integer=True).learner
    assert np.abs(learner.rbm.W - model.state_.rbm.W).max() <= 2.0**-16
    scores, _ = learner.score(DIGITS[:200])
    assert np.abs(scores - model.free_energy(DIGITS[:200])).mean() < 0.5


def test_chains_go_along() -> None:
    model = learned(negative=MODERN.negative.replace(n_chains=12))
    learner, remarks = to_device(model.state_, model.recipe_, 20)
    assert remarks == ["The negative phase has chains only."]
    assert sorted(learner.chains.tolist()) == sorted((model.state_.chains > 0.5).tolist())
    state = from_device(learner).state
    assert np.array_equal(state.chains, learner.chains)


def test_the_first_p_values_come_from_dreams() -> None:
    model = learned()
    learner = to_device(model.state_, model.recipe_, 20).learner
    _, usual = learner.score(DIGITS[110:1110])
    _, strange = learner.score(~DIGITS[110:1110])
    assert 0.2 < np.median(usual) < 0.8
    assert np.median(strange) < 0.02


@pytest.mark.parametrize("recipe", [MODERN, PAPER])
def test_every_departure_from_a_recipe_is_said(recipe: object, tmp_path: Path) -> None:
    model = OnlineRBM(n_hidden=8, recipe=recipe, batch_size=20, random_state=0).fit(DIGITS[:200])
    model.save(tmp_path / "model.safetensors")
    said = genreplay("export", tmp_path / "model.safetensors", "--c", tmp_path).stderr
    expected = {
        MODERN: [
            "DreamPool",
            "whether the stream drifts",
            "n_epochs stays at 20",
            "learning_rate",
            "chains only",
            "centred",
            "averaged",
        ],
        PAPER: ["new dreams", "momentum stays at 0.9", "sampled"],
    }[recipe]
    assert len(said.splitlines()) == len(expected)
    assert [word for word in expected if word not in said] == []


def test_what_is_no_model_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no model", "utf-8")
    for result in (
        genreplay("export", tmp_path / "notes.txt", "--c", tmp_path),
        genreplay("export", tmp_path / "missing", "--c", tmp_path),
        genreplay("import", tmp_path / "notes.txt", "--out", tmp_path / "m"),
        genreplay("import", tmp_path / "missing", "--out", tmp_path / "m"),
    ):
        assert result.exit_code == 2
        assert len(result.stderr.splitlines()) == 1
        assert not (tmp_path / "m").exists()


def test_shares_and_large_models_are_refused(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).random((40, 300))
    OnlineRBM(n_hidden=4, batch_size=20, binarize=None, random_state=0).fit(rows).save(tmp_path / "shares")
    OnlineRBM(n_hidden=4, batch_size=20, random_state=0).fit(rows).save(tmp_path / "large")
    assert "learns bits" in genreplay("export", tmp_path / "shares", "--c", tmp_path).stderr
    assert "an int from 1 to 256" in genreplay("export", tmp_path / "large", "--c", tmp_path, "--integer").stderr


def test_settings_are_checked() -> None:
    with pytest.raises(ValueError, match="batch_size"):
        Settings(n_visible=8, n_hidden=4, batch_size=256)


def test_what_a_device_reads_in_another_way_is_remarked() -> None:
    recipe = PAPER.replace(
        replay=GenerativeReplay(visible="probabilities"),
        negative=FromRows("samples", positive="samples"),
        steps=MiniBatches(),
        decays=WeightsDecay(),
        rehearsal__redraw=True,
        momentum=0.5,
    )
    state = online.init(8, 4, recipe, np.random.default_rng(0), batch_size=20)
    assert to_device(state, recipe, 20)[1] == [
        "The statistics have hidden probabilities.",
        "Dreams are sampled.",
        "Each step takes all rows.",
        "Biases decay, too.",
    ]
    assert "States are sampled, not mean-field." in to_device(state, recipe.replace(negative=MeanField()), 20)[1]

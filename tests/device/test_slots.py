"""Saves survive a power cut at any byte, and what a device saved can be read in Python."""

from __future__ import annotations

import numpy as np
import pytest

from genreplay.device import DeviceError, Reference, Settings, toolchain
from genreplay.device.reference import slot_bytes
from tests.device.conftest import Host, needs

SMALL = Settings(n_visible=12, n_hidden=3, batch_size=4, n_dreams=4)
FORMS = {"float": SMALL, "integer": SMALL.replace(integer=True), "chains": SMALL.replace(n_chains=2)}


@needs("gcc")
@pytest.mark.parametrize("form", FORMS)
def test_a_power_cut_at_any_byte_leaves_the_older_slot_readable(form: str, on_host: Host) -> None:
    slots = on_host("slots.c", "-O1", *toolchain.macros(FORMS[form]))
    settings = FORMS[form]
    assert len(slots) == 2 * slot_bytes(settings)
    learner = Reference.from_bytes(slots)
    assert learner.settings == settings
    assert learner.saves == 1  # the number ran over: the other slot has 0 and is older
    assert learner.to_bytes() == slots[: slot_bytes(settings)]


def learned(settings: Settings) -> Reference:
    rows = np.random.default_rng(0).random((43, settings.n_visible)) < 0.3
    return Reference(settings, seed=7).learn(rows)


@pytest.mark.parametrize("form", FORMS)
def test_learning_goes_on_from_bytes_as_if_nothing_had_happened(form: str) -> None:
    learner = learned(FORMS[form])
    again = Reference.from_bytes(learner.to_bytes())
    rows = np.random.default_rng(1).random((20, 12)) < 0.3
    assert again.n_waiting == 3
    assert again.learn(rows).to_bytes() == learner.learn(rows).to_bytes()


def test_a_damaged_save_is_refused_at_every_byte() -> None:
    data = learned(SMALL).to_bytes()
    for at in range(len(data)):
        damaged = bytearray(data)
        damaged[at] ^= 1
        with pytest.raises(DeviceError):
            Reference.from_bytes(bytes(damaged))


def test_of_two_slots_the_whole_one_is_read() -> None:
    learner = learned(SMALL)
    older = learner.to_bytes()
    learner.saves += 1
    newer = learner.learn(np.ones((4, 12))).to_bytes()
    broken = newer[:100] + bytes([newer[100] ^ 1]) + newer[101:]
    for slots, expected in (
        (older + newer, newer),
        (newer + older, newer),
        (older + broken, older),
        (broken + older, older),
    ):
        assert Reference.from_bytes(slots).to_bytes() == expected
    assert Reference.from_bytes(b"\xff" * len(older) + newer).to_bytes() == newer

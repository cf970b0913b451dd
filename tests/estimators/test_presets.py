"""The presets: what they stand for, and that "modern" learns better with nothing stored."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.datasets import load_digits

from genreplay import DreamPool, GenerativeReplay, OnlineRBM
from genreplay.core.online import MODERN, PAPER, Settings
from genreplay.experiments.beyond import DIFFERENCES
from tests.estimators.snapshot import snapshot


def test_a_preset_gives_the_settings_that_are_not_given() -> None:
    assert OnlineRBM()._settings() == MODERN
    assert OnlineRBM(preset="paper")._settings() == PAPER
    assert OnlineRBM(momentum=0, n_chains=7)._settings() == MODERN._replace(momentum=0.0, n_chains=7)
    assert isinstance(OnlineRBM(preset="paper")._strategy(), GenerativeReplay)
    assert isinstance(OnlineRBM()._strategy(), DreamPool)
    assert isinstance(OnlineRBM(replay="generative")._strategy(), GenerativeReplay)


def test_a_rate_or_a_number_of_epochs_that_is_given_holds_all_along() -> None:
    same = OnlineRBM(learning_rate=0.3, n_epochs=2)._settings()
    constant = {"initial_learning_rate": None, "n_rising_updates": 0, "n_first_epochs": None, "n_replay_epochs": None}
    assert same == MODERN._replace(learning_rate=0.3, n_epochs=2, **constant)
    falling = OnlineRBM(learning_rate=0.3, initial_learning_rate=0.5, n_rising_updates=6)._settings()
    assert falling == MODERN._replace(learning_rate=0.3, initial_learning_rate=0.5)


def test_the_ingredients_make_modern_of_paper() -> None:
    there = {name: value for each in DIFFERENCES.values() for name, value in each.there.items()}
    model = OnlineRBM(preset="paper", **there)
    assert model._settings() == MODERN
    assert isinstance(model._strategy(), DreamPool)


def test_small_batches_are_joined_by_fewer_dreams() -> None:
    assert OnlineRBM(batch_size=20)._settings().n_replay == 60
    assert OnlineRBM(batch_size=20, n_replay=7)._settings().n_replay == 7
    assert OnlineRBM(batch_size=np.int16(200))._settings().n_replay == 600
    assert OnlineRBM(preset="paper", batch_size=20)._settings().n_replay == 300
    assert OnlineRBM(preset="paper", batch_size=20, divisor="batch")._settings().n_replay == 60


def test_the_documented_defaults_are_those_of_the_presets() -> None:
    assert OnlineRBM.__doc__ is not None
    written = r"^    (\w+) : [^\n]*?default=([^,\n]+)(?:, paper ([^\n]+))?$"
    documented = {name: (modern, paper) for name, modern, paper in re.findall(written, OnlineRBM.__doc__, re.M)}
    for name in Settings._fields:
        if name not in documented:
            assert name == "n_initial_epochs", "not a parameter"
            continue
        modern, paper = (text.strip('"') for text in documented[name])
        assert modern == ("3 * batch_size" if name == "n_replay" else str(getattr(MODERN, name)))
        if paper not in Settings._fields:  # else it is what another setting is
            assert (paper or modern) == str(getattr(PAPER, name))


def test_a_pool_of_dreams_without_chains_is_refused_before_anything_is_learned() -> None:
    with pytest.raises(ValueError, match="set negative to 'chains' or 'both'"):
        OnlineRBM(negative="rows").fit(np.eye(4))


def test_what_is_scored_sampled_and_shown_is_the_average() -> None:
    model = OnlineRBM(4, preset="modern", batch_size=10, random_state=0).fit(np.eye(6).repeat(20, axis=0))
    average = model.state_.average
    assert average is not None
    assert model.components_ is average.W
    assert not np.array_equal(average.W, model.state_.rbm.W)
    assert model.nbytes.average == average.nbytes
    raw = model.state_._replace(average=None)
    before = model.free_energy(np.eye(6))
    model.state_ = raw
    assert not np.allclose(model.free_energy(np.eye(6)), before)


def test_the_modern_preset_does_not_care_how_a_stream_is_cut() -> None:
    rows = (np.random.default_rng(0).random((230, 9)) < np.linspace(0.1, 0.9, 230)[:, np.newaxis]).astype(float)
    whole = OnlineRBM(5, preset="modern", batch_size=20, random_state=0).partial_fit(rows)
    cut = OnlineRBM(5, preset="modern", batch_size=20, random_state=0)
    for piece in np.array_split(rows, 17):
        cut.partial_fit(piece)
    assert snapshot(cut) == snapshot(whole)


def test_modern_fits_digits_better_and_remembers_the_first_of_a_sorted_stream() -> None:
    digits = load_digits()
    bits, order = (digits.data > 7.5).astype(float), np.random.default_rng(0).permutation(1797)
    train, test = order[:1400], order[1400:]
    by_class = train[np.argsort(digits.target[train], kind="stable")]
    zeros = bits[test[digits.target[test] == 0]]

    def learned(preset: str, rows: npt.NDArray[np.integer]) -> OnlineRBM:
        return OnlineRBM(16, preset=preset, random_state=0).partial_fit(bits[rows])  # type: ignore[arg-type]

    modern, paper = (learned(preset, train).score(bits[test]) for preset in ("modern", "paper"))
    assert modern > paper + 2
    sorted_modern, sorted_paper = (learned(preset, by_class) for preset in ("modern", "paper"))
    assert sorted_modern.score(bits[test]) > sorted_paper.score(bits[test]) + 0.4
    assert sorted_modern.score(zeros) > sorted_paper.score(zeros) + 4

from __future__ import annotations

import numpy as np
import pytest

from genreplay.datasets import DatasetError
from genreplay.datasets.regimes import LABELS, MIXED, N_NUMBERS, NEW, RARE, TURNS, regimes


def test_visits_cover_the_stream_and_say_the_regime_of_each_row() -> None:
    stream = regimes(n_rows_per_visit=100, n_rows_stay=300)
    assert len(stream.rows) == len(stream.regimes) == 100 * (1 + len(TURNS)) + 300
    assert [visit.regime for visit in stream.visits] == [MIXED, *TURNS, NEW]
    assert sum(visit.n_rows for visit in stream.visits) == len(stream.rows)
    for visit in stream.visits[1:]:
        assert set(stream.regimes[visit.first : visit.first + visit.n_rows]) == {visit.regime}
    assert set(stream.regimes[:100]) == set(TURNS), "all but the new one are in the beginning"


def test_one_regime_comes_rarely() -> None:
    assert 2 <= TURNS.count(RARE) < min(TURNS.count("A"), TURNS.count("B")) / 2


def test_the_same_seed_gives_the_same_stream_and_another_one_another() -> None:
    one, again, other = (regimes(50, 50, seed=seed) for seed in (1, 1, 2))
    assert (one.rows == again.rows).all()
    assert (one.rows != other.rows).any()


def test_regimes_differ_in_means_and_correlations() -> None:
    stream = regimes(n_rows_per_visit=1_000, n_rows_stay=1_000)
    numbers = {
        regime: stream.rows[stream.regimes == regime][:, :N_NUMBERS].astype(float) for regime in set(stream.regimes)
    }
    correlations = {regime: np.corrcoef(cells.T) for regime, cells in numbers.items()}
    for one, other in (("A", "B"), ("A", "C"), ("B", "C"), ("C", "D"), ("A", "D")):
        assert np.abs(numbers[one].mean(axis=0) - numbers[other].mean(axis=0)).max() > 1
        assert np.abs(correlations[one] - correlations[other]).max() > 0.5
    assert set(stream.rows[:, N_NUMBERS:].ravel()) == set(LABELS)


def test_other_turns_are_refused() -> None:
    with pytest.raises(DatasetError, match="turns without 'D'"):
        regimes(turns="ABD")

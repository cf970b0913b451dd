from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from genreplay.datasets.faults import COLUMNS, faults
from genreplay.estimators.detector import OnlineRBMDetector
from genreplay.experiments.anomaly.histograms import Histograms, score
from genreplay.streams.encoder import TableEncoder


def test_columns_are_counted_for_themselves_whatever_the_chunks() -> None:
    rows = faults(1_000).rows
    one, two = Histograms(), Histograms()
    whole = np.concatenate([one.learn_scored(rows[:500]), one.learn_scored(rows[500:])])
    cut = np.concatenate([two.learn_scored(rows[:500]), two.learn_scored(rows[500:700]), two.learn_scored(rows[700:])])
    assert Histograms().learn_scored(rows[:100]).std() < 1e-12, "a batch is scored before it is learned"
    np.testing.assert_allclose(whole, cut, rtol=1e-12)
    odd = rows[[-1]].copy()
    odd[0, COLUMNS.index("product")] = "never seen"
    assert one.learn_scored(odd)[0] > one.learn_scored(rows[[-1]])[0]
    assert len(one.counts) == len(one.encoder.group_sizes_) > len(COLUMNS), "combinations are counted, too"


@pytest.mark.parametrize("n_bins", [4, 8])
def test_a_score_is_the_sum_of_the_surprise_of_each_code_counted_by_hand(
    n_bins: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(OnlineRBMDetector, "_new_encoder", lambda detector: TableEncoder(n_bins=n_bins))
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.normal(size=300), rng.integers(3, size=300)]).astype(np.float64)
    encoder = TableEncoder(n_bins=n_bins).fit(rows[:200])
    expected = np.zeros(300)
    for codes in encoder.codes(rows).T:
        seen: Counter[int] = Counter()
        for first in range(0, 300, 100):
            batch = codes[first : first + 100].tolist()
            expected[first : first + 100] -= [np.log((seen[code] + 0.5) / (first + 1)) for code in batch]
            seen.update(batch)
    found = score(rows, 200, lambda share, doing: None)
    np.testing.assert_allclose(found.scores, expected, rtol=1e-12)
    assert found.held_bytes > 0


def test_the_codes_are_those_of_the_detector() -> None:
    rows = np.random.default_rng(0).normal(size=(500, 3))
    histograms = Histograms()
    histograms.learn_scored(rows)
    detector = OnlineRBMDetector(random_state=0).partial_fit(rows)
    np.testing.assert_array_equal(histograms.encoder.codes(rows), detector.encoder_.codes(rows))

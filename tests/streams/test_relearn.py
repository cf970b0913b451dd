"""Codes that are learned anew from later rows, while settings, names and kinds stay."""

from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest

from genreplay.streams import TableEncoder

WHEN = datetime(2024, 3, 5, 13, 10, tzinfo=UTC)


def test_a_renewed_encoder_has_the_codes_of_its_rows_and_the_kinds_of_the_old() -> None:
    old = pd.DataFrame({"age": [1.0, 2.0, 3.0], "grade": ["a", "b", "a"], "when": [WHEN, None, WHEN]})
    encoder = TableEncoder(kinds={"age": "number"}, n_bins=3, dtype=np.uint8).fit(old)
    before = encoder.state()
    rows = np.array([[None, "1", None], [np.nan, "2", None]], dtype=object)  # by themselves: category, number, category
    again = encoder.relearn(rows)
    assert again.frozen_
    assert again.kinds_ == encoder.kinds_ == ["number", "category", "timestamp"]
    assert again.settings() == encoder.settings()
    assert again.feature_names_in_.tolist() == ["age", "grade", "when"]
    assert again.describe_codes()["grade"]["labels"] == ["1", "2"]
    assert again.group_sizes_.tolist() == [2, 4, 25, 8]
    assert encoder.state() == before
    assert TableEncoder.from_state(again.state()).state() == again.state()


def test_rows_learned_again_give_the_same_codes() -> None:
    rows = np.random.default_rng(0).normal(size=(100, 3)).astype(object)
    encoder = TableEncoder().fit(rows)
    assert encoder.relearn(rows).state() == encoder.state()


def test_a_cell_that_does_not_fit_the_kinds_is_named_in_a_renewal() -> None:
    with pytest.raises(ValueError, match="Column 'x0', row 1 of this chunk: 'red' is not a number"):
        TableEncoder().fit([[1.0]]).relearn(np.array([[1.0], ["red"]], dtype=object))

"""Data frames in, data frames out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from genreplay import OnlineRBMDetector, TableRBM

FAST = TableRBM(16)
N_ROWS = 3000


def table() -> dict[str, list[Any]]:
    """The sky tells whether it is wet; a dry day has no amount of rain."""
    rng = np.random.default_rng(0)
    wet = rng.random(N_ROWS) < 0.5
    return {
        "sky": np.where(wet, "rain", "sun").tolist(),
        "wet": wet.tolist(),
        "amount": [
            round(10 + value, 2) if is_wet else None for value, is_wet in zip(rng.random(N_ROWS), wet, strict=True)
        ],
    }


@pytest.fixture(scope="module", params=[pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def frame_class(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(scope="module")
def model(frame_class: Any) -> OnlineRBMDetector:
    return OnlineRBMDetector(rbm=FAST, random_state=0).fit(frame_class(table()))


def new_rows(frame_class: Any) -> Any:
    cells = {"sky": ["rain", None, "sun", "sun"], "wet": [None, True, False, None], "amount": [None, 10.5, None, None]}
    if frame_class is pd.DataFrame:
        return pd.DataFrame(cells, index=["a", "b", "c", "d"])
    return pl.DataFrame(cells)


def test_impute_returns_a_frame_with_the_same_columns_and_index(model: OnlineRBMDetector, frame_class: Any) -> None:
    given = new_rows(frame_class)
    filled = model.impute(given)
    assert type(filled) is frame_class
    assert list(filled.columns) == ["sky", "wet", "amount"]
    if frame_class is pd.DataFrame:
        assert filled.index.tolist() == ["a", "b", "c", "d"]
    assert filled["sky"].to_list() == ["rain", "rain", "sun", "sun"]
    assert filled["wet"].to_list() == [True, True, False, False]
    amounts = filled["amount"].to_list()
    assert 10 <= amounts[0] <= 11
    assert amounts[1] == 10.5
    assert filled["amount"].dtype == given["amount"].dtype
    assert new_rows(frame_class).equals(given), "the input is not changed"


def test_cells_that_are_empty_by_nature_stay_empty(model: OnlineRBMDetector, frame_class: Any) -> None:
    amounts = model.impute(new_rows(frame_class))["amount"].to_list()
    assert [amount is None or amount != amount for amount in amounts] == [False, False, True, True]


def test_only_the_named_columns_are_filled(model: OnlineRBMDetector, frame_class: Any) -> None:
    filled = model.impute(new_rows(frame_class), columns=["sky"])
    assert filled["sky"].to_list() == ["rain", "rain", "sun", "sun"]
    assert filled["wet"].to_list()[0] is None
    by_index = model.impute(new_rows(frame_class), columns=[0])
    assert by_index.equals(filled)
    with pytest.raises(
        ValueError, match="The 'columns' parameter has 'rain', but the columns are 'sky', 'wet', 'amount'"
    ):
        model.impute(new_rows(frame_class), columns=["rain"])


def test_sample_returns_a_frame_of_the_table_also_from_a_file(
    model: OnlineRBMDetector, frame_class: Any, tmp_path: Path
) -> None:
    model.save(tmp_path / "m")
    for each in (model, OnlineRBMDetector.load(tmp_path / "m")):
        dreams = each.sample(50)
        assert type(dreams) is frame_class
        assert list(dreams.columns) == ["sky", "wet", "amount"]
        assert len(dreams) == 50
        assert {"rain", "sun"} <= set(dreams["sky"].to_list()) <= {"rain", "sun", None}
        assert set(model.predict(dreams)) <= {-1, 1}


def test_explain_returns_nats_by_the_name_of_the_column(model: OnlineRBMDetector, frame_class: Any) -> None:
    nats = model.explain(new_rows(frame_class))
    assert type(nats) is frame_class
    assert list(nats.columns) == ["sky", "wet", "amount"]
    if frame_class is pd.DataFrame:
        assert nats.index.tolist() == ["a", "b", "c", "d"]
    cells = np.array(
        [["rain", None, None], [None, True, 10.5], ["sun", False, None], ["sun", None, None]], dtype=object
    )
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        np.testing.assert_array_equal(nats.to_numpy(), model.explain(cells))


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (
            ["wet", "sky", "amount"],
            "The columns of X are in another order than at the first fit: put them into the order "
            "'sky', 'wet', 'amount'.",
        ),
        (["sky", "wet"], "X has no column 'amount', which the first fit had: it has 'sky', 'wet'."),
        (
            ["sky", "wet", "amount", "id"],
            "X has a column 'id' that the first fit did not have: leave it out, or fit anew.",
        ),
    ],
)
@pytest.mark.parametrize("method", ["impute", "explain", "predict", "learn_scored", "partial_fit"])
def test_columns_are_checked_by_name_and_order(
    model: OnlineRBMDetector, frame_class: Any, names: list[str], sentence: str, method: str
) -> None:
    frame = frame_class({name: table().get(name, [0] * N_ROWS)[:5] for name in names})
    with pytest.raises(ValueError) as raised:
        getattr(model, method)(frame)
    assert str(raised.value).splitlines()[0] == sentence


def test_arrays_give_arrays() -> None:
    rows = np.random.default_rng(0).normal(size=(600, 2))
    model = OnlineRBMDetector(random_state=0).fit(rows)
    for answer in (model.sample(3), model.impute([[0.0, None]]), model.explain(rows[:2])):
        assert isinstance(answer, np.ndarray)


def test_a_filled_time_is_a_text_and_other_types_stay() -> None:
    when = pd.date_range("2024-01-01", periods=400, freq="h")
    frame = pd.DataFrame({"when": when, "kind": pd.Categorical(["a", "b"] * 200), "n": pd.array([1, 2] * 200, "Int64")})
    model = OnlineRBMDetector(rbm=FAST, random_state=0).fit(frame)
    holes = frame.head(4).copy()
    holes.loc[1, ["when", "kind", "n"]] = None
    filled = model.impute(holes)
    assert filled["when"].iloc[0] == when[0]
    assert isinstance(filled["when"].iloc[1], str)
    assert filled["kind"].dtype == frame["kind"].dtype
    assert filled["n"].dtype == "Int64"
    times = model.impute(pl.DataFrame({"when": [when[0].to_pydatetime(), None], "kind": ["a", "b"], "n": [1, 2]}))
    assert times["when"].dtype == pl.String

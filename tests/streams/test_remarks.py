from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

from genreplay.streams import TableEncoder
from genreplay.streams.columns import kind_of
from genreplay.streams.remarks import remark
from tests.cli.tables import run


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (["31/12/2025", "1/12/2025", ""], None),
        (["31/12/2025", "1/12/2025", "2/1/2025", ""], "written day/month/year,"),
        (["12/31/2025", "12/1/2025", "2/1/2025"], "written month/day/year,"),
        (["1/12/2025", "2/1/2025", "3/4/25"], "written day/month/year or month/day/year,"),
        (["31.12.2025 10:30", "1.12.2025 11:00", "2.1.2025 12:00"], "written day.month.year,"),
        (["2025-12-31", "2025-12-30", "2025-12-29"], "dates without a time of day"),
        (["1735689600", "1735689660", "1735689720"], "looks like seconds since 1970"),
        ([1735689600.5, 1735689660.0, 1735689720.0], "looks like seconds since 1970"),
        (["1735689600000", "1735689660000", "1735689720000"], "looks like milliseconds since 1970"),
        (["10/20/30", "1/2/3", "red"], None),
        (["45/12/2025", "45/11/2025", "45/10/2025"], None),
        (["192.168.0.1", "10.0.0.1", "10.0.0.2"], None),
        (["1.5", "1735689660", "3"], None),
        (["2025-12-31T10:00", "2025-12-30T10:00", "2025-12-29T10:00"], None),
        (["20251231", "20251230", "20251229"], None),
        ([True, False, True], None),
    ],
)
def test_columns_that_look_like_times_are_remarked_on(cells: list[object], words: str | None) -> None:
    said = remark("when", cells, kind_of(cells))
    assert (words is None) == (said is None)
    if words is not None:
        assert said is not None
        assert said.startswith("Column 'when' ")
        assert words in said


def test_python_warns_unless_the_kind_is_given() -> None:
    rows = [["31/12/2025", 1.0], ["30/12/2025", 2.0], ["29/12/2025", 3.0]]
    with pytest.warns(UserWarning, match="Column 'x0' looks like dates written day/month/year"):
        encoder = TableEncoder().fit(rows)
    assert encoder.kinds_ == ["category", "number"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TableEncoder(kinds={0: "category"}).fit(rows)
        TableEncoder(kinds={0: "timestamp"}).fit(np.array([[1735689600.0], [1735689660.0], [1735689720.0]]))


def test_the_command_line_says_it_and_a_schema_settles_it(tmp_path: Path) -> None:
    rows = "t,when\n" + "".join(f"{1735689600 + 60 * i},{1 + i % 28:02}.03.2025\n" for i in range(40))
    done = run("learn", "-", "-m", tmp_path / "m", stdin=rows)
    assert done.exit_code == 0
    assert "Column 't' looks like seconds since 1970, but is read as a number" in done.stderr
    assert "Column 'when' looks like dates written day.month.year, but is read as labels" in done.stderr
    schema = tmp_path / "schema.toml"
    schema.write_text('[columns]\nt = "timestamp"\nwhen = "category"\n')
    done = run("learn", "-", "-m", tmp_path / "n", "--schema", schema, stdin=rows)
    assert done.exit_code == 0
    assert "looks like" not in done.stderr

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.tables import content, run, table


@pytest.mark.parametrize(("sign", "option"), [(";", ";"), ("\t", "\\t"), ("\t", "tab"), ("|", "|")])
def test_any_delimiter_gives_the_same_model(tmp_path: Path, sign: str, option: str) -> None:
    rows = table(60)
    other = tmp_path / "rows.txt"
    other.write_text(rows.replace(",", sign))
    run("learn", "-", "-m", tmp_path / "comma", stdin=rows)
    assert run("learn", other, "--delimiter", option, "-m", tmp_path / "other").exit_code == 0
    assert content(tmp_path / "comma") == content(tmp_path / "other")
    scores = run("score", "-", "-m", tmp_path / "comma", stdin=rows).stdout
    assert run("score", other, "--delimiter", option, "-m", tmp_path / "comma").stdout == scores


@pytest.mark.parametrize(("sign", "word"), [(";", "';'"), ("\t", "tab"), ("|", "'|'")])
def test_a_header_of_one_column_that_looks_like_several_is_remarked_on(tmp_path: Path, sign: str, word: str) -> None:
    rows = table(20).replace(",", sign)
    done = run("learn", "-", "-m", tmp_path / "m", stdin=rows)
    assert f"if its cells are separated by {word}, add --delimiter {word}." in done.stderr
    done = run("learn", "-", "-m", tmp_path / "n", "--delimiter", "tab" if sign == "\t" else sign, stdin=rows)
    assert "--delimiter" not in done.stderr
    done = run("score", "-", "-m", tmp_path / "n", stdin=rows)
    assert done.exit_code == 2
    assert "--delimiter" in done.stderr


def test_one_column_without_such_a_sign_needs_no_remark(tmp_path: Path) -> None:
    assert "--delimiter" not in run("learn", "-", "-m", tmp_path / "m", stdin="age\n1\n2\n").stderr


@pytest.mark.parametrize("options", [["--delimiter", ";;"], ["--delimiter", '"'], ["--delimiter", ""]])
def test_a_delimiter_is_one_character(tmp_path: Path, options: list[str]) -> None:
    done = run("learn", "-", "-m", tmp_path / "m", *options, stdin=table(5))
    assert done.exit_code == 2
    assert "must be one character" in done.stderr


def test_formats_without_delimiters_are_refused(tmp_path: Path) -> None:
    done = run("learn", "rows.ndjson", "-m", tmp_path / "m", "--delimiter", ";")
    assert done.exit_code == 2
    assert "--delimiter separates the cells of CSV and TSV, but the input is ndjson." in done.stderr

"""Malformed input: never a traceback, never a model file that cannot be read, every row accounted for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cli.tables import run, table

TABLE = table(40).encode()
OBJECTS = b"".join(json.dumps({"a": i / 7, "b": "xyz"[i % 3], "c": i % 2 == 0}).encode() + b"\n" for i in range(40))
PIECES = [
    *[b"", b'"', b'""', b",", b"\n", b"\r", b"\n\n", b"\0", b"\t", b"'", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80"],
    *[b"nan", b"inf", b"-inf", b"1e999", b"1_0", b"5e-324", b"9" * 400, b"null", b"true", b"x" * 5000, b"\x1b[31m"],
    *[b"{", b"}", b"[[[[", b"\\ud800", b"\\u0000", b"2024-01-01T00:00", b"0001-01-01T00:00+14:00", b"z" * 2**20],
]


@st.composite
def damaged(draw: st.DrawFn, content: bytes) -> bytes:
    """Content with pieces of junk put in, parts cut out, and bits flipped."""
    data = bytearray(content)
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, len(data)))
        stop = min(start + draw(st.sampled_from([0, 0, 1, 3, 50])), len(data))
        data[start:stop] = draw(st.sampled_from(PIECES) | st.binary(max_size=8))
    return bytes(data[: draw(st.sampled_from([len(data)] * 3 + [len(data) // 2]))])


@pytest.mark.slow
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(
    st.one_of(st.tuples(st.just("csv"), damaged(TABLE)), st.tuples(st.just("ndjson"), damaged(OBJECTS))),
    st.sampled_from([[], ["--on-bad-row", "skip"], ["--no-header"], ["--score", "--on-bad-row", "skip"]]),
    st.sampled_from(["score", "impute", "explain"]),
)
def test_junk_is_an_error_or_accounted_for(
    tmp_path_factory: pytest.TempPathFactory, given_input: tuple[str, bytes], options: list[str], command: str
) -> None:
    form, content = given_input
    path: Path = tmp_path_factory.mktemp("fuzz") / "m"
    learned = run("learn", "-", "-m", path, "--format", form, *options, stdin=content)
    assert learned.exit_code in (0, 2)
    assert (learned.exit_code == 2) == ("Error: " in learned.stderr)
    if path.exists():
        facts = json.loads(run("info", path, "--json").stdout)
        assert facts["read"] == facts["learned"] + facts["waiting"] + facts["skipped"]
        asked = run(command, "-", "-m", path, "--format", form, "--on-bad-row", "skip", stdin=content)
        assert asked.exit_code in (0, 2)
    else:
        assert learned.exit_code == 2

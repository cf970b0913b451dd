"""CSV, TSV and NDJSON with cells, names and lines that nobody should send, and their gzip files."""

from __future__ import annotations

import gzip
import json
import random
import zlib
from collections.abc import Callable

from tests.attack.hostile.damage import damaged
from tests.attack.hostile.rows import Rows, rows

CELLS = [
    *["1e400", "-1e400", "9" * 400, "1" + "0" * 4400, "1_000", "٣", "0x10", "1e-400", "nan", "inf", "-inf", "--1"],
    *["", " ", "'", '"', '""', '"a', 'a"b', '"a"b', "\\", "\\N", "a,b", "a\tb", "=1+1", "\x1b[31m", "\u202e", "a\x00b"],
    *["true", "TRUE", "0", "None", "2024-13-45", "0000-00-00", "9999-12-31T23:59:60Z", "1e300", "253402300800"],
    *[
        "x" * 999,
        "x" * 1001,
        "x" * 70_000,
        "x" * 300_000,
        "\ufeff",
        "\ud800",
        "é" * 500,
        "\x85",
        "\u2028",
        "a\r",
        "a\nb",
    ],
]
"""of text"""
VALUES = [
    *[10**400, -(10**400), 1e308, -0.0, None, True, [], {}, [[1]], {"a": {"b": []}}, [1.5] * 5000, 2**63, 5e-324],
]
"""of JSON, beside the cells of text"""


def usual(form: str, table: Rows) -> bytes:
    """Not as a careful program would write it: cells are not quoted."""
    if form.endswith(".gz"):
        return gzip.compress(usual(form.removesuffix(".gz"), table))
    if form == "ndjson":
        return "".join(json.dumps(row) + "\n" for row in table).encode()
    separator = "\t" if form == "tsv" else ","
    lines = [list(table[0]), *(list(row.values()) for row in table)]
    return "".join(separator.join(map(_cell, line)) + "\n" for line in lines).encode("utf-8", "surrogatepass")


def _cell(cell: object) -> str:
    return cell if isinstance(cell, str) else json.dumps(cell)


def forged_rows(rng: random.Random) -> Rows:
    """Hostile cells: one, a column of them, or many."""
    table = rows()
    hostile = [*CELLS, *VALUES]
    how = rng.randrange(4)
    if how == 0:
        rng.choice(table)[rng.choice("abct")] = rng.choice(hostile)
    elif how == 1:
        name, cell = rng.choice("abct"), rng.choice([cell for cell in hostile if len(str(cell)[:70_001]) <= 70_000])
        for row in table:
            row[name] = cell
    elif how == 2:
        for _ in range(rng.randrange(1, 40)):
            rng.choice(table)[rng.choice("abct")] = rng.choice(hostile[:40])
    else:
        names = [rng.choice(["", "a", "\x00", "row", "a" * 70_000, "=x", "\ud800", " b ", "\ufeff"]), "b", "c", "t"]
        table = [dict(zip(names, row.values(), strict=False)) for row in table]
    return table


def _forged_text(content: bytes, form: str, rng: random.Random) -> bytes:
    """Lines that are wrong as a whole."""
    separator = {"csv": b",", "tsv": b"\t", "ndjson": b","}[form]
    lines = content.splitlines(keepends=True)
    place = rng.randrange(len(lines))
    wide = 5000
    forgeries: list[Callable[[], bytes]] = [
        lambda: b"\xef\xbb\xbf" * rng.randrange(1, 4) + content,
        lambda: content.decode("utf-8", "replace").encode("utf-16"),
        lambda: content.decode("utf-8", "replace").encode("utf-32"),
        lambda: content.replace(b"\n", b"\r"),
        lambda: content.replace(b"\n", b"\r\n"),
        lambda: content.replace(b"\n", b"\n\n"),
        lambda: content.replace(b"\n", b""),
        lambda: b"".join([*lines[:place], separator.join([b"1"] * wide) + b"\n", *lines[place:]]),
        lambda: b"".join([separator.join(b"c%d" % i for i in range(wide)) + b"\n", *lines[1:]]),
        lambda: b"".join([*lines[:place], b'"open', *lines[place:]]),
        lambda: b"".join([*lines[:place], b'"' + b"x" * 2**18 + b'"\n', *lines[place:]]),
        lambda: b"".join([*lines[:place], b'"\n' * 1500, *lines[place:]]),
        lambda: b"".join([*lines[:place], b"[" * 50_000 + b"\n", *lines[place:]]),
        lambda: b"".join([*lines[:place], b'{"a":' * 150 + b"1" + b"}" * 150 + b"\n", *lines[place:]]),
        lambda: b"".join(
            [*lines[:place], json.dumps({f"k{i}": i for i in range(wide)}).encode() + b"\n", *lines[place:]]
        ),
        lambda: b"".join(b'{"k%d": %d}\n' % (i, i) for i in range(600)),
        lambda: b"".join([*lines[:place], b'{"a": 1, "a": "x"}\n', *lines[place:]]),
        lambda: b"".join(rng.sample(lines, len(lines))),
        lambda: lines[0],
        lambda: b"\0" * rng.randrange(1, 2**16) + content,
        lambda: b"".join([*lines[:place], b"\0" * 2**19, *lines[place:]]),
        lambda: b"".join([*lines[:1], *[b"\n"] * 20_000, *lines[1:]]),
    ]
    return rng.choice(forgeries)()


_MANY_LINES = [(b"\n", 2**20), (b'"\n', 2**15), (b"1,2\n", 2**15), (b"{}\n", 2**15)]


def _packed(content: bytes, rng: random.Random) -> bytes:
    packed = gzip.compress(content, mtime=0)
    how = rng.randrange(8)
    if how == 0:  # a bomb: a line without an end, or very many lines
        unit, n = rng.choice([*((unit, 2**24) for unit in (b"\0", b"x", b'"', b"[")), *_MANY_LINES])
        return packed + gzip.compress(unit * n, compresslevel=1, mtime=0)
    if how == 1:
        return packed[: rng.randrange(len(packed))]
    if how == 2:
        return packed + rng.choice([b"junk", b"\0" * 3000, b"\x1f\x8b", packed, packed[:20], gzip.compress(b"")])
    if how == 3:
        return gzip.compress(packed, mtime=0)
    if how == 4:
        return zlib.compress(content)
    if how == 5:
        return b"".join(gzip.compress(content[i : i + 7], mtime=0) for i in range(0, min(len(content), 2100), 7))
    return packed if how == 6 else damaged(packed, rng)


def hostile(form: str, rng: random.Random) -> bytes:
    """The table, forged and damaged."""
    plain = form.removesuffix(".gz")
    content = usual(plain, forged_rows(rng) if rng.random() < 0.6 else rows())
    if rng.random() < 0.6:
        content = _forged_text(content, plain, rng)
    if rng.random() < 0.6:
        content = damaged(content, rng)
    return _packed(content, rng) if form.endswith(".gz") else content

"""Parquet files with types, encodings and lengths that other programs may write, and damaged ones."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from typing import Any

from tests.attack.hostile.damage import damaged
from tests.attack.hostile.rows import N_ROWS, Rows, rows
from tests.attack.hostile.text import forged_rows


def usual() -> bytes:
    """The table as it should be."""
    return _saved(_columns(rows()), random.Random(0))


def described(what: str, n_bytes: int) -> bytes:
    """A file of no rows, whose description of so many bytes lists many columns, groups of rows, or their parts."""
    part = {"columns": b"\x15\x02\x25\x02\x18\x00\0", "groups": b"\x19\x0c\x16\0\x16\0\0", "parts": b"\x26\0\0"}[what]
    n = n_bytes // len(part)
    one_column = b"\x19\x2c\x48\0\x15\x02\0\x15\x02\x25\x02\x18\x01a\0\x16\0"
    if what == "columns":
        listed = b"\x19\xfc" + _varint(n + 1) + b"\x48\0\x15" + _varint(2 * n) + b"\0" + part * n + b"\x16\0\x19\x0c\0"
    elif what == "groups":
        listed = one_column + b"\x19\xfc" + _varint(n) + part * n + b"\0"
    else:
        listed = one_column + b"\x19\x1c\x19\xfc" + _varint(n) + part * n + b"\x16\0\x16\0\0\0"
    content = b"\x15\x04" + listed
    return b"PAR1" + content + len(content).to_bytes(4, "little") + b"PAR1"


def _varint(number: int) -> bytes:
    """A number as Thrift's compact protocol has it."""
    parts = bytearray()
    while number > 127:
        parts.append(number & 127 | 128)
        number >>= 7
    return bytes([*parts, number])


def hostile(rng: random.Random) -> bytes:
    """The table with another column, forged and damaged, or a bomb."""
    if rng.random() < 0.1:
        return described(rng.choice(["columns", "groups", "parts"]), rng.choice([10_000, 1_000_000, 4_000_000]))
    columns = _columns(forged_rows(rng) if rng.random() < 0.4 else rows())
    if rng.random() < 0.7:
        columns[rng.choice(["a", "b", "c", "t", "z"])] = rng.choice(_others(rng))()
    content = _saved(columns, rng)
    return damaged(content, rng) if rng.random() < 0.5 else content


def _columns(table: Rows) -> dict[str, Any]:
    import pyarrow as pa

    return {name: pa.array([_plain(row.get(name), name) for row in table]) for name in "abct"}


def _plain(cell: object, name: str) -> object:
    """A cell that a column of Arrow can hold."""
    if name == "b":
        return str(cell).encode("utf-8", "replace").decode()[:400_000]
    if name == "t":
        return str(cell).encode("utf-8", "replace").decode()[:1000]
    return cell if isinstance(cell, float if name == "a" else bool) else None


def _others(rng: random.Random) -> list[Callable[[], Any]]:
    """Columns of other types."""
    import pyarrow as pa

    n, long = N_ROWS, "x" * rng.choice([10_000] * 4 + [300_000, 2_000_000])
    return [
        lambda: pa.array([long] * n),
        lambda: pa.array([long] * n).dictionary_encode(),
        lambda: pa.array([long.encode()] * n, pa.binary()),
        lambda: pa.array([[1.5] * 1000] * n),
        lambda: pa.array([{"k": [None, "x"]}] * n),
        lambda: pa.nulls(n),
        lambda: pa.array([2**62 - i for i in range(n)], pa.timestamp("ms")),
        lambda: pa.array([-(2**62) + i for i in range(n)], pa.timestamp("us", tz="UTC")),
        lambda: pa.array([i * 10**9 for i in range(n)], pa.time64("ns")),
        lambda: pa.array(range(n), pa.duration("s")),
        lambda: pa.array([2**31 - 1 - i for i in range(n)], pa.date32()),
        lambda: pa.array([float("nan"), float("inf")] * (n // 2), pa.float32()),
        lambda: pa.array([b"\xff\xfe"] * n, pa.binary()),
        lambda: pa.array([b"12345678"] * n, pa.binary(8)),
        lambda: pa.array([2**64 - 1 - i for i in range(n)], pa.uint64()),
        lambda: pa.array(list(range(n))).cast(pa.decimal128(38, 10)),
        lambda: pa.DictionaryArray.from_arrays(pa.array([i % 2 for i in range(n)]), pa.array([1.5, 2.5])),
    ]


def _saved(columns: dict[str, Any], rng: random.Random) -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    names, arrays = list(columns), list(columns.values())
    if rng.random() < 0.1:
        names, arrays = names + names[:1], arrays + arrays[:1]
    if rng.random() < 0.05:
        names, arrays = [f"c{i}" for i in range(5000)], [columns["a"]] * 5000
    file = io.BytesIO()
    parquet.write_table(
        pa.table(arrays, names=names),
        file,
        use_dictionary=rng.random() < 0.7,
        compression=rng.choice(["none", "snappy", "gzip", "zstd"]),
        row_group_size=rng.choice([None, 1, 7, 10**6]),
        version=rng.choice(["1.0", "2.6"]),
        data_page_version=rng.choice(["1.0", "2.0"]),
    )
    return file.getvalue()

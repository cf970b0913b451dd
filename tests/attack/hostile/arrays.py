"""npy and npz files of other types and shapes than they say, and bombs."""

from __future__ import annotations

import io
import random
import struct
import zipfile
from typing import Any

import numpy as np

from tests.attack.hostile.damage import damaged
from tests.attack.hostile.rows import Rows, rows


def array_of(table: Rows) -> np.ndarray[Any, Any]:
    return np.array([[row["a"], "xyz".index(row["b"]), row["c"], 1.7e9] for row in table], dtype=np.float64)


def saved(array: np.ndarray[Any, Any]) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    return file.getvalue()


def _with_header(text: str, data: bytes, version: bytes = b"\x01\x00", length: int | None = None) -> bytes:
    header = text.encode("latin-1", "replace") + b"\n"
    size = len(header) if length is None else length
    packed = struct.pack("<H", size & 0xFFFF) if version[0] == 1 else struct.pack("<I", size & 0xFFFFFFFF)
    return b"\x93NUMPY" + version + packed + header + data


_SIZES = ["0", "1", "4", "60", "-1", "-60", "10**3", "1" + "0" * 10, "1" + "0" * 18, "9" * 40, "1.5", "True", "None"]
_SHAPES = ["()", "(240,)", "(60, 4, 1)", "60", "'ab'", "(" * 200 + ")" * 200, "((60, 4), 4)", f"(60, 4{', 1' * 60})"]
_TYPES = [
    "<f8",
    "<f8",
    ">f4",
    "|b1",
    "|O",
    "<U9",
    "<U1000",
    "<U2000000000",
    "|V0",
    "<M8[s]",
    "",
    "x" * 900,
    [("a", "<f8")],
]
_OTHERS = ["f2", "f4", ">f8", "i1", "u8", "?", "c16", "U3", "U2000", "S5", "O", "M8[s]", "m8", "f8,f8", "V7", "g"]
_NO_HEADERS = ["{}", "", "__import__('os').abort()", "{" * 3000, "[{'shape': 3}]", " " * 70_000]


def _forged_array(rng: random.Random) -> bytes:
    """An array of another type or shape, or a header that says what is not so."""
    array = array_of(rows())
    if rng.random() < 0.3:
        with np.errstate(all="ignore"):  # 1.7e9 is too much for some types
            array = array.astype(rng.choice(_OTHERS))
        other = array if rng.random() < 0.8 else array.reshape(-1, rng.choice([1, 240]))
        if other.dtype.kind == "f":
            other.flat[rng.randrange(other.size)] = rng.choice([np.nan, np.inf, -np.inf, np.finfo(other.dtype).max])
        return saved(np.asfortranarray(other) if rng.random() < 0.4 else other)
    shape = f"({rng.choice(_SIZES)}, {rng.choice(_SIZES)})" if rng.random() < 0.7 else rng.choice(_SHAPES)
    order = rng.choice(["False", "True", "1"])
    text = f"{{'descr': {rng.choice(_TYPES)!r}, 'fortran_order': {order}, 'shape': {shape}}}"
    if rng.random() < 0.2:
        text = rng.choice([*_NO_HEADERS, text * 2, text + " " * 70_000])
    version = rng.choice([b"\x01\x00"] * 4 + [b"\x02\x00", b"\x03\x00", b"\x00\x00", b"\xff\xff"])
    length = rng.choice([None] * 5 + [0, 5, 2**16 - 1, 2**31, 2**32 - 1])
    return _with_header(text, array.tobytes(), version, length)


def zipped(content: bytes, name: str = "rows.npy") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return file.getvalue()


def hostile_npz(rng: random.Random) -> bytes:
    how = rng.randrange(8)
    if how == 0:  # bombs: an array of zeros, and zeros behind an array
        shape, order = rng.choice([((4_000_000, 6), "True"), ((2, 1000), "False"), ((10**9, 4), "True")])
        header = f"{{'descr': '<f8', 'fortran_order': {order}, 'shape': {shape}}}"
        return zipped(_with_header(header, b"\0" * 2**24))
    file = io.BytesIO()
    if how == 1:  # many arrays, or names that are no names
        with zipfile.ZipFile(file, "w") as archive:
            for number in range(rng.choice([2, 300])):
                name = rng.choice(["", "../x", "/etc/x", "\x1b[31m", "é", "a" * 5000]) + f"{number}.npy"
                archive.writestr(name, saved(np.zeros((3, 2))) if rng.random() < 0.1 else b"")
        return file.getvalue()
    if how == 2:
        return zipped(saved(array_of(rows())), rng.choice(["rows", "rows.npz", ".npy", "a/b.npy"]))
    content = _forged_array(rng) if rng.random() < 0.6 else saved(array_of(rows()))
    packed = zipped(damaged(content, rng) if rng.random() < 0.3 else content)
    return damaged(packed, rng) if how > 4 else packed


def hostile_npy(rng: random.Random) -> bytes:
    """An array in NumPy's format, forged and damaged."""
    content = _forged_array(rng) if rng.random() < 0.7 else saved(array_of(rows()))
    return damaged(content, rng) if rng.random() < 0.4 else content

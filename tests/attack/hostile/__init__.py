"""Hostile tables: a small table in every format, forged and damaged by a seeded generator."""

from __future__ import annotations

import random

from tests.attack.hostile import arrays, parquet, text
from tests.attack.hostile.rows import rows

FORMATS = ["csv", "tsv", "ndjson", "csv.gz", "tsv.gz", "ndjson.gz", "npy", "npz", "parquet"]


def usual(form: str) -> bytes:
    """The table as it should be."""
    if form == "parquet":
        return parquet.usual()
    if form in ("npy", "npz"):
        array = arrays.saved(arrays.array_of(rows()))
        return array if form == "npy" else arrays.zipped(array)
    return text.usual(form, rows())


def hostile(form: str, seed: int) -> bytes:
    """The table, changed in some ways; equal for equal seeds."""
    rng = random.Random(f"{form} {seed}")
    if form == "parquet":
        return parquet.hostile(rng)
    if form in ("npy", "npz"):
        return arrays.hostile_npy(rng) if form == "npy" else arrays.hostile_npz(rng)
    return text.hostile(form, rng)

"""Sheets of digits: what the models dream, sample and impute, as small PNG pictures in the page."""

from __future__ import annotations

import base64
import io
from typing import NamedTuple

import matplotlib.image
import numpy as np

from genreplay.experiments.paper.online import PAPER_METHODS, OnlineRun
from genreplay.experiments.results import Results

SIDE, COLUMNS = 28, 8
GIVEN, MADE_UP = (0.45, 0.48, 0.52), (0.83, 0.40, 0.10)
"""inks of an imputed digit: its upper half was given, its lower half is the model's"""
BLACK = (0.0, 0.0, 0.0)


KINDS = {
    "dreams": "Dreams: one Gibbs step from random hidden units",
    "samples": "Samples: 1,000 Gibbs steps later",
    "imputed": "Imputed: the model saw the upper half",
}


class Sheet(NamedTuple):
    """A titled picture, as a data URL."""

    title: str
    picture: str


class SheetSet(NamedTuple):
    """The sheets of all models that learned from one order."""

    order: str
    n_hidden: int
    kinds: dict[str, list[Sheet]]
    """by what they show, a sheet for each model"""


def content(results: Results) -> list[SheetSet] | None:
    """The content of the page; None where no model has sheets."""
    return sheet_sets(results) or None


def sheet_sets(results: Results) -> list[SheetSet]:
    """The sheets of the largest models, for each order that has some."""
    size = max(run.n_hidden for run in results.runs("fig4") if isinstance(run, OnlineRun))
    found = []
    for order in ("random", "sorted"):
        bits: dict[str, dict[str, str]] = {}
        for method in PAPER_METHODS:
            records = results.find("fig4", order=order, n_hidden=size, method=method)
            sheets = next((each["figures"]["sheets"] for each in records if each["figures"]["sheets"]), None)
            if sheets is not None:
                bits[method] = sheets
        if not bits:
            continue
        kinds = {
            title: [Sheet(method, png(unpack(sheets[kind]), half=kind == "imputed")) for method, sheets in bits.items()]
            for kind, title in KINDS.items()
        }
        originals = next(iter(bits.values()))["originals"]
        kinds[KINDS["imputed"]].append(Sheet("the originals", png(unpack(originals))))
        found.append(SheetSet(order, size, kinds))
    return found


def unpack(packed: str) -> np.ndarray:
    """Rows of bits from hexadecimal digits.

    >>> unpack("80" + 97 * "00").shape
    (1, 28, 28)
    """
    pixels = np.frombuffer(bytes.fromhex(packed), dtype=np.uint8).reshape(-1, SIDE * SIDE // 8)
    return np.unpackbits(pixels, axis=1).reshape(-1, SIDE, SIDE)


def png(digits: np.ndarray, half: bool = False) -> str:
    """The digits side by side, on a transparent background; ``half`` colours the lower halves."""
    n_rows = -(-len(digits) // COLUMNS)
    sheet = np.zeros((n_rows * SIDE, COLUMNS * SIDE, 4))
    for index, digit in enumerate(digits):
        row, column = divmod(index, COLUMNS)
        tile = sheet[row * SIDE : (row + 1) * SIDE, column * SIDE : (column + 1) * SIDE]
        tile[..., :3] = GIVEN if half else BLACK
        if half:
            tile[SIDE // 2 :, :, :3] = MADE_UP
        tile[..., 3] = digit
    written = io.BytesIO()
    matplotlib.image.imsave(written, sheet, format="png")
    return "data:image/png;base64," + base64.b64encode(written.getvalue()).decode()

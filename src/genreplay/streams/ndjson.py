"""NDJSON: one JSON object on each line; its keys are the columns."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

from genreplay.streams import lines
from genreplay.streams.chunks import (
    IDLE,
    Chunk,
    Chunks,
    Column,
    Fault,
    InputError,
    is_text,
    number,
    short,
)
from genreplay.streams.limits import LIMITS, Limits
from genreplay.streams.lines import Piece, Stopped

Object = dict[str, object]
MAX_DEPTH = 100
"""levels of nested lists and objects; Python cannot write values that are nested much deeper"""
_LONG = 2**14
"""bytes of a line from which on nested values are cut short: lists take far more memory than their text"""
_decode = json.JSONDecoder().raw_decode


def read_ndjson(blocks: Iterable[bytes], n_sample: int, names: Sequence[str] = (), limits: Limits = LIMITS) -> Chunks:
    """Chunks of an NDJSON stream; blank lines are skipped, and a key that an object lacks is a missing cell.

    The columns are the given names and, if ``n_sample`` is not 0, the keys of the first ``n_sample`` records. After
    that, an object with another key is a bad row.

    >>> chunks = read_ndjson([b'{"a": 1}\\n{"b": "x"}\\n{"c": 0}\\n[]\\n'], n_sample=2)
    >>> chunk = list(chunks)[-1]
    >>> dict(chunk.columns), [bad.reason for bad in chunk.bad]
    ({'a': [1, None], 'b': [None, 'x']}, ["an unseen column, 'c'", 'not a JSON object'])
    """
    known = dict.fromkeys(names)
    n_before = 0
    waiting: list[tuple[int, Object | Fault]] = []
    torn: Exception | None = None
    pieces = lines.pieces(blocks, limits.cell)
    while True:
        try:
            piece = next(pieces, None)
        except (InputError, Stopped) as error:  # the input breaks off: what came before is handed over first
            piece, torn = None, error
        if piece is None:
            break
        if not piece.data:
            yield IDLE
        waiting += _records(piece, limits)
        if n_before == 0 and n_sample:
            if len(waiting) < n_sample:
                continue
            _collect(known, waiting[:n_sample], limits)
            n_sample = 0
        yield from _chunks(n_before, waiting, known)
        n_before += len(waiting)
        waiting = []
    if waiting:
        _collect(known, waiting, limits)
        yield from _chunks(0, waiting, known)
        n_before = len(waiting)
    if torn is not None:
        raise torn
    if not known:
        raise InputError("The input has no JSON object to take columns from.")
    if n_before == 0:
        yield Chunk(dict.fromkeys(known, ()), (), ())


def _records(piece: Piece, limits: Limits) -> Iterator[tuple[int, Object | Fault]]:
    """The line and the object, or what is wrong with it, of every line."""
    if piece.too_long:
        yield piece.line, Fault(piece.line, lines.too_long(limits.cell), lines.text(piece.data))
        return
    for line, raw in enumerate(lines.text(piece.data).split("\n"), piece.line):
        content = raw.strip()
        if not content:
            continue
        try:
            value, end = _decode(content)
        except (ValueError, RecursionError) as error:  # deep nesting exceeds the recursion limit of the parser
            yield line, Fault(line, f"not JSON ({error})", raw)
            continue
        if end != len(content):
            yield line, Fault(line, "more than one JSON value on a line", raw)
        elif raw.count("[") + raw.count("{") > MAX_DEPTH and _is_deep(value):
            yield line, Fault(line, f"values nested more than {MAX_DEPTH} deep", raw)
        elif not isinstance(value, dict):
            yield line, Fault(line, "not a JSON object", raw)
        elif len(value) > limits.columns:
            yield line, Fault(line, f"{len(value):,} keys; --max-columns allows more", raw)
        else:
            yield line, value if len(raw) <= _LONG else {name: _small(cell) for name, cell in value.items()}


def _small(cell: object) -> object:
    """A nested value, which no cell can be, cut to what a message shows.

    >>> _small([1] * 1000), _small({"a": [[1, 2]]}), _small("text")
    ([1, 1, 1], {'a': '…'}, 'text')
    """
    if isinstance(cell, list):
        return ["…" if isinstance(each, list | dict) else each for each in cell[:3]]
    if isinstance(cell, dict):
        return {name: "…" if isinstance(each, list | dict) else each for name, each in islice(cell.items(), 3)}
    return cell


def _is_deep(value: object) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        parts = [part.values() if isinstance(part, dict) else part for part in level if isinstance(part, dict | list)]
        level = list(chain.from_iterable(parts))
    return any(isinstance(part, dict | list) for part in level)


def _collect(known: dict[str, None], records: Sequence[tuple[int, Object | Fault]], limits: Limits) -> None:
    """Add the keys of the first records to the names, if they are valid names and not too many."""
    for _, record in records:
        if isinstance(record, dict):
            new = [name for name in record if name not in known]
            if len(known) + len(new) <= limits.columns and all(name and is_text(name) for name in new):
                known.update(dict.fromkeys(new))


def _chunks(n_before: int, records: Sequence[tuple[int, Object | Fault]], known: Mapping[str, None]) -> Iterator[Chunk]:
    objects: list[Object] = []
    places: list[int] = []
    faults: list[Fault] = []
    for line, record in records:
        if isinstance(record, Fault):
            faults.append(record)
        elif record.keys() <= known.keys():
            objects.append(record)
            places.append(line)
        else:
            unseen = next(name for name in record if name not in known)
            faults.append(Fault(line, f"an unseen column, {short(unseen)}", json.dumps(record)))

    def columns(objects: Sequence[Object]) -> Mapping[str, Column]:
        return {name: [record.get(name) for record in objects] for name in known}

    yield from number(n_before, objects, places, faults, columns)

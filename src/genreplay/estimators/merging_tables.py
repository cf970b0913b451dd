"""Detectors that meet through their dreams: rows of the table, in codes that fit all of them.

A dream of a detector is a row of codes. It is written out as a row of the table, with numbers drawn from their
intervals, and read with codes that are common to all: those of the models where they agree, otherwise new ones, made
from dreams of all. The new model learns these rows as a stream. So its p-values come from dreams, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from genreplay.core.grouped.learner import MEMORY
from genreplay.estimators.arguments import arguments_of
from genreplay.estimators.drift import PageTest
from genreplay.estimators.merging import Number, Shares, check_alike, checked_dreams, shares_of
from genreplay.estimators.renewal import dreamed
from genreplay.estimators.seeds import RandomState, generator
from genreplay.streams.coder import TableCoder
from genreplay.streams.codes import seconds_of
from genreplay.streams.columns import Objects
from genreplay.streams.table import Table

if TYPE_CHECKING:
    from genreplay.estimators.plain_detector import Detector

AnyDetector = TypeVar("AnyDetector", bound="Detector")

OF_TABLES = Number(per_row=1, least=10_000, most=60_000)
_N_GIBBS = 20
"""steps of the chains that dream"""
_N_CODED = 5_000
"""dreams that common codes are made from"""
_ROWS_PER_BLOCK = 5_000


def merge(
    cls: type[AnyDetector],
    models: Sequence[AnyDetector],
    n_hidden: int | None,
    n_dreams: int | None,
    since: AnyDetector | None,
    counts_as: int | None,
    random_state: RandomState,
) -> AnyDetector:
    """A new detector that has learned the dreams of others; see ``OnlineRBMDetector.merge``."""
    models = list(models)
    shares = shares_of([_n_learned(model) for model in models], None if since is None else _n_learned(since))
    n_dreams = checked_dreams(n_dreams, shares, OF_TABLES)
    if counts_as is not None and (isinstance(counts_as, bool) or counts_as != int(counts_as) or counts_as < 1):
        raise ValueError(f"The 'counts_as' parameter of merge must be a positive int or None. Got {counts_as!r}.")
    _check_columns([*models, *([] if since is None else [since])])
    rng, first = generator(random_state), models[0]
    encoder = _common_codes(models, shares, rng)
    settings = first._new_settings()
    largest = max(model._new_settings().n_hidden for model in models)
    merged = cls(**{**arguments_of(first), "random_state": random_state})
    merged.rbm = settings.replace(n_hidden=largest if n_hidden is None else n_hidden)
    merged._check_arguments()

    rows = dreamed_rows(models, shares, min(n_dreams, _ROWS_PER_BLOCK), rng)
    merged._start(encoder, rows)
    merged._rng, merged._library = rng, first._library
    if hasattr(first, "feature_names_in_"):
        merged.feature_names_in_ = first.feature_names_in_
    n_head = encoder.warm_up
    merged._begin_learning(Table(rows[:n_head]))
    merged._learn(Table(rows[n_head:]))
    for start in range(_ROWS_PER_BLOCK, n_dreams, _ROWS_PER_BLOCK):
        rows = dreamed_rows(models, shares, min(_ROWS_PER_BLOCK, n_dreams - start), rng)
        merged._learn(Table(rows))
    merged.flush()
    merged._begin_alarms(*encoder.codes_and_numbers(Table(rows[-n_head:])))  # of a series, whose order is not dreamed
    merged.drift_, merged._n_responding = PageTest(), 0
    _set_weight(merged, shares.n_rows if counts_as is None else counts_as)
    return merged


def _n_learned(model: Detector) -> int:
    return model.n_learned_ if model.is_ready_ else 0


def _check_columns(models: Sequence[Detector]) -> None:
    check_alike([model.encoder_.column_names_ for model in models])
    check_alike([[f"{name}: {kind}" for name, kind in _kinds(model)] for model in models])
    if len({(type(model.encoder_), model.alarms is None) for model in models}) > 1:
        raise ValueError("Models of tables and models of series cannot be merged with each other.")


def _kinds(model: Detector) -> list[tuple[str, str]]:
    return list(zip(model.encoder_.column_names_, model.encoder_.kinds_, strict=True))


def _common_codes(models: Sequence[Detector], shares: Shares, rng: np.random.Generator) -> TableCoder:
    """The codes of the models if they are all the same, otherwise new ones for what all of them dream."""
    first, *others = (model.encoder_ for model in models)
    codes = first.state()["codes"], first.state()["combinations"]
    if all((each.state()["codes"], each.state()["combinations"]) == codes for each in others):
        return copy(first)
    return first.relearn(dreamed_rows(models, shares, _N_CODED, rng))


def dreamed_rows(models: Sequence[Detector], shares: Shares, n: int, rng: np.random.Generator) -> Objects:
    """Dreams of several detectors as rows of the table, mixed at random."""
    parts = []
    for model, k in zip(models, rng.multinomial(n, shares.of_dreams), strict=True):
        if k:
            codes = dreamed(model._judge().state, int(k), _N_GIBBS, rng)
            rows = np.array(model.encoder_.draw(codes, rng), dtype=object)
            for column in np.flatnonzero(np.array(model.encoder_.kinds_) == "timestamp"):
                rows[:, column] = [seconds_of(cell) for cell in rows[:, column]]
            parts.append(rows)
    both = np.concatenate(parts)
    return np.asarray(both[rng.permutation(len(both))])


def _set_weight(model: Detector, n_rows: int) -> None:
    """Let everything that was counted weigh as so many rows, beside those that come."""
    judge = model._judge()
    state = judge.state
    total = state.counts[: state.offsets[1]].sum()
    state = state.with_counts(state.counts * min(n_rows / state.n_learned, MEMORY / total))
    model.judge_ = replace(judge.weighing(n_rows), state=state._replace(n_learned=n_rows))

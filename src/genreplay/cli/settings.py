"""What the options of ``genreplay learn`` say about a model: a new one is made so, an old one must agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import click

from genreplay.cli import models
from genreplay.cli.models import Saved
from genreplay.core.grouped import Dreams, Nothing, Rehearsed, TableRBM
from genreplay.estimators.deviations import Deviations
from genreplay.estimators.plain_detector import SERIES_RBM, Detector, OnDrift
from genreplay.streams.coder import TableCoder
from genreplay.streams.schema import Schema
from genreplay.streams.series_coder import SeriesCoder

REPLAYS: Mapping[str, Rehearsed] = {"none": Nothing(), "dreams": Dreams()}
"""by the word on the command line"""


def _word_for(replay: Rehearsed) -> str:
    """The word for what is rehearsed; settings that the command line does not know are spelled out.

    >>> _word_for(Nothing()), _word_for(Dreams(n_rows=7))
    ('none', 'Dreams(n_rows=7)')
    """
    return next((word for word, known in REPLAYS.items() if known == replay), repr(replay))


@dataclass(frozen=True)
class Settings:
    """The options that say how a model is made and when it raises an alarm; None where nothing was said."""

    time: str | None = None
    """column of the times; a new model with one is that of a series"""
    hidden: int | None = None
    warm_up: int | None = None
    bins: int | None = None
    epochs: int | None = None
    learning_rate: float | None = None
    replay: str | None = None
    seed: int | None = None
    contamination: float | None = None
    threshold: float | None = None
    on_drift: str | None = None

    def start(self, schema: Schema | None = None) -> Detector:
        """A new model, for the columns of a schema. Options that mean nothing for it are refused."""
        is_table = self.time is None
        encoder, rbm = (TableCoder, TableRBM()) if is_table else (SeriesCoder, SERIES_RBM)
        model = Detector(
            encoder(kinds=schema.kinds_by_place if schema else None, **_without_none(n_bins=self.bins)),
            rbm.replace(
                **_without_none(
                    n_hidden=self.hidden,
                    n_epochs=self.epochs,
                    learning_rate=self.learning_rate,
                    replay=None if self.replay is None else REPLAYS[self.replay],
                )
            ),
            warm_up=self.warm_up,
            alarms=None if is_table else Deviations(),
            random_state=self.seed or 0,
        )
        self._change(model)
        return model

    def continued(self, saved: Saved) -> Saved:
        """A saved model that will learn more. What it was made with may be repeated, but not changed."""
        model = saved.model
        for name, was in {"time": saved.times and saved.times.column, **_made_with(model)}.items():
            now, option = getattr(self, name), f"--{name.replace('_', '-')}"
            if now is not None and now != was:
                how = f"without {option}" if was is None else f"with {option} {was}"
                raise click.UsageError(f"The model was made {how}, which cannot change.")
        self._change(model)
        return saved

    def _change(self, model: Detector) -> None:
        """Set what may change at any time."""
        if model.alarms is not None and self.contamination is not None:
            raise click.UsageError("--contamination is a p-value, and the rows of a series have none: use --threshold.")
        if model.alarms is None and self.threshold is not None:
            raise click.UsageError("--threshold is for a series, which has --time: for a table, use --contamination.")
        if self.on_drift == "fewer-dreams" and not isinstance(models.settings(model).replay, Dreams):
            raise click.UsageError(
                "--on-drift fewer-dreams needs a model with --replay dreams: this one rehearses no dreams."
            )
        if self.contamination is not None:
            model.contamination = self.contamination
        if model.alarms is not None and self.threshold is not None:
            model.alarms = model.alarms.replace(threshold=self.threshold)
        if self.on_drift is not None:
            model.on_drift = cast("OnDrift", self.on_drift)


def _made_with(model: Detector) -> dict[str, object]:
    """The options that a model was made with."""
    rbm = models.settings(model)
    encoder: TableCoder = getattr(model, "encoder_", None) or model.encoder or TableCoder()
    return {
        "hidden": rbm.n_hidden,
        "warm_up": model.warm_up or encoder.warm_up,
        "bins": encoder.n_bins,
        "epochs": rbm.n_epochs,
        "learning_rate": rbm.learning_rate,
        "replay": _word_for(rbm.replay),
        "seed": model.random_state,
    }


def default(option: str) -> str:
    """What a new model is made with if an option is not given, for its help.

    >>> default("seed"), default("replay")
    ('[default: 0]', '[default: dreams, with --time none]')
    """
    of_table, of_series = (_made_with(Settings(time=time).start())[option] for time in (None, "time"))
    return f"[default: {of_table}]" if of_table == of_series else f"[default: {of_table}, with --time {of_series}]"


def _without_none(**settings: Any) -> dict[str, Any]:
    """The options that were given."""
    return {name: value for name, value in settings.items() if value is not None}

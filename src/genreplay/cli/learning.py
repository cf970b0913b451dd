"""The loop of ``genreplay learn``: read rows, learn them, save checkpoints, and count every row."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from genreplay.cli import models, verdicts
from genreplay.cli.carry import Carried
from genreplay.cli.clock import check_times
from genreplay.cli.errors import BadInput, ClosedOutput
from genreplay.cli.identity import Trace, label
from genreplay.cli.models import Account, Saved, Times
from genreplay.cli.output import Output, Style
from genreplay.cli.progress import Display, Pace, Status
from genreplay.cli.rows import BadRows, Reading, bad_row_error, up_to_error
from genreplay.cli.settings import Settings
from genreplay.cli.stop import Stop
from genreplay.cli.teaching import Teaching
from genreplay.streams.chunks import Chunk, InputError, shown
from genreplay.streams.lines import Stopped
from genreplay.streams.schema import SAMPLE_ROWS, Schema


@dataclass(frozen=True)
class Plan:
    """What ``genreplay learn`` was asked to do."""

    reading: Reading
    path: Path
    """path of the model file"""
    settings: Settings
    """how a new model is made"""
    given: Schema | None
    """kinds of columns that the user gave"""
    checkpoint_rows: int | None
    checkpoint_seconds: float
    score: bool
    carried: Carried
    """columns of the input that are printed before the scores"""
    style: Style
    """how scores are printed"""


class Learning:
    """One run: continues a model or starts a new one, until the input ends or a signal arrives."""

    def __init__(
        self,
        plan: Plan,
        saved: Saved | None,
        display: Display,
        bad_rows: BadRows,
        saved_account: Account | None = None,
    ) -> None:
        self._plan = plan
        self.saved = saved
        self._display = display
        self._bad_rows = bad_rows
        self._output: Output | None = None
        given = saved.schema if saved else plan.given
        self._stop: Stop | None = None
        self._source = plan.reading.open(
            list(given.kinds) if given else [], saved is None, lambda: self._stop is not None and self._stop.requested
        )
        self._n_to_skip = saved.account.n_read_of_input if saved else 0
        self._trace = Trace()
        self._n_saved = saved.account.n_read if saved else 0
        self._time_saved = time.monotonic()
        self._is_new = saved is None
        self._replaces = saved is None and plan.path.exists()
        """whether a new model will replace the file of another"""
        self._n_saves = 0
        self._account_before = saved_account
        """that of the file, which stays as it is until a row of a further input is read"""
        self.is_kept = True
        """whether the model is, or will be, in its file"""
        self.teaching = Teaching(display)
        self._pace = Pace(display.every)
        self._torn: InputError | None = None
        """why the input broke off"""
        self._n_found = 0
        """records found in the input, including those that the model has read before"""
        self.n_read = 0
        """records that this run has read"""

    def run(self, stop: Stop) -> None:
        """Learn until the input ends or a signal arrives, then save. On an error, save first what was learned."""
        self._stop = stop
        gc.freeze()  # what is there now stays to the end, so the collector need not look at it again and again
        try:
            self._run(stop)
        finally:
            gc.unfreeze()

    def _run(self, stop: Stop) -> None:
        try:
            with closing(self._source):
                reached_end = self._learn(stop)
            if reached_end:
                self._finish()
        except (InputError, BadInput, ClosedOutput, OSError):
            if self._is_worth_keeping():
                self._save()
            else:
                self._leave_no_new_model()
            raise
        except MemoryError:
            if self._n_saves == 0 or self.saved is None or not self.saved.model.is_ready_:
                self._leave_no_new_model()
            raise
        if not reached_end and self.saved is not None:
            self._display.say("Stopped: --resume goes on with the same input, --more with another.")
        elif not reached_end:
            self._display.say("Stopped before any row was read: no model is saved.")
        self._save()

    def _is_worth_keeping(self) -> bool:
        """Whether to save after an error: if anything was learned, or if rows came that cannot be read again."""
        if self.saved is None or not self.saved.has_rows:
            return False
        if self._is_new and not self.saved.model.is_ready_:
            return not self._replaces and not self._plan.reading.is_rereadable
        return self.n_read > 0

    def _leave_no_new_model(self) -> None:
        """Remove the file of a model that this run started and that has learned nothing."""
        if self._is_new:
            self.is_kept = False
            if self._n_saves and not self._replaces:
                self._plan.path.unlink(missing_ok=True)

    def _learn(self, stop: Stop) -> bool:
        """Learn all chunks. Return whether the end of the input was reached."""
        for chunk in self._chunks(stop):
            self._take(chunk)
        return not stop.requested

    def _chunks(self, stop: Stop) -> Iterator[Chunk]:
        """Yield chunks of new records. The first ones are held back until the kinds of the columns are known."""
        sample: list[Chunk] = []
        checked = False
        for chunk in self._until_torn():
            if chunk.columns and not checked:
                if remark := self._plan.reading.remark_on(chunk):
                    self._display.say(remark)
                if self.saved:
                    self.saved.schema.check(chunk)
                self._plan.carried.names(list(chunk.columns), self._headings)
                checked = True
            if chunk.n_records:
                if self._n_found < self._n_to_skip:
                    self._trace.follow(chunk, self._n_to_skip)
                    self._check_same_input(self._n_found + chunk.n_records >= self._n_to_skip)
                self._n_found += chunk.n_records
                chunk = chunk.after(self._n_to_skip)
            if self.saved is None:
                if chunk.columns:
                    sample.append(chunk)
                if _n_records(sample) >= SAMPLE_ROWS:
                    self._begin(sample)
                    yield from sample
            elif chunk.n_records:
                yield chunk
            else:
                self._save_and_show_if_due(None)
            if stop.requested and self._plan.reading.is_rereadable:
                break  # a pipe, which cannot be read again, ends after what was taken from it
        if self.saved is None and _n_records(sample):
            self._begin(sample)
            yield from sample
        if self._torn is not None:
            raise self._torn

    def _until_torn(self) -> Iterator[Chunk]:
        """The chunks of the input. If it breaks off, the error waits until the rows before it are learned."""
        try:
            yield from self._source
        except Stopped:
            return
        except InputError as error:
            self._torn = error

    def _begin(self, sample: list[Chunk]) -> None:
        """Make the model, now that the kinds of its columns are known."""
        time = self._plan.settings.time
        if time is not None:
            check_times(sample, time)
        schema = Schema.infer(sample, self._plan.given)
        times = None if time is None else Times(time)
        self.saved = Saved(self._plan.settings.start(schema), schema, Account(), times)
        self._display.say(f"Columns: {_described(schema)}.")
        for remark in schema.remarks(sample, self._plan.given):
            self._display.say(f"{remark} A file for --schema declares kinds.")

    def _check_same_input(self, is_last: bool) -> None:
        """Check that a resumed input is the same as before, as far as the model has read it."""
        assert self.saved is not None, "only a saved model has read anything"
        account = self.saved.account
        differs = account.first_record and account.first_record != self._trace.first
        if differs or (is_last and account.last_records and account.last_records != self._trace.last):
            raise InputError(
                f"The input is not the one that {self._plan.path} was learning from, whose first {self._n_to_skip:,} "
                "rows were others: to learn this one too, from its first row, use --more in place of --resume."
            )

    def _take(self, chunk: Chunk) -> None:
        saved = self.saved
        assert saved is not None, "chunks are taken only when the columns are known"
        rows, error = up_to_error(saved.schema.parse(chunk), self._plan.reading.on_bad_row)
        n_taken = len(rows.rows) + len(rows.bad)
        n_read_of_input = saved.account.n_read_of_input + n_taken
        self._trace.follow(chunk, n_read_of_input)
        if self._trace.first and not self._bad_rows.label:
            self._bad_rows.label = label(self._plan.reading.source, self._trace.first)
        self._bad_rows.take(rows.bad)  # first: if there is no room for them, the chunk is not learned
        saved, found = self.teaching.learn(saved, rows) if len(rows.rows) else (saved, np.empty(0))
        account = replace(
            saved.account,
            n_read=saved.account.n_read + n_taken,
            n_skipped=saved.account.n_skipped + len(rows.bad),
            n_read_of_input=n_read_of_input,
            first_record=self._trace.first,
            last_records=self._trace.last,
        )
        self.saved = saved._replace(account=account)
        is_first_of_another = not self._is_new and self.n_read == 0 and account.n_read_of_input == n_taken > 0
        self.n_read += n_taken
        if is_first_of_another:
            self._save()  # from now on, --resume means this input
        if self._plan.score and len(rows.rows):
            if self._output is None:  # not earlier: rows must be learned even if the output is already closed
                names = self._plan.carried.names(list(chunk.columns), self._headings)
                self._output = Output([*names, *self._headings], self._plan.style)
            kept = self._plan.carried.cells(chunk, rows.rows)
            judged = verdicts.verdicts(saved.model, found, saved.schema.names)
            self._output.write(
                (*cells, row, *verdict.cells) for cells, row, verdict in zip(kept, rows.rows, judged, strict=True)
            )
        if error is not None:
            raise bad_row_error(error, " --resume goes on from there." if self._is_worth_keeping() else "")
        self._save_and_show_if_due(rows.cells if len(rows.rows) else None)

    def _save_and_show_if_due(self, newest: npt.NDArray[Any] | None) -> None:
        """Between two chunks: save a checkpoint and show the progress, each if it is time."""
        if self.saved is None or not self.saved.has_rows:
            return
        n_unsaved = self.saved.account.n_read - self._n_saved
        if self._replaces and not self.saved.model.is_ready_:
            n_unsaved = 0  # the old model stays until the new one has learned something
        seconds = time.monotonic() - self._time_saved
        if n_unsaved and (
            seconds >= self._plan.checkpoint_seconds
            or (self._plan.checkpoint_rows is not None and n_unsaved >= self._plan.checkpoint_rows)
        ):
            self._save()
        if self._pace.due:
            self._display.show(self._status(newest))

    def _status(self, newest: npt.NDArray[Any] | None) -> Status:
        assert self.saved is not None
        rate = self._pace.rate(self.n_read)
        names, n_bad = self.saved.schema.names, self._bad_rows.n_skipped
        teaching = self.teaching
        return Status(self.saved.model, names, newest, teaching.surprise, self.n_read, rate, n_bad, teaching.n_alarms)

    @property
    def _headings(self) -> Sequence[str]:
        """Names of what is printed about a row."""
        return verdicts.headings(self._plan.settings.time is not None if self.saved is None else self.saved.is_series)

    def _finish(self) -> None:
        """At the end of the input, a model that is still in its warm-up learns the rows that it has."""
        if self.saved is None:
            raise InputError("The input has no rows to learn from.")
        if self._n_found < self._n_to_skip:
            self._display.say(
                f"The input has {self._n_found:,} rows, but the model has taken {self._n_to_skip:,} from it: there is "
                "nothing new. To learn another input, use --more in place of --resume."
            )
        if not self.saved.has_rows:
            raise InputError("The input has no rows to learn from: all are bad.")
        model = self.saved.model
        if not model.is_ready_:
            self._display.say(
                f"{model.n_waiting_:,} rows are fewer than the warm-up of {model.encoder_.warm_up:,}: the columns are "
                "coded by these rows alone, and they are learned now."
            )
            model.flush()

    def _save(self) -> None:
        if self.saved is None or not self.saved.has_rows:
            return
        saved = self.saved
        if self.n_read == 0 and self._account_before is not None:
            saved = saved._replace(account=self._account_before)
        self._bad_rows.sync()
        models.save(self._plan.path, saved)
        self._n_saves += 1
        self._n_saved, self._time_saved = self.saved.account.n_read, time.monotonic()


def _n_records(chunks: list[Chunk]) -> int:
    return sum(chunk.n_records for chunk in chunks)


def _described(schema: Schema) -> str:
    if len(schema.kinds) <= 20:
        return ", ".join(f"{shown(name)} ({kind})" for name, kind in schema.kinds.items())
    kinds = list(schema.kinds.values())
    return ", ".join(f"{kinds.count(kind):,} of kind {kind}" for kind in dict.fromkeys(kinds))

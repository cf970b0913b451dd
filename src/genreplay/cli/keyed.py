"""``genreplay learn --by``: a model for every key of a table, in one folder."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import click

from genreplay.cli import verdicts
from genreplay.cli.carry import Carried
from genreplay.cli.clock import check_times
from genreplay.cli.identity import Trace, label
from genreplay.cli.lock import writing
from genreplay.cli.models import Account, Saved, Times
from genreplay.cli.output import Output, Style, write
from genreplay.cli.progress import Display, Pace
from genreplay.cli.rows import BadRows, Reading, bad_row_error, up_to_error
from genreplay.cli.settings import Settings
from genreplay.cli.stop import Stop
from genreplay.cli.waiting import WaitingRows, with_keys
from genreplay.estimators.alarms import ExplainedRows, JudgedRows
from genreplay.estimators.arguments import arguments_of
from genreplay.fleet.keyed import Blueprint
from genreplay.fleet.process import Fleet
from genreplay.fleet.store import HEAD
from genreplay.streams.chunks import Chunk, InputError, listed, short
from genreplay.streams.lines import Stopped
from genreplay.streams.schema import SAMPLE_ROWS, Schema

WAITING = 64_000_000
"""bytes of the rows that are read before they are learned, about: the more of a key come together, the less often its
model is read and written"""


@dataclass(frozen=True)
class KeyedPlan:
    """What ``genreplay learn --by`` was asked to do."""

    reading: Reading
    by: str
    """column of the keys"""
    folder: Path
    settings: Settings
    """how new models are made"""
    given: Schema | None
    """kinds of columns that the user gave, the key among those to ignore"""
    prior: Path | None
    jobs: int
    memory: int
    checkpoint_rows: int | None
    checkpoint_seconds: float
    score: bool
    out: Path | None
    """file of the scores; None for standard output"""
    carried: Carried
    style: Style


class KeyedLearning:
    """One run: continues a fleet or starts a new one, until the input ends or a signal arrives."""

    def __init__(self, plan: KeyedPlan, fleet: Fleet | None, account: Account, display: Display) -> None:
        self._plan, self._fleet, self._display = plan, fleet, display
        self.account = account
        """of the last rows that were learned, all keys together"""
        self._ahead = account
        """of the last rows that were read"""
        self._n_to_skip = account.n_read_of_input
        self._trace = Trace()
        self._waiting: WaitingRows | None = None
        self._names: list[str] = []
        """of the columns that are printed before the scores"""
        self._file: BinaryIO | None = None
        self._output: Output | None = None
        self._pace = Pace(display.every)
        self._time_saved, self._n_saved = time.monotonic(), account.n_read
        self.n_read = self.n_alarms = 0

    def run(self, stop: Stop, bad_rows: BadRows) -> None:
        """Learn until the input ends or a signal arrives, then commit."""
        plan, fleet = self._plan, self._fleet
        names = list(fleet.blueprint.schema.kinds) if fleet else list(plan.given.kinds if plan.given else ())
        source = plan.reading.open(names, fleet is None, lambda: stop.requested)
        with self._opened() as self._file, closing(source):
            try:
                for chunk in self._chunks(source, stop):
                    self._take(chunk, bad_rows)
            except (InputError, click.ClickException, OSError):
                self._learn_and_commit(bad_rows)
                raise
            self._learn_and_commit(bad_rows)
            if self._fleet is None:
                raise InputError("The input has no rows to learn from.")
            if stop.requested:
                self._display.say("Stopped: --resume goes on with the same input, --more with another.")

    def close(self) -> None:
        """End the processes that learn."""
        if self._fleet is not None:
            self._fleet.close()

    @property
    def summary(self) -> str:
        """What was done, in words."""
        of_these = "" if self.account.n_read == self.n_read else f" ({self.n_read:,} of them now)"
        return (
            f"Read {self.account.n_read:,} rows{of_these}: {self.account.n_skipped:,} skipped. "
            f"Alarms: {self.n_alarms:,}{' now' if of_these else ''}. Models: {self._plan.folder}."
        )

    def _opened(self) -> Any:
        """The file of the scores, cut to what it had at the last commit."""
        path = self._plan.out
        if path is None:
            return nullcontext()
        written = self._fleet.notes.get("written") if self._fleet else None
        if written is None:
            return open(path, "wb")
        if not path.exists() or path.stat().st_size < written:
            raise InputError(
                f"{path} is shorter than the {written:,} bytes that were written: it is not the same file."
            )
        file = open(path, "r+b")  # noqa: SIM115 (closed by the caller)
        file.truncate(written)
        file.seek(written)
        return file

    def _chunks(self, source: Iterator[Chunk], stop: Stop) -> Iterator[Chunk]:
        """Chunks of new records. The first ones are held back until the kinds of the columns are known."""
        sample: list[Chunk] = []
        torn: InputError | None = None
        n_found, is_checked = 0, False
        while True:
            try:
                chunk = next(source)
            except (StopIteration, Stopped):
                break
            except InputError as error:  # waits until the rows before it are learned
                torn = error
                break
            if chunk.columns and not is_checked:
                self._check_columns(chunk)
                is_checked = True
            if chunk.n_records and n_found < self._n_to_skip:
                self._trace.follow(chunk, self._n_to_skip)
                self._check_same_input(n_found + chunk.n_records >= self._n_to_skip)
            n_found += chunk.n_records
            chunk = chunk.after(self._n_to_skip)
            if self._fleet is None:
                sample += [chunk] if chunk.columns else []
                if sum(each.n_records for each in sample) >= SAMPLE_ROWS:
                    self._begin(sample)
                    yield from sample
            else:
                yield chunk
            if stop.requested and self._plan.reading.is_rereadable:
                break  # a pipe, which cannot be read again, ends after what was taken from it
        if self._fleet is None and any(chunk.n_records for chunk in sample):
            self._begin(sample)
            yield from sample
        if torn is not None:
            raise torn

    def _check_columns(self, chunk: Chunk) -> None:
        plan = self._plan
        if plan.by not in chunk.columns:
            raise InputError(
                f"The input has no column {short(plan.by)}, which --by names: it has {listed(chunk.columns)}."
            )
        if remark := plan.reading.remark_on(chunk):
            self._display.say(remark)
        if self._fleet is not None:
            self._fleet.blueprint.schema.check(chunk)
        self._names = plan.carried.names(list(chunk.columns), self._headings)

    def _check_same_input(self, is_last: bool) -> None:
        account = self.account
        if account.first_record != self._trace.first or (is_last and account.last_records != self._trace.last):
            raise InputError(
                f"The input is not the one that {self._plan.folder} was learning from, whose first {self._n_to_skip:,} "
                "rows were others: to learn this one too, from its first row, use --more in place of --resume."
            )

    def _begin(self, sample: list[Chunk]) -> None:
        """Make the fleet, now that the kinds of its columns are known."""
        plan = self._plan
        if plan.settings.time is not None:
            check_times(sample, plan.settings.time)
        schema = Schema.infer(sample, plan.given)
        detector = plan.settings.start(schema)
        blueprint = Blueprint(schema, detector, plan.settings.seed or 0, plan.settings.time)
        if plan.prior is not None:
            blueprint = blueprint.with_prior(plan.prior.read_bytes())
        self._fleet = Fleet(plan.folder, blueprint, jobs=plan.jobs, memory=plan.memory)
        learned = ", ".join(f"{name} ({schema.kinds[name]})" for name in schema.names[:20])
        self._display.say(f"A model for each {short(plan.by)}. Columns: {learned}.")

    def _take(self, chunk: Chunk, bad_rows: BadRows) -> None:
        """Read a chunk; its rows wait, unless the input is slow, until enough have come to be learned together."""
        assert self._fleet is not None
        if chunk.n_records:
            schema = self._fleet.blueprint.schema
            keys, typed = with_keys(chunk, schema.parse(chunk), self._plan.by)
            rows, error = up_to_error(typed, self._plan.reading.on_bad_row)
            n_taken = len(rows.rows) + len(rows.bad)
            self._trace.follow(chunk, self._ahead.n_read_of_input + n_taken)
            if self._trace.first and not bad_rows.label:
                bad_rows.label = label(self._plan.reading.source, self._trace.first)
            bad_rows.take(rows.bad)
            self._ahead = replace(
                self._ahead,
                n_read=self._ahead.n_read + n_taken,
                n_skipped=self._ahead.n_skipped + len(rows.bad),
                n_read_of_input=self._ahead.n_read_of_input + n_taken,
                first_record=self._trace.first,
                last_records=self._trace.last,
            )
            self.n_read += n_taken
            kept = self._plan.carried.cells(chunk, rows.rows) if self._plan.score else []
            self._waiting = self._waiting or WaitingRows(schema)
            self._waiting.add(keys[: len(rows.rows)], rows, kept)
            if error is not None:
                raise bad_row_error(error, " --resume goes on from there.")
        is_due = time.monotonic() - self._time_saved >= self._plan.checkpoint_seconds
        enough = self._plan.checkpoint_rows
        is_due |= enough is not None and self._ahead.n_read - self._n_saved >= enough
        if is_due and self._ahead.n_read > self._n_saved:
            self._learn_and_commit(bad_rows)
        elif not chunk.n_records or (self._waiting is not None and self._waiting.n_bytes > WAITING):
            self._learn()  # a chunk without records says that nothing came for a while
        if self._pace.due:
            rate = self._pace.rate(self.n_read)
            self._display.say(f"{self.n_read:,} rows, {rate:,.0f} a second, alarms: {self.n_alarms:,}")

    def _learn(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None and waiting.rows and self._fleet is not None:
            found = self._fleet.learn(waiting.keys, waiting.columns)
            self.n_alarms += int(found.alarm.sum())
            if self._plan.score:
                self._print(waiting, found)
        self.account = self._ahead

    @property
    def _headings(self) -> Sequence[str]:
        """Names of what is printed about a row."""
        if self._fleet is None:
            return verdicts.headings(self._plan.settings.time is not None)
        return verdicts.headings(self._fleet.blueprint.detector.alarms is not None)

    def _print(self, waiting: WaitingRows, found: ExplainedRows) -> None:
        assert self._fleet is not None
        blueprint = self._fleet.blueprint
        if self._output is None:
            self._output = Output([*self._names, *self._headings], self._plan.style, self._file)
        is_series = blueprint.detector.alarms is not None
        judged = JudgedRows(found.anomaly, found.alarm, found.reasons[:, 0]) if is_series else found.anomaly
        told = verdicts.verdicts(blueprint.detector, judged, blueprint.schema.names)
        lines = zip(waiting.kept, waiting.rows, told, strict=True)
        self._output.write((*cells, row, *verdict.cells) for cells, row, verdict in lines)

    def _learn_and_commit(self, bad_rows: BadRows) -> None:
        """Learn what waits, and make it last: the models, the place in the input, and the length of the output."""
        if self._fleet is None:
            return
        self._learn()
        bad_rows.sync()
        written = None
        if self._file is not None:
            self._file.flush()
            os.fsync(self._file.fileno())
            written = self._file.tell()
        self._fleet.commit({"by": self._plan.by, "account": asdict(self.account), "written": written})
        self._time_saved, self._n_saved = time.monotonic(), self.account.n_read


def learn_by(plan: KeyedPlan, how: str | None, display: Display, as_json: bool) -> None:
    """Learn an input; ``how`` is "resume", "more" or "force", if one of them was asked for."""
    fleet, account = None, Account()
    plan.folder.mkdir(exist_ok=True)
    with writing(plan.folder / "fleet"):
        if (plan.folder / HEAD).exists() and how != "force":
            if how is None:
                raise click.UsageError(
                    f"{plan.folder} has models: use --resume to go on with the same input, --more to learn another, or "
                    "--force to start anew."
                )
            fleet = Fleet(plan.folder, jobs=plan.jobs, memory=plan.memory)
            account = _checked(plan, fleet)
            if how == "more":
                account = replace(account, input_number=account.input_number + 1, n_read_of_input=0)
                account = replace(account, first_record="", last_records="")
        else:
            plan.settings.start()  # before anything is read, it refuses options that mean nothing
        learning = KeyedLearning(plan, fleet, account, display)
        try:
            with (
                display,
                BadRows(plan.reading, account.n_read_of_input if how == "resume" else None) as bad_rows,
                Stop() as stop,
            ):
                learning.run(stop, bad_rows)
                display.say(learning.summary)
        finally:
            learning.close()
    if as_json and not plan.score:
        write(
            json.dumps({"read": learning.account.n_read, "read_now": learning.n_read, "alarms_now": learning.n_alarms})
        )


def _checked(plan: KeyedPlan, fleet: Fleet) -> Account:
    """The account of a fleet that goes on; what it was made with may be repeated, but not changed."""
    notes, blueprint = fleet.notes, fleet.blueprint
    if notes and notes["by"] != plan.by:
        raise click.UsageError(f"The models were made with --by {notes['by']}, which cannot change.")
    if plan.prior is not None:
        raise click.UsageError("--prior is for a new fleet: the keys of this one start as they did.")
    times = None if blueprint.time is None else Times(blueprint.time)
    before = arguments_of(blueprint.detector)
    plan.settings.continued(Saved(blueprint.detector, blueprint.schema, Account(), times))
    if arguments_of(blueprint.detector) != before:
        raise click.UsageError("--contamination, --threshold and --on-drift cannot change: models keep their own.")
    return Account(**notes["account"]) if notes else Account()

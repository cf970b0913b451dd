"""The detector without scikit-learn: what the command line works with, and what the face for scikit-learn stands on."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import ClassVar, Literal, Self

import numpy as np

from genreplay.core.grouped import Nothing, TableRBM, learner
from genreplay.core.ingredient import Json
from genreplay.core.kernels.arrays import Codes
from genreplay.estimators import drift, merging_tables, saving
from genreplay.estimators.arguments import arguments_of
from genreplay.estimators.calibration import Float64
from genreplay.estimators.deviations import Deviations
from genreplay.estimators.drift import N_RESPONDING, RESPONSES, PageTest
from genreplay.estimators.filling import Means
from genreplay.estimators.frames import Library
from genreplay.estimators.judge import cell_surprise
from genreplay.estimators.one_row import OneRowMixin
from genreplay.estimators.renewal import Renewal, first_judge, renewed
from genreplay.estimators.seeds import RandomState, generator
from genreplay.estimators.waiting import Waiting
from genreplay.streams.coder import TableCoder
from genreplay.streams.series_coder import SeriesCoder
from genreplay.streams.table import Table

OnDrift = Literal["nothing", "faster", "fewer-dreams"]
SERIES_RBM = TableRBM(n_hidden=32, learning_rate=0.02, batch_size=20, replay=Nothing())
"""how the model of a series learns: few columns need few hidden units, and short batches with large steps follow
changes soon. It rehearses nothing, because what was usual long ago need not be usual now"""


class Detector(OneRowMixin):
    """Find unusual rows in a stream: ``OnlineRBMDetector`` without scikit-learn, which takes long to import.

    Its parameters and attributes are documented there. Nothing here checks parameters. Rows are 2-D arrays.
    """

    drift_: PageTest
    extra_: dict[str, Json]
    """what the caller of ``save`` added to the file"""
    n_renewals_: int
    renewed_columns_: list[str]
    renewed_after_: int
    _settings: TableRBM
    _rng: np.random.Generator
    _waiting: Waiting
    _renewal: Renewal
    _n_responding: int
    """updates left of the response to the last drift"""
    _threshold: float | None
    """of ``fit``; None once rows are learned as a stream"""
    _library: Library | None = None
    """library of the data frame that the first rows came in"""
    _saved_as: ClassVar[str] = "OnlineRBMDetector"
    _encoders: ClassVar[Mapping[str, type[TableCoder]]] = {"TableEncoder": TableCoder, "SeriesEncoder": SeriesCoder}
    """those that a file may name"""

    def __init__(
        self,
        encoder: TableCoder | None = None,
        rbm: TableRBM | None = None,
        *,
        contamination: float = 0.01,
        warm_up: int | None = None,
        on_drift: OnDrift = "nothing",
        alarms: Deviations | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.encoder = encoder
        self.rbm = rbm
        self.contamination = contamination
        self.warm_up = warm_up
        self.on_drift = on_drift
        self.alarms = alarms
        self.random_state = random_state

    def learn_scored(self, X: object) -> Float64:
        """Learn rows, and return how surprising each was before it was learned: -log of its p-value, in nats.

        With ``alarms``, return the anomaly of each row instead. The rows of the warm-up have NaN. However a stream is
        cut, the values are the same.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBMDetector
        >>> rows = np.random.default_rng(0).normal(size=(1000, 3))
        >>> surprise = OnlineRBMDetector(random_state=0).learn_scored(rows)
        >>> int(np.isnan(surprise).sum()), surprise.shape
        (500, (1000,))
        """
        if hasattr(self, "encoder_"):
            self._follow_changes()
        else:
            self._check_arguments()
            self._start(self._new_encoder(), X)
        self._threshold = None
        encoder, table = self.encoder_, self._read_further(X)
        if encoder.frozen_:
            return self._learn(table)
        n_head = min(encoder.warm_up - encoder.n_waiting_, table.n_rows)
        if encoder.n_waiting_ + n_head < encoder.warm_up:
            encoder.partial_fit(X)
            return np.full(table.n_rows, np.nan)
        earlier = encoder.collected_.reshape(encoder.n_waiting_, self.n_features_in_)
        encoder = copy(encoder).partial_fit(X)
        encoder.codes(table)  # if a cell is refused here, the encoder is still in its warm-up
        self.encoder_ = encoder
        self._begin_learning(*([Table(earlier)] if len(earlier) else []), table.head(n_head))
        return np.concatenate([np.full(n_head, np.nan), self._learn(table.part(n_head))])

    def flush(self) -> Self:
        """Learn the rows that wait although they are fewer than a batch; end the warm-up if that is what they wait for.

        For the end of a stream. Rows that come later are learned as usual.

        Examples
        --------
        >>> from genreplay import OnlineRBMDetector
        >>> detector = OnlineRBMDetector(random_state=0).partial_fit([[1.5, "red"], [2.5, "blue"], [1.6, "red"]])
        >>> detector.is_ready_, detector.flush().is_ready_
        (False, True)
        """
        self._require_rows()
        self._follow_changes()
        if not self.encoder_.frozen_:
            rows = Table(self.encoder_.collected_)
            self.encoder_.freeze()
            self._begin_learning(rows)
        if self._waiting.n:
            self._update(self._waiting.n)
        return self

    def _check_arguments(self) -> None:
        """Refuse arguments that are not valid: here, those who make a detector have checked them."""

    def _default_encoder(self) -> TableCoder:
        return self._encoders["TableEncoder"]()

    def _copy_of(self, encoder: TableCoder) -> TableCoder:
        """An encoder with the same arguments that has learned nothing."""
        return type(encoder)(**arguments_of(encoder))

    def _new_encoder(self) -> TableCoder:
        encoder = self._default_encoder() if self.encoder is None else self._copy_of(self.encoder)
        if self.warm_up is not None:
            encoder.warm_up = self.warm_up
        return encoder

    def _new_settings(self) -> TableRBM:
        return TableRBM() if self.rbm is None else self.rbm

    def _start(self, encoder: TableCoder, X: object) -> None:
        """Forget everything."""
        self._remember_columns(X)
        self.encoder_, self.judge_, self.drift_ = encoder, None, PageTest()
        self._settings, self._rng = self._new_settings(), generator(self.random_state)
        self._policy, self._running = self.alarms, None
        self._waiting, self._renewal = Waiting(), Renewal(np.zeros(self.n_features_in_))
        self.n_renewals_, self.renewed_columns_, self.renewed_after_ = 0, [], 0
        self.extra_, self._threshold, self._n_responding, self._last = {}, None, 0, None

    def _follow_changes(self) -> None:
        """Arguments may change between two calls, but not codes that are made, nor what the model started with."""
        self._check_arguments()
        encoder = self._default_encoder() if self.encoder is None else self.encoder
        warm_up = {} if self.warm_up is None else {"warm_up": int(self.warm_up)}
        same_kind = type(encoder) is type(self.encoder_)
        if not same_kind or {**encoder.settings(), **warm_up} != self.encoder_.settings():
            encoder = self._new_encoder()
            if not same_kind or self.encoder_.frozen_ or encoder.warm_up != self.encoder_.warm_up:
                raise ValueError(
                    f"{type(self).__name__} cannot change its warm_up, nor its encoder after the warm-up: set them "
                    "back, or call fit to start anew."
                )
            for name, value in arguments_of(encoder).items():
                setattr(self.encoder_, name, value)
        wanted, held = self._new_settings(), self._settings
        if self.judge_ is not None and (wanted.n_hidden, wanted.replay) != (held.n_hidden, held.replay):
            raise ValueError(
                f"{type(self).__name__} cannot change n_hidden or replay of its rbm after the warm-up: set them back, "
                "or call fit to start anew."
            )
        self._follow_policy()
        self._settings = wanted

    def _begin_learning(self, *tables: Table) -> None:
        """Make the model once the codes are made, from the rows of the warm-up."""
        read = [self.encoder_.codes_and_numbers(table) for table in tables]
        codes, numbers = (np.concatenate(each) for each in zip(*read, strict=True))
        self.judge_ = first_judge(self._settings, self.encoder_, codes, self._rng)
        self._means = Means(self.encoder_)
        self._means.add(codes, numbers)
        self._begin_alarms(codes, numbers)

    def _learn(self, table: Table) -> Float64:
        """Score and learn, batch by batch: each row is scored by the model that had all full batches before it."""
        nats = np.empty(table.n_rows)
        if table.n_rows == 0:
            return nats
        (codes, numbers), n_coded, start = self.encoder_.codes_and_numbers(table), 0, 0
        while start < table.n_rows:
            if self._update_if_full():
                (codes, numbers), n_coded = self.encoder_.codes_and_numbers(table.part(start)), start
            stop = min(start + self._settings.batch_size - self._waiting.n, table.n_rows)
            here = slice(start - n_coded, stop - n_coded)
            rows = codes[here]
            cells = self._cells_of(rows)
            scores = self._judge().scores(rows, cells)
            anomaly = self._anomaly(rows, cells, numbers[here])
            nats[start:stop] = scores.nats if anomaly is None else anomaly
            if self._nats is not None:
                self._nats.append(scores.nats)
            if self._renewal.rows is not None:
                self._renewal = self._renewal.with_rows(table.part(start, stop), self.encoder_)
            self._waiting.add(rows.copy(), cells, scores)
            self._means.add(rows, numbers[here])
            start = stop
        self._update_if_full()
        return nats

    def _cells_of(self, rows: Codes) -> Float64:
        return cell_surprise(self._judge().state, rows)

    def _update_if_full(self) -> bool:
        """Update while a batch waits, again if the batch size was lowered. Return whether the codes are new."""
        n_renewals = self.n_renewals_
        while self._waiting.n >= self._settings.batch_size:
            self._update(self._settings.batch_size)
        return self.n_renewals_ > n_renewals

    def _update(self, n_rows: int) -> None:
        """One update, and what follows from it: a test of whether the rows still fit, and new codes if they do not."""
        judge, encoder = self._judge(), self.encoder_
        (rows, cells, known), later = self._waiting.split(n_rows, self._cells_of)
        scores = known or judge.scores(rows, cells)
        nats = scores.nats
        test = drift.follow(self.drift_, float(np.minimum(nats, 10).mean()))
        n_responding = N_RESPONDING if test.n_drifts > self.drift_.n_drifts else max(self._n_responding - 1, 0)
        state = learner.update(judge.state, self.settings_, rows, self._teaching(nats))
        judge = judge.followed(scores, cells, state)
        renewal = self._renewal.followed(encoder.outside(rows), encoder.column_names_)
        if renewal.rows is not None and renewal.rows.n_rows >= encoder.warm_up and len(later) == 0:
            encoder, judge = renewed(self._settings, encoder, state, renewal.rows)
            self._means = Means(encoder)
            self._means.add(*encoder.codes_and_numbers(Table(renewal.rows.cells)))
            self.n_renewals_ += 1
            self.renewed_columns_ = [encoder.column_names_[column] for column in renewal.columns]
            self.renewed_after_ = state.n_learned
            renewal = Renewal(np.zeros(self.n_features_in_))
        waiting = Waiting().add(later) if len(later) else Waiting()
        self.encoder_, self.judge_, self._waiting, self._renewal = encoder, judge, waiting, renewal
        self.drift_, self._n_responding, self._last = test, n_responding, None

    def save(self, path: str | os.PathLike[str], extra: Mapping[str, Json] | None = None) -> None:
        """Write the encoder, the model, its dreams and its whole training state to one file, atomically.

        Learning continues from the file bit for bit. ``extra`` is kept beside them, as ``extra_``.

        Examples
        --------
        >>> import tempfile, pathlib, numpy as np
        >>> from genreplay import OnlineRBMDetector
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.safetensors"
        >>> OnlineRBMDetector(random_state=0).fit(np.random.default_rng(0).normal(size=(300, 2))).save(path)
        >>> OnlineRBMDetector.load(path).n_learned_
        300
        """
        self._require_rows()
        self._follow_changes()
        saving.save(path, self, extra)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a detector written by ``save``."""
        return saving.load(path, cls)

    def to_bytes(self, extra: Mapping[str, Json] | None = None) -> bytes:
        """Return what ``save`` would write to a file, for a place that is none, such as a database.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBMDetector
        >>> content = OnlineRBMDetector(random_state=0).fit(np.random.default_rng(0).normal(size=(300, 2))).to_bytes()
        >>> OnlineRBMDetector.from_bytes(content).n_learned_
        300
        """
        self._require_rows()
        self._follow_changes()
        return saving.to_bytes(self, extra)

    @classmethod
    def from_bytes(cls, content: bytes, name: str = "The model") -> Self:
        """Return the detector that ``to_bytes`` wrote, or whose file has this content; errors call it by its name."""
        return saving.from_bytes(content, name, cls)

    def reseed(self, random_state: RandomState) -> Self:
        """Go on with other random numbers: copies of one model that learn different streams must not share theirs."""
        self._require_rows()
        self.random_state, self._rng = random_state, generator(random_state)
        if self.judge_ is not None:
            self.judge_ = replace(self.judge_, state=self.judge_.state._replace(rng=self._rng))
        return self

    @classmethod
    def merge(
        cls,
        models: Sequence[Self],
        *,
        n_hidden: int | None = None,
        n_dreams: int | None = None,
        since: Self | None = None,
        counts_as: int | None = None,
        random_state: RandomState = None,
    ) -> Self:
        """Return a new detector learned from the dreams of others alone, each with the share of the rows it learned.

        Dreams are written out as rows of the table. Where the codes of the models differ, new ones are made from
        dreams of all. P-values are those among dreams. The other arguments are those of the first model. The result
        goes on learning as any other.

        Parameters
        ----------
        models : sequence of detectors
            With the same columns, of the same kinds. Their codes and sizes may differ.
        n_hidden : int or None, default=None
            Hidden units; None for those of the largest model.
        n_dreams : int or None, default=None
            Dreams to learn; None for as many as rows were learned, at least 10,000 and at most 60,000.
        since : detector or None, default=None
            The model that all of them went on from, if they have met before. Its rows count once, and each model has
            the share of the rows that it learned since then.
        counts_as : int or None, default=None
            Rows that all that was merged counts as, beside those that will come; None for those that were learned. A
            new stream that starts from the merged model follows its own rows the sooner, the fewer it counts as.
        random_state : int, RandomState instance or None, default=None
            Seed of everything random.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBMDetector
        >>> rng = np.random.default_rng(0)
        >>> east, west = (OnlineRBMDetector(random_state=0).fit(rng.normal(x, 1, size=(2000, 3))) for x in (-9, 9))
        >>> both = OnlineRBMDetector.merge([east, west], n_dreams=3000, random_state=0)
        >>> both.n_learned_, both.predict([[-9, -9, -9], [9, 9, 9], [-9, 9, -9]])
        (4000, array([ 1,  1, -1]))
        """
        return merging_tables.merge(cls, models, n_hidden, n_dreams, since, counts_as, random_state)

    @property
    def settings_(self) -> TableRBM:
        return RESPONSES[self.on_drift](self._settings) if self._n_responding else self._settings

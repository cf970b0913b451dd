"""A fleet on Spark: a detector for each key in the state of a query, or over a static table.

It needs the extra ``spark`` and Java: ``pip install 'genreplay[spark]'``, and for instance ``apt-get install
openjdk-17-jre-headless``.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

try:
    import pandas as pd
    import pyarrow  # noqa: F401
    from pyspark.errors import PySparkException
    from pyspark.sql import functions as F
    from pyspark.sql import types as T
    from pyspark.sql.session import SparkSession
    from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle
except ImportError as error:
    raise ImportError(
        "genreplay.fleet.spark needs PySpark, pandas and PyArrow: pip install 'genreplay[spark]'."
    ) from error

from genreplay.core.grouped import TableRBM
from genreplay.estimators.alarms import ExplainedRows
from genreplay.estimators.arguments import arguments_of
from genreplay.estimators.deviations import Deviations
from genreplay.estimators.plain_detector import SERIES_RBM, Detector
from genreplay.fleet.keyed import Blueprint, FleetError, advance
from genreplay.streams.cells import Kind
from genreplay.streams.chunks import listed, short
from genreplay.streams.coder import TableCoder
from genreplay.streams.schema import Schema
from genreplay.streams.series_coder import SeriesCoder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

RESULTS = ("anomaly", "p_value", "alarm", "reasons")
"""columns that ``detect`` adds"""
_RESULT_TYPES = (T.DoubleType(), T.DoubleType(), T.BooleanType(), T.ArrayType(T.StringType()))
_KINDS: Mapping[type[T.DataType], Kind] = {
    T.NumericType: "number",
    T.StringType: "category",
    T.BooleanType: "boolean",
    T.DatetimeType: "timestamp",
}
_STATE = "model"
"""name of the variable in the state of a query"""
_PROVIDER = "spark.sql.streaming.stateStore.providerClass"
_ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
_CONNECT = "spark.python.authenticate.socketTimeout"
"""on a busy machine, a worker needs longer than Spark waits by default: it imports pandas and Numba first"""
_EMPTY_BATCHES = "spark.sql.streaming.noDataMicroBatches.enabled"
_MICROS = "__micros_"
"""start of the names of columns that carry times as numbers: pandas would give them in the time zone of the session"""


def session(**settings: str) -> SparkSession:
    """Return the Spark session, or start one: with the state store that ``detect`` needs, and this Python.

    Settings of Spark are given with ``_`` in place of ``.``, such as ``spark_sql_shuffle_partitions="8"``.

    Examples
    --------
    >>> spark = session(spark_master="local[2]")  # doctest: +SKIP
    """
    has_java = shutil.which("java") or (Path(os.environ.get("JAVA_HOME", "/nowhere")) / "bin" / "java").exists()
    if not has_java and "SPARK_REMOTE" not in os.environ:
        raise FleetError(
            "Spark needs Java 17 or newer, and there is none: install it, for instance with apt-get install "
            "openjdk-17-jre-headless, or set JAVA_HOME."
        )
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("genreplay").config(_PROVIDER, _ROCKSDB).config(_CONNECT, "300s")
    for name, value in settings.items():
        builder = builder.config(name.replace("_", "."), value)
    return builder.getOrCreate()


def detect(
    stream: DataFrame,
    key: str,
    time: str,
    encoder: TableCoder | None = None,
    recipe: TableRBM | None = None,
    *,
    alarms: Deviations | None = None,
    contamination: float = 0.01,
    warm_up: int | None = None,
    ignore: Sequence[str] = (),
    prior: str | os.PathLike[str] | bytes | None = None,
    ttl: float | None = None,
    seed: int = 0,
) -> DataFrame:
    """Judge each row by those of its key before it, and learn it: a detector for each key.

    Returns the rows with four further columns: ``anomaly``, ``p_value``, ``alarm`` and ``reasons``, the names of the
    columns that surprise most. All but the reasons are null in the warm-up of a key.

    For a stream, the detectors are in the state of the query, as model files. The checkpoint of the query makes them
    and its output exactly-once; ``genreplay.fleet.models`` reads them from there. For a static table, each key starts
    anew, and only the rows are returned. Both give the same to the bit, as does ``genreplay learn --by``, as long as
    the rows of a key come in the order of their times.

    Parameters
    ----------
    stream : DataFrame
        Rows, streaming or static.
    key : str
        Column of text or whole numbers that says whose rows they are. Rows without a key are dropped.
    time : str
        Column of times, by which the rows of a key are put in order; inside a micro-batch, in a stream.
    encoder : TableEncoder, SeriesEncoder or None, default=None
        Turns rows into codes. None for ``SeriesEncoder()``: a row is judged given its time and the rows before it, as
        with ``genreplay learn --time``. A ``TableEncoder`` judges each row by itself.
    recipe : TableRBM or None, default=None
        How the model learns; None for that of ``series_detector``, or, with a ``TableEncoder``, of
        ``OnlineRBMDetector``.
    alarms : Deviations or None, default=None
        When a series raises an alarm; None for ``Deviations()``.
    contamination : float, default=0.01
        Highest p-value at which a row of a table raises an alarm.
    warm_up : int or None, default=None
        First rows of each key, which fix the codes; None for those of the encoder.
    ignore : sequence of str, default=()
        Columns that are not learned.
    prior : path, bytes or None, default=None
        A model file from which new keys go on, in place of a warm-up of their own. Its own settings hold.
    ttl : float or None, default=None
        Seconds after which the model of a key without rows is dropped; None to keep all. With it, micro-batches without
        data are switched off in the session: without that, queries would never be idle.
    seed : int, default=0
        Seed of everything random.

    Examples
    --------
    >>> judged = detect(spark.readStream.schema(s).csv("in"), key="meter", time="ts")  # doctest: +SKIP
    """
    columns = {field.name: field.dataType for field in stream.schema.fields}
    _check_columns(columns, key, time, ignore)
    schema = Schema({name: _kind(name, columns[name]) if name not in (key, *ignore) else "ignore" for name in columns})
    blueprint = _blueprint(schema, time, encoder, recipe, alarms, contamination, warm_up, seed)
    if prior is not None:
        if encoder is not None or recipe is not None:
            raise ValueError("The settings of the prior hold: leave out encoder and recipe, or the prior.")
        blueprint = blueprint.with_prior(prior if isinstance(prior, bytes) else Path(prior).read_bytes())
    rows = stream.where(F.col(key).isNotNull())
    for name in schema.names:
        if isinstance(columns[name], T.TimestampType):
            rows = rows.withColumn(_MICROS + name, F.unix_micros(F.col(name)))
    results = [T.StructField(name, kind) for name, kind in zip(RESULTS, _RESULT_TYPES, strict=True)]
    output = T.StructType([*stream.schema.fields, *results])
    judging = _Judging(blueprint, key, time, list(columns), rows.columns)
    grouped = rows.groupBy(key)
    if not stream.isStreaming:
        return grouped.applyInPandas(lambda frame: judging.of_table(frame), output)  # it counts the arguments
    stream.sparkSession.conf.set(_PROVIDER, _ROCKSDB)
    if ttl is not None:  # else Spark would look for what has expired in one empty micro-batch after the other
        stream.sparkSession.conf.set(_EMPTY_BATCHES, "false")
    milliseconds = None if ttl is None else int(1000 * ttl)
    processor = _Processor(judging, milliseconds)
    return grouped.transformWithStateInPandas(processor, output, "Append", "None" if ttl is None else "ProcessingTime")


def kept(checkpoint: str) -> Iterator[tuple[str, bytes]]:
    """The keys and the model files in the checkpoint of a query."""
    try:
        states = session().read.format("statestore").option("path", checkpoint).option("stateVarName", _STATE).load()
        for row in states.select("key", "value").toLocalIterator():
            value = row["value"]  # with a time to live, the time when that is over is beside it
            yield str(row["key"][0]), bytes(value["file"] if "file" in value else value["value"]["file"])
    except PySparkException as error:
        raise FleetError(
            f"The checkpoint {checkpoint} has no models that can be read: {error.getCondition()}."
        ) from error


class _Judging:
    """Judges and learns the rows of a key that are in a pandas frame."""

    def __init__(self, blueprint: Blueprint, key: str, time: str, columns: list[str], names: list[str]) -> None:
        self._blueprint, self._key, self._time = blueprint, key, time
        self._columns, self._names = columns, names

    def of_table(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The rows of a key that starts anew."""
        return self.advance(None, str(frame[self._key].iloc[0]), frame)[0]

    def advance(self, held: bytes | None, key: str, frame: pd.DataFrame) -> tuple[pd.DataFrame, bytes]:
        """Rows with what they were, in the order of their times, and the model that has learned them."""
        frame.columns = self._names  # in a stream, names that are no identifiers of Python come as others
        first = _MICROS + self._time if _MICROS + self._time in frame else self._time
        others = [name for name in self._columns if name not in (self._time, self._key)]
        frame = frame.sort_values([first, *others], kind="stable", ignore_index=True)  # equal times: in the same order
        names = self._blueprint.schema.names
        cells = self._blueprint.cells({name: _cells(frame, name) for name in names}, key)
        found, content = advance(held, key, cells, self._blueprint)
        return frame[self._columns].assign(**_results(found, names)), content


class _Processor(StatefulProcessor):
    """Keeps the model of each key in the state of a query."""

    def __init__(self, judging: _Judging, ttl: int | None) -> None:
        self._judging, self._ttl = judging, ttl

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._model = handle.getValueState(_STATE, T.StructType([T.StructField("file", T.BinaryType())]), self._ttl)

    def handleInputRows(self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any) -> Iterator[pd.DataFrame]:
        held = self._model.get() if self._model.exists() else None
        frame = pd.concat(list(rows), ignore_index=True)
        judged, content = self._judging.advance(None if held is None else bytes(held[0]), str(key[0]), frame)
        self._model.update((content,))
        yield judged

    def close(self) -> None:
        """Nothing is open."""


def _blueprint(
    schema: Schema,
    time: str,
    encoder: TableCoder | None,
    recipe: TableRBM | None,
    alarms: Deviations | None,
    contamination: float,
    warm_up: int | None,
    seed: int,
) -> Blueprint:
    is_series = encoder is None or isinstance(encoder, SeriesCoder)
    given = {} if encoder is None else arguments_of(encoder)
    schema = Schema({**schema.kinds, **(given.pop("kinds", None) or {})})
    coder = (SeriesCoder if is_series else TableCoder)(**given, kinds=schema.kinds_by_place)
    detector = Detector(
        coder,
        recipe or (SERIES_RBM if is_series else TableRBM()),
        contamination=contamination,
        warm_up=warm_up,
        alarms=(alarms or Deviations()) if is_series else None,
    )
    return Blueprint(schema, detector, seed, time if is_series else None)


def _check_columns(columns: Mapping[str, T.DataType], key: str, time: str, ignore: Sequence[str]) -> None:
    for what, name in (("key", key), ("time", time), *(("ignore", name) for name in ignore)):
        if name not in columns:
            raise FleetError(
                f"The rows have no column {short(name)}, which {what!r} names: they have {listed(columns)}."
            )
    if not isinstance(columns[key], T.StringType | T.IntegralType):
        raise FleetError(f"The key {short(key)} is of type {columns[key].simpleString()}: use text or whole numbers.")
    if not isinstance(columns[time], T.DatetimeType):
        raise FleetError(f"The column {short(time)} is of type {columns[time].simpleString()}: cast it to timestamp.")
    for name in RESULTS:
        if name in columns:
            raise FleetError(f"The rows have a column {short(name)}, and so do the results: rename it.")


def _kind(name: str, type_: T.DataType) -> Kind:
    for base, kind in _KINDS.items():
        if isinstance(type_, base):
            return kind
    raise FleetError(f"The column {short(name)} is of type {type_.simpleString()}, which is not learned: ignore it.")


def _cells(frame: pd.DataFrame, name: str) -> Any:
    """A column as the readers of cells take it."""
    if _MICROS + name in frame:
        return frame[_MICROS + name].to_numpy(dtype=float, na_value=float("nan")) / 1e6
    column = frame[name]
    if column.dtype.kind == "M":
        return column.to_numpy()
    if column.dtype.kind in "iuf":
        return column.to_numpy(dtype=float, na_value=float("nan"))
    return column.to_numpy(dtype=object, na_value=None)


def _results(found: ExplainedRows, names: Sequence[str]) -> dict[str, pd.Series[Any]]:
    known = pd.Series(found.anomaly).notna()
    reasons = [[names[place] for place in row if place >= 0] for row in found.reasons.tolist()]
    values = (pd.Series(found.anomaly), pd.Series(found.p_value), pd.Series(found.alarm, dtype=object), reasons)
    columns = [pd.Series(value, dtype=object) for value in values]
    return {
        name: column.where(known, None) if name != "reasons" else column
        for name, column in zip(RESULTS, columns, strict=True)
    }

"""What the header of a model file may hold. Everything in it is compared with this before anything is built from it.

The digest of a file shows damage, not intent: anyone can write a file with a right one. So types, ranges and lengths
are checked here, by msgspec; ``model_arrays`` does the same for the tensors. Settings go through the constructors of
their classes, which know their rules, and what must agree with an encoder or a recipe is checked where these are made.
What fails is a ``ValueError`` that says what is wrong; ``checkpoint.refusing`` adds the file's name.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import pairwise
from typing import Annotated, Any, Literal, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType, ValidationError, convert

from genreplay.core.ingredient import MOST
from genreplay.core.kernels.arrays import MOST_CODES
from genreplay.core.kernels.running import N_LENGTHS
from genreplay.core.kernels.scores import EDGES

LARGEST_FILE = 2**30
"""bytes of a file; also of the arrays that its settings ask for"""
LARGEST_HEADER = 100_000_000
"""bytes; safetensors reads no larger one"""
MOST_COUNTED = 2**53
"""rows, updates or epochs: up to here, floats count exactly"""
_LARGEST = sys.float_info.max

Count = Annotated[int, Meta(ge=0, le=MOST_COUNTED)]
Size = Annotated[int, Meta(ge=1, le=MOST)]
Finite = Annotated[float, Meta(ge=-_LARGEST, le=_LARGEST)]
Positive = Annotated[float, Meta(gt=0, le=_LARGEST)]
Counted = Annotated[float, Meta(ge=0, le=MOST_COUNTED)]
Nats = Annotated[float, Meta(ge=-1e9, le=1e9)]
Share = Annotated[float, Meta(ge=0, le=1)]
Kind = Literal["number", "category", "boolean", "timestamp"]
NumberType = Literal[
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"
]


class Part(Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a header: these fields, and no others."""


class _GeneratorState(Part, frozen=True):
    state: int
    inc: int

    def __post_init__(self) -> None:
        _require(0 <= min(self.state, self.inc) <= max(self.state, self.inc) < 2**128, "has numbers of 128 bits")


class Generator(Part, frozen=True):
    """The state of a random generator."""

    bit_generator: Literal["PCG64"]
    state: _GeneratorState
    has_uint32: Literal[0, 1]
    uinteger: Annotated[int, Meta(ge=0, lt=2**32)]


class Learner(Part, frozen=True):
    """The header of an ``OnlineRBM``, or of a bare learner."""

    t: Annotated[int, Meta(ge=1, le=MOST_COUNTED)]
    n_epochs: Count
    n_learned: Count
    batch_rows: Size
    generator: Generator
    recipe: dict[str, Any]
    """goes through the constructors"""
    extra: dict[str, Any]


class Estimator(Part, frozen=True):
    """What an ``OnlineRBM`` adds."""

    estimator: str
    params: dict[str, Any]
    """go through the constructor"""
    feature_names: list[str]


class _EncoderSettings(Part, frozen=True, kw_only=True):
    combinations: bool
    n_bins: Annotated[int, Meta(ge=1, le=MOST_CODES - 12)]
    max_categories: Annotated[int, Meta(ge=1, le=MOST_CODES - 2)]
    time_bins: Annotated[int, Meta(ge=1, le=MOST_CODES - 1)]
    warm_up: Size


class _Pairs(Part, frozen=True):
    pairs: list[tuple[str | int, Kind]]


class _NamedType(Part, frozen=True):
    dtype: NumberType


class _EncoderParams(_EncoderSettings, frozen=True, kw_only=True):
    kinds: _Pairs | None
    dtype: _NamedType | NumberType | None


class _EncoderArgument(Part, frozen=True):
    estimator: str
    params: _EncoderParams


class _IngredientArgument(Part, frozen=True):
    ingredient: dict[str, Any]


class DetectorParams(Struct, frozen=True):
    """The arguments of a detector; a subclass may have others, which its constructor knows."""

    contamination: Annotated[float, Meta(gt=0, le=0.5)]
    warm_up: Size | None
    on_drift: Literal["nothing", "faster", "fewer-dreams"]
    random_state: Annotated[int, Meta(ge=0, lt=2**32)] | None
    encoder: _EncoderArgument | None
    rbm: _IngredientArgument | None
    alarms: _IngredientArgument | None


class _Cuts(Part, frozen=True):
    cuts: Annotated[list[Finite], Meta(max_length=MOST_CODES - 2)]
    quantiles: list[list[Finite | None]]
    usual: tuple[int, int]
    separate: bool
    whole: bool

    def __post_init__(self) -> None:
        n, (first, last) = len(self.cuts), self.usual
        _require(all(a <= b for a, b in pairwise(self.cuts)), "has its cuts in order")
        _require(1 <= first <= last < n if n else (first, last) == (1, 0), "has its usual range among its cuts")
        _require({*map(len, self.quantiles)} in ({5}, {0}), "has five quantiles of each interval, or none")
        _require(len(self.quantiles) == n + 1, "has quantiles of each interval")
        _require(n == 0 or all(None not in row for row in self.quantiles), "has known quantiles")


class _NumberCode(_Cuts, frozen=True, tag_field="kind", tag="number"):
    pass


class _CategoryCode(Part, frozen=True, tag_field="kind", tag="category"):
    labels: Annotated[list[str], Meta(max_length=MOST_CODES - 2)]

    def __post_init__(self) -> None:
        _require(len({*self.labels}) == len(self.labels), "has different labels")


class _BooleanCode(Part, frozen=True, tag_field="kind", tag="boolean"):
    pass


class _TimestampCode(Part, frozen=True, tag_field="kind", tag="timestamp"):
    n_sectors: Annotated[int, Meta(ge=1, le=MOST_CODES - 1)]
    usual: tuple[Count, Annotated[int, Meta(ge=0, le=6)]]
    has_days: bool = True

    def __post_init__(self) -> None:
        _require(self.usual[0] < self.n_sectors, "has its usual sector among its sectors")


class _Combinations(Part, frozen=True):
    centre: list[Finite]
    scale: list[Positive]
    mean: list[Annotated[float, Meta(ge=-1e4, le=1e4)]]
    deviation: list[Annotated[float, Meta(ge=1e-9, le=1e4)] | None]
    """None where a number takes no part"""
    loadings: list[list[Nats]]
    codes: list[_Cuts]

    def __post_init__(self) -> None:
        n, width = len(self.centre), {len(self.codes)}
        same = [len(each) == n for each in (self.scale, self.mean, self.deviation, self.loadings)]
        _require(all(same) and {*map(len, self.loadings)} == width, "has a loading of each number and combination")


class _Marked(Part, frozen=True):
    time: Finite | UnsetType | None = UNSET
    label: str | UnsetType = UNSET

    def __post_init__(self) -> None:
        _require((self.time is UNSET) != (self.label is UNSET), "marks a cell as a time or as a label")


_Cell = None | bool | int | Finite | str | _Marked


class _EncoderSaved(_EncoderSettings, frozen=True, kw_only=True):
    kinds: list[tuple[str | int, Kind]] | None
    dtype: NumberType


class Encoder(Part, frozen=True):
    """The settings of an encoder, and its codes, or the rows of its warm-up."""

    settings: _EncoderSaved
    columns: Annotated[list[str], Meta(min_length=1)]
    named: bool
    codes: list[_NumberCode | _CategoryCode | _BooleanCode | _TimestampCode] | None = None
    combinations: _Combinations | None = None
    rows: list[list[_Cell]] | None = None

    def __post_init__(self) -> None:
        _require((self.codes is None) != (self.rows is None), "has codes, or rows of a warm-up")
        if self.codes is not None:
            _require(len(self.codes) == len(self.columns), "has a code of each column")
            numbers = [code for code in self.codes if isinstance(code, _NumberCode)]
            combined = self.combinations
            _require(combined is None or len(combined.centre) == len(numbers) > 0, "combines its numbers")
            _require(all(map(_has_values, numbers)), "has quantiles of each number")
        _check_rows(self.rows or (), len(self.columns))


class _Scale(Part, frozen=True):
    centre: Nats
    spread: Annotated[float, Meta(ge=1e-9, le=1e9)]
    counts: Annotated[
        list[Annotated[float, Meta(ge=0, le=1e6)]], Meta(min_length=len(EDGES) - 1, max_length=len(EDGES) - 1)
    ]


class _Judge(Part, frozen=True):
    judged: list[bool]
    usual: list[Nats]
    n_tracked: Count
    row: _Scale
    cell: _Scale
    joint: _Scale


class _Still(Part, frozen=True):
    last: list[Finite | None]
    run: list[Counted]
    longest: list[Counted]
    ended: list[Annotated[list[Counted], Meta(min_length=N_LENGTHS, max_length=N_LENGTHS)]]


class _Running(Part, frozen=True):
    n: Count
    quiet: list[Count]
    told: list[bool]
    n_columns: Count
    mean: list[list[Nats]]
    variance: list[list[Annotated[float, Meta(ge=0, le=1e18)]]]
    recent: list[list[Nats]]
    still: _Still

    def check_shape(self, n_columns: int, n_numbers: int, scales: tuple[int, ...]) -> None:
        """Compare the lengths of the lists with the columns, the numbers and the scales that are followed."""
        rows = {"mean": len(scales), "variance": len(scales), "recent": max(scales) - 1}
        lengths = {"quiet": n_columns + n_numbers, "told": n_numbers}
        _require(self.n_columns == n_columns, f"follows {n_columns} columns")
        for name, n in (rows | lengths).items():
            _require(len(getattr(self, name)) == n, f"has {n} of {name!r}")
        for name in rows:
            _require({*map(len, getattr(self, name))} <= {n_columns}, f"has {n_columns} columns of {name!r}")
        for name in ("last", "run", "longest", "ended"):
            _require(len(getattr(self.still, name)) == n_numbers, f"has {n_numbers} of {name!r}")


class _Drift(Part, frozen=True, array_like=True):
    mean: Annotated[float, Meta(ge=-1e3, le=1e3)]
    variance: Annotated[float, Meta(ge=1e-9, le=1e6)]
    excess: Annotated[float, Meta(ge=0, le=1e6)]
    n_batches: Count
    n_drifts: Count


class _Renewal(Part, frozen=True):
    outside: list[Share]
    columns: list[Count]
    rows: list[list[_Cell]] | None


class DetectorPart(Part, frozen=True):
    """What a detector adds."""

    estimator: str
    params: DetectorParams
    encoder: Encoder
    judge: _Judge | None
    means: tuple[list[Annotated[float, Meta(ge=1, le=MOST_COUNTED)]], list[Finite]] | None
    drift: _Drift
    renewal: _Renewal
    n_renewals: Count
    renewed_columns: list[str]
    renewed_after: Count
    n_responding: Annotated[int, Meta(ge=0, le=1000)]
    threshold: Finite | None
    named: bool
    frame: Literal["pandas", "polars"] | None
    """a library that will be imported: a file must not choose another"""
    extra: dict[str, Any]
    """whatever the caller of ``save`` wanted to keep"""
    running: _Running | None = None

    def __post_init__(self) -> None:
        n, names = len(self.encoder.columns), {*self.encoder.columns}
        _require(len(self.renewal.outside) == n, f"has the share outside of {n} columns")
        _require(all(column < n for column in self.renewal.columns), f"renews some of {n} columns")
        _require(bool(self.renewal.columns) == (self.renewal.rows is not None), "has rows for the columns it renews")
        _require(names.issuperset(self.renewed_columns), "has renewed columns that it has")
        _require(self.named == self.encoder.named, "has an encoder of the same names")
        _check_rows(self.renewal.rows or (), n)


class _Counters(Part, frozen=True):
    n_steps: Count
    n_learned: Count
    n_updates: Count


class Detector(Part, frozen=True):
    """The header of a detector."""

    generator: Generator
    extra: DetectorPart
    counters: _Counters | None = None

    def __post_init__(self) -> None:
        is_new, extra = self.counters is None, self.extra
        _require(is_new == (extra.encoder.codes is None), "has learned once its encoder has codes")
        _require(is_new == (extra.judge is None) == (extra.means is None), "has a judge and means once it has learned")
        has_alarms = extra.params.alarms is not None and not is_new
        _require(has_alarms == (extra.running is not None), "follows rows if it has alarms")
        _require(not is_new or extra.renewal.rows is None, "makes new codes once it has some")


class _Account(Part, frozen=True):
    n_read: Count = 0
    n_skipped: Count = 0
    input_number: Count = 1
    n_read_of_input: Count = 0
    first_record: Annotated[str, Meta(max_length=64)] = ""
    last_records: Annotated[str, Meta(max_length=64)] = ""

    def __post_init__(self) -> None:
        _require(self.n_skipped <= self.n_read, "has skipped no more rows than it has read")
        _require(self.n_read_of_input <= self.n_read, "has read no more rows of one input than of all")


class _Times(Part, frozen=True, array_like=True):
    column: str
    last: Annotated[float, Meta(ge=-1e11, le=1e12)] | None = None


class Notes(Part, frozen=True, rename={"columns": "schema"}):
    """What the command line keeps beside a detector."""

    columns: list[tuple[str, Kind | Literal["ignore"]]]
    account: _Account
    times: _Times | None = None

    def __post_init__(self) -> None:
        kinds = dict(self.columns)
        _require(len(kinds) == len(self.columns), "has columns of different names")
        _require(self.times is None or kinds.get(self.times.column) == "timestamp", "has the column of its times")


AnyPart = TypeVar("AnyPart", bound=Struct)


def checked(header: Any, form: type[AnyPart]) -> AnyPart:
    """The header as a part of a file, or an error that says what is wrong with it, and where.

    >>> checked({"bit_generator": "MT19937"}, Generator)
    Traceback (most recent call last):
    ValueError: Its header is wrong at bit_generator: Invalid enum value 'MT19937'.
    """
    try:
        return convert(header, form)
    except ValidationError as error:
        what, _, place = str(error).partition(" - at ")
        where = f" at {place.strip('`').removeprefix('$.')}" if place else ""
        raise ValueError(f"Its header is wrong{where}: {what}.") from None


def _has_values(code: _Cuts) -> bool:
    return len(code.quantiles[0]) > 0


def _check_rows(rows: Iterable[list[Any]], n_columns: int) -> None:
    for row in rows:
        _require(len(row) == n_columns, f"has rows of {n_columns} cells")
        _require(
            all(abs(cell) <= _LARGEST for cell in row if isinstance(cell, int)), "has numbers that floats can hold"
        )


def _require(holds: bool, rule: str) -> None:
    if not holds:
        raise ValueError(f"a sound file {rule}")

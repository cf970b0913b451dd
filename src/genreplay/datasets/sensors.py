"""Six sensors of one machine, drawn from a known source: a daily cycle, shared hidden factors, labelled faults.

A pump with an electric motor in a hall, one row every five minutes, from a Monday at 00:00 UTC. Nobody measures what
moves the sensors, three hidden factors, each the sum of a cycle and of a part that wanders:

=======  ===============================================================================================================
load     percent; 60 by day (06:00 to 22:00) and 40 by night, on a Saturday or Sunday 46 by day, with ramps of an hour;
         wanders by 12 over some three hours
heat     the load's mean over the last hour: warm parts follow slowly
ambient  °C; 20 in the mean, 24 at 15:00 and 16 at 03:00; the weather wanders by 2.5 over half a day
=======  ===============================================================================================================

Each sensor is a sum of factors and of noise of its own, which wanders over half an hour:

========  ====================================================
current   5 A + 0.2 load
flow      8 m³/h + 0.5 load
pressure  9 bar - 0.04 load: a pump that delivers more has less
bearing   20 °C + 0.5 heat + 0.4 ambient
oil       10 °C + 0.25 heat + 0.9 ambient
hall      2 °C + 1.0 ambient
========  ====================================================

The standard deviation of the noise is a tenth of that of the sensor's sum of factors. Values are rounded, so that one
comes twice in a row now and then. A fault is an interval of rows in which one sensor is wrong; all others go on as
usual. Sizes are in standard deviations of the sensor over all rows without faults, its cycle included. Of six faults of
a kind, each sensor has one:

- "spike": 1 to 3 rows, 4 to 8 standard deviations too high or too low;
- "drift": a ramp over 4 to 8 hours, from nothing to 1 to 3 standard deviations, up or down. Its first rows are not
  visible in any way, and its last ones may still lie within the usual range;
- "stuck": exactly the last value, for 2 to 4 hours. No value is unusual by itself, and few are for the hour;
- "broken correlation": for 4 to 8 hours, the sensor follows factors that wander on their own, with the same cycle. Each
  value is usual, also for the hour; only the other sensors tell. Where both wanderings meet, nothing is visible;
- "lost cycle": for 24 to 30 hours, the cycle stays at its mean over the week, and the rest goes on. Each value is usual
  by itself, and twice a day for the hour.

There is no fault in the first week, and at least a day between two faults.

The noise decides how much there is to see. An offline regression of each sensor on the others, linear as the series is,
has a ROC-AUC of 0.91 over all faulty rows (``genreplay reproduce sensors``), and of 0.82 with twice the noise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.datasets.base import DatasetError
from genreplay.datasets.faults import FIRST_TIME, USUAL, hours_and_weekdays, wandering

Objects = npt.NDArray[np.object_]
Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

SENSORS = ("current", "flow", "pressure", "bearing", "oil", "hall")
COLUMNS = ("time", *SENSORS)
KINDS = ("spike", "drift", "stuck", "broken correlation", "lost cycle")
FIRST_DAYS = 7
"""days without a fault"""
APART_DAYS = 1
"""days without a fault between two of them, at least"""
_OFFSETS = np.array([5.0, 8.0, 9.0, 20.0, 10.0, 2.0])
_SHARES = np.array([[0.2, 0, 0], [0.5, 0, 0], [-0.04, 0, 0], [0, 0.5, 0.4], [0, 0.25, 0.9], [0, 0, 1.0]])
"""of load, heat and ambient in each sensor"""
_DIGITS = (1, 1, 2, 1, 1, 1)
_SPIKE_ROWS = (1, 3)
_HOURS = {"drift": (4.0, 8.0), "stuck": (2.0, 4.0), "broken correlation": (4.0, 8.0), "lost cycle": (24.0, 30.0)}
"""shortest and longest"""
_SIZES = {"spike": (4.0, 8.0), "drift": (1.0, 3.0)}
"""smallest and largest, in standard deviations of the sensor"""


class Event(NamedTuple):
    """A fault: some rows one after the other, in which a sensor is wrong."""

    kind: str
    sensor: str
    first: int
    n_rows: int

    @property
    def rows(self) -> slice:
        return slice(self.first, self.first + self.n_rows)


class SensorSeries(NamedTuple):
    """Rows in the order of time, and their faults."""

    rows: Objects
    """a time and six numbers each"""
    events: list[Event]
    """in the order of time"""

    @property
    def kinds(self) -> Objects:
        """One of KINDS for each row; USUAL where it has no fault."""
        kinds = np.full(len(self.rows), USUAL, dtype=object)
        for event in self.events:
            kinds[event.rows] = event.kind
        return kinds

    @property
    def faulty_sensors(self) -> Objects:
        """The sensor at fault in each row; USUAL where there is none."""
        sensors = np.full(len(self.rows), USUAL, dtype=object)
        for event in self.events:
            sensors[event.rows] = event.sensor
        return sensors


def sensors(
    n_rows: int = 40_000, seed: int = 0, n_each: int = 6, minutes: float = 5.0, noise: float = 0.1
) -> SensorSeries:
    """Draw a series with ``n_each`` faults of each kind; the same seed gives the same series.

    ``minutes`` lie between two rows; all times above but the length of spikes stay the same. ``noise`` is the standard
    deviation of a sensor's noise, for each of that of its sum of factors.

    >>> series = sensors(n_rows=6_000, n_each=1)
    >>> series.rows[0].tolist()
    [datetime.datetime(2024, 1, 1, 0, 0), 14.6, 32.8, 7.13, 51.4, 37.8, 19.0]
    >>> series.events[0]
    Event(kind='lost cycle', sensor='bearing', first=2465, n_rows=342)
    >>> series.kinds[2464:2466].tolist(), series.faulty_sensors[2464:2466].tolist()
    (['', 'lost cycle'], ['', 'bearing'])
    """
    if n_rows < 1 or n_each < 0 or not 0 < minutes <= 60 or noise < 0:
        raise DatasetError(
            "sensors needs at least one row, n_each and noise of 0 or more, and minutes above 0 and up to 60. "
            f"Got n_rows={n_rows!r}, n_each={n_each!r}, minutes={minutes!r}, noise={noise!r}."
        )
    factor_rng, other_rng, noise_rng, fault_rng = np.random.default_rng(seed).spawn(4)
    times = FIRST_TIME + np.round(60 * minutes * np.arange(n_rows)).astype("timedelta64[s]")
    cycle = _cycle(*hours_and_weekdays(times.astype(object)), minutes)
    wander, other = _wander(n_rows, minutes, factor_rng), _wander(n_rows, minutes, other_rng)
    shared = _measured(cycle + wander)
    own = np.stack([wandering(n_rows, _keep(minutes, 0.5), noise_rng) for _ in SENSORS], axis=1)
    own *= noise * shared.std(axis=0)
    usual = _rounded(shared + own)
    instead = {
        "broken correlation": _measured(cycle + other) + own,
        "lost cycle": _measured(cycle.mean(axis=0) + wander) + own,
    }
    values, events = usual.copy(), _events(n_rows, n_each, minutes, fault_rng)
    for event in events:
        place = event.rows, SENSORS.index(event.sensor)
        if event.kind in _SIZES:
            size = fault_rng.choice([-1, 1]) * fault_rng.uniform(*_SIZES[event.kind]) * usual[:, place[1]].std()
            values[place] += size * (np.arange(1, event.n_rows + 1) / event.n_rows if event.kind == "drift" else 1.0)
        else:
            values[place] = usual[event.first - 1, place[1]] if event.kind == "stuck" else instead[event.kind][place]
    rows = np.empty((n_rows, len(COLUMNS)), dtype=object)
    rows[:, 0], rows[:, 1:] = times.astype(object), _rounded(values)
    return SensorSeries(rows, events)


def _cycle(hours: Floats, weekdays: Ints, minutes: float) -> Floats:
    """The part of each factor that the time of day and the day of the week decide."""
    by_day = np.clip(np.minimum(hours - 5.5, 22.5 - hours), 0, 1)
    load = 40 + by_day * np.where(weekdays < 5, 20, 6)
    ambient = 20 + 4 * np.cos(2 * np.pi * (hours - 15) / 24)
    return np.stack([load, _followed(load, minutes), ambient], axis=1)


def _wander(n_rows: int, minutes: float, rng: np.random.Generator) -> Floats:
    """The part of each factor that nothing decides."""
    load = 12 * wandering(n_rows, _keep(minutes, 3.0), rng)
    ambient = 2.5 * wandering(n_rows, _keep(minutes, 12.0), rng)
    return np.stack([load, _followed(load, minutes), ambient], axis=1)


def _keep(minutes: float, hours: float) -> float:
    """What is left, a row later, of something that is forgotten over some hours."""
    return float(np.exp(-minutes / (60 * hours)))


def _followed(load: Floats, minutes: float) -> Floats:
    """A running mean over an hour, in which older rows count ever less."""
    from scipy.signal import lfilter

    keep = _keep(minutes, 1.0)
    return np.asarray(lfilter([1 - keep], [1, -keep], load, zi=[keep * load[0]])[0])


def _measured(factors: Floats) -> Floats:
    """What sensors without noise would say."""
    return np.asarray(_OFFSETS + factors @ _SHARES.T)


def _rounded(values: Floats) -> Floats:
    return np.stack([column.round(digits) for column, digits in zip(values.T, _DIGITS, strict=True)], axis=1)


def _events(n_rows: int, n_each: int, minutes: float, rng: np.random.Generator) -> list[Event]:
    """Faults without their sizes, at random places that are far enough from each other."""
    in_turn = [(kind, str(sensor)) for kind in KINDS for sensor in np.resize(rng.permutation(SENSORS), n_each)]
    chosen = [in_turn[i] for i in rng.permutation(len(in_turn))]
    lengths = [_length(kind, minutes, rng) for kind, _ in chosen]
    day = round(1_440 / minutes)
    n_free = n_rows - FIRST_DAYS * day - sum(lengths) - len(chosen) * APART_DAYS * day
    if chosen and n_free < 0:
        raise DatasetError(
            f"sensors cannot place {n_each} faults of each kind: they need {n_rows - n_free:,} rows. Got {n_rows:,}."
        )
    firsts = FIRST_DAYS * day + np.sort(rng.integers(n_free + 1, size=len(chosen)))
    firsts += np.cumsum([0, *lengths[:-1]]) + APART_DAYS * day * np.arange(len(chosen))
    return [Event(kind, name, int(first), n) for (kind, name), first, n in zip(chosen, firsts, lengths, strict=True)]


def _length(kind: str, minutes: float, rng: np.random.Generator) -> int:
    if kind == "spike":
        return int(rng.integers(*_SPIKE_ROWS, endpoint=True))
    return round(rng.uniform(*_HOURS[kind]) * 60 / minutes)

"""A table as a factory might log it, drawn from a known source: regimes of shifts, missing cells, labelled faults.

One machine, one row every two minutes, from a Monday at 00:00 UTC. The columns:

- time: of the row
- product: what is made; another one about once an hour
- mode: idle or running; follows the shifts: Monday to Friday from 06:00 to 22:00 it mostly runs, else it is mostly
  idle; it changes about every half hour at most
- setpoint: the speed that is wanted; each product has its own, so the column has five values
- speed: near the setpoint when running, near 0 when idle
- temperature: of the hall: warmest at 15:00, and a little warmer while the machine runs
- pressure: rises with the load when running
- flow: rises with the load when running, near 0 when idle
- vibration: rises with the speed
- current: rises with speed and load
- door_open: often when idle, hardly ever when running
- cycle_time: seconds for one piece, falls with the speed; empty by nature when idle

About one in a hundred of the cells of the sensors (speed to current) is missing. A share of the rows is faulty, in
equal parts of five kinds:

- "single": the value of one sensor lies beyond everything usual;
- "contextual": every cell is usual by itself, the combination is not. In equal parts: an idle machine that turns, night
  temperature at noon, the setpoint of another product;
- "label": a product that comes in no usual row;
- "stuck": one sensor repeats its last value for twelve rows. Many such rows are usual by themselves, so a detector that
  judges each row alone can find only those where the machine has changed meanwhile;
- "swapped": the values of two columns have changed places.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.datasets.base import DatasetError

Objects = npt.NDArray[np.object_]
Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

COLUMNS = (
    "time", "product", "mode", "setpoint", "speed", "temperature",
    "pressure", "flow", "vibration", "current", "door_open", "cycle_time",
)  # fmt: skip
SENSORS = ("speed", "temperature", "pressure", "flow", "vibration", "current")
"""columns that have missing cells, and of which one value may be off or stuck"""
NUMBERS = ("setpoint", *SENSORS, "cycle_time")
KINDS = ("single", "contextual", "label", "stuck", "swapped")
USUAL = ""
"""the kind of a row without a fault"""
TURNING = 100.0
"""rpm above which a machine turns; when idle, its speed is a few rpm at most"""
FIRST_TIME = np.datetime64("2024-01-01T00:00:00", "s")
SECONDS_PER_ROW = 120
MISSING_SHARE = 0.01
N_STUCK = 12
"""rows for which a sensor is stuck"""
_PRODUCTS = np.array(["A-10", "A-12", "B-20", "B-25", "C-30"], dtype=object)
_PRODUCT_SHARES = (0.3, 0.25, 0.2, 0.15, 0.1)
_SETPOINTS = np.array([800.0, 1000.0, 1200.0, 1500.0, 1800.0])
_RUNNING_SHARES = (0.92, 0.08)
"""of the rows in a shift, and of the other rows"""
_SWAPS = (("pressure", "flow"), ("temperature", "current"))


class FaultyTable(NamedTuple):
    """Rows, the kind of fault that each has, and the columns at fault."""

    rows: Objects
    """cells by row and column; None where missing"""
    kinds: Objects
    """one of KINDS for each row; USUAL where it has no fault"""
    at_fault: Flags
    """for each row and column; any of a contextual fault's columns explains it"""

    @property
    def is_faulty(self) -> Flags:
        return np.asarray(self.kinds != USUAL)

    def take(self, order: Ints | slice) -> FaultyTable:
        """The rows at these places, in this order."""
        return FaultyTable(self.rows[order], self.kinds[order], self.at_fault[order])

    def column(self, name: str) -> Objects:
        """The cells of one column."""
        return np.asarray(self.rows[:, COLUMNS.index(name)])


def faults(
    n_rows: int = 100_000,
    seed: int = 0,
    order: Literal["time", "shuffled"] = "time",
    fault_share: float = 0.005,
) -> FaultyTable:
    """Draw a table; the same seed gives the same table, and "shuffled" the same rows in a random order.

    >>> table = faults(n_rows=2_000)
    >>> table.rows[0, :4].tolist()
    [datetime.datetime(2024, 1, 1, 0, 0), 'B-25', 'idle', 1500.0]
    >>> int(table.is_faulty.sum()), table.rows.shape
    (10, (2000, 12))
    """
    if order not in ("time", "shuffled"):
        raise DatasetError(f"The 'order' parameter of faults must be 'time' or 'shuffled'. Got {order!r} instead.")
    if n_rows < 1 or not 0 <= fault_share <= 0.1:
        raise DatasetError(
            "faults needs at least one row and a fault_share from 0 to 0.1. "
            f"Got n_rows={n_rows!r}, fault_share={fault_share!r}."
        )
    usual_rng, missing_rng, fault_rng, order_rng = np.random.default_rng(seed).spawn(4)
    rows = _usual(n_rows, usual_rng)
    for sensor in SENSORS:
        rows[missing_rng.random(n_rows) < MISSING_SHARE, COLUMNS.index(sensor)] = None
    table = FaultyTable(rows, np.full(n_rows, USUAL, dtype=object), np.zeros(rows.shape, dtype=bool))
    _Faults(table, fault_rng).make(round(fault_share * n_rows / len(KINDS)))
    return table if order == "time" else table.take(order_rng.permutation(n_rows))


def is_idle_but_turning(rows: Objects) -> Flags:
    """Which rows are impossible: the machine is idle, and turns.

    >>> bool(is_idle_but_turning(faults(n_rows=2_000, fault_share=0).rows).any())
    False
    """
    speed = np.array([np.nan if cell is None else cell for cell in rows[:, COLUMNS.index("speed")]], dtype=float)
    return np.asarray((rows[:, COLUMNS.index("mode")] == "idle") & (speed > TURNING))


def _usual(n_rows: int, rng: np.random.Generator) -> Objects:
    times = FIRST_TIME + SECONDS_PER_ROW * np.arange(n_rows)
    hour, weekday = hours_and_weekdays(times.astype(object))
    in_shift = (weekday < 5) & (hour >= 6) & (hour < 22)
    running = _held(rng.random(n_rows) < np.where(in_shift, *_RUNNING_SHARES), 15, rng, also=in_shift)
    product = _held(rng.choice(len(_PRODUCTS), size=n_rows, p=_PRODUCT_SHARES), 30, rng)
    load = wandering(n_rows, 0.95, rng)
    weather = wandering(n_rows, 0.999, rng)

    def noise(scale: float) -> Floats:
        return rng.normal(scale=scale, size=n_rows)

    setpoint = _SETPOINTS[product]
    speed = np.where(running, setpoint + noise(15), np.abs(noise(2)))
    daily = 7 * np.cos(2 * np.pi * (hour - 15) / 24)
    by_column = {
        "time": times.astype(object),
        "product": _PRODUCTS[product],
        "mode": np.where(running, "running", "idle").astype(object),
        "setpoint": setpoint,
        "speed": speed.round(1),
        "temperature": (20 + daily + weather + 2 * running + noise(0.7)).round(2),
        "pressure": (1 + running * (2.5 + 0.4 * load) + noise(0.05)).round(3),
        "flow": np.where(running, 40 + 6 * load + noise(1), np.abs(noise(0.3))).round(2),
        "vibration": (0.1 + 0.001 * speed + np.abs(noise(0.05))).round(3),
        "current": np.where(running, 8 + 0.008 * speed + 2 * load + noise(0.4), 2 + noise(0.1)).round(2),
        "door_open": rng.random(n_rows) < np.where(running, 0.002, 0.3),
        "cycle_time": (60_000 / np.maximum(speed, 1) + noise(0.5)).round(2),
    }
    rows = np.empty((n_rows, len(COLUMNS)), dtype=object)
    for index, name in enumerate(COLUMNS):
        rows[:, index] = by_column[name].tolist()
    rows[~running, COLUMNS.index("cycle_time")] = None
    return rows


def hours_and_weekdays(times: Objects) -> tuple[Floats, Ints]:
    """Hours since midnight and the days since Monday, in UTC.

    >>> hours_and_weekdays(faults(n_rows=3_000).column("time")[[0, 15, 750]])
    (array([0. , 0.5, 1. ]), array([0, 0, 1]))
    """
    seconds = np.asarray(times, dtype="datetime64[s]").astype(np.int64)
    return seconds % 86_400 / 3_600, (seconds // 86_400 + 3) % 7  # day 0 of 1970 was a Thursday


def _held(drawn: npt.NDArray[np.generic], n_rows: int, rng: np.random.Generator, also: Flags | None = None) -> Ints:
    """Keep a drawn value for ``n_rows`` in the mean, and no longer than ``also`` stays as it is."""
    is_new = rng.random(len(drawn)) < 1 / n_rows
    if also is not None:
        is_new[1:] |= also[1:] != also[:-1]
    is_new[0] = True
    return np.asarray(drawn[np.maximum.accumulate(np.where(is_new, np.arange(len(drawn)), 0))])


def wandering(n_rows: int, keep: float, rng: np.random.Generator) -> Floats:
    """An autoregressive series with mean 0 and standard deviation 1."""
    from scipy.signal import lfilter

    steps = np.sqrt(1 - keep**2) * rng.normal(size=n_rows)
    steps[0] = rng.normal()
    return np.asarray(lfilter([1.0], [1.0, -keep], steps))


class _Faults:
    """Puts faults into a table, each into rows that have none yet and are not the first row."""

    def __init__(self, table: FaultyTable, rng: np.random.Generator) -> None:
        self.table, self.rng = table, rng
        self.usual = table.rows.copy()
        """the table before any fault: where usual values are taken from"""
        self.hour, _ = hours_and_weekdays(table.column("time"))
        self.is_idle = table.column("mode") == "idle"
        self.known = {
            name: np.array([cell is not None for cell in self.usual[:, COLUMNS.index(name)]]) for name in SENSORS
        }

    def make(self, n_each: int) -> None:
        """So many faulty rows of each kind."""
        self._stuck(n_each)  # first, because it needs rows one after the other
        self._contextual(n_each)
        self._single(n_each)
        self._swapped(n_each)
        for row in self._choose(n_each):
            self._set(row, "label", {"product": f"X-{self.rng.integers(100, 1_000)}"})

    def _set(self, row: int, kind: str, cells: dict[str, object], also: tuple[str, ...] = ()) -> None:
        """Write cells; these columns, and ``also`` those that they contradict, are at fault."""
        self.table.kinds[row] = kind
        for name, cell in cells.items():
            self.table.rows[row, COLUMNS.index(name)] = cell
        for name in (*cells, *also):
            self.table.at_fault[row, COLUMNS.index(name)] = True

    def _choose(self, n: int, where: Flags | None = None) -> list[int]:
        free = ~self.table.is_faulty
        free[0] = False
        places = np.flatnonzero(free if where is None else free & where)
        return [int(row) for row in self.rng.permutation(places)[:n]]

    def _draw(self, sensor: str, where: Flags, n: int) -> list[float]:
        """Known cells of some rows; none where no row has one."""
        cells = self.usual[where & self.known[sensor], COLUMNS.index(sensor)]
        return [float(cells[place]) for place in self.rng.integers(len(cells), size=n)] if len(cells) else []

    def _contextual(self, n: int) -> None:
        sizes = [len(part) for part in np.array_split(np.arange(n), 3)]
        speeds = self._draw("speed", ~self.is_idle, sizes[0])
        for row, speed in zip(self._choose(len(speeds), self.is_idle), speeds, strict=False):
            self._set(row, "contextual", {"speed": speed}, also=("mode",))
        nights = self._draw("temperature", (self.hour >= 2) & (self.hour < 4), sizes[1])
        at_noon = (self.hour >= 12) & (self.hour < 17)
        for row, temperature in zip(self._choose(len(nights), at_noon), nights, strict=False):
            self._set(row, "contextual", {"temperature": temperature}, also=("time",))
        for row in self._choose(sizes[2]):
            others = _SETPOINTS[self.usual[row, COLUMNS.index("setpoint")] != _SETPOINTS]
            self._set(row, "contextual", {"setpoint": float(self.rng.choice(others))}, also=("product",))

    def _single(self, n: int) -> None:
        by_sensor = {
            name: self.usual[known, COLUMNS.index(name)].astype(np.float64) for name, known in self.known.items()
        }
        ranges = {name: (cells.min(), cells.max()) for name, cells in by_sensor.items() if len(cells)}
        for row in self._choose(n):
            sensor = str(self.rng.choice(list(ranges)))
            low, high = ranges[sensor]
            beyond = self.rng.uniform(0.1, 0.5) * (high - low)
            self._set(row, "single", {sensor: round(float(self.rng.choice([low - beyond, high + beyond])), 3)})

    def _stuck(self, n: int) -> None:
        left = n
        while left > 0:
            length, sensor = min(N_STUCK, left), str(self.rng.choice(SENSORS))
            column = COLUMNS.index(sensor)
            n_starts = len(self.usual) - length
            is_free = np.convolve(self.table.is_faulty, np.ones(length + 1), mode="valid") == 0  # and the row before
            starts = np.flatnonzero(is_free[:n_starts] & self.known[sensor][:n_starts]) + 1
            first = int(self.rng.choice(starts))
            for row in range(first, first + length):
                self._set(row, "stuck", {sensor: self.usual[first - 1, column]})
            left -= length

    def _swapped(self, n: int) -> None:
        for one, other in _SWAPS:
            n_part = n // 2 if one == _SWAPS[0][0] else n - n // 2
            for row in self._choose(n_part, self.known[one] & self.known[other]):
                cells = self.usual[row]
                self._set(row, "swapped", {one: cells[COLUMNS.index(other)], other: cells[COLUMNS.index(one)]})

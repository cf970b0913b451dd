"""``genreplay.h`` in NumPy: the same random numbers, the same rounding, the same bits.

With it, what a device learns can be computed and checked without a device, and what it saved can be read.
"""

from __future__ import annotations

import struct
import zlib
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from genreplay.core.rbm import RBM
from genreplay.device.numbers import Array, Bits, Random, numbers_for
from genreplay.device.settings import Settings

N_INTERVALS = 32
"""of the scores"""
MEMORY = 1024
"""scores that p-values are taken from"""
_HEADER = struct.Struct("<4s2BH6BH4f2I")
_MAGIC = b"GRD1"


class DeviceError(ValueError):
    """The bytes are not what a device saved.

    >>> try:
    ...     Reference.from_bytes(b"GRD1")
    ... except DeviceError as error:
    ...     print(error)
    These bytes are not a model that a device saved: there are 4 of them, and its header alone has 40.
    """


class Reference:
    """The learner of ``genreplay.h``, bit for bit: Algorithm 1, a row at a time.

    Parameters
    ----------
    settings : Settings
        The macros of the header.
    seed : int
        The seed of ``gr_init``.

    Examples
    --------
    >>> import numpy as np
    >>> from genreplay.device import Reference, Settings
    >>> learner = Reference(Settings(n_visible=8, n_hidden=4, n_epochs=10, sigma=0.1), seed=1)
    >>> rows = np.tile(np.array([[1, 0] * 4, [0, 1] * 4]), (500, 1))
    >>> learner.learn(rows).updates
    50
    >>> energies, p_values = learner.score([[1, 0] * 4, [1] * 8])
    >>> bool(energies[0] < energies[1]), bool(p_values[0] > 0.1)
    (True, True)
    """

    theta: Array
    """W, a and b: visible units and last the hidden biases, by hidden units and last the visible biases"""
    delta: Array
    """Delta Theta"""

    def __init__(self, settings: Settings, seed: int = 1) -> None:
        self.settings = settings
        self._numbers = numbers_for(settings)
        self.random, self.updates, self.saves = seed % 2**32, 0, 0
        self.counts = [0] * N_INTERVALS
        zero: Any = 0 if settings.integer else np.float32(0)
        self.mean, self.spread = zero, zero
        self.batch = np.zeros((settings.batch_size, settings.n_visible), dtype=bool)
        self.chains = np.zeros((settings.n_chains, settings.n_visible), dtype=bool)
        self.n_waiting = 0
        shape = settings.shape
        random = np.zeros(shape[0] * shape[1], dtype=np.uint32)
        random[:-1] = self._take(random.size - 1)  # the corner is no parameter
        bell: Array = random.view(np.uint8).reshape(-1, 4).sum(axis=1, dtype=np.int64) - 510
        bell[-1] = 0
        self.theta, self.delta = self._numbers.first_weights(bell.reshape(shape))

    @property
    def rbm(self) -> RBM:
        """Theta as any RBM has it, in float32."""
        theta: Array = self.theta.astype(np.float32)
        if self.settings.integer:
            theta = (theta + self.delta.astype(np.float32) / np.float32(2048)) / np.float32(16)
        return RBM(np.asfortranarray(theta[:-1, :-1].T), theta[:-1, -1].copy(), theta[-1, :-1].copy())

    def learn(self, rows: npt.ArrayLike) -> Self:
        """Learn rows of 0 and 1 (``gr_learn``): an update fires each time a batch has come together."""
        taken = self._rows(rows)
        size = self.settings.batch_size
        with np.errstate(over="ignore", invalid="ignore"):
            while len(taken):
                part, taken = taken[: size - self.n_waiting], taken[size - self.n_waiting :]
                if self.updates:
                    for energy in self._energies(part):
                        self._count(energy)
                self.batch[self.n_waiting : self.n_waiting + len(part)] = part
                self.n_waiting += len(part)
                if self.n_waiting == size:
                    self._update()
        return self

    def score(self, rows: npt.ArrayLike) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Free energies in nats, and p-values (``gr_score``)."""
        energies = self._energies(self._rows(rows))
        p_values = [self._p(e) if any(self.counts) else self._numbers.p_one for e in energies]
        nat, one = (256, 65536) if self.settings.integer else (1, 1)
        return energies.astype(np.float64) / nat, np.array(p_values, dtype=np.float64) / one

    def count_scores(self, rows: npt.ArrayLike) -> Self:
        """Count the scores of rows among those that p-values are taken from (``gr_count``). Nothing is learned."""
        for energy in self._energies(self._rows(rows)):
            self._count(energy)
        return self

    def dream(self, n: int) -> Bits:
        """Rows that the model generates (``gr_dream``; lines 14-22)."""
        s = self.settings
        return self._dream(self._take(n * s.n_gibbs * (s.n_hidden + s.n_visible)).reshape(n, -1))

    def to_bytes(self) -> bytes:
        """One slot of ``gr_save``."""
        s = self.settings
        head = (_MAGIC, s.integer, s.n_hidden, s.n_visible, s.batch_size, s.n_chains, s.base_rates, s.n_epochs)
        more = (s.n_cd, s.n_gibbs, s.n_dreams, s.learning_rate, s.momentum, s.weight_decay, s.sigma)
        scale = struct.pack("<2i" if s.integer else "<2f", self.mean, self.spread)
        data = b"".join(
            [
                _HEADER.pack(*head, *more, self.n_waiting, self.saves),
                struct.pack("<2I", self.random, self.updates),
                scale,
                np.array(self.counts, dtype="<u2").tobytes(),
                self.theta.astype(self.theta.dtype.newbyteorder("<")).tobytes(),
                self.delta.astype(self.delta.dtype.newbyteorder("<")).tobytes(),
                np.packbits(self.batch, axis=1, bitorder="little").tobytes(),
                np.packbits(self.chains, axis=1, bitorder="little").tobytes(),
            ]
        )
        return data + struct.pack("<I", zlib.crc32(data))

    @classmethod
    def from_bytes(cls, data: bytes) -> Reference:
        """The learner that a device saved: one slot, or two, of which the newest whole one counts (``gr_load``)."""
        settings = _settings_of(data)
        size = slot_bytes(settings)
        slots = [data[:size], data[size : 2 * size]]
        if not data.startswith(_MAGIC):
            slots = slots[1:]
        whole = [
            each for each in slots if len(each) == size and zlib.crc32(each[:-4]).to_bytes(4, "little") == each[-4:]
        ]
        if not whole:
            raise DeviceError("These bytes are not a model that a device saved: their checksum is wrong.")
        found = [cls._read(settings, each) for each in whole]
        newest = found[-1] if len(found) == 1 or (found[1].saves - found[0].saves) % 2**32 < 2**31 else found[0]
        return newest

    @classmethod
    def _read(cls, settings: Settings, data: bytes) -> Reference:
        made = cls(settings)
        *_, made.n_waiting, made.saves = _HEADER.unpack(data[: _HEADER.size])
        made.random, made.updates = struct.unpack_from("<2I", data, 40)
        made.mean, made.spread = struct.unpack_from("<2i" if settings.integer else "<2f", data, 48)
        if not settings.integer:
            made.mean, made.spread = np.float32(made.mean), np.float32(made.spread)
        at, n = 56 + 2 * N_INTERVALS, made.theta.size
        made.counts = np.frombuffer(data, "<u2", N_INTERVALS, 56).tolist()
        for name in ("theta", "delta"):
            array = getattr(made, name)
            array[:] = np.frombuffer(data, array.dtype.newbyteorder("<"), n, at).reshape(array.shape)
            at += array.nbytes
        for name in ("batch", "chains"):
            rows = getattr(made, name)
            packed = np.frombuffer(data, np.uint8, len(rows) * settings.n_bytes, at).reshape(
                len(rows), settings.n_bytes
            )
            at += packed.size
            rows[:] = np.unpackbits(packed, axis=1, count=settings.n_visible, bitorder="little")
        if (
            made.n_waiting >= settings.batch_size
            or not np.isfinite(made.theta).all()
            or not np.isfinite(made.delta).all()
        ):
            raise DeviceError("These bytes have the checksum of a saved model, but no device can have written them.")
        return made

    def _rows(self, rows: npt.ArrayLike) -> Bits:
        found = np.asarray(rows)
        if found.ndim != 2 or found.shape[1] != self.settings.n_visible:
            raise ValueError(f"Rows must have shape (n, {self.settings.n_visible}). Got {found.shape} instead.")
        return found > 0.5

    def _take(self, n: int) -> Random:
        """The next random numbers: a hash of a counter (``gr_random``)."""
        steps = np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B9)
        z: Array = (np.uint64(self.random) + steps).astype(np.uint32)
        self.random = (self.random + 0x9E3779B9 * n) % 2**32
        z = (z ^ (z >> 16)) * np.uint32(0x21F0AAAD)
        z = (z ^ (z >> 15)) * np.uint32(0xD35A2D97)
        return np.asarray(z ^ (z >> 15))

    def _hidden(self, rows: Bits) -> Array:
        return self._numbers.sigmoid(self._numbers.sums(self.theta, rows)[:, :-1])

    def _visible(self, h: Array, random: Random) -> Bits:
        return self._numbers.on(self._numbers.sigmoid(self._numbers.inputs(self.theta, h)), random)

    def _gibbs(self, p: Array, random: Random) -> Bits:
        n_h = self.settings.n_hidden
        return self._visible(self._numbers.activities(self._numbers.on(p, random[:, :n_h])), random[:, n_h:])

    def _dream(self, random: Random) -> Bits:
        n_h, n = self.settings.n_hidden, self.settings.n_hidden + self.settings.n_visible
        rows = self._visible(self._numbers.uniform(random[:, :n_h]), random[:, n_h:n])
        for k in range(1, self.settings.n_gibbs):
            rows = self._gibbs(self._hidden(rows), random[:, k * n : (k + 1) * n])
        return rows

    def _update(self) -> None:
        """Lines 11-46."""
        s, numbers = self.settings, self._numbers
        n_dreams = s.n_dreams if self.updates else 0
        step = numbers.step_of(s.batch_size + n_dreams)
        if not self.updates:
            self._start()
        n, n_dither = s.n_hidden + s.n_visible, numbers.n_dither
        n_contrast = n_dither if s.n_chains else 2 * n_dither + s.n_cd * n
        for _ in range(s.n_epochs):
            numbers.begin(self.theta, self.delta, self._take(n_dither * (s.n_visible + 1)))
            observed = self._take(s.batch_size * n_contrast).reshape(s.batch_size, n_contrast)
            n_dream = s.n_gibbs * n
            dreamed = self._take(n_dreams * (n_dream + n_contrast)).reshape(n_dreams, n_dream + n_contrast)
            rows = np.concatenate([self.batch, self._dream(dreamed[:, :n_dream])])
            self._contrast(rows, np.concatenate([observed, dreamed[:, n_dream:]]), step)
            if s.n_chains:
                random = self._take(s.n_chains * (s.n_cd * n + n_dither)).reshape(s.n_chains, -1)
                p = self._hidden(self.chains)
                for k in range(s.n_cd):
                    self.chains = self._gibbs(p, random[:, k * n : (k + 1) * n])
                    p = self._hidden(self.chains)
                steps = numbers.steps(p, random[:, s.n_cd * n :], -numbers.step_of(s.n_chains))
                for row, each in zip(_always_on(self.chains), steps, strict=True):
                    numbers.add(self.delta, row, each)
            numbers.end(self.theta, self.delta)
        self.updates += 1
        self.n_waiting = 0

    def _contrast(self, rows: Bits, random: Random, step: Any) -> None:
        """Lines 29-37: the statistics of all rows, added one row after the other."""
        s, numbers = self.settings, self._numbers
        n, n_dither = s.n_hidden + s.n_visible, numbers.n_dither
        p = self._hidden(rows)
        learned = numbers.steps(p, random[:, :n_dither], step)
        if s.n_chains:
            for row, each in zip(_always_on(rows), learned, strict=True):
                numbers.add(self.delta, row, each)
            return
        ends = rows
        for k in range(s.n_cd):
            ends = self._gibbs(p, random[:, n_dither + k * n : n_dither + (k + 1) * n])
            p = self._hidden(ends)
        unlearned = numbers.steps(p, random[:, n_dither + s.n_cd * n :], -step)
        for row, end, each, other in zip(_always_on(rows), _always_on(ends), learned, unlearned, strict=True):
            numbers.add(self.delta, row, each)
            numbers.add(self.delta, end, other)

    def _start(self) -> None:
        """What happens when the first batch is there."""
        s = self.settings
        if s.base_rates:
            self.theta[:-1, -1] = self._numbers.log_odds(self.batch.sum(axis=0), s.batch_size)
            self.delta[:-1, -1] = 0
        if s.n_chains:
            off = self._numbers.activities(np.zeros((s.n_chains, s.n_hidden), dtype=bool))
            self.chains = self._visible(off, self._take(s.n_chains * s.n_visible).reshape(s.n_chains, -1))

    def _energies(self, rows: Bits) -> Array:
        return self._numbers.energies(self._numbers.sums(self.theta, rows))

    def _interval(self, energy: Any) -> tuple[int, Any, Any]:
        """In which interval a score lies, how far into it, and how wide it is."""
        edge, width = self._numbers.edges(self.mean, self.spread)
        k = 0
        while k < N_INTERVALS - 1 and not energy < edge + width:
            edge = edge + width
            k += 1
        return k, energy - edge, width

    def _p(self, energy: Any) -> Any:
        n, tail, excess, first = sum(self.counts), 0, 0, N_INTERVALS
        own, into, width = self._interval(energy)
        while first > 0 and tail + self.counts[first - 1] <= n // 32:
            first -= 1
            excess += 2 * tail + self.counts[first]
            tail += self.counts[first]
        if own >= first:
            at_first = self._numbers.share(tail, 0, 0, width, n)
            return self._numbers.fall(at_first, 2 * (own - first), into, width, tail + 4, excess + 16)
        return self._numbers.share(sum(self.counts[own + 1 :]), self.counts[own], into, width, n)

    def _count(self, energy: Any) -> None:
        if not any(self.counts):
            self.mean, self.spread = self._numbers.first_score(energy)
        self.counts[self._interval(energy)[0]] += 1
        self.mean, self.spread = self._numbers.follow(self.mean, self.spread, energy)
        if sum(self.counts) == MEMORY:
            random = self._take(N_INTERVALS) >> 31
            self.counts = [(n + int(r)) >> 1 for n, r in zip(self.counts, random, strict=True)]


def slot_bytes(settings: Settings) -> int:
    """Bytes of a slot (``GR_SLOT``).

    >>> slot_bytes(Settings(n_visible=64, n_hidden=16)), slot_bytes(Settings(n_visible=64, n_hidden=16, integer=True))
    (9124, 3599)
    """
    rows, columns = settings.shape
    parameter = 3 if settings.integer else 8
    return (
        56
        + 2 * N_INTERVALS
        + rows * columns * parameter
        + (settings.batch_size + settings.n_chains) * settings.n_bytes
        + 4
    )


def _always_on(rows: Bits) -> Bits:
    """For each row, the rows of Theta that it adds to: those of its units that are on, and the hidden biases."""
    return np.column_stack([rows, np.ones(len(rows), dtype=bool)])[:, :, np.newaxis]


def _settings_of(data: bytes) -> Settings:
    """The settings in the header of the first slot that has one."""
    if len(data) < _HEADER.size:
        raise DeviceError(
            f"These bytes are not a model that a device saved: there are {len(data)} of them, and its header alone has "
            f"{_HEADER.size}."
        )
    starts = [0] if data.startswith(_MAGIC) else [len(data) // 2]
    for start in starts:
        magic, *found = _HEADER.unpack_from(data, min(start, len(data) - _HEADER.size))
        if magic == _MAGIC:
            integer, n_hidden, n_visible, batch, chains, base_rates, epochs, cd, gibbs, dreams, *rates = found[:-2]
            try:
                return Settings(
                    n_visible=n_visible,
                    n_hidden=n_hidden,
                    integer=bool(integer),
                    batch_size=batch,
                    n_dreams=dreams,
                    n_epochs=epochs,
                    n_cd=cd,
                    n_gibbs=gibbs,
                    n_chains=chains,
                    base_rates=bool(base_rates),
                    **dict(
                        zip(("learning_rate", "momentum", "weight_decay", "sigma"), map(_short, rates), strict=True)
                    ),
                )
            except ValueError as error:
                raise DeviceError(f"These bytes are not a model that a device saved: {error}") from error
    raise DeviceError("These bytes are not a model that a device saved: it begins with GRD1.")


def _short(x: float) -> float:
    """A float32 as the shortest decimal number that stands for it: 0.05, not 0.05000000074505806."""
    return float(str(np.float32(x)))

"""The two number types of ``genreplay.h`` in NumPy, with the same order of operations and the same rounding.

Both offer the same functions, named as in the header. Inside an epoch Theta stands still, so these work on all rows of
it at once; sums that the header takes one after the other are taken in that order.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from genreplay.device.settings import Settings

Array = npt.NDArray[Any]
Random = npt.NDArray[np.uint32]
Bits = npt.NDArray[np.bool_]


f32 = np.float32
_ROUND = f32(12582912.0)
"""1.5 * 2^23: what is added to it is rounded to a whole number"""


def _bits(x: Array) -> Random:
    return np.asarray(x, dtype=f32).view(np.uint32)


def _float(u: Array) -> Array:
    return np.asarray(u, dtype=np.uint32).view(f32)


@cache
def _table(name: str, text: str | None = None) -> Array:
    """The numbers of an array in the header, which is where they are kept."""
    header = files("genreplay.device").joinpath("genreplay.h").read_text("utf-8") if text is None else text
    found = re.search(rf"{name}\[\d+\] = {{([^}}]*)}}", header)
    assert found is not None, name
    return np.array([float(each.strip().rstrip("f")) for each in found[1].split(",") if each.strip()])


def _polynomial(x: Array, name: str) -> Array:
    first, *others = _table(name).astype(f32)
    y = np.full_like(x, first)
    for c in others:
        y = y * x + c
    return y


def exp_of_minus_size(x: Array) -> Array:
    """exp(-|x|), by range reduction and a polynomial.

    >>> x = np.array([0.0, -1.0, 20.0], dtype=np.float32)
    >>> bool(np.allclose(exp_of_minus_size(x), np.exp(-np.abs(x)), rtol=1e-6))
    True
    """
    y = -_float(np.minimum(_bits(x) & 0x7FFFFFFF, 0x42A00000)) * f32(1.44269504)
    n = y + _ROUND
    f = y - (n - _ROUND)
    return _float(_bits(_polynomial(f, "gr_exp2")) + (_bits(n) << 23))


def inverse(x: Array) -> Array:
    """1 / x for x > 0, by Newton's method.

    >>> bool(np.allclose(inverse(np.array([0.3, 1.0, 700.0], dtype=np.float32)) * [0.3, 1, 700], 1, rtol=1e-6))
    True
    """
    exponent = _bits(x) & 0x7F800000
    d = _float((_bits(x) & 0x007FFFFF) | 0xBF800000)
    y = d * f32(0.470588235) + f32(1.41176471)
    for _ in range(3):
        y = y + y * (d * y + f32(1))
    return _float(_bits(y) + np.uint32(0x3F800000) - exponent)


def log1p(e: Array) -> Array:
    """log(1 + e) for e from 0 to 1.

    >>> bool(np.allclose(log1p(np.array([0.0, 0.5, 1.0], dtype=np.float32)), np.log1p([0, 0.5, 1]), atol=1e-6))
    True
    """
    return e * _polynomial(e, "gr_log1p_c")


class Floats:
    """float32, with + and * of IEEE 754 alone."""

    n_dither = 0
    """random numbers that rounding the statistics of a row takes"""
    p_one = 1.0
    """the p-value before anything is learned"""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def first_weights(self, bell: Array) -> tuple[Array, Array]:
        """Theta and Delta Theta from sums of four random bytes (line 3)."""
        theta = bell.astype(f32) * (f32(self._settings.sigma) / f32(147.8))
        return theta, np.zeros_like(theta)

    def sums(self, theta: Array, rows: Bits) -> Array:
        """The inputs b + W v of each row, and last a'v."""
        x = np.repeat(theta[-1:], len(rows), axis=0)
        for on, weights in zip(rows.T[:, :, np.newaxis], theta, strict=False):
            np.add(x, weights, out=x, where=on)
        return x

    def inputs(self, theta: Array, h: Array) -> Array:
        """The inputs a + W'h of rows of real hidden activities."""
        x = np.repeat(theta[np.newaxis, :-1, -1], len(h), axis=0)
        for j in range(h.shape[1]):
            x += theta[:-1, j] * h[:, j, np.newaxis]  # h = 0 adds nothing, h = 1 the weight itself, as in the header
        return x

    def sigmoid(self, x: Array) -> Array:
        """Probabilities of inputs."""
        e = exp_of_minus_size(x)
        y = inverse(f32(1) + e)
        return np.where(np.signbit(x), e * y, y)

    def on(self, p: Array, random: Random) -> Bits:
        """Which units are on."""
        return np.asarray((random >> 9 | 0x3F800000) < _bits(p + f32(1)))

    def activities(self, on: Bits) -> Array:
        """Hidden activities of units that are on or off."""
        return on.astype(f32)

    def uniform(self, random: Random) -> Array:
        """Hidden activities h ~ U(0, 1) (line 16)."""
        return _float(random >> 9 | 0x3F800000) - f32(1)

    def steps(self, p: Array, dither: Random, step: Any) -> Array:
        """What each row adds to Delta Theta in the rows of its units that are on."""
        return np.column_stack([p * step, np.full(len(p), step, dtype=f32)])

    def step_of(self, n_rows: int) -> Any:
        """The learning rate, divided by the rows (line 39)."""
        return f32(self._settings.learning_rate) / f32(n_rows)

    def begin(self, theta: Array, delta: Array, random: Random) -> None:
        """Line 39 without the statistics."""
        decay = f32(self._settings.learning_rate) * -f32(self._settings.weight_decay)
        delta[:] = delta * f32(self._settings.momentum) + theta * decay

    def add(self, delta: Array, on: Array, step: Array) -> None:
        """Add the statistics of one row, in place."""
        np.add(delta, step, out=delta, where=on)

    def end(self, theta: Array, delta: Array) -> None:
        """Line 40."""
        delta[-1, -1] = 0
        theta += delta

    def log_odds(self, ones: Array, n: int) -> Array:
        """Visible biases from the ones among n rows."""
        return np.array([self._log(2 * int(k) + 1) - self._log(2 * (n - int(k)) + 1) for k in ones], dtype=f32)

    def _log(self, k: int) -> Any:
        e = k.bit_length() - 1
        y = f32(0)
        for _ in range(e):
            y = y + f32(0.693147181)
        return y + log1p(_float(np.array([(k << (23 - e) & 0x007FFFFF) | 0x3F800000])) - f32(1))[0]

    def energies(self, x: Array) -> Array:
        """Free energies from ``sums`` (Eq. 2)."""
        e, rest = x[:, -1].copy(), log1p(exp_of_minus_size(x))
        for j in range(x.shape[1] - 1):
            np.add(e, x[:, j], out=e, where=~np.signbit(x[:, j]))
            e += rest[:, j]
        return -e

    def first_score(self, e: Any) -> tuple[Any, Any]:
        """Mean and spread when the first score has come."""
        return e, f32(1)

    def follow(self, mean: Any, spread: Any, e: Any) -> tuple[Any, Any]:
        """Mean and spread after a further score."""
        d, most = e - mean, spread * f32(4)
        d = np.copysign(min(most, np.abs(d)), d)
        return mean + d * f32(0.015625), spread + (np.abs(d) - spread) * f32(0.015625)

    def edges(self, mean: Any, spread: Any) -> tuple[Any, Any]:
        """Lower edge of the first interval of the scores, and the width of all."""
        width = spread * f32(0.5) + f32(0.01)
        return mean + width * f32(-8), width

    def share(self, above: int, own: int, into: Any, width: Any, n: int) -> Any:
        """The share of the scores that are higher."""
        place = min(max(f32(into) * inverse(np.array([width]))[0], f32(0)), f32(1))
        return (f32(above + own) - f32(own) * place + f32(0.5)) * inverse(np.array([n + 1], dtype=f32))[0]

    def fall(self, p: Any, halves: int, into: Any, width: Any, n: int, total: int) -> Any:
        """The same in the tail."""
        place = into * inverse(np.array([width]))[0]
        nats = (f32(halves) + place + place) * f32(n) * inverse(np.array([total], dtype=f32))[0]
        return p * exp_of_minus_size(np.array([nats]))[0]


class Integers:
    """8-bit weights in sixteenths, and 11 bits below them in Delta Theta; its functions are those of ``Floats``."""

    n_dither = 1
    p_one = 65535

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._rate = f32(settings.learning_rate) / (f32(1) - f32(settings.momentum))
        self._decay = int(self._rate * f32(settings.weight_decay) * f32(2048) * f32(256) + f32(0.5))
        self._sigmoids, self._softplus = (_table(name).astype(np.int64) for name in ("gr_sigmoids", "gr_softplus"))

    def first_weights(self, bell: Array) -> tuple[Array, Array]:
        scale = int(f32(self._settings.sigma) * (f32(32768) * f32(256) / f32(147.8)))
        w = bell.astype(np.int64) * scale
        w = np.sign(w) * (np.abs(w) // 256)  # C rounds to zero
        high = (w + 1024) >> 11
        return np.clip(high, -127, 127).astype(np.int8), (w - high * 2048).astype(np.int16)

    def sums(self, theta: Array, rows: Bits) -> Array:
        return np.asarray(rows.astype(np.int64) @ theta[:-1].astype(np.int64) + theta[-1])

    def inputs(self, theta: Array, h: Array) -> Array:
        theta = theta.astype(np.int64)
        return np.asarray((theta[:-1, -1] * 256 + h @ theta[:-1, :-1].T + 128) >> 8)

    def sigmoid(self, x: Array) -> Array:
        s = self._sigmoids[np.minimum(np.abs(x), 176)]
        return np.where(x < 0, 65535 - s, s)

    def on(self, p: Array, random: Random) -> Bits:
        return np.asarray(random >> 16 < p)

    def activities(self, on: Bits) -> Array:
        return on.astype(np.int64) * 256

    def uniform(self, random: Random) -> Array:
        return (random >> 24).astype(np.int64)

    def steps(self, p: Array, dither: Random, step: Any) -> Array:
        rounded = (((p + 128) >> 8) * step + (dither >> 24).astype(np.int64)) >> 8
        return np.column_stack([rounded, np.full(len(p), step)])

    def step_of(self, n_rows: int) -> Any:
        return int(self._rate * f32(32768) / f32(n_rows) + f32(0.5))

    def begin(self, theta: Array, delta: Array, random: Random) -> None:
        decay = (theta.astype(np.int64) * self._decay + (random[:, np.newaxis] >> 24).astype(np.int64)) >> 8
        delta[:] = np.clip(delta - decay, -32767, 32767)

    def add(self, delta: Array, on: Array, step: Array) -> None:
        np.copyto(delta, np.clip(delta + step, -32767, 32767), where=on, casting="unsafe")

    def end(self, theta: Array, delta: Array) -> None:
        delta[-1, -1] = 0
        carry = (delta.astype(np.int64) + 1024) >> 11
        delta[:] = delta - carry * 2048
        theta[:] = np.clip(theta + carry, -127, 127)

    def log_odds(self, ones: Array, n: int) -> Array:
        odds = [(self._log(2 * int(k) + 1) - self._log(2 * (n - int(k)) + 1) + 2048) >> 12 for k in ones]
        return np.asarray(np.clip(odds, -127, 127))

    def _log(self, k: int) -> int:
        e = k.bit_length() - 1
        f = (k << 8 >> e) - 256
        return (e * 256 + f + f * (256 - f) * 88 // 65536) * 177

    def energies(self, x: Array) -> Array:
        inputs = x[:, :-1]
        softplus = np.maximum(inputs, 0) * 16 + self._softplus[np.minimum(np.abs(inputs), 176)]
        return np.asarray(np.clip(-x[:, -1] * 16 - softplus.sum(axis=1), -524287, 524287))

    def first_score(self, e: Any) -> tuple[Any, Any]:
        return int(e) * 64, 256 * 64

    def follow(self, mean: Any, spread: Any, e: Any) -> tuple[Any, Any]:
        most = spread >> 4
        d = min(max(int(e) - (mean >> 6), -most), most)
        return mean + d, spread + abs(d) - (spread >> 6)

    def edges(self, mean: Any, spread: Any) -> tuple[Any, Any]:
        width = (spread >> 7) + 1
        return (mean >> 6) - 8 * width, width

    def share(self, above: int, own: int, into: Any, width: Any, n: int) -> Any:
        place = min(max(int(into), 0), width) * 256 // width
        return min((above * 256 + own * (256 - place) + 128) * 256 // (n + 1), 65535)

    def fall(self, p: Any, halves: int, into: Any, width: Any, n: int, total: int) -> Any:
        place = max(int(into), 0) // (width // 16 + 1)
        nats = (halves * 16 + 2 * min(place, 1024)) * 16 * n // total
        twos = 5920 if nats > 4096 else nats * 185 // 128
        return p * (512 - (twos & 255)) >> 9 >> (twos >> 8)


def numbers_for(settings: Settings) -> Floats | Integers:
    """The number type that the settings ask for."""
    return Integers(settings) if settings.integer else Floats(settings)

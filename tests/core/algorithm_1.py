"""Algorithm 1 once more: slow, in plain loops over rows and units, line by line. Only for comparison.

It shares nothing with the package but the order in which random numbers are drawn: layer by layer, row by row, unit by
unit, from one generator; and how a number is made a draw.
"""

from __future__ import annotations

import math

import numpy as np


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


class SlowLearner:
    def __init__(
        self,
        n_v: int,
        n_h: int,
        rng: np.random.Generator,
        n_Gs: int = 1,
        n_CD: int = 1,
        n_E: int = 10,
        n_B: int = 100,
        n_Bhat: int = 300,
        alpha: float = 0.05,
        rho: float = 0.9,
        xi: float = 0.0002,
        sigma: float = 0.01,
        momentum_low_in: str = "stream",
        sample_reconstruction: bool = False,
    ) -> None:
        self.n_v, self.n_h, self.rng = n_v, n_h, rng
        self.n_Gs, self.n_CD, self.n_E, self.n_B, self.n_Bhat = n_Gs, n_CD, n_E, n_B, n_Bhat
        self.alpha, self.rho, self.xi = alpha, rho, xi
        self.momentum_low_in, self.sample_reconstruction = momentum_low_in, sample_reconstruction
        # line 3
        self.W = [[sigma * rng.standard_normal() for _ in range(n_v)] for _ in range(n_h)]
        self.a = [sigma * rng.standard_normal() for _ in range(n_v)]
        self.b = [sigma * rng.standard_normal() for _ in range(n_h)]
        # line 4
        self.dW = [[0.0] * n_v for _ in range(n_h)]
        self.da = [0.0] * n_v
        self.db = [0.0] * n_h
        # line 5
        self.t = 1
        self.B: list[list[float]] = []

    def p_h(self, v: list[float]) -> list[float]:
        return [sigmoid(self.b[j] + math.fsum(self.W[j][i] * v[i] for i in range(self.n_v))) for j in range(self.n_h)]

    def p_v(self, h: list[float]) -> list[float]:
        return [sigmoid(self.a[i] + math.fsum(self.W[j][i] * h[j] for j in range(self.n_h))) for i in range(self.n_v)]

    def flip(self, p: list[list[float]]) -> list[list[float]]:
        """A unit is on if 16 random bits, and where they cannot tell a real number, say so; see ``kernels.draw``."""
        n = sum(len(row) for row in p)
        words = [int(self.rng.integers(0, 2**64 - 1, dtype=np.uint64, endpoint=True)) for _ in range(math.ceil(n / 4))]
        bits = iter([word >> shift & 0xFFFF for word in words for shift in (0, 16, 32, 48)])
        spares = [self.rng.random() for _ in p]
        chances = [[65536 * unit - next(bits) for unit in row] for row in p]
        # of two undecided units in one row, the second would need the rest of the spare number: too rare to matter here
        return [
            [1.0 if c >= 1 else 0.0 if c <= 0 else float(spare < c) for c in row]
            for spare, row in zip(spares, chances, strict=True)
        ]

    def observe(self, d: list[float]) -> None:
        self.B.append(d)  # lines 8, 9
        if len(self.B) < self.n_B:  # line 10
            return
        dreams: list[list[float]] = []  # line 11
        if self.t > 1 and self.n_Bhat > 0:  # line 13
            h = [[self.rng.random() for _ in range(self.n_h)] for _ in range(self.n_Bhat)]  # line 16
            for k in range(self.n_Gs):  # line 17
                if k > 0:
                    h = self.flip([self.p_h(row) for row in dreams])  # line 19
                dreams = self.flip([self.p_v(row) for row in h])  # line 18
        for e in range(1, self.n_E + 1):  # line 26
            self.epoch(e, self.B + dreams)  # line 28
        self.t += 1  # line 46
        self.B = []  # line 44

    def epoch(self, e: int, V0: list[list[float]]) -> None:
        H0 = [self.p_h(v) for v in V0]  # line 29
        V, H = V0, H0
        for k in range(self.n_CD):  # line 32
            V = [self.p_v(h) for h in self.flip(H)]  # line 33
            if k < self.n_CD - 1 or self.sample_reconstruction:
                V = self.flip(V)
            H = [self.p_h(v) for v in V]  # line 34
        n = len(V0)
        low = e <= 5 if self.momentum_low_in == "update" else (self.t - 1) * self.n_E + e <= 5
        rho = 0.5 if low else self.rho
        rows = range(n)
        # lines 31, 37, 39, 40; all of Theta^{e-1} is read before any of it is written
        gW = [
            [math.fsum(V0[r][i] * H0[r][j] - V[r][i] * H[r][j] for r in rows) / n for i in range(self.n_v)]
            for j in range(self.n_h)
        ]
        ga = [math.fsum(V0[r][i] - V[r][i] for r in rows) / n for i in range(self.n_v)]
        gb = [math.fsum(H0[r][j] - H[r][j] for r in rows) / n for j in range(self.n_h)]
        for j in range(self.n_h):
            for i in range(self.n_v):
                self.dW[j][i] = rho * self.dW[j][i] + self.alpha * (gW[j][i] - self.xi * self.W[j][i])
                self.W[j][i] += self.dW[j][i]
            self.db[j] = rho * self.db[j] + self.alpha * (gb[j] - self.xi * self.b[j])
            self.b[j] += self.db[j]
        for i in range(self.n_v):
            self.da[i] = rho * self.da[i] + self.alpha * (ga[i] - self.xi * self.a[i])
            self.a[i] += self.da[i]

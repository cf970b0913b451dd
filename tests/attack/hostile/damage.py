"""Damage that may happen to any file: bits flipped, pieces put in, parts cut out, repeated or cut off."""

from __future__ import annotations

import random

PIECES = [
    *[
        b"",
        b'"',
        b'""',
        b",",
        b"\n",
        b"\r",
        b"\r\n",
        b"\n\n\n",
        b"\0",
        b"\t",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"\xed\xa0\x80",
    ],
    *[
        b"{",
        b"}",
        b"[",
        b"[" * 2000,
        b"[" * 100_000,
        b'{"a":' * 3000,
        b"\\ud800",
        b"\\u0000",
        b"\x1f\x8b",
        b"PK\x03\x04",
    ],
    *[b"NaN", b"Infinity", b"null", b"9" * 5000, b"z" * 2**19, b'"' * 1001, b"\n" * 5000, b"," * 5000, b"a,b\n" * 1200],
]
"""put anywhere"""


def damaged(content: bytes, rng: random.Random) -> bytes:
    """The content with one to four damages."""
    data = bytearray(content)
    for _ in range(rng.randrange(1, 5)):
        start = rng.randrange(len(data) + 1)
        stop = min(start + rng.choice([0, 1, 3, 50, 2000]), len(data))
        how = rng.randrange(6)
        if how == 0 and data:
            for _ in range(rng.randrange(1, 20)):
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        elif how == 1:
            data[start:stop] = rng.choice(PIECES)
        elif how == 2:
            data[start:stop] = rng.randbytes(rng.randrange(9))
        elif how == 3:
            data[start:start] = data[start:stop] * 2
        elif how == 4:
            del data[start:stop]
        elif rng.random() < 0.5:
            del data[start:]
    return bytes(data)

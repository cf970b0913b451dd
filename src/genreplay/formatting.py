"""Numbers and names as people read them: on pages, in tables, in a terminal. Imports nothing of the package."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import UTC, datetime

_LAST_SECOND = 253402300799
"""of the year 9999"""
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: float, digits: int = 1) -> str:
    r"""Decimals with a true minus sign; what is not a number is unknown.

    >>> number(-114.526, 2) == "\N{MINUS SIGN}114.53"
    True
    >>> number(math.nan)
    'unknown'
    """
    if math.isnan(value):
        return "unknown"
    return f"{value:.{digits}f}".replace("-", "\N{MINUS SIGN}")


def signed(value: float, digits: int = 1) -> str:
    """Decimals with a true sign, also in front of what is positive.

    >>> signed(2.04)
    '+2.0'
    """
    return f"{value:+.{digits}f}".replace("-", "\N{MINUS SIGN}")


def thousands(value: float) -> str:
    """A whole number with commas.

    >>> thousands(60_000)
    '60,000'
    """
    return f"{value:,.0f}"


def three_digits(value: float) -> str:
    """About three digits, as many as a ratio or a time deserves.

    >>> three_digits(0.754), three_digits(43.21), three_digits(19999.6)
    ('0.75', '43.2', '20,000')
    """
    return f"{value:,.{2 if abs(value) < 10 else 1 if abs(value) < 100 else 0}f}"


def figure(value: float, digits: int = 4) -> str:
    r"""A value of a table: whole numbers in full, others with about so many digits.

    >>> figure(93.1), figure(20240511.0), figure(1234.5678), figure(0.00012345)
    ('93.1', '20,240,511', '1,235', '1.234 ... 10⁻⁴')
    >>> figure(-0.5) == "\N{MINUS SIGN}0.5", figure(999.97, 3)
    (True, '1,000')
    """
    magnitude = abs(value)
    if value == 0 or (value == round(value) and magnitude < 1e15):
        text = f"{value:,.0f}"
    elif 1e-3 <= magnitude < 1e6:
        is_large = magnitude >= 1000 or round(magnitude, digits - 3) >= 1000
        text = f"{value:,.0f}" if is_large else f"{value:.{digits}g}"
    else:
        mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
        text = f"{mantissa} \N{MULTIPLICATION SIGN} {power_of_ten(int(exponent))}"
    return text.replace("-", "\N{MINUS SIGN}")


def power_of_ten(exponent: int) -> str:
    """A power of ten with its exponent raised.

    >>> power_of_ten(-5)
    '10⁻⁵'
    """
    return "10" + str(exponent).translate(_SUPERSCRIPTS)


def p_value(nats: float) -> str:
    """The p-value of a row that is so surprising, with two digits: exp(-nats), however small.

    >>> p_value(0.7), p_value(4.4), p_value(11.5), p_value(800)
    ('0.5', '0.012', '1.0 ... 10⁻⁵', '3.7 ... 10⁻³⁴⁸')
    """
    if nats < 3 * math.log(10):
        return f"{math.exp(-nats):.2g}"
    exponent = math.floor(-nats / math.log(10))
    mantissa = f"{10 ** (-nats / math.log(10) - exponent):.1f}"
    if mantissa == "10.0":
        mantissa, exponent = "1.0", exponent + 1
    return f"{mantissa} \N{MULTIPLICATION SIGN} {power_of_ten(exponent)}"


def one_in(nats: float) -> str:
    """The same as a rate: how many usual rows there are for one that is as surprising.

    >>> one_in(0), one_in(4.4), one_in(11.5), one_in(800)
    ('1 in 1', '1 in 81', '1 in 99,000', 'less than 1 in a billion')
    """
    if nats > math.log(1e9):
        return "less than 1 in a billion"
    rows = math.exp(nats)
    return f"1 in {float(f'{rows:.2g}'):,.0f}"


def listed(items: Iterable[object]) -> str:
    """Some things in words.

    >>> listed([1, 4, 16]), listed([4])
    ('1, 4 and 16', '4')
    """
    *others, last = map(str, items)
    return f"{', '.join(others)} and {last}" if others else last


def percent(share: float) -> str:
    """A share in whole percent.

    >>> percent(0.05)
    '5 %'
    """
    return f"{100 * share:.0f} %"


def fine_percent(share: float) -> str:
    """A share in percent, with a tenth where there is one.

    >>> fine_percent(0.0042), fine_percent(0.01), fine_percent(1)
    ('0.4 %', '1 %', '100 %')
    """
    return f"{round(100 * share, 1):g} %"


def moment(seconds: float, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    """A time in UTC, from seconds since 1970, up to the year 9999.

    >>> moment(1704067200.0)
    '2024-01-01 00:00:00'
    """
    return datetime.fromtimestamp(min(seconds, _LAST_SECOND), UTC).strftime(form)


def size(n_bytes: int) -> str:
    """Bytes in words.

    >>> size(512), size(34_500), size(7_200_000)
    ('512 bytes', '34.5 kB', '7.2 MB')
    """
    if n_bytes < 1000:
        return f"{n_bytes} bytes"
    return f"{n_bytes / 1000:.1f} kB" if n_bytes < 1_000_000 else f"{n_bytes / 1_000_000:.1f} MB"


def slug(name: str) -> str:
    """A name as an id or a CSS variable may have it.

    >>> slug("ER-ML packed"), slug("OCD_GR")
    ('er-ml-packed', 'ocd-gr')
    """
    return name.lower().replace(" ", "-").replace("_", "-")

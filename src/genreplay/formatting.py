"""Numbers and names as people read them: on pages, in tables, in a terminal. Imports nothing of the package."""

from __future__ import annotations


def number(value: float, digits: int = 1) -> str:
    r"""Decimals with a true minus sign.

    >>> number(-114.526, 2) == "\N{MINUS SIGN}114.53"
    True
    """
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

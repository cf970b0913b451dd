"""Templates to self-contained pages."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from genreplay.formatting import fine_percent, number, percent, signed, slug, thousands, three_digits
from genreplay.report.titles import column_title


def code(text: str) -> Markup:
    """Text with the names between backticks as code.

    >>> str(code("use `OnlineRBM()` & co"))
    'use <code>OnlineRBM()</code> &amp; co'
    """
    return Markup(re.sub(r"`([^`]*)`", r"<code>\1</code>", str(escape(text))))


def minus(text: str) -> str:
    r"""Text of a table in Markdown with true minus signs.

    >>> minus("-76.5, half-way, HTM-2") == "\N{MINUS SIGN}76.5, half-way, HTM-2"
    True
    """
    return re.sub(r"(?<!\w)-(?=\d)", "\N{MINUS SIGN}", text)


def breakable(name: str) -> Markup:
    """A name that may be broken before its capitals, for narrow columns.

    >>> str(breakable("HalfSpaceTrees")), str(breakable("ER-IM"))
    ('Half<wbr>Space<wbr>Trees', 'ER-IM')
    """
    return Markup(re.sub(r"(?<=[a-z])(?=[A-Z])", "<wbr>", str(escape(name))))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("genreplay.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters = (
        breakable,
        code,
        minus,
        column_title,
        fine_percent,
        number,
        percent,
        signed,
        slug,
        thousands,
        three_digits,
    )
    environment.filters |= {function.__name__: function for function in filters}
    return environment


def render(template: str, **content: object) -> str:
    """The page of a template with this content."""
    style = Markup(files("genreplay.report").joinpath("templates/style.css").read_text("utf-8"))
    return _environment().get_template(template).render(style=style, **content)

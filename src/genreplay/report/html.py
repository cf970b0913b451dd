"""Templates to self-contained pages."""

from __future__ import annotations

from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from genreplay.experiments.results import MAX_GAP
from genreplay.formatting import fine_percent, number, percent, signed, slug, thousands, three_digits
from genreplay.report.titles import column_title


def render(template: str, **content: object) -> str:
    """The page of a template with this content."""
    environment = Environment(
        loader=PackageLoader("genreplay.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["max_gap"] = MAX_GAP
    filters = (column_title, fine_percent, number, percent, signed, slug, thousands, three_digits)
    environment.filters |= {function.__name__: function for function in filters}
    style = Markup(files("genreplay.report").joinpath("templates/style.css").read_text("utf-8"))
    return environment.get_template(template).render(style=style, **content)

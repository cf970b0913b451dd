"""Templates to pages: each holds its style, and needs nothing but itself."""

from __future__ import annotations

from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from genreplay.bench.figures import short
from genreplay.experiments.paper.claims.verdict import number, signed
from genreplay.report.fig3 import svg_name


def render(template: str, **content: object) -> str:
    """The page of a template with this content."""
    environment = Environment(
        loader=PackageLoader("genreplay.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"number": number, "short": short, "signed": signed, "slug": svg_name}
    style = Markup(files("genreplay.report").joinpath("templates/style.css").read_text("utf-8"))
    return environment.get_template(template).render(style=style, **content)

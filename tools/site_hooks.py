"""What MkDocs cannot do by itself for the documentation: results, help texts and formulas, put in when it is built.

A line ``<!-- results: NAME -->`` of a page becomes a part of the report, made from ``results/runs.jsonl``, and a line
``<!-- help: COMMAND -->`` what ``genreplay COMMAND --help`` prints. So neither can be out of date. Formulas become
MathML, which browsers show without a script.
"""

from __future__ import annotations

import html
import re
from functools import cache
from pathlib import Path

from click.testing import CliRunner
from latex2mathml.converter import convert
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

from genreplay.cli import main
from genreplay.experiments import runner
from genreplay.experiments.results import Results
from genreplay.report import pieces

ROOT = Path(__file__).parents[1]
RESULTS = re.compile(r"^<!-- results: (\S+) -->$", re.MULTILINE)
HELP = re.compile(r"^<!-- help: (.*?) -->$", re.MULTILINE)
FORMULA = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL)


@cache
def results() -> Results:
    """The stored results."""
    return Results(runner.read(ROOT / "results/runs.jsonl"))


@cache
def part(name: str) -> str:
    """A part of the report; the build fails where there is none of this name."""
    try:
        return pieces.piece(name, results())
    except (KeyError, pieces.MissingResultsError) as error:
        raise PluginError(f"results: {name} cannot be made: {error}") from error


def help_text(names: str) -> str:
    """What a command prints when it is asked for help, as a block of code."""
    done = CliRunner().invoke(main, [*names.split(), "--help"], prog_name="genreplay", terminal_width=80)
    if done.exit_code:
        raise PluginError(f"help: there is no command {names!r}")
    return f"```text\n{done.output}```\n"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the colours of the report's drawings."""
    css = pieces.inks('[data-md-color-scheme="default"]', '[data-md-color-scheme="slate"]')
    files.append(File.generated(config, "assets/inks.css", content=css))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """Put in what is Markdown: tables and help texts."""
    markdown = RESULTS.sub(lambda found: part(found[1]) if found[1] not in pieces.PICTURES else found[0], markdown)
    return HELP.sub(lambda found: help_text(found[1]), markdown)


def on_page_content(page_html: str, **_: object) -> str:
    """Put in what is HTML: pictures and formulas."""
    page_html = RESULTS.sub(lambda found: part(found[1]), page_html)
    return FORMULA.sub(lambda found: formula(html.unescape(found[3]), is_block=found[2] == "["), page_html)


def formula(latex: str, is_block: bool) -> str:
    """MathML, with the thin space that belongs between the name of a function and what it is applied to."""
    mathml = convert(latex, display="block" if is_block else "inline")
    return re.sub(r"<mi>(log|exp)</mi>(?=<mi>)", r'<mi>\1</mi><mspace width="0.17em" />', mathml)

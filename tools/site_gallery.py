"""The gallery of the documentation, made from ``examples/`` when MkDocs builds it.

Each example becomes a page: its title, its first paragraph, its picture, the rest of its text, what it printed, and its
code. A line ``<!-- gallery: NAME NAME ... -->`` becomes cards that lead to such pages. Nothing is run: pictures and
prints are those that ``make gallery`` left in ``docs/gallery/``. The build fails where one is missing.
"""

from __future__ import annotations

import re

import gallery  # tools/gallery.py: MkDocs looks for modules beside a hook
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

CARDS = re.compile(r"^<!-- gallery: (.*?) -->$", re.MULTILINE)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page and the script of each example, if the site has a gallery."""
    if files.get_file_from_path("gallery/index.md"):
        for name in gallery.names():
            files.append(File.generated(config, f"gallery/{name}.md", content=page(name)))
            files.append(File.generated(config, f"gallery/{name}.py", content=gallery.source(name)))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """Put in the cards."""
    return CARDS.sub(lambda found: cards(found[1].split()), markdown)


def page(name: str) -> str:
    """The page of an example, in Markdown."""
    example, printed = gallery.read(name), gallery.KEPT / f"{name}.txt"
    if not printed.exists():
        raise PluginError(f"docs/gallery/{name}.txt is missing: run make gallery.")
    first, *rest = example.text
    parts = [
        f"---\nhide: [toc]\n---\n\n# {example.title}",
        first,
        f"[![{example.title}]({name}.png){{ .example }}]({name}.png)",
        *rest,
        f"It printed:\n\n```text\n{printed.read_text('utf-8')}```",
        f"## Code\n\n[{name}.py]({name}.py)\n\n```python\n{example.code}```",
    ]
    return "\n\n".join(parts) + "\n"


def cards(names: list[str]) -> str:
    """Links with pictures."""
    if unknown := sorted({*names} - {*gallery.names()}):
        raise PluginError(f"gallery: there is no example {', '.join(unknown)}.")
    links = [f"[![]({name}.png) {gallery.read(name).title}]({name}.md){{ .card }}" for name in names]
    return '<div class="cards" markdown>\n\n' + "\n\n".join(links) + "\n\n</div>"

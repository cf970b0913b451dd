"""Run the examples of the gallery and keep what they show and print: ``python tools/gallery.py``, or ``make gallery``.

An example is a script in ``examples/``: a docstring with a title and a few sentences, then code from top to bottom that
ends with ``plt.show()``, so that a reader can run it as it is. Here it runs without a screen, in a folder of its
own. Its one figure goes to ``docs/gallery/NAME.png`` and what it printed to ``docs/gallery/NAME.txt``; both are
committed, so that the documentation is built in seconds. A line such as

    n_rows = 20_000  # quick: 2_000

says what the tests put in its place, to be quick.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import io
import re
import runpy
import sys
import tempfile
import time
import warnings
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
from PIL import Image
from PIL.PngImagePlugin import PngInfo

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
KEPT = ROOT / "docs/gallery"
QUICK = re.compile(r"^(\w+ = )(.+?)(  # quick: )(.+)$", re.MULTILINE)
DOTS_PER_INCH = 150
DIGEST = "Comment"
"""name of the entry in a picture that says of which code it is"""


class Example(NamedTuple):
    """A script, in parts."""

    title: str
    text: list[str]
    """the paragraphs below the title"""
    code: str

    @property
    def digest(self) -> str:
        """Changes with the code as it is run here, not with the text or the quick form."""
        return hashlib.sha256(QUICK.sub(r"\1\2", self.code).encode()).hexdigest()


class Shown(NamedTuple):
    """What a run left."""

    picture: bytes
    """PNG"""
    printed: str


def names() -> list[str]:
    """The examples there are."""
    return sorted(path.stem for path in EXAMPLES.glob("*.py"))


def source(name: str) -> str:
    """The script as it is."""
    return (EXAMPLES / f"{name}.py").read_text("utf-8")


def read(name: str) -> Example:
    """Take a script apart."""
    tree, lines = ast.parse(source(name)), source(name).splitlines()
    title, _, text = (ast.get_docstring(tree) or "").partition("\n\n")
    if not title or not text:
        raise ValueError(f"examples/{name}.py needs a docstring: a title, and below it what one sees.")
    code = "\n".join(lines[tree.body[0].end_lineno :]).strip() + "\n"
    return Example(title, text.split("\n\n"), code)


def run(name: str, quick: bool = False) -> Shown:
    """Run an example without a screen, in an empty folder; with ``quick``, in its quick form."""
    mpl.use("Agg")
    import matplotlib.pyplot as plt

    plt.close("all")
    printed, picture = io.StringIO(), io.BytesIO()
    script = QUICK.sub(r"\1\4\3\4", source(name)) if quick else source(name)
    with tempfile.TemporaryDirectory() as folder, chdir(folder), redirect_stdout(printed), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "FigureCanvasAgg is non-interactive")  # what plt.show() says without a screen
        Path(f"{name}.py").write_text(script, "utf-8")
        runpy.run_path(f"{name}.py", run_name="__main__")
    if len(plt.get_fignums()) != 1:
        raise ValueError(f"examples/{name}.py must leave one figure, but it left {len(plt.get_fignums())}.")
    plt.gcf().savefig(picture, dpi=DOTS_PER_INCH)
    plt.close("all")
    return Shown(_smaller(picture, read(name).digest), printed.getvalue())


def _smaller(picture: io.BytesIO, digest: str) -> bytes:
    """A picture with at most 128 colours, in a third of the bytes, and with a digest in it."""
    said, written = PngInfo(), io.BytesIO()
    said.add_text(DIGEST, digest)
    with Image.open(picture) as whole:
        whole.convert("RGB").quantize(128, dither=Image.Dither.NONE).save(written, "png", optimize=True, pnginfo=said)
    return written.getvalue()


def keep(name: str, shown: Shown, folder: Path = KEPT) -> None:
    """Write the picture and what was printed."""
    (folder / f"{name}.png").write_bytes(shown.picture)
    (folder / f"{name}.txt").write_text(shown.printed, "utf-8")


def is_current(name: str) -> bool:
    """Whether there is a picture, and it is of the code as it is now."""
    path = KEPT / f"{name}.png"
    if not path.exists():
        return False
    with Image.open(path) as picture:
        return picture.info.get(DIGEST) == read(name).digest


def main() -> None:
    """Run the examples that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="examples to run; all by default")
    chosen: list[str] = parser.parse_args().names or names()
    if unknown := sorted({*chosen} - {*names()}):
        sys.exit(f"There is no example {', '.join(unknown)}. There are {', '.join(names())}.")
    KEPT.mkdir(exist_ok=True)
    for name in chosen:
        start = time.perf_counter()
        shown = run(name)
        keep(name, shown)
        seconds, kilobytes = time.perf_counter() - start, len(shown.picture) / 1000
        print(f"{name}: {seconds:.1f} s, {kilobytes:.0f} kB", flush=True)


if __name__ == "__main__":
    main()

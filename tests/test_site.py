"""The documentation: built strictly, and opened in headless Chromium on a phone and on a wide screen."""

from __future__ import annotations

import inspect
import os
import re
import shutil
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.report.chromium import PROGRAM, Page, browser
from tests.test_api_pages import public

for package in ("mkdocs", "material", "mkdocstrings", "latex2mathml"):
    pytest.importorskip(package, reason="the extra docs is not installed")

pytestmark = pytest.mark.slow
in_chromium = pytest.mark.skipif(PROGRAM is None, reason="Chromium is not installed (Debian: apt-get install chromium)")

ROOT = Path(__file__).parents[1]
NOWHERE = "http://127.0.0.1:9"
"""a proxy that is not there: whatever asks for the network fails"""
BROKEN = "[...document.images].filter(image => !(image.complete && image.naturalWidth > 0)).length"
DRAWINGS = "[...document.querySelectorAll('.panel svg, .scheme svg')]"
FLAT = f"{DRAWINGS}.filter(svg => svg.getBoundingClientRect().height < 50).length"


def build(configuration: Path, out: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "mkdocs",
            "build",
            "--strict",
            "--config-file",
            str(configuration),
            "--site-dir",
            str(out),
        ],
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT / "src"),
            "NO_MKDOCS_2_WARNING": "1",
            "http_proxy": NOWHERE,
            "https_proxy": NOWHERE,
        },
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site") / "docs"
    done = build(ROOT / "mkdocs.yml", out)
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with browser() as page:
        yield page


@in_chromium
@pytest.mark.parametrize("width", [390, 1280])
def test_every_page_is_whole(page: Page, site: Path, width: int) -> None:
    files = sorted(path for path in site.rglob("*.html") if path.name != "404.html")
    assert len(files) >= 30
    n_pictures = 0
    for file in files:
        for scheme in ("light", "dark") if file.parent.name == "results" else ("light",):
            page.open(file, width, scheme)
            assert page.complaints == [], file
            assert page.evaluate(BROKEN) == 0, file
            assert page.evaluate(FLAT) == 0, file
            assert page.evaluate("document.documentElement.scrollWidth") <= width, file
        n_pictures += page.evaluate("document.querySelectorAll('.panel').length")
    assert n_pictures >= 42


@in_chromium
def test_the_search_finds_a_name_without_a_server(page: Page, site: Path) -> None:
    page.open(site / "index.html", 1280, "light")
    page.evaluate("location.hash = ''; const q = document.querySelector('[data-md-component=search-query]'); q.focus()")
    page.evaluate("q.value = 'DreamPool'; q.dispatchEvent(new Event('keyup')); q.dispatchEvent(new Event('input'))")
    found = ""
    for _ in range(50):
        page.call("Runtime.evaluate", expression="new Promise(r => setTimeout(r, 100))", awaitPromise=True)
        found = page.evaluate("document.querySelector('.md-search-result__list').innerText")
        if found:
            break
    assert "DreamPool" in found
    assert page.complaints == []


def test_every_public_name_has_an_anchor(site: Path) -> None:
    inventory = (site / "objects.inv").read_bytes().split(b"\n", 4)[4]
    anchors = {line.split(" ")[0] for line in zlib.decompress(inventory).decode().splitlines()}
    assert [name for name in public() if name not in anchors] == []


def test_every_public_function_and_class_with_arguments_has_a_signature(site: Path) -> None:
    html = "".join(path.read_text("utf-8") for path in sorted((site / "api").glob("*.html")))
    things = {name: value for name, value in public().items() if inspect.isroutine(value) or has_arguments(value)}
    assert {"genreplay.OnlineRBM", "genreplay.LogPartition", "genreplay.core.grouped.GroupedRBM"} <= set(things)
    entries = re.split(r'<h\d id="', html)
    shown = {text.partition('"')[0]: "doc-signature" in text for text in entries}
    by_id = {id(value): shown[name] for name, value in things.items() if name in shown}  # one of its names has an entry
    assert [name for name, value in things.items() if not by_id.get(id(value))] == []


def has_arguments(value: object) -> bool:
    """Whether this is a class of the package that is made from arguments of its own."""
    if not inspect.isclass(value) or issubclass(value, Exception) or getattr(value, "_is_protocol", False):
        return False
    return bool(
        getattr(value, "_fields", ()) or getattr(value, "__dataclass_fields__", ()) or "__init__" in vars(value)
    )


def test_nothing_is_left_to_fill_in(site: Path) -> None:
    for file in site.rglob("*.html"):
        text = file.read_text("utf-8")
        assert not re.search(r"<!-- (results|help|gallery): ", text), file
        assert "arithmatex" not in text, file


def small_site(folder: Path, text: str) -> Path:
    """The configuration of a site with one page, otherwise as that of the documentation."""
    configuration = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[0] + "\nnav:\n  - index.md\n"
    for named, path in {"tools/": f"{ROOT}/tools/", "[src]": f"[{ROOT}/src]", "[.]": f"[{ROOT}]"}.items():
        assert named in configuration
        configuration = configuration.replace(named, path)
    (folder / "mkdocs.yml").write_text(configuration)
    shutil.copytree(ROOT / "docs/assets", folder / "docs/assets")
    (folder / "docs/index.md").write_text(f"# A page\n\n{text}\n")
    return folder / "mkdocs.yml"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[a](missing.md)", "missing.md"),
        ("[a](#missing)", "#missing"),
        ("[a][genreplay.Missing]", "genreplay.Missing"),
        ("::: genreplay.Missing", "genreplay.Missing"),
        ("<!-- results: missing -->", "results: missing"),
        ("<!-- help: missing -->", "no command 'missing'"),
        ("<!-- gallery: filters missing -->", "no example missing"),
        ('--8<-- "missing.md"', "missing.md"),
    ],
)
def test_what_is_broken_fails(text: str, complaint: str, tmp_path: Path) -> None:
    done = build(small_site(tmp_path, text), tmp_path / "out")
    assert done.returncode != 0
    assert complaint in done.stderr


def test_an_example_without_its_picture_fails(tmp_path: Path) -> None:
    configuration = small_site(tmp_path, "Nothing is wrong here.")
    shutil.copytree(ROOT / "docs/gallery", tmp_path / "docs/gallery")
    (tmp_path / "docs/gallery/index.md").write_text("# Gallery\n")
    pages = ["index", *(path.stem for path in ROOT.glob("examples/*.py"))]
    lines = "".join(f"  - gallery/{page}.md\n" for page in pages)
    configuration.write_text(configuration.read_text("utf-8") + lines)
    done = build(configuration, tmp_path / "out")
    assert done.returncode == 0, done.stderr
    (tmp_path / "docs/gallery/filters.png").unlink()
    done = build(configuration, tmp_path / "out")
    assert done.returncode != 0
    assert "filters.png" in done.stderr


def test_a_page_without_a_place_in_the_navigation_fails(tmp_path: Path) -> None:
    configuration = small_site(tmp_path, "Nothing is wrong here.")
    assert build(configuration, tmp_path / "out").returncode == 0
    (tmp_path / "docs/lost.md").write_text("# Lost\n")
    done = build(configuration, tmp_path / "out")
    assert done.returncode != 0
    assert "lost.md" in done.stderr

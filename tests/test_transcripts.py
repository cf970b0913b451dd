"""The transcripts of the README and of the documentation are real: each command is run, and prints what the page says.

A block of ``sh`` is run as it is. In a block of ``console``, a line that begins with ``$ `` is a command, and the lines
below it are what it prints. A block of Python whose first line is ``# NAME.py`` is a file of this name.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.alike import alike
from tests.test_documents import PAGES, ROOT, text_of

pytestmark = [pytest.mark.slow, pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")]

BLOCK = re.compile(r"^```(sh|console|python)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
PROGRESS = re.compile(r"[\d,]+ rows, [\d,]+ a second")
"""what ``learn`` says every few seconds, on a slow machine"""
FILE_NAME = re.compile(r"# (\w+\.py)\n")
WITH_TRANSCRIPTS = [page for page in PAGES if re.search(r"^```(sh|console)$", text_of(page), flags=re.MULTILINE)]


def commands(kind: str, block: str) -> list[tuple[str, list[str] | None]]:
    """Commands and the lines that they print; None where the page does not say."""
    if kind == "sh":
        return [(block, None)]
    if kind == "python":
        name = FILE_NAME.match(block)
        return [(f"cat > {name[1]} <<'END'\n{block}END", None)] if name else []
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [(part.partition("\n")[0], part.splitlines()[1:]) for part in parts]


def shell(command: str, folder: Path) -> str:
    """What a command prints on stdout and stderr together, in a folder of its own."""
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"genreplay() {{ '{sys.executable}' -m genreplay \"$@\"; }}; {command}"],
        cwd=folder,
        env={
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT / "src"),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.parametrize("page", WITH_TRANSCRIPTS)
def test_a_transcript_is_what_the_commands_print(page: str, tmp_path: Path) -> None:
    for kind, block in BLOCK.findall(text_of(page)):
        for command, said in commands(kind, block):
            printed = [line for line in shell(command, tmp_path).splitlines() if not PROGRESS.match(line)]
            if said is not None:
                assert len(printed) == len(said), (command, printed)
                for one, other in zip(said, printed, strict=True):
                    assert alike(one, other), f"{command}\nthe page: {one}\nprinted:  {other}"


def test_there_are_transcripts_where_commands_are_explained() -> None:
    guides = {f"docs/guides/{name}.md" for name in ("tables", "series", "stream", "save")}
    assert {"README.md", *guides} <= {*WITH_TRANSCRIPTS}

"""Build the wheel and the sdist into dist/, and check them as a user meets them: ``python tools/build.py``.

1. Both are built, and the sdist builds the same wheel.
2. ``twine check`` and ``check-wheel-contents`` have nothing to say.
3. The wheel, installed without extras into an empty environment, runs README.md: its blocks of ``sh`` and the lines of
   others that start with ``$``, in one shell, and its Python examples, one after the other.

This is a script and no test: it fetches the dependencies, takes minutes, and is about files that are published.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
OPTIONAL = ("distributed", "numba", "pandas", "polars", "pyarrow", "pytest", "river", "torch")
"""modules of the extras: the empty environment must not have them"""


def run(command: Sequence[str | Path], folder: Path = ROOT, env: Mapping[str, str] | None = None) -> None:
    """Run a command, and end with its exit code if that is not 0."""
    print("+", *command, flush=True)
    done = subprocess.run(list(map(str, command)), cwd=folder, env=env, check=False)
    if done.returncode:
        sys.exit(done.returncode)


def tool(name: str, *arguments: str | Path) -> None:
    """Run a tool of this environment."""
    run([sys.executable, "-m", name, *arguments])


def build(out: Path) -> tuple[Path, Path]:
    """Build both, each from the working copy; return the wheel and the sdist."""
    for old in (*out.glob("*.whl"), *out.glob("*.tar.gz")):
        old.unlink()
    tool("build", "--wheel", "--sdist", "--outdir", out, ROOT)
    (wheel,), (sdist,) = out.glob("*.whl"), out.glob("*.tar.gz")
    return wheel, sdist


def wheel_of(sdist: Path, folder: Path) -> Path:
    """Unpack an sdist and build its wheel."""
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    tool("build", "--wheel", "--outdir", folder, folder / sdist.name.removesuffix(".tar.gz"))
    (wheel,) = folder.glob("*.whl")
    return wheel


def differences(one: Path, other: Path) -> list[str]:
    """Names of the files that are not in both wheels with the same content."""
    first, second = (
        {name: archive.read(name) for name in archive.namelist()} for archive in map(zipfile.ZipFile, (one, other))
    )
    return sorted(name for name in {*first, *second} if first.get(name) != second.get(name))


def code_blocks(markdown: str) -> list[tuple[str, str]]:
    """The code blocks of a document, each with its language; an empty word is a block without one."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", markdown, re.MULTILINE | re.DOTALL)


def shell_lines(markdown: str) -> list[str]:
    """The commands of a document: blocks of ``sh`` as they are, and in others what follows ``$``."""
    commands = []
    for language, block in code_blocks(markdown):
        if language == "sh":
            commands.append(block.rstrip("\n"))
        elif language in ("", "console", "text"):
            commands += [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]
    return commands


def python_code(markdown: str) -> str:
    """The Python examples of a document, which may build on each other."""
    return "\n".join(block for language, block in code_blocks(markdown) if language == "python")


def try_out(wheel: Path, readme: str) -> None:
    """Do what a document says, in an environment that has the wheel and what it requires."""
    lines, code = shell_lines(readme), python_code(readme)
    if not lines or not code:
        sys.exit("README.md has no commands ($ genreplay ...) or no Python example to try.")
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        venv.create(place / "env", with_pip=True)
        python = place / "env/bin/python"
        run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel.resolve()])
        found = f"from importlib.util import find_spec; print(*filter(find_spec, {OPTIONAL}))"
        there = subprocess.run([python, "-c", found], capture_output=True, text=True, check=True).stdout.split()
        if there:
            sys.exit(f"An installation without extras has {', '.join(there)}.")
        env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
        env["PATH"] = f"{python.parent}{os.pathsep}{env['PATH']}"
        work = place / "work"
        work.mkdir()
        run(["bash", "-euxo", "pipefail", "-c", "\n".join(lines)], work, env)
        (work / "readme.py").write_text(code, "utf-8")
        run([python, "readme.py"], work, env)


def main() -> None:
    """Build, check, try out; or only try out a wheel."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--try", dest="wheel", type=Path, metavar="WHEEL", help="only try out a wheel (step 3)")
    wheel: Path | None = parser.parse_args().wheel
    if wheel is None:
        wheel, sdist = build(ROOT / "dist")
        with tempfile.TemporaryDirectory() as folder:
            if found := differences(wheel, wheel_of(sdist, Path(folder))):
                sys.exit(f"The sdist builds another wheel: {', '.join(found)} differ.")
        print("The sdist builds the same wheel.")
        tool("twine", "check", "--strict", wheel, sdist)
        tool("check_wheel_contents", wheel)
    try_out(wheel, (ROOT / "README.md").read_text("utf-8"))
    print(f"{wheel.name} works without extras: the commands and examples of README.md ran.")


if __name__ == "__main__":
    main()

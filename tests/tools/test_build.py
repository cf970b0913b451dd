"""What ``tools/build.py`` compares and takes from README.md; the builds themselves are ``make build``."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from tools.build import ROOT, differences, python_code, shell_lines, try_out

DOCUMENT = """
$ not in a block

```
$ printf 'a\\n1\\n' > t.csv
make run
$ genreplay info m    # a remark
```

```sh
python -c "
print('b')
" > b.csv
```

```python
x = 1
```

```toml
$ no shell
```

```python
print(x)
```
"""


def wheel(path: Path, **files: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def test_the_commands_of_a_document_are_its_shell_blocks_and_its_lines_with_a_dollar_sign() -> None:
    script = "python -c \"\nprint('b')\n\" > b.csv"
    assert shell_lines(DOCUMENT) == ["printf 'a\\n1\\n' > t.csv", "genreplay info m    # a remark", script]


def test_the_examples_of_a_document_build_on_each_other() -> None:
    assert python_code(DOCUMENT) == "x = 1\n\nprint(x)\n"


def test_the_readme_has_commands_and_examples_to_try() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    commands = {line.split("genreplay ")[1].split()[0] for line in shell_lines(readme) if "genreplay " in line}
    assert {"learn", "score", "explain"} <= commands
    assert "OnlineRBM" in python_code(readme)


def test_a_readme_without_anything_to_try_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no commands"):
        try_out(tmp_path / "some.whl", "```python\nx = 1\n```\n")


def test_wheels_differ_in_files_that_only_one_has_and_in_contents(tmp_path: Path) -> None:
    one = wheel(tmp_path / "one.whl", same="1", changed="1", gone="1")
    other = wheel(tmp_path / "other.whl", same="1", changed="2", new="1")
    assert differences(one, other) == ["changed", "gone", "new"]
    assert differences(one, one) == []

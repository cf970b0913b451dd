from __future__ import annotations

import subprocess
import sys


def test_core_needs_numpy_safetensors_and_msgspec_and_nothing_else() -> None:
    code = (
        "import sys; before = set(sys.modules); import genreplay.core; "
        "names = {name.partition('.')[0] for name in set(sys.modules) - before}; "
        "print(*sorted(n for n in names if n not in sys.stdlib_module_names and not n.startswith('_')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {*done.stdout.split()} - {"typing_extensions"} == {"genreplay", "msgspec", "numpy", "safetensors"}

"""``GENREPLAY_WITHOUT_NUMBA=1 pytest`` runs the tests as if Numba were not installed."""

from __future__ import annotations

import os
import sys

if os.environ.get("GENREPLAY_WITHOUT_NUMBA"):
    sys.modules["numba"] = None  # type: ignore[assignment]

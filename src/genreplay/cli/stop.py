"""Stop cleanly on SIGINT and SIGTERM: finish the update, save, exit 0."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Self

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stop:
    """Records SIGINT and SIGTERM inside a ``with`` block; the loop checks ``requested`` between two chunks."""

    def __init__(self) -> None:
        self.requested = False

    def __enter__(self) -> Self:
        self._previous_handlers = {}
        if threading.current_thread() is threading.main_thread():
            self._previous_handlers = {number: signal.signal(number, self._record) for number in SIGNALS}
        return self

    def __exit__(self, *exception: object) -> None:
        for number, handler in self._previous_handlers.items():
            signal.signal(number, handler)

    def _record(self, number: int, frame: FrameType | None) -> None:
        self.requested = True

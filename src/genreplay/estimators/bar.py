"""A progress bar for work that takes from some seconds to minutes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def bar(title: str, total: int) -> Iterator[Callable[[int], object]]:
    """Draw a bar on stderr while the block runs; it yields the function that moves it on.

    >>> with bar("AIS", total=300) as advance:
    ...     for _ in range(3):
    ...         advance(100)
    """
    from rich.console import Console  # a library should start without it
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(title, total=total)
        yield lambda n: progress.advance(task, n)

"""Progress on standard error, and what a terminal may be shown."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def is_lively(stream: TextIO) -> bool:
    """Whether colour and moving lines may go to ``stream``: a terminal, and ``NO_COLOR`` is not set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


@contextmanager
def bar(label: str, *, quiet: bool = False) -> Iterator[Callable[[float], None]]:
    """A progress bar on standard error; gives the function that sets the share done, from 0 to 1.

    Nothing is shown if ``quiet``, in a pipe, or with ``NO_COLOR``.
    """
    if quiet or not is_lively(sys.stderr):
        yield lambda _share: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(label, total=1.0)
        yield lambda share: progress.update(task, completed=share)

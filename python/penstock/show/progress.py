"""Progress on standard error, and the abilities of a terminal."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from html import escape
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.execute.experiment import State

SHOWN_AFTER_S = 1.0
DRAWN_EVERY_S = 0.2


def is_lively(stream: TextIO) -> bool:
    """Whether colour and moving lines may go to ``stream``: a terminal, and ``NO_COLOR`` is not set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


@contextmanager
def bar(label: str, *, quiet: bool = False) -> Iterator[Callable[[float], None]]:
    """A progress bar on standard error; returns the function that sets the share done, from 0 to 1.

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


@contextmanager
def board(label: str, *, quiet: bool = False) -> Iterator[Callable[[State], None]]:
    """A line on standard error for many runs: done, running, failed, rate, time left; returns its setter.

    Nothing is shown if ``quiet``, in a pipe, or with ``NO_COLOR``.
    """
    if quiet or not is_lively(sys.stderr):
        yield lambda _state: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[told]}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(label, total=None, told="preparing")

        def show(state: State) -> None:
            progress.update(task, total=state.total, completed=state.found + state.done, told=progress_text(state))

        yield show


@contextmanager
def in_cell(label: str) -> Iterator[Callable[[float | State], None]]:
    """A bar below the cell of a notebook, for a share done or for many runs; returns its setter.

    It appears once the work has taken ``SHOWN_AFTER_S``, and is gone at the end.
    """
    from IPython.display import HTML, display

    began = time.monotonic()
    drawn = 0.0
    handle = None

    def show(done: float | State) -> None:
        nonlocal drawn, handle
        now = time.monotonic()
        if now - began < SHOWN_AFTER_S or now - drawn < DRAWN_EVERY_S:
            return
        drawn = now
        shown = HTML(bar_html(label, done))
        if handle is None:
            handle = display(shown, display_id=True)
        else:
            handle.update(shown)

    try:
        yield show
    finally:
        if handle is not None:
            handle.update(HTML(""))


def bar_html(label: str, done: float | State) -> str:
    """The bar: its label, how much is done, and for many runs the rest of what is known."""
    if isinstance(done, float | int):
        share, words = float(done), f"{100 * done:.0f} %"
    else:
        share, words = (done.found + done.done) / max(done.total, 1), progress_text(done)
    bar = f'<progress value="{share:.4f}" max="1" style="width:16em;vertical-align:middle"></progress>'
    return f"<div>{escape(label)} {bar} {escape(words)}</div>"


def progress_text(state: State) -> str:
    """``37 of 200 done, 4 running, 1 failed, 12.3/s, 0:14 left``."""
    parts = [f"{state.found + state.done:,} of {state.total:,} done", f"{state.running} running"]
    if state.failed:
        parts.append(f"{state.failed} FAILED")
    if state.done:
        left_s = round((state.total - state.found - state.done - state.failed) / state.rate)
        hours, minutes, seconds = left_s // 3600, left_s // 60 % 60, left_s % 60
        clock = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
        parts += [f"{state.rate:.3g}/s", f"{clock} left"]
    return ", ".join(parts)

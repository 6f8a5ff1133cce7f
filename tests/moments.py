"""Chosen moments: a test never guesses a duration, but holds the process under test, or waits for its report.

A process with one of these environments imports `hold/sitecustomize.py` first, and so do its workers.
"""

from __future__ import annotations

import os
import select
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HANGS_S = 1200
"""Seconds after which a test counts as hanging. It turns a hang into a failure, and is far beyond what any test takes
on a machine that is loaded; nothing else in the tests depends on time."""

HOLD = str(Path(__file__).parent / "hold")
MID_RUN = "test.run * 1"
"""The moment at which the first run is active."""
FIRST_SEGMENT_STORED = "open */segments 1"
"""The first segment is in its place; next, the directory is opened to sync it, which no other code does."""


def python_path(folder: str | Path) -> str:
    """The PYTHONPATH of a process that finds modules in ``folder`` first, and Penstock where these tests find it."""
    return os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])


def held_at(moment: str) -> dict[str, str]:
    """The environment of a process that stops at a moment, as "os.rename */plan.parquet 2": see `sitecustomize.py`."""
    return {**os.environ, "PYTHONPATH": python_path(HOLD), "MOMENT": moment}


def wait_until_held(process: subprocess.Popen[Any]) -> None:
    """Return when a process has stopped at its moment; fails if the process ends before."""
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status), f"the process was over before its moment came: {status}"


class Running:
    """The active runs in the processes with this ``environment``, from their own reports."""

    def __init__(self, folder: Path) -> None:
        path = folder / "running"
        os.mkfifo(path)
        self.pipe = os.open(path, os.O_RDWR)  # to write too: a pipe without a writer would read as ended
        self.environment = {**os.environ, "PYTHONPATH": python_path(HOLD), "RUNNING": str(path)}

    def wait_for(self, runs: int, process: subprocess.Popen[str] | None = None) -> None:
        """Return when so many runs are active; fails if the process prints something or ends before."""
        pipes: list[Any] = [self.pipe]
        if process is not None:
            pipes.append(process.stderr)
        while runs > 0:
            ready, _, _ = select.select(pipes, [], [])
            if self.pipe in ready:
                runs -= len(os.read(self.pipe, runs))
            elif process is not None and process.stderr is not None:
                raise AssertionError(f"instead of running: {process.stderr.read()}")

    def close(self) -> None:
        """Free the pipe."""
        os.close(self.pipe)


@contextmanager
def started(command: Sequence[object], **options: Any) -> Iterator[subprocess.Popen[str]]:
    """A process with pipes, in its own session, which is killed if the test does not finish.

    Its workers share the pipes, so these read as ended once the workers have ended too.
    """
    with subprocess.Popen(
        list(map(str, command)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
        **options,
    ) as process:
        try:
            yield process
        finally:
            process.kill()

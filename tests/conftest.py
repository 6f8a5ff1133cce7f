"""What several test files need: a small scenario, and a way to run the command as a user does."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from penstock import Scenario

# A process started in the background of a shell ignores Ctrl-C, and so do its children; these tests are about it.
signal.signal(signal.SIGINT, signal.default_int_handler)

SMALL = """\
title = "Two groups on one line"
duration = "2 s"

[line.trunk]
between = ["left", "right"]
rate = "2 Mb/s"
delay = "5 ms"
queues = [{ drop_tail = { size = "50 cells" } }]

[flow.steady]
count = 2
path = ["left", "right"]
traffic.cbr = { rate = "300 kb/s" }

[flow.random]
path = ["left", "right"]
traffic.poisson = { rate = "1 Mb/s" }
"""


Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def small_text() -> str:
    """A scenario that takes milliseconds to run."""
    return SMALL


@pytest.fixture(scope="session")
def small(small_text: str) -> Scenario:
    """The same, read."""
    return Scenario.parse(small_text, name="small")


@pytest.fixture
def small_file(small_text: str, tmp_path: Path) -> Path:
    """The same as a file."""
    path = tmp_path / "small.toml"
    path.write_text(small_text, encoding="utf-8")
    return path


@pytest.fixture
def penstock(tmp_path: Path) -> Command:
    """Runs ``python -m penstock`` with the given arguments, in an empty directory."""

    def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "penstock", *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, **environment},
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    return run

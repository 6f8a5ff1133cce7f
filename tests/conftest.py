"""Fixtures of several test files: a small scenario, and a way to run the command as a user does."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from browser import Browser, browser
from moments import HANGS_S
from studio_page import playwright_browser, studio, studio_address

from penstock import Scenario, Task
from penstock.cli import main
from penstock.execute import worker
from penstock.execute.store import Store
from penstock.execute.worker import Outcome

__all__ = ["playwright_browser", "studio", "studio_address"]  # fixtures

# A process started in the background of a shell ignores Ctrl-C, and so do its children; these tests are about it.
signal.signal(signal.SIGINT, signal.default_int_handler)

# pytest-xdist gives its processes the width of a terminal; what no terminal reads has no width.
os.environ.pop("COLUMNS", None)

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


SLOWEST = (
    "signals",
    "atn_reference",
    "search",
    "sweep",
    "cli_experiments",
    "cluster",
    "bad_input_files",
    "plot_files",
    "study_readings",
    "verify",
)
"""The files that take longest, first: with whole files to each process, none has such a file left at the end."""

Command = Callable[..., subprocess.CompletedProcess[str]]
Action = Callable[[], object]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts the slowest files first; the rest keep their order."""
    places = {f"test_{name}": place for place, name in enumerate(SLOWEST)}
    items.sort(key=lambda item: places.get(item.path.stem, len(places)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Ends a test that hangs, and repeats this each minute if something catches the failure."""
    if not hasattr(signal, "SIGALRM") or item.get_closest_marker("long"):
        return (yield)

    def give_up(_number: int, _frame: object) -> None:
        pytest.fail(f"it has not ended after {HANGS_S} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, HANGS_S, 60)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


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


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for the tests of a file."""
    with browser(tmp_path_factory.mktemp("profile")) as made:
        yield made


@pytest.fixture
def penstock(request: pytest.FixtureRequest) -> Command:
    """Runs ``python -m penstock`` with the given arguments, in an empty directory.

    A file or a test marked ``in_process`` starts no interpreter: it only reads what the command prints.
    """
    is_here = request.node.get_closest_marker("in_process")
    command: Command = request.getfixturevalue("penstock_in_process" if is_here else "penstock_in_new_process")
    return command


@pytest.fixture
def penstock_in_new_process(tmp_path: Path) -> Command:
    """Starts an interpreter also in a file marked ``in_process``: for tests about the process itself."""

    def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "penstock", *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, **environment},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    return run


@pytest.fixture
def penstock_in_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Command:
    """Does the same without a new interpreter: for tests that only read what the command prints."""

    def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        texts = [str(argument) for argument in arguments]
        with monkeypatch.context() as patched:
            patched.chdir(tmp_path)
            for name, value in environment.items():
                patched.setenv(name, value)
            capfd.readouterr()
            status = main(texts)
            printed = capfd.readouterr()
        return subprocess.CompletedProcess(texts, status, printed.out, printed.err)

    return run


@pytest.fixture
def after_runs(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, Action], None]:
    """Calls an action right after so many runs have ended in this process (``jobs = 1``)."""
    simulate = worker.simulate

    def do_after(count: int, action: Action) -> None:
        ended = 0

        def counted(task: Task, watch: Callable[[float], None]) -> Outcome:
            nonlocal ended
            outcome = simulate(task, watch)
            ended += 1
            if ended == count:
                action()
            return outcome

        monkeypatch.setattr("penstock.execute.worker.simulate", counted)

    return do_after


@pytest.fixture
def after_first_segment(monkeypatch: pytest.MonkeyPatch) -> Callable[[Action], None]:
    """Calls an action right after the first segment was stored: that of one run, while others are active."""
    append = Store.append

    def do_after(action: Action) -> None:
        stored = 0

        def counted(store: Store, results: list[tuple[Task, Outcome]]) -> None:
            nonlocal stored
            append(store, results)
            stored += 1
            if stored == 1:
                action()

        monkeypatch.setattr(Store, "append", counted)

    return do_after

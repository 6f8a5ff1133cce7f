"""Every block of README and of the documentation does what it says: it runs, and prints what is shown.

In `make test` each block is read: commands and their scenarios exist, files are valid, Python has no unknown names. The
blocks of quick pages run there too, those of the others in `make test-long`. `python tests/documented.py` lists them.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from conftest import Command
from documented import OTHERS, PAGES, ROOT, Session, blocks_of, other_of, partition
from documented_others import STARTS

from penstock import League, Scenario
from penstock.cli import parser

BLOCKS = {str(page.relative_to(ROOT)): blocks for page in PAGES if (blocks := blocks_of(page))}
QUICK = {
    "docs/guides/control-scheme.md",
    "docs/guides/minimum-rates.md",
    "docs/guides/networks.md",
    "docs/guides/tcp-over-atm.md",
    "docs/guides/tcp.md",
    "docs/guides/traces.md",
    "docs/guides/video.md",
    "docs/index.md",
}
"""Pages whose blocks take less than a second each."""


@pytest.fixture
def session(
    penstock_in_process: Command,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Session]:
    """A reader in an empty directory, with the file of the tutorial."""

    def printed_by(act: Callable[[], object]) -> str:
        capfd.readouterr()
        act()
        return capfd.readouterr().out

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PENSTOCK_TRACES", str(tmp_path / "traces"))
    monkeypatch.setattr("webbrowser.open", lambda _address: True)
    (tmp_path / "first.toml").write_text((ROOT / "docs" / "first.toml").read_text(encoding="utf-8"), encoding="utf-8")
    with ExitStack() as stack:
        yield Session(tmp_path, penstock_in_process, printed_by, stack)


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=() if page in QUICK else pytest.mark.long, id=page) for page in BLOCKS]
)
def test_the_blocks_of_a_page_run_one_after_the_other(page: str, session: Session) -> None:
    if start := STARTS.get(page.removeprefix("docs/")):
        start(session)
    for block in BLOCKS[page]:
        session.run(block)


def test_what_is_declared_for_a_block_has_its_block() -> None:
    found = {(each.page, each.first) for blocks in BLOCKS.values() for block in blocks if (each := other_of(block))}
    assert {(each.page, each.first) for each in OTHERS} == found


def test_there_is_no_other_kind_of_block() -> None:
    assert {block.kind for blocks in BLOCKS.values() for block in blocks} == {
        *("python", "sh", "toml", "text", "json", "sql")
    }
    assert sum(map(len, BLOCKS.values())) > 120


def test_the_python_of_the_pages_has_no_unknown_names(tmp_path: Path) -> None:
    for page, blocks in BLOCKS.items():
        file = tmp_path / page.replace("/", ".") / "page.py"
        file.parent.mkdir()
        file.write_text("".join(block.text for block in blocks if block.kind == "python"), encoding="utf-8")
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F821,F823,E9", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


COMMANDS = [
    pytest.param(line, id=f"{block.place} {line}")
    for blocks in BLOCKS.values()
    for block in blocks
    if block.kind == "sh"
    for line in block.commands
    if "penstock " in line
]


@pytest.mark.parametrize("line", COMMANDS)
def test_each_command_has_known_options_and_scenarios(line: str) -> None:
    words = shlex.split(line[line.index("penstock ") :], comments=True)[1:]
    options = parser().parse_args(next(partition(tuple(words))))
    for name in [getattr(options, "scenario", None), *getattr(options, "scenarios", [])]:
        if name and "/" in name:
            Scenario.load(name)
    league = getattr(options, "league", None)
    if league and not league.endswith(".toml"):  # a file is one of the page
        League.load(options.league)

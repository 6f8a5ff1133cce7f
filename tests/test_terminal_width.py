"""Tables and sentences fit the terminal, through every command that prints some, and hide nothing."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import struct
import termios
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
from test_league import LEAGUE
from test_search import CONSTANT
from test_sweep import SWEEP

from penstock.cli import main
from penstock.show.study import telling
from penstock.show.terminal import WITHOUT_INTERVAL, Column, columns, folded, print_table, wide
from penstock.studies.claims import Finding

if TYPE_CHECKING:
    from penstock.studies.claims import Verdict

GUIDE = Path(__file__).resolve().parent.parent / "docs" / "guides" / "loss"
WIDTHS = (60, 80, 100, 200)
LIMIT = "steady.loss_ratio > 0.2"
SEARCH = ["--maximise", "steady.throughput_bps", "--over", "flow.steady.count=8..14", "--subject-to", LIMIT]
COMMANDS: dict[str, list[str]] = {
    "run": ["run", "small.toml", "--replications", "2", "--jobs", "1"],
    "run --at": ["run", "small.toml", "--at", "1 s"],
    "run --at --show readings": ["run", "small.toml", "--at", "1 s", "--show", "readings"],
    "run --until-first-loss": ["run", "satellite/1-case-1", "--until-first-loss"],
    "check --admission": ["check", "satellite/1-case-2", "--admission"],
    "sweep": ["sweep", "rates.toml", "--out", "sweep", "--jobs", "1"],
    "compare": ["compare", "small.toml", "slow.toml", "--replications", "2", "--out", "compare", "--jobs", "1"],
    "league": ["league", "league.toml", "--replications", "2", "--out", "league", "--jobs", "1"],
    "search": ["search", "constant.toml", *SEARCH, "--trials", "4", "--out", "search", "--jobs", "1"],
    "capacity": [
        *("capacity", "constant.toml", "--of", "flow.steady.count=8..20", "--until", LIMIT),
        *("--out", "capacity", "--jobs", "1"),
    ],
    "reproduce": ["reproduce", "loss", "--seeds", "2", "--out", "study", "--jobs", "1"],
    "verify": ["verify", "--quick", "--jobs", "1"],
    "runs list": ["runs", "list", "sweep"],
    "scenarios": ["scenarios"],
    "schemes": ["schemes"],
    "networks": ["networks"],
}
STORED = {"sweep", "compare", "league", "search", "capacity", "reproduce"}
"""Commands that find their runs when they are given again."""
SLOW = {"verify", "reproduce"}

Printed = Callable[..., list[str]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, small_text: str) -> Path:
    """A folder with scenarios, in which the runs of each experiment are kept."""
    made = tmp_path_factory.mktemp("width")
    files = {
        "small": small_text,
        "slow": small_text.replace('rate = "2 Mb/s"', 'rate = "1.2 Mb/s"'),
        "rates": small_text + SWEEP,
        "constant": CONSTANT,
        "league": LEAGUE,
    }
    for name, text in files.items():
        (made / f"{name}.toml").write_text(text, encoding="utf-8")
    (made / "loss").symlink_to(GUIDE)
    return made


@pytest.fixture
def printed(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Printed:
    """The lines of a command on standard output and standard error, in a terminal of that width (None: in a pipe)."""

    def lines(name: str, width: int | None, *more: str) -> list[str]:
        monkeypatch.chdir(folder)
        monkeypatch.delenv("COLUMNS", raising=False)
        if width is not None:
            monkeypatch.setenv("COLUMNS", str(width))
        needed = [each for each in STORED if each in COMMANDS[name] and each != name]
        for each in (*needed, name):
            again = ["--resume"] if each in STORED and (folder / COMMANDS[each][-3]).exists() else []
            capsys.readouterr()
            assert main([*COMMANDS[each], *again, *(more if each == name else ())]) in (0, 1)
        told = capsys.readouterr()
        assert told.out
        return [*told.out.splitlines(), *told.err.splitlines()]

    return lines


def cases(widths: Sequence[int]) -> list[object]:
    """Every command with each width; those that draw figures again each time are quick in the narrowest alone."""
    return [
        pytest.param(
            name, width, marks=[pytest.mark.long] if name in SLOW or (name in STORED and width > WIDTHS[0]) else []
        )
        for name in COMMANDS
        for width in widths
    ]


@pytest.mark.parametrize(("name", "width"), cases(WIDTHS))
def test_no_line_is_longer_than_the_terminal(printed: Printed, name: str, width: int) -> None:
    long = [line for line in printed(name, width) if len(line) > width]
    assert not long


@pytest.mark.parametrize(("name", "width"), cases([60]))
def test_a_narrow_terminal_hides_no_word(printed: Printed, name: str, width: int) -> None:
    narrow = words(printed(name, width))
    wide = words(printed(name, None))
    if name not in ("run", "runs list", "reproduce"):  # they print times of the clock, or fewer rows
        assert wide <= narrow


def words(lines: Sequence[str]) -> set[str]:
    """All words but the rules below headings."""
    return {word for line in lines for word in line.split() if set(word) != {"-"}}


@pytest.mark.parametrize("name", ["run", "league", "sweep", "runs list"])
def test_a_pipe_and_wide_have_each_row_on_one_line(printed: Printed, name: str) -> None:
    piped = printed(name, None)
    assert max(map(len, piped)) > 60
    assert "--wide" not in "".join(piped)
    if name != "runs list":
        assert printed(name, 60, "--wide") == piped
    assert len(printed(name, 60, "--wide")) == len(piped)


def test_what_lacks_an_interval_is_said_once(printed: Printed) -> None:
    for name in ("sweep", "compare"):
        lines = printed(name, None)
        assert lines.count(WITHOUT_INTERVAL) == 1
        assert "too few for an interval" not in "".join(lines)


@pytest.mark.long
def test_the_screen_of_a_study_is_short(printed: Printed) -> None:
    lines = printed("reproduce", None)
    assert max(map(len, lines)) <= 100
    assert len(lines) < 30
    assert "of 5 claims" in lines[0]
    assert lines[1].startswith("Verdicts: ")
    assert any(line.startswith("Open study/report.html: 5 claims, and ") for line in lines)
    assert "figure" in " ".join(printed("reproduce", 60, "--wide"))


def test_the_most_telling_claims_begin_with_what_fails() -> None:
    verdicts = ["reproduced", "by construction", "not reproduced", "partly", "partly", "not reproduced", "reproduced"]
    figures = ["1", "1", "2", "3", "4", "5", "3, 4"]
    findings = [
        Finding(f"x.{number}", figure, 1.0, 1.0, None, None, 2, cast("Verdict", verdict))
        for number, (figure, verdict) in enumerate(zip(figures, verdicts, strict=True))
    ]
    assert [each.id for each in telling(findings)] == ["x.2", "x.5", "x.3", "x.6", "x.0"]
    assert [each.id for each in telling(findings[:2])] == ["x.0", "x.1"]


def test_the_width_is_that_of_the_terminal_unless_columns_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    end, terminal = pty.openpty()
    with os.fdopen(terminal, "w") as stream:
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 72, 0, 0))
        assert columns(stream) == 72
        assert columns(stream, 50) == 50
        with wide():
            assert columns(stream, 50) is None
        monkeypatch.setenv("COLUMNS", "90")
        assert columns(stream) == 90
        monkeypatch.setenv("COLUMNS", "1")
        assert columns(stream) == 40
        for wrong in ("", "0", "x", "-5", "²"):
            monkeypatch.setenv("COLUMNS", wrong)
            assert columns(stream) == 72
    os.close(end)
    monkeypatch.delenv("COLUMNS")
    assert columns(io.StringIO()) is None
    assert columns(io.StringIO(), 100) == 100


def test_a_command_stays_whole_where_it_fits() -> None:
    text = "continue with `penstock runs list out` after that"
    assert folded(text, 30) == "continue with\n`penstock runs list out` after\nthat"
    assert folded(text, 20) == "continue with\n`penstock runs list\nout` after that"
    assert folded(text, None) == text


def test_a_table_with_keys_wider_than_the_terminal_still_fits(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    headings: list[Column] = [
        ("a long name of a key", "key", str),
        ("value", "value", "{:,}".format),
        ("no", "no", str),
    ]
    print_table("A title", headings, [{"key": "k" * 90, "value": 12_345_678, "no": None}])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 40
    assert "".join(lines).count("k") >= 90
    assert any("12,345,678" in line for line in lines)

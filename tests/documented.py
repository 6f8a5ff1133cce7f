"""The blocks of README and of the documentation, and a session that runs those of one page one after the other.

``python tests/documented.py`` lists the blocks, and what the tests do with each.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    ROOT / "README.md",
    *sorted(ROOT.glob("docs/*.md")),
    *sorted(ROOT.glob("docs/guides/*.md")),
    *sorted(ROOT.glob("docs/studies/*.md")),
    *sorted(ROOT.glob("docs/models/*.md")),
]
FENCE = re.compile(r"( *)```(\S*)")
SHELL = re.compile(r"(?:penstock|python|make|dask|openssl|generate|zcat) |source \.venv")
"""How a command begins: an indented block that begins otherwise is a drawing."""
SAVED = re.compile(r"[Ss]ave this as `(\S+)`|\(`(\S+\.toml)`\):$")


@dataclass(frozen=True)
class Block:
    """A block of a page; ``before`` is the paragraph above it."""

    page: str
    line: int
    kind: str
    text: str
    before: str

    @property
    def first(self) -> str:
        """Its first line."""
        return self.text.partition("\n")[0].strip()

    @property
    def place(self) -> str:
        """The page and the line of it."""
        return f"{self.page}:{self.line}"

    @property
    def commands(self) -> list[str]:
        """Its lines, with those that go on joined."""
        lines = self.text.replace("\\\n", " ").splitlines()
        return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def blocks_of(page: Path) -> list[Block]:
    """All blocks of a page that say something to do, to write or to expect: not its drawings, not what it includes."""
    name, lines = str(page.relative_to(ROOT)).removeprefix("docs/"), page.read_text(encoding="utf-8").splitlines()
    found, at = [], 0
    while at < len(lines):
        start = at + 1
        if fence := FENCE.match(lines[at]):
            at = next(number for number in range(start, len(lines)) if lines[number].strip() == "```")
            kind, body, at = fence[2], lines[start:at], at + 1
        elif lines[at].startswith("    ") and not lines[at - 1].strip():
            while at < len(lines) and (lines[at].startswith("    ") or not lines[at].strip()):
                at += 1
            kind, body = "sh", lines[start - 1 : at]
            if not SHELL.match(body[0].strip()):
                continue
        else:
            at += 1
            continue
        if not kind.startswith("{"):
            text = textwrap.dedent("\n".join(body)).strip("\n") + "\n"
            found.append(Block(name, start, kind, text, _paragraph(lines, start - 1)))
    return found


def _paragraph(lines: list[str], end: int) -> str:
    above = "\n".join(lines[:end]).rstrip()
    return above.rpartition("\n\n")[2]


Act = Callable[["Session", Block], None]


@dataclass(frozen=True)
class Other:
    """What is done with a block that is no plain one: ``why`` tells it in the list."""

    page: str
    first: str
    act: Act
    why: str


OTHERS: list[Other] = []


def other(page: str, *firsts: str, why: str) -> Callable[[Act], Act]:
    """Declare what is done with the blocks of a page that begin so."""

    def declare(act: Act) -> Act:
        OTHERS.extend(Other(page, first, act, why) for first in firsts)
        return act

    return declare


def other_of(block: Block) -> Other | None:
    """What is declared for this block, if it is no plain one."""
    return next((each for each in OTHERS if block.page == each.page and block.first.startswith(each.first)), None)


@dataclass
class Session:
    """A page in an empty directory: its files, the names of its Python, and what was printed last."""

    folder: Path
    command: Callable[..., subprocess.CompletedProcess[str]]
    printed_by: Callable[[Callable[[], object]], str]
    stack: ExitStack
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "documented"})
    instead: dict[str, str] = field(default_factory=dict)
    """Words of the page in whose place the session has others: an address, say."""
    files: list[str] = field(default_factory=list)
    printed: str = ""

    def run(self, block: Block) -> None:
        """Do what a reader would do with it."""
        text = block.text
        for word, own in self.instead.items():
            text = text.replace(word, own)
        acted = replace(block, text=text)
        if found := other_of(block):
            found.act(self, acted)
        else:
            getattr(self, block.kind)(acted)

    def python(self, block: Block) -> None:
        """Run it after the others of the page, and save one that is a file; one that is a program runs by itself."""
        if saved := SAVED.search(" ".join(block.before.split())):
            (self.folder / (saved[1] or saved[2])).write_text(block.text, encoding="utf-8")
        if "__name__" in block.text:
            file = self.folder / "program.py"
            file.write_text(block.text, encoding="utf-8")
            done = subprocess.run([sys.executable, file], cwd=self.folder, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            self.printed = done.stdout
            return
        code = compile("\n" * block.line + block.text, str(ROOT / block.page), "exec")
        self.printed = self.printed_by(lambda: exec(code, self.names))
        for said in re.findall(r"^print\(.*\)  # (\d.*|\{.*|\[.*)$", block.text, flags=re.MULTILINE):
            assert said in self.printed, f"{block.place}: {said} was not printed, but {self.printed}"

    def sh(self, block: Block) -> None:
        """Run each command."""
        self.printed = ""
        for line in block.commands:
            words = shlex.split(line, comments=True)
            if left_out(line):
                continue
            if "|" in words:
                self.pipe(line)
            elif words[0] == "penstock":
                self.penstock(*words[1:])
            else:
                refuse_unknown(words, block)

    def pipe(self, line: str) -> None:
        """Commands of a shell; ``generate`` writes a scenario, and ``tcpdump`` a capture."""
        files = "generate() { cat first.toml; }\ntcpdump() { cat uplink.pcap; }"
        own = f'{files}\npenstock() {{ {shlex.quote(sys.executable)} -m penstock "$@"; }}'
        done = subprocess.run(
            ["bash", "-c", f"{own}\n{line}"], cwd=self.folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        self.printed += done.stdout

    def penstock(self, *words: str, status: int = 0) -> None:
        """One command; ``> FILE`` writes what it prints, and ``>> FILE`` adds it."""
        arguments, sign, file = (list(part) for part in partition(words))
        done = self.command(*arguments)
        assert done.returncode == status, f"penstock {' '.join(words)}: {done.stderr}"
        if file:
            with (self.folder / file[0]).open("a" if sign == [">>"] else "w", encoding="utf-8") as opened:
                opened.write(done.stdout)
        self.printed += done.stdout + done.stderr

    def toml(self, block: Block) -> None:
        """A whole file is read, and its simulation begins."""
        if saved := SAVED.search(" ".join(block.before.split())):
            (self.folder / (saved[1] or saved[2])).write_text(block.text, encoding="utf-8")
        self.files.append(block.text)
        if "\nschemes = " in block.text:
            (self.folder / "league.toml").write_text(block.text, encoding="utf-8")
            self.penstock("check", "league.toml")
        else:
            self.begin(block.text)

    def begin(self, text: str) -> None:
        """Read the text of a scenario, and simulate its first 100 ms."""
        from penstock import Scenario, Simulation

        simulation = Simulation(Scenario.parse(text, name=str(self.folder / "documented")), seed=1, allow_python=True)
        simulation.run_until("100 ms")

    def text(self, block: Block) -> None:
        """It is what was printed last, or whole lines of it."""
        told, shown = (plain(each) for each in (self.printed, block.text))
        assert f"\n{shown}\n" in f"\n{told}\n", f"{block.place} shows\n{shown}\nbut printed was\n{told}"

    def message(self, block: Block) -> None:
        """It is a message that was printed, folded for the page."""
        told, shown = (" ".join(each.split()) for each in (self.printed, block.text))
        assert shown in told, f"{block.place} shows\n{shown}\nbut printed was\n{told}"

    def sql(self, block: Block) -> None:
        """Ask DuckDB."""
        import duckdb

        self.printed = str(duckdb.sql(block.text))

    def json(self, block: Block) -> None:
        """It is a row of what was printed as JSON, with four digits."""
        told = json.loads(self.printed, parse_float=lambda text: float(f"{float(text):.4g}"))
        assert json.loads(block.text) in (told if isinstance(told, list) else [told]), f"{block.place}: {told}"


def partition(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The words of a command, the sign behind them that leads to a file, and that file."""
    at = next((place for place, word in enumerate(words) if word in (">", ">>")), len(words))
    yield from (words[:at], words[at : at + 1], words[at + 1 :])


def refuse_unknown(words: list[str], block: Block) -> None:
    """What other commands need is there; they are of the machine or of the network, so they do not run."""
    if words[0] == "make":
        targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert words[1] in targets, f"{block.place}: there is no target {words[1]}"
    elif words[:4] == ["python", "-m", "pip", "install"]:
        assert f'"{words[4]}>=' in (ROOT / "pyproject.toml").read_text(encoding="utf-8"), f"{block.place}: {words[4]}"
    else:
        assert words == ["source", ".venv/bin/activate"], f"{block.place}: {' '.join(words)} is no known command"


def plain(text: str) -> str:
    """Without blanks at the ends of lines, and without empty lines at the ends."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")


LEFT_OUT = {
    r"penstock verify": "`tests/test_verify.py` runs it",
    r"penstock league (decades|standard)": "it takes minutes; the league of the guide runs",
    r"penstock sweep tcp_abr/": "it takes minutes; `tests/test_study_tcp_over_abr.py` runs a point of it",
    r"penstock reproduce ((becn|heirs|tcp-over-abr)\b|\w+-beyond\b|[\w-]+ +(?!.*--figure))": (
        "it takes minutes; `make demo`, `make test-long` and the guides run other parts of studies"
    ),
}
"""Commands that are only read, by how they begin, and why."""


def left_out(line: str) -> str:
    """Why this command does not run here; empty if it does."""
    return next((why for start, why in LEFT_OUT.items() if re.match(start, f"{line} ")), "")


def listed() -> Iterator[str]:
    """A line for each block: where it is, how it begins, and what is done with it."""
    import documented_others  # noqa: F401 - it declares what is done with blocks that are no plain ones

    plain_kinds = {
        "python": "runs",
        "sh": "runs",
        "toml": "begins to run",
        "text": "is compared with what was printed",
        "json": "is compared with what was printed",
        "sql": "runs",
    }
    for page in PAGES:
        for block in blocks_of(page):
            found = other_of(block)
            said = found.why if found else plain_kinds[block.kind]
            if block.kind == "sh" and not found:
                said = "; ".join(f"{line}: {_said_of(line)}" for line in block.commands)
            yield f"{block.place}: {block.kind}, {block.first[:60]!r}: {said}"


def _said_of(line: str) -> str:
    """What is done with a command."""
    if why := left_out(line):
        return f"is only read: {why}"
    return "runs" if "penstock " in line else "is there"


if __name__ == "__main__":
    import documented

    for line in documented.listed():  # not of __main__, which has declarations of its own
        print(line)

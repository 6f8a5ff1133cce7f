"""The native format of SNDlib (Orlowski, Pióro, Tomaszewski and Wessäly 2010): nodes, links and demands in sections.

    LINKS (
      L1 ( A B ) pre_installed_capacity pre_installed_cost routing_cost setup_cost ( capacity cost capacity cost ... )
    )

The sections META and ADMISSIBLE_PATHS and others are skipped. The format has no units.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from penstock.core.errors import InputError

HEADER = "?SNDlib native format"
TOKEN = re.compile(r"[()]|[^\s()]+")


@dataclass(frozen=True, slots=True)
class Link:
    """A link: its two nodes, its pre-installed capacity, and the capacity of its first module; None without one."""

    source: str
    target: str
    pre_installed: float
    module: float | None

    def attributes(self) -> dict[str, object]:
        """The capacities that are not zero."""
        found = {"pre_installed_capacity": self.pre_installed or None, "module_capacity": self.module or None}
        return {name: value for name, value in found.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Wish:
    """A demand, with the line of the file that it is on."""

    source: str
    target: str
    value: float
    line: int


class Native:
    """A file in this format. Raises :class:`InputError` if it has another form."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.nodes: dict[str, tuple[float, float]] = {}
        self.links: list[Link] = []
        self.demands: list[Wish] = []
        self.line = 1
        self.tokens: list[tuple[str, int]] = [
            (token, number)
            for number, line in enumerate(text.splitlines(), start=1)
            if not line.lstrip().startswith("?")
            for token in TOKEN.findall(line.partition("#")[0])
        ]
        self.place = 0
        readers = {"NODES": self.read_node, "LINKS": self.read_link, "DEMANDS": self.read_demand}
        while self.place < len(self.tokens):
            section = self.take()
            self.expect("(")
            if section not in readers:
                self.skip()
                continue
            while self.ahead() != ")":
                readers[section]()
            self.expect(")")

    def read_node(self) -> None:
        """`NAME ( longitude latitude )`."""
        name = self.take()
        self.expect("(")
        self.nodes[name] = (self.number(), self.number())
        self.expect(")")

    def read_link(self) -> None:
        """A link, as the head of this module shows it."""
        self.take()
        source, target = self.ends()
        pre_installed, *_ = [self.number() for _ in range(4)]
        self.expect("(")
        module = None if self.ahead() == ")" else self.number()
        self.skip()
        self.links.append(Link(source, target, pre_installed, module))

    def read_demand(self) -> None:
        """`NAME ( A B ) routing_unit value most_lines`."""
        self.take()
        line = self.line
        source, target = self.ends()
        unit, value = self.number(), self.number()
        self.take()
        self.demands.append(Wish(source, target, unit * value, line))

    def ends(self) -> tuple[str, str]:
        """`( A B )`: two nodes that are there."""
        self.expect("(")
        source, target = self.take(), self.take()
        for name in (source, target):
            if name not in self.nodes:
                raise self.refused(f"there is no node {name}", "name it in NODES, before LINKS and DEMANDS")
        self.expect(")")
        return source, target

    def ahead(self) -> str:
        """The next word, which stays."""
        if self.place == len(self.tokens):
            raise self.refused("the file ends inside a section", "is a part of it missing?")
        return self.tokens[self.place][0]

    def take(self) -> str:
        """The next word."""
        word = self.ahead()
        self.line = self.tokens[self.place][1]
        self.place += 1
        return word

    def expect(self, wanted: str) -> None:
        """A bracket."""
        if (word := self.take()) != wanted:
            raise self.refused(f'there is "{word}" instead of "{wanted}"', "compare the line with SNDlib's own files")

    def number(self) -> float:
        """The next word as a number."""
        word = self.take()
        try:
            return float(word)
        except ValueError:
            raise self.refused(f'"{word}" is not a number', "compare the line with SNDlib's own files") from None

    def skip(self) -> None:
        """The rest of these brackets."""
        depth = 1
        while depth:
            depth += {"(": 1, ")": -1}.get(self.take(), 0)

    def refused(self, reason: str, remedy: str) -> InputError:
        """The error of the line that was read last."""
        return InputError(reason, file=self.file, line=self.line, remedy=remedy)

"""The native format of SNDlib (Orlowski, Pióro, Tomaszewski and Wessäly 2010): nodes, links and demands in sections.

    META ( granularity = 15min  unit = MBITPERSEC  link-model = DIRECTED )
    LINKS (
      L1 ( A B ) pre_installed_capacity pre_installed_cost routing_cost setup_cost ( capacity cost capacity cost ... )
    )

Without `unit` in META the format has no units. Costs, further modules, ADMISSIBLE_PATHS and other sections are named
as not used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal

from penstock.core.errors import InputError
from penstock.importing.graph import Attributes, Demand, Edge, Graph
from penstock.importing.names import of_the_whole
from penstock.importing.words import Words

HEADER = "?SNDlib native format"
TOKEN = re.compile(r"[()=]|[^\s()=]+")
UNIT_KEY = "unit"
MODEL_KEYS = ("link-model", "linkmodel", "link_model")
DEMAND_KEYS = ("demand-model", "demandmodel", "demand_model")
DIRECTED, UNDIRECTED, BIDIRECTED = "DIRECTED", "UNDIRECTED", "BIDIRECTED"
UNLIMITED = "UNLIMITED"
REMEDY = "compare the line with SNDlib's own files"


def is_native(text: str) -> bool:
    """Whether a file has this format."""
    return text.lstrip().startswith(HEADER)


def read(text: str, file: str) -> Graph:
    """The network of a file. Raises :class:`penstock.InputError` if it has another form."""
    native = _Native(text, file)
    notes = [f"sections that are not used: {', '.join(native.skipped)}"] if native.skipped else []
    notes += [*limits_note(native.limits), *units_note(native.multiplied)]
    return graph_of(file, native.nodes, native.edges, native.demands, native.about, notes)


def graph_of(
    file: str,
    nodes: dict[str, Attributes],
    edges: list[Edge],
    demands: list[Demand],
    about: dict[str, str],
    notes: list[str],
) -> Graph:
    """The network of a file of SNDlib, in either of its formats. `about` is what the file says of itself."""
    unit = about.get(UNIT_KEY, "")
    of_links = _model(about, MODEL_KEYS, (DIRECTED, UNDIRECTED, BIDIRECTED), file)
    of_demands = _model(about, DEMAND_KEYS, (DIRECTED, UNDIRECTED), file)
    if demands and of_demands == UNDIRECTED:
        notes = [*notes, "demands: the file has them without a direction. They are from the source to the target."]
    notes = [*notes, *of_the_whole(key for key in about if key not in (UNIT_KEY, *MODEL_KEYS, *DEMAND_KEYS))]
    return Graph(
        file,
        nodes,
        edges,
        is_directed=of_links == DIRECTED,
        rates=[("pre_installed_capacity", unit), ("module_capacity", unit)],
        demands=demands,
        demand_unit=unit,
        notes=notes,
    )


def _model(about: Mapping[str, str], keys: Sequence[str], known: Sequence[str], file: str) -> str:
    """Whether links or demands have a direction, as the file says; empty if it does not."""
    said = {about[key].upper(): key for key in keys if key in about}
    for model, key in said.items():
        if len(said) > 1 or model not in known:
            reason = "there are two models" if len(said) > 1 else "there is no such model"
            value, remedy = " and ".join(about[each] for each in said.values()), f"write one of {', '.join(known)}"
            raise InputError(reason, path=key, value=value, file=file, remedy=remedy)
    return next(iter(said), "")


def link_attributes(values: Sequence[float], modules: Sequence[float]) -> Attributes:
    """The attributes of a link that are not zero: its four values, and those of the modules, each in their order."""
    names = ("pre_installed_capacity", "pre_installed_cost", "routing_cost", "setup_cost")
    found: dict[str, float] = dict(zip(names, values, strict=True))
    found |= zip(("module_capacity", "module_cost"), modules, strict=False)
    found["further_modules"] = max(0, len(modules) // 2 - 1)
    return {name: value for name, value in found.items() if value}


def times(unit: float, value: float) -> Decimal:
    """The rate of a demand of so many units, as the file writes the two: 3 x 0.1 is 0.3."""
    return Decimal(str(unit)) * Decimal(str(value))


def limits_note(count: int) -> list[str]:
    """That so many demands limit the lengths of their paths."""
    return [f"demands: limits of the lengths of paths, not used: {count:,}"] if count else []


def units_note(count: int) -> list[str]:
    """That the rates of so many demands are not the numbers of the file."""
    return [f"demands: rates that are their value times their routing unit: {count:,}"] if count else []


class _Native:
    """The sections of a file."""

    def __init__(self, text: str, file: str) -> None:
        lines = ((number, line.partition("#")[0]) for number, line in enumerate(text.splitlines(), start=1))
        self.words = Words(((number, line) for number, line in lines if line[:1] != "?"), TOKEN, file, REMEDY)
        self.nodes: dict[str, Attributes] = {}
        self.edges: list[Edge] = []
        self.demands: list[Demand] = []
        self.about: dict[str, str] = {}
        self.skipped: list[str] = []
        self.limits = self.multiplied = 0
        self.taken: set[tuple[str, str]] = set()
        readers = {
            "META": self.read_keys,
            "NODES": self.read_node,
            "LINKS": self.read_link,
            "DEMANDS": self.read_demand,
        }
        while self.words.has_more():
            section = self.once("section", "write all of it into one")
            self.words.expect("(")
            if section not in readers:
                self.skipped.append(section)
                self.skip()
                continue
            while self.words.ahead() != ")":
                readers[section]()
            self.words.expect(")")

    def once(self, kind: str, remedy: str = "") -> str:
        """The next word, a name that nothing else of this kind may have."""
        name = self.words.take()
        if (kind, name) in self.taken:
            raise self.words.refused(f"there are two {kind}s {name}", remedy or f"give each {kind} its own name")
        self.taken.add((kind, name))
        return name

    def read_keys(self) -> None:
        """All of META: `name = value`, where a value may have several words; words before a name say nothing."""
        name, said = "", list[str]()
        while self.words.ahead() != ")":
            if (word := self.words.take()) != "=":
                said.append(word)
                continue
            if not said:
                raise self.words.refused("there is no name before this =", "write name = value")
            name = self.say(name, said[:-1], said[-1])
            said = []
        self.say(name, said)

    def say(self, name: str, said: Sequence[str], then: str = "") -> str:
        """Keeps what META says of a name, and returns the name that comes then, in small letters."""
        if not name:
            self.about |= dict.fromkeys(said, "")
        elif not said:
            raise self.words.refused(f"the key {name} has no value", "delete it, or write name = value")
        elif name in self.about:
            raise self.words.refused(f"there are two keys {name}", "delete one of the two")
        else:
            self.about[name] = " ".join(said)
        return then.lower()

    def read_node(self) -> None:
        """`NAME ( longitude latitude )`."""
        name = self.once("node")
        self.words.expect("(")
        self.nodes[name] = {"longitude": self.words.number(), "latitude": self.words.number()}
        self.words.expect(")")

    def read_link(self) -> None:
        """A link, as the head of this module shows it."""
        self.once("link")
        source, target = self.ends()
        values = [self.words.number() for _ in range(4)]
        self.words.expect("(")
        modules = []
        while self.words.ahead() != ")":
            modules.append(self.words.number())
        if len(modules) % 2:
            raise self.words.refused("a module has no cost", "write ( capacity cost capacity cost ... )")
        self.words.expect(")")
        self.edges.append(Edge(source, target, link_attributes(values, modules)))

    def read_demand(self) -> None:
        """`NAME ( A B ) routing_unit value most_lines`."""
        self.once("demand")
        line = self.words.line
        source, target = self.ends()
        unit, value = self.words.number(), self.words.number()
        self.multiplied += unit != 1
        self.limits += self.words.take().upper() != UNLIMITED
        self.demands.append(Demand(source, target, times(unit, value), line))

    def ends(self) -> tuple[str, str]:
        """`( A B )`: two nodes that are there."""
        self.words.expect("(")
        source, target = self.words.take(), self.words.take()
        for name in (source, target):
            if name not in self.nodes:
                raise self.words.refused(f"there is no node {name}", "name it in NODES, before LINKS and DEMANDS")
        self.words.expect(")")
        return source, target

    def skip(self) -> None:
        """The rest of these brackets."""
        depth = 1
        while depth:
            depth += {"(": 1, ")": -1}.get(self.words.take(), 0)

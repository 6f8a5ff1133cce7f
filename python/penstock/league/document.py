"""The file of a league: its keys, and the scenario of each network under each traffic and scheme.

title = "..."
schemes = ["erica", { name = "erica, 80 %", scheme.erica.target = 0.8 }]      # or "all"
replications = 5
seed = 1
[with.stream]        # what the schemes of a transport change: here those of byte streams
defaults.flow.octets = 1460
[networks.lan]       # a part of a scenario: lines, times
path = [...]         # the path of those flows of a traffic that name none
[traffics.mixed]     # a part of a scenario: what the flows send, further flows
[networks.lan.traffics.mixed]   # what is different under this traffic on this network
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any

from penstock.core.errors import InputError, did_you_mean, near_or_listed, whole_number
from penstock.core.scenario import Scenario, line_of, read, scheme_label, schemes, stem, with_values
from penstock.core.texts import SCENARIO, TextKind, read_file_of

LEAGUE = TextKind("a league file", SCENARIO.largest, SCENARIO.too_large, "give a league file in TOML, saved as UTF-8")
KEYS: Mapping[str, type | tuple[type, ...]] = {
    "title": str,
    "schemes": (str, list),
    "with": dict,
    "replications": int,
    "seed": int,
    "networks": dict,
    "traffics": dict,
}
CLASS = "python"
"""The scheme that is a class in a file of the user."""
OF_LEAGUES = {"schemes", "networks", "traffics"}
ALL = "all"
NO_FILE = "there is no such file"
REPLICATIONS = 5
OWN = ("file", "path", "traffics")
"""The keys of a network that are not those of a scenario."""
PARTS = ("traffic", "transport", "scheme", "reaction_point", "notification_point", "congestion_point")
EXAMPLE = 'schemes = ["none", "erica"]'

Tree = dict[str, Any]


def is_league(source: str) -> bool:
    """Whether this is the file of a league, or the name of a ready one: it has a key that no scenario has."""
    if os.path.exists(source):  # noqa: PTH110 - a name that can be none is False, not an error
        try:
            return bool(OF_LEAGUES & set(tomllib.loads(read_file_of(Path(source), LEAGUE))))
        except (InputError, tomllib.TOMLDecodeError, RecursionError):
            return False  # whoever reads it tells what is wrong
    return source.removesuffix(".toml") in ready_leagues()


@dataclass(frozen=True, slots=True)
class Entrant:
    """A scheme in a league: its name there, the scheme as in a scenario, and what it changes beside."""

    name: str
    scheme: str | Mapping[str, object]
    changes: Mapping[str, object]

    @property
    def keyword(self) -> str:
        """The keyword of the scheme."""
        return self.scheme if isinstance(self.scheme, str) else next(iter(self.scheme))


def transport_of(keyword: str) -> str:
    """The transport that a scheme brings, or ``""``. A class in Python controls byte streams."""
    return "stream" if keyword == CLASS else schemes()[keyword].transport


@dataclass(frozen=True, slots=True)
class Document:
    """A league as its file says, checked as far as it is not a part of a scenario."""

    tree: Tree
    text: str = ""
    file: str = ""
    settings: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def load(cls, source: str | Path, settings: Mapping[str, object] = MappingProxyType({})) -> Document:
        """Read a league file, or a ready league by its name, and change the values of some paths.

        Raises :class:`InputError`.
        """
        name = str(source)
        ready = ready_leagues()
        known = name.removesuffix(".toml")
        if known in ready and not Path(source).exists():
            text = ready[known]
        else:
            try:
                text = read_file_of(Path(source), LEAGUE)
            except InputError as error:
                if error.reason != NO_FILE:
                    raise
                remedy = did_you_mean(name, ready) or f"the ready leagues are {', '.join(ready)}"
                reason = f"{NO_FILE}, and no ready league of that name"
                raise InputError(reason, value=name, remedy=remedy) from None
        try:
            tree = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise InputError(f"this is not TOML: {error}", file=name, remedy="correct it there") from None
        document = cls(in_order_of(tree, with_values(tree, settings)), text, name, settings)
        document.read_classes()
        return document.checked()

    def read_classes(self) -> None:
        """Take the texts of its classes in Python into the tree: a stored league needs no file of them."""
        from penstock.core.classes import complete  # few leagues have one

        try:
            complete(self.tree, self.file)
        except InputError as error:
            raise self.error(error.reason, error.path, error.value, error.remedy) from None

    @property
    def name(self) -> str:
        """Its name: that of its file, else its title."""
        return stem(self.file) if self.file else str(self.tree.get("title", "league"))

    @property
    def title(self) -> str:
        """Its title, or else its name."""
        return str(self.tree.get("title") or self.name)

    @property
    def networks(self) -> Mapping[str, Tree]:
        """The networks by name."""
        networks: Mapping[str, Tree] = self.tree["networks"]
        return networks

    @property
    def traffics(self) -> Mapping[str, Tree]:
        """The kinds of traffic by name; without any, one without a name: what the networks themselves say."""
        traffics: Mapping[str, Tree] = self.tree.get("traffics") or {"": {}}
        return traffics

    @property
    def replications(self) -> int:
        """The number of runs of each scheme in each case."""
        return whole_number(self.tree.get("replications", REPLICATIONS), "replications", 1, 100_000)

    @property
    def seed(self) -> int:
        """The seed of all runs."""
        return whole_number(self.tree.get("seed", 1), "seed", 0, 2**64 - 1)

    def error(self, reason: str, path: str, value: object = "", remedy: str = "") -> InputError:
        """An error at a place of the file."""
        line = line_of(self.text, path) if self.text else None
        return InputError(reason, path=path, value=value, remedy=remedy, file=self.file, line=line)

    def checked(self) -> Document:
        """Itself, with the files of its networks read into it. Raises :class:`InputError`."""
        for key, value in self.tree.items():
            if key not in KEYS:
                remedy = did_you_mean(key, KEYS) or f"a league has {', '.join(KEYS)}"
                raise self.error(f"there is no key `{key}` in a league", key, remedy=remedy)
            if not isinstance(value, KEYS[key]) or isinstance(value, bool):
                told = " or ".join(NAMES[each] for each in _types(KEYS[key]))
                raise self.error(f"this must be {told}", key, repr(value), "correct it there")
        for key, remedy in (("schemes", EXAMPLE), ("networks", "write a table as [networks.lan]")):
            if not self.tree.get(key):
                raise self.error(f"a league needs {key}", key, remedy=remedy)
        tables = [("networks", name, table) for name, table in self.networks.items()]
        tables += [(key, name, table) for key in ("traffics", "with") for name, table in self.tree.get(key, {}).items()]
        for kind, name, table in tables:
            if not isinstance(table, dict):
                raise self.error("this must be a table", f"{kind}.{name}", repr(table), f"write [{kind}.{name}]")
        for name, network in self.networks.items():
            own = network.get("traffics", {})
            if not isinstance(own, dict):
                raise self.error("this must be a table", f"networks.{name}.traffics", repr(own), "write it as a table")
            for traffic in own:
                if traffic not in self.traffics:
                    path = f"networks.{name}.traffics.{traffic}"
                    known = self.tree.get("traffics", {})
                    add = "" if known else f": write [traffics.{traffic}], or its keys into [networks.{name}]"
                    remedy = f"{near_or_listed(traffic, known)}{add}"
                    raise self.error("the league has no such traffic", path, remedy=remedy)
        known = dict.fromkeys(filter(None, (transport_of(each.keyword) for each in self.entrants())))
        for name in self.tree.get("with", {}):
            if name not in known:
                remedy = did_you_mean(name, known) or (f"they have {', '.join(known)}" if known else "leave it out")
                raise self.error("no scheme of the league has such a transport", f"with.{name}", remedy=remedy)
        tree = {**self.tree, "networks": {name: self._whole(name) for name in self.networks}}
        return Document(tree, *self.place)

    @property
    def place(self) -> tuple[str, str, Mapping[str, object]]:
        """Its text, the name of its file, and what was changed in it."""
        return self.text, self.file, self.settings

    def entrants(self) -> list[Entrant]:
        """The schemes of the league. Raises :class:`InputError` for an unknown one, and for fewer than two."""
        given = list(schemes()) if self.tree["schemes"] == ALL else self.tree["schemes"]
        if isinstance(given, str):
            raise self.error("this must be a list, or all", "schemes", given, EXAMPLE)
        found: dict[str, Entrant] = {}
        for place, each in enumerate(given):
            one = self._entrant(each, f"schemes[{place}]")
            if one.name in found:
                remedy = 'give one of them another name: { name = "...", scheme = "..." }'
                raise self.error("this name is given twice", f"schemes[{place}]", one.name, remedy)
            found[one.name] = one
        if len(found) < 2:
            told = ", ".join(found)
            raise self.error("a league needs two schemes or more", "schemes", told, f'add one, as {EXAMPLE}, or "all"')
        return list(found.values())

    def _entrant(self, given: object, path: str) -> Entrant:
        if isinstance(given, str):
            given = {"name": given, "scheme": given}
        if not isinstance(given, Mapping) or not {"scheme"} <= set(given) <= {"name", "scheme", "with"}:
            example = '{ name = "erica, 80 %", scheme.erica.target = 0.8, with.warm_up = "1 s" }'
            raise self.error("this is no scheme", path, repr(given), f"write its name, or a table as {example}")
        scheme = given["scheme"]
        keywords = [scheme] if isinstance(scheme, str) else list(scheme) if isinstance(scheme, Mapping) else []
        for keyword in keywords:
            if keyword != CLASS and keyword not in schemes():
                remedy = near_or_listed(str(keyword), schemes())
                raise self.error("there is no such scheme", path, keyword, remedy)
        name = given.get("name", scheme_label(scheme) or next(iter(keywords), ""))
        changes = given.get("with", {})
        if len(keywords) != 1 or not isinstance(name, str) or not isinstance(changes, Mapping):
            raise self.error("this is no scheme", path, repr(given), "give one scheme, and its name as text")
        if keywords == [CLASS] and "name" not in given:
            raise self.error("a class has no name by itself", path, repr(given), 'name it, as name = "Gentle"')
        if name in schemes() and name != keywords[0]:
            remedy = f'give it a name that is no scheme, as name = "{keywords[0]}, other"'
            raise self.error(f"`{name}` is another scheme than `{keywords[0]}`", f"{path}.name", name, remedy)
        of_transport = self.tree.get("with", {}).get(transport_of(keywords[0]), {})
        return Entrant(name, scheme, merged(of_transport, changes))

    def _whole(self, name: str) -> Tree:
        """A network with its file read into it; a file is relative to the folder of the league's own."""
        network = self.networks[name]
        if "file" not in network:
            return network
        file, place = network["file"], f"networks.{name}.file"
        if not isinstance(file, str):
            raise self.error("this must be text", place, repr(file), 'name a scenario, as file = "net.toml"')
        beside = Path(self.file).parent / file
        source = beside if beside.exists() else file
        try:
            text = read(source)
        except InputError as error:
            raise self.error(error.reason, place, file, error.remedy) from None
        tree = Scenario.parse(text, name=str(source)).with_({"sweep": None}).tree
        base = with_own_defaults(tree, tomllib.loads(text))
        return merged(base, {key: value for key, value in network.items() if key != "file"})

    def tree_of(self, network: str, traffic: str) -> Tree:
        """The scenario of a network under a traffic, without a scheme. Raises :class:`InputError`."""
        whole = self.networks[network]
        lines = {key: value for key, value in whole.items() if key not in OWN}
        tree = merged(merged(lines, self.traffics[traffic]), whole.get("traffics", {}).get(traffic, {}))
        flows = tree.get("flow", {})
        for name, flow in flows.items() if isinstance(flows, dict) else ():
            if isinstance(flow, dict) and not {"path", "from"} & flow.keys():
                if "path" not in whole:
                    remedy = f'give it a path, or write path = ["...", "..."] in [networks.{network}]'
                    raise self.error(f'the flows "{name}" have no path here', f"networks.{network}", remedy=remedy)
                flow["path"] = whole["path"]
        titles = [str(part["title"]) for part in (whole, self.traffics[traffic]) if "title" in part]
        return {**tree, "title": ", ".join(titles)}

    def blamed(self, error: InputError, network: str, traffic: str) -> InputError:
        """An error in the scenario of a network under a traffic, at its place in the file."""
        places = (f"networks.{network}.traffics.{traffic}", f"traffics.{traffic}", f"networks.{network}")
        keys = error.path.split(".")
        depths = {place: _depth(self.tree, [*place.split("."), *keys]) - place.count(".") for place in places}
        place = max(places, key=depths.__getitem__)
        where = f"{network} under {traffic}" if traffic else network
        return self.error(f"{error.reason} (on {where})", f"{place}.{error.path}", error.value, error.remedy)


NAMES = {str: "text", list: "a list", int: "a whole number", dict: "a table"}


def _types(kind: type | tuple[type, ...]) -> Sequence[type]:
    return kind if isinstance(kind, tuple) else (kind,)


def _depth(table: object, keys: Sequence[str]) -> int:
    """How many of the keys lead into a table."""
    for depth, key in enumerate(keys):
        if not isinstance(table, Mapping) or key not in table:
            return depth
        table = table[key]
    return len(keys)


def in_order_of(first: Mapping[str, Any], second: Mapping[str, Any]) -> Tree:
    """The second table with its keys in the order of the first, and those within in that of the same key there."""
    keys = [*(key for key in first if key in second), *(key for key in second if key not in first)]
    both = {key: isinstance(first.get(key), Mapping) and isinstance(second[key], Mapping) for key in keys}
    return {key: in_order_of(first[key], second[key]) if both[key] else second[key] for key in keys}


def merged(first: Mapping[str, Any], second: Mapping[str, Any], *, within: bool = False) -> Tree:
    """Two tables as one: tables of both are merged, too; of other values and other parts, that of the second counts.

    A part is a table of one keyword: `traffic.greedy` replaces `traffic.cbr`. The `traffic` of a scenario itself, which
    is no table ``within`` another, has the mix of its network: it is no part.
    """
    tree = deepcopy(dict(first))
    for key, value in second.items():
        both = isinstance(value, Mapping) and isinstance(tree.get(key), dict)
        is_part = key in PARTS and (within or key != "traffic")
        other_part = both and is_part and value.keys() != tree[key].keys()
        tree[key] = merged(tree[key], value, within=True) if both and not other_part else deepcopy(value)
    return tree


def with_own_defaults(tree: Tree, written: Mapping[str, Any]) -> Tree:
    """The tables of a scenario that was read, with its lines and flows as they are ``written``, and its defaults apart.

    A scenario that is read has its defaults in each line and flow, where a league could no longer change them.
    """
    tree, defaults = dict(tree), {kind: dict(keys) for kind, keys in (tree.get("defaults") or {}).items()}
    for kind in ("line", "flow"):
        said = written.get(kind, {})
        entries = {name: entry for name, entry in tree.get(kind, {}).items() if name in said}
        for key in written.get("defaults", {}).get(kind, {}):
            if taken := [entry[key] for name, entry in entries.items() if key not in said[name] and key in entry]:
                defaults.setdefault(kind, {})[key] = taken[0]
        own = {name: {key: entry[key] for key in entry if key in said[name]} for name, entry in entries.items()}
        tree[kind] = {**tree.get(kind, {}), **own}
    return {**tree, "defaults": defaults} if any(defaults.values()) else tree


def ready_leagues() -> dict[str, str]:
    """The texts of the ready leagues by name, sorted."""
    folder = resources.files("penstock") / "leagues"
    texts = {entry.name.removesuffix(".toml"): entry for entry in folder.iterdir() if entry.name.endswith(".toml")}
    return {name: texts[name].read_text(encoding="utf-8") for name in sorted(texts)}

"""What GraphML says that networkx would replace, leave out, or refuse without its place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from xml.etree.ElementTree import Element

from penstock.core.errors import InputError
from penstock.core.quantities import real
from penstock.importing.names import some_of

WHOLE, DECIMAL = ("int", "integer", "long"), ("float", "double")
"""Types of keys that are numbers."""
TRUTHS = ("true", "false", "1", "0")
PARTS = ("graph", "node", "edge")


def tag_of(part: Element) -> str:
    """The name of an element without its name space."""
    return part.tag.rpartition("}")[2]


def refuse_doubtful(root: Element, file: str) -> None:
    """Refuse values that are there twice, and those that are not of the type of their key."""
    if (graphs := len(root.findall("{*}graph"))) > 1:
        raise InputError(f"there are {graphs} graphs", file=file, remedy="give each its own file")
    _refuse_mixed(root, file)
    keys = {key.get("id", ""): key for key in root.iterfind("{*}key")}
    for name, key in keys.items():
        _refuse_type(key, key.findtext("{*}default"), f"key {name}", file)
    for part in root.iter():
        if tag_of(part) in PARTS:
            _refuse_twins(part, keys, file)
            for data in part.iterfind("{*}data"):
                if (known := keys.get(data.get("key", ""))) is not None:
                    _refuse_type(known, data.text, _path(part), file)


def _refuse_mixed(root: Element, file: str) -> None:
    """Refuse edges of which only some have one direction."""
    for graph in root.iterfind("{*}graph"):
        of_all = graph.get("edgedefault") == "directed"
        edges = list(graph.iterfind(".//{*}edge"))
        others = [edge for edge in edges if edge.get("directed", str(of_all).lower()) != str(of_all).lower()]
        if others:
            kind, other = ("directed", "undirected") if of_all else ("undirected", "directed")
            one_way = "write an undirected edge as two directed ones"
            raise InputError(
                f"this edge is {other}, and the edgedefault of the graph is {kind}",
                path=_path(others[0]),
                file=file,
                remedy=f'write edgedefault="{other}"' if len(others) == len(edges) else one_way,
            )


def _refuse_twins(part: Element, keys: Mapping[str, Element], file: str) -> None:
    """Refuse a part with two values of one key, or of two keys of the same name. Defaults are values, too."""
    counts = Counter(data.get("key", "") for data in part.iterfind("{*}data"))
    if twice := [key for key, count in counts.items() if count > 1]:
        reason = f"the key {twice[0]} is there twice"
        raise InputError(reason, path=_path(part), file=file, remedy="delete one of the two")
    defaults = [
        name
        for name, key in keys.items()
        if key.get("for") in (tag_of(part), "all") and key.find("{*}default") is not None
    ]
    by_name: dict[str, str] = {}
    for key in dict.fromkeys((*counts, *defaults)):
        name = keys[key].get("attr.name") if key in keys else None
        if name and by_name.setdefault(name, key) != key:
            reason = f"the keys {by_name[name]} and {key} are both called {name}"
            raise InputError(reason, path=_path(part), file=file, remedy="give each key its own name")


def _refuse_type(key: Element, text: str | None, path: str, file: str) -> None:
    """Refuse a value that is no number, though its key says so."""
    kind, written = key.get("attr.type"), (text or "").strip()
    path = f"{path}, {key.get('attr.name', key.get('id', ''))}"
    if written and kind == "boolean" and written.lower() not in TRUTHS:
        reason, remedy = (
            "this is no truth value, and its key says that it is of the type boolean",
            "write true or false",
        )
        raise InputError(reason, path=path, value=written, file=file, remedy=remedy)
    if not written or kind not in (*WHOLE, *DECIMAL):
        return
    try:
        if kind in WHOLE and not re.fullmatch(r"[+-]?[0-9]+", written):
            raise ValueError
        real(written)
    except ValueError:
        reason = f"this is no {'whole ' if kind in WHOLE else ''}number, and its key says that it is of the type {kind}"
        remedy = "correct it" + (", or give the key the type double" if kind in WHOLE else ": decimals follow a point")
        raise InputError(reason, path=path, value=written, file=file, remedy=remedy) from None


def _path(part: Element) -> str:
    ends = f"{part.get('source', '')} - {part.get('target', '')}" if tag_of(part) == "edge" else ""
    return " ".join(word for word in (tag_of(part), part.get("id", ""), ends) if word)


def defaults_of_all(root: Element) -> dict[str, str]:
    """The defaults of the keys for all parts, which networkx leaves out."""
    keys = [key for key in root.iterfind("{*}key") if key.get("for") == "all"]
    return {key.get("attr.name", ""): text for key in keys if (text := key.findtext("{*}default")) is not None}


def has_edge_ids(root: Element) -> bool:
    """Whether the edges have ids of their own, so that two between the same nodes are two."""
    return all(edge.get("id") for edge in root.iterfind(".//{*}edge"))


def left_out(root: Element) -> list[str]:
    """What no scenario has: descriptions and ports."""
    described = [_path(part) for part in root.iter() if part.find("{*}desc") is not None]
    ported = [
        _path(part)
        for part in root.iter()
        if part.find("{*}port") is not None or part.get("sourceport") or part.get("targetport")
    ]
    kinds = (("descriptions", described), ("ports", ported))
    return [f"network: {what} that are not used: those of {some_of(of)}" for what, of in kinds if of]

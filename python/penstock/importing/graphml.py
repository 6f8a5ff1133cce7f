"""What GraphML says that networkx would replace, leave out, or refuse without its place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element

from penstock.core.errors import InputError
from penstock.core.quantities import real
from penstock.importing.names import LABELS, plain, some_of
from penstock.importing.xml_parts import Form, not_read, tag_of

WHOLE, DECIMAL = ("int", "integer", "long"), ("float", "double")
"""Types of keys that are numbers."""
TRUTHS = ("true", "false", "1", "0")
PARTS = ("graph", "node", "edge")
SHAPES = ("GenericNode", "ShapeNode", "SVGNode", "ImageNode")
CURVES = ("PolyLineEdge", "SplineEdge", "QuadCurveEdge", "BezierEdge", "ArcEdge")
"""The drawings of yEd whose first label networkx takes for the attribute `label`, whatever else that is."""
DRAWN_LABELS = ("NodeLabel", "EdgeLabel")
TYPES = (*WHOLE, *DECIMAL, "boolean", "string", "yfiles")
FORM = Form(
    {
        "graphml": ("key", "graph", "desc", "data"),
        "key": ("default", "desc"),
        "graph": ("node", "edge", "hyperedge", "desc", "data"),
        "node": ("graph", "port", "desc", "data"),
        "edge": ("desc", "data"),
    },
    several=("key", "graph", "node", "edge", "hyperedge", "port", "desc", "data"),
    attributes={
        "graph": ("id", "edgedefault"),
        "key": ("id", "for", "attr.name", "attr.type"),
        "node": ("id",),
        "edge": ("id", "source", "target", "directed", "sourceport", "targetport"),
        "data": ("key",),
    },
    silent=("parse.", "yfiles."),
)
"""The elements and attributes that are read, or that :func:`left_out` names."""


def refuse_doubtful(root: Element, file: str) -> None:
    """Refuse values that are there twice, and those that are not of the type of their key."""
    if (graphs := len(root.findall("{*}graph"))) > 1:
        raise InputError(f"there are {graphs} graphs", file=file, remedy="give each its own file")
    _refuse_mixed(root, file)
    keys = _keys(root, file)
    for name, key in keys.items():
        _refuse_type(key, key.findtext("{*}default"), f"key {name}", file)
    for part in root.iter():
        if tag_of(part) in PARTS:
            _refuse_nameless(part, file)
            _refuse_twins(part, keys, file)
            _refuse_labels(part, keys, file)
            for data in part.iterfind("{*}data"):
                if (known := keys.get(data.get("key", ""))) is not None:
                    _refuse_type(known, data.text, _path(part), file)


def _keys(root: Element, file: str) -> dict[str, Element]:
    """The keys by their ids. Raises :class:`InputError` for two that differ, and for a type that there is not."""
    keys: dict[str, Element] = {}
    for key in root.iterfind("{*}key"):
        before = keys.setdefault(name := key.get("id", ""), key)
        says = [(each.get("attr.name"), each.get("attr.type"), each.findtext("{*}default")) for each in (before, key)]
        if says[0] != says[1] or (before is not key and says[0][2] is not None):
            reason = "there are two keys with this id"
            raise InputError(reason, path=f"key {name}", file=file, remedy="give each key its own id")
        if (kind := key.get("attr.type", "string")) not in TYPES:
            remedy = f"write one of {', '.join(TYPES[:-1])}"
            raise InputError("there is no such type", path=f"key {name}", value=kind, file=file, remedy=remedy)
    return keys


def _refuse_mixed(root: Element, file: str) -> None:
    """Refuse edges of which only some have one direction, and words that do not say whether they have one."""
    whole = root.find("{*}graph")
    of_all = whole is not None and whole.get("edgedefault") == "directed"
    edges = []
    for graph in (part for part in root.iter() if tag_of(part) == "graph"):
        default = _choice(graph, "edgedefault", {"directed": True, "undirected": False}, of_all, file)
        edges += [
            (edge, _choice(edge, "directed", {"true": True, "1": True, "false": False, "0": False}, default, file))
            for edge in graph.iterfind("{*}edge")
        ]
    if others := [edge for edge, is_directed in edges if is_directed != of_all]:
        kind, other = ("directed", "undirected") if of_all else ("undirected", "directed")
        one_way = "write an undirected edge as two directed ones"
        raise InputError(
            f"this edge is {other}, and the edgedefault of the graph is {kind}",
            path=_path(others[0]),
            file=file,
            remedy=f'write edgedefault="{other}"' if len(others) == len(edges) else one_way,
        )


def _choice(part: Element, name: str, words: Mapping[str, bool], default: bool, file: str) -> bool:
    """What an attribute says with one of these words; `default` without it."""
    if (word := part.get(name)) is None:
        return default
    if word not in words:
        reason, remedy = "this does not say whether edges have a direction", f"write one of {', '.join(words)}"
        raise InputError(reason, path=f"{_path(part)}, {name}", value=word, file=file, remedy=remedy)
    return words[word]


def _refuse_nameless(part: Element, file: str) -> None:
    """Refuse a node without an id, and an edge without one of its two nodes."""
    needed = {"node": ("id",), "edge": ("source", "target")}.get(tag_of(part), ())
    if lost := [name for name in needed if not part.get(name)]:
        reason, remedy = f"this {tag_of(part)} has no {lost[0]}", f'write it as {lost[0]}="A"'
        raise InputError(reason, path=_path(part), file=file, remedy=remedy)


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


def _refuse_labels(part: Element, keys: Mapping[str, Element], file: str) -> None:
    """Refuse a part with two labels: those of its drawing, and the attribute of this name. A default is one, too."""
    written = {data.get("key", ""): data.text for data in part.iterfind("{*}data")}
    said: dict[str, str] = {}
    for name, key in keys.items():
        if key.get("attr.name") == "label":
            default = key.findtext("{*}default") if key.get("for") in (tag_of(part), "all") else ""
            said.setdefault(plain(written.get(name, default) or ""), "key label")
    for _, label in drawn_labels(part):
        said.setdefault(plain(label.text or ""), f"y:{tag_of(label)}")
    if len(texts := [f"{text} ({where})" for text, where in said.items() if text]) > 1:
        reason = f"it has two labels, {texts[0]} and {texts[1]}"
        remedy = "delete one of the two, or make it an attribute with another name"
        raise InputError(reason, path=_path(part), file=file, remedy=remedy)


def drawn_labels(part: Element) -> Iterator[tuple[Element, Element]]:
    """The labels in the drawing of a part that networkx may read, each behind the shape or the curve that has it."""
    for drawing in part.iterfind("{*}data/*"):
        if tag_of(drawing) in (*SHAPES, *CURVES):
            yield from ((drawing, label) for label in drawing if tag_of(label) in DRAWN_LABELS)


def without_empty_labels(root: Element) -> bool:
    """Takes labels without a text out of all drawings: networkx would put them in the place of others."""
    empty = [each for part in root.iter() for each in drawn_labels(part) if not plain(each[1].text or "")]
    for drawing, label in empty:
        drawing.remove(label)
    return bool(empty)


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
    if key.get("attr.name") in LABELS and (read := str((int if kind in WHOLE else float)(written))) != written:
        reason = f"its key says that it is of the type {kind}, and so it would become the name {read}"
        raise InputError(reason, path=path, value=written, file=file, remedy="give the key the type string")


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


def edges_of(root: Element) -> list[tuple[object, object, object]]:
    """The two nodes of each edge, and its id."""
    return [(edge.get("source"), edge.get("target"), edge.get("id")) for edge in root.iterfind(".//{*}edge")]


def left_out(root: Element, file: str) -> list[str]:
    """What no scenario has: descriptions and ports, other labels than those that networkx reads, values with parts."""
    described = [_path(part) for part in root.iter() if part.find("{*}desc") is not None]
    ported = [
        _path(part)
        for part in root.iter()
        if part.find("{*}port") is not None or part.get("sourceport") or part.get("targetport")
    ]
    named = {key.get("id"): key.get("attr.name") for key in root.iterfind("{*}key") if not key.get("yfiles.type")}
    composed = {named[key]: 0 for data in root.iter() if len(data) and (key := data.get("key")) in named}
    beside = [data.get("key", "") for data in root.iterfind("{*}data") if (data.text or "").strip()]
    kinds = (
        ("descriptions", described),
        ("ports", ported),
        ("labels of groups or other drawings", [_path(part) for part in root.iter() if _has_other_labels(part)]),
        ("values with elements in them", [plain(name) for name in composed if name]),
        ("data beside the graph", beside),
    )
    notes = [f"network: {what} that are not used: those of {some_of(of)}" for what, of in kinds if of]
    if any(graph.get("edgedefault") is None for graph in root.iterfind("{*}graph")):
        notes.append("network: no edgedefault says whether edges have a direction: they have none")
    return [*notes, *not_read(root, "graphml", FORM, lambda part, name: _twice(part, name, file))]


def _twice(part: Element, name: str, file: str) -> InputError:
    return InputError(f"{name} is there twice", path=_path(part), file=file, remedy="delete one of the two")


def _has_other_labels(part: Element) -> bool:
    """Whether the drawing of a part has a label in another place than those that networkx reads."""
    read = [label for _, label in drawn_labels(part)]
    drawn = (label for data in part.iterfind("{*}data") for label in data.iter() if tag_of(label) in DRAWN_LABELS)
    return any(plain(label.text or "") and label not in read for label in drawn)

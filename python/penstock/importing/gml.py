"""GML: keys, each with a number, a text in quotes or keys of its own in brackets.

    graph [
      directed 1
      node [ id 0 label "Berlin" Latitude 52.52 Longitude 13.4 ]
      edge [ source 0 target 1 LinkSpeedRaw 1e+9 ]
    ]

Every word is read whole or refused with its line. A comment goes from `#` to the end of its line.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from penstock.core.errors import InputError
from penstock.importing.attributed import ENDS, graph_of
from penstock.importing.graph import Attributes, Graph, together
from penstock.importing.names import LABELS

TOKEN = re.compile(r'"[^"]*"(?=[][#\s]|\Z)|#[^\n]*|[][]|[^\s"#[\]]+|"')
"""Texts, comments, brackets, and words; a quote by itself is one that is not closed, or stands inside a text."""
KEY = re.compile(r"[A-Za-z_][^\"]*")
WHOLE = re.compile(r"0|-?[1-9][0-9]{,30}")
"""A whole number as it is usually written; a longer one stays a text, and is too large for any value."""
NUMBER = re.compile(r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|INF|NAN)")
ENTITY = re.compile(r"&(?:[0-9A-Za-z]+|#(?:[0-9]+|x[0-9A-Fa-f]+));")
"""How a letter is written that ASCII has not, or a quote."""
BARE_KEYS = ("id", "label", *ENDS)
"""The keys of a graph whose values may be one word without quotes. Beside the graph all may, as `Creator Gephi`."""
FLAGS = ("directed", "multigraph")


class Block(dict[str, list[object]]):
    """Keys in brackets, each with all its values, and the line on which they begin."""

    line = 1

    def attributes(self, *structural: str) -> Attributes:
        """The keys without these, each with its value; one that is there twice has a list."""
        found = ((key, values) for key, values in self.items() if key not in structural)
        return {key: values[0] if len(values) == 1 else values for key, values in found}


def read(text: str, file: str) -> Graph:
    """The network of a file. Raises :class:`InputError`."""
    whole = _parsed(text, file)
    graphs = whole.pop("graph", [])
    if len(graphs) != 1 or not isinstance(graph := graphs[0], Block):
        reason = f"there are {len(graphs)} graphs" if len(graphs) > 1 else "there is no graph with its keys in brackets"
        raise InputError(reason, file=file, remedy="write one graph [ node [ id 0 ] ... ] in a file")
    is_directed, is_multigraph = (_flag(graph, name, file) for name in FLAGS)
    nodes: dict[object, Attributes] = {}
    declared = []
    for node in _blocks(graph, "node", file):
        declared.append(_id(node, "node", "id", file))
        nodes[declared[-1]] = node.attributes("id")
    edges, keys = [], set[tuple[object, ...]]()
    for edge in _blocks(graph, "edge", file):
        source, target = (_id(edge, "edge", end, file) for end in ENDS)
        for own in edge.get("key", ()):
            if (known := (*sorted(map(str, (source, target))), str(own))) in keys:
                path, remedy = f"edge {source} - {target}", "give each edge its own key, or none"
                reason = f"2 edges between these nodes have the key {own}"
                raise InputError(reason, path=path, file=file, line=edge.line, remedy=remedy)
            keys.add(known)
        edges.append((source, target, edge.attributes(*ENDS, "key")))
        nodes |= {end: {} for end in (source, target) if end not in nodes}
    of_all = together(whole.attributes(), graph.attributes("node", "edge", *FLAGS))
    return graph_of(file, nodes, edges, declared, is_directed or False, is_multigraph, of_all)


def _parsed(text: str, file: str) -> Block:
    """All keys of a file."""
    blocks, key, line, at = [Block()], "", 1, 0
    for found in TOKEN.finditer(text):
        line, at, word = line + text.count("\n", at, found.start()), found.start(), found[0]
        if word[0] == "#":
            continue
        if not key and word == "]" and len(blocks) > 1:
            blocks.pop()
        elif not key:
            if not KEY.fullmatch(word):
                raise _refused(f"there is {word[:40]} in the place of a key", file, line)
            key = word
        else:
            is_bare = (key in BARE_KEYS or len(blocks) == 1) and KEY.fullmatch(word)
            value = Block() if word == "[" else word if is_bare else _value(key, word, file, line)
            blocks[-1].setdefault(key, []).append(value)
            key = ""
            if isinstance(value, Block):
                value.line = line
                blocks.append(value)
    if key or len(blocks) > 1:
        reason = f"the file ends behind the key {key}" if key else "the file ends inside brackets"
        raise InputError(reason, file=file, line=line, remedy="is a part of it missing?")
    return blocks[0]


def _value(key: str, word: str, file: str, line: int) -> object:
    """A number or a text. A whole number in another form, as 01, and a label stay as they are written."""
    if word[0] == '"' and len(word) > 1:
        return ENTITY.sub(lambda entity: html.unescape(entity[0]), word[1:-1])
    if WHOLE.fullmatch(word):
        return int(word)
    if NUMBER.fullmatch(word):
        return word if key in LABELS or word.lstrip("+-").isdecimal() else float(word)
    raise _refused(f"{key} is {word[:40]}, which is neither a number nor a text in quotes", file, line)


def _flag(graph: Block, name: str, file: str) -> bool | None:
    """A key that is 0 or 1; None without it."""
    values = graph.get(name, [None])
    if len(values) > 1 or str(values[0]) not in ("0", "1", "None"):
        value = " and ".join(map(str, values))
        raise InputError("this is no truth value", path=name, value=value, file=file, remedy="write 0 or 1, once")
    return None if values[0] is None else str(values[0]) == "1"


def _blocks(graph: Block, kind: str, file: str) -> Iterator[Block]:
    """The nodes or the edges."""
    for value in graph.get(kind, ()):
        if not isinstance(value, Block):
            remedy = f"write it as {kind} [ ... ]"
            raise InputError(f"this is no {kind}", path=kind, value=value, file=file, line=graph.line, remedy=remedy)
        yield value


def _id(part: Block, kind: str, name: str, file: str) -> object:
    """The id of a node, or of an end of an edge."""
    values = part.get(name, [])
    if len(values) != 1 or isinstance(values[0], Block):
        reason = f"this {kind} has {len(values) or 'no'} {name}{'s' * (len(values) > 1)}"
        reason += " with brackets" * (len(values) == 1)
        raise InputError(reason, file=file, line=part.line, remedy=f"write one {name}, a number or a text")
    return values[0]


def _refused(reason: str, file: str, line: int) -> InputError:
    remedy = "write a number as 1e9 or 2.5, a text in quotes, and a quote in it as &quot;"
    return InputError(reason, file=file, line=line, remedy=remedy)

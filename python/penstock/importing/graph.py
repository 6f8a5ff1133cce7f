"""A network as a file of another tool has it: nodes and edges with their attributes, before any is understood."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.core.errors import InputError, did_you_mean
from penstock.core.scenario import Kind, read_file_of
from penstock.importing.sndlib import HEADER, Native

if TYPE_CHECKING:
    import networkx as nx

Attributes = Mapping[str, object]
FORMATS = (".graphml", ".gml", ".json")
"""The ends of the names of files that networkx reads; SNDlib's files are known by their first line."""
TOPOLOGY = Kind(
    "a file of a network",
    50_000_000,
    "is it a result instead of a network?",
    "give GraphML, GML, node-link JSON or SNDlib's native format, saved as UTF-8",
)


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge between two nodes, by their ids."""

    source: str
    target: str
    attributes: Attributes


@dataclass(frozen=True, slots=True)
class Demand:
    """Traffic from one node to another. Without a rate it is greedy. `line` is that of the file it is from."""

    sender: str
    receiver: str
    rate: object
    line: int


@dataclass(frozen=True, slots=True)
class Graph:
    """The content of a file.

    Attributes:
        file: its name.
        nodes: the attributes of each node, by its id.
        edges: the edges.
        is_directed: whether an edge has one direction.
        rates: the attributes that this format has for the rate, those first that count most, each with its unit, or
            with an empty one if the format has none.
        demands: those of the file.
    """

    file: str
    nodes: Mapping[str, Attributes]
    edges: Sequence[Edge]
    is_directed: bool = False
    rates: Sequence[tuple[str, str]] = ()
    demands: Sequence[Demand] = ()


ZOO_RATE = ("LinkSpeedRaw", "b/s")
"""The rate of an edge in the files of the Internet Topology Zoo, with its unit."""


def read_graph(path: Path) -> Graph:
    """The network of a file. Raises :class:`InputError` if it cannot be read or has another format."""
    text = read_file_of(path, TOPOLOGY)
    if text.lstrip().startswith(HEADER):
        return _of_sndlib(Native(text, str(path)))
    if path.suffix.lower() not in FORMATS:
        remedy = did_you_mean(path.suffix.lower(), FORMATS) or f"the name ends in {', '.join(FORMATS)}"
        reason = f'this is no format of a network that is known, nor does the file begin with "{HEADER}"'
        raise InputError(reason, file=str(path), remedy=remedy)
    return _of_networkx(text, path)


def _of_sndlib(native: Native) -> Graph:
    return Graph(
        native.file,
        {name: {"longitude": x, "latitude": y} for name, (x, y) in native.nodes.items()},
        [Edge(link.source, link.target, link.attributes()) for link in native.links],
        rates=[("pre_installed_capacity", ""), ("module_capacity", "")],
        demands=[Demand(each.source, each.target, each.value, each.line) for each in native.demands],
    )


def _of_networkx(text: str, path: Path) -> Graph:
    try:
        import networkx as nx
    except ImportError:
        raise InputError(
            "this format is read by networkx, which is not installed",
            file=str(path),
            remedy="install it: pip install 'penstock[import]'",
        ) from None
    readers: dict[str, Callable[[str], Any]] = {
        ".graphml": lambda text: nx.parse_graphml(text, force_multigraph=True),
        ".gml": lambda text: nx.parse_gml(_with_keys(text), label="id"),
        ".json": _node_link,
    }
    try:
        graph = readers[path.suffix.lower()](text)
    except InputError:
        raise
    except (nx.NetworkXError, SyntaxError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        reason = f"this cannot be read as {path.suffix.lower()[1:]}: {type(error).__name__}: {error}"
        raise InputError(reason, file=str(path), remedy="write the file again with the tool that made it") from None
    return Graph(
        str(path),
        {str(node): attributes for node, attributes in graph.nodes(data=True)},
        [Edge(str(source), str(target), attributes) for source, target, attributes in graph.edges(data=True)],
        is_directed=graph.is_directed(),
        rates=[ZOO_RATE],
    )


def _with_keys(text: str) -> str:
    """GML that allows several edges between two nodes, which networkx otherwise calls an error of the file."""
    if "multigraph" in text:
        return text
    head, bracket, rest = text.partition("[")
    return f"{head}{bracket}\n  multigraph 1\n{rest}"


def _node_link(text: str) -> nx.MultiGraph:
    import networkx as nx

    content = json.loads(text)
    if not isinstance(content, dict) or "nodes" not in content:
        raise ValueError("there is no table with `nodes`, and `edges` or `links`")
    key = "edges" if "edges" in content else "links"
    return nx.node_link_graph({**content, "multigraph": True}, edges=key)


def attribute_names(edges: Sequence[Edge]) -> Iterator[str]:
    """The names of all attributes of edges, sorted."""
    yield from sorted({str(name) for edge in edges for name in edge.attributes})

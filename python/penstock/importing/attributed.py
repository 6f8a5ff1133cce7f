"""GraphML and node-link JSON, read with networkx. TopoHub's files are JSON with demands and distances."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from penstock.core.errors import InputError
from penstock.importing.graph import Attributes, Demand, Edge, Graph, together
from penstock.importing.graphml import (
    defaults_of_all,
    edges_of,
    has_edge_ids,
    left_out,
    refuse_doubtful,
    without_empty_labels,
)
from penstock.importing.library import missing, parsed_xml, reading
from penstock.importing.places import is_coordinate
from penstock.importing.units import beside

if TYPE_CHECKING:
    import networkx as nx

FORMATS = (".graphml", ".gml", ".json")
"""The ends of the names of these files."""
RATES = (("LinkSpeedRaw", "b/s"), ("LinkSpeed", ""))
"""The rate of an edge in the files of the Internet Topology Zoo, with its unit."""
DISTANCE = ("dist", "km")
"""The length of an edge in TopoHub's files, with its unit."""
ENDS = ("source", "target")
NODE_LINK = ("directed", "multigraph", "nodes", "edges", "links", "graph")
"""The keys of node-link JSON."""


def read_attributed(text: str, file: str, suffix: str) -> Graph:
    """The network of a file whose name ends in `suffix`. Raises :class:`InputError`."""
    try:
        import networkx  # noqa: F401
    except ImportError:
        raise missing("networkx", "this format", file) from None
    readers: dict[str, Callable[[str, str], Graph]] = {".graphml": _graphml, ".json": _node_link}
    with reading(suffix[1:], file):
        return readers[suffix](text, file)


def _graphml(text: str, file: str) -> Graph:
    import networkx as nx

    root = parsed_xml(text)
    refuse_doubtful(root, file)
    if without_empty_labels(root):
        text = ElementTree.tostring(root, encoding="unicode")
    graph = nx.parse_graphml(text, edge_key_type=str, force_multigraph=True)
    edges, of_all = [about for _, _, about in graph.edges(data=True)], defaults_of_all(root)
    for each, defaults in ((dict(graph.nodes(data=True)).values(), "node_default"), (edges, "edge_default")):
        for attributes in each:
            attributes |= {**of_all, **graph.graph.get(defaults, {}), **attributes}
    _refuse_lost_edges(graph, edges_of(root), file)
    declared = [node.get("id") for node in root.iterfind(".//{*}node")]
    whole = {name: value for name, value in graph.graph.items() if name not in ("node_default", "edge_default")}
    read = _graph(graph, file, declared, True if has_edge_ids(root) else None, whole)
    return replace(read, notes=left_out(root, file))


def _node_link(text: str, file: str) -> Graph:
    import networkx as nx

    content = json.loads(text, object_pairs_hook=partial(_without_twins, file=file))
    lists = [key for key in ("edges", "links") if isinstance(content, dict) and key in content]
    if not lists or not all(isinstance(content.get(key), list) for key in ("nodes", lists[0])):
        remedy = "give node-link JSON, as networkx writes it"
        raise InputError("there is no list `nodes`, with `edges` or `links`", file=file, remedy=remedy)
    if len(lists) > 1:
        raise InputError("there are both `edges` and `links`", file=file, remedy="delete one of the two")
    for flag in ("directed", "multigraph"):
        if not isinstance(value := content.get(flag, False), bool):
            remedy = "write true or false"
            raise InputError("this is no truth value", path=flag, value=value, file=file, remedy=remedy)
    declared = [node.get("id") if isinstance(node, dict) else None for node in content["nodes"]]
    if None in declared:
        path = f"nodes[{declared.index(None)}]"
        raise InputError("this node has no id", path=path, file=file, remedy='write it as {"id": "A"}')
    for number, link in enumerate(links := content[lists[0]]):
        if lost := [end for end in ENDS if not isinstance(link, dict) or link.get(end) is None]:
            remedy = 'write it as {"source": "A", "target": "B"}'
            raise InputError(f"this edge has no {lost[0]}", path=f"{lists[0]}[{number}]", file=file, remedy=remedy)
    named = [("nodes", "id", node["id"]) for node in content["nodes"]]
    for where, name, own in (*named, *((lists[0], end, link[end]) for link in links for end in ENDS)):
        if isinstance(own, (bool, dict)):
            path, remedy = f"{where}, {name}", "write a number or a text"
            raise InputError("this is no id of a node", path=path, value=json.dumps(own), file=file, remedy=remedy)
    has_keys = any("key" in link for link in links)
    graph = nx.node_link_graph({**content, "multigraph": True}, edges=lists[0])
    ends = [[tuple(end) if isinstance(end := link[name], list) else end for name in ENDS] for link in links]
    _refuse_lost_edges(graph, [(*pair, link.get("key")) for pair, link in zip(ends, links, strict=True)], file)
    about = content.get("graph")
    whole = dict(about) if isinstance(about, Mapping) else {"graph": about} if about else {}
    demands = _demands(whole.pop("demands", None) if isinstance(about, Mapping) else None, file)
    unit = _demand_unit(whole, file) if demands else ""
    of_all = together(whole, {key: value for key, value in content.items() if key not in NODE_LINK})
    is_multigraph = content.get("multigraph", True if has_keys else None)
    return replace(_graph(graph, file, declared, is_multigraph, of_all, demands), demand_unit=unit)


def _demand_unit(whole: dict[str, Any], file: str) -> str:
    """The unit of the demands, as `demandUnit`, which is taken out of what is said of the whole; may be empty."""
    found = {name: unit for what in ("demands", "demand") for name, unit in beside(whole, what).items()}
    if len(set(found.values())) > 1:
        path, value = " and ".join(found), " and ".join(found.values())
        raise InputError("two units are stated for demands", path=path, value=value, file=file, remedy="delete one")
    for name in found:
        del whole[name]
    return next(iter(found.values()), "")


def _without_twins(pairs: list[tuple[str, object]], file: str) -> dict[str, object]:
    """An object of JSON. Raises :class:`InputError` if a key is there twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        key = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise InputError(f"the key {key} is there twice in an object", file=file, remedy="delete one of the two")
    return found


def _refuse_lost_edges(graph: nx.MultiGraph, declared: Sequence[tuple[Any, Any, object]], file: str) -> None:
    """Refuse a file of which networkx has replaced or left out edges. Each edge of it has its two nodes and its id."""
    if graph.number_of_edges() == len(declared):
        return
    ids: dict[tuple[Any, Any], list[object]] = {}
    for source, target, own in declared:
        is_turned = not graph.is_directed() and (target, source) in ids
        ids.setdefault((target, source) if is_turned else (source, target), []).append(own)
    for (source, target), of_edges in ids.items():
        if (read := graph.number_of_edges(source, target)) < len(of_edges):
            remedy = "give each edge its own id or key, or none, and write all into one graph"
            counts = Counter(map(str, of_edges))
            twice = next((own for own, count in counts.items() if count > 1 and own != "None"), "")
            reason = f"{len(of_edges)} edges join these nodes, and {read} of them can be told apart and read"
            if twice:
                reason, remedy = f"{counts[twice]} edges between these nodes have the id {twice}", remedy.split(",")[0]
            elif not read:
                reason = "it is in a graph inside a node that is no group"
            raise InputError(reason, path=f"edge {source} - {target}", file=file, remedy=remedy)


def _refuse_same_nodes(nodes: Iterable[object], declared: Sequence[object], file: str) -> None:
    """Refuse nodes whose ids are the same, or would be."""
    texts = Counter(map(str, nodes))
    clashing = next((str(node) for node in nodes if isinstance(node, str) and texts[node] > 1), "")
    if clashing:
        raise InputError(
            f'the number {clashing} and the text "{clashing}" would be one node',
            path="nodes",
            file=file,
            remedy="give one of the two another id",
        )
    counts = Counter(str(one) if isinstance(one, list) else one for one in declared)
    if twice := [one for one, count in counts.items() if count > 1]:
        reason = f"there are two nodes with the id {twice[0]}"
        raise InputError(reason, path="nodes", file=file, remedy="give one of the two another id")


def graph_of(
    file: str,
    nodes: Mapping[object, Attributes],
    edges: Iterable[tuple[object, object, Attributes]],
    declared: Sequence[object],
    is_directed: bool,
    is_multigraph: bool | None,
    whole: Attributes,
    demands: Sequence[Demand] | None = None,
) -> Graph:
    """The network of a file. `declared` are its nodes as it names them; `nodes` has those that edges name, too.

    With `demands`, also without any, it may be of TopoHub, whose lengths are in km. Raises :class:`InputError`.
    """
    found = [Edge(str(source), str(target), attributes) for source, target, attributes in edges]
    _refuse_same_nodes(nodes, declared, file)
    known = {str(tuple(one) if isinstance(one, list) else one) for one in declared}
    for edge in found:
        if missing := {edge.source, edge.target} - known:
            raise InputError(
                f"there is no node {min(missing)}",
                path=f"edge {edge.source} - {edge.target}",
                file=file,
                remedy="add the node, or delete the edge",
            )
    of_topohub = demands is not None and (demands != [] or any(DISTANCE[0] in edge.attributes for edge in found))
    return Graph(
        file,
        {str(node): _placed(about) if of_topohub else about for node, about in nodes.items()},
        found,
        is_directed=is_directed,
        is_multigraph=is_multigraph,
        rates=RATES,
        delays=[DISTANCE] if of_topohub else [],
        demands=demands or (),
        whole=whole,
    )


def _graph(
    graph: nx.MultiGraph,
    file: str,
    declared: Sequence[object],
    is_multigraph: bool | None,
    whole: Attributes,
    demands: Sequence[Demand] | None = None,
) -> Graph:
    """What networkx has read; it adds the nodes that edges name."""
    nodes, edges = dict(graph.nodes(data=True)), graph.edges(data=True)
    return graph_of(file, nodes, edges, declared, graph.is_directed(), is_multigraph, whole, demands)


def _placed(attributes: Attributes) -> Attributes:
    """The attributes of a node; TopoHub's `pos` is its longitude and latitude."""
    place = attributes.get("pos")
    if not isinstance(place, (list, tuple)) or len(place) != 2:
        return attributes
    rest = {name: value for name, value in attributes.items() if name != "pos"}
    if any(map(is_coordinate, rest)):
        return attributes
    return {"longitude": place[0], "latitude": place[1], **rest}


def _demands(matrix: object, file: str) -> list[Demand]:
    """TopoHub's demands: of each sender, the rate to each receiver."""
    if matrix is None:
        return []
    if not isinstance(matrix, Mapping):
        remedy = 'write it as {"A": {"B": 5.0}}, or delete it'
        raise InputError("this is no table of senders", path="graph.demands", value=matrix, file=file, remedy=remedy)
    if bad := [sender for sender, row in matrix.items() if not isinstance(row, Mapping)]:
        reason, remedy = "this is no table of receivers and rates", 'write it as {"A": {"B": 5.0}}'
        raise InputError(reason, path=f"demands.{bad[0]}", file=file, remedy=remedy)
    pairs = [(str(one), str(other), rate) for one, row in matrix.items() for other, rate in row.items()]
    if empty := next((pair for pair in pairs if pair[2] is None), None):
        path, remedy = f"demands.{empty[0]}.{empty[1]}", "give it a rate, or delete it"
        raise InputError("this demand is null", path=path, file=file, remedy=remedy)
    return [Demand(*pair, 0) for pair in pairs]

"""GraphML, GML and node-link JSON, read with networkx. TopoHub's files are JSON with demands and distances."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from penstock.core.errors import InputError
from penstock.importing.graph import Attributes, Demand, Edge, Graph
from penstock.importing.library import missing, parsed_xml, reading

if TYPE_CHECKING:
    import networkx as nx

FORMATS = (".graphml", ".gml", ".json")
"""The ends of the names of these files."""
RATES = (("LinkSpeedRaw", "b/s"), ("LinkSpeed", ""))
"""The rate of an edge in the files of the Internet Topology Zoo, with its unit."""
DISTANCE = ("dist", "km")
"""The length of an edge in TopoHub's files, with its unit."""


def read_attributed(text: str, file: str, suffix: str) -> Graph:
    """The network of a file whose name ends in `suffix`. Raises :class:`InputError`."""
    try:
        import networkx  # noqa: F401
    except ImportError:
        raise missing("networkx", "this format", file) from None
    readers: dict[str, Callable[[str, str], Graph]] = {".graphml": _graphml, ".gml": _gml, ".json": _node_link}
    with reading(suffix[1:], file):
        return readers[suffix](text, file)


def _graphml(text: str, file: str) -> Graph:
    import networkx as nx

    declared = {str(node.get("id")) for node in parsed_xml(text).iterfind(".//{*}node")}
    return _graph(nx.parse_graphml(text, force_multigraph=True), file, declared)


def _gml(text: str, file: str) -> Graph:
    import networkx as nx

    head, bracket, rest = text.partition("[")
    # networkx calls several edges between two nodes an error of the file, unless it says so.
    with_key = text if "multigraph" in text else f"{head}{bracket}\n  multigraph 1\n{rest}"
    return _graph(nx.parse_gml(with_key, label="id"), file)


def _node_link(text: str, file: str) -> Graph:
    import networkx as nx

    content = json.loads(text)
    if not isinstance(content, dict) or not isinstance(content.get("nodes"), list):
        remedy = "give node-link JSON, as networkx writes it"
        raise InputError("there is no list `nodes`, with `edges` or `links`", file=file, remedy=remedy)
    key = "edges" if "edges" in content else "links"
    graph = nx.node_link_graph({**content, "multigraph": True}, edges=key)
    declared = [node.get("id") for node in content["nodes"] if isinstance(node, dict)]
    if clashing := {str(node) for node in declared if isinstance(node, int)} & set(map(str, _texts(declared))):
        one = min(clashing)
        raise InputError(
            f'the number {one} and the text "{one}" would be one node',
            path="nodes",
            file=file,
            remedy="give one of the two another id",
        )
    about = content.get("graph")
    demands = _demands(about.get("demands") if isinstance(about, Mapping) else None, file)
    return _graph(graph, file, set(map(str, declared)), content.get("multigraph", True) is not False, demands)


def _texts(ids: Sequence[object]) -> list[str]:
    return [one for one in ids if isinstance(one, str)]


def _graph(
    graph: nx.MultiGraph,
    file: str,
    declared: set[str] | None = None,
    is_multigraph: bool = True,
    demands: Sequence[Demand] = (),
) -> Graph:
    """What networkx has read. `declared` are the nodes of the file itself: networkx adds those that edges name."""
    edges = [
        Edge(str(source), str(target), _with_speed(attributes)) for source, target, attributes in graph.edges(data=True)
    ]
    for edge in edges:
        if missing := {edge.source, edge.target} - (declared if declared is not None else {edge.source, edge.target}):
            raise InputError(
                f"there is no node {min(missing)}",
                path=f"edge {edge.source} - {edge.target}",
                file=file,
                remedy="add the node, or delete the edge",
            )
    of_topohub = bool(demands) or any(DISTANCE[0] in edge.attributes for edge in edges)
    return Graph(
        file,
        {str(node): _placed(about) if of_topohub else about for node, about in graph.nodes(data=True)},
        edges,
        is_directed=graph.is_directed(),
        is_multigraph=is_multigraph,
        rates=RATES,
        delays=[DISTANCE] if of_topohub else [],
        demands=demands,
    )


def _with_speed(attributes: Attributes) -> Attributes:
    """The attributes of an edge; the Zoo's `LinkSpeed` has its unit in another one."""
    speed, unit = attributes.get("LinkSpeed"), attributes.get("LinkSpeedUnits")
    return {**attributes, "LinkSpeed": f"{speed} {unit}"} if speed and unit else attributes


def _placed(attributes: Attributes) -> Attributes:
    """The attributes of a node; TopoHub's `pos` is its longitude and latitude."""
    place = attributes.get("pos")
    if not isinstance(place, (list, tuple)) or len(place) != 2:
        return attributes
    return {"longitude": place[0], "latitude": place[1], **attributes}


def _demands(matrix: object, file: str) -> list[Demand]:
    """TopoHub's demands: of each sender, the rate to each receiver."""
    if matrix is None:
        return []
    if not isinstance(matrix, Mapping):
        remedy = 'write it as {"A": {"B": 5.0}}, or delete it'
        raise InputError("this is no table of senders", path="graph.demands", value=matrix, file=file, remedy=remedy)
    if bad := next((sender for sender, row in matrix.items() if not isinstance(row, Mapping)), None):
        reason, remedy = "this is no table of receivers and rates", 'write it as {"A": {"B": 5.0}}'
        raise InputError(reason, path=f"demands.{bad}", file=file, remedy=remedy)
    return [
        Demand(str(sender), str(receiver), rate, 0)
        for sender, row in matrix.items()
        for receiver, rate in row.items()
        if rate
    ]

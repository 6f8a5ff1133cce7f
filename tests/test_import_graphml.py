"""GraphML: what networkx leaves out or replaces is named or refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from imported_files import outcome

KEY = '<key id="d" for="edge" attr.name="bw" attr.type="int"/>'
FILE = f"""\
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">{KEY}
<key id="g" for="graphml" yfiles.type="resources"/>
<graph id="G" edgedefault="undirected" parse.nodes="2"><node id="a"/><node id="b"/>
<edge source="a" target="b"><data key="d">7</data></edge></graph><data key="g"><y:Resources/></data></graphml>
"""


def imported(folder: Path, content: str) -> str:
    """The scenario of a file with this content, or the error."""
    return outcome(folder / "net.graphml", content, rate="bw", rate_unit="Mb/s", default_delay="1 ms")


def test_a_file_whose_parts_are_all_read_says_nothing(tmp_path: Path) -> None:
    assert "not used" not in imported(tmp_path, FILE)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("<graph ", '<key id="d" for="edge" attr.name="ms" attr.type="int"/><graph ', "key d: there are two keys with"),
        (
            "<graph ",
            '<key id="d" for="edge" attr.name="bw" attr.type="long"/><graph ',
            "key d: there are two keys with",
        ),
        (
            '<graph id="G" edgedefault="undirected" parse.nodes="2"><node id="a"/>',
            '<key id="l" for="node" attr.name="label" attr.type="int"/><graph edgedefault="undirected">'
            '<node id="a"><data key="l">007</data></node>',
            "node a, label = 007: its key says that it is of the type int, and so it would become the name 7; give the",
        ),
        (
            '<graph id="G" edgedefault="undirected" parse.nodes="2"><node id="a"/>',
            '<key id="l" for="node" attr.name="name" attr.type="double"/><graph edgedefault="undirected">'
            '<node id="a"><data key="l">5</data></node>',
            "node a, name = 5: its key says that it is of the type double, and so it would become the name 5.0",
        ),
        ("<edge", '<edge directed="0"', 'rate = "7 Mb/s"'),
        (
            "<edge",
            '<edge directed="1"',
            'this edge is directed, and the edgedefault of the graph is undirected; write edgedefault="directed"',
        ),
        (
            "<edge",
            '<edge directed="yes"',
            "edge a - b, directed = yes: this does not say whether edges have a direction",
        ),
        (
            '<node id="a"/><node id="b"/>\n',
            '<node id="g" yfiles.foldertype="group"><graph edgedefault="directed"><node id="a"/><node id="b"/>'
            '<edge source="a" target="b"/></graph></node>\n',
            "edge a - b: this edge is directed, and the edgedefault of the graph is undirected; write an undirected",
        ),
        (
            f"{KEY}\n",
            KEY.replace("/>", "><default>1</default></key>") * 2,
            "key d: there are two keys with this id; give each key its own id",
        ),
        ("<graph ", f"{KEY.replace('edge', 'node')}<graph ", 'rate = "7 Mb/s"'),
        (
            '"int"',
            '"decimal"',
            "key d = decimal: there is no such type; write one of int, integer, long, float, double",
        ),
        (
            '"undirected"',
            '"Directed"',
            "graph G, edgedefault = Directed: this does not say whether edges",
        ),
        (
            'edgedefault="undirected"',
            "",
            "# - network: no edgedefault says whether edges have a direction: they have none\n",
        ),
        (
            'target="b"',
            'target="b" delay="5" weight="3"',
            "# - network: XML that is not used: edge.delay, edge.weight\n",
        ),
        ('<node id="a"/>', '<node id="a" lat="5"/>', "# - network: XML that is not used: node.lat\n"),
        ('attr.type="int"', 'attr.type="int" unit="G"', "# - network: XML that is not used: key.unit\n"),
        ('<data key="d"', '<data key="d" unit="G"', "# - network: XML that is not used: data.unit\n"),
        ("</data></edge>", "</data><ms>5</ms></edge>", "# - network: XML that is not used: edge/ms\n"),
        ("<edge", "one edge: <edge", "# - network: XML that is not used: text in graph\n"),
        ('<data key="g">', '<data key="g">7', "# - network: data beside the graph that are not used: those of g\n"),
        (
            'attr.type="int"/>',
            'attr.type="int"><default>1</default><default>2</default></key>',
            "key d: default is there",
        ),
        (' target="b"', "", "edge a - : this edge has no target; write it as target="),
        ('<node id="a"/>', "<node/>", "node: this node has no id; write it as id="),
    ],
)
def test_what_graphml_says_is_used_named_or_refused(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert told in imported(tmp_path, FILE.replace(old, new, 1))


def test_ids_of_edges_are_texts(tmp_path: Path) -> None:
    edge = '<edge id="1" source="a" target="b"><data key="d">7</data></edge>'
    twice = FILE.replace('<edge source="a" target="b"><data key="d">7</data></edge>', f"{edge}{edge}")
    assert "edge a - b: 2 edges between these nodes have the id 1" in imported(tmp_path, twice)
    twice = twice.replace('id="1"', 'id="01"', 1)
    assert "2 edges join these nodes, and a route over them would be ambiguous" in imported(tmp_path, twice)

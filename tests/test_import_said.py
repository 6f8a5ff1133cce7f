"""What a file of a network says is used or named by `penstock import`, and never replaced in silence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from penstock import InputError, import_network

pytestmark = pytest.mark.in_process
FILLED: dict[str, Any] = {"default_rate": "1 Gb/s", "default_delay": "1 ms"}
TWO = '{"id": "a"}, {"id": "b"}'
LINK = '{"source": "a", "target": "b", "bw": 1}'
BACK = '{"source": "b", "target": "a", "bw": 2}'
KEY = '<key id="d" for="edge" attr.name="bw" attr.type="int"/>'
EDGE = '<edge source="a" target="b"><data key="d">7</data></edge>'


def imported(folder: Path, name: str, content: str, **options: Any) -> str:
    """What a file with this content becomes."""
    file = folder / name
    file.write_text(content, encoding="utf-8")
    return import_network(file, **{**FILLED, **options})


def json_of(nodes: str = TWO, links: str = LINK, more: str = "") -> str:
    """Node-link JSON."""
    return f'{{"nodes": [{nodes}], "links": [{links}]{more}}}'


def graphml(edges: str, nodes: str = '<node id="a"/><node id="b"/>', key: str = KEY, behind: str = "") -> str:
    """GraphML with one key for edges."""
    graph = f'<graph edgedefault="undirected">{nodes}{edges}</graph>'
    return f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{key}{graph}{behind}</graphml>'


def gml(head: str, second_rate: int = 10) -> str:
    """GML with the same edge twice, and texts and comments that look like the keys of its graph."""
    return f"""\
# graph [ multigraph 0
Creator "graph [ multigraph 0"
graph [ {head}
  node [ id 0 label "multigraph 0 [" ] node [ id 1 label "b" ]
  edge [ source 0 target 1 bw 10 ] edge [ source 1 target 0 bw {second_rate} ]
]
"""


def test_attributes_that_are_not_used_are_named(tmp_path: Path) -> None:
    nodes = '{"id": "a", "name": "A", "lat": 50, "lon": 1, "site": 3}, {"id": "b", "lat": 95, "lon": 1}'
    link = '{"source": "a", "target": "b", "bandwidth": "10 Gb/s", "weight": 2, "note": null}'
    text = imported(tmp_path, "net.json", json_of(nodes, link))
    assert "# - 1 of 1 lines: no rate that is known: --default-rate" in text
    assert "# - edge: attributes that are not used: bandwidth, weight\n" in text
    assert "# - node: attributes that are not used: lat, lon, site\n" in text
    assert "# - node: coordinates that are no places on the earth, not used: those of 1 node, b (lat = 95)\n" in text
    used = imported(tmp_path, "net.json", json_of(nodes, link), rate="bandwidth")
    assert "# - edge: attributes that are not used: weight\n" in used


def test_coordinates_that_are_not_used_are_named_with_the_reason(tmp_path: Path) -> None:
    nodes = '{"id": "a", "lat": 50, "lon": 1}, {"id": "b", "lat": 51, "lon": 1}'
    text = imported(tmp_path, "net.json", json_of(nodes), delay="bw", delay_unit="ms")
    assert "# - node: attributes that are not used: lat, lon\n" in text
    assert "node: " not in imported(tmp_path, "net.json", json_of(nodes))
    nodes += ', {"id": 3, "label": "Ulm", "lat": "50,9", "lon": 1}, {"id": "d", "lat": null}, {"id": "e", "lat": 5}'
    links = f'{LINK}, {{"source": "b", "target": 3}}, {{"source": "d", "target": "e"}}'
    text = imported(tmp_path, "net.json", json_of(nodes, links))
    assert "that are no numbers (decimals follow a point), not used: those of 1 node, Ulm (lat = 50,9)" in text
    assert "coordinates that are latitudes or longitudes alone, not used: those of 1 node, e (no longitude)\n" in text
    with pytest.raises(InputError, match=r"and its coordinates are no numbers .*: lat = 50,9; name the attribute with"):
        imported(tmp_path, "net.json", json_of(nodes, links), default_delay="")


def test_what_sndlib_and_repetita_have_beside_rates_is_named(tmp_path: Path) -> None:
    native = """\
?SNDlib native format; type: network; version: 1.0
META ( unit = MBITPERSEC demand-model = UNDIRECTED )
NODES ( A ( 1 50 ) B ( 2 50 ) )
LINKS ( L ( A B ) 100 0 5 0 ( 10 1 20 2 ) )
DEMANDS ( D ( A B ) 1 5 3 )
ADMISSIBLE_PATHS ( D ( P ( L ) ) )
"""
    text = imported(tmp_path, "native.txt", native)
    assert (
        "# - edge: attributes that are not used: further_modules, module_capacity, module_cost, routing_cost\n" in text
    )
    assert "# - sections that are not used: ADMISSIBLE_PATHS\n# - demands: limits of the lengths of paths" in text
    assert "# - demands: the file has them without a direction." in text
    xml = """\
<network xmlns="http://sndlib.zib.de/network"><meta><unit>MBITPERSEC</unit></meta><networkStructure>
<nodes coordinatesType="pixel"><node id="A"><coordinates><x>1</x><y>5</y></coordinates></node><node id="B"/></nodes>
<links><link id="L"><source>A</source><target>B</target><setupCost>3</setupCost><additionalModules>
<addModule><capacity>2</capacity><cost>1</cost></addModule></additionalModules></link></links></networkStructure>
<demands><demand id="D"><source>A</source><target>B</target><demandValue>1</demandValue>
<maxPathLength>2</maxPathLength><admissiblePaths/></demand></demands></network>
"""
    text = imported(tmp_path, "net.xml", xml)
    assert "# - edge: attributes that are not used: module_cost, setup_cost\n" in text
    assert "# - node: coordinates that are no places on the earth, not used\n# - demands: limits of the lengths" in text
    assert "# - demands: admissible paths, not used: those of 1 demand\n" in text
    graph = "NODES 2\nlabel x y\nA 1 50\nB 2 50\nEDGES 1\nlabel src dest weight bw delay\ne 0 1 7 1000 250\n"
    assert "# - edge: attributes that are not used: weight\n" in imported(tmp_path, "net.graph", graph)


def test_a_length_is_in_km_only_in_the_format_that_says_so(tmp_path: Path) -> None:
    nodes = "node [ id 0 lat 50.0 lon 0.0 ] node [ id 1 lat 50.0 lon 10.0 ]"
    text = imported(tmp_path, "net.gml", f"graph [ {nodes} edge [ source 0 target 1 dist 444 ] ]")
    assert 'delay = "3.571 ms"' in text
    assert "# - edge: attributes that are not used: dist\n" in text


def test_a_unit_of_the_user_instead_of_that_of_the_file_is_named(tmp_path: Path) -> None:
    zoo = '{"source": "a", "target": "b", "LinkSpeedRaw": 10}'
    text = imported(tmp_path, "net.json", json_of(links=zoo), rate_unit="Mb/s")
    assert "# - 1 of 1 lines: --rate-unit Mb/s instead of the file's b/s\n" in text
    (tmp_path / "matrix.csv").write_text("from,to,rate (kb/s)\na,b,5\n", encoding="utf-8")
    matrix = {"demands": tmp_path / "matrix.csv"}
    assert 'cbr = { rate = "5 kb/s" }' in imported(tmp_path, "net.json", json_of(), **matrix)
    text = imported(tmp_path, "net.json", json_of(), demand_unit="Mb/s", **matrix)
    assert "# - flow: --demand-unit Mb/s instead of the file's kb/s\n" in text


@pytest.mark.parametrize(
    ("head", "second_rate", "told"),
    [
        ("multigraph 0", 10, 'rate = "10 Mb/s"'),
        ("multigraph 0", 11, "the file is no multigraph and has this edge twice, with bw = 10 and 11"),
        ("multigraph 1", 10, "2 edges join these nodes"),
        ("", 11, "one; if they are one line, delete all but one; if each is one direction of a line"),
        (
            "",
            10,
            "the file has this edge 2 times, with equal attributes: one line",
        ),
        ("directed 1", 11, 'rate = "10 Mb/s", delay = "1 ms", reverse = { rate = "11 Mb/s"'),
    ],
)
def test_gml_says_whether_it_is_a_multigraph(tmp_path: Path, head: str, second_rate: int, told: str) -> None:
    try:
        text = imported(tmp_path, "net.gml", gml(head, second_rate), rate="bw", rate_unit="Mb/s")
    except InputError as error:
        text = str(error)
    assert told in text


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("net.json", json_of(f'{TWO}, {{"id": "a"}}'), "nodes: there are two nodes with the id a;"),
        ("net.json", json_of('{"id": 1}, {"id": 1.0}', ""), "nodes: there are two nodes with the id 1;"),
        ("net.json", json_of('{"id": "0"}, {"id": "1"}', LINK.replace('"a"', "0").replace('"b"', "1")), "would be one"),
        ("net.json", json_of('{"name": "a"}, {"id": "b"}'), "nodes[0]: this node has no id;"),
        ("net.json", json_of(links=LINK.replace("}", ', "bw": 2}')), "the key bw is there twice in an object"),
        ("net.json", json_of(more=f', "edges": [{LINK}]'), "there are both `edges` and `links`"),
        ("net.json", json_of(more=', "directed": "false"'), "directed = false: this is no truth value;"),
        ("net.json", json_of(more=', "multigraph": 0'), "multigraph = 0: this is no truth value;"),
        ("net.json", '{"nodes": [{"id": 1}], "adjacency": []}', "there is no list `nodes`, with `edges` or `links`;"),
        (
            "net.json",
            json_of(links=f"{LINK}, {LINK}".replace("}", ', "key": 0}')),
            "edge a - b: 2 edges between these nodes have the id 0; give each edge its own id or key",
        ),
        ("net.gml", 'graph [ node [ id "0" ] node [ id 0 ] edge [ source 0 target "0" ] ]', "would be one node"),
        (
            "net.graphml",
            graphml(EDGE, '<node id="a"/><node id="b"/><node id="a"/>'),
            "there are two nodes with the id a",
        ),
        (
            "net.graphml",
            graphml(EDGE.replace("</edge>", '<data key="d">8</data></edge>')),
            "edge a - b: the key d is there twice",
        ),
        ("net.graphml", graphml(EDGE, behind='<graph edgedefault="directed"/>'), "there are 2 graphs;"),
        (
            "net.graphml",
            graphml(f"{EDGE}{EDGE}".replace("<edge", '<edge id="e"')),
            "edge a - b: 2 edges between these nodes have the id e; give each edge its own id or key",
        ),
        (
            "net.graphml",
            graphml(EDGE, f'<node id="a"><graph>{EDGE}</graph></node><node id="b"/>'),
            "edge a - b: 2 edges join these nodes, and 1 of them can be told apart and read; give each",
        ),
        (
            "net.graphml",
            graphml(EDGE, f'<node id="a"><graph>{EDGE.replace("b", "c")}</graph></node><node id="b"/>'),
            "edge a - c: it is in a graph inside a node that is no group; give each",
        ),
    ],
)
def test_what_would_be_lost_is_refused(tmp_path: Path, name: str, content: str, told: str) -> None:
    with pytest.raises(InputError) as refused:
        imported(tmp_path, name, content)
    assert told in str(refused.value)


def test_defaults_of_graphml_are_values_of_the_file(tmp_path: Path) -> None:
    key = KEY.replace("/>", "><default>3</default></key>")
    edges = f'{EDGE}<edge source="b" target="c"/>'
    nodes = '<node id="a"/><node id="b"/><node id="c"/>'
    text = imported(tmp_path, "net.graphml", graphml(edges, nodes, key), rate="bw", rate_unit="Mb/s")
    assert 'a-b = { between = ["a", "b"], rate = "7 Mb/s"' in text
    assert 'b-c = { between = ["b", "c"], rate = "3 Mb/s"' in text


@pytest.mark.parametrize(
    ("matrix", "rate"),
    [
        ("from,to,rate (Mb/s)\na,b,5\n", "5 Mb/s"),
        ("from;to;demand [Gbps]\na;b;5\n", "5 Gb/s"),
        ("from,to,traffic_kbps\na,b,5\n", "5 kb/s"),
        ("from,to,load in Mbit/s\na,b,5\n", "5 Mb/s"),
        ("from;to;Mbit/s\na;b;5\n", "5 Mb/s"),
        ("from,to,volume,unit\na,b,5,kb/s\nb,a,5 kbps,kb/s\n", "5 kb/s"),
    ],
)
def test_a_matrix_may_state_its_unit(tmp_path: Path, matrix: str, rate: str) -> None:
    (tmp_path / "matrix.csv").write_text(matrix, encoding="utf-8")
    text = imported(tmp_path, "net.json", json_of(), demands=tmp_path / "matrix.csv")
    assert f'a-b = {{ from = ["a"], to = ["b"], traffic.cbr = {{ rate = "{rate}" }} }}' in text


@pytest.mark.parametrize(
    ("matrix", "told"),
    [
        ("from,to,traffic_mBps\na,b,5\n", "line 1: mBps: this is no unit of a rate that is known here; there are b/s"),
        ("from,from,to\na,b,b\n", "line 1: from: two columns have this name;"),
        ("from;to;rate\na;b;1,5\n", "line 2: rate = 1,5: this is not a number: decimals follow a point"),
        ('from,to,rate\na,b,"2,000.00 Mb/s"\n', "nothing separates thousands, as in 1200.5"),
        ("from,to,rate\na,B,5\n", "from = a: this is an id, that of A, and other nodes are named by their labels;"),
    ],
)
def test_a_matrix_of_which_something_would_be_lost_is_refused(tmp_path: Path, matrix: str, told: str) -> None:
    (tmp_path / "matrix.csv").write_text(matrix, encoding="utf-8")
    named = json_of('{"id": "a", "name": "A"}, {"id": "b", "name": "B"}')
    with pytest.raises(InputError) as refused:
        imported(tmp_path, "net.json", named, demands=tmp_path / "matrix.csv", demand_unit="Mb/s")
    assert told in str(refused.value)


def test_a_long_list_of_nodes_is_cut_and_counted(tmp_path: Path) -> None:
    nodes = TWO + "".join(f', {{"id": {number}}}' for number in range(100, 120))
    assert "109, 110, 111 and 8 more: left out" in imported(tmp_path, "net.json", json_of(nodes))


def test_a_unit_that_is_not_known_is_not_mended_by_an_option(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        imported(tmp_path, "net.json", json_of(links=LINK.replace("1}", '"1 MB/s"}')), rate="bw")
    assert str(refused.value).endswith("correct it in the file")


def test_units_that_make_no_scenario_are_asked_for_with_the_values(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        imported(tmp_path, "net.json", json_of(links=LINK.replace(": 1", ": 900")), rate="bw", rate_unit="Tb/s")
    told = str(refused.value).replace(str(tmp_path), "")
    assert told.startswith("the scenario that /net.json becomes: line.a-b.rate = 900000 Gb/s: the highest rate")
    assert "; its rate is 900000 Gb/s and its delay 1 ms: are --rate-unit and --delay-unit right" in told
    with pytest.raises(InputError, match=r"the scenario that .*net.json becomes: --duration = .x.*; write it as in"):
        imported(tmp_path, "net.json", json_of(), duration="x")


def drawn(edge: str = "", node: str = "", more: str = "", default: str = "") -> str:
    """GraphML of yEd: an edge and a node with these drawings, and more values of the edge, as those of the key `l`."""
    key = f'<key id="l" for="all" attr.name="label" attr.type="string">{default}</key>'
    key += '<key id="y" for="all" yfiles.type="nodegraphics"/>'
    edges = f'<edge source="a" target="b"><data key="y"><y:ArcEdge>{edge}</y:ArcEdge></data>{more}</edge>'
    text = graphml(edges, f'<node id="a"><data key="y">{node}</data></node><node id="b"/>', key)
    return text.replace("<graphml", '<graphml xmlns:y="http://www.yworks.com/xml/graphml"')


RATE_LABEL, SEVEN = '<data key="l">100 Mb/s</data>', "<y:EdgeLabel>7 Mb/s</y:EdgeLabel>"


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        (
            {"edge": SEVEN, "more": RATE_LABEL},
            "edge a - b: it has two labels, 100 Mb/s (key label) and 7 Mb/s (y:EdgeLabel);",
        ),
        ({"edge": SEVEN, "default": "<default>9 Mb/s</default>"}, "two labels, 9 Mb/s (key label) and 7 Mb/s"),
        ({"edge": SEVEN + SEVEN.replace("7", "8")}, "two labels, 7 Mb/s (y:EdgeLabel) and 8 Mb/s (y:EdgeLabel); del"),
        (
            {"node": "<y:ShapeNode><y:NodeLabel>A</y:NodeLabel><y:NodeLabel>B</y:NodeLabel></y:ShapeNode>"},
            "node a: it has two labels, A (y:NodeLabel) and B (y:NodeLabel)",
        ),
        ({"edge": SEVEN + SEVEN, "more": RATE_LABEL.replace("100", "7")}, 'rate = "7 Mb/s"'),
        ({"edge": "<y:EdgeLabel> </y:EdgeLabel>", "more": RATE_LABEL}, 'rate = "100 Mb/s"'),
        ({"edge": f"<y:EdgeLabel/>{SEVEN}"}, 'rate = "7 Mb/s"'),
        (
            {"node": "<y:Other><y:NodeLabel>A</y:NodeLabel></y:Other>", "more": RATE_LABEL},
            "# - network: labels of groups or other drawings that are not used: those of node a\n",
        ),
        (
            {"more": f"{RATE_LABEL[:-7]}<x/></data>", "default": "<default>6 b/s</default>"},
            "# - network: values with elements in them that are not used: those of label\n",
        ),
    ],
)
def test_a_drawing_of_yed_replaces_no_label(tmp_path: Path, parts: dict[str, str], told: str) -> None:
    try:
        text = imported(tmp_path, "net.graphml", drawn(**parts), rate="label")
    except InputError as error:
        text = str(error)
    assert told in text

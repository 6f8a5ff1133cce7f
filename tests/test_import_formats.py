"""`penstock import`: what a file says is used or named. Each file here is made by hand."""

from __future__ import annotations

import gzip
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from penstock import InputError, Scenario, import_network

LINES: dict[str, Any] = {"default_rate": "10 Mb/s", "default_delay": "1 ms"}


def imported(path: Path, content: object, **options: Any) -> tuple[dict[str, Any], str]:
    """The tables and the text of the scenario of a file with this content."""
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    text = import_network(path, **options)
    Scenario.parse(text)
    return tomllib.loads(text), text


def node_link(edges: list[dict[str, object]], nodes: list[dict[str, object]], **about: object) -> dict[str, object]:
    return {"directed": False, "multigraph": False, "nodes": nodes, "links": edges, **about}


AB: list[dict[str, object]] = [{"id": "A"}, {"id": "B"}]
BOTH_WAYS: list[dict[str, object]] = [
    {"source": "A", "target": "B", "bw": 100, "ms": 2},
    {"source": "B", "target": "A", "bw": 100, "ms": 2},
]
READ: dict[str, Any] = {"rate": "bw", "rate_unit": "Mb/s", "delay": "ms", "delay_unit": "ms"}


def test_an_edge_that_is_there_twice_is_one_line_unless_the_file_is_a_multigraph(tmp_path: Path) -> None:
    found, _ = imported(tmp_path / "n.json", node_link(BOTH_WAYS, AB), **READ)
    assert found["line"] == {"A-B": {"between": ["A", "B"], "rate": "100 Mb/s", "delay": "2 ms"}}
    with pytest.raises(InputError, match=r"no multigraph and has this edge twice, with bw = 100 and 50; delete one"):
        imported(tmp_path / "n.json", node_link([BOTH_WAYS[0], {**BOTH_WAYS[1], "bw": 50}], AB), **READ)
    with pytest.raises(InputError, match="2 edges join these nodes"):
        imported(tmp_path / "n.json", node_link(BOTH_WAYS, AB, multigraph=True), **READ)


def test_opposite_arcs_of_a_directed_file_are_one_line(tmp_path: Path) -> None:
    edges = [BOTH_WAYS[0], {**BOTH_WAYS[1], "bw": 50}]
    found, _ = imported(tmp_path / "n.json", node_link(edges, AB, directed=True), **READ)
    assert found["line"]["A-B"]["rate"] == "100 Mb/s"
    assert found["line"]["A-B"]["reverse"]["rate"] == "50 Mb/s"


NATIVE = """\
?SNDlib native format; type: network; version: 1.0
META (
  unit = MBITPERSEC
  link-model = DIRECTED
)
NODES ( A ( 0.0 50.0 ) B ( 10.0 50.0 ) )
LINKS (
  L1 ( A B ) 40.0 0 0 0 ( )
  L2 ( B A ) 30.0 0 0 0 ( )
)
DEMANDS ( D1 ( A B ) 1 5.0 UNLIMITED )
"""
XML = """\
<?xml version="1.0"?>
<network xmlns="http://sndlib.zib.de/network" version="1.0">
 <meta><unit>MBITPERSEC</unit></meta>
 <networkStructure>
  <nodes coordinatesType="geographical">
   <node id="A"><coordinates><x>0.0</x><y>50.0</y></coordinates></node>
   <node id="B"><coordinates><x>10.0</x><y>50.0</y></coordinates></node>
  </nodes>
  <links>
   <link id="L1"><source>A</source><target>B</target>
    <preInstalledModule><capacity>40.0</capacity><cost>0</cost></preInstalledModule></link>
  </links>
 </networkStructure>
 <demands><demand id="D1"><source>A</source><target>B</target><demandValue>5.0</demandValue></demand></demands>
</network>
"""


def test_sndlib_says_its_unit_and_its_directions(tmp_path: Path) -> None:
    found, _ = imported(tmp_path / "net.txt", NATIVE)
    assert found["line"]["A-B"]["rate"] == "40 Mb/s"
    assert found["line"]["A-B"]["reverse"]["rate"] == "30 Mb/s"
    assert found["flow"]["A-B"]["traffic"] == {"cbr": {"rate": "5 Mb/s"}}


def test_sndlib_in_xml_is_the_same_network(tmp_path: Path) -> None:
    found, text = imported(tmp_path / "net.xml", XML)
    # 2 x 6371 km x asin(cos 50 x sin 5 degrees) = 714.2 km of the great circle.
    assert found["line"]["A-B"] == {"between": ["A", "B"], "rate": "40 Mb/s", "delay": "3.571 ms"}
    assert found["flow"]["A-B"]["traffic"] == {"cbr": {"rate": "5 Mb/s"}}
    assert "714 km at 5 us/km" in text
    with pytest.raises(InputError, match="link L1: there is no node C"):
        imported(tmp_path / "net.xml", XML.replace("<target>B</target>\n", "<target>C</target>\n"))
    with pytest.raises(InputError, match="this cannot be read as SNDlib's XML: ParseError"):
        imported(tmp_path / "net.xml", XML[:300])


REPETITA = """\
NODES 2
label x y
Berlin 13.4 52.5
Bonn 7.1 50.7

EDGES 2
label src dest weight bw delay
edge_0 0 1 1 1000000 2500
edge_1 1 0 1 1000000 2500
"""


def test_repetita_gives_rates_delays_and_demands(tmp_path: Path) -> None:
    demands = tmp_path / "one.demands"
    demands.write_text("DEMANDS 1\nlabel src dest bw\ndemand_0 0 1 640\n", encoding="utf-8")
    found, _ = imported(tmp_path / "one.graph", REPETITA, demands=demands)
    assert found["line"] == {"Berlin-Bonn": {"between": ["Berlin", "Bonn"], "rate": "1 Gb/s", "delay": "2.5 ms"}}
    assert found["flow"]["Berlin-Bonn"]["traffic"] == {"cbr": {"rate": "640 kb/s"}}
    with pytest.raises(InputError, match="line 8: there is no node 2: they have the numbers 0 to 1"):
        imported(tmp_path / "one.graph", REPETITA.replace("edge_0 0 1", "edge_0 0 2"))


def test_a_topology_of_hpcc_gives_rates_and_delays(tmp_path: Path) -> None:
    text = "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 25Gbps 0.001ms 0.000000\n"
    found, _ = imported(tmp_path / "topology.txt", text)
    assert {name: (line["rate"], line["delay"]) for name, line in found["line"].items()} == {
        "host-0-switch-2": ("100 Gb/s", "1 us"),
        "host-1-switch-2": ("25 Gb/s", "1 us"),
    }
    with pytest.raises(InputError, match="line 4: the line loses packets at random"):
        imported(tmp_path / "topology.txt", text.replace("0.000000", "0.01"))


HUB = {
    "directed": False,
    "multigraph": False,
    "graph": {"name": "hub", "demands": {"0": {"1": 5.0}, "1": {"0": 7.0}}},
    "nodes": [{"id": 0, "name": "A", "pos": [0.0, 50.0]}, {"id": 1, "name": "B", "pos": [10.0, 50.0]}],
    "edges": [{"source": 0, "target": 1, "dist": 714.7}],
}


def test_topohub_gives_demands_and_distances(tmp_path: Path) -> None:
    found, text = imported(tmp_path / "hub.json", HUB, default_rate="1 Gb/s", demand_unit="Mb/s")
    assert found["line"]["A-B"]["delay"] == "3.5735 ms"
    assert "715 km at 5 us/km" in text
    rates = {name: flow["traffic"]["cbr"]["rate"] for name, flow in found["flow"].items()}
    assert rates == {"A-B": "5 Mb/s", "B-A": "7 Mb/s"}
    with pytest.raises(InputError, match=r"demand 0 to 1 = 5\.0: this number has no unit; add --demand-unit Mb/s"):
        imported(tmp_path / "hub.json", HUB, default_rate="1 Gb/s")


def test_demands_that_are_no_table_are_refused(tmp_path: Path) -> None:
    for demands, told in (
        (3, "graph.demands = 3: this is no table of senders"),
        ({"0": 5}, "demands.0: this is no table"),
    ):
        content = {**HUB, "graph": {"demands": demands}}
        with pytest.raises(InputError, match=told):
            imported(tmp_path / "hub.json", content, default_rate="1 Gb/s", demand_unit="Mb/s")


def test_gzip_of_a_format_is_that_format(tmp_path: Path) -> None:
    (tmp_path / "hub.json.gz").write_bytes(gzip.compress(json.dumps(HUB).encode()))
    assert 'delay = "3.5735 ms"' in import_network(tmp_path / "hub.json.gz", default_rate="1 Gb/s", demand_unit="Mb/s")
    (tmp_path / "hub.json.gz").write_bytes(gzip.compress(json.dumps(HUB).encode())[:-20])
    with pytest.raises(InputError, match="the compressed file is damaged"):
        import_network(tmp_path / "hub.json.gz", default_rate="1 Gb/s")


def test_numbers_that_are_written_as_texts_are_numbers(tmp_path: Path) -> None:
    nodes: list[dict[str, object]] = [{"id": "a", "lat": "50.0", "lon": "0.0"}, {"id": "b", "lat": "50.0", "lon": "10"}]
    content = node_link([{"source": "a", "target": "b", "bandwidth": "10000000000"}], nodes)
    found, _ = imported(tmp_path / "n.json", content, rate="bandwidth", rate_unit="b/s")
    assert found["line"]["a-b"] == {"between": ["a", "b"], "rate": "10 Gb/s", "delay": "3.571 ms"}


@pytest.mark.parametrize(
    ("written", "rate"),
    [
        ("10Gbps", "10 Gb/s"),
        ("2.5G", "2.5 Gb/s"),
        ("1 Mbps", "1 Mb/s"),
        ("64 kbit/s", "64 kb/s"),
        ("1 Tb/s", "1000 Gb/s"),
    ],
)
def test_rates_as_other_tools_spell_them(tmp_path: Path, written: str, rate: str) -> None:
    content = node_link([{"source": "A", "target": "B", "speed": written}], AB)
    found, _ = imported(tmp_path / "n.json", content, rate="speed", default_delay="1 ms")
    assert found["line"]["A-B"]["rate"] == rate


def test_a_speed_of_the_zoo_without_its_raw_value_has_its_unit(tmp_path: Path) -> None:
    gml = 'graph [ node [ id 0 label "A" ] node [ id 1 label "B" ]\n'
    gml += 'edge [ source 0 target 1 LinkLabel "2.5 Gbps" LinkSpeed "2.5" LinkSpeedUnits "G" ] ]'
    found, _ = imported(tmp_path / "garr.gml", gml, default_delay="1 ms")
    assert found["line"]["A-B"]["rate"] == "2.5 Gb/s"


def test_ids_that_would_be_one_node_and_edges_to_no_node_are_refused(tmp_path: Path) -> None:
    twins: list[dict[str, object]] = [{"id": 0}, {"id": "0"}, {"id": "B"}]
    with pytest.raises(InputError, match='the number 0 and the text "0" would be one node'):
        imported(tmp_path / "n.json", node_link([{"source": 0, "target": "B"}], twins), **LINES)
    with pytest.raises(InputError, match="edge A - C: there is no node C; add the node, or delete the edge"):
        imported(tmp_path / "n.json", node_link([{"source": "A", "target": "C"}], AB), **LINES)
    graphml = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">'
    graphml += '<node id="a"/><edge source="a" target="b"/></graph></graphml>'
    with pytest.raises(InputError, match="edge a - b: there is no node b"):
        imported(tmp_path / "n.graphml", graphml, **LINES)


def test_the_flow_of_a_network_of_several_parts_is_in_the_largest(tmp_path: Path) -> None:
    nodes: list[dict[str, object]] = [{"id": name} for name in "ABCDE"]
    edges: list[dict[str, object]] = [{"source": one, "target": other} for one, other in ("AB", "CD", "DE")]
    found, text = imported(tmp_path / "n.json", node_link(edges, nodes), **LINES)
    assert [flow["from"] + flow["to"] for flow in found["flow"].values()] == [["E", "C"]]
    assert "# - flow: the network has 2 parts that no line joins. It is in the largest." in text


@pytest.mark.parametrize(
    "matrix",
    [
        "from,to,rate\nNew York,New York,0\nNew York,Chicago,10\n",
        "# a comment\nSource;Destination;Demand\nNew York;Chicago;10\n",
        ",New York,Chicago\nNew York,0,10\nChicago,0,0\n",
        ",New York,Chicago\nNew York,,10\nChicago,0,\n",
    ],
)
def test_matrices_as_people_write_them(tmp_path: Path, matrix: str) -> None:
    (tmp_path / "matrix.csv").write_text(matrix, encoding="utf-8")
    content = node_link([{"source": 1, "target": 2}], [{"id": 1, "name": "New York"}, {"id": 2, "name": "Chicago"}])
    found, _ = imported(tmp_path / "n.json", content, **LINES, demands=tmp_path / "matrix.csv", demand_unit="Mb/s")
    assert {name: flow["traffic"]["cbr"]["rate"] for name, flow in found["flow"].items()} == {
        "New York-Chicago": "10 Mb/s"
    }


def test_a_square_of_numbers_has_the_nodes_in_their_order(tmp_path: Path) -> None:
    net = {"nodes": [{"id": "B"}, {"id": "A"}], "links": [{"source": "A", "target": "B"}]}
    (tmp_path / "m.txt").write_text("# kb/s\n 0.0  640\n2e3 0\n", encoding="utf-8")
    found, text = imported(tmp_path / "n.json", net, demands=tmp_path / "m.txt", demand_unit="kb/s", **LINES)
    rates = {name: flow["traffic"]["cbr"]["rate"] for name, flow in found["flow"].items()}
    assert rates == {"B-A": "640 kb/s", "A-B": "2 Mb/s"}
    assert (
        "# - demands: the matrix has no names: its rows and columns are the nodes of the network in their order" in text
    )
    (tmp_path / "m.txt").write_text("0 1 2\n1 0 2\n1 2 0\n", encoding="utf-8")
    with pytest.raises(InputError, match="the square has 3 rows, and the network 2 nodes; name the nodes"):
        imported(tmp_path / "n.json", net, demands=tmp_path / "m.txt", demand_unit="kb/s", **LINES)


@pytest.mark.parametrize(
    ("square", "told"),
    [
        (",A,B\nA,0,1\nb,1,0\n", "m.csv, line 3: b: no column has the name of this row; add its column, or"),
        (",A,B\nA,0,1\n", "m.csv, line 1: B: no row has the name of this column; add it, or delete the column"),
        (",A\nA,0\nB,1\n", "m.csv, line 3: B: no column has the name of this row; add its column, or delete the row"),
        (",A,A\nA,0,1\nA,1,0\n", "m.csv, line 1: A: two columns have this name; delete one"),
        (",A,B\nA,0,1\nB,1,0\nA,1,0\n", "m.csv, line 4: A: two rows have this name; delete one"),
        ("MB/s,A,B\nA,0,1\nB,1,0\n", "m.csv, line 1: MB/s: this is no unit of a rate that is known here; there are"),
        ("rate (packets/s),A,B\nA,0,1\nB,1,0\n", "line 1: packets/s: this is no unit of a rate that is known here"),
        ("from,to,rate (kB/s)\nA,B,1\n", "m.csv, line 1: kB/s: this is no unit of a rate that is known here"),
        ("from,to,MBps\nA,B,1\n", "m.csv, line 1: MBps: this is no unit of a rate that is known here"),
    ],
)
def test_a_matrix_that_is_not_whole_names_its_place(tmp_path: Path, square: str, told: str) -> None:
    (tmp_path / "m.csv").write_text(square, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        imported(
            tmp_path / "n.json", node_link([{"source": "A", "target": "B"}], AB), demands=tmp_path / "m.csv", **LINES
        )
    assert told in str(refused.value)


def test_the_rows_of_a_square_have_any_order_and_empty_cells_are_no_demand(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("Mb/s;A;B;\nB;;;\nA;0;2;\n", encoding="utf-8")
    content = node_link([{"source": "A", "target": "B"}], AB)
    found, text = imported(tmp_path / "n.json", content, demands=tmp_path / "m.csv", **LINES)
    assert {name: flow["traffic"]["cbr"]["rate"] for name, flow in found["flow"].items()} == {"A-B": "2 Mb/s"}
    assert "# - demands: empty cells of the square, or NaN, no demand: 1\n" in text
    assert "# - flow: demands of rate 0, left out: 1\n" in text


def test_a_unit_is_not_guessed_where_other_rates_have_theirs(tmp_path: Path) -> None:
    content = node_link([{"source": "A", "target": "B"}], AB)
    for rows in ("from,to,rate\nA,B,2 kb/s\nB,A,300\n", "from,to,rate,unit\nA,B,2,kb/s\nB,A,300,\n"):
        (tmp_path / "m.csv").write_text(rows, encoding="utf-8")
        with pytest.raises(InputError, match="line 3: rate = 300: this number has no unit; add --demand-unit Mb/s"):
            imported(tmp_path / "n.json", content, demands=tmp_path / "m.csv", rate_unit="Mb/s", **LINES)
    (tmp_path / "m.csv").write_text("from,to,rate\nA,B,2\n", encoding="utf-8")
    _, text = imported(tmp_path / "n.json", content, demands=tmp_path / "m.csv", rate_unit="Mb/s", **LINES)
    assert "# - flow: demands are in Mb/s, as --rate-unit says: neither their file nor --demand-unit does\n" in text


def test_a_matrix_in_blanks_and_a_column_that_is_not_used(tmp_path: Path) -> None:
    matrix = tmp_path / "matrix.txt"
    matrix.write_text("src   dst  rate  hour\nA     B    10    7\n", encoding="utf-8")
    content = node_link([{"source": "A", "target": "B"}], AB)
    found, text = imported(tmp_path / "n.json", content, **LINES, demands=matrix, demand_unit="kb/s")
    assert found["flow"]["A-B"]["traffic"]["cbr"]["rate"] == "10 kb/s"
    assert "# - demands: columns that are not used: hour" in text


def test_labels_that_are_numbers_are_matched_before_ids_and_refused_if_both_fit(tmp_path: Path) -> None:
    matrix = tmp_path / "matrix.csv"
    nodes: list[dict[str, object]] = [{"id": 1, "label": 10}, {"id": 2, "label": 20}, {"id": 3, "label": 30}]
    edges: list[dict[str, object]] = [{"source": 1, "target": 2}, {"source": 2, "target": 3}]
    for pair in ("10,30", "1,3"):
        matrix.write_text(f"from,to,rate\n{pair},5\n", encoding="utf-8")
        found, _ = imported(tmp_path / "n.json", node_link(edges, nodes), **LINES, demands=matrix, demand_unit="kb/s")
        assert list(found["flow"]) == ["10-30"]
    nodes = [{"id": 1, "label": 2}, {"id": 2, "label": 3}, {"id": 3, "label": 1}]
    with pytest.raises(InputError, match="labels and the ids of the nodes both fit, and 1 is then 1 or 2"):
        imported(tmp_path / "n.json", node_link(edges, nodes), **LINES, demands=matrix, demand_unit="kb/s")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("deep.json", '{"nodes": ' + "[" * 100_000 + "]" * 100_000 + "}"),
        ("deep.gml", "graph [" + " a [" * 50_000),
        ("types.json", '{"nodes": [{"id": "a"}, 3], "edges": [7]}'),
        (
            "huge.json",
            '{"nodes": [{"id": "a"}, {"id": "b"}], "edges": [{"source": "a", "target": "b", "r": "1e999999999"}]}',
        ),
    ],
)
def test_whatever_a_library_raises_is_bad_input(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(InputError):
        import_network(tmp_path / name, rate="r", rate_unit="b/s", default_delay="1 ms")

"""`penstock import`: networks of other tools as scenario files. All files here are made by hand."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from penstock import InputError, Scenario, import_network, run

pytestmark = pytest.mark.in_process

Command = Callable[..., subprocess.CompletedProcess[str]]
Nodes = dict[str, dict[str, object]]
Edges = list[tuple[str, str, dict[str, object]]]

SNDLIB = """\
?SNDlib native format; type: network; version: 1.0
# three places, made by hand
META (
  granularity = 5min
)
NODES (
  A ( -84.38 33.75 )
  B ( -87.62 41.88 )
  C ( -95.00 29.70 )
)
LINKS (
  A_B ( A B ) 9920.00 0.00 0.00 133.00 ( 9920.00 133.00 39680.00 133.00 )
  B_C ( B C ) 0.00 0.00 0.00 133.00 ( 2480.00 133.00 )
)
DEMANDS (
  A_C ( A C ) 1 56.50 UNLIMITED
  C_B ( C B ) 2 10.00 UNLIMITED # twice the unit
)
"""
ZOO_NODES: Nodes = {
    "0": {"label": "Berlin", "Latitude": 52.52, "Longitude": 13.405},
    "1": {"label": "München", "Latitude": 48.137, "Longitude": 11.575},
    "2": {"label": "Frankfurt/Main", "Latitude": 50.11, "Longitude": 8.68},
}
ZOO_EDGES: Edges = [
    ("0", "1", {"LinkSpeedRaw": 1e10, "LinkLabel": "10 Gbit/s"}),
    ("1", "2", {"LinkSpeedRaw": 2.5e9}),
]
NODES: Nodes = {"a": {}, "b": {}, "c": {}}
EDGES: Edges = [("a", "b", {"capacity": 155.52, "latency": 2.0}), ("b", "c", {"capacity": 34.0, "latency": 0.5})]
UNITS: dict[str, Any] = {"rate": "capacity", "rate_unit": "Mb/s", "delay": "latency", "delay_unit": "ms"}


def graphml(file: Path, nodes: Nodes, edges: Edges, kind: str = "undirected") -> Path:
    """Writes GraphML as its schema has it, by hand."""
    types = {float: "double", int: "int", str: "string"}
    keys: dict[tuple[str, str], str] = {}
    for where, tables in (("node", nodes.values()), ("edge", [edge[2] for edge in edges])):
        for table in tables:
            for name, value in table.items():
                keys.setdefault((where, name), types[type(value)])
    lines = ['<?xml version="1.0" encoding="utf-8"?>', '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">']
    lines += [
        f'<key id="{where}-{name}" for="{where}" attr.name="{name}" attr.type="{type_}"/>'
        for (where, name), type_ in keys.items()
    ]
    lines.append(f'<graph edgedefault="{kind}">')

    def data(where: str, table: dict[str, object]) -> str:
        return "".join(f'<data key="{where}-{name}">{value}</data>' for name, value in table.items())

    lines += [f'<node id="{node}">{data("node", table)}</node>' for node, table in nodes.items()]
    lines += [f'<edge source="{one}" target="{other}">{data("edge", table)}</edge>' for one, other, table in edges]
    file.write_text("\n".join([*lines, "</graph>", "</graphml>"]), encoding="utf-8")
    return file


@pytest.fixture
def net(tmp_path: Path) -> Path:
    return graphml(tmp_path / "net.graphml", NODES, EDGES)


def tables(text: str) -> dict[str, Any]:
    Scenario.parse(text)
    return tomllib.loads(text)


def test_the_command_prints_a_scenario_that_is_valid_and_runs(penstock: Command, net: Path, tmp_path: Path) -> None:
    options = ["--rate", "capacity", "--rate-unit", "Mb/s", "--delay", "latency", "--delay-unit", "ms"]
    done = penstock("import", str(net), *options, "--duration", "10 ms")
    assert (done.returncode, done.stderr) == (0, "")
    made = tmp_path / "net.toml"
    made.write_text(done.stdout, encoding="utf-8")
    assert tables(done.stdout)["line"] == {
        "a-b": {"between": ["a", "b"], "rate": "155.52 Mb/s", "delay": "2 ms"},
        "b-c": {"between": ["b", "c"], "rate": "34 Mb/s", "delay": "500 us"},
    }
    assert penstock("check", str(made)).stdout == f"{made}: valid\n"
    assert penstock("run", str(made)).returncode == 0


def test_without_demands_there_is_one_greedy_flow_across_the_network(net: Path) -> None:
    text = import_network(net, **UNITS)
    assert "there are no demands" in text
    assert tables(text)["flow"] == {"c-a": {"from": ["c"], "to": ["a"], "traffic": {"greedy": {}}}}


def test_a_matrix_gives_constant_rates_and_greedy_flows(net: Path, tmp_path: Path) -> None:
    matrix = tmp_path / "matrix.csv"
    matrix.write_text("From, To, Rate\na,c,2.5\nb,a,64 kb/s\nc,b,\na,b,0\n\n", encoding="utf-8")
    text = import_network(net, **UNITS, demands=matrix, demand_unit="Mb/s")
    assert tables(text)["flow"] == {
        "a-c": {"from": ["a"], "to": ["c"], "traffic": {"cbr": {"rate": "2.5 Mb/s"}}},
        "b-a": {"from": ["b"], "to": ["a"], "traffic": {"cbr": {"rate": "64 kb/s"}}},
        "c-b": {"from": ["c"], "to": ["b"], "traffic": {"greedy": {}}},
    }
    assert "# - flow: demands of rate 0, left out: 1" in text
    matrix.write_text("from,to\na,c\n", encoding="utf-8")
    assert tables(import_network(net, **UNITS, demands=matrix))["flow"]["a-c"]["traffic"] == {"greedy": {}}


def test_a_file_of_the_topology_zoo_needs_no_options(tmp_path: Path) -> None:
    text = import_network(graphml(tmp_path / "Zoo.graphml", ZOO_NODES, ZOO_EDGES))
    lines = tables(text)["line"]
    # 504.2 and 303.9 km, by the law of cosines with the same radius.
    assert lines["Berlin-München"] == {"between": ["Berlin", "München"], "rate": "10 Gb/s", "delay": "2.522 ms"}
    assert lines["München-Frankfurt/Main"]["rate"] == "2.5 Gb/s"
    assert "# - 2 of 2 lines: distance at 5 us/km" in text
    assert '"Berlin-München" = {' in text
    assert "}  # 504 km at 5 us/km" in text


def test_gml_and_node_link_json_give_the_same_as_graphml(net: Path, tmp_path: Path) -> None:
    gml = 'graph [ node [ id 0 label "a" ] node [ id 1 label "b" ] node [ id 2 label "c" ]\n'
    gml += "edge [ source 0 target 1 capacity 155.52 latency 2 ]\nedge [ source 1 target 2 capacity 34 latency 0.5 ] ]"
    (tmp_path / "net.gml").write_text(gml, encoding="utf-8")
    for key in ("edges", "links"):
        content = {
            "directed": False,
            "multigraph": False,
            "graph": {},
            "nodes": [{"id": node} for node in NODES],
            key: [{"source": one, "target": other, **table} for one, other, table in EDGES],
        }
        (tmp_path / f"{key}.json").write_text(json.dumps(content), encoding="utf-8")
    wanted = tables(import_network(net, **UNITS))
    for name in ("net.gml", "edges.json", "links.json"):
        found = tables(import_network(tmp_path / name, **UNITS))
        assert (found["line"], found["flow"]) == (wanted["line"], wanted["flow"]), name


def test_sndlib_gives_capacities_modules_and_demands(tmp_path: Path) -> None:
    file = tmp_path / "three.txt"
    file.write_text(SNDLIB, encoding="utf-8")
    text = import_network(file, rate_unit="Mb/s", duration="5 ms")
    found = tables(text)
    assert {name: line["rate"] for name, line in found["line"].items()} == {"A-B": "9.92 Gb/s", "B-C": "2.48 Gb/s"}
    assert "# - 1 of 2 lines: no capacity is installed: the rate is that of the first module" in text
    assert {name: flow["traffic"]["cbr"]["rate"] for name, flow in found["flow"].items()} == {
        "A-C": "56.5 Mb/s",
        "C-B": "20 Mb/s",
    }
    assert all(run(Scenario.parse(text)).groups["sent"].to_list())


def test_two_directed_edges_are_one_line_with_two_rates_and_delays(tmp_path: Path) -> None:
    edges: Edges = [*EDGES, ("b", "a", {"capacity": 8, "latency": 2})]
    text = import_network(graphml(tmp_path / "net.graphml", NODES, edges, "directed"), **UNITS)
    line = Scenario.parse(text).tree["line"]["a-b"]
    assert (line["rate"], line["reverse"]["rate"]) == ("155.52 Mb/s", "8 Mb/s")
    assert line["reverse"]["queues"] == line["queues"]
    assert "# - 1 of 2 lines: the file has this direction only: the other is the same" in text
    edges[-1][2]["latency"] = 3
    text = import_network(graphml(tmp_path / "net.graphml", NODES, edges, "directed"), **UNITS)
    line = Scenario.parse(text).tree["line"]["a-b"]
    assert (line["delay"], line["reverse"]["delay"]) == ("2 ms", "3 ms")
    edges[-1][2]["capacity"] = 155.52
    text = import_network(graphml(tmp_path / "net.graphml", NODES, edges, "directed"), **UNITS)
    line = Scenario.parse(text).tree["line"]["a-b"]
    same = {key: line[key] for key in ("order", "queues", "scheduler")}
    assert line["reverse"] == {"rate": "auto", "delay": "3 ms", **same}


def test_parallel_edges_are_refused_or_merged(tmp_path: Path) -> None:
    file = graphml(tmp_path / "net.graphml", NODES, [*EDGES, ("b", "a", {"capacity": 8, "latency": 1})])
    with pytest.raises(
        InputError,
        match=r"edge a - b: 2 edges join these nodes.* ambiguous; if they are parallel, add --merge-parallel",
    ):
        import_network(file, **UNITS)
    text = import_network(file, **UNITS, merge_parallel=True)
    assert tables(text)["line"]["a-b"] == {"between": ["a", "b"], "rate": "163.52 Mb/s", "delay": "1 ms"}
    assert "2 parallel edges: the sum of their rates, the least of their delays" in text
    gml = "graph [ multigraph 1 node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] edge [ source 0 target 1 ] ]"
    (tmp_path / "net.gml").write_text(gml, encoding="utf-8")
    with pytest.raises(InputError, match="2 edges join these nodes"):
        import_network(tmp_path / "net.gml", default_rate="1 Mb/s", default_delay="1 ms")


def test_names_that_need_quotes_and_labels_that_are_not_unique(tmp_path: Path) -> None:
    nodes: Nodes = {
        "1": {"label": 'say "hi"'},
        "2": {"label": "a.b = [x] # y"},
        "3": {"label": "?"},
        "4": {"label": "?"},
    }
    edges: Edges = [("1", "2", {}), ("2", "3", {}), ("3", "4", {})]
    text = import_network(graphml(tmp_path / "n.graphml", nodes, edges), default_rate="1 Mb/s", default_delay="1 ms")
    ends = [line["between"] for line in Scenario.parse(text).tree["line"].values()]
    assert sorted(ends) == [["? (3)", "? (4)"], ["a.b = [x] # y", "? (3)"], ['say "hi"', "a.b = [x] # y"]]
    assert run(Scenario.parse(text)).groups["sent"].sum() > 0


def test_names_of_lines_that_clash_get_numbers(tmp_path: Path) -> None:
    nodes: Nodes = {"a": {}, "a-b": {}, "b-c": {}, "c": {}}
    edges: Edges = [("a", "b-c", {}), ("a-b", "c", {}), ("a", "c", {})]
    text = import_network(graphml(tmp_path / "n.graphml", nodes, edges), default_rate="1 Mb/s", default_delay="1 ms")
    assert sorted(tables(text)["line"]) == ["a-b-c", "a-b-c-2", "a-c"]


def test_two_nodes_whose_names_are_the_same_in_the_end_are_refused(tmp_path: Path) -> None:
    nodes: Nodes = {"1": {"label": "x"}, "2": {"label": "x"}, "3": {"label": "x (1)"}}
    file = graphml(tmp_path / "n.graphml", nodes, [("1", "2", {}), ("2", "3", {})])
    with pytest.raises(InputError, match=r"node 1 = x \(1\): two nodes have this name; give each node a label"):
        import_network(file, default_rate="1 Mb/s", default_delay="1 ms")


@pytest.mark.parametrize(
    ("edge", "options", "told"),
    [
        (
            {"latency": 1},
            UNITS,
            r"edge a - b: it has no attribute capacity: its attributes are latency, others",
        ),
        ({}, UNITS, "edge a - b: it has no attribute capacity: it has no attributes"),
        ({"capacitty": 1, "latency": 1}, UNITS, 'did you mean "capacitty"'),
        (
            {"capacity": 1, "latency": 1},
            {"rate": "capacity"},
            "capacity = 1.0: this number has no unit; add",
        ),
        ({"capacity": 1, "latency": 1}, {**UNITS, "delay_unit": ""}, "latency = 1.0: .*; add --delay-unit ms"),
        ({"capacity": -1, "latency": 1}, UNITS, "capacity = -1.0: this is less than zero"),
        ({"capacity": 1e300, "latency": 1}, UNITS, "capacity = 1e[+]300: this is too large"),
        ({"capacity": 0, "latency": 1}, UNITS, "edge a - b: its rate is less than 1 b/s"),
        (
            {"capacity": float("nan"), "latency": 1},
            UNITS,
            "capacity is NaN: its .* latency, others have capacity; give",
        ),
        (
            {"capacity": 1, "latency": 1},
            {},
            "its rate is not known: its attributes are capacity, latency; name",
        ),
        (
            {"capacity": 1, "latency": 1},
            {"rate": "capacity", "rate_unit": "Mb/s"},
            "its delay is not known: its attributes are capacity, latency; .* a latitude and a longitude",
        ),
        (
            {"capacity": 1, "latency": 1},
            {**UNITS, "rate_unit": "MB"},
            "--rate-unit = MB: there is no such unit",
        ),
        ({"capacity": 1, "latency": 1}, {**UNITS, "default_rate": "10"}, "--default-rate = 10: .*no unit; write it as"),
        ({"capacity": 1, "latency": 1}, {**UNITS, "duration": "x"}, 'becomes: --duration = "x"'),
    ],
)
def test_an_edge_without_a_usable_rate_or_delay_is_named(
    tmp_path: Path, edge: dict[str, object], options: dict[str, Any], told: str
) -> None:
    table = {name: float(value) if isinstance(value, int) else value for name, value in edge.items()}
    file = graphml(tmp_path / "n.graphml", NODES, [("a", "b", table), ("b", "c", {"capacity": 1.0, "latency": 1.0})])
    with pytest.raises(InputError, match=told):
        import_network(file, **options)


def test_texts_may_have_their_own_units(tmp_path: Path) -> None:
    edges: Edges = [("a", "b", {"capacity": "2.048 Mb/s", "latency": "5 ms"})]
    file = graphml(tmp_path / "n.graphml", NODES, edges)
    text = import_network(file, rate="capacity", delay="latency")
    assert tables(text)["line"]["a-b"] == {"between": ["a", "b"], "rate": "2.048 Mb/s", "delay": "5 ms"}
    assert "# - node: no edge ends at c: left out" in text
    edges[0][2]["capacity"] = "2 MB/s"
    with pytest.raises(InputError, match="capacity = 2 MB/s: MB/s is no unit that is known here: there are b/s, kb/s"):
        import_network(graphml(file, NODES, edges), rate="capacity", delay="latency")


@pytest.mark.parametrize(
    ("matrix", "told"),
    [
        ("from,to,rate\na,x,1\n", "matrix.csv, line 2: to = x: the network has no such node; there are a, b, c"),
        ("from,to,rate\na,c,1\nbb,c,1\n", 'line 3: from = bb: the network has no such node; did you mean "b"'),
        ("from,to,rate\na,c\n", "line 2: a,c: the line has 2 values, and the first line 3"),
        ("a,c,1\n", "line 1: a,c,1: this is a demand, and the line before it that names the columns is missing"),
        ("from,to,rate\na,a,1\n", "matrix.csv: all demands are from a node to itself; give one between two nodes"),
        ("from,to,rate\na,c,1\nb,c,1\na,c,2\n", "line 4: a to c: line 2 has this pair, too"),
        ("from,to,rate\na,c,-1\n", "line 2: rate = -1: this is less than zero"),
        ("from,to,rate\na,c,much\n", "line 2: rate = much: this is not a number"),
        ("from,to,rate\na,d,1\n", "line 2: a to d: no lines lead from the one to the other"),
        ("from,to,rate\n", "there is no demand"),
        ("", "the file is empty"),
    ],
)
def test_a_matrix_that_does_not_fit_is_refused_with_its_line(tmp_path: Path, matrix: str, told: str) -> None:
    nodes: Nodes = {**NODES, "d": {}, "e": {}}
    apart: Edges = [*EDGES, ("d", "e", {"capacity": 1, "latency": 1})] if "a,d" in matrix else EDGES
    edges: Edges = [
        (one, other, {name: float(str(value)) for name, value in table.items()}) for one, other, table in apart
    ]
    nodes = nodes if "a,d" in matrix else NODES
    (tmp_path / "matrix.csv").write_text(matrix, encoding="utf-8")
    with pytest.raises(InputError, match=told):
        import_network(graphml(tmp_path / "n.graphml", nodes, edges), **UNITS, demands=tmp_path / "matrix.csv")


def test_without_a_unit_a_demand_has_that_of_the_rates(tmp_path: Path, net: Path) -> None:
    matrix = tmp_path / "matrix.csv"
    matrix.write_text("from,to,rate\na,c,2\n", encoding="utf-8")
    assert tables(import_network(net, **UNITS, demands=matrix))["flow"]["a-c"]["traffic"]["cbr"]["rate"] == "2 Mb/s"
    edges: Edges = [("a", "b", {}), ("b", "c", {})]
    bare = graphml(tmp_path / "bare.graphml", NODES, edges)
    with pytest.raises(InputError, match="line 2: rate = 2: this number has no unit; add --demand-unit"):
        import_network(bare, default_rate="1 Mb/s", default_delay="1 ms", demands=matrix)


def test_only_zero_demands_are_no_traffic(tmp_path: Path, net: Path) -> None:
    matrix = tmp_path / "matrix.csv"
    matrix.write_text("from,to,rate\na,c,0\n", encoding="utf-8")
    with pytest.raises(InputError, match="all demands are zero"):
        import_network(net, **UNITS, demands=matrix)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("net.graphml", "<graphml", "this cannot be read as graphml: ParseError"),
        ("net.gml", "graph [ node [", "line 1: the file ends inside brackets; is a part of it missing"),
        ("net.json", "[1, 2]", "there is no list `nodes`"),
        ("net.json", '{"nodes": 3, "edges": []}', "there is no list `nodes`"),
        ("net.grapml", "x", "no format of a network that is known, .*; give .* ends in .graphml, .gml, .json"),
        ("net.xml", "<?xml?><!-- <a> -->\n<x:graphml/>", "looks like GraphML, .*; give .* ends in .graphml"),
        ("net.graphml", f"<!-- {'x' * 3000} --><graphml", "this cannot be read as graphml: ParseError"),
        ("net.gml", '<graphml xmlns="x"/>', "this looks like GraphML, and its name ends in .gml; give"),
        ("net.json", 'Creator "x"\ngraph [', "this looks like GML, and its name ends in .json; give"),
        ("net", '{"nodes": []}', "this looks like JSON, and its name ends in nothing that says so; give"),
        ("net.gexf", "<gexf>", "this looks like GEXF, which is not read; write the network as GraphML"),
        ("net.toml", 'duration = "1 s"\n[line]\n', "a scenario of Penstock, .*; use it as it is: penstock check"),
        ("net.toml", "x = 1", "this looks like TOML, which is not read"),
        ("net.txt", "x", "nor does the file begin as those of SNDlib"),
        ("net.json", '{"nodes": [{"id": "a"}], "edges": []}', "the network has no edge"),
        ("net.txt", SNDLIB.replace("A B )", "A X )", 1), "line 12: there is no node X"),
        ("net.txt", SNDLIB.replace("9920.00 0.00", "much 0.00"), 'line 12: "much" is not a number'),
        ("net.txt", SNDLIB.replace(" A B )", " A B", 1), 'line 12: there is "9920.00" instead of "\\)"'),
        ("net.txt", SNDLIB[:150], "the file ends inside a section"),
    ],
)
def test_a_file_of_another_form_is_refused(tmp_path: Path, name: str, content: str, told: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=told):
        import_network(tmp_path / name, rate_unit="Mb/s")


def test_an_edge_to_itself_is_left_out_with_a_note(tmp_path: Path) -> None:
    text = import_network(graphml(tmp_path / "n.graphml", NODES, [("a", "a", {}), *EDGES]), **UNITS)
    assert sorted(tables(text)["line"]) == ["a-b", "b-c"]
    assert "# - edge: from a node to itself, left out, for no PDU would use it: a - a" in text
    with pytest.raises(InputError, match="the network has no edge between two nodes"):
        import_network(graphml(tmp_path / "n.graphml", NODES, [("a", "a", {})]), **UNITS)


def test_a_missing_file_is_bad_input(penstock: Command) -> None:
    done = penstock("import", "none.graphml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "penstock: none.graphml: there is no such file; check its name\n"


def test_without_networkx_the_error_says_how_to_install_it(net: Path) -> None:
    code = "import sys; sys.modules['networkx'] = None; from penstock import cli; sys.exit(cli.main(sys.argv[1:]))"
    done = subprocess.run([sys.executable, "-c", code, "import", str(net)], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "networkx, which is not installed; install it: python -m pip install networkx" in done.stderr


def test_networkx_is_imported_only_when_it_is_used() -> None:
    code = (
        "import sys, penstock.importing, penstock.cli.networks, penstock.show.network; print('networkx' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_the_paths_that_flows_take_are_told_where_there_are_several(tmp_path: Path) -> None:
    ring: Edges = [*EDGES, ("a", "c", {"capacity": 2.0, "latency": 90.0})]
    text = import_network(graphml(tmp_path / "n.graphml", NODES, ring), **UNITS)
    assert "# - flow: paths have the fewest lines, of equal ones the first by name; routes = " in text
    Scenario.parse('routes = "least_delay"\n' + text)
    assert "routes" not in import_network(graphml(tmp_path / "m.graphml", NODES, EDGES), **UNITS)

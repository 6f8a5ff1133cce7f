"""What a network's file and the options of `penstock import` say: used, named or refused, case by case."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
from imported_files import matrix_in, outcome

from penstock import InputError, import_network

pytestmark = pytest.mark.in_process
FILLED: dict[str, Any] = {"default_rate": "1 Gb/s", "default_delay": "1 ms"}
TWO = '{"id": "a"}, {"id": "b"}'
NATIVE = """\
?SNDlib native format; type: network; version: 1.0
META ( unit = {unit} )
NODES ( A ( 1 50 ) B ( 2 50 ) )
LINKS ( L ( A B ) 100 0 0 0 ( ) )
DEMANDS ( D ( A B ) 1 5 UNLIMITED )
"""
HUB = ', "graph": {"demands": {"a": {"b": 5}}, {unit}}'
REPETITA = "NODES 2\nlabel x y\nA 1 50\nB 2 50\nEDGES 1\nlabel src dest weight bw delay\ne 0 1 7 1000 2500\n"


def imported(folder: Path, name: str, content: str, matrix: str = "", **options: Any) -> str:
    """What a file with this content becomes, or why it is refused."""
    return outcome(folder / name, content, **{**FILLED, **matrix_in(folder, matrix), **options})


def json_of(link: str = "", nodes: str = TWO, more: str = "") -> str:
    """Node-link JSON of two nodes and one edge with these attributes."""
    return f'{{"nodes": [{nodes}], "links": [{{"source": "a", "target": "b"{link}}}]{more}}}'


def test_a_length_is_no_time_whatever_the_unit_of_delays(tmp_path: Path) -> None:
    hub = json_of(', "dist": 714.7', more=', "graph": {"demands": {}}')
    for options in ({}, {"delay": "dist"}):
        text = imported(tmp_path, "hub.json", hub, delay_unit="ms", **options)
        assert 'delay = "3.5735 ms"' in text
        assert "# - 1 of 1 lines: dist is a length in km, so not in --delay-unit ms\n" in text


def test_a_unit_of_the_format_that_an_option_replaces_is_named(tmp_path: Path) -> None:
    demands = "DEMANDS 1\nlabel src dest bw\nd 0 1 640\n"
    text = imported(tmp_path, "net.graph", REPETITA, demands, delay_unit="ms", demand_unit="b/s")
    assert 'delay = "2.5 s"' in text
    assert "# - 1 of 1 lines: --delay-unit ms instead of the file's us\n" in text
    assert 'cbr = { rate = "640 b/s" }' in text
    assert "# - flow: --demand-unit b/s instead of the file's kb/s\n" in text


@pytest.mark.parametrize("unit", ["Mb/s", "mbitpersec", "MBITPERSEC", "Mbps"])
def test_sndlib_spells_its_unit_in_several_ways(tmp_path: Path, unit: str) -> None:
    text = imported(tmp_path, "net.txt", NATIVE.replace("{unit}", unit))
    assert 'rate = "100 Mb/s"' in text
    assert 'cbr = { rate = "5 Mb/s" }' in text


def test_a_unit_of_sndlib_that_is_not_known_is_named(tmp_path: Path) -> None:
    native = NATIVE.replace("{unit}", "FOO")
    assert "FOO is no unit that is known here" in imported(tmp_path, "net.txt", native)
    text = imported(tmp_path, "net.txt", native, rate_unit="kb/s", demand_unit="kb/s")
    assert "--rate-unit kb/s instead of the file's FOO" in text
    assert "--demand-unit kb/s instead of the file's FOO" in text


def test_the_unit_of_a_speed_of_the_zoo_is_used(tmp_path: Path) -> None:
    zoo = 'graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 LinkSpeed "10" LinkSpeedUnits "G" Note "x" ] ]'
    text = imported(tmp_path, "net.gml", zoo)
    assert 'rate = "10 Gb/s"' in text
    assert "# - edge: attributes that are not used: Note\n" in text
    text = imported(tmp_path, "net.gml", zoo, rate_unit="Mb/s")
    assert "# - 1 of 1 lines: --rate-unit Mb/s is for numbers: LinkSpeed has its own unit\n" in text


@pytest.mark.parametrize(
    ("matrix", "told"),
    [
        (
            "from,to,rate,unit\na,b,5 Gb/s,Mbps\n",
            "line 2: rate = 5 Gb/s: two units are stated for this rate, Gb/s and Mb",
        ),
        ("from,to,rate (kb/s),unit\na,b,5,Mbps\n", "two units are stated for this rate, Mbps and kb/s"),
        ("from,to,rate,unit\na,b,5 Mb/s,Mbps\n", 'cbr = { rate = "5 Mb/s" }'),
        ("from,to,rate\na,b,1_000\n", "this is not a number: decimals follow a point, and nothing separates thousands"),
        ("from,to,rate\na,b,1_000 Mb/s\n", "this is not a number: decimals follow a point"),
        ("from,to,rate\na,b,10 gbps\n", 'cbr = { rate = "10 Gb/s" }'),
        ("from,to,rate\na,b,10 GBPS\n", "GBPS may be bits or octets: write Gb/s for bits"),
    ],
)
def test_a_rate_of_a_matrix_has_one_unit(tmp_path: Path, matrix: str, told: str) -> None:
    assert told in imported(tmp_path, "net.json", json_of(), matrix, demand_unit="Mb/s")


@pytest.mark.parametrize(
    ("link", "options", "told"),
    [
        ('"bw": "10_000"', {"rate": "bw", "rate_unit": "Mb/s"}, "nothing separates thousands"),
        ('"bw": 10', {"rate": "bw", "rate_unit": "Gbps"}, 'rate = "10 Gb/s"'),
        ('"bw": 2', {"rate": "bw", "rate_unit": "Tb/s"}, 'rate = "2000 Gb/s"'),
        ('"bw": 2', {"rate": "bw", "rate_unit": "MB/s"}, "--rate-unit = MB/s: there is no such unit"),
        ('"bandwidth_gbps": 10', {"rate": "bandwidth_gbps"}, 'rate = "10 Gb/s"'),
        ('"delay_ms": 5', {"delay": "delay_ms"}, 'delay = "5 ms"'),
        ('"delay_ms": 5', {"delay": "delay_ms", "delay_unit": "us"}, "--delay-unit us instead of the file's ms"),
        ('"delay": "5 µs"', {"delay": "delay"}, 'delay = "5 us"'),
        ('"delay": "5 msec"', {"delay": "delay"}, 'delay = "5 ms"'),
        ('"delay": "5 sec"', {"delay": "delay"}, 'delay = "5 s"'),
        ('"delay": 5', {"delay": "delay", "delay_unit": "microseconds"}, 'delay = "5 us"'),
    ],
)
def test_units_are_spelt_as_other_tools_do(tmp_path: Path, link: str, options: dict[str, str], told: str) -> None:
    assert told in imported(tmp_path, "net.json", json_of(f", {link}"), **options)


TWINS = """\
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="d0" for="edge" attr.name="bw" attr.type="int"/>
<key id="d1" for="edge" attr.name="{name}" attr.type="{kind}"/><graph edgedefault="undirected"><desc>x</desc>
<node id="a"><port name="p"/></node><node id="b"/><edge source="a" target="b">
<data key="d0">{whole}</data><data key="d1">{decimal}</data></edge>{again}</graph></graphml>
"""


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"name": "bw"}, "edge a - b: the keys d0 and d1 are both called bw; give each key its own name"),
        ({"whole": "100.5"}, "edge a - b, bw = 100.5: this is no whole number, and its key says"),
        ({"name": "x", "kind": "boolean", "decimal": "10"}, "edge a - b, x = 10: this is no truth value"),
        ({"whole": "1_0"}, "edge a - b, bw = 1_0: this is no whole number, and its key says"),
        (
            {"decimal": "10,5"},
            "edge a - b, ms = 10,5: this is no number, and its key says that it is of the type double",
        ),
        (
            {},
            "# - network: descriptions that are not used: those of graph\n# - network: ports that are not used: ",
        ),
        (
            {"again": '<edge source="b" target="a"><data key="d0">8</data></edge>'},
            "if they are one line, delete all but",
        ),
    ],
)
def test_values_of_graphml_are_kept_apart(tmp_path: Path, values: dict[str, str], told: str) -> None:
    file = TWINS.format(**{"name": "ms", "kind": "double", "whole": "7", "decimal": "2.5", "again": "", **values})
    assert told in imported(tmp_path, "net.graphml", file)


def test_an_edge_of_graphml_that_is_there_twice_is_one_line_unless_edges_have_ids(tmp_path: Path) -> None:
    edge = '<edge source="a" target="b"/>'
    twice = f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph><node id="a"/><node id="b"/>{edge}{edge}'
    text = imported(tmp_path, "net.graphml", f"{twice}</graph></graphml>")
    assert "# - 1 of 1 lines: the file has this edge 2 times, with equal attributes: one line\n" in text
    parallel = twice.replace("<edge", '<edge id="x"', 1).replace("/><edge s", '/><edge id="y" s')
    assert "2 edges join these nodes" in imported(tmp_path, "net.graphml", f"{parallel}</graph></graphml>")
    text = imported(tmp_path, "net.graphml", f"{parallel}</graph></graphml>", merge_parallel=True)
    assert 'rate = "2 Gb/s"' in text


@pytest.mark.parametrize(
    ("more", "key", "told"),
    [
        ("", "", "the file has this edge 2 times, with equal attributes: one line"),
        (', "multigraph": false', "", "the file has this edge 2 times, with equal attributes: one line"),
        ("", ', "key": 1', "2 edges join these nodes"),
        (', "multigraph": true', "", "2 edges join these nodes"),
    ],
)
def test_json_says_with_its_keys_that_edges_are_parallel(tmp_path: Path, more: str, key: str, told: str) -> None:
    edge = '{"source": "b", "target": "a"'
    again = json_of(more=more).replace('[{"source"', f'[{edge}{key}}}, {{"source"')
    assert told in imported(tmp_path, "net.json", again)


@pytest.mark.parametrize(
    ("rates", "told"),
    [
        ('{"a": {"b": 0}}', "all demands are zero"),
        ('{"a": {"b": null}}', "demands.a.b: this demand is null; give it a rate, or delete it"),
        ('{"a": {"a": 0, "b": 5}}', "# - flow: demands of rate 0, left out: 1\n"),
    ],
)
def test_demands_of_topohub_that_are_no_traffic_are_no_flow(tmp_path: Path, rates: str, told: str) -> None:
    hub = json_of(more=f', "graph": {{"demands": {rates}}}')
    assert told in imported(tmp_path, "hub.json", hub, demand_unit="Mb/s")


@pytest.mark.parametrize(
    ("nodes", "told"),
    [
        ('{"id": "a", "label": "b"}, {"id": "b"}', "value: several nodes have this label, name or id: b, b (a)"),
        ('{"id": "a", "label": "A"}, {"id": "b", "label": "b", "name": "A"}', "several nodes have this label"),
    ],
)
def test_a_word_that_means_two_nodes_is_refused(tmp_path: Path, nodes: str, told: str) -> None:
    matrix = "from,to,rate\nA,b,5\n" if '"A"' in nodes else "from,to,rate\nb,b,5\n"
    text = imported(tmp_path, "net.json", json_of(nodes=nodes), matrix, demand_unit="Mb/s")
    assert told.removeprefix("value: ") in text


def test_a_matrix_may_use_the_name_of_a_node_that_has_a_label(tmp_path: Path) -> None:
    nodes = '{"id": "a", "label": "A", "name": "Aachen"}, {"id": "b"}'
    text = imported(tmp_path, "net.json", json_of(nodes=nodes), "from,to,rate\nAachen,b,5\n", demand_unit="Mb/s")
    assert 'A-b = { from = ["A"], to = ["b"]' in text
    assert "# - node: a label and another name, which only a matrix may use: those of 1 node, a\n" in text


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        (
            "n.gml",
            'graph [ node [ id 0 label "x" label "y" ] node [ id 1 ] edge [ source 0 target 1 ] ]',
            "node 0, label",
        ),
        ("n.json", json_of(nodes='{"id": "a", "label": true}, {"id": "b"}'), "node a, label = True: this is no name"),
        (
            "n.json",
            json_of(nodes='{"id": "a", "lat": 1, "Lat": 2, "lon": 1}, {"id": "b"}'),
            "node a: it has two places: Lat = 2 and lat = 1; delete one of the two",
        ),
        (
            "n.gml",
            "graph [ node [ id 0 lat 5 lat 1 lon 3 ] node [ id 1 ] edge [ source 0 target 1 ] ]",
            "node 0: it has two places: lat = [5, 1]; delete one of the two",
        ),
        (
            "n.graphml",
            '<graphml><graph edgedefault="undirected"><node id="a"/><node id="b"/><edge source="a" target="b"/>'
            '<edge source="b" target="a" directed="true"/></graph></graphml>',
            "edge b - a: this edge is directed, and the edgedefault of the graph is undirected; write an undirected",
        ),
        ("n.gml", "graph [ node [ id 0 ] node [ id 0 ] ]", "nodes: there are two nodes with the id 0; give one"),
        ("n.json", json_of(nodes='{"id": "a", "latitude": "1.0", "lat": 1}, {"id": "b"}'), "[line]"),
        ("n.json", '{"nodes": [{"id": "a"}], "links": [{"target": "a"}]}', "links[0]: this edge has no source;"),
        (
            "n.gml",
            "graph [ node [ id 0 ] edge [ source 0 target 7 ] ]",
            "edge 0 - 7: there is no node 7; add the node, or",
        ),
        ("n.graph", f"# a comment\n{REPETITA}", 'rate = "1 Mb/s"'),
        ("n.txt", "# hosts\n2 0 1\n# links\n0 1 10Gbps 1us 0\n", 'rate = "10 Gb/s"'),
        ("n.txt", "3 0 2\n0 1 10Gbps 1us\n1 2 10Gbps 1us\n", "line 2: the line ends before the share of lost packets"),
    ],
)
def test_the_place_and_the_remedy_of_what_is_refused(tmp_path: Path, name: str, content: str, told: str) -> None:
    assert told in imported(tmp_path, name, content)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (json_of(more=', "graph": [["rate_unit", "Mb/s"]]'), "# - network: said of the whole, and not used: graph\n"),
        (json_of(more=', "graph": [], "demands": {"a": 5}'), "# - network: said of the whole, and not used: demands\n"),
        (json_of(nodes='{"id": true}, {"id": "b"}'), "nodes, id = true: this is no id of a node; write a number or"),
        (json_of(nodes='{"id": 1}, {"id": "b"}').replace('"a"', "true"), "links, source = true: this is no id of a"),
        (json_of(nodes='{"id": {"a": 1}}, {"id": "b"}'), 'nodes, id = {"a": 1}: this is no id of a node'),
        (json_of(more=HUB.replace("{unit}", '"demandUnit": "Gb/s"')), 'a-b = { from = ["a"], to = ["b"], traffic.cbr'),
        (json_of(more=HUB.replace("{unit}", '"demandUnit": "Gb/s"')), 'rate = "5 Gb/s"'),
        (json_of(more=HUB.replace("{unit}", '"demands_units": "cars/s"')), "cars/s is no unit that is known here"),
        (
            json_of(more=HUB.replace("{unit}", '"demandUnit": "Gb/s", "demand_unit": "Mb/s"')),
            "demandUnit and demand_unit = Gb/s and Mb/s: two units are stated for demands; delete one",
        ),
    ],
)
def test_what_json_says_beside_nodes_and_edges(tmp_path: Path, content: str, told: str) -> None:
    assert told in imported(tmp_path, "n.json", content)


def test_what_a_file_says_of_the_whole_network_is_named(tmp_path: Path) -> None:
    text = imported(tmp_path, "n.json", json_of(more=', "graph": {"rate_unit": "Mb/s"}, "author": "x"'))
    assert "# - network: said of the whole, and not used: rate_unit, author\n" in text
    text = imported(tmp_path, "n.gml", "graph [ comment 3 node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]")
    assert "# - network: said of the whole, and not used: comment\n" in text
    beside = (
        'Creator "a [ b" # c\nVersion 1 graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ] about [ x 1 ]'
    )
    text = imported(tmp_path, "n.gml", beside)
    assert "# - network: said of the whole, and not used: Creator, Version, about\n" in text
    text = imported(tmp_path, "n.txt", NATIVE.replace("{unit}", "MBITPERSEC granularity = 5min"))
    assert "# - network: said of the whole, and not used: granularity\n" in text


@pytest.mark.parametrize(
    ("link", "told"),
    [
        ('"bw": "1.5 b/s"', "# - 1 of 1 lines: its rate is rounded to whole b/s\n"),
        ('"bw": "1000000000.25 b/s"', "# - 1 of 1 lines: its rate is rounded to whole b/s\n"),
        ('"bw": "0.7 b/s"', "its rate is less than 1 b/s"),
        ('"bw": "1 b/s", "t": "0.4 ns"', "# - 1 of 1 lines: its delay is rounded to whole ns\n"),
    ],
)
def test_what_is_rounded_is_named(tmp_path: Path, link: str, told: str) -> None:
    assert told in imported(tmp_path, "n.json", json_of(f", {link}"), rate="bw", delay="t" if '"t"' in link else "")


@pytest.mark.parametrize(
    ("matrix", "told"),
    [
        ("from,to,rate\na,b,1.5 b/s\n", "# - flow: rates that are rounded to whole b/s: 1\n"),
        ("from,to,rate\na,b,0.0333333333 Gb/s\n", "# - flow: rates that are rounded to whole b/s: 1\n"),
        ("from,to,rate\na,b,0.5 b/s\n", "line 2: rate = 0.5 b/s: this is less than 1 b/s"),
        ("Mb/s,a,b\na,0,5\nb,5,0\n", 'cbr = { rate = "5 Mb/s" }'),
        (
            "from,to,rate (kb/s)\na,b,5 Mb/s\nb,a,7 kbps\n",
            "# - flow: rates with a unit of their own instead of kb/s: 1, in Mb/s\n",
        ),
        ("node,a,b\na,0,5 Mb/s\nb,0 b/s,0\n", "# - demands: the corner of the square, not used: node\n"),
    ],
)
def test_small_rates_and_the_corner_of_a_square(tmp_path: Path, matrix: str, told: str) -> None:
    assert told in imported(tmp_path, "n.json", json_of(), matrix, rate_unit="b/s" if "node" in matrix else "")


def test_a_delay_of_a_length_is_inferred_and_not_rounded(tmp_path: Path) -> None:
    hub = json_of(', "dist": 714.71234567', more=', "graph": {"demands": {}}')
    placed = json_of(nodes='{"id": "a", "lat": 1, "lon": 2}, {"id": "b", "lat": 1, "lon": 3}')
    for file in (hub, placed):
        text = imported(tmp_path, "n.json", file)
        assert "km at 5 us/km\n" in text
        assert "rounded" not in text


def test_a_compressed_file_that_is_cut_is_said_to_be(tmp_path: Path) -> None:
    file = tmp_path / "n.json.gz"
    file.write_bytes(gzip.compress(json_of().encode())[:-12])
    with pytest.raises(InputError, match=r"the compressed file is damaged: .*copy it again"):
        import_network(file)


def test_a_default_of_a_key_for_all_parts_is_a_value(tmp_path: Path) -> None:
    key = '<key id="d" for="all" attr.name="bw" attr.type="double"><default>7</default></key>'
    graph = '<graph edgedefault="undirected"><node id="a"/><node id="b"/><edge source="a" target="b"/></graph>'
    file = f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{key}{graph}</graphml>'
    assert 'rate = "7 Mb/s"' in imported(tmp_path, "net.graphml", file, rate="bw", rate_unit="Mb/s")


def test_a_number_and_the_text_of_it_are_equal_in_edges_that_are_there_twice(tmp_path: Path) -> None:
    for again in ('"1"', "1.0"):
        links = f'"bw": 1}}, {{"source": "b", "target": "a", "bw": {again}'
        text = imported(tmp_path, "net.json", json_of(f", {links}", more=', "multigraph": false'))
        assert "the file has this edge 2 times, with equal attributes: one line" in text

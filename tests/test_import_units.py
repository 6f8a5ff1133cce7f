"""The units that a file states, in values, beside them and in names: each is followed, named or refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from imported_files import matrix_in, outcome

from penstock import InputError, import_network

NODES = [{"id": "a"}, {"id": "b"}]


def imported(folder: Path, edge: dict[str, object], matrix: str = "", **options: Any) -> str:
    """The scenario of a network with this edge, or the error."""
    content = {"nodes": NODES, "links": [{"source": "a", "target": "b", **edge}]}
    filled = {"default_rate": "1 Gb/s", "default_delay": "1 ms", **matrix_in(folder, matrix), **options}
    return outcome(folder / "n.json", json.dumps(content), **filled)


@pytest.mark.parametrize(
    ("name", "unit", "told"),
    [
        ("capacity_mbps", "", 'rate = "5 Mb/s"'),
        ("capacityMbps", "", 'rate = "5 Mb/s"'),
        ("capacitymbps", "", 'rate = "5 Mb/s"'),
        ("capacity-kbps", "", 'rate = "5 kb/s"'),
        ("capacity [Gb/s]", "", 'rate = "5 Gb/s"'),
        ("capacity (G)", "", "# - 1 of 1 lines: G is read as Gb/s\n"),
        ("capacityMbps", "Gb/s", "# - 1 of 1 lines: --rate-unit Gb/s instead of the file's Mbps\n"),
        ("bw_furlongs", "", "bw_furlongs = 5: this number has no unit; add --rate-unit Mb/s"),
        ("bw_furlongs", "Mb/s", "the name of bw_furlongs ends in furlongs, which is no unit of a rate: --rate-unit"),
        ("bw_ms", "Mb/s", "the name of bw_ms ends in ms, which is no unit of a rate: --rate-unit Mb/s\n"),
        ("bw_MBps", "Mb/s", "bw_MBps = 5: its name ends in MBps, which is no unit that is known here: there are b/s"),
        (
            "CAPACITY_GBPS",
            "",
            "GBPS, which may be bits or octets; add --rate-unit Gb/s if they are bits",
        ),
        ("speedKBPS", "", "its name ends in KBPS, which may be bits or octets; add --rate-unit kb/s if they are bits"),
        ("BWGBPS", "", "BWGBPS = 5: its name ends in GBPS, which may be bits or octets; add --rate-unit Gb/s if they"),
        ("BW (MB/S)", "", "its name ends in MB/S, which may be bits or octets; add --rate-unit Mb/s if they are bits"),
        (
            "CAPACITY_GBPS",
            "Gb/s",
            "the name of CAPACITY_GBPS ends in GBPS, in capitals: --rate-unit Gb/s\n",
        ),
        ("CAPACITY_GBPS", "Mb/s", 'rate = "5 Mb/s"'),
        ("BWGBPS", "Mb/s", "# - 1 of 1 lines: the name of BWGBPS ends in GBPS, in capitals: --rate-unit Mb/s\n"),
        ("CAPACITY_MBYTES", "Mb/s", "its name ends in MBYTES, which is no unit that is known here: there are b/s"),
        ("speed_Gbit_s", "", 'rate = "5 Gb/s"'),
        ("speed_Gbit_s", "Mb/s", "# - 1 of 1 lines: --rate-unit Mb/s instead of the file's Gbit/s\n"),
        ("speedGbit_s", "", 'rate = "5 Gb/s"'),
        ("rate_kbits_per_sec", "", 'rate = "5 kb/s"'),
        ("bw Mb per s", "", 'rate = "5 Mb/s"'),
        ("MBps", "Mb/s", "MBps = 5: its name ends in MBps, which is no unit that is known here: there are b/s"),
        (
            "bw_MB_s",
            "Mb/s",
            "its name ends in MB/s, which is no unit that is known here: there are b/s",
        ),
        ("bw", "x", "--rate-unit = x: there is no such unit; there are b/s, kb/s, Mb/s, Gb/s, Tb/s"),
        ("bw", "Tb/s", 'rate = "5000 Gb/s"'),
        ("bw_pps", "Mb/s", "the name of bw_pps ends in pps, which is no unit of a rate"),
        ("bw_m", "Mb/s", "the name of bw_m ends in m, which is no unit of a rate: --rate-unit Mb/s\n"),
        ("bw_G", "", "bw_G = 5: this number has no unit"),
        ("bw_b", "", "bw_b = 5: this number has no unit"),
    ],
)
def test_a_unit_in_the_name_of_a_rate(tmp_path: Path, name: str, unit: str, told: str) -> None:
    assert told in imported(tmp_path, {name: 5}, rate=name, rate_unit=unit)


@pytest.mark.parametrize(
    ("name", "unit", "told"),
    [
        ("delay_us", "", 'delay = "5 us"'),
        ("delay_s", "", 'delay = "5 s"'),
        ("delayMs", "", 'delay = "5 ms"'),
        ("delay in ms", "", 'delay = "5 ms"'),
        ("DELAY_MS", "", 'delay = "5 ms"'),
        ("ms", "", 'delay = "5 ms"'),
        ("LATENCY (US)", "ms", "# - 1 of 1 lines: --delay-unit ms instead of the file's us\n"),
        ("DELAY_S", "", "DELAY_S = 5: this number has no unit; add --delay-unit ms"),
        ("length_km", "", 'delay = "25 us" }'),
        ("length_km", "ms", "length_km is a length in km, so not in --delay-unit ms"),
        ("delay_xyz", "ms", "the name of delay_xyz ends in xyz, which is no unit of a delay: --delay-unit ms\n"),
        ("length_m", "us", "the name of length_m ends in m, which is no unit of a delay: --delay-unit us\n"),
        (
            "length_m",
            "",
            "length_m = 5: this number has no unit; add --delay-unit km if it is a length in km, or --del",
        ),
        ("lengthKm", "", 'delay = "25 us" }'),
        ("LENGTH_KM", "", 'delay = "25 us" }'),
        ("spanKM", "", 'delay = "25 us" }'),
        ("Length (Km)", "", 'delay = "25 us" }'),
        ("length in km", "", 'delay = "25 us" }'),
        ("km", "", 'delay = "25 us" }  # no rate that is known: --default-rate; 5 km at 5 us/km\n'),
        ("LENGTH_KM", "ms", "LENGTH_KM is a length in KM, so not in --delay-unit ms"),
        ("distance", "km", 'delay = "25 us" }  # no rate that is known: --default-rate; 5 km at 5 us/km\n'),
        ("length", "Km", 'delay = "25 us" }  # no rate that is known: --default-rate; 5 km at 5 us/km\n'),
        ("delay", "km", 'delay = "25 us" }  # no rate that is known: --default-rate; 5 km at 5 us/km\n'),
        ("delay_ms", "km", "# - 1 of 1 lines: --delay-unit km instead of the file's ms\n"),
        ("length_km", "KM", 'delay = "25 us" }  # no rate that is known: --default-rate; 5 km at 5 us/km\n'),
        ("distance", "ms", "# - 1 of 1 lines: distance is called a length, and read as a time: --delay-unit ms\n"),
        ("fibre_len", "ms", "# - 1 of 1 lines: fibre_len is called a length, and read as a time"),
        ("distance", "", "this number has no unit; add --delay-unit km if it is a length in km, or --delay-unit ms if"),
        ("lag", "", "lag = 5: this number has no unit; add --delay-unit ms"),
        ("lag", "miles", "--delay-unit = miles: there is no such unit; there are ns, us, ms, s, km"),
    ],
)
def test_a_unit_in_the_name_of_a_delay(tmp_path: Path, name: str, unit: str, told: str) -> None:
    assert told in imported(tmp_path, {name: 5}, delay=name, delay_unit=unit)


def test_the_name_of_a_quantity_is_no_doubtful_unit(tmp_path: Path) -> None:
    text = imported(tmp_path, {"link_capacity": 5, "LinkSpeedRaw": 6}, rate="link_capacity", rate_unit="Mb/s")
    assert "which is no unit" not in text


@pytest.mark.parametrize(
    ("edge", "unit", "told"),
    [
        ({"bw": 5, "bwUnits": "Gbps"}, "", 'rate = "5 Gb/s"'),
        ({"bw": "5", "bw_unit": "Gbps"}, "", 'rate = "5 Gb/s"'),
        ({"bw": 5, "BW-Units": "G"}, "", "# - 1 of 1 lines: G is read as Gb/s\n"),
        ({"bw": "5 M/s"}, "", "# - 1 of 1 lines: M/s is read as Mb/s\n"),
        ({"bw": 5, "bwUnits": "G"}, "Mb/s", "--rate-unit Mb/s is for numbers: bw has its own unit\n"),
        ({"bw": "5 Mb/s", "bwUnits": "M"}, "", 'rate = "5 Mb/s"'),
        ({"bw": "5 Mb/s", "bwUnits": "G"}, "", "bw = 5 Mb/s: two units are stated for it, Mb/s and G; correct it"),
        ({"bw": 5, "bwUnits": "M", "bw_unit": "G"}, "", "bw = 5: two units are stated for it, M and G"),
        ({"bw": 5, "bwUnits": "furlongs"}, "Mb/s", "bw = 5: furlongs is no unit that is known here: there are b/s"),
        ({"bw": 5, "bwUnits": ""}, "Mb/s", 'rate = "5 Mb/s"'),
        ({"bw": 5, "bwUnits": None}, "Mb/s", 'rate = "5 Mb/s"'),
        ({"bw": 5, "delayUnits": "ms"}, "Mb/s", "# - edge: attributes that are not used: delayUnits\n"),
    ],
)
def test_an_attribute_beside_a_rate_has_its_unit(tmp_path: Path, edge: dict[str, object], unit: str, told: str) -> None:
    assert told in imported(tmp_path, edge, rate="bw", rate_unit=unit)


@pytest.mark.parametrize(
    ("edge", "name", "told"),
    [
        ({"delay": 5, "delayUnits": "us"}, "delay", 'delay = "5 us"'),
        ({"distance": 5, "distanceUnits": "km"}, "distance", 'delay = "25 us" }'),
        ({"distance": "5 km"}, "distance", 'delay = "25 us" }'),
        ({"distance": "5 KM"}, "distance", 'delay = "25 us" }'),
        ({"distance": 5, "distanceUnits": "Km"}, "distance", 'delay = "25 us" }'),
        ({"distance": "5 km", "distanceUnits": "KM"}, "distance", 'delay = "25 us" }'),
        ({"distance": 5, "distanceUnits": "miles"}, "distance", "distance = 5: miles is no unit that is known here"),
        ({"distance": "5 m"}, "distance", "distance = 5 m: m is no unit that is known here: there are ns, us, ms, s"),
        ({"delay_value": 5, "delay_unit": "ms"}, "delay_value", 'delay = "5 ms"'),
        ({"delay_us": 5, "delayUnits": "ms"}, "delay_us", "delay_us has its own unit, ms, instead of us\n"),
        ({"delay_us": "5 ms"}, "delay_us", "# - 1 of 1 lines: delay_us has its own unit, ms, instead of us\n"),
    ],
)
def test_an_attribute_beside_a_delay_has_its_unit(
    tmp_path: Path, edge: dict[str, object], name: str, told: str
) -> None:
    assert told in imported(tmp_path, edge, delay=name)


@pytest.mark.parametrize(
    ("edge", "told"),
    [
        ({"LinkSpeed": "2.5", "LinkSpeedUnits": "G"}, 'rate = "2.5 Gb/s"'),
        ({"LinkSpeed": "2.5 Gbps", "LinkSpeedUnits": "G"}, 'rate = "2.5 Gb/s"'),
        ({"LinkSpeed": "2.5", "LinkSpeedUnits": "X"}, "LinkSpeed = 2.5: X is no unit that is known here"),
        ({"LinkSpeedRaw": "2.5 Gb/s"}, "# - 1 of 1 lines: LinkSpeedRaw has its own unit, Gb/s, instead of b/s\n"),
        ({"LinkSpeedRaw": 1e9, "LinkSpeed": "10", "LinkSpeedUnits": "G"}, "LinkSpeed says 10 Gb/s instead, and is not"),
        ({"LinkSpeedRaw": 1e9, "LinkSpeed": "10"}, "# - edge: attributes that are not used: LinkSpeed\n"),
        ({"LinkSpeedRaw": 1e9, "LinkSpeed": "<1", "LinkSpeedUnits": "G"}, "not used: LinkSpeed, LinkSpeedUnits\n"),
        ({"LinkSpeedRaw": 5, "LinkSpeedUnits": "G"}, "# - edge: attributes that are not used: LinkSpeedUnits\n"),
    ],
)
def test_the_speeds_of_the_zoo(tmp_path: Path, edge: dict[str, object], told: str) -> None:
    assert told in imported(tmp_path, edge)


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("10GE", 'rate = "10 Gb/s"'),
        ("10 GigE", 'rate = "10 Gb/s"'),
        ("10GbE", 'rate = "10 Gb/s"'),
        ("1E", "E is no unit that is known here"),
        ("10 GBPS", "bw = 10 GBPS: GBPS may be bits or octets: write Gb/s for bits; correct it"),
        ("10 GB/s", "GB/s is no unit that is known here: there are b/s, kb/s, Mb/s, Gb/s, Tb/s; correct it"),
    ],
)
def test_the_names_of_an_ethernet_and_units_in_capitals(tmp_path: Path, written: str, told: str) -> None:
    assert told in imported(tmp_path, {"bw": written}, rate="bw")


@pytest.mark.parametrize(
    "matrix",
    ["from,to,RATE_MBPS\na,b,5\n", "from,to,MBPS\na,b,5\n", "MBPS,a,b\na,,5\nb,,\n", "from/to (MBPS),a,b\na,,5\nb,,\n"],
)
def test_demands_whose_unit_is_in_capitals_need_the_option(tmp_path: Path, matrix: str) -> None:
    told = imported(tmp_path, {}, matrix, rate_unit="Gb/s")
    assert "line 2: rate = 5: its unit is MBPS, which may be bits or octets; add --demand-unit Mb/s if they" in told
    text = imported(tmp_path, {}, matrix, demand_unit="kb/s")
    assert "# - flow: the unit of the rates is MBPS, in capitals: --demand-unit kb/s\n" in text
    assert 'rate = "5 kb/s"' in text
    assert "corner" not in text


@pytest.mark.parametrize("written", ["5 g", "5 t", "5 m", "5g"])
def test_one_small_letter_is_no_unit_of_a_rate(tmp_path: Path, written: str) -> None:
    assert f"{written[-1]} is no unit that is known here" in imported(tmp_path, {"bw": written}, rate="bw")


@pytest.mark.parametrize(
    ("matrix", "told"),
    [
        ("from,to,rate m\na,b,5\n", "line 1: from,to,rate m: no column has a known name of a rate"),
        ("from,to,rate b\na,b,5\n", "line 1: from,to,rate b: no column has a known name of a rate"),
        ("from,to,traffic_t\na,b,5\n", "no column has a known name of a rate"),
        ("from,to,rate (G)\na,b,5\n", "# - flow: G is read as Gb/s\n"),
        ("from,to,rate\na,b,5G\n", "# - flow: G is read as Gb/s\n"),
        ("from,to,rateMbps\na,b,5\n", 'cbr = { rate = "5 Mb/s" }'),
        ("rate b,a,b\na,0,5\nb,0,0\n", "line 2: rate = 5: this number has no unit"),
        ("kB/s,a,b\na,0,5\nb,0,0\n", "line 1: kB/s: this is no unit of a rate that is known here"),
    ],
)
def test_one_letter_in_the_names_of_a_matrix(tmp_path: Path, matrix: str, told: str) -> None:
    assert told in imported(tmp_path, {}, matrix)


def test_two_speeds_that_are_equal_say_the_same(tmp_path: Path) -> None:
    text = imported(tmp_path, {"LinkSpeedRaw": 1e9, "LinkSpeed": "1", "LinkSpeedUnits": "G"})
    assert "LinkSpeed" not in text


def of_all(folder: Path, name: str, content: str, **options: Any) -> str:
    """The scenario of a file with this content, or the error."""
    return outcome(folder / name, content, rate="bw", default_delay="1 ms", **options)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ('bwUnits "Gbps" Creator "x"', 'rate = "5 Gb/s"'),
        ('bwUnits "Gbps" Creator "x"', "# - network: said of the whole, and not used: Creator\n"),
        ('bwUnits "Gbps" bw_unit "Mbps"', "bw = 5: two units are stated for all edges, Gbps and Mbps"),
        ('bwUnits "furlongs"', "bw = 5: furlongs is no unit that is known here"),
        ('delayUnits "ms"', "bw = 5: this number has no unit; add --rate-unit Mb/s"),
    ],
)
def test_a_unit_of_all_edges_is_followed(tmp_path: Path, said: str, told: str) -> None:
    gml = f"graph [ {said} node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 bw 5 ] ]"
    assert told in of_all(tmp_path, "n.gml", gml)
    words = said.split('"')
    table = {key.strip(): value for key, value in zip(words[::2], words[1::2], strict=False)}
    link = {"source": "a", "target": "b", "bw": 5}
    assert told in of_all(tmp_path, "n.json", json.dumps({"nodes": NODES, "links": [link], "graph": table}))
    keys = "".join(f'<key id="{key}" for="graph" attr.name="{key}" attr.type="string"/>' for key in table)
    data = "".join(f'<data key="{key}">{value}</data>' for key, value in table.items())
    edge = '<node id="a"/><node id="b"/><edge source="a" target="b"><data key="d">5</data></edge>'
    file = f'<key id="d" for="edge" attr.name="bw" attr.type="int"/>{keys}<graph edgedefault="undirected">{data}{edge}'
    space = "http://graphml.graphdrawing.org/xmlns"
    assert told in of_all(tmp_path, "n.graphml", f'<graphml xmlns="{space}">{file}</graph></graphml>')


def test_a_unit_of_all_edges_that_is_said_in_two_places(tmp_path: Path) -> None:
    gml = 'bwUnits "G" graph [ bwUnits "M" node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 bw 5 ] ]'
    assert "bw = 5: ['G', 'M'] is no unit that is known here" in of_all(tmp_path, "n.gml", gml)
    text = of_all(tmp_path, "n.gml", gml.replace('"M"', '"G"'), rate_unit="Mb/s")
    assert "# - 1 of 1 lines: --rate-unit Mb/s instead of the file's G\n" in text


def test_a_unit_of_all_edges_that_the_name_denies(tmp_path: Path) -> None:
    gml = 'graph [ bwUnits "G" node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 bw_mbps 5 ] ]'
    (tmp_path / "n.gml").write_text(gml, encoding="utf-8")
    with pytest.raises(InputError, match="bw_mbps = 5: two units are stated for it, mbps in its name and G; correct"):
        import_network(tmp_path / "n.gml", rate="bw_mbps", default_delay="1 ms")


def test_a_unit_of_all_edges_gives_way_to_that_of_one(tmp_path: Path) -> None:
    gml = 'graph [ bwUnits "G" node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 bw "5 Mb/s" ] ]'
    text = of_all(tmp_path, "n.gml", gml)
    assert "# - 1 of 1 lines: bw has its own unit, Mb/s, instead of G\n" in text

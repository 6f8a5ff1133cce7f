"""What a network's file and the options of `penstock import` say: used, named or refused, case by case."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

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
REPETITA = "NODES 2\nlabel x y\nA 1 50\nB 2 50\nEDGES 1\nlabel src dest weight bw delay\ne 0 1 7 1000 2500\n"


def imported(folder: Path, name: str, content: str, matrix: str = "", **options: Any) -> str:
    """What a file with this content becomes, or why it is refused."""
    file = folder / name
    file.write_text(content, encoding="utf-8")
    if matrix:
        (folder / "matrix.csv").write_text(matrix, encoding="utf-8")
        options["demands"] = folder / "matrix.csv"
    try:
        return import_network(file, **{**FILLED, **options})
    except InputError as error:
        return str(error)


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
        ("from,to,rate\na,b,10 GBPS\n", "GBPS is no unit that is known here"),
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

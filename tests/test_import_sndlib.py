"""SNDlib, native and XML: what is there twice is refused with its place, and what is not read is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from imported_files import outcome

from penstock import import_network

NATIVE = """\
?SNDlib native format; type: network; version: 1.0
META ( unit = MBITPERSEC )
NODES (
  A ( 1 50 )
  B ( 2 50 )
)
LINKS (
  L1 ( A B ) 40 0 0 0 ( )
)
DEMANDS (
  D1 ( A B ) 3 0.1 UNLIMITED
)
"""
XML = """\
<network xmlns="http://sndlib.zib.de/network" version="1.0"><meta><unit>MBITPERSEC</unit></meta><networkStructure>
<nodes coordinatesType="geographical"><node id="A"><coordinates><x>1</x><y>50</y></coordinates></node>
<node id="B"><coordinates><x>2</x><y>50</y></coordinates></node></nodes>
<links><link id="L1"><source>A</source><target>B</target>
<preInstalledModule><capacity>40</capacity></preInstalledModule></link></links></networkStructure>
<demands><demand id="D1"><source>A</source><target>B</target><routingUnit>3</routingUnit>
<demandValue>0.1</demandValue></demand></demands></network>
"""


def imported(folder: Path, content: str) -> str:
    """The scenario of a file with this content, or the error."""
    return outcome(folder / "net", content)


@pytest.mark.parametrize("content", [NATIVE, XML])
def test_a_demand_of_several_units_is_their_product(tmp_path: Path, content: str) -> None:
    text = imported(tmp_path, content)
    assert 'cbr = { rate = "300 kb/s" }' in text
    assert "# - demands: rates that are their value times their routing unit: 1\n" in text
    single = imported(tmp_path, content.replace("3 0.1", "1 0.1").replace("<routingUnit>3", "<routingUnit>1"))
    assert 'cbr = { rate = "100 kb/s" }' in single
    assert "routing" not in single
    assert "rounded" not in text
    assert "not used" not in text


@pytest.mark.parametrize("number", ["1e999", "nan", "-inf"])
def test_numbers_that_are_not_finite_are_refused_with_their_place(tmp_path: Path, number: str) -> None:
    """Found by the fuzzer: a demand of 0 times infinity."""
    native = imported(tmp_path, NATIVE.replace("3 0.1", f"{number} 0"))
    assert f'line 11: "{number}" is not a number, or none that is finite' in native
    xml = imported(tmp_path, XML.replace("<routingUnit>3", f"<routingUnit>{number}"))
    assert f"routingUnit is {number}, which is no finite number" in xml


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("L1 (", "L1 ( A B ) 9 0 0 0 ( )\n L1 (", "line 9: there are two links L1; give each link its own name"),
        ("D1 (", "D1 ( B A ) 9 9 9\n D1 (", "line 12: there are two demands D1; give each demand its own name"),
        ("B (", "A (", "line 5: there are two nodes A; give each node its own name"),
        ("LINKS (", "NODES ( C ( 3 50 ) )\nLINKS (", "line 7: there are two sections NODES; write all of it into one"),
        ("LINKS (", "X ( )\nX ( )\nLINKS (", "line 8: there are two sections X; write all of it into one"),
        ("unit =", "unit = GBITPERSEC Unit =", "line 2: there are two keys unit; delete one of the two"),
        ("unit = MBITPERSEC", "unit = ", "line 2: the key unit has no value; delete it, or write name = value"),
        ("unit = MBITPERSEC", "unit = Mb / min", "Mb / min is no unit that is known here: there are b/s"),
        ("unit =", "origin = the map of the year of 2004 unit =", 'rate = "40 Mb/s"'),
        ("unit =", "= unit =", "line 2: there is no name before this =; write name = value"),
        ("0 ( )", "0 ( 9 )", "line 8: a module has no cost; write ( capacity cost capacity cost ... )"),
        ("unit =", "planar unit =", "# - network: said of the whole, and not used: planar\n"),
        ("unit =", "link-model = ONEWAY unit =", "link-model = ONEWAY: there is no such model; write one of DIRECTED"),
        (
            "unit =",
            "link-model = DIRECTED linkmodel = UNDIRECTED unit =",
            "link-model = DIRECTED and UNDIRECTED: there are two models; write one of DIRECTED, UNDIRECTED",
        ),
        ("unit =", "demand-model = ONEWAY unit =", "demand-model = ONEWAY: there is no such model;"),
        ("unit =", "link-model = bidirected unit =", 'rate = "40 Mb/s"'),
    ],
)
def test_what_is_there_twice_in_a_native_file(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert told in imported(tmp_path, NATIVE.replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("<links>", '<links><link id="L1"><source>B</source><target>A</target></link>', "link L1: there are two links"),
        ("<demands>", '<demands><demand id="D1"><source>B</source></demand>', "demand D1: there are two demands with"),
        ('id="B"', 'id="A"', "node A: there are two such nodes"),
        ("<links>", "<nodes/><links>", "networkStructure: nodes is there twice; delete one of the two"),
        ("<demands>", "<demands/><demands>", "network: demands is there twice; delete one of the two"),
        ("<unit>", "<unit>GBITPERSEC</unit><unit>", "unit: it is there twice; delete one of the two"),
        ("<demandValue>", "<demandValue>5</demandValue><demandValue>", "demand D1: demandValue is there twice; delete"),
        ("<capacity>", "<capacity>5</capacity><capacity>", "preInstalledModule: capacity is there twice; delete"),
        ("<x>1", "<x>2</x><x>1", "coordinates: x is there twice; delete one of the two"),
        ("<source>", "<source>B</source><source>", "link L1: source is there twice; delete one of the two"),
        ("<links>", '<links kind="x"><!-- none --><fibre/>', "XML that is not used: links.kind, links/fibre\n"),
        ("<links>", '<pairs><link id="L1"/></pairs><links>', "XML that is not used: networkStructure/pairs\n"),
        ('<link id="L1"', '<link id="L1" delay="5"', "# - network: XML that is not used: link.delay\n"),
        ("<networkStructure>", '<networkStructure link-model="ONEWAY">', "link-model = ONEWAY: there is no such"),
    ],
)
def test_what_is_there_twice_or_unknown_in_xml(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert told in imported(tmp_path, XML.replace(old, new, 1))


@pytest.mark.parametrize("content", [NATIVE, XML])
def test_demands_of_a_network_that_others_replace_are_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "net").write_text(content, encoding="utf-8")
    (tmp_path / "m.csv").write_text("from,to,rate\nB,A,5 Mb/s\n", encoding="utf-8")
    text = import_network(tmp_path / "net", demands=tmp_path / "m.csv")
    assert "# - demands: the file of the network has 1 demand of its own, left out for those of m.csv\n" in text
    assert "[flow]\nB-A = " in text


def test_what_a_file_of_demands_says_beside_them_is_named(tmp_path: Path) -> None:
    (tmp_path / "net").write_text(NATIVE, encoding="utf-8")
    demands = NATIVE.replace("unit", "demand-model = UNDIRECTED granularity = 5min unit").replace("UNLIMITED", "3")
    (tmp_path / "demands").write_text(demands, encoding="utf-8")
    text = import_network(tmp_path / "net", demands=tmp_path / "demands")
    assert "# - demands: their file says more: demands: limits of the lengths of paths, not used: 1\n" in text
    assert "# - demands: their file says more: demands: the file has them without a direction." in text
    assert "# - demands: their file says more: network: said of the whole, and not used: granularity\n" in text
    assert "# - demands: their file has a network, too, not used: 1 link\n" in text

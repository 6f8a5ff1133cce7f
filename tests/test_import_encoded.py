"""XML in another encoding than UTF-8: what its first line declares is followed, named or refused."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from penstock import InputError, import_network

GRAPHML = """\
<?xml version="1.0" encoding="{}"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="d" for="node" attr.name="label" attr.type="string"/>
<graph edgedefault="undirected"><node id="a"><data key="d">Zürich</data></node><node id="b"/>
<edge source="a" target="b"/></graph></graphml>
"""
SNDLIB = """\
<?xml version='1.0' encoding='{}' standalone='no'?>
<network xmlns="http://sndlib.zib.de/network" version="1.0"><meta><unit>MBITPERSEC</unit></meta><networkStructure>
<nodes coordinatesType="geographical"><node id="Zürich"><coordinates><x>1</x><y>50</y></coordinates></node>
<node id="b"><coordinates><x>2</x><y>50</y></coordinates></node></nodes><links><link id="L1"><source>Zürich</source>
<target>b</target><preInstalledModule><capacity>40</capacity></preInstalledModule></link></links></networkStructure>
<demands><demand id="D1"><source>Zürich</source><target>b</target><demandValue>7</demandValue></demand></demands>
</network>
"""
ENDING = {GRAPHML: ".graphml", SNDLIB: ".xml"}


def imported(folder: Path, content: str, code: str, declared: str = "", demands: bool = False) -> str:
    """The scenario of XML that is in this encoding, or the error."""
    octets = content.format(declared or code).encode(code)
    file = folder / f"net{ENDING[content]}"
    file.write_bytes(octets)
    try:
        return import_network(
            file, default_rate="1 Gb/s", default_delay="1 ms", demands=file if demands else None, merge_parallel=True
        )
    except InputError as error:
        return str(error)


@pytest.mark.parametrize("content", [GRAPHML, SNDLIB])
@pytest.mark.parametrize("code", ["ISO-8859-1", "windows-1252", "UTF-8", "utf-16", "Latin1", "macintosh"])
def test_the_encoding_that_xml_declares_is_followed(tmp_path: Path, content: str, code: str) -> None:
    text = imported(tmp_path, content, code)
    assert 'between = ["Zürich", "b"]' in text
    assert "encoding" not in text


def test_the_encoding_of_demands_is_followed(tmp_path: Path) -> None:
    assert 'from = ["Zürich"], to = ["b"]' in imported(tmp_path, SNDLIB, "windows-1252", demands=True)
    text = imported(tmp_path, SNDLIB, "utf-8", "ISO-8859-1", demands=True)
    assert "# - demands: the file declares the encoding ISO-8859-1, but its octets are UTF-8, which counts\n" in text


def test_an_encoding_behind_gzip_is_followed(tmp_path: Path) -> None:
    (tmp_path / "net.graphml.gz").write_bytes(gzip.compress(GRAPHML.format("ISO-8859-1").encode("latin1")))
    assert "Zürich" in import_network(tmp_path / "net.graphml.gz", default_rate="1 Gb/s", default_delay="1 ms")


@pytest.mark.parametrize(
    ("code", "declared", "told"),
    [
        ("utf-8", "ISO-8859-1", "# - network: the file declares the encoding ISO-8859-1, but its octets are UTF-8, wh"),
        ("utf-8-sig", "windows-1252", "# - network: the file declares the encoding windows-1252, but its octets are"),
        ("latin1", "UTF-8", "is not UTF-8, so this is no text; give GraphML"),
        ("latin1", "us-ascii", " is not us-ascii, which the file declares; declare the encoding that the file has"),
        ("latin1", "furlongs", "encoding = furlongs: the file declares an encoding that is not known here; save the"),
        ("latin1", "unicode_escape", "encoding = unicode_escape: the file declares an encoding that is not known"),
    ],
)
def test_an_encoding_that_the_octets_deny_is_named(tmp_path: Path, code: str, declared: str, told: str) -> None:
    assert told in imported(tmp_path, GRAPHML, code, declared)


def test_ascii_is_the_same_in_every_encoding(tmp_path: Path) -> None:
    (tmp_path / "net.graphml").write_text(GRAPHML.format("furlongs").replace("ü", "u"), encoding="ascii")
    assert "Zurich" in import_network(tmp_path / "net.graphml", default_rate="1 Gb/s", default_delay="1 ms")

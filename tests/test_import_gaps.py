"""An attribute with an empty value is a gap, as one that is missing: a default fills it, and a comment says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from penstock import InputError, import_network

DEFAULTS = {"default_rate": "10 Gb/s", "default_delay": "2 ms"}
FULL: dict[str, object] = {"bw": "1 Gb/s", "lag": "1 ms"}


def imported(file: Path, content: str, **options: Any) -> str:
    """What a file with this content becomes, or the error."""
    file.write_text(content, encoding="utf-8")
    try:
        return import_network(file, **{"rate": "bw", "delay": "lag", **DEFAULTS, **options})
    except InputError as error:
        return str(error)


def links(edge: dict[str, object], nodes: list[dict[str, object]] | None = None) -> str:
    """Node-link JSON with this edge and a full one."""
    ends = ({"source": "a", "target": "b", **edge}, {"source": "b", "target": "c", **FULL})
    return json.dumps({"nodes": nodes or [{"id": each} for each in "abc"], "links": ends})


@pytest.mark.parametrize(
    ("value", "told"),
    [("", "is empty"), (" \n", "is empty"), (float("nan"), "is NaN"), ("nan", "is NaN"), ("NaN", "is NaN")],
)
def test_an_empty_value_of_json_is_a_gap(tmp_path: Path, value: object, told: str) -> None:
    text = imported(tmp_path / "n.json", links({"bw": value, "lag": value}))
    assert f"  # bw {told}; no rate that is known: --default-rate; lag {told}; no delay that is known: --def" in text
    assert f"# - 1 of 2 lines: bw {told}\n" in text
    assert 'rate = "10 Gb/s", delay = "2 ms"' in text
    refused = imported(tmp_path / "n.json", links({"bw": value, "lag": value}), default_rate="")
    assert f"edge a - b: its bw {told}: it has no attributes, others have bw, lag; give it a value, or" in refused


def test_an_empty_value_of_graphml_is_a_gap(tmp_path: Path) -> None:
    keys = "".join(f'<key id="{key}" for="edge" attr.name="{key}" attr.type="string"/>' for key in FULL)
    empty = '<data key="bw" xml:space="preserve"/><data key="lag"> </data>'
    full = "".join(f'<data key="{key}">{value}</data>' for key, value in FULL.items())
    edges = f'<edge source="a" target="b">{empty}</edge><edge source="b" target="c">{full}</edge>'
    graph = f'<graph edgedefault="undirected"><node id="a"/><node id="b"/><node id="c"/>{edges}</graph>'
    space = "http://graphml.graphdrawing.org/xmlns"
    text = imported(tmp_path / "n.graphml", f'<graphml xmlns="{space}">{keys}{graph}</graphml>')
    assert "  # bw is empty; no rate that is known: --default-rate; lag is empty; no delay" in text
    assert 'b-c = { between = ["b", "c"], rate = "1 Gb/s", delay = "1 ms" }\n' in text


@pytest.mark.parametrize(("value", "told"), [('""', "is empty"), ("NAN", "is NaN"), ('"NaN"', "is NaN")])
def test_an_empty_value_of_gml_is_a_gap(tmp_path: Path, value: str, told: str) -> None:
    gml = f"graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 LinkSpeed {value} ] ]"
    text = imported(tmp_path / "n.gml", gml, rate="", delay="")
    assert f"  # LinkSpeed {told}; no rate that is known: --default-rate; no delay" in text


def test_a_raw_speed_that_is_empty_gives_way_to_the_other(tmp_path: Path) -> None:
    edge: dict[str, object] = {"LinkSpeedRaw": "", "LinkSpeed": "10", "LinkSpeedUnits": "G", "lag": "1 ms"}
    text = imported(tmp_path / "n.json", links(edge), rate="")
    assert 'rate = "10 Gb/s", delay = "1 ms" }  # LinkSpeedRaw is empty; G is read as Gb/s\n' in text


def test_a_unit_that_is_nan_is_none(tmp_path: Path) -> None:
    text = imported(tmp_path / "n.json", links({**FULL, "bw": 5, "bwUnits": float("nan")}), rate_unit="Mb/s")
    assert 'rate = "5 Mb/s"' in text


def test_a_label_that_is_nan_is_no_name(tmp_path: Path) -> None:
    nodes: list[dict[str, object]] = [{"id": each, "label": float("nan")} for each in "ab"]
    text = imported(tmp_path / "n.json", links(FULL, [*nodes, {"id": "c", "label": "nan"}]))
    assert 'between = ["a", "b"]' in text
    assert 'between = ["b", "nan"]' in text
    assert "# - node: a label that is NaN is no name: that of a, b\n" in text

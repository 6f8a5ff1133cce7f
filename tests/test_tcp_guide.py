"""The files of the guide to TCP are short, and what the page says of them is so."""

from __future__ import annotations

import re

import pytest
from documented import ROOT, blocks_of

import penstock
from penstock import Scenario
from penstock.show.summary import warnings
from penstock.truth import tcp

CODE = [block.text for block in blocks_of(ROOT / "docs" / "guides" / "tcp.md") if block.kind == "python"]
FILES = [block.text for block in blocks_of(ROOT / "docs" / "guides" / "tcp.md") if block.kind == "toml"]


def test_each_file_has_at_most_fifteen_lines() -> None:
    assert len(FILES) == 6
    assert max(len(text.splitlines()) for text in FILES) <= 15


def test_the_far_flow_gets_about_a_sixth() -> None:
    result = penstock.run(Scenario.parse(FILES[0]).with_({"duration": "40 s"}), replications=3)
    rates = result.groups.group_by("group").mean()
    near, far = (rates.filter(group=group)["throughput_bps"].item() for group in ("near", "far"))
    assert far / (near + far) == pytest.approx(1 / 6, abs=0.05)


@pytest.mark.parametrize(("places", "buffer"), [(14, 0.26), (26, 0.5), (51, 1.0)])
def test_a_flow_uses_the_line_as_far_as_its_buffer_allows(places: int, buffer: float) -> None:
    changed = {"line.trunk.queues[0].drop_tail.size": f"{places} PDUs", "duration": "60 s"}
    result = penstock.run(Scenario.parse(FILES[1]).with_(changed))
    used = result.ports.filter(port="trunk")["utilisation"].item()
    assert used == pytest.approx(tcp.utilisation(buffer), abs=0.02)


def test_an_incast_loses_where_its_burst_is_too_large_and_waits_where_nothing_tells() -> None:
    lost, late = [], []
    for count in (8, 32, 96, 128):
        result = penstock.run(Scenario.parse(FILES[3]).with_({"flow.data.count": count}))
        assert warnings(result) == []
        lost.append(result.groups["lost"].item())
        late.append(result.messages.filter(**{"class": "all"})["fct_max_s"].item())
        assert (result.groups["timeouts"].item() > 0) == (count == 128)
    assert lost[:3] == [0, 122, 1402]
    assert late[2] == pytest.approx(5e-3, rel=0.1)
    assert late[3] == pytest.approx(0.2, rel=0.1)


def test_the_class_of_length_that_the_page_filters_is_there() -> None:
    (code,) = [block for block in CODE if "fabric.toml" in block]
    (wanted,) = re.findall(r'messages\["class"\] == "([^"]+)"', code)
    assert wanted in penstock.run(Scenario.parse(FILES[4])).messages["class"].to_list()

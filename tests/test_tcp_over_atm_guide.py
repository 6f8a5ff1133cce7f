"""The files of the guide to TCP over UBR and ABR are short, and what the page says of them is so."""

from __future__ import annotations

import pytest
from documented import ROOT, blocks_of

import penstock
from penstock import Result, Scenario

FILES = [block.text for block in blocks_of(ROOT / "docs" / "guides" / "tcp-over-atm.md") if block.kind == "toml"]
SHORT = {"duration": "1 s", "warm_up": "400 ms"}


def queues(result: Result) -> tuple[float, float]:
    """The cells at the sources and at the switch, in the mean."""
    [port] = result.ports.filter(port="trunk")["queue_mean"]
    return result.groups["source_queue_mean"].item() or 0.0, port


def test_each_file_has_at_most_fifteen_lines() -> None:
    assert len(FILES) == 2
    assert max(len(text.splitlines()) for text in FILES) <= 15


def test_the_windows_stand_at_the_sources_or_at_the_switch() -> None:
    scenario = Scenario.parse(FILES[0]).with_(SHORT)
    source, switch = queues(penstock.run(scenario))
    assert 6000 < source < 6880
    assert switch < 100
    source, switch = queues(penstock.run(scenario.with_({"scheme": "none"})))
    assert source == 0
    assert 6000 < switch < 6880


@pytest.mark.parametrize(("scheme", "is_lossless"), [("none", False), ("erica", True)])
def test_a_small_buffer_loses_cells_over_ubr_alone(scheme: str, *, is_lossless: bool) -> None:
    result = penstock.run(Scenario.parse(FILES[1]).with_({**SHORT, "scheme": scheme}))
    assert (result.groups["lost"].item() == 0) == is_lossless

"""The ready scenarios of the guide to incasts are short, and what the page says of them is so."""

from __future__ import annotations

from documented import ROOT

import penstock
from penstock import Scenario
from penstock.truth import pull

INCASTS = ("dctcp", "hpcc", "pull")


def test_the_ready_incasts_have_at_most_fifteen_lines_and_differ_in_a_word() -> None:
    folder = ROOT / "python" / "penstock" / "scenarios" / "datacentre"
    texts = {scheme: (folder / f"incast-{scheme}.toml").read_text(encoding="utf-8") for scheme in INCASTS}
    assert all(len(text.splitlines()) <= 15 for text in texts.values())
    without = {
        "\n".join(line for line in text.splitlines() if not line.startswith(("title", f"scheme.{scheme} =")))
        for scheme, text in texts.items()
    }
    assert len(without) == 1


def test_an_incast_of_credits_fills_the_line_and_no_queue() -> None:
    last, queue, lost = {}, {}, {}
    for scheme in INCASTS:
        scenario = Scenario.load(f"datacentre/incast-{scheme}").with_({"duration": "100 ms"})
        result = penstock.run(scenario)
        last[scheme] = result.messages.filter(group="incast", **{"class": "all"})["fct_max_s"].item()
        queue[scheme] = result.ports.filter(port="host_1_1.reverse")["queue_mean"].item()
        lost[scheme] = result.groups.filter(group="incast")["lost"].item()
    # There and back 4 us each, and the times of a segment and of an acknowledgement on four lines.
    least, most = pull.incast(32, 8 * (10**6 + 685 * 40), 12e3, 10e9, 11.8e-6)
    assert least < last["pull"] < most + 20e-6  # the jitter of a start
    assert last["dctcp"] < 1.01 * last["pull"] < last["hpcc"] / 1.1
    assert queue["pull"] < queue["hpcc"] < queue["dctcp"] / 5
    assert lost["pull"] == lost["hpcc"] == 0 < lost["dctcp"]

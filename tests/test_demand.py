"""What sources offered beside what they sent: tables, warnings, and questions about delays."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from penstock import InputError, Results, Scenario, Sweep, run
from penstock.analyse.condition import condition
from penstock.analyse.demand import unsent
from penstock.cli import main
from penstock.show.summary import summary, warnings

OFFICES = """\
duration = "6 s"
scheme = "erica"
[line.trunk]
between = ["office", "centre"]
rate = "5 Mb/s"
delay = "10 ms"
queues = [{ drop_tail_bits = { size = "2 MB" } }]
[flow.branch]
count = 8
octets = 1500
path = ["office", "centre"]
traffic.poisson = { rate = "1 Mb/s" }
[flow.always]
path = ["office", "centre"]
octets = 1500
traffic.greedy = {}
"""


@pytest.fixture
def offices() -> Scenario:
    """Sources of 8 Mb/s before a line of 5 Mb/s, and one that always has data."""
    return Scenario.parse(OFFICES, name="offices")


def test_a_group_that_offers_more_than_it_sends_is_told(
    offices: Scenario, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    result = run(offices)
    row = result.groups.row(by_predicate=pl.col("group") == "branch", named=True)
    share = row["held_pdus"] / row["offered_pdus"]
    assert row["offered_pdus"] == row["sent"] + row["held_pdus"]
    assert share > 0.3
    offered, sent = f"{row['offered_bps'] / 1e6:.4g}", f"{row['load_bps'] / 1e6:.4g}"
    wanted = (
        f"the sources of branch offered {offered} Mb/s and sent {sent} Mb/s: {100 * share:.3g} % wait at the source"
    )
    assert warnings(result) == [f"{wanted} at the end"]
    file = tmp_path / "offices.toml"
    file.write_text(OFFICES, encoding="utf-8")
    assert main(["run", str(file)]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert f"warning: {wanted}" in told
    assert "What the sources offered, and delays from its generation" in told
    always = next(row for row in summary(result)["groups"] if row["group"] == "always")
    assert (always["offered_bps"], always["source_lost"], always["withheld_share"]) == (None, None, None)


@pytest.mark.parametrize(
    ("held", "told"),
    [
        ("thin", "were not generated (thinned)"),
        ({"wait": {"size": "5 PDUs"}}, "were lost at the source"),
        ("stretch", ""),
    ],
)
def test_what_becomes_of_it_is_told(offices: Scenario, held: object, told: str) -> None:
    changed = offices.with_({"flow.branch.traffic.poisson.held": held})
    sentences = warnings(run(changed))
    assert told in sentences[0] if told else sentences == []


def test_nothing_is_told_of_sources_that_send_what_they_offer(
    offices: Scenario, capsys: pytest.CaptureFixture[str]
) -> None:
    free = offices.with_({"scheme": None, "flow.branch.count": 2})
    result = run(free)
    assert unsent(result.groups).is_empty()
    assert warnings(result) == []
    group = result.groups.row(by_predicate=pl.col("group") == "branch", named=True)
    assert group["offered_bps"] == group["load_bps"]
    assert group["delay_generation_p99_s"] == group["delay_p99_s"]


def test_a_sweep_tells_the_worst_of_its_points(offices: Scenario, tmp_path: Path) -> None:
    sweep = Sweep(offices.with_({"duration": "3 s"}), {"flow.branch.count": [1, 8, 16]})
    results = sweep.run(tmp_path / "out", tell=lambda _state: None)
    (sentence,) = results.warnings()
    worst = Results(tmp_path / "out").table("groups").filter(pl.col("group") == "branch")["offered_bps"].max()
    assert sentence.startswith(f"the sources of branch offered {float(worst) / 1e6:.4g} Mb/s")  # type: ignore[arg-type]
    assert sentence.endswith("(the worst of 2 of 3 points)")


def test_a_question_about_a_delay_is_about_the_delay_from_generation(offices: Scenario) -> None:
    for asked, meant in (
        ("branch.delay_p99_s", "branch.delay_generation_p99_s"),
        ("branch.delay_mean_s", "branch.delay_generation_mean_s"),
        ("branch.delay_generation_max_s", "branch.delay_generation_max_s"),
        ("branch.delay_network_p99_s", "branch.delay_p99_s"),
    ):
        assert str(condition(f"{asked} > 20 ms", offices, "--until").metric) == meant
    with pytest.raises(InputError, match="there is no such metric"):
        condition("branch.delay_network_p98_s > 20 ms", offices, "--until")


def test_a_capacity_under_control_is_not_beyond_the_range(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The line carries five sources of 1 Mb/s. In the network, their delay stays short under control."""
    monkeypatch.chdir(tmp_path)
    text = OFFICES.partition("[flow.always]")[0]
    Path("offices.toml").write_text(text, encoding="utf-8")
    asked = ["capacity", "offices.toml", "--of", "flow.branch.count=1..16", "--replications", "3", "--json", "--quiet"]

    def answer(until: str) -> tuple[int, int]:
        assert main([*asked, "--until", until, "--out", until[:20]]) == 0
        found = json.loads(capsys.readouterr().out)["answer"]
        return found["least"], found["most"]

    least, most = answer("branch.delay_p99_s > 500 ms")
    assert 2 <= least < most <= 8
    assert answer("branch.delay_network_p99_s > 500 ms")[0] >= most

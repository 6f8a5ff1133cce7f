"""What sources offered beside what they sent: tables, warnings, and questions about delays."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from penstock import InputError, Results, Scenario, Sweep, capacity, run, search
from penstock.analyse.condition import condition
from penstock.analyse.demand import rising, unsent
from penstock.api.capacity import Bisection
from penstock.cli import main
from penstock.show import page_of
from penstock.show.capacity import Asked, headline, print_capacity
from penstock.show.search import print_search
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
    """The line carries five sources of 1 Mb/s. In the network their delay stays short under control."""
    monkeypatch.chdir(tmp_path)
    text = OFFICES.partition("[flow.always]")[0]
    Path("offices.toml").write_text(text, encoding="utf-8")
    asked = ["capacity", "offices.toml", "--of", "flow.branch.count=1..16", "--replications", "3", "--json", "--quiet"]

    assert main([*asked, "--until", "branch.delay_p99_s > 500 ms", "--out", "out"]) == 0
    answer = json.loads(capsys.readouterr().out)["answer"]
    assert 2 <= answer["least"] < answer["most"] <= 8


# -------------------------------------------------------------------------------------------------------- overloaded
@pytest.fixture
def branches(offices: Scenario) -> Scenario:
    """Sources of 1 Mb/s under control before a line of 5 Mb/s: from six on they are overloaded."""
    return offices.with_({"flow.always": None, "duration": "12 s", "warm_up": "4 s"})


def test_what_is_held_back_rises_where_a_demand_grows_without_bound(branches: Scenario) -> None:
    groups = run(branches).groups
    row = groups.row(by_predicate=pl.col("group") == "branch", named=True)
    found = rising(groups)
    assert found == {"branch": (row["offered_pdus"] - row["sent"]) / row["offered_pdus"]}
    assert found["branch"] == pytest.approx(1 - 4.8 / 8, abs=0.02)
    assert row["held_pdus"] > row["offered_pdus"] * found["branch"]  # what waited at the start is not counted
    for held in ("thin", "stretch", {"wait": {"size": "50 PDUs"}}):
        assert rising(run(branches.with_({"flow.branch.traffic.poisson.held": held})).groups) == {}
    assert rising(run(branches.with_({"scheme": None})).groups) == {}


def test_retransmissions_hide_no_overload() -> None:
    """Over a transport, what is sent again was offered once."""
    row = {"group": "data", "offered_pdus": 1000, "sent": 990, "withheld_pdus": 0, "source_lost": 10}
    assert rising(pl.DataFrame({**row, "transmitted": None}, schema_overrides={"transmitted": pl.UInt64})) == {}
    assert rising(pl.DataFrame({**row, "transmitted": 900})) == {"data": 0.09}


def test_a_file_under_way_at_the_end_is_no_overload() -> None:
    """By hand: ten runs with 1,000 PDUs each, one of which ends with a file of 900 under way. The mean rises by 9 %."""
    rises = [900, *[0] * 9]
    columns = {"group": "data", "offered_pdus": 1000, "withheld_pdus": 0, "source_lost": 0, "transmitted": None}
    runs = [{**columns, "sent": 1000 - rise} for rise in rises]
    schema = {"transmitted": pl.UInt64}
    assert rising(pl.DataFrame(runs, schema_overrides=schema)) == {}
    assert rising(pl.DataFrame(runs, schema_overrides=schema), surely=False) == {"data": 0.09}
    assert rising(pl.DataFrame(runs[:1], schema_overrides=schema)) == {"data": 0.9}
    always = [{**row, "sent": 900 + number} for number, row in enumerate(runs)]
    assert rising(pl.DataFrame(always, schema_overrides=schema)) == {"data": pytest.approx(0.0955)}


def test_a_rise_that_may_be_chance_is_no_end_of_the_bracket(
    branches: Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The lower end is a value that is surely not overloaded. The upper end may be judged by the metric."""
    monkeypatch.setattr(
        Bisection, "perhaps_rising", lambda _self, number, _replications: {"branch": 0.02} if number > 3 else {}
    )
    results = capacity(branches, "flow.branch.count=3..8", "branch.loss_ratio > 0.1", tmp_path / "out", replications=3)
    assert results.about["details"]["answer"]["least"] == 3
    print_capacity(results)
    assert "perhaps branch +2 %" in capsys.readouterr().out


@pytest.mark.parametrize("until", ["branch.loss_ratio > 0.1", "trunk.utilisation > 0.999"])
def test_whatever_the_condition_an_overloaded_value_is_not_within(
    branches: Scenario, tmp_path: Path, until: str, capsys: pytest.CaptureFixture[str]
) -> None:
    results = capacity(branches, "flow.branch.count=3..8", until, tmp_path / "out", replications=3)
    details = results.about["details"]
    answer = details["answer"]
    assert answer["state"] == "bracketed"
    assert 4 <= answer["least"] < answer["most"] <= 6
    assert [value for value, _ in details["overloaded"]] == sorted(
        {
            *(value for value, _ in details["bisected"] if value >= answer["most"]),
            *(value for value in details["curve"] if value >= answer["most"]),
        }
    )
    print_capacity(results)
    told = " ".join(capsys.readouterr().out.split())
    (upper,) = (each for each in details["judged"] if each["value"] == answer["most"] and each["decided"])
    assert (
        f"and it is overloaded (branch +{100 * upper['overloaded']['branch']:.3g} %) at {answer['most']:.0f}." in told
    )
    assert "Overloaded: the data that wait at the sources rise through the run" in told
    page = page_of(results)
    assert "Overloaded at count = " in str(page.sections[-1])


def test_where_larger_values_relieve_an_overloaded_one_lies_before_the_capacity(
    branches: Scenario, tmp_path: Path
) -> None:
    """Eight sources of 1 Mb/s need a line of more than 8 Mb/s, however short the delay in the network is before."""
    until = "branch.delay_network_p99_s < 500 ms"
    results = capacity(branches, "line.trunk.rate=6 Mb/s..11 Mb/s", until, tmp_path / "out", replications=3)
    answer = results.about["details"]["answer"]
    assert answer["state"] == "bracketed"
    assert 7.5 <= answer["least"] < answer["most"] <= 9.5
    assert "With 95 % confidence it is overloaded (branch +" in headline(results, Asked.of(results))


def test_a_range_that_is_overloaded_at_both_ends_has_no_capacity(branches: Scenario, tmp_path: Path) -> None:
    until = "branch.delay_network_p99_s > 500 ms"
    results = capacity(branches, "flow.branch.count=10..16", until, tmp_path / "out", replications=3)
    assert results.about["details"]["answer"] == {"state": "overloaded", "least": None, "most": None}
    told = headline(results, Asked.of(results))
    assert told.startswith("There is no capacity in the range: it is overloaded at count = 10 (branch +")


def test_a_search_finds_no_overloaded_point_feasible(
    branches: Scenario, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = {"maximise": "trunk.utilisation", "replications": 3}
    over = {"flow.branch.count": "3,4,8,16"}
    results = search(branches, over, tmp_path / "in", subject_to=["branch.delay_network_p99_s < 1 s"], **asked)  # type: ignore[arg-type]
    details = results.about["details"]
    assert details["answer"]["setting"] == {"flow.branch.count": 4}
    assert [(each["feasible"], list(each["overloaded"])) for each in details["tried"]] == [
        *[(True, [])] * 2,
        *[(False, ["branch"])] * 2,
    ]
    print_search(results)
    assert "Overloaded: the data that wait at the sources rise" in " ".join(capsys.readouterr().out.split())
    # Without a condition nothing is within one, and the answer says what it is.
    free = search(branches, over, tmp_path / "free", **asked)  # type: ignore[arg-type]
    print_search(free)
    assert ", overloaded there (branch +" in capsys.readouterr().out.replace("\n", " ")

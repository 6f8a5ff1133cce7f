"""Parts of control schemes that hear each other, and parts that do not: refused, warned of, shown."""

import json
import re
from pathlib import Path

import polars as pl
import pytest
from conftest import Command

from penstock import _engine
from penstock.api.run import run
from penstock.core.errors import InputError
from penstock.core.scenario import Scenario, are_ready
from penstock.show.feedback import rows, warnings

pytestmark = pytest.mark.in_process

LAN = """
duration = "50 ms"
{top}
[line.trunk]
between = ["a", "b"]
rate = "155.52 Mb/s"
delay = "10 us"
queues = [{{ drop_tail = {{ size = "200 cells" }} }}]
{line}
[flow.data]
count = {count}
path = ["a", "b"]
traffic.{traffic}
{flow}
"""
GREEDY, CBR = "greedy = {}", 'cbr = { rate = "30 Mb/s" }'
BECN_POINT = 'congestion_point.becn = { threshold = "50 cells", filter.none = {} }'
SOURCE = 'reaction_point.becn = { recovery.constant = "1 ms" }'
TM40 = "reaction_point.tm40 = {}\nnotification_point.turn_round = {}"


def lan(line: str, flow: str, *, traffic: str = CBR, count: int = 6, top: str = "") -> str:
    return LAN.format(line=line, flow=flow, traffic=traffic, count=count, top=top)


# Each had the numbers of a run without control, digit for digit, and no word about it; the window stalled.
MISMATCHES = {
    "explicit rates over sources of notices": (
        lan("congestion_point.erica = {}", "reaction_point.rate_factor = {}"),
        ["line.trunk.congestion_point = erica", "reaction_point.tm40", "notification_point.turn_round"],
    ),
    "a source of notices under explicit rates": (
        lan("congestion_point.erica = {}", SOURCE),
        ["line.trunk.congestion_point = erica"],
    ),
    "a factor on greedy traffic": (
        lan("congestion_point.class_rates = {}", "reaction_point.rate_factor = {}", traffic=GREEDY),
        ["flow.data.reaction_point = rate_factor", "greedy has none"],
    ),
    "notices over sources of RM cells": (
        lan(BECN_POINT, TM40, traffic=GREEDY),
        ["line.trunk.congestion_point = becn", "reaction_point.stop"],
    ),
    "a window over a queue that can discard": (
        lan("", "reaction_point.fixed_window = { window = 90 }\nnotification_point.acknowledge = {}", traffic=GREEDY),
        ["flow.data.reaction_point = fixed_window", "a lost PDU is never sent again", "drop_tail of line.trunk"],
    ),
    "DECbit without a transport": (
        lan("congestion_point.decbit = {}", "", traffic=GREEDY),
        ["line.trunk.congestion_point = decbit", "credit.congestion_avoidance", "window.decbit"],
    ),
    "a source that hears nobody": (
        lan("", "reaction_point.stop = {}"),
        ["flow.data.reaction_point = stop", "it hears notices", "congestion_point.becn"],
    ),
    "RM cells that do not return": (
        lan("congestion_point.erica = {}", "reaction_point.tm40 = {}", traffic=GREEDY),
        ["line.trunk.congestion_point = erica", "notification_point.turn_round"],
    ),
}


@pytest.mark.parametrize(("text", "words"), MISMATCHES.values(), ids=MISMATCHES)
def test_parts_that_do_not_meet_are_refused(text: str, words: list[str]) -> None:
    with pytest.raises(InputError) as refusal:
        Scenario.parse(text)
    told = str(refusal.value)
    assert all(word in told for word in [*words, 'mismatches = "warn"']), told


@pytest.mark.parametrize("text", [text for text, _ in MISMATCHES.values()], ids=MISMATCHES)
def test_parts_that_do_not_meet_run_if_they_are_meant(text: str) -> None:
    scenario = Scenario.parse(f'mismatches = "warn"\n{text}')
    assert scenario.meetings().warnings
    assert run(scenario).groups["sent"].sum() > 0


@pytest.mark.parametrize(
    ("line", "flow", "traffic", "expected"),
    [
        (
            "congestion_point.erica = {}",
            TM40,
            GREEDY,
            {
                ("reaction_point.tm40", "forward RM cells", "congestion_point.erica"),
                ("reaction_point.tm40", "forward RM cells", "notification_point.turn_round"),
                ("notification_point.turn_round", "backward RM cells", "reaction_point.tm40"),
                ("congestion_point.erica", "explicit rates", "reaction_point.tm40"),
            },
        ),
        (
            'congestion_point.efci = { qt = "50 cells" }',
            TM40,
            GREEDY,
            {
                ("reaction_point.tm40", "forward RM cells", "notification_point.turn_round"),
                ("notification_point.turn_round", "backward RM cells", "reaction_point.tm40"),
                ("congestion_point.efci", "EFCI marks", "notification_point.turn_round"),
                ("notification_point.turn_round", "CI marks", "reaction_point.tm40"),
            },
        ),
        (
            "congestion_point.class_rates = { forward = true }",
            "reaction_point.rate_factor = {}\nnotification_point.forward_notice = {}",
            CBR,
            {
                ("congestion_point.class_rates", "EFCI marks", "notification_point.forward_notice"),
                ("notification_point.forward_notice", "notices", "reaction_point.rate_factor"),
            },
        ),
        (BECN_POINT, SOURCE, GREEDY, {("congestion_point.becn", "notices", "reaction_point.becn")}),
        ("", "", CBR, set()),
    ],
)
def test_who_hears_whom(line: str, flow: str, traffic: str, expected: set[tuple[str, str, str]]) -> None:
    meetings = Scenario.parse(lan(line, flow, traffic=traffic, count=2)).meetings()
    place = {"congestion": "line.trunk", "notification": "flow.data", "reaction": "flow.data"}
    full = {tuple(f"{place[end.split('_')[0]]}.{end}" if "_point" in end else end for end in one) for one in expected}
    assert {(one.sender, one.feedback, one.listener) for one in meetings.hearings} == full
    assert meetings.warnings == ()


def test_a_window_that_no_queue_can_overflow_is_allowed() -> None:
    window = "reaction_point.fixed_window = {{ window = {} }}\nnotification_point.acknowledge = {{}}"
    result = run(Scenario.parse(lan("", window.format(100), traffic=GREEDY, count=2)))
    assert result.groups["lost"].item() == 0
    with pytest.raises(InputError, match="a lost PDU is never sent again"):
        Scenario.parse(lan("", window.format(101), traffic=GREEDY, count=2))


def test_short_intervals_and_slow_lines_are_warned_of() -> None:
    """An interval of 20 us on 155.52 Mb/s has 7.3 cells: too few for three flows, enough for two."""

    def told(count: int, interval: str = "{}", flow: str = TM40) -> list[str]:
        text = lan(f"congestion_point.erica = {interval}", flow, traffic=GREEDY, count=count)
        return warnings(Scenario.parse(text).meetings())

    assert told(2) == []
    (short,) = told(14)
    assert "at most 7.3 cells, too few to see all 14 active flows" in short
    # The remedy works: 42 cells of 424 bits at 155.52 Mb/s.
    (remedy,) = re.findall(r"\{ time = .* \}", short)
    assert told(14, f"{{ interval = {remedy} }}") == []
    assert told(14, '{ interval = "auto" }') == []
    # 42 packets of 1,500 octets take 3.2 ms: the octets that pass count, and `auto` follows them.
    packets = f"octets = 1500\n{TM40}"
    (short,) = told(14, '{ interval = { time = "1 ms" } }', packets)
    assert "at most 13.0 PDUs of 1500 octets, too few to see all 14 active flows" in short
    (remedy,) = re.findall(r"\{ time = .* \}", short)
    assert told(14, f"{{ interval = {remedy} }}", packets) == []
    assert told(14, '{ interval = "auto" }', packets) == []
    slow = lan("", 'access = { rate = "20 Mb/s" }\npriority = 3', count=1)
    assert [line.split(":")[0] for line in warnings(Scenario.parse(slow).meetings())] == [
        "flow.data.access.rate = 20 Mb/s",
        "flow.data.priority = 3",
    ]


def test_gains_that_are_not_stable_are_warned_of() -> None:
    def told(gain: str, count: int) -> list[str]:
        point = f"congestion_point.phantom = {{ alpha_inc = {gain}, alpha_dec = {gain} }}"
        return warnings(Scenario.parse(lan(point, TM40, traffic=GREEDY, count=count)).meetings())

    (unstable,) = told("0.0625", 20)
    assert "congestion_point.phantom.alpha_inc = 0.0625: with 20 flows" in unstable
    # The remedies work.
    (most,) = re.findall(r"at most (\S+)", unstable)
    assert told(most, 20) == told('"auto"', 20) == []


def test_a_window_over_a_queue_of_bits_and_beside_other_queues() -> None:
    window = "reaction_point.fixed_window = {{ window = {} }}\nnotification_point.acknowledge = {{}}"

    def text(bits: int, flow: str) -> str:
        queue = f'drop_tail_bits = {{ size = "{bits} bits" }}'
        return lan("", flow, traffic=GREEDY, count=1).replace('drop_tail = { size = "200 cells" }', queue)

    assert run(Scenario.parse(text(4240, window.format(10)))).groups["lost"].item() == 0
    with pytest.raises(InputError, match="longer than all windows together"):
        Scenario.parse(text(4239, window.format(10)))
    # Other traffic in another queue does no harm; in the same queue no limit is long enough.
    video = '\n[flow.video]\npath = ["a", "b"]\npriority = {}\ntraffic.cbr = {{ rate = "2 Mb/s" }}\n'
    two = lan("", f"priority = 1\n{window.format(20)}", traffic=GREEDY, count=1).replace("]\n\n[flow", "]\n[flow")
    two = two.replace("queues = [", 'queues = [{ drop_tail = { size = "50 cells" } }, ')
    assert run(Scenario.parse(two + video.format(0))).groups["lost"].sum() == 0
    with pytest.raises(InputError, match="make it unlimited"):
        Scenario.parse(two + video.format(1))


def test_points_that_nothing_passes_are_warned_of() -> None:
    idle = lan("reverse = { congestion_point.erica = {} }", TM40, traffic=GREEDY)
    told = warnings(Scenario.parse(idle).meetings())
    assert [line.split(":")[0] for line in told] == [
        "line.trunk.reverse.congestion_point = erica",
        "flow.data.reaction_point = tm40",
    ]
    assert "no flow sends data through this port" in told[0]
    assert "no port on the path writes a rate or CI" in told[1]


def test_each_strategy_of_a_transport_must_hear() -> None:
    strategies = "transport.tp4 = { credit.withdrawing_credit = {}, window.error_npdu = {} }"
    point = "congestion_point.clnp = { error_reports = {} }"
    with pytest.raises(InputError, match=r"transport\.tp4\.credit = withdrawing_credit: it hears CE marks"):
        Scenario.parse(lan(point, strategies, traffic=GREEDY))


def test_an_interval_by_itself_sees_every_flow() -> None:
    """On a slow net of 14 flows, 20 us see only some, and each gets too much: cells are lost. "auto" sees all."""
    text = lan("congestion_point.erica = {interval}", TM40, traffic=GREEDY, count=14).replace("155.52 Mb/s", "10 Mb/s")

    def lost(interval: str) -> float:
        scenario = Scenario.parse(text.replace("{interval}", interval)).with_({"duration": "2 s", "warm_up": "1 s"})
        groups = run(scenario).groups
        return float(groups["lost"].item() / groups["sent"].item())

    assert lost('{ interval = "auto" }') == 0
    assert lost("{}") > 0.05


def test_run_and_check_print_who_hears_whom(penstock: Command, tmp_path: Path) -> None:
    file = tmp_path / "lan.toml"
    file.write_text(lan(BECN_POINT, SOURCE, traffic=GREEDY, count=2), encoding="utf-8")
    row = ["line.trunk.congestion_point.becn", "notices", "flow.data.reaction_point.becn"]
    for command in ("check", "run"):
        told = penstock(command, file).stdout
        assert any(line.split() == row for line in told.splitlines()), told
    assert list(json.loads(penstock("run", file, "--json").stdout)["feedback"][0].values()) == row
    file.write_text(lan(BECN_POINT, TM40, traffic=GREEDY, top='mismatches = "warn"'), encoding="utf-8")
    told = penstock("run", file).stdout
    assert "warning: line.trunk.congestion_point = becn: it sends notices" in told
    assert "notices, and no source obeyed one" in told
    assert 'mismatches = "warn"' not in told


def test_nobody_is_told_to_change_a_ready_scenario_that_is_as_it_is(penstock: Command) -> None:
    name = "satellite/1-case-1"
    told = penstock("check", name).stdout
    assert "note: flow.video.reaction_point = rate_factor, and 1 more: it hears notices, and nothing" in told
    assert told.endswith("nothing on its path sends them\n\n")
    changed = penstock("check", name, "--set", "flow.video.count=3").stdout
    assert "warning: flow.video.reaction_point = rate_factor, and 1 more: " in changed
    assert changed.endswith(", or delete it\n\n")
    assert are_ready([name, "satellite/1-case-2"])
    assert not are_ready([name, "own.toml"])
    assert not are_ready([])


def test_equal_parts_share_a_row() -> None:
    (row,) = rows(Scenario.load("satellite/1-case-2").meetings())
    assert row == {
        "sender": "congestion_point.class_rates of 2 ports",
        "feedback": "notices",
        "listener": "reaction_point.rate_factor of 2 groups",
    }


def test_every_part_is_in_the_table() -> None:
    parts = pl.DataFrame(_engine.parts(), schema=["role", "table", "part", "sends", "hears"], orient="row")
    assert parts.select("role", "part").is_unique().all()
    assert set(parts["role"]) == {
        "congestion_point",
        "notification_point",
        "reaction_point",
        "traffic",
        "credit",
        "window",
        "controller",
    }
    # Each kind of feedback that a part hears is sent by another, and the other way round.
    # Losses are those of queues, whatever their policy.
    heard = set(parts["hears"].explode().drop_nulls()) - {"losses"}
    assert set(parts["sends"].explode().drop_nulls()) == heard


def test_what_never_happens_is_warned_of() -> None:
    def told(line: str, flow: str, *, top: str = "", traffic: str = GREEDY) -> list[str]:
        return [
            text.split(":")[0]
            for text in warnings(Scenario.parse(lan(line, flow, traffic=traffic, top=top)).meetings())
        ]

    def becn(threshold: int) -> str:
        return f'congestion_point.becn = {{ threshold = "{threshold} cells", filter.none = {{}} }}'

    # A queue of 200 cells: the 201st cell finds 200 and counts too, but it is the 200th that is told.
    assert told(becn(200), SOURCE) == []
    assert told(becn(201), SOURCE) == ["line.trunk.congestion_point.becn.threshold"]
    assert told('congestion_point.bes = { qt = "199 cells", dqt = "300 cells" }', TM40) == []
    assert told('congestion_point.bes = { qt = "200 cells", dqt = "300 cells" }', TM40) == [
        "line.trunk.congestion_point.bes.qt"
    ]
    late = 'outage = { from = "60 ms", to = "70 ms" }'
    assert told(late, "", top='measure.sample = "51 ms"', traffic='cbr = { rate = "1 Mb/s", start = "50 ms" }') == [
        "measure.sample = 51 ms",
        "line.trunk.outage.from = 60 ms",
        "flow.data.traffic.cbr.start = 50 ms",
    ]


def test_a_queue_that_no_point_controls_is_warned_of() -> None:
    def told(point: str, priority: int) -> list[str]:
        text = lan(f"congestion_point.{point} = {{}}", f"priority = {priority}\n{TM40}", traffic=GREEDY, count=2)
        text = text.replace("queues = [", "queues = [{ unlimited = {} }, ")
        return warnings(Scenario.parse(text).meetings())

    assert told("efci", 1) == told("erica", 1) == told("bes", 0) == []
    for point in ("efci", "erica"):
        (warning,) = told(point, 0)
        assert warning.startswith("flow.data.priority = 0: the congestion points")
        assert "write 1" in warning


def test_a_policer_that_only_tags_does_not_stall_a_window() -> None:
    window = "reaction_point.fixed_window = { window = 20 }\nnotification_point.acknowledge = {}\n"
    meter = 'policers = [{{ gcra = {{ increment = "1 ms", limit = "0 s", nonconforming = "{}" }} }}]'
    result = run(Scenario.parse(lan("", window + meter.format("mark"), traffic=GREEDY, count=1)))
    assert result.groups["lost"].item() == 0
    with pytest.raises(InputError, match=r"flow\.data\.policers\[0\] can discard"):
        Scenario.parse(lan("", window + meter.format("discard"), traffic=GREEDY, count=1))


def test_a_remedy_names_the_parameter_that_is_missing() -> None:
    strategy = "transport.tp4 = { credit.withdrawing_credit = {} }"
    with pytest.raises(InputError, match=r"congestion_point\.clnp \(with ce_threshold\)"):
        Scenario.parse(lan("congestion_point.clnp = {}", strategy))


def test_flows_that_no_point_controls_beside_siblings_are_warned_of() -> None:
    for point, source in (("congestion_point.erica = {}", TM40), (BECN_POINT, SOURCE)):
        text = lan(point, source, traffic=GREEDY, count=1)
        text = text.replace('path = ["a", "b"]', 'from = ["a"]\nto = ["b", "c"]')
        text += '\n[line.free]\nbetween = ["a", "c"]\nrate = "155.52 Mb/s"\n'
        (warning,) = warnings(Scenario.parse(text).meetings())
        assert "flow.data.reaction_point = " in warning
        assert "1 of its 2 flows pass no congestion point that they hear" in warning

"""``[traffic]``: mixes of kinds and a load for the flows of a network by name."""

import re
from pathlib import Path

import pytest

import penstock
from penstock.core.errors import InputError
from penstock.core.scenario import Scenario

GUIDE = (Path(__file__).parents[1] / "docs" / "guides" / "networks.md").read_text(encoding="utf-8")
MIX = """
duration = "20 s"
warm_up = "1 s"
[network.dumbbell]
pairs = 1
rate = "10 Mb/s"
delay = "1 ms"
[traffic]
mix = { voice = 0.2, video = "rest" }
load = 0.5
"""


def test_the_guide_has_the_kinds_and_their_rates() -> None:
    rows = re.findall(r"\| `(\w+)` \| [^|]* \| ([^|]*) \| [^|]*\|", GUIDE.split("## Traffic")[1])
    rates = {}
    for kind, _ in rows:
        offered = Scenario.parse(MIX.split("[traffic]")[0] + f"[traffic]\nmix = {{ {kind} = 1 }}").offered()
        assert offered is not None
        rates[kind] = offered.kinds[0].rate_bps
    with pytest.raises(InputError, match=f"known here: {', '.join(rates)}; a"):
        Scenario.parse(MIX.replace("voice", "xyz"))
    assert rates.pop("greedy") is None
    units = {"kb/s": 1e3, "Mb/s": 1e6}
    for (kind, shown), rate in zip(rows, rates.values(), strict=False):
        number, unit = shown.split()
        assert rate == pytest.approx(float(number) * units[unit], rel=1e-4), kind


def test_shares_and_loads_are_axes_of_a_sweep(tmp_path: Path) -> None:
    scenario = Scenario.parse(MIX).with_({"duration": "1100 ms"})
    axes = {"traffic.load": [0.352, 0.704], "traffic.mix.voice": [0.1, 0.5]}
    groups = penstock.Sweep(scenario, axes).run(tmp_path / "out").table("groups").sort("point", "group")
    flows = {name: groups.filter(group=f"pairs_{name}")["flows"].to_list() for name in ("voice", "video")}
    # A tenth of 3.52 Mb/s are 11 calls of 32 kb/s, and the rest is 9 flows of 352 kb/s.
    assert flows == {"voice": [11, 55, 22, 110], "video": [9, 5, 18, 10]}


def test_a_run_offers_the_load_that_check_tells() -> None:
    """35 calls and 11 picture telephones: the standard deviation of the load over 19 s is 0.009."""
    scenario = Scenario.parse(MIX)
    offered = scenario.offered()
    assert offered is not None
    assert offered.load is not None
    assert offered.load.load == pytest.approx((35 * 32e3 + 11 * 352e3) / 10e6)
    ports = penstock.run(scenario).ports
    assert ports.filter(port="trunk")["utilisation"].item() == pytest.approx(offered.load.load, abs=0.036)


def test_a_scenario_without_the_table_offers_nothing_by_kind() -> None:
    assert Scenario.parse(MIX.split("[traffic]")[0]).offered() is None


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"traffic.mix.voice": 1.5}, "traffic.mix.voice = 1.5: this is not a share"),
        ({"traffic.mix.video": 0.2}, "traffic.mix: the shares add up to 0.4, not to 1"),
        ({"traffic.mix.vidoe": 0.2}, "did you mean `video`?"),
        ({"traffic.load": 0}, "traffic.load = 0: this is no load"),
        ({"traffic.of": "trunk.reverse"}, "traffic.of = trunk.reverse: no flow of the network sends over this port"),
        ({"traffic.mix": {"greedy": 1}}, "traffic.load = 0.5: greedy sends all that its lines carry"),
        ({"scheme": "congestion_avoidance", "traffic.kind": {"video": {"octets": 0}}}, "traffic.kind.video.octets"),
        ({"network": None, "defaults": None}, "traffic: there is no network by name"),
    ],
)
def test_a_fault_names_what_was_written(changes: dict[str, object], told: str) -> None:
    with pytest.raises(InputError) as refusal:
        Scenario.parse(MIX).with_(changes)
    assert told in str(refusal.value)

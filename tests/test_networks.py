"""Networks by name, alone and with schemes by name: the files of the guide, sweeps, and errors."""

import re
from pathlib import Path

import pytest
from conftest import Command

import penstock
from penstock.core.errors import InputError
from penstock.core.scenario import Scenario
from penstock.show.summary import summary
from penstock.truth.shares import fair_shares

pytestmark = pytest.mark.in_process

GUIDE = Path(__file__).parents[1] / "docs" / "guides" / "networks.md"
FILES = dict(re.findall(r"```toml\n# (.*)\n([^`]*)```", GUIDE.read_text(encoding="utf-8")))
DUMBBELL = """
duration = "200 ms"
scheme = "charny"
[network.dumbbell]
pairs = 4
rate = "100 Mb/s"
delay = "1 ms"
"""


def test_the_guide_has_files() -> None:
    assert len(FILES) == 10


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_every_file_of_the_guide_runs(text: str) -> None:
    scenario = Scenario.parse(text)
    is_fast = "Mb/s" in text and "satellite_chain" not in text and "64 kb/s" not in text
    duration = "200 ms" if "leaf_spine" in text else "600 ms"
    result = penstock.run(scenario.with_({"duration": duration}) if is_fast else scenario)
    assert sum(result.groups["delivered"].to_list()) > 0
    assert max(result.ports["utilisation"].to_list()) <= 1
    assert len(text.splitlines()) <= 12


def test_a_parameter_of_a_network_is_an_axis(tmp_path: Path) -> None:
    sweep = penstock.Sweep(Scenario.parse(DUMBBELL), {"network.dumbbell.pairs": [1, 2, 4]})
    flows = sweep.run(tmp_path / "out").table("groups").sort("point")["flows"].to_list()
    assert flows == [1, 2, 4]


def test_a_mesh_under_control_has_no_fair_shares_to_show() -> None:
    star = 'duration = "50 ms"\nscheme = "charny"\n[network.star]\nleaves = 3\nrate = "10 Mb/s"\ndelay = "1 ms"'
    result = penstock.run(Scenario.parse(star))
    assert fair_shares(result) == {}
    assert summary(result)["ports"]


def test_pages_and_truths_know_the_lines_of_a_network(penstock: Command, tmp_path: Path) -> None:
    result = run_small()
    assert fair_shares(result) == pytest.approx({"pairs": 25e6})
    file = tmp_path / "net.toml"
    file.write_text(DUMBBELL, encoding="utf-8")
    told = penstock("run", file, "--trace", tmp_path / "trace").stdout
    assert (tmp_path / "trace" / "report.html").is_file()
    assert re.search(r"pairs +4", told)


def run_small() -> penstock.Result:
    return penstock.run(Scenario.parse(DUMBBELL))


LEAF_SPINE = """
duration = "5 ms"
[network.leaf_spine]
leaves = 3
spines = 3
hosts = 3
host_rate = "100 Mb/s"
host_delay = "1 us"
uplink_rate = "100 Mb/s"
uplink_delay = "2 us"
[defaults.flow]
traffic.cbr = { rate = "1 Mb/s" }
"""


@pytest.mark.parametrize(("changes", "spines"), [({}, {1, 2, 3}), ({"equal_paths": "first"}, {1})])
def test_flows_of_a_leaf_spine_are_spread_over_its_spines(changes: dict[str, object], spines: set[int]) -> None:
    scenario = Scenario.parse(LEAF_SPINE).with_(changes)
    ports = penstock.run(scenario).ports
    used = {row["port"] for row in ports.to_dicts() if row["departed"] and row["port"].startswith("uplink")}
    assert used == {f"uplink_{leaf}_{spine}{end}" for leaf in (1, 2, 3) for spine in spines for end in ("", ".reverse")}
    hops = scenario.hops()["mesh"]
    assert {one for one, _ in hops if one.startswith("spine")} == {f"spine_{spine}" for spine in spines}
    # 9 hosts, each up and down its line; 3 leaves, each up and down to each used spine.
    assert len(hops) == len(set(hops)) == 2 * 9 + 2 * 3 * len(spines)


TWO_DELAYS = """
duration = "1 s"
[line.trunk]
between = ["here", "there"]
rate = "424 kb/s"
delay = "3 ms"
reverse = { delay = "7 ms" }
[flow.out]
path = ["here", "there"]
traffic.cbr = { rate = "42.4 kb/s" }
[flow.back]
path = ["there", "here"]
traffic.cbr = { rate = "42.4 kb/s" }
"""


def test_each_direction_of_a_line_has_its_delay() -> None:
    rows = penstock.run(Scenario.parse(TWO_DELAYS)).flows.to_dicts()
    # A cell of 424 bits is sent in 1 ms.
    assert {row["flow"]: row["delay_min_s"] for row in rows} == pytest.approx({"out": 0.004, "back": 0.008})
    assert {row["flow"]: row["delay_max_s"] for row in rows} == pytest.approx({"out": 0.004, "back": 0.008})


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"network.dumbbell.pairs": 0}, "network.dumbbell.pairs = 0: a network of this kind has at least 1"),
        ({"network.dumbell.pairs": 1}, 'there is no "dumbell"; did you mean "dumbbell"?'),
        ({"network": {"dumbbell": {"pairs": 1}}}, 'network.dumbbell = {"pairs":1}: these must be given: rate, delay'),
        ({"network": {"chain": {}, "star": {}}}, "network = "),
        ({"defaults": {"line": {"rate": "1 Mb/s"}}}, "defaults.line.rate"),
        ({"defaults": {"flow": {"prority": 1}}}, "defaults.flow.prority: there is no key `prority`"),
        ({"flow": {"pairs": {"path": ["left", "right"], "traffic": {"greedy": {}}}}}, "choose another name"),
    ],
)
def test_a_fault_names_what_was_written(changes: dict[str, object], told: str) -> None:
    with pytest.raises(InputError) as refusal:
        Scenario.parse(DUMBBELL).with_(changes)
    assert told in str(refusal.value)

"""Control schemes by name: what is written, what is built, and what is told."""

import tomllib
from pathlib import Path

import pytest
from conftest import Command

import penstock
from penstock import _engine
from penstock.core.errors import InputError
from penstock.core.scenario import Scenario, scheme_label
from penstock.execute.plan import Plan
from penstock.show.feedback import warnings
from penstock.show.notebook import card_of
from penstock.truth.shares import fair_shares

pytestmark = pytest.mark.in_process

TEN_LINES = """
duration = "200 ms"
scheme = "erica"
[line.trunk]
between = ["left", "right"]
rate = "155.52 Mb/s"
delay = "1 ms"
[flow.data]
count = 4
path = ["left", "right"]
traffic.greedy = {}
"""
PARTS = """
congestion_point.erica = { interval = "auto" }
[flow.data]
reaction_point.tm40 = { icr = "auto" }
notification_point.turn_round = {}
"""


def test_a_scheme_is_the_same_run_as_its_parts_written_out(penstock: Command, tmp_path: Path) -> None:
    short = Scenario.parse(TEN_LINES)
    long = Scenario.parse(TEN_LINES.replace('scheme = "erica"', "").replace("[flow.data]", PARTS))
    assert short != long
    assert short.expanded() == long == long.expanded()
    assert _run_id(short) == _run_id(long)
    file = tmp_path / "net.toml"
    file.write_text(TEN_LINES, encoding="utf-8")
    printed = penstock("check", file, "--expanded").stdout
    assert tomllib.loads(printed) == tomllib.loads(long.to_toml())
    assert tomllib.loads(penstock("check", file, "--defaults").stdout)["scheme"] == "erica"
    # Every value is stated: no parameter is left out for its usual value.
    assert penstock("check", file, "--expanded", "--defaults").stdout == printed
    built = tomllib.loads(printed)
    assert next(iter(built["line"].values()))["congestion_point"]["erica"]["target"] == 0.9
    source = built["flow"]["data"]["reaction_point"]["tm40"]
    assert [source[key] for key in ("pcr", "mcr", "icr", "frtt")] == ["auto", "0 b/s", "auto", "unlimited"]


def _run_id(scenario: Scenario) -> str:
    plan = Plan([], build=lambda _: scenario)
    plan.add(0, [(1, 0)])
    return plan.ids([0], 1, 0)[0]


def test_schemes_are_the_values_of_an_axis(tmp_path: Path) -> None:
    schemes = ["none", "becn", "charny", {"erica": {"target": 0.8}}]
    results = penstock.Sweep(Scenario.parse(TEN_LINES), {"scheme": schemes}).run(tmp_path / "out")
    trunk = results.table("ports").filter(port="trunk").sort("point")
    none, becn, charny, erica = trunk.select("utilisation", "queue_max").iter_rows()
    assert none[0] > 0.99
    # No control fills the queue without limit; the schemes hold it, and ERICA its target too.
    assert max(becn[1], charny[1], erica[1]) < none[1] / 50
    assert erica[0] < 0.86 < charny[0] < 0.95


def test_the_list_of_schemes_is_complete() -> None:
    keywords = [keyword for keyword, *_ in _engine.schemes()]
    assert keywords[0] == "none"
    assert len(keywords) == len(set(keywords))
    for keyword, meaning, _main, parts, *facts in _engine.schemes():
        assert meaning.endswith(".")
        assert bool(parts) == (keyword != "none")
        assert all(facts[1:4])


@pytest.mark.parametrize(
    ("scheme", "place", "told"),
    [
        ('scheme = "erika"', 'line 3: scheme = "erika"', "did you mean `erica`?"),
        ("scheme.erica = { targt = 0.9 }", "line 3: scheme.erica.targt", "did you mean `target`?"),
        ("scheme.erica = { target = 7 }", "line 3: scheme.erica.target", "(at line.trunk)"),
        ("scheme = { erica = {}, becn = {} }", "line 3: scheme", "one keyword"),
        ("scheme = {}", "line 3: scheme", "one keyword"),
        ("scheme = 7", "line 3: scheme = 7", "the name of a scheme"),
        ('scheme = "rate_factor"', "line 3: scheme.rate_factor.reaction_point", "greedy has none (at flow.data)"),
        ("scheme.none = { target = 1 }", "line 3: scheme.none.target", "there is no key"),
        (
            "scheme.erica = { congestion_point.charny = {} }",
            "line 3: scheme.erica.congestion_point = charny: `erica` stands for congestion_point.erica",
            "name the scheme `charny`, or write the parts on the lines and flows",
        ),
    ],
)
def test_a_fault_names_what_was_written(scheme: str, place: str, told: str) -> None:
    with pytest.raises(InputError) as refusal:
        Scenario.parse(TEN_LINES.replace('scheme = "erica"', scheme))
    assert place in str(refusal.value)
    assert told in str(refusal.value)


@pytest.mark.parametrize(
    ("scheme", "label"),
    [
        ("erica", "erica"),
        ({"erica": {"interval": "auto"}}, "erica"),
        ({"erica": {"target": 0.5}}, "erica (changed: target)"),
        (
            {"erica": {"target": 0.5, "reaction_point": {"tm40": {"icr": "auto", "rif": 0.5}}}},
            "erica (changed: target, reaction_point.tm40.rif)",
        ),
        ({"erica": {"targt": 0.5}}, ""),
        (7, ""),
    ],
)
def test_the_label_of_a_scheme_has_its_changed_parameters(scheme: object, label: str) -> None:
    assert scheme_label(scheme) == label


def test_the_card_of_a_scenario_tells_that_its_scheme_is_changed() -> None:
    changed = Scenario.parse(TEN_LINES).with_({"scheme.erica.target": 0.5})
    assert card_of(changed).figures["scheme"] == "erica (changed: target)"


def test_warnings_about_a_scheme_name_what_was_written() -> None:
    """A scheme puts its point at every port, also where no flow passes: that is not told."""
    assert warnings(Scenario.parse(TEN_LINES).meetings()) == []
    short = TEN_LINES.replace('scheme = "erica"', 'scheme.erica.interval = { time = "5 us" }')
    (warning,) = warnings(Scenario.parse(short).meetings())
    assert warning.startswith("scheme.erica.interval")


def test_fair_shares_are_those_of_the_parts() -> None:
    result = penstock.run(Scenario.parse(TEN_LINES))
    assert fair_shares(result) == pytest.approx({"data": 155.52e6 / 4})


STREAMS = ("new_reno", "abe", "cubic", "dctcp")
NETWORKS = {
    "dumbbell": 'pairs = 2\nrate = "10 Mb/s"\ndelay = "1 ms"',
    "parking_lot": 'trunks = 2\nrate = "10 Mb/s"\ndelay = "1 ms"',
    "chain": 'trunks = 2\nrate = "10 Mb/s"\ndelay = "1 ms"',
    "star": 'leaves = 3\nrate = "10 Mb/s"\ndelay = "1 ms"',
    "upstream": 'rate = "10 Mb/s"\ndelay = "1 ms"',
    "gfc_1": "",
    "gfc_2": "",
    "satellite_chain": 'hops = 1\nrate = "2 Mb/s"',
    "leaf_spine": 'leaves = 2\nspines = 2\nhosts = 1\nhost_rate = "10 Mb/s"\nhost_delay = "10 us"\n'
    'uplink_rate = "10 Mb/s"\nuplink_delay = "10 us"',
    "aeronautical": 'stations = 1\naircraft = 2\ndata_link_rate = "100 kb/s"',
    "waxman": 'nodes = 4\nrate = "10 Mb/s"\ndelay = "1 ms"',
}


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("scheme", STREAMS)
def test_byte_streams_run_on_every_network(network: str, scheme: str) -> None:
    text = f'duration = "600 ms"\nscheme = "{scheme}"\n[network.{network}]\n{NETWORKS[network]}\n'
    queues = '[defaults.line]\nqueues = [{ drop_tail.size = "20 PDUs" }]\n[defaults.flow]\noctets = 1000\n'
    result = penstock.run(Scenario.parse(text + queues))
    assert result.groups["timeouts"].is_not_null().all()
    assert result.groups["accepted"].sum() > 0
    assert result.groups["delivered"].sum() >= result.groups["accepted"].sum()
    assert max(result.ports["utilisation"].to_list()) <= 1 + 1e-9

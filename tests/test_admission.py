"""Connection admission: what sources need of each line, and which sources it says nothing about."""

from __future__ import annotations

import pytest
from conftest import Command

from penstock import Scenario
from penstock.theory.admission import Need, needs

pytestmark = pytest.mark.in_process

VOICES = """
duration = "1 s"
[line.trunk]
between = ["a", "b"]
rate = "2.6 Mb/s"
queues = [{ drop_tail = { size = "256 cells" } }]
[flow.voice]
count = 50
path = ["a", "b"]
traffic.on_off = { peak_rate = "64 kb/s", on = "0.5 s", off = "0.5 s" }
"""


def need(changes: dict[str, object] | None = None) -> Need:
    scenario = Scenario.parse(VOICES)
    (found,), without = needs(scenario.with_({"mismatches": "warn", **changes}) if changes else scenario)
    assert not without
    return found


def test_fifty_voices() -> None:
    # truths.md, 11: 51,936.46 b/s each, 2.59682 Mb/s together, below the Gaussian 2.74918 Mb/s.
    found = need()
    assert found.port == "trunk"
    assert (found.flows, found.buffers) == (50, ["256 PDUs"])
    assert found.peaks == pytest.approx(3.2e6)
    assert found.means == pytest.approx(1.6e6)
    assert found.effective == pytest.approx(50 * 51_936.46, rel=1e-7)


@pytest.mark.parametrize(
    ("rate", "verdict"),
    [
        ("3.2 Mb/s", "peaks fit"),
        ("2.597 Mb/s", "effective bandwidth fits"),
        ("2.596 Mb/s", "only means fit"),
        ("1.6 Mb/s", "overloaded"),
    ],
)
def test_the_most_careful_rule_that_admits(rate: str, verdict: str) -> None:
    assert need({"line.trunk.rate": rate}).verdict == verdict


def test_the_smaller_of_the_two_forms_counts() -> None:
    # Without a buffer to speak of the fluid form is near the peak; the Gaussian one does not know the buffer.
    small = need({"line.trunk.queues": [{"drop_tail": {"size": "1 cell"}}]})
    assert small.effective == pytest.approx(2.74918e6, rel=1e-5)
    assert need({"line.trunk.queues": [{"unlimited": {}}]}).effective == pytest.approx(1.6e6)
    octets = need({"line.trunk.queues": [{"drop_tail_bits": {"size": f"{256 * 53} octets"}}]})
    assert octets.effective == pytest.approx(need().effective)


def test_constant_sources_need_their_rate_and_two_rates_the_lower_always() -> None:
    constant = need({"flow.voice.traffic": {"cbr": {"rate": "10 kb/s"}}})
    assert (constant.peaks, constant.means, constant.effective) == pytest.approx((5e5, 5e5, 5e5))
    two = need({"flow.voice.traffic": {"two_rate_video": {}}, "line.trunk.queues": [{"unlimited": {}}]})
    assert (two.peaks, two.means, two.effective) == pytest.approx((25.6e6, 17.6e6, 17.6e6))


@pytest.mark.parametrize(
    ("flow", "reason"),
    [
        ({"traffic": {"poisson": {"rate": "1 Mb/s"}}}, "it is no on/off source (poisson)"),
        ({"traffic": {"file_transfer": {}}}, "it sends files"),
        ({"traffic": {"greedy": {}}, "access": {"rate": "1 Mb/s"}}, "it is greedy"),
        (
            {"traffic": {"on_off": {}}, "reaction_point": {"rate_factor": {"round_trip": "10 ms"}}},
            "a control scheme changes its rate",
        ),
    ],
)
def test_what_the_rules_do_not_cover_is_named(flow: dict[str, object], reason: str) -> None:
    found = need({"flow.other": {"path": ["a", "b"], **flow}})
    assert found.flows == 50
    assert list(found.left_out) == ["other"]
    assert found.left_out["other"].startswith(reason)
    assert found.effective == need().effective


def test_priorities_have_their_own_queues() -> None:
    queues = {"line.trunk.queues": [{"drop_tail": {"size": "256 cells"}}, {"drop_tail": {"size": "512 cells"}}]}
    low = {"path": ["a", "b"], "priority": 1, "traffic": {"cbr": {"rate": "100 kb/s"}}}
    found = need({**queues, "flow.low": low})
    assert found.buffers == ["256 PDUs", "512 PDUs"]
    assert found.effective == pytest.approx(need().effective + 1e5)


def test_flows_without_a_path_are_named() -> None:
    text = VOICES.replace('path = ["a", "b"]', 'from = ["a"]\nto = ["b"]')
    assert needs(Scenario.parse(text)) == ([], {"voice": "the scenario names no path"})


def test_the_command_prints_it(penstock: Command, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("voices") / "voices.toml"
    file.write_text(VOICES, encoding="utf-8")
    told = penstock("check", file, "--admission")
    assert told.returncode == 0
    assert "1.6000     2.5968        3.2000  2.6000  effective bandwidth fits" in told.stdout
    assert "admission" not in penstock("check", file).stdout
    assert penstock("check", file, "--admission", "--defaults").returncode == 2

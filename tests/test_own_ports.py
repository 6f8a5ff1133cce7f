"""Congestion points in Python that write telemetry, and that make Error Reports of CLNP: as those of the engine."""

from pathlib import Path

import pytest
from test_classes import fingerprint
from test_own_points import python

import penstock
from penstock import InputError, Scenario

OWN = Path(__file__).parent / "controllers" / "ports.py"
SCENARIO = """
duration = "{duration}"
scheme.{scheme}
[network.dumbbell]
pairs = 4
rate = "{rate}"
delay = "5 ms"
"""


def scenario(scheme: str, duration: str = "300 ms", rate: str = "20 Mb/s", name: Path = OWN) -> Scenario:
    text = SCENARIO.format(scheme=scheme, duration=duration, rate=rate)
    return Scenario.parse(text, name=str(name))


def hpcc(cls: str = "", more: str = "") -> Scenario:
    point = f", congestion_point.{python(cls, 'ports.py', more)}" if cls else ""
    return scenario(f"hpcc = {{ flows = 4{point} }}")


@pytest.mark.parametrize("cls", ["Plain", "Counted"])
def test_telemetry_is_that_of_the_engine_bit_by_bit(cls: str) -> None:
    assert fingerprint(hpcc(cls)) == fingerprint(hpcc())


def test_a_stream_acts_on_what_a_class_writes() -> None:
    whole, half = hpcc("Told"), hpcc("Told", ", parameters = { part = 0.0 }")
    assert fingerprint(whole) == fingerprint(hpcc())
    queues = [penstock.run(one, allow_python=True).ports["queue_mean"][0] for one in (whole, half)]
    assert queues[1] > queues[0]  # the load looks lower, so the streams send more
    assert fingerprint(half) == fingerprint(half, form="plain") != fingerprint(whole)


def atn(point: str, threshold: str = "") -> Scenario:
    queues = 'defaults.line.queues = [{ drop_tail_bits = { size = "2500 octets" } }]'
    return scenario(f"error_npdu = {{ congestion_point.{point} }}\n{queues}", "60 s", "64 kb/s")


@pytest.mark.parametrize(
    ("own", "rust"),
    [
        ("", "clnp = { error_reports = {} }"),
        (", parameters = { threshold = 16000 }", 'clnp = { error_reports = { threshold = "16000 bits" } }'),
    ],
)
def test_error_reports_are_those_of_the_engine_bit_by_bit(own: str, rust: str) -> None:
    one, other = atn(python("Intermediate", "ports.py", own)), atn(rust)
    assert fingerprint(one) == fingerprint(other)
    assert penstock.run(one, allow_python=True).groups["error_reports_sent"].sum() > 5


def test_an_intermediate_system_counts_the_hops_of_npdus() -> None:
    point = python("Intermediate", "ports.py")
    with pytest.raises(InputError, match=r"1 intermediate systems on the path each decrement it .*; give at least 2"):
        penstock.run(scenario(f"error_npdu = {{ congestion_point.{point}, lifetime = 1 }}"), allow_python=True)
    with pytest.raises(InputError, match=r"it counts the hops of NPDUs, and those of flow\.pairs are segments"):
        penstock.run(scenario(f"hpcc = {{ congestion_point.{point} }}"), allow_python=True)


RETURNED = "class Own:\n    writes_telemetry = True\n    def on_service(self, pdu, hop):\n        return {told}\n"
SAID = """
from penstock.scheme import Answer
class Own:
    {flag} = True
    def on_arrival(self, pdu, queue):
        return Answer.error_report(pdu{more})
"""


@pytest.mark.parametrize(
    ("text", "scheme", "told"),
    [
        (RETURNED.format(told="5"), "hpcc", "it must return None, or hop.replace"),
        (RETURNED.format(told="hop.replace(rate=0.0)"), "hpcc", "rate is 0; it must be above 0 bits per second"),
        (RETURNED.format(told="hop.replace(sent_bits=-1)"), "hpcc", "OverflowError"),
        (SAID.format(flag="makes_error_reports", more=""), "erica", "it asks for no Error Report"),
        (SAID.format(flag="makes_error_reports", more=", octets=0"), "error_npdu", "octets is 0"),
        (SAID.format(flag="makes_rm_cells", more=""), "error_npdu", "write `makes_error_reports = True`"),
    ],
)
def test_faults_say_what_would_be_right(tmp_path: Path, text: str, scheme: str, told: str) -> None:
    (tmp_path / "own.py").write_text(text)
    parts = f'{scheme} = {{ congestion_point.{python("Own")} }}\nmismatches = "warn"'
    own = scenario(parts, name=tmp_path / "own.toml")
    with pytest.raises(InputError, match=told):
        penstock.run(own, allow_python=True)

"""Congestion points in Python that write telemetry, and that make Error Reports of CLNP: as those of the engine."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from test_classes import fingerprint
from test_own_points import python

import penstock
from penstock import InputError, Scenario, Simulation, _engine
from penstock.api.simulation import stopped_at
from penstock.core.classes import SIGNALS

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


def atn(point: str) -> Scenario:
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


def test_a_scheme_and_its_ports_may_both_be_classes() -> None:
    def own(point: str) -> Scenario:
        place = OWN.with_name("own.toml")
        return scenario(f'python = {{ file = "hpcc.py", class = "Hpcc", header = 82{point} }}', name=place)

    both = own(f", congestion_point.{python('Plain', 'ports.py')}")
    assert both.classes() == [("hpcc.py", "Hpcc"), ("ports.py", "Plain")]
    assert fingerprint(both) == fingerprint(own(""))


CELLS = """
duration = "200 ms"
mismatches = "warn"
[line.ab]
between = ["a", "b"]
[line.bc]
between = ["b", "c"]
[line.cd]
between = ["c", "d"]
[defaults.line]
rate = "10 Mb/s"
delay = "1 ms"
congestion_point.python = {{ file = "own.py", class = "Own" }}
[flow.a]
count = 3
path = ["a", "b", "c", "d"]
reaction_point.{source} = {{}}
notification_point.turn_round = {{}}
traffic.cbr = {{ rate = "4 Mb/s" }}
"""


def cells(folder: Path, text: str, source: str) -> Scenario:
    (folder / "own.py").write_text(text)
    return Scenario.parse(CELLS.format(source=source), name=str(folder / "own.toml"))


NOTICE = "class Own:\n    sends = ('notices',)\n    def on_arrival(self, pdu, queue):\n        return {told}\n"
RM = """
from penstock.scheme import Answer
class Own:
    makes_rm_cells = True
    sends = ("explicit_rates",)
    hears = ("forward_rm_cells",)
    def on_arrival(self, pdu, queue):
        return {told}
"""


@pytest.mark.parametrize(("text", "source", "only"), [(NOTICE, "becn", "1"), (RM, "tm40", "Answer.rm(1e6, 1e6)")])
def test_an_answer_to_what_is_on_its_way_back_is_a_fault_and_no_defect(
    tmp_path: Path, text: str, source: str, only: str
) -> None:
    with pytest.raises(InputError, match=r"on its way back to the source; return None if `pdu\.is_backward`"):
        penstock.run(cells(tmp_path, text.format(told=only), source), allow_python=True)
    told = text.format(told=f"None if pdu.is_backward else {only}")
    assert fingerprint(cells(tmp_path, told, source))


def step_on(own: Scenario) -> None:
    sim = Simulation(own, allow_python=True)
    for _ in range(10**4):
        sim.step()


GO_ON: dict[str, Callable[[Scenario], object]] = {
    "run_until": lambda own: Simulation(own, allow_python=True).run_until("100 ms"),
    "finish": lambda own: Simulation(own, allow_python=True).finish(),
    "step": step_on,
    "--at": lambda own: stopped_at(own, "100 ms", 1, print, allow_python=True),
}


@pytest.mark.parametrize("way", GO_ON)
def test_all_ways_to_go_on_tell_of_faults_alike(tmp_path: Path, way: str) -> None:
    with pytest.raises(InputError, match="ZeroDivisionError"):
        GO_ON[way](cells(tmp_path, NOTICE.format(told="1 / 0"), "becn"))


def test_the_names_of_feedback_are_those_of_the_engine() -> None:
    assert set(SIGNALS) == {each["const"] for each in json.loads(_engine.schema())["$defs"]["Signal"]["oneOf"]}


RETURNED = "class Own:\n    writes_telemetry = True\n    def on_service(self, pdu, hop):\n        return {told}\n"
KEPT = """
class Own:
    writes_telemetry = True
    kept = None
    def on_service(self, pdu, hop):
        self.kept = self.kept or hop
        return self.kept
"""
SAID = """
from penstock.scheme import Answer
class Own:
    {flags}
    kept = None
    def on_arrival(self, pdu, queue):
        self.kept = self.kept or pdu
        return {told}
"""
REPORTS = "makes_error_reports = True"


@pytest.mark.parametrize(
    ("text", "scheme", "told"),
    [
        (RETURNED.format(told="5"), "hpcc", "it must return None, or hop.replace"),
        (RETURNED.format(told="hop.replace(rate=0.0)"), "hpcc", "rate is 0; it must be above 0 bits per second"),
        (
            RETURNED.format(told="hop.replace(sent_bits=-1)"),
            "hpcc",
            "sent_bits is -1; it must be a whole number from 0",
        ),
        (RETURNED.format(told="hop.replace(waiting_bits=True)"), "hpcc", "waiting_bits is True; it must be a whole"),
        (RETURNED.format(told="hop.replace(sent_bits=10**12 - pdu.sequence)"), "hpcc", "`sent_bits` never falls"),
        (KEPT, "hpcc", "it returns what was written at another time"),
        (SAID.format(flags=REPORTS, told="Answer.error_report(pdu)"), "erica", "it asks for no Error Report"),
        (SAID.format(flags=REPORTS, told="Answer.error_report(pdu, octets=0)"), "error_npdu", "from 1 to 65535"),
        (SAID.format(flags=REPORTS, told="Answer.error_report(self.kept)"), "error_npdu", "it reports another PDU"),
        (
            SAID.format(flags="makes_rm_cells = True", told="Answer.error_report(pdu)"),
            "error_npdu",
            "write `makes_error_reports = True`",
        ),
        (SAID.format(flags=REPORTS, told="Answer.rm(1e6, 1e6)"), "error_npdu", "write `makes_rm_cells = True`"),
        (SAID.format(flags="sends = ('ecn',)", told="1"), "error_npdu", 'name "notices" in `sends`'),
        (
            SAID.format(flags="sends = ('notices',)", told="Answer.acknowledgement(1)"),
            "error_npdu",
            "a port sends notices",
        ),
    ],
)
def test_faults_say_what_would_be_right(tmp_path: Path, text: str, scheme: str, told: str) -> None:
    (tmp_path / "own.py").write_text(text)
    parts = f'{scheme} = {{ congestion_point.{python("Own")} }}\nmismatches = "warn"'
    with pytest.raises(InputError, match=told):
        penstock.run(scenario(parts, name=tmp_path / "own.toml"), allow_python=True)


def test_an_attribute_that_the_class_reads_is_its_own(tmp_path: Path) -> None:
    text = SAID.format(flags="write_telemetry = True", told="None if self.write_telemetry else None")
    (tmp_path / "own.py").write_text(text)
    Scenario.parse(
        SCENARIO.format(
            scheme=f"erica.congestion_point.{python('Own')}\nmismatches = 'warn'", duration="1 s", rate="1 Mb/s"
        ),
        name=str(tmp_path / "own.toml"),
    )


@pytest.mark.parametrize(
    ("text", "scheme", "told"),
    [
        ("class Own:\n    makes_error_reports = True\n    def begin(self, port): ...\n", "error_npdu", "has neither"),
        (SAID.format(flags="sends = ('telemetry',)", told="None"), "hpcc", "write writes_telemetry = True"),
        (SAID.format(flags="sends = ('error_reports',)", told="None"), "hpcc", "write makes_error_reports = True"),
        (
            SAID.format(flags="sends = ('notice',)", told="None"),
            "hpcc",
            'there is no feedback notice; did you mean "notices"',
        ),
        (
            SAID.format(flags=f"writes_telemetry = {REPORTS}", told="None"),
            "error_npdu",
            "it sends telemetry, and no source of the flows through it hears them",
        ),
        (SAID.format(flags=REPORTS, told="None"), "hpcc", "leave out `makes_error_reports` in the class"),
    ],
)
def test_flags_without_effect_are_refused(tmp_path: Path, text: str, scheme: str, told: str) -> None:
    (tmp_path / "own.py").write_text(text)
    parts = f"{scheme} = {{ congestion_point.{python('Own')} }}"
    with pytest.raises(InputError, match=told):
        penstock.run(scenario(parts, name=tmp_path / "own.toml"), allow_python=True)

"""Controllers that are classes in Python: as those of the engine bit by bit, and with faults that say what is wrong."""

import json
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import penstock
from penstock import InputError, Scenario, Simulation, _engine, scheme
from penstock.cli import main
from penstock.core.classes import GIVEN, UNITS

OWN = Path(__file__).parent / "controllers" / "new_reno.py"

SCENARIO = """
duration = "2 s"
[line.out]
between = ["left", "right"]
rate = "10 Mb/s"
delay = "5 ms"
queues = [{{ drop_tail = {{ size = "25 packets" }} }}]
reverse = {{}}
[flow.a]
count = 2
path = ["left", "right"]
transport.stream = {{ controller = {{ {controller} }}, min_rto = "300 ms" }}
traffic.{traffic} = {{}}
"""

LEAGUE = """
schemes = ["cubic", { name = "Own", scheme.python = { file = "own.py", class = "Own" } }]
with.stream.defaults.flow.octets = 1000
[networks.one]
duration = "500 ms"
network.dumbbell = { pairs = 2, rate = "10 Mb/s", delay = "5 ms" }
defaults.line.queues = [{ drop_tail.size = "25 PDUs" }]
defaults.flow.traffic.greedy.phase = "10 ms"
"""


def scenario(controller: str, traffic: str = "greedy") -> Scenario:
    return Scenario.parse(SCENARIO.format(controller=controller, traffic=traffic), name=str(OWN))


def python(cls: str = "NewReno", file: str = "new_reno.py", more: str = "") -> str:
    return f'python = {{ file = "{file}", class = "{cls}"{more} }}'


def written(folder: Path, text: str, cls: str = "Own", more: str = "") -> Scenario:
    """A scenario with a class of this text."""
    (folder / "own.py").write_text(text)
    text = SCENARIO.format(controller=python(cls, "own.py", more), traffic="greedy")
    return Scenario.parse(text, name=str(folder / "own.toml"))


def schemed(scheme: str, name: Path = OWN) -> Scenario:
    text = SCENARIO.format(controller=python(), traffic="greedy").replace("transport.stream", "#")
    return Scenario.parse(f"scheme.{scheme}\n{text}", name=str(name))


HPCC = 'python = { file = "hpcc.py", class = "Hpcc", parameters = { flows = 4 }, header = 82 }'


def fingerprint(scenario: Scenario, **options: Any) -> str:
    return str(penstock.run(scenario, allow_python=True, **options).manifest["runs"][0]["fingerprint"])


FIXED = "class Own:\n    def begin(self, stream):\n        self.window = 8 * stream.segment\n"


@pytest.mark.parametrize(
    ("own", "rust"),
    [
        (python(), "new_reno = {}"),
        (python(more=", parameters = { loss_factor = 0.75 }"), "new_reno = { loss_factor = 0.75 }"),
        (python("Cubic"), 'cubic = { hystart = "off" }'),
    ],
)
def test_a_class_is_the_controller_of_the_engine_bit_by_bit(own: str, rust: str) -> None:
    assert fingerprint(scenario(own)) == fingerprint(scenario(rust))


def test_a_class_that_reads_telemetry_is_hpcc_bit_by_bit() -> None:
    assert fingerprint(schemed(HPCC)) == fingerprint(schemed("hpcc = { flows = 4 }"))
    with pytest.raises(InputError, match=r"it hears telemetry, and nothing on its path sends them; add one of"):
        penstock.run(scenario(python("Hpcc", "hpcc.py")), allow_python=True)


def test_a_scheme_shows_the_attributes_of_its_class(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(GENTLE.replace("READINGS", '("acks",)'))
    own = schemed('python = { file = "own.py", class = "Own" }', tmp_path / "own.toml")
    simulation = Simulation(own, allow_python=True)
    simulation.run_until("20 ms")
    assert "Own_acks" in set(simulation.readings()["quantity"])


def test_the_plain_form_and_processes_give_the_same(tmp_path: Path) -> None:
    own = scenario(python("Cubic")).with_({"duration": "500 ms"})
    assert fingerprint(own, form="plain") == fingerprint(own) == fingerprint(own, replications=2, jobs=2)


@pytest.mark.parametrize(
    "own", [scenario(python("Cubic")), schemed(HPCC)], ids=["CUBIC", "HPCC, which keeps telemetry"]
)
def test_forks_go_on_by_themselves(own: Scenario) -> None:
    own = own.with_({"duration": "1 s"})
    sim = Simulation(own, allow_python=True)
    sim.run_until("400 ms")
    fork = sim.fork()
    changed = sim.fork()
    changed.change({"line.out.rate": "2 Mb/s"})
    for one in (changed, sim, fork):
        one.run_until("1 s")
    assert sim.fingerprint == fork.fingerprint == fingerprint(own) != changed.fingerprint
    sim.fork()


CONTROLLER = "flow.a.transport.stream.controller"
PARAMETERS = f"{CONTROLLER}.python.parameters"


def changed(scenario: Scenario, change: dict[str, Any], *, at: str = "500 ms", until: str = "1 s") -> str:
    """The fingerprint after a change in mid-run."""
    simulation = Simulation(scenario, allow_python=True)
    simulation.run_until(at)
    simulation.change(change)
    simulation.run_until(until)
    return simulation.fingerprint


def test_a_change_of_a_parameter_does_what_it_does_in_the_engine() -> None:
    rust = changed(scenario("new_reno = { loss_factor = 0.5 }"), {f"{CONTROLLER}.new_reno.loss_factor": 0.8})
    for more in ("", ", parameters = { loss_factor = 0.5 }"):
        own = scenario(python(more=more))
        assert changed(own, {f"{PARAMETERS}.loss_factor": 0.8}) == rust != changed(own, {})


TOLD = """
    readings = ("told",)

    def __init__(self, factor=1):
        self.factor, self.told = factor, 0

    def on_change(self, names):
        self.told += names == ("factor",)
        self.window *= self.factor
"""


def test_a_class_is_told_which_parameters_changed(tmp_path: Path) -> None:
    own = written(tmp_path, f"{FIXED}{TOLD}")
    simulation = Simulation(own, allow_python=True)
    for factor in (2, 2, 3):
        simulation.run_until(simulation.now_s + 0.1)
        simulation.change({f"{PARAMETERS}.factor": factor})
    simulation.run_until("400 ms")
    told_of = dict(simulation.readings().filter(pl.col("component") == "a/1").select("quantity", "value").iter_rows())
    assert told_of["Own_told"] == 2
    assert told_of["window"] == 8 * 2 * 3


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            {f"{PARAMETERS}.los_factor": 0.8},
            "value = 0.8: the class NewReno has no argument los_factor; did you mean `loss_factor`",
        ),
        ({PARAMETERS: {}}, "loss_factor is left out, and its default is not known here; give its value"),
        ({f"{CONTROLLER}.python.class": "Cubic"}, "the instances of the class are made from it before the run"),
    ],
)
def test_changes_that_no_instance_can_take_are_faults(change: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        changed(scenario(python(more=", parameters = { loss_factor = 0.5 }")), change)


def test_flags_and_methods_of_a_base_in_the_file_count(tmp_path: Path) -> None:
    base = "class Base:\n    reads_telemetry = True\n    def on_telemetry(self, telemetry):\n        self.told = 1\n"
    (tmp_path / "own.py").write_text(base + FIXED.replace("class Own", "class Own(Base)"))
    own = schemed('python = { file = "own.py", class = "Own" }', tmp_path / "own.toml")
    assert own.tree["scheme"]["python"]["asks"] == ["reads_telemetry"]
    with pytest.raises(InputError, match="it asks for calls of on_telemetry, which the class does not have"):
        written(tmp_path, FIXED.replace("    def", "    reads_telemetry = True\n\n    def", 1))


GENTLE = """
class Own:
    readings = READINGS

    def begin(self, stream):
        self.segment, self.acks, self.late, self.window = stream.segment, 0, 0.25, 4 * stream.segment

    def on_ack(self, ack):
        self.acks += 1
        self.late = "soon" if self.acks > 40 else self.late
"""


def test_attributes_of_a_class_are_readings(tmp_path: Path) -> None:
    text = GENTLE.replace("READINGS", '{"acks": "count", "late": "share"}')
    simulation = Simulation(written(tmp_path, text), allow_python=True)
    simulation.run_until("20 ms")
    own = simulation.readings().filter(pl.col("component") == "a/1", pl.col("quantity").str.starts_with("Own_"))
    rows = {quantity: (unit, most, value) for _, quantity, unit, most, value in own.iter_rows()}
    assert rows["Own_late"] == ("", 1.0, 0.25)
    assert rows["Own_acks"][0] == ""
    assert rows["Own_acks"][2] > 0
    assert simulation.fork().readings().equals(simulation.readings())
    # One that is no number any more is left out.
    simulation.run_until("300 ms")
    left = set(simulation.readings()["quantity"])
    assert "Own_acks" in left
    assert "Own_late" not in left


def test_copies_share_all_that_methods_are_given() -> None:
    own = {getattr(scheme, name) for name in scheme.__all__}
    assert {kind for kind in own if isinstance(kind, type)} - {scheme.Random} == set(GIVEN)


def test_the_units_of_readings_are_those_of_the_engine() -> None:
    units = json.loads(_engine.schema())["$defs"]["Unit"]["oneOf"]
    assert {unit["const"] for unit in units} == set(UNITS)


def test_readings_that_are_not_there_are_faults(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"readings failed at 0 s of flow a/1: AttributeError: .* 'lat'"):
        penstock.run(written(tmp_path, GENTLE.replace("READINGS", '("acks", "lat")')), allow_python=True)
    for readings, told in [
        ('{"acks": "metres"}', "own.py: each reading is the name of an attribute, with its unit"),
        ("list(NAMES)", "own.py: it is read before the class runs, so it must be a plain list of names"),
    ]:
        with pytest.raises(InputError, match=told):
            written(tmp_path, GENTLE.replace("READINGS", readings))


def test_nothing_runs_without_consent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = written(tmp_path, f"open({str(tmp_path / 'ran')!r}, 'w').close()\n{FIXED}")
    for start in (lambda: penstock.run(own), lambda: Simulation(own).run_until("1 s")):
        with pytest.raises(InputError, match=r"--allow-python .* allow_python=True"):
            start()
    own.meetings(), own.readings(), own.blank_tables(), own.expanded()
    assert not (tmp_path / "ran").exists()
    (tmp_path / "own.toml").write_text(SCENARIO.format(controller=python("Own", "own.py"), traffic="greedy"))
    assert main(["run", str(tmp_path / "own.toml")]) == 2
    assert "--allow-python" in capsys.readouterr().err
    assert main(["run", str(tmp_path / "own.toml"), "--allow-python", "--quiet"]) == 0


def test_no_experiment_begins_without_consent(tmp_path: Path) -> None:
    own = written(tmp_path, FIXED)
    (tmp_path / "league.toml").write_text(LEAGUE)
    asked: list[Callable[[Path], object]] = [
        lambda out: penstock.Sweep(own, {"flow.a.count": [1, 2]}).run(out),
        lambda out: penstock.compare({"a": own, "b": own.with_({"flow.a.count": 1})}, out),
        lambda out: penstock.capacity(own, "flow.a.count=1..4", "a.loss_ratio > 0.1", out),
        lambda out: penstock.search(own, {"flow.a.count": "1..4"}, out, minimise="a.loss_ratio"),
        lambda out: penstock.League.load(tmp_path / "league.toml").run(out),
    ]
    for number, ask in enumerate(asked):
        out = tmp_path / f"out-{number}"
        with pytest.raises(InputError, match=r"own\.py is a program .* --allow-python .* allow_python=True"):
            ask(out)
        assert not list(out.glob("segments/*"))


def test_a_league_with_a_class(tmp_path: Path) -> None:
    """It is a scheme of byte streams: what `with.stream` says of these holds for it."""
    (tmp_path / "own.py").write_text(FIXED)
    (tmp_path / "league.toml").write_text(LEAGUE)
    league = penstock.League.load(tmp_path / "league.toml", replications=1)
    assert league.cases[0].scenarios["Own"].tree["defaults"]["flow"]["octets"] == 1000
    results = league.run(tmp_path / "out", allow_python=True)
    assert results.is_complete


@pytest.mark.parametrize("place", ["networks.one.defaults.flow.traffic.python", "python"])
def test_a_class_of_a_league_without_a_place_is_refused(tmp_path: Path, place: str) -> None:
    (tmp_path / "own.py").write_text(FIXED)
    (tmp_path / "league.toml").write_text(f'{LEAGUE}[{place}]\nfile = "own.py"\nclass = "Own"\n')
    with pytest.raises(InputError, match="no place here") as caught:
        penstock.League.load(tmp_path / "league.toml")
    assert caught.value.path == place


def test_a_league_tells_once_why_a_class_failed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "own.py").write_text(FIXED.replace("8", "nothing"))
    (tmp_path / "league.toml").write_text(LEAGUE)
    asked = ["league", str(tmp_path / "league.toml"), "--replications", "1", "--allow-python", "--quiet"]
    assert main([*asked, "--out", str(tmp_path / "out")]) == 1
    (told,) = (line for line in capsys.readouterr().out.splitlines() if "nothing" in line)
    assert told.startswith("Own: the run failed: ")


def test_another_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text(FIXED.replace("8", "4"))
    own = written(tmp_path, FIXED)
    changed = own.with_({"flow.a.transport.stream.controller.python.file": "other.py"})
    table = changed.tree["flow"]["a"]["transport"]["stream"]["controller"]["python"]
    assert table["source"] == FIXED.replace("8", "4")
    assert fingerprint(own) != fingerprint(changed)


def test_an_argument_is_set_where_the_file_has_none(tmp_path: Path) -> None:
    text = f"class Own:\n    def __init__(self, size=8):\n        self.size = size\n{FIXED.partition(':')[2]}"
    own = written(tmp_path, text.replace("8 * ", "self.size * "))
    path = "flow.a.transport.stream.controller.python.parameters.size"
    assert fingerprint(own.with_({path: 4})) != fingerprint(own) == fingerprint(own.with_({path: 8}))


def test_a_result_has_the_source_and_the_releases_in_its_identity(tmp_path: Path) -> None:
    one, other = (written(tmp_path, FIXED + comment) for comment in ("", "# another text\n"))
    assert one != other
    python_table = one.tree["flow"]["a"]["transport"]["stream"]["controller"]["python"]
    assert python_table["source"] == FIXED
    assert set(python_table["releases"]) == {"python"}
    # A stored scenario has its text, and needs no file.
    (tmp_path / "own.py").unlink()
    assert Scenario(one.to_json(), "json") == one


def test_another_release_than_that_of_the_scenario_is_refused(tmp_path: Path) -> None:
    own = written(tmp_path, FIXED)
    own._json = json.dumps(json.loads(own.to_json())).replace(platform.python_version(), "3.0.0")
    with pytest.raises(InputError, match=r"loaded with python 3\.0\.0, and this process has python"):
        penstock.run(own, allow_python=True)


def test_check_compares_both_forms(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "own.toml"
    file.write_text(SCENARIO.format(controller=python("Own", "own.py"), traffic="greedy"))
    (tmp_path / "own.py").write_text(FIXED)
    assert main(["check", str(file)]) == 0
    assert "Own of own.py: not run; read the file, and add --allow-python" in capsys.readouterr().out
    assert main(["check", str(file), "--allow-python"]) == 0
    assert "the plain and the fast form of the engine agree for 1 s" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("class Other:\n    def begin(self, stream): ...\n", r"Own: there is no such class in own\.py; there is Other"),
        ("class Own:\n    def on_acks(self, ack): ...\n", r"calls no such method; .*on_ack"),
        ("class Own:\n    x = 1\n", r"no method that Penstock calls"),
        ("class Own:\n  def (", r"own\.py, line 2 is no Python"),
        (FIXED + "    paces = bool(1)\n", r"paces: .*must be a plain word"),
        (FIXED + "    requires = 3\n", r"requires: .*plain list"),
        (FIXED + "    requires = ('penstock-none',)\n", r"not installed"),
        (f"import random\n{FIXED}", r"its numbers are not those of the run"),
        (f"import numpy\n{FIXED}", r"line 1: it is not declared; write requires = \(\"numpy\",\)"),
        (f"from . import other\n{FIXED}", r"another file is no part of it"),
    ],
)
def test_files_that_are_no_classes_are_refused_when_they_are_read(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(InputError, match=told) as caught:
        written(tmp_path, text)
    assert caught.value.path.startswith("flow.a.transport.stream.controller.python")
    assert caught.value.line


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    text = SCENARIO.format(controller=python("Own", "none.py"), traffic="greedy")
    with pytest.raises(InputError, match="there is no such file"):
        Scenario.parse(text, name=str(tmp_path / "own.toml"))


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("1 / 0", r"on_ack failed at \d+(\.\d+)? \w+ of flow a(/|\.)?\d*: ZeroDivisionError: .*\(own\.py, line 5\)"),
        ("self.window = float('nan')", r"window failed at .*: it is nan, and must be"),
        ("self.window = -1", r"it is -1, and must be a number of octets"),
        ("self.window = 'ten'", r"window failed at .*: TypeError"),
        ("del self.window", r"window failed at .*: AttributeError"),
        ("return 7", r"on_ack failed at .*: it returns something"),
        ("raise SystemError", r"SystemError"),
    ],
)
def test_faults_of_a_class_end_the_run_and_name_it(tmp_path: Path, body: str, told: str) -> None:
    own = written(tmp_path, f"{FIXED}    def on_ack(self, ack):\n        {body}\n").with_({"duration": "60 s"})
    sim = Simulation(own, allow_python=True)
    with pytest.raises(InputError, match=told) as caught:
        sim.run_until("60 s")
    assert caught.value.value == "Own"
    assert caught.value.remedy == "correct Own in own.py"
    with pytest.raises(penstock.ClassError, match=told) as failed:
        penstock.run(own, allow_python=True, replications=2, jobs=2 if body == "1 / 0" else 1)
    assert failed.value.result is not None
    assert 0 < failed.value.result.manifest["runs"][-1]["end_s"] < 9
    # What was measured is there, and nothing happened long after the fault.
    assert 0 < sim.now_s < 9
    assert sim.result().groups.height == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("class Own:\n    def on_ack(self, ack): ...\n", "window failed at 0 s .*AttributeError"),
        (
            f"{FIXED}    def __init__(self): raise KeyError('x')\n",
            r"__init__ failed .*KeyError: 'x' \(own.py, line 4\)",
        ),
        (f"{FIXED}    pacing_rate = 3.0\n", "write `paces = True`"),
        (f"{FIXED}    paces = True\n    pacing_rate = -3.0\n", "must be more than 0 and at most 1e14 bits per second"),
        (f"x = 1 / 0\n{FIXED}", r"ZeroDivisionError: .* \(own.py, line 1\)"),
    ],
)
def test_faults_at_the_begin_are_told_too(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        penstock.run(written(tmp_path, text), allow_python=True)


def test_a_parameter_that_the_class_does_not_have_is_a_fault(tmp_path: Path) -> None:
    # The text does not say what a class with another base takes.
    text = FIXED.replace("class Own", "from abc import ABC\nclass Own(ABC)")
    own = written(tmp_path, text, more=", parameters = { gama = 1 }")
    with pytest.raises(InputError, match=r"__init__ failed .*Own\(\) takes no arguments"):
        penstock.run(own, allow_python=True)


def test_a_state_that_cannot_be_copied_is_refused_where_it_is_copied(tmp_path: Path) -> None:
    own = written(tmp_path, f"{FIXED}        self.file = open(__file__ or 0) if False else (i for i in ())\n")
    sim = Simulation(own, allow_python=True)
    sim.run_until("100 ms")
    fork = sim.fork()
    with pytest.raises(InputError, match=r"deepcopy failed .*cannot pickle 'generator'"):
        fork.run_until("200 ms")
    sim.run_until("200 ms")


def test_an_interruption_in_a_method_is_no_fault_of_the_class(tmp_path: Path) -> None:
    own = written(tmp_path, f"{FIXED}    def on_ack(self, ack):\n        raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        Simulation(own, allow_python=True).run_until("1 s")


def test_random_numbers_are_those_of_the_run(tmp_path: Path) -> None:
    text = (
        "class Own:\n    def begin(self, stream):\n        self.random, self.window = stream.random(), 9000\n"
        "    def on_ack(self, ack):\n        self.window = 3000 + 1500 * self.random.below(8)\n"
    )
    own = written(tmp_path, text)
    assert fingerprint(own) == fingerprint(own, form="plain") != fingerprint(own, seed=2)
    sim = Simulation(own, allow_python=True)
    sim.run_until("1 s")
    fork = sim.fork()
    for one in (fork, sim):
        one.run_until("2 s")
    assert fork.fingerprint == sim.fingerprint == fingerprint(own)


def test_a_pace_of_its_own(tmp_path: Path) -> None:
    text = (
        "class Own:\n    paces = True\n    pacing_rate = 1e6\n    def begin(self, stream):\n"
        "        self.window = 1 << 24\n"
    )
    groups = penstock.run(written(tmp_path, text), allow_python=True).groups
    assert groups["throughput_bps"][0] == pytest.approx(2e6, rel=0.1)


def test_functions_have_the_bits_of_the_engine() -> None:
    from penstock import scheme

    assert scheme.cbrt(27.0) == 3.0
    assert scheme.exp(scheme.log(2.0)) == pytest.approx(2.0, rel=1e-15)
    assert scheme.pow(2.0, 0.5) == 2.0**0.5

"""Points of a scheme and queue disciplines that are classes in Python: as those of the engine bit by bit."""

from pathlib import Path

import polars as pl
import pytest
from test_classes import changed, fingerprint

import penstock
from penstock import InputError, Scenario, Simulation

OWN = Path(__file__).parent / "controllers" / "erica.py"

SCENARIO = """
duration = "300 ms"
{scheme}
[line.out]
between = ["left", "right"]
rate = "10 Mb/s"
delay = "5 ms"
{line}
[line.on]
between = ["right", "end"]
rate = "8 Mb/s"
delay = "1 ms"
[flow.a]
count = 3
path = ["left", "right", "end"]
access = {{ delay = "1 ms" }}
traffic.{traffic}
{flow}
[flow.b]
count = 2
path = ["left", "right"]
access = {{ delay = "2 ms" }}
traffic.cbr = {{ rate = "1 Mb/s" }}
{flow}
"""


CBR = 'cbr = { rate = "5 Mb/s" }'


def scenario(
    scheme: str = "", line: str = "", flow: str = "", traffic: str = "greedy = {}", name: Path = OWN
) -> Scenario:
    text = SCENARIO.format(scheme=scheme, line=line, flow=flow, traffic=traffic)
    return Scenario.parse(text, name=str(name))


def written(folder: Path, text: str, **places: str) -> Scenario:
    """A scenario with classes of this text, in ``own.py``."""
    (folder / "own.py").write_text(text)
    return scenario(**places, name=folder / "own.toml")


def python(cls: str, file: str = "own.py", more: str = "") -> str:
    return f'python = {{ file = "{file}", class = "{cls}"{more} }}'


ERICA = f"scheme.erica = {{ congestion_point.{python('Erica', 'erica.py')} }}"

SWITCH = """
class Switch:
    sends = ("explicit_rates", "ci")
    hears = ("forward_rm_cells",)
    wants_backward = True

    def begin(self, port):
        self.random = port.random()
        self.most = port.rate / max(port.flow_count, 1)

    def on_backward(self, pdu, queue):
        if pdu.is_rm:
            pdu.er = min(pdu.er, self.most * (0.5 + self.random.uniform() / 2))
            if queue.length > 50:
                pdu.ci = True
"""
ENDS = """
from penstock.scheme import Answer


class Receiver:
    sends = ("backward_rm_cells", "ci")
    hears = ("forward_rm_cells", "efci")
    answers_wait = "overwrite"
    efci = False

    def on_pdu(self, pdu, moment):
        if pdu.is_data:
            self.efci = pdu.efci
        elif pdu.is_rm and not pdu.is_backward:
            marked, self.efci = self.efci, False
            return Answer.returned(pdu, ci=marked)


class Source:
    sends = ("forward_rm_cells",)
    hears = ("explicit_rates", "ci")

    def begin(self, sender):
        self.rate = self.most = sender.line_rate
        self.rate /= 10
        self.count = 31

    def choose(self, waiting, moment):
        if waiting.has_data and self.count >= 31:
            return Answer.rm(er=self.most, ccr=self.rate)

    def on_send(self, pdu, moment):
        self.count = 0 if pdu.is_rm else self.count + 1

    def on_feedback(self, pdu, moment):
        if pdu.is_rm:
            self.rate = min(pdu.er, self.most)
"""


def test_erica_is_that_of_the_engine_bit_by_bit() -> None:
    own = fingerprint(scenario(ERICA))
    assert own == fingerprint(scenario('scheme = "erica"'))
    assert own != fingerprint(scenario('scheme = "capc"'))


def test_turn_round_is_that_of_the_engine_bit_by_bit(tmp_path: Path) -> None:
    own = f"scheme.efci = {{ notification_point.{python('Receiver')} }}"
    assert fingerprint(written(tmp_path, ENDS, scheme=own)) == fingerprint(scenario('scheme = "efci"'))


def test_a_scheme_of_three_classes(tmp_path: Path) -> None:
    parts = f"reaction_point.{python('Source')}\nnotification_point.{python('Receiver')}"
    own = written(tmp_path, SWITCH + ENDS, line=f"congestion_point.{python('Switch')}", flow=parts)
    own = own.with_(
        {"line.on": {**own.tree["line"]["on"], "congestion_point": own.tree["line"]["out"]["congestion_point"]}}
    )
    result = penstock.run(own, allow_python=True)
    assert result.groups["throughput_bps"].sum() > 4e6
    assert own.classes() == [("own.py", "Receiver"), ("own.py", "Source"), ("own.py", "Switch")]
    first = fingerprint(own)
    assert first == fingerprint(own, form="plain") == fingerprint(own, replications=2, jobs=2)
    assert first != fingerprint(own, seed=2)
    sim = Simulation(own, allow_python=True)
    sim.run_until("150 ms")
    fork, changed = sim.fork(), sim.fork()
    changed.change({"line.out.rate": "2 Mb/s"})
    for one in (changed, fork, sim):
        one.run_until("300 ms")
    assert sim.fingerprint == fork.fingerprint == first != changed.fingerprint


WINDOW = """
class Window:
    hears = ("acknowledgements",)
    most = 8

    def begin(self, sender):
        self.sent = self.acknowledged = 0
        self.is_open = True

    def on_send(self, pdu, moment):
        if pdu.is_data and pdu.sequence >= self.sent:
            self.sent = pdu.sequence + 1
        self.is_open = self.sent - self.acknowledged < self.most

    def on_feedback(self, pdu, moment):
        if pdu.number is not None and self.acknowledged <= pdu.number < self.sent:
            self.acknowledged = pdu.number + 1
        self.is_open = self.sent - self.acknowledged < self.most


class Acknowledge:
    sends = ("acknowledgements",)
    least_octets = 40
    expected = 0

    def on_pdu(self, pdu, moment):
        if not pdu.is_data:
            return None
        if pdu.sequence == self.expected:
            self.expected += 1
        return [Answer.acknowledgement(self.expected - 1, octets=40)] if self.expected else None
"""


def test_a_window_and_its_acknowledgements_are_those_of_the_engine(tmp_path: Path) -> None:
    own = f"reaction_point.{python('Window')}\nnotification_point.{python('Acknowledge')}"
    rust = "reaction_point.fixed_window.window = 8\nnotification_point.acknowledge = {}"
    text = f"from penstock.scheme import Answer\n{WINDOW}"
    assert fingerprint(written(tmp_path, text, flow=own)) == fingerprint(scenario(flow=rust))


NOTICES = """
class Long:
    sends = ("notices",)

    def begin(self, port):
        self.told = {}

    def on_arrival(self, pdu, queue):
        if queue.length > 20 and pdu.is_data and queue.now_ps - self.told.get(pdu.flow, -10**11) >= 10**10:
            self.told[pdu.flow] = queue.now_ps
            return 2


class Half:
    hears = ("notices",)
    scales = True
    factor = 1.0

    def on_feedback(self, pdu, moment):
        if pdu.severity is not None:
            self.factor, self.since = 0.5, moment.now_ps

    def on_time(self, moment):
        if self.factor < 1.0 and moment.now_ps - self.since >= 5 * 10**10:
            self.factor = 1.0
"""


def test_notices_reach_a_source_that_scales_its_rate(tmp_path: Path) -> None:
    own = written(
        tmp_path,
        NOTICES,
        line=f"congestion_point.{python('Long')}",
        flow=f"reaction_point.{python('Half')}",
        traffic=CBR,
    )
    ports = penstock.run(own, allow_python=True).ports
    assert ports["notices_severe"].sum() > 10
    assert fingerprint(own) == fingerprint(own, form="plain")


@pytest.mark.parametrize(
    ("own", "rust"),
    [
        (python("Codel", "queues.py", ", parameters = { size = 60 }"), 'codel.size = "60 cells"'),
        (
            python("Codel", "queues.py", ", parameters = { target = 100000000, interval = 2000000000 }"),
            'codel = { target = "100 us", interval = "2 ms" }',
        ),
        (python("DropTail", "queues.py", ", parameters = { threshold = 40 }"), 'drop_tail.size = "40 cells"'),
        (python("FqCodel", "queues.py", ", parameters = { size = 60 }"), 'fq_codel.size = "60 cells"'),
        (
            python("FqCodel", "queues.py", ", parameters = { size = 60, quantum = 1200 }"),
            'fq_codel = { size = "60 cells", quantum = "150 octets" }',
        ),
    ],
)
def test_a_discipline_is_that_of_the_engine_bit_by_bit(own: str, rust: str) -> None:
    runs = [scenario(line=f"queues = [{{ {queue} }}]", traffic=CBR) for queue in (own, rust)]
    assert fingerprint(runs[0]) == fingerprint(runs[1]) == fingerprint(runs[0], form="plain")
    assert penstock.run(runs[1]).ports["discarded"].sum() > 50


def test_forks_keep_lists_of_their_own() -> None:
    own = scenario(
        line=f"queues = [{{ {python('FqCodel', 'queues.py', ', parameters = { size = 60 }')} }}]", traffic=CBR
    )
    sim = Simulation(own, allow_python=True)
    sim.run_until("150 ms")
    fork, other = sim.fork(), sim.fork()
    other.change({"line.out.queues[0].python.parameters.quantum": 500})
    for one in (other, fork, sim):
        one.run_until("300 ms")
    assert sim.fingerprint == fork.fingerprint == fingerprint(own) != other.fingerprint
    turns = sim.readings().filter(pl.col("quantity") == "FqCodel_turns")
    assert turns["value"].to_list() != [0]


LISTS = """
class Own:
    keeps_lists = True
    size = 20

    def list_of(self, pdu, moment):
        return {list_of}

    def next_list(self, lists, moment):
        waiting = [number for number, length in enumerate(lists.lengths) if length]
        return {next_list}

    def make_room(self, pdu, lists):
        return {make_room}
"""
FIRST = {"list_of": "pdu.flow % 2", "next_list": "waiting[0] if waiting else None", "make_room": "None"}


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (
            {"list_of": "4096"},
            r"list_of failed at .* of port out: it returns 4096; the lists have the numbers from 0 to 4095",
        ),
        ({"list_of": "-1"}, r"list_of failed .*: it returns -1, and must return the number of a list"),
        ({"next_list": "None"}, r"next_list failed .*: it returns None; it must return the number of a list in which"),
        ({"next_list": "7"}, r"next_list failed .*: it returns 7, in which nothing waits; it must return the number"),
        ({"make_room": "0"}, r"make_room failed .*: it returns 0, and must return a pair, the number of a list and"),
        ({"make_room": "(1, 0)"}, r"make_room failed .*: it discards 0 of the \d+ PDUs in list 1"),
        ({"make_room": "(1, 21)"}, r"make_room failed .*: it discards 21 of the \d+ PDUs in list 1"),
    ],
)
def test_faults_of_lists_name_what_would_be_right(tmp_path: Path, wrong: dict[str, str], told: str) -> None:
    places = {"line": f"queues = [{{ {python('Own')} }}]", "traffic": CBR}
    penstock.run(written(tmp_path, LISTS.format(**FIRST), **places), allow_python=True)
    with pytest.raises(InputError, match=told):
        penstock.run(written(tmp_path, LISTS.format(**FIRST | wrong), **places), allow_python=True)


MIDDLE = {"at": "150 ms", "until": "300 ms"}


@pytest.mark.parametrize("name", ["threshold", "size"])
def test_a_change_of_a_queue_does_what_it_does_in_the_engine(name: str) -> None:
    parameters = {"threshold": 1000, "size": 1000, name: 20}
    given = ", ".join(f"{key} = {value}" for key, value in parameters.items())
    class_ = python("DropTail", "queues.py", f", parameters = {{ {given} }}")
    own, rust = (
        scenario(line=f"queues = [{{ {queue} }}]", traffic=CBR) for queue in (class_, 'drop_tail.size = "20 PDUs"')
    )
    queue = "line.out.queues[0]"
    after = changed(own, {f"{queue}.python.parameters.{name}": 5}, **MIDDLE)
    assert after == changed(rust, {f"{queue}.drop_tail.size": "5 PDUs"}, **MIDDLE) != changed(own, {}, **MIDDLE)


@pytest.mark.parametrize("size", [-5, 0, 1.5, "5 PDUs", True])
def test_a_limit_that_is_none_is_a_fault(size: object) -> None:
    own = scenario(line=f"queues = [{{ {python('DropTail', 'queues.py', ', parameters = { threshold = 9 }')} }}]")
    with pytest.raises(InputError, match=r"it is the limit of the queue; give a whole number of PDUs from 1 on"):
        changed(own, {"line.out.queues[0].python.parameters.size": size}, **MIDDLE)


def test_a_change_of_a_point_changes_it() -> None:
    own = scenario(ERICA, flow="")
    point = "line.out.congestion_point"
    after = changed(own, {f"{point}.python.parameters.target": 0.5}, **MIDDLE)
    assert after == changed(own, {f"{point}.python.parameters.target": 0.5}, **MIDDLE) != changed(own, {}, **MIDDLE)


def test_the_limit_of_a_queue_is_kept(tmp_path: Path) -> None:
    text = "class All:\n    size = 30\n    def on_arrival(self, pdu, queue):\n        return True\n"
    own = written(tmp_path, text, line=f"queues = [{{ {python('All')} }}]", traffic=CBR)
    assert fingerprint(own) == fingerprint(own.with_({"line.out.queues": [{"drop_tail": {"size": "30 cells"}}]}))
    with pytest.raises(InputError, match=r"no place even for the PDU in service"):
        written(tmp_path, text.replace("30", "0"), line=f"queues = [{{ {python('All')} }}]")


def test_a_mark_of_a_discipline_is_heard(tmp_path: Path) -> None:
    text = (
        'class Mark:\n    size = 200\n    sends = ("efci",)\n    def on_arrival(self, pdu, queue):\n'
        "        if queue.length > 50:\n            pdu.efci = True\n        return True\n"
    )
    parts = 'reaction_point.tm40 = { rif = "auto" }\nnotification_point.turn_round = {}'
    own = written(tmp_path, text, line=f"queues = [{{ {python('Mark')} }}]", flow=parts)
    assert penstock.run(own, allow_python=True).ports["marked"].sum() > 0


POINT = "class Own:\n    sends = ('notices',)\n    def on_arrival(self, pdu, queue):\n        {body}\n"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("1 / 0", r"on_arrival failed at \d+ \w+ of port out: ZeroDivisionError: .*\(own\.py, line 5\)"),
        ("return 'much'", r"on_arrival failed at .*: TypeError: it must return None, the severity"),
        ("pdu.er = 3.0", r"AttributeError: it is no RM cell"),
        ("pdu.efci = False", r"ValueError: a mark can be set, and never cleared"),
        ("pdu.ecn = True", r"ValueError: its transport does not understand the mark"),
        ("pdu.flow = 3", r"AttributeError"),
    ],
)
def test_a_fault_ends_the_run_soon_and_names_the_port(tmp_path: Path, body: str, told: str) -> None:
    body = f"if queue.now > 0.1:\n            {body}"
    point = f"congestion_point.{python('Own')}"
    own = written(tmp_path, POINT.format(body=body), line=point, flow="reaction_point.stop = {}", traffic=CBR)
    sim = Simulation(own, allow_python=True)
    with pytest.raises(InputError, match=told) as caught:
        sim.run_until("300 ms")
    assert (caught.value.path, caught.value.value) == ("line.out.congestion_point.python", "Own")
    # What was measured is there, and little happened after the fault.
    assert 0.1 <= sim.now_s < 0.11
    with pytest.raises(penstock.ClassError) as failed:
        penstock.run(own, allow_python=True)
    assert failed.value.result is not None
    assert failed.value.result.manifest["runs"][-1]["end_s"] < 0.11


@pytest.mark.parametrize(
    ("text", "places", "told"),
    [
        (
            "class Own:\n    rate = -1.0\n    hears = ('notices',)\n    def on_send(self, pdu, moment): ...\n",
            {"flow": f"reaction_point.{python('Own')}"},
            r"rate failed at 0 s of flow a/1: it is -1, and must be a number of bits per second",
        ),
        (
            "class Own:\n    is_open = True\n    hears = ('notices',)\n    def begin(self, sender): ...\n",
            {"flow": f"reaction_point.{python('Own')}"},
            r"on_send failed at 0 s of flow a/\d: it lets more than 1000000 PDUs leave within 2 us",
        ),
        pytest.param(
            "class Own:\n    earliest_ps = 0\n    hears = ('notices',)\n"
            "    def on_send(self, pdu, moment): self.earliest_ps = moment.now_ps + 1\n",
            {"flow": f"reaction_point.{python('Own')}"},
            r"on_send failed at .* of flow a/\d: it lets more than 1000000 PDUs leave within 2 us",
            marks=pytest.mark.long,  # a million calls
        ),
        (
            "class Own:\n    scales = True\n    factor = 0.0\n    resumes_ps = 1000\n    hears = ('notices',)\n"
            "    def begin(self, sender): ...\n",
            {"flow": f"reaction_point.{python('Own')}", "traffic": CBR},
            r"resumes_ps failed at .* of flow [ab]/\d: it is 1000, and must be later than the time of the call",
        ),
        (
            "class Own:\n    hears = ('notices',)\n    def on_send(self, pdu, moment): ...\n",
            {"flow": f"reaction_point.{python('Own')}"},
            r"begin failed .*: of its decisions it has none, and must have one of `rate`",
        ),
        (
            "class Own:\n    rate = 1e6\n    hears = ('notices',)\n    def on_send(self, pdu, moment): return 3\n",
            {"flow": f"reaction_point.{python('Own')}"},
            r"on_send failed at .* of flow a/\d: it returns something, which has no effect",
        ),
        (
            "from penstock.scheme import Answer\nclass Own:\n    sends = ('notices',)\n"
            "    def on_pdu(self, pdu, moment):\n        return Answer.acknowledgement(1, octets=20)\n",
            {"flow": f"notification_point.{python('Own')}"},
            r"on_pdu failed at .* of flow a/\d: its answer has 20 octets, and `least_octets` of the class says 53",
        ),
        (
            "class Own:\n    def on_arrival(self, pdu, queue): ...\n",
            {"line": f"queues = [{{ {python('Own')} }}]"},
            r"on_arrival failed at .* of port out: TypeError: it must return True",
        ),
        (
            "class Own:\n    sends = ('efci',)\n    def on_arrival(self, pdu, queue): return 1\n",
            {"line": f"congestion_point.{python('Own')}"},
            r"on_arrival failed at .*: it tells the source something, which the class does not say",
        ),
    ],
)
def test_faults_of_each_role_name_flow_or_port(tmp_path: Path, text: str, places: dict[str, str], told: str) -> None:
    own = written(tmp_path, text, scheme='mismatches = "warn"', **places)
    with pytest.raises(InputError, match=told):
        Simulation(own, allow_python=True).run_until("300 ms")


@pytest.mark.parametrize(
    ("text", "place", "told"),
    [
        ("class Own:\n    def on_backward(self, pdu, queue): ...\n", "line", r"write wants_backward = True"),
        ("class Own:\n    def on_ack(self, ack): ...\n", "line", r"calls no such method; did you mean"),
        ("class Own:\n    sends = 'efci'\n    def on_arrival(self, pdu, queue): ...\n", "line", r"sends: .*plain list"),
        ("class Own:\n    sends = ('efcy',)\n    def on_arrival(self, pdu, queue): ...\n", "line", r"efcy"),
        ("class Own:\n    def on_head(self, pdu, head): ...\n", "queue", r"write decides_at_head = True"),
        ("class Own:\n    def next_list(self, lists, moment): ...\n", "queue", r"write keeps_lists = True"),
        (
            "class Own:\n    keeps_lists = True\n    def next_list(self, lists, moment): ...\n",
            "queue",
            r"it asks for calls of list_of, which the class does not have",
        ),
        ("class Own:\n    size = 2 + 2\n    def on_arrival(self, pdu, queue): ...\n", "queue", r"size: .*plain number"),
    ],
)
def test_files_that_are_no_such_classes_are_refused_when_they_are_read(
    tmp_path: Path, text: str, place: str, told: str
) -> None:
    line = f"congestion_point.{python('Own')}" if place == "line" else f"queues = [{{ {python('Own')} }}]"
    with pytest.raises(InputError, match=told):
        written(tmp_path, text, line=line)


def test_nothing_runs_without_consent(tmp_path: Path) -> None:
    for places in (
        {"line": f"congestion_point.{python('Own')}"},
        {"line": f"queues = [{{ {python('Queue')} }}]"},
        {"flow": f"reaction_point.{python('Source')}"},
    ):
        text = (
            f"open({str(tmp_path / 'ran')!r}, 'w').close()\nclass Own:\n    def on_arrival(self, pdu, queue): ...\n"
            "class Queue:\n    def on_arrival(self, pdu, queue): return True\n"
            "class Source:\n    rate = 1e6\n    def on_send(self, pdu, moment): ...\n"
        )
        own = written(tmp_path, text, **places)
        with pytest.raises(InputError, match=r"--allow-python .* allow_python=True"):
            penstock.run(own)
        own.meetings(), own.readings(), own.blank_tables(), own.expanded()
        assert not (tmp_path / "ran").exists()


def test_what_a_class_keeps_stays_as_it_was(tmp_path: Path) -> None:
    text = (
        "class Own:\n    def begin(self, port):\n        self.kept = []\n    def on_arrival(self, pdu, queue):\n"
        "        self.kept.append((pdu, queue, pdu.sequence, queue.now_ps))\n"
        "        for pdu, queue, sequence, now in self.kept[-9:]:\n"
        "            assert (pdu.sequence, queue.now_ps) == (sequence, now)\n"
    )
    own = written(tmp_path, text, line=f"congestion_point.{python('Own')}")
    penstock.run(own.with_({"duration": "20 ms"}), allow_python=True)

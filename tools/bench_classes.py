"""Measure what a call of a class in Python costs: processor time of runs with it, less that without, over the calls.

Each pair of runs has the same events. `nothing` is a method without a body: what Penstock and Python need for a call.
The other figures have what the class does, less what the same part of the engine takes. The least of several
interleaved pairs counts.
"""

import argparse
import sys
import time
from pathlib import Path
from types import FrameType

from penstock import Scenario, Simulation

CONTROLLERS = Path(__file__).parents[1] / "tests" / "controllers"
NOTHING = """
class Point:
    def on_arrival(self, pdu, queue):
        pass


class Queue:
    def on_arrival(self, pdu, queue):
        return True


class Stream:
    def begin(self, stream):
        self.window = 40 * stream.segment

    def on_ack(self, ack):
        pass


class Deaf:
    def begin(self, stream):
        self.window = 40 * stream.segment
"""
NETWORK = """
duration = "{duration}"
[line.out]
between = ["left", "right"]
rate = "20 Mb/s"
delay = "2 ms"
{line}
[flow.a]
count = 4
path = ["left", "right"]
{flow}
"""
DURATION = "20 s"
CBR = 'traffic.cbr = { rate = "4 Mb/s" }'
GREEDY = "traffic.greedy = {}"
ENDS = 'reaction_point.tm40.icr = "auto"\nnotification_point.turn_round = {}'
TAIL = 'queues = [{ drop_tail = { size = "100 packets" } }]'


def scenario(line: str = "", flow: str = CBR) -> Scenario:
    """The network with these parts."""
    return Scenario.parse(NETWORK.format(duration=DURATION, line=line, flow=flow), name=str(CONTROLLERS / "bench.toml"))


def own(cls: str, file: str = "") -> str:
    """A class of a file, or of the text above."""
    source = "" if file else f", source = '''{NOTHING}'''"
    return f'python = {{ file = "{file or "nothing.py"}", class = "{cls}"{source} }}'


def stream(controller: str) -> str:
    """Greedy byte streams with this controller."""
    return f"octets = 1460\n{GREEDY}\ntransport.stream.controller = {{ {controller} }}"


CASES = {
    "nothing, on_arrival of a congestion point": (scenario(f"congestion_point.{own('Point')}"), scenario()),
    "nothing, on_arrival of a queue": (scenario(f"queues = [{{ {own('Queue')} }}]"), scenario()),
    "nothing, on_ack of a controller": (
        scenario(TAIL, stream(own("Stream"))),
        scenario(TAIL, stream(own("Deaf"))),
    ),
    "ERICA": (
        scenario(f"congestion_point.{own('Erica', 'erica.py')}", f"{GREEDY}\n{ENDS}"),
        scenario('congestion_point.erica.interval = "auto"', f"{GREEDY}\n{ENDS}"),
    ),
    "CUBIC": (
        scenario(TAIL, stream(own("Cubic", "new_reno.py"))),
        scenario(TAIL, stream('cubic.hystart = "off"')),
    ),
}


def seconds(one: Scenario) -> float:
    """Processor time of a run."""
    run = Simulation(one, allow_python=True)
    start = time.process_time()
    run.run_until(DURATION)
    return time.process_time() - start


def calls(one: Scenario) -> int:
    """Calls of methods from the engine in a run."""
    files = {file for file, _ in one.classes()}
    count = 0

    def profile(frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        code = frame.f_code
        count += event == "call" and code.co_filename in files and code.co_name.startswith("on_")

    run = Simulation(one, allow_python=True)
    sys.setprofile(profile)
    run.run_until(DURATION)
    sys.setprofile(None)
    return count


def main() -> None:
    """Prints a line for each case."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pairs", type=int, default=5, help="interleaved pairs of runs (default: %(default)s)")
    pairs = options.parse_args().pairs
    print(f"{'class':44}{'calls':>10}{'us a call':>11}")
    for name, (with_class, without) in CASES.items():
        count = calls(with_class)
        times = [(seconds(with_class), seconds(without)) for _ in range(pairs)]
        own, base = (min(one) for one in zip(*times, strict=True))
        print(f"{name:44}{count:10,}{(own - base) / count * 1e6:11.3f}", flush=True)


if __name__ == "__main__":
    main()

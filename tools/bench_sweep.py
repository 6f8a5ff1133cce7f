"""The cost of a sweep besides its simulations: its plan, and 2,000 short runs on two processes, stored.

The plan is measured as processor time a point, the least of a hundred slices, for sweeps of several scenarios.

The cost is the processor time of the sweeping process itself, which plans, sends, receives and stores, as a share of
the time that its workers spend in the engine. It is processor time, because elapsed time depends on other work on the
machine. Memory is the largest of the sweeping process, after a tenth of the sweep and at its end.
"""

import resource
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from penstock import Scenario, Sweep
from penstock.execute.experiment import State

LENGTHS = ("2 s", "8 s", "32 s")
WIDTHS = (6, 10, 15, 10, 8, 12, 11)
UNIT_MB = 1024**2 if sys.platform == "darwin" else 1024

DUMBBELL = {
    "duration": "5 s",
    "scheme": "none",
    "network": {"dumbbell": {"pairs": 10, "rate": "155.52 Mb/s", "delay": "20 ms"}},
}
PLANNED: Mapping[str, tuple[str | dict[str, object], dict[str, object]]] = {
    "queueing/buffer-size": (
        "queueing/buffer-size",
        {
            "line.trunk.queues[0].drop_tail.size": [f"{size} cells" for size in range(1, 101)],
            "flow.random.traffic.poisson.rate": {"from": "1 kb/s", "to": "200 kb/s", "step": "1 kb/s"},
        },
    ),
    "satellite/1-case-2": ("satellite/1-case-2", {"flow.voice.count": {"from": 1, "to": 20000, "step": 1}}),
    "a dumbbell by scheme and delay": (
        DUMBBELL,
        {
            "scheme": ["none", "becn", "erica", "charny"],
            "network.dumbbell.delay": {"from": "1 us", "to": "5000 us", "step": "1 us"},
        },
    ),
    "abr/gfc-2-erica": (
        "abr/gfc-2-erica",
        {"defaults.line.congestion_point.erica.target": {"from": 0.1, "to": 0.9, "step": 0.00004}},
    ),
}
"""Sweeps of 20,000 points: a scenario and its axes."""
SLICE = 200


def main() -> None:
    """Measures plans, and sweeps of three lengths of run."""
    print(f"{'planned':32}{'us a point':>10}")
    for name, (source, axes) in PLANNED.items():
        print(f"{name:32}{plan_us(Sweep(source, axes)):10.1f}", flush=True)
    names = ("runs", "ms a run", "in the engine", "own time", "share", "MB at 10 %", "MB at end")
    print("".join(heading.rjust(width) for heading, width in zip(names, WIDTHS, strict=True)))
    for length in LENGTHS:
        measure(length)


def plan_us(sweep: Sweep) -> float:
    """Microseconds to make and hash the document of a point."""
    least_s = float("inf")
    for first in range(0, 100 * SLICE, SLICE):
        before = time.process_time()
        sweep.points.digests(first, SLICE)
        least_s = min(least_s, time.process_time() - before)
    return least_s / SLICE * 1e6


def measure(length: str) -> None:
    """One line: a sweep of 200 points with ten replications each."""
    base = Scenario.load("queueing/buffer-size").with_({"duration": length, "measure.distributions": False})
    sizes = [f"{size} cells" for size in range(1, 51)]
    loads = {"from": "1 Mb/s", "to": "4 Mb/s", "step": "1 Mb/s"}
    axes = [{"line.trunk.queues[0].drop_tail.size": sizes}, {"flow.random.traffic.poisson.rate": loads}]
    sweep = Sweep(base, axes, replications=10)
    memory: list[float] = []

    def tell(state: State) -> None:
        if state.done >= state.total * len(memory) / 10:
            memory.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / UNIT_MB)

    with tempfile.TemporaryDirectory() as folder:
        before = time.process_time()
        results = sweep.run(Path(folder), jobs=2, tell=tell)
        own_s = time.process_time() - before
        runs = results.table("runs")
    engine_s = float(runs["wall_s"].sum())
    print(
        f"{runs.height:6}{engine_s / runs.height * 1e3:10.2f}{engine_s:13.1f} s{own_s:8.2f} s{own_s / engine_s:8.1%}"
        f"{memory[min(1, len(memory) - 1)]:12.0f}{memory[-1]:11.0f}",
        flush=True,
    )


if __name__ == "__main__":
    main()

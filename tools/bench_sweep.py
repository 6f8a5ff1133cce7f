"""The cost of a sweep besides its simulations: 2,000 short runs on two processes, stored.

The cost is the processor time of the sweeping process itself, which plans, sends, receives and stores, as a share of
the time that its workers spend in the engine. It is processor time, because elapsed time depends on other work on the
machine. Memory is the largest of the sweeping process, after a tenth of the sweep and at its end.
"""

import resource
import sys
import tempfile
import time
from pathlib import Path

from penstock import Scenario, Sweep
from penstock.execute.experiment import State

LENGTHS = ("2 s", "8 s", "32 s")
WIDTHS = (6, 10, 15, 10, 8, 12, 11)
UNIT_MB = 1024**2 if sys.platform == "darwin" else 1024


def main() -> None:
    """Measures sweeps of three lengths of run."""
    names = ("runs", "ms a run", "in the engine", "own time", "share", "MB at 10 %", "MB at end")
    print("".join(heading.rjust(width) for heading, width in zip(names, WIDTHS, strict=True)))
    for length in LENGTHS:
        measure(length)


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

"""Times the workloads of `make bench`: writes bench.json, prints a table, adds a line to docs/benchmarks.md.

A time is the processor time of the whole process, the median of three runs. Callgrind counts instructions, if
valgrind is installed, as the difference between two short runs, so that start-up does not count.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from measure import PROGRAM, READY, ROOT, finish, instructions, timed

TABLE = ROOT / "docs" / "benchmarks.md"
RUNS = 3


@dataclass(frozen=True)
class Workload:
    """A scenario to time, or the agenda alone."""

    name: str
    title: str
    file: str
    hops: int = 1


WORKLOADS = [
    Workload("w1", "M/D/1 at load 0.9", str(READY / "bench" / "w1.toml")),
    Workload("w2", "satellite multiplexer", str(READY / "bench" / "w2.toml")),
    Workload("w3", "closed loop of 20 sources", str(READY / "bench" / "w3.toml")),
    Workload("s1c1", "scenario 1, case 1, N = 120", str(READY / "satellite" / "1-case-1.toml")),
    Workload("s1c2", "scenario 1, case 2, N = 120", str(READY / "satellite" / "1-case-2.toml")),
    Workload("s2c1", "scenario 2, case 1, N = 29", str(READY / "satellite" / "2-case-1.toml")),
    Workload("s3c2", "scenario 3, case 2, N = 113", str(READY / "satellite" / "3-case-2.toml")),
    Workload("agenda", "one turn replaced, 512 leaves", "agenda"),
    Workload("port", "two priorities, one busy port", str(ROOT / "tools" / "workloads" / "port.toml")),
    Workload("stream", "CUBIC over drop-tail", str(ROOT / "tools" / "workloads" / "stream.toml")),
    Workload("stream-codel", "CUBIC over CoDel", str(ROOT / "tools" / "workloads" / "stream-codel.toml")),
    Workload("stream-pie", "CUBIC over PIE", str(ROOT / "tools" / "workloads" / "stream-pie.toml")),
    Workload("stream-fq-codel", "CUBIC over FQ-CoDel", str(ROOT / "tools" / "workloads" / "stream-fq-codel.toml")),
    Workload("stream-dual-pi2", "Prague over DualPI2", str(ROOT / "tools" / "workloads" / "stream-dual-pi2.toml")),
    Workload("messages", "messages of web search", str(ROOT / "tools" / "workloads" / "messages.toml")),
    Workload("link", "five long lines, per hop", str(ROOT / "tools" / "workloads" / "link.toml"), hops=5),
]
# The same load on one port from more and more on/off flows, each with its own access line.
GROWTH = (1_000, 10_000, 100_000)
# Rings of more and more switches, with flows from each of them.
RINGS = (10, 100, 1_000)
RING_HOPS = 3
FLOWS_OF_A_SWITCH = 100
# A closed loop of more and more pairs of hosts, which send straight into the trunk or over access lines.
PAIRS = (100, 1_000, 10_000)
ACCESS = {"": "", " behind access lines": 'access = { rate = "155.52 Mb/s", delay = "5 us" }'}
COLUMNS = ("w1", "w2", "w3", "s1c1", "s1c2", "s2c1", "s3c2")
INTERVALS = ("w1", "w2")


def main() -> None:
    """Times every workload, or those named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "names", nargs="*", help="workloads to time; without names all of them, and the results are recorded"
    )
    names = parser.parse_args().names
    rows: list[dict[str, Any]] = []
    print(f"{'workload':60}{'ns/cell':>9}{'plain':>8}{'instructions':>14}{'MB':>7}")
    for workload in WORKLOADS:
        if not names or workload.name in names:
            rows.append(measure(workload))
            print_row(rows[-1])
    for name, sizes in (("growth", growth), ("scale", scale), ("loops", loops)):
        if not names or name in names:
            for row in sizes():
                rows.append(row)
                print_row(row)
    if not names or "study" in names:
        rows.append(study())
        print_row(rows[-1])
    if names:
        return
    (ROOT / "bench.json").write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    append_line(rows)
    print(f"wrote {ROOT / 'bench.json'} and a line in {TABLE}")


def measure(workload: Workload) -> dict[str, Any]:
    """Both forms of one workload."""
    fast, result = median(workload.file, "fast")
    units = result["cells"] * workload.hops
    row = {
        "name": workload.name,
        "title": workload.title,
        "cells": result["cells"],
        "ns_per_cell": round(fast / units * 1e9, 2),
        "cells_per_second": round(units / fast),
        "instructions_per_cell": instructions(PROGRAM, workload.file, workload.hops),
        "peak_memory_mb": result.pop("peak_memory_mb"),
        "plain_ns_per_cell": None,
        "results": {key: value for key, value in result.items() if key != "cells"},
    }
    if workload.name in INTERVALS:
        row["results"] |= intervals(workload.file)
    if workload.name != "agenda":
        plain, plain_result = median(workload.file, "plain")
        if plain_result["fingerprint"] != result["fingerprint"]:
            raise SystemExit(f"{workload.name}: the plain and the fast form give different fingerprints")
        row["plain_ns_per_cell"] = round(plain / units * 1e9, 2)
    return row


def intervals(file: str) -> dict[str, dict[str, float | None]]:
    """Loss and delay with 95 % intervals over replications: values of one run vary by up to a fifth."""
    from penstock import Scenario, run
    from penstock.statistics import student

    groups = run(Scenario.load(file), replications=10, jobs=2).groups
    found = {name: student(groups[name]) for name in ("loss_ratio", "delay_mean_s")}
    return {name: {"mean": value.mean, "low": value.low, "high": value.high} for name, value in found.items()}


def median(file: str, form: str) -> tuple[float, dict[str, Any]]:
    """Median processor seconds, and the output of the program."""
    runs = [timed([str(PROGRAM), file, "--form", form]) for _ in range(RUNS)]
    return statistics.median(seconds for seconds, _ in runs), runs[-1][1]


def growth() -> list[dict[str, Any]]:
    """The time of a cell with more flows into one port, and the memory of a flow before it sends."""
    files = [(flows, ROOT / "tools" / "workloads" / f"growth-{flows}.toml") for flows in GROWTH]
    return grown("growth", [(f"{flows:,} on/off flows", flows, 1, file) for flows, file in files])


def scale() -> list[dict[str, Any]]:
    """The time of a cell at a hop with more flows and switches, and the memory of a flow before it sends."""
    with tempfile.TemporaryDirectory() as folder:
        sizes = []
        for switches in RINGS:
            file = Path(folder) / f"ring-{switches}.toml"
            file.write_text(ring(switches), encoding="utf-8")
            flows = switches * FLOWS_OF_A_SWITCH
            sizes.append((f"{switches:,} switches, {flows:,} flows", flows, RING_HOPS, file))
        return grown("scale", sizes)


def loops() -> list[dict[str, Any]]:
    """The time of a cell with more pairs in a closed loop, in which switches tell the senders their rates."""
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for where, access in ACCESS.items():
            sizes = []
            for pairs in PAIRS:
                file = Path(folder) / f"loop-{len(rows)}-{pairs}.toml"
                file.write_text(loop(pairs, access), encoding="utf-8")
                sizes.append((f"{pairs:,} pairs{where}", pairs, 1, file))
            rows += grown("loops", sizes)
    return rows


def loop(pairs: int, access: str) -> str:
    """Pairs of hosts under ERICA as a scenario file. Together they offer what the trunk carries."""
    return f"""
title = "Loop of {pairs} pairs"
duration = "2 s"
scheme = "erica"
measure.flows = false
network.dumbbell = {{ pairs = {pairs}, rate = "155.52 Mb/s", delay = "20 ms" }}
[defaults.flow]
traffic.cbr.rate = "{155_000 // pairs} kb/s"
{access}
"""


def ring(switches: int) -> str:
    """A ring of switches as a scenario file. From each, on/off flows go three lines on; every line has load 0.8.

    Duration times flows is the same for every size, and so is the number of cells, about.
    """
    flows = switches * FLOWS_OF_A_SWITCH
    parts = [
        f'title = "Ring of {switches} switches"',
        f'duration = "{20_000_000 // flows} ms"',
        "measure.flows = false",
    ]
    for number in range(switches):
        path = [f"s{(number + hop) % switches}" for hop in range(RING_HOPS + 1)]
        parts += [
            f"[line.l{number}]",
            f"between = {json.dumps(path[:2])}",
            f'rate = "{40 * RING_HOPS * FLOWS_OF_A_SWITCH} kb/s"',
            'delay = "5 ms"',
            'queues = [{ drop_tail = { size = "500 cells" } }]',
            f"[flow.f{number}]",
            f"count = {FLOWS_OF_A_SWITCH}",
            f"path = {json.dumps(path)}",
            'access = { rate = "2 Mb/s", delay = "5 ms" }',
            'traffic.on_off = { peak_rate = "64 kb/s", on = "0.5 s", off = "0.5 s" }',
        ]
    return "\n".join(parts) + "\n"


def grown(name: str, sizes: list[tuple[str, int, int, Path]]) -> list[dict[str, Any]]:
    """The time of a cell at a hop, without assembly, and the memory of an idle flow, for each size of a network.

    A size has a title, its number of flows, the hops of a cell and its file.
    """
    rows: list[dict[str, Any]] = []
    for title, flows, hops, file in sizes:
        commands = [[str(PROGRAM), str(file), "--share", share] for share in ("0.02", "1")]
        differences = []
        for _ in range(RUNS):
            (little, idle), (much, result) = (timed(command) for command in commands)
            differences.append((much - little) / (result["cells"] - idle["cells"]) / hops)
        seconds = statistics.median(differences)
        results = {
            "flows": flows,
            "taken": result["taken"],
            "fingerprint": result["fingerprint"],
            "idle_memory_mb": idle["peak_memory_mb"],
        }
        if rows:
            first = rows[0]["results"]
            more_memory = idle["peak_memory_mb"] - first["idle_memory_mb"]
            results["times_the_first"] = round(seconds * 1e9 / rows[0]["ns_per_cell"], 2)
            results["bytes_per_idle_flow"] = round(more_memory * 2**20 / (flows - first["flows"]))
            title += f", {results['bytes_per_idle_flow']} B each"
        rows.append(
            {
                "name": name,
                "title": title,
                "cells": result["cells"],
                "ns_per_cell": round(seconds * 1e9, 2),
                "cells_per_second": round(1 / seconds),
                "instructions_per_cell": None,
                "peak_memory_mb": result["peak_memory_mb"],
                "plain_ns_per_cell": None,
                "results": results,
            }
        )
    return rows


def study() -> dict[str, Any]:
    """The whole quick study: its runs alone on one core, then the command with tables and figures on two."""
    import polars

    from penstock.api.run import Task, run_all
    from penstock.studies.satellite.grid import grid

    tasks = [Task(point.build().to_json(), seed) for point in grid() for seed in (1, 2, 3)]
    before = time.process_time()
    outcomes = list(run_all(tasks, jobs=1))
    simulation = time.process_time() - before
    cells = sum(int(polars.DataFrame(outcome.tables["groups"])["sent"].sum()) for outcome in outcomes)
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "penstock",
            "reproduce",
            "satellite",
            "--quick",
            "--jobs",
            "2",
            "--out",
            folder,
        ]
        before = time.perf_counter()
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            usage = finish(process)
        whole = time.perf_counter() - before
    return {
        "name": "study",
        "title": f"whole quick study, {len(tasks)} runs",
        "cells": cells,
        "ns_per_cell": round(simulation / cells * 1e9, 2),
        "cells_per_second": round(cells / simulation),
        "instructions_per_cell": None,
        "peak_memory_mb": round(usage.ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024), 1),
        "plain_ns_per_cell": None,
        "results": {
            "simulation_one_core_s": round(simulation, 2),
            "whole_command_two_jobs_wall_s": round(whole, 2),
        },
    }


def print_row(row: dict[str, Any]) -> None:
    """One line of the table on the screen."""
    plain, counted = row["plain_ns_per_cell"], row["instructions_per_cell"]
    print(
        f"{row['name']:16}{row['title']:44}{row['ns_per_cell']:9.1f}"
        f"{'' if plain is None else format(plain, '.1f'):>8}{'' if counted is None else format(counted, '.0f'):>14}"
        f"{row['peak_memory_mb'] or 0:7.1f}",
        flush=True,
    )


def append_line(rows: list[dict[str, Any]]) -> None:
    """One line for this commit at the end of the table in the documentation."""
    named = {row["name"]: row for row in rows}
    git = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--exclude", "*"]
    commit = subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip() or "no commit"
    cells = [f"{named[name]['ns_per_cell']:.1f}" for name in COLUMNS]
    cells.append(f"{named['study']['results']['simulation_one_core_s']:.1f} s")
    with TABLE.open("a", encoding="utf-8") as file:
        file.write(f"| {date.today().isoformat()} | {commit} | {' | '.join(cells)} |\n")


if __name__ == "__main__":
    main()

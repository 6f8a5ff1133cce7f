"""Code that the timing tools share: processor time and instructions of the program `bench`."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from resource import struct_rusage
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
READY = ROOT / "python" / "penstock" / "scenarios"
PROGRAM = ROOT / "target" / "release" / "examples" / "bench"
SHORT_SHARES = (0.02, 0.06)


def finish(process: subprocess.Popen[Any]) -> struct_rusage:
    """Waits for a process that must succeed; returns its resource usage."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{process.args!r}: exit status {process.returncode}")
    return usage


def timed(command: Sequence[str]) -> tuple[float, dict[str, Any]]:
    """Processor seconds of a command, and the object that it printed."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        usage = finish(process)
    return usage.ru_utime + usage.ru_stime, json.loads(output)


def instructions(program: Path, file: str, hops: int = 1) -> float | None:
    """Instructions per cell and hop, or None without valgrind."""
    (few, few_cells), (many, many_cells) = (collected(program, file, share) for share in SHORT_SHARES)
    if few is None or many is None:
        return None
    return round((many - few) / (many_cells - few_cells) / hops, 1)


def collected(program: Path, file: str, share: float, into: str = "/dev/null") -> tuple[int | None, int]:
    """Instructions of a share of a workload (None without valgrind), with its cells; the profile goes to a file."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        return None, 0
    profiler = [valgrind, "--tool=callgrind", f"--callgrind-out-file={into}"]
    done = subprocess.run(
        [*profiler, str(program), file, "--share", str(share)], capture_output=True, text=True, check=True
    )
    found = re.search(r"Collected : (\d+)", done.stderr)
    return int(found[1]) if found else None, json.loads(done.stdout)["cells"]

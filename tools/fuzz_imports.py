"""Fuzzes the readers of `penstock import`: python tools/fuzz_imports.py SECONDS [SEED]

The seconds are processor time. Each file of fuzz/imports is changed at random, and imported. It must become a scenario
or packets that are valid, or be refused by an InputError, in a few seconds and with little memory. Other files are kept
in fuzz/artifacts/imports, and so are those at which our own code raises what only the last resort tells.
"""

from __future__ import annotations

import os
import random
import resource
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from penstock import InputError, import_network, import_rates, import_trace
from penstock.importing.attributed import FORMATS

SEEDS = Path(__file__).parent.parent / "fuzz" / "imports"
FOUND = SEEDS.parent / "artifacts" / "imports"
SLOW_S = 10.0
MOST_BYTES = 4 << 30
WORDS = (
    *b"nan inf -1 0 1e999 1e-999 99999999999999999999 0x10 1_000 null true [] {} \" ' < & &#0; ( ) Gbps b/s".split(),
    *b"ms km UNLIMITED # , ; 2026-13-45 \xc2\xb2 \xff\xfe \xe2\x80\xae \xff\xff\xff\xff \x7f\xff\xff\xff".split(),
    *(b"\0", b"\r", b"\t", b"\n", b"\n\n", b" ", b"[" * 2000, b"1" * 400, bytes(4), b"\x80\0\0\0", b"\0\0\0\1"),
)


def changed(octets: bytes, others: list[bytes], draw: random.Random) -> bytes:
    """The octets of a file with some changes."""
    made = bytearray(octets)
    for _ in range(draw.choice((1, 1, 2, 3, 6))):
        at, length = draw.randrange(len(made) + 1), draw.randrange(1, 12)
        match draw.randrange(7):
            case 0 if made:
                made[min(at, len(made) - 1)] ^= 1 << draw.randrange(8)
            case 1:
                made[at : at + length] = draw.choice(WORDS)
            case 2:
                made[at:at] = draw.choice(WORDS)
            case 3:
                del made[at : at + length]
            case 4:
                made[at:at] = made[at : at + 8 * length]
            case 5:
                other = draw.choice(others)
                start = draw.randrange(len(other) + 1)
                made[at : at + length] = other[start : start + 4 * length]
            case _:
                del made[at:]
    return bytes(made)


def reader_of(file: Path) -> Callable[[], object]:
    """What `penstock import` does with such a file."""
    beside: dict[str, Any] = {"default_rate": "10 Mb/s", "default_delay": "1 ms", "demand_unit": "kb/s"}
    if file.suffix in (".pcap", ".pcapng"):
        return lambda: import_trace(file)
    if file.name.endswith(("packets.csv", "dates.csv")):
        unit = "datetime" if file.name.endswith("dates.csv") else "s"
        return lambda: import_trace(file, time=f"time:{unit}", size="size:octets", where="size > 0")
    if file.suffix == ".up":
        return lambda: import_rates(file, "cell", duration="1 s")
    if file.suffix in (".csv", ".demands"):
        net = SEEDS / ("repetita.graph" if file.suffix == ".demands" else "net.gml")
        return lambda: import_network(net, demands=file, **beside)
    if file.name == "net.json":
        beside |= {"rate": "rate", "rate_unit": "b/s", "delay": "delay", "delay_unit": "ms"}
    return lambda: import_network(file, merge_parallel=file.suffix in FORMATS, **beside)


def judged(file: Path) -> str:
    """What is wrong with the way in which a file is read; empty if nothing is."""
    began = time.process_time()
    try:
        reader_of(file)()
    except InputError as error:
        if is_ours(error):
            return f"told as a fault of the file: {error.reason}"
    except BaseException as error:  # noqa: BLE001 anything else is a finding
        last = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} at {last.filename}:{last.lineno}"
    return f"slow: {file.name}" if time.process_time() - began > SLOW_S else ""


def main(seconds: float, seed: int) -> int:
    """Returns the number of findings."""
    draw = random.Random(seed)
    seeds = {file: file.read_bytes() for file in sorted(SEEDS.iterdir())}
    runs, found = 0, set()
    # A reader that takes all memory ends here, and is found.
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PENSTOCK_TRACES"] = f"{folder}/traces"
        while time.process_time() < seconds:
            source = draw.choice(list(seeds))
            file = Path(folder) / source.name
            file.write_bytes(changed(seeds[source], list(seeds.values()), draw))
            runs += 1
            if (told := judged(file)) and told not in found:
                found.add(told)
                FOUND.mkdir(parents=True, exist_ok=True)
                kept = FOUND / f"{len(found)}-{seed}-{source.name}"
                kept.write_bytes(file.read_bytes())
                print(f"{kept}: {told}", flush=True)
    print(f"{runs:,} files, {len(found)} findings")
    return len(found)


def is_ours(error: InputError) -> bool:
    """Whether our own code, and no library, raised what the last resort of the readers tells as one of the file."""
    cause = error.__context__
    if cause is None or isinstance(cause, InputError) or "cannot be read as" not in error.reason:
        return False
    return "/penstock/" in traceback.extract_tb(cause.__traceback__)[-1].filename


if __name__ == "__main__":
    sys.exit(bool(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)))

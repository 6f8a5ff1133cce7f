"""Fuzzes the readers of `penstock import`: python tools/fuzz_imports.py SECONDS [SEED]

The seconds are processor time, with that of the processes which read Parquet files. Each file of fuzz/imports is
changed at random, and imported. It must become a scenario or packets that are valid, or be refused by an InputError, in
a few seconds and with little memory. Other files are kept in fuzz/artifacts/imports, and so are those at which our own
code raises what only the last resort tells.
"""

from __future__ import annotations

import gzip
import os
import random
import re
import resource
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import penstock
from penstock import InputError, import_network, import_rates, import_trace
from penstock.core.reading import GZIP
from penstock.importing.attributed import FORMATS
from penstock.importing.table import SIZE_UNITS, TIME_UNITS

PACKAGE = Path(penstock.__file__).parent
"""Our own code. The folder of a clone may be called penstock, too, and have the libraries in it."""
SEEDS = Path(__file__).parent.parent / "fuzz" / "imports"
FOUND = SEEDS.parent / "artifacts" / "imports"
SLOW_S = 10.0
IN_A_PROCESS = {".parquet": 0.05}
"""How often a file is chosen that is read in a process of its own: that takes two hundred times as long as another."""
MOST_BYTES = 4 << 30
EDGES = (0, 1, 2, 0x7F, 0x80, 0xFF, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 2**63 - 1, 2**63, 2**64 - 1)
"""Numbers at the edges of their formats."""
PARTS = (re.compile(rb"[^\n]*\n"), re.compile(rb"[\w.+-]+"), re.compile(rb"<[^<>]*>|[\[{(][^][{}()]*[])}]"))
"""Lines, words, and what is in brackets."""
WHERE = (
    None,
    "octets > 60",
    "size >= 5 OR time IS NULL",
    "protocol = 'udp'",
    "source_port / 0 > 1",
    "(",
    "SELECT 1",
    "*",
)
OPTIONS: dict[str, tuple[object, ...]] = {
    "rate": ("", "rate", "LinkSpeedRaw", "pre_installed_capacity", "none"),
    "rate_unit": ("", "b/s", "Gb/s"),
    "default_rate": ("", "10 Mb/s", "0 b/s", "1e20 Gb/s"),
    "delay": ("", "delay", "dist", "weight"),
    "delay_unit": ("", "ns", "s"),
    "default_delay": ("", "1 ms", "0 s", "1e11 s"),
    "demand_unit": ("", "b/s", "Gb/s"),
    "merge_parallel": (False, True),
    "duration": ("1 s", "0 s", "forever"),
}
"""Options of a network and values of them."""
WORDS = (
    *b"nan inf -1 0 1e999 1e-999 99999999999999999999 0x10 1_000 null true [] {} \" ' < & &#0; ( ) Gbps b/s".split(),
    *b"ms km UNLIMITED # , ; 2026-13-45 \xc2\xb2 \xff\xfe \xe2\x80\xae \xff\xff\xff\xff \x7f\xff\xff\xff".split(),
    *(b"\0", b"\r", b"\t", b"\n", b"\n\n", b" ", b"[" * 2000, b"1" * 400, bytes(4), b"\x80\0\0\0", b"\0\0\0\1"),
)


def changed(octets: bytes, others: list[bytes], draw: random.Random) -> bytes:
    """The octets of a file with some changes; what gzip has compressed is changed inside."""
    if octets[:2] == GZIP and draw.randrange(4):
        return gzip.compress(changed(gzip.decompress(octets), others, draw), 1)
    made = bytearray(octets)
    for _ in range(draw.choice((1, 1, 2, 3, 6))):
        at, length = draw.randrange(len(made) + 1), draw.randrange(1, 12)
        match draw.randrange(11):
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
            case 6:
                size = draw.choice((2, 4, 8))
                made[at // size * size : at // size * size + size] = draw.choice(EDGES).to_bytes(8, "big")[-size:]
            case 7 | 8 | 9:
                _change_part(made, draw)
            case _:
                del made[at:]
    return bytes(made)


def _change_part(made: bytearray, draw: random.Random) -> None:
    """Changes a whole line or a whole word: leaves it out, gives it twice, or puts another one there."""
    parts = [found.span() for found in draw.choice(PARTS).finditer(made)]
    if not parts:
        return
    (start, end), (other, behind) = draw.choice(parts), draw.choice(parts)
    match draw.randrange(4):
        case 0:
            del made[start:end]
        case 1:
            made[start:start] = made[start:end]
        case 2:
            made[start:end] = draw.choice(WORDS)
        case _:
            made[start:end] = made[other:behind]


def reader_of(file: Path, draw: random.Random | None = None) -> Callable[[], object]:
    """What `penstock import` does with such a file, or with options by chance."""
    chance = draw if draw is not None and draw.randrange(2) else None
    name = file.name.removesuffix(".gz")
    if name.endswith((".pcap", ".pcapng")):
        return lambda: import_trace(file, where=chance.choice(WHERE) if chance else None)
    if name.endswith(("packets.csv", "dates.csv", "packets.parquet")):
        unit = "datetime" if name == "dates.csv" else "s"
        columns: dict[str, Any] = {"time": f"time:{unit}", "size": "size:octets", "where": "size > 0"}
        if chance:
            units = [chance.choice(known) for known in (list(TIME_UNITS), list(SIZE_UNITS))]
            columns = {
                "time": f"{chance.choice(('time', '1'))}:{units[0]}",
                "size": f"{chance.choice('23')}:{units[1]}",
            }
            columns |= {
                "flow": chance.sample(["time", "size", "3"], chance.randrange(3)),
                "where": chance.choice(WHERE),
            }
        return lambda: import_trace(file, **columns)
    out = file.with_name("list.toml") if chance and chance.randrange(2) else None
    if name.endswith(".up"):
        span = chance.choice(("1 ms", "7 ms", "1 s", "0 s", "1e9 s")) if chance else "100 ms"
        return lambda: import_rates(file, "cell", span=span, duration="1 s", list_out=out)
    return _reader_of_network(file, name, chance, out)


def _reader_of_network(file: Path, name: str, chance: random.Random | None, out: Path | None) -> Callable[[], object]:
    options: dict[str, Any] = {"default_rate": "10 Mb/s", "default_delay": "1 ms", "demand_unit": "kb/s"}
    options["merge_parallel"] = name.endswith(FORMATS)
    if name == "net.json":
        options |= {"rate": "rate", "rate_unit": "b/s", "delay": "delay", "delay_unit": "ms"}
    if chance:
        options |= {option: chance.choice((value, *OPTIONS.get(option, ()))) for option, value in options.items()}
        options |= {option: chance.choice(values) for option, values in OPTIONS.items() if chance.randrange(2)}
        options["list_out"] = out
    if name.endswith((".csv", ".demands")):
        net = SEEDS / ("repetita.graph" if name.endswith(".demands") else "net.gml")
        return lambda: import_network(net, demands=file, **options)
    return lambda: import_network(file, **options)


def spent_s() -> float:
    """The processor time of this process and of those that it has started, in seconds."""
    return sum(os.times()[:4])


def judged(file: Path, draw: random.Random | None = None) -> str:
    """What is wrong with the way in which a file is read, also with options by chance; empty if nothing is."""
    began = spent_s()
    try:
        reader_of(file, draw)()
    except InputError as error:
        if is_ours(error):
            return f"told as a fault of the file: {error.reason}"
    except BaseException as error:  # noqa: BLE001 anything else is a finding
        last = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} at {last.filename}:{last.lineno}"
    return f"slow: {file.name}" if spent_s() - began > SLOW_S else ""


def main(seconds: float, seed: int) -> int:
    """Returns the number of findings."""
    draw = random.Random(seed)
    seeds = {file: file.read_bytes() for file in sorted(SEEDS.iterdir())}
    runs, found = 0, set()
    # A reader that takes all memory ends here, and is found.
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PENSTOCK_TRACES"] = f"{folder}/traces"
        while spent_s() < seconds:
            [source] = draw.choices(list(seeds), [IN_A_PROCESS.get(file.suffix, 1.0) for file in seeds])
            file = Path(folder) / source.name
            file.write_bytes(changed(seeds[source], list(seeds.values()), draw))
            runs += 1
            if (told := judged(file, draw)) and told not in found:
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
    return Path(traceback.extract_tb(cause.__traceback__)[-1].filename).is_relative_to(PACKAGE)


if __name__ == "__main__":
    sys.exit(bool(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)))

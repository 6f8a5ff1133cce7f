"""What the tests do with the blocks that are no plain ones: a part of a file, an error, what no test can start."""

from __future__ import annotations

import gzip
import inspect
import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast
from urllib.request import urlopen

import dpkt
import pytest
from conftest import SMALL
from distributed import Client
from documented import ROOT, Block, Session, blocks_of, other
from documented_parts import LINES, STUDIO
from terminal import terminal
from test_cluster import LocalCluster
from test_cluster_tls import start, write_certificates
from test_import_network import graphml
from test_import_trace import udp

from penstock import Outcome, Scenario, State, Task, different_traffic
from penstock.core.scenario import read
from penstock.execute import spread, worker
from penstock.scheduler import Scheduler
from penstock.show.progress import progress_text


@other("guides/sweeps.md", "[[sweep.axis]]", why="it is in the ready sweep that the guide names")
def _in_ready(_session: Session, block: Block) -> None:
    axes = tomllib.loads(read("satellite/sweep-trigger"))["sweep"]["axis"]
    assert tomllib.loads(block.text)["sweep"]["axis"][0] in axes


# ------------------------------------------------------------------------------------------ what a page begins with
def page_block(page: str, first: str) -> str:
    """The text of a block of a page, by how it begins."""
    return next(block.text for block in blocks_of(ROOT / "docs" / page) if block.first.startswith(first))


def start_cluster(session: Session) -> None:
    """A cluster in the place of those of the guide, and the sweep of another guide, of one second a run."""
    rates = page_block("guides/sweeps.md", 'title = "Steady').replace('"60 s"', '"1 s"')
    (session.folder / "rates.toml").write_text(rates, encoding="utf-8")
    folder = session.folder / "cluster"
    folder.mkdir()
    cluster = LocalCluster(folder, session.stack)
    cluster.add_workers(2)
    session.instead |= dict.fromkeys(
        ("tcp://scheduler:8786", "tcp://alpha:8786", "tcp://127.0.0.1:8786"), cluster.address
    )


def start_import(session: Session) -> None:
    """Networks as the guide has them, and the matrix that it shows."""
    places: dict[str, dict[str, object]] = {
        "Berlin": {"Latitude": 52.52, "Longitude": 13.405},
        "München": {"Latitude": 48.137, "Longitude": 11.575},
    }
    graphml(session.folder / "zoo.graphml", places, [("Berlin", "München", {"LinkSpeedRaw": 1e10})])
    edge: dict[str, object] = {"capacity": 155.52, "latency": 2.0}
    edges = [("Berlin", "München", edge), ("Berlin", "Exchange", edge)]
    graphml(session.folder / "net.graphml", {"Berlin": {}, "München": {}, "Exchange": {}}, edges)
    times = "\n".join(str(time) for time in range(0, 2000, 3))
    (session.folder / "LTE.up").write_text(f"{times}\n", encoding="utf-8")
    matrix = page_block("guides/draw-import.md", "from,to,rate")
    (session.folder / "matrix.csv").write_text(matrix, encoding="utf-8")
    write_captures(session.folder)


def start_league(session: Session) -> None:
    """The league of the guide in place of the ready one, which takes minutes."""
    session.instead['"standard", replications=10'] = '"league.toml", replications=2'


def start_traces(session: Session) -> None:
    """Captures of eight flows, and a table."""
    write_captures(session.folder)
    with gzip.open(session.folder / "day.pcap.gz", "wb") as file:
        file.write((session.folder / "uplink.pcap").read_bytes())
    table = "\n".join(["arrival,length,source,destination", *(f"{number},{100 + number},a,b" for number in range(9))])
    (session.folder / "packets.csv").write_text(f"{table}\n", encoding="utf-8")


def write_captures(folder: Path) -> None:
    """Captures of eight flows in both formats."""
    addresses = [bytes([10, 0, 0, number]) for number in range(9)]
    packets = [
        (1_700_000_000 + number / 1000, udp(addresses[0], addresses[1 + number % 8], (5004, 5004), 200 + number))
        for number in range(80)
    ]
    for name, writer in (("uplink.pcap", dpkt.pcap.Writer), ("uplink.pcapng", dpkt.pcapng.Writer)):
        with (folder / name).open("wb") as file:
            written = writer(file)
            for time, packet in packets:
                written.writepkt(packet, time)


def start_lines(session: Session) -> None:
    """A list of outages."""
    (session.folder / "outages.csv").write_text("begin,end\n10 s,12 s\n", encoding="utf-8")


def start_video(session: Session) -> None:
    """The recording that the guide shows, another, and a scenario of each of its kinds."""
    (session.folder / "film.txt").write_text(page_block("guides/video.md", "% frame"), encoding="utf-8")
    (session.folder / "chat.txt").write_text("100\n200\n", encoding="utf-8")
    clip = f"{STUDIO}\n{page_block('guides/video.md', '[flow.video]')}"
    (session.folder / "clip.toml").write_text(clip, encoding="utf-8")


STARTS: dict[str, Callable[[Session], None]] = {
    "guides/cluster.md": start_cluster,
    "guides/draw-import.md": start_import,
    "guides/league.md": start_league,
    "guides/own-study.md": lambda session: session.instead.update({"docs/guides/loss": str(ROOT / "docs/guides/loss")}),
    "guides/traces.md": start_traces,
    "models/lines.md": start_lines,
    "guides/video.md": start_video,
}
"""What a page needs before its first block."""


# -------------------------------------------------------------------------------------------------------- commands
@other("README.md", "penstock studio", why="the server starts and ends")
@other("guides/studio.md", "penstock studio", why="the server starts and ends")
def _serve(_session: Session, block: Block) -> None:
    command = [sys.executable, "-m", *shlex.split(block.commands[0]), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        with urlopen(process.stdout.readline().strip()) as page:  # then it serves, and Ctrl-C ends it
            assert b"<html" in page.read()
        process.send_signal(signal.SIGINT)
        process.communicate()
    assert process.returncode == 0


@other("guides/live.md", "penstock watch", why="runs in a terminal until q is pressed")
def _watch(_session: Session, block: Block) -> None:
    with terminal(*shlex.split(block.commands[0])[1:]) as shown:
        shown.until("q quit")
        shown.press("q")
        assert shown.finish() == 0


@other("guides/cluster.md", "openssl req", why="runs, if openssl is there")
def _certificates(session: Session, block: Block) -> None:
    if shutil.which("openssl") is None:
        write_certificates(session.folder)
        return
    for line in block.commands:
        subprocess.run(shlex.split(line), cwd=session.folder, check=True, capture_output=True)


@other("guides/cluster.md", "dask scheduler --host", why="a scheduler and workers with other ports are there already")
def _dask(session: Session, block: Block) -> None:
    known_to_dask(block)
    session.penstock(*shlex.split(block.commands[-1])[1:])


@other("guides/cluster.md", "dask scheduler --protocol tls", why="runs with another port")
def _dask_tls(session: Session, block: Block) -> None:
    known_to_dask(block)
    file = session.folder / "scheduler.json"
    scheduler, worker, sweep = (shlex.split(line)[1:] for line in block.commands)
    log = session.folder / "log"
    here = ["--host", "127.0.0.1", "--no-dashboard"]
    start(session.stack, log, *scheduler, *here, "--port", "0", "--scheduler-file", str(file))
    start(session.stack, log, worker[0], *worker[2:], *here, "--no-nanny", "--scheduler-file", str(file))
    security = Scheduler("tls://", *(session.folder / f"{name}.pem" for name in ("ca", "cert", "key"))).security()
    with Client(scheduler_file=str(file), security=security, timeout=600, set_as_default=False) as client:
        client.wait_for_workers(1, timeout=600)
    address = json.loads(file.read_text(encoding="utf-8"))["address"]
    session.instead["tls://scheduler:8786"] = address
    session.penstock(*(address if word == "tls://scheduler:8786" else word for word in sweep))


@other("guides/cluster.md", "dask ssh", why="its options are known; there are no other machines")
def _dask_ssh(session: Session, block: Block) -> None:
    known_to_dask(block)
    session.penstock(*shlex.split(block.commands[-1])[1:])


def known_to_dask(block: Block) -> None:
    """Dask's own help has each option of its commands."""
    for line in block.commands:
        words = shlex.split(line)
        if words[0] == "dask":
            command = [sys.executable, "-m", *words[:2], "--help"]
            told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            assert [word for word in words if word.startswith("--") and word not in told] == []


@other("guides/cluster.md", "from dask_jobqueue", "from dask_kubernetes", why="its names are known; it needs a cluster")
def _elsewhere(_session: Session, block: Block) -> None:
    compile(block.text, block.place, "exec")


# ---------------------------------------------------------------------------------------------------- what is shown
@other("guides/cluster.md", "penstock: --cluster", why="both errors occur, with other addresses")
def _nobody_there(session: Session, block: Block) -> None:
    nobody, idle = "tcp://127.0.0.1:1", session.folder / "idle"
    idle.mkdir()
    address = LocalCluster(idle, session.stack).address
    shown = page_block("guides/cluster.md", "penstock: --cluster").split("\n\n")
    for place, message in zip((nobody, address), shown, strict=True):
        session.printed = ""
        session.penstock("sweep", "rates.toml", "--out", "nowhere", "--cluster", place, status=2)
        told, wanted = (re.sub(r" \d+ s;", " N s;", " ".join(text.split())) for text in (session.printed, message))
        assert wanted.replace("tcp://127.0.0.1:8786", place) in told


@other("guides/compare.md", "note: only", why="both notes are told")
def _notes(session: Session, block: Block) -> None:
    load = Scenario.load
    names = ("1-case-2", "alternative-1-constant-video")
    lines = different_traffic({name: load(f"satellite/{name}") for name in names})
    one = Scenario.parse(SMALL)
    lines += different_traffic({"a": one, "b": one.with_({"flow.random.traffic.poisson.rate": "900 kb/s"})})
    session.printed = "\n".join(f"note: {line}" for line in lines)
    session.text(block)


@other("guides/compare.md", "All scenarios and metrics", why="is compared with what the command of the text prints")
def _all_scenarios(session: Session, block: Block) -> None:
    names = [f"satellite/{name}" for name in ("1-case-1", "1-case-2", "1-case-3", "alternative-1-long-interval")]
    metrics = ("voice.loss_ratio", "satellite.utilisation", "voice.delay_mean_s")
    asked = [word for metric in metrics for word in ("--metric", metric)]
    session.penstock("compare", *names, *asked, "--replications", "5", "--out", "four")
    session.message(block)


@other("guides/draw-import.md", "# Imported from zoo.graphml", why="is compared with what `penstock import` prints")
def _imported(session: Session, block: Block) -> None:
    session.penstock("import", "zoo.graphml")
    session.text(block)
    session.begin(block.text)


@other("guides/draw-import.md", "from,to,rate", why="the matrix that the command above reads")
def _matrix(session: Session, block: Block) -> None:
    assert (session.folder / "matrix.csv").read_text(encoding="utf-8") == block.text


@other("guides/draw-import.md", "[[series]]", "[demands]", why="is compared with what is printed, without the digest")
def _lists(session: Session, block: Block) -> None:
    if block.first == "[demands]":
        units = ["--rate", "capacity", "--rate-unit", "Mb/s", "--delay", "latency", "--delay-unit", "ms"]
        demands = ["--demands", "matrix.csv", "--demand-unit", "kb/s", "--list-out", "demands.toml"]
        session.penstock("import", "net.graphml", *units, *demands)
    require_printed(session, block, DIGEST)


@other("guides/draw-import.md", "# 69,367 opportunities", why="is compared with what is printed, without its numbers")
def _opportunities(session: Session, block: Block) -> None:
    require_printed(session, block, rf"{DIGEST}|[0-9][0-9,]*(\.[0-9]+)?")


@other(
    "guides/draw-import.md", "[line]", why="its last keys are compared with those that are printed for a line in braces"
)
def _line_in_braces(session: Session, block: Block) -> None:
    keys = block.text.partition('delay = "20 ms", ')[2].replace(" } }", " }")
    require_printed(session, replace(block, text=f"# {keys}"), rf"{DIGEST}|[0-9]+")


DIGEST = '"[0-9a-f]{64}"'


def require_printed(session: Session, block: Block, but: str) -> None:
    """The block was printed, but for what has this pattern."""
    shown, printed = (re.sub(but, "N", text) for text in (block.text, session.printed))
    assert shown.strip() in printed, session.printed


@other("guides/draw-import.md", "[flow.data]", why="is put behind the file of the two commands above")
def _ends(session: Session, block: Block) -> None:
    with (session.folder / "net.toml").open("a", encoding="utf-8") as file:
        file.write(f"\n{block.text}")


@other("guides/networks.md", "Traffic", why="is compared with what `penstock check` prints of the first file")
def _offered(session: Session, block: Block) -> None:
    text = next(text for text in session.files if text.startswith("# Voice, video and data"))
    (session.folder / "mix.toml").write_text(text, encoding="utf-8")
    session.penstock("check", "mix.toml")
    session.text(block)


@other("guides/scenarios.md", "penstock: first.toml", why="both errors occur")
def _wrong_line(session: Session, block: Block) -> None:
    text = (session.folder / "first.toml").read_text(encoding="utf-8")
    wrong = ('dleay = "270 ms"', 'delay = "270 MHz"')
    for instead, message in zip(wrong, block.text.split("\n\n"), strict=True):
        (session.folder / "first.toml").write_text(text.replace('delay = "270 ms"', instead), encoding="utf-8")
        session.printed = ""
        session.penstock("check", "first.toml", status=2)
        session.message(replace(block, text=message))
    (session.folder / "first.toml").write_text(text, encoding="utf-8")


@other("guides/scenarios.md", "satellite/1-case-2: valid", why="is compared with what `penstock check` prints")
def _valid(session: Session, block: Block) -> None:
    session.penstock("check", "satellite/1-case-2")
    session.text(block)


@other("guides/sweeps.md", "{", why="is compared with a row of `--json`")
def _rows(session: Session, block: Block) -> None:
    session.printed = session.command("sweep", "rates.toml", "--json", "--quiet").stdout
    session.json(block)


@other("guides/sweeps.md", "sweep-trigger", why="its line is made of such a state")
def _progress(_session: Session, block: Block) -> None:
    state = SimpleNamespace(total=60, found=0, done=20, running=12, failed=0, rate=5.08)
    assert progress_text(cast("State", state)) in block.text


@other("guides/sweeps.md", "penstock: rates.toml, line 24", why="the error occurs")
def _wrong_axis(session: Session, block: Block) -> None:
    text = (session.folder / "rates.toml").read_text(encoding="utf-8")
    axis = '[[sweep.axis]]\n"flow.steady.count"'
    (session.folder / "rates.toml").write_text(text.replace(axis, axis.replace("steady", "stedy")), encoding="utf-8")
    session.printed = ""
    session.penstock("sweep", "rates.toml", "--out", "wrong", status=2)
    session.message(block)
    (session.folder / "rates.toml").write_text(text, encoding="utf-8")


@other("guides/sweeps.md", "penstock: interrupted", why="is told, with other numbers")
@other("guides/reproduce.md", "penstock: interrupted", why="is told, with other numbers")
def _interrupted(session: Session, block: Block) -> None:
    interrupt(session)
    assert counted(block.text) in counted(session.printed)


@other("guides/sweeps.md", "penstock: out/sweep-trigger: this directory", why="is told, with another number")
def _unfinished(session: Session, block: Block) -> None:
    session.printed = ""
    session.penstock("sweep", "satellite/sweep-trigger", "--jobs", "1", "--out", "out/sweep-trigger", status=2)
    assert counted(block.text) in counted(session.printed)


def interrupt(session: Session) -> None:
    """Press Ctrl-C after three runs of the ready sweep."""
    simulate = worker.simulate
    ended: list[Task] = []

    def counted_runs(task: Task, watch: Callable[[float], None]) -> Outcome:
        if len(ended) == 3:
            signal.raise_signal(signal.SIGINT)
        ended.append(task)
        return simulate(task, watch)

    session.printed = ""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("penstock.execute.worker.simulate", counted_runs)
        words = ("sweep", "satellite/sweep-trigger", "--jobs", "1", "--out", "out/sweep-trigger")
        session.penstock(*words, status=130)


def counted(text: str) -> str:
    """On one line, with every number as N."""
    return re.sub(r"\d+", "N", " ".join(text.split()))


@other("guides/sweeps.md", "penstock: a run failed", why="`tests/test_executors.py` has workers that die")
def _failed(_session: Session, block: Block) -> None:
    reason = block.text.strip().rpartition(": ")[2]
    assert f'RuntimeError("{reason}")' in inspect.getsource(spread)


@other("guides/sweeps.md", "[sweep]", why="takes the place of the replications in the file above, and is run")
def _precision(session: Session, block: Block) -> None:
    text = (session.folder / "rates.toml").read_text(encoding="utf-8")
    metrics = text[text.index("metrics = ") :].partition("\n")[0]
    changed = text.replace("[sweep]\nreplications = 5\n", block.text)
    assert changed != text
    assert metrics in changed
    (session.folder / "precise.toml").write_text(changed, encoding="utf-8")
    session.penstock("sweep", "precise.toml")


@other("guides/sweeps.md", "30 runs of the sweep", why="is compared with what was printed, without names and times")
def _run_list(session: Session, block: Block) -> None:
    def masked(text: str) -> str:
        lines = [re.sub(r"^(  )[0-9a-f]{12}|[0-9.e-]+$|-{3,}", "", line.rstrip()) for line in text.splitlines()]
        return "\n".join(" ".join(line.split()) for line in lines)

    assert masked(block.text).strip() in masked(session.printed), session.printed


@other("guides/sweeps.md", "penstock: out/rates/segments", why="a damaged segment is told, of another name")
def _damage(session: Session, block: Block) -> None:
    shutil.copytree(session.folder / "out" / "rates", session.folder / "hurt")
    segment = max((session.folder / "hurt" / "segments").iterdir())
    file = segment / "ports.parquet"
    file.write_bytes(file.read_bytes()[:-4])
    session.printed = ""
    session.penstock("runs", "export", "hurt", "--table", "ports", status=1)
    name = re.search(r"out/rates/segments/\S+(?=:)", block.text)
    assert name is not None
    session.message(replace(block, text=block.text.replace(name[0], f"hurt/segments/{segment.name}")))


@other("guides/traces.md", "# 812,004 packets", why="is compared with what is printed, without numbers")
def _trace(session: Session, block: Block) -> None:
    def masked(text: str) -> str:
        return re.sub(r'"[0-9a-f]{64}"|[\d,.]*\d', "N", text)

    assert masked(block.text).strip() in masked(session.printed), session.printed
    session.names["digest"] = re.findall(r'sha256 = "([0-9a-f]{64})"', session.printed)[0]


@other("guides/traces.md", "[flow.data]", why="runs with the digest of a trace that is there")
def _sent(session: Session, block: Block) -> None:
    row = LINES + '[line.uplink]\nbetween = ["office", "uplink"]\nrate = "6 Mb/s"\ndelay = "5 ms"\n'
    session.begin(row + block.text.replace("9f2c...", session.names["digest"]))


@other("guides/video.md", "penstock: clip.toml", why="the error occurs")
def _ratio(session: Session, block: Block) -> None:
    text = (session.folder / "clip.toml").read_text(encoding="utf-8")
    filled = text.replace('"14.84 Mb/s" }', '"14.84 Mb/s", ratio = [9, 2, 1] }')
    (session.folder / "clip.toml").write_text(filled, encoding="utf-8")
    session.printed = ""
    session.penstock("check", "clip.toml", status=2)
    masked = (" ".join(re.sub(r"line \d+", "line N", text).split()) for text in (block.text, session.printed))
    shown, printed = masked
    assert shown in printed
    (session.folder / "clip.toml").write_text(text, encoding="utf-8")


@other("guides/video.md", "% frame type octets", why="the recording that the part above reads")
def _recording(session: Session, block: Block) -> None:
    assert "frames = [78754, 9403, 12138]" in Scenario.parse(session.files[-1], name="film").to_toml()
    assert (session.folder / "film.txt").read_text(encoding="utf-8") == block.text


@other("guides/video.md", "[[sweep.axis]]", why="the sweep of the file above can run")
def _over_files(session: Session, block: Block) -> None:
    (session.folder / "films.toml").write_text(f"{session.files[-1]}\n{block.text}", encoding="utf-8")
    session.penstock("check", "films.toml")
    assert "a sweep of 2 points" in session.printed

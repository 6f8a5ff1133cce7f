"""Files that are not regular, standard input, damaged directories, and too many runs: refused at once."""

from __future__ import annotations

import io
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Command
from test_bad_input import refused
from test_sweep import SWEEP

from penstock import InputError, Scenario, Sweep, compare, studies
from penstock.analyse.results import Results
from penstock.core.reading import NotRegularError, TooLargeError, read_octets
from penstock.execute.experiment import MOST_WANTED
from penstock.show import page_of

pytestmark = pytest.mark.in_process

needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")

Piped = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def piped(penstock: Command, monkeypatch: pytest.MonkeyPatch) -> Piped:
    """Runs the command with octets on standard input."""

    def run(octets: bytes, *arguments: object) -> subprocess.CompletedProcess[str]:
        with monkeypatch.context() as patched:
            patched.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(octets), encoding="utf-8"))
            return penstock(*arguments)

    return run


@pytest.fixture
def piped_to_new_process(tmp_path: Path) -> Piped:
    """Does the same with the standard input of a new interpreter."""

    def run(octets: bytes, *arguments: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "penstock", *map(str, arguments)]
        done = subprocess.run(command, input=octets, cwd=tmp_path, capture_output=True, timeout=600, check=False)
        return subprocess.CompletedProcess(command, done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture(scope="module")
def swept_once(small_text: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a finished sweep, whose scenario came from standard input."""
    folder = tmp_path_factory.mktemp("swept")
    command = [sys.executable, "-m", "penstock", "sweep", "-", "--jobs", "1", "--quiet"]
    subprocess.run(command, input=(small_text + SWEEP).encode(), cwd=folder, stdout=subprocess.DEVNULL, check=True)
    return folder / "out" / "stdin"


@pytest.fixture
def swept(swept_once: Path, tmp_path: Path) -> Path:
    """A copy of it, to spoil, where the command looks for it."""
    return shutil.copytree(swept_once, tmp_path / "out" / "stdin")


# ------------------------------------------------------------------------------------------------ not a regular file
def spoil(path: Path) -> None:
    """Puts a pipe without a writer in the place of a file."""
    path.unlink(missing_ok=True)
    os.mkfifo(path)


@needs_pipes
@pytest.mark.parametrize("command", [["check"], ["run"], ["sweep"], ["compare", "queueing/buffer-size"]], ids=" ".join)
def test_a_pipe_is_no_scenario(penstock: Command, tmp_path: Path, command: list[str]) -> None:
    spoil(tmp_path / "pipe.toml")
    refused(penstock(*command, "pipe.toml"), "pipe.toml: this is a pipe", "standard input")


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="needs devices")
@pytest.mark.parametrize("name", ["/dev/null", "/dev/zero", "/dev/tty"])
def test_a_device_is_no_scenario(penstock: Command, name: str) -> None:
    refused(penstock("check", name), name, "this is a device")


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="needs sockets with names")
def test_a_socket_is_no_scenario(penstock: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the name of a socket is short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket.toml")
        refused(penstock("check", "socket.toml"), "this is a socket")


@needs_pipes
def test_a_pipe_is_no_file_of_frames(penstock: Command, small_text: str, tmp_path: Path) -> None:
    text = small_text.replace('poisson = { rate = "1 Mb/s" }', 'replay = { file = "frames", frames_per_second = 25 }')
    assert text != small_text
    (tmp_path / "video.toml").write_text(text, encoding="utf-8")
    spoil(tmp_path / "frames")
    told = refused(penstock("run", "video.toml"), "video.toml", "frames: this is a pipe", "a file of frame sizes")
    assert "standard input" not in told
    (tmp_path / "-").write_text("no number\n", encoding="utf-8")
    (tmp_path / "video.toml").write_text(text.replace('"frames"', '"-"'), encoding="utf-8")
    assert "is not a frame size" in refused(penstock("run", "video.toml")), "here - is an ordinary name"


@needs_pipes
@pytest.mark.parametrize("name", ["store.json", "experiment.json", "plan.parquet"])
@pytest.mark.parametrize("command", [["report"], ["runs", "list"], ["runs", "export"]], ids=" ".join)
def test_a_pipe_in_a_directory_of_runs_is_told(penstock: Command, swept: Path, command: list[str], name: str) -> None:
    spoil(swept / name)
    refused(penstock(*command, swept), name)


@needs_pipes
@pytest.mark.parametrize("name", ["seal.json", "groups.parquet", "runs.parquet"])
def test_a_pipe_in_a_segment_is_damage(
    penstock: Command, piped_to_new_process: Piped, small_text: str, swept: Path, name: str
) -> None:
    segment = next(iter((swept / "segments").iterdir()))
    spoil(segment / name)
    exported = penstock("runs", "export", swept, "--table", "runs" if name == "runs.parquet" else "groups")
    assert exported.returncode == 1
    assert f"{name}: this is a pipe" in exported.stderr
    again = piped_to_new_process((small_text + SWEEP).encode(), "sweep", "-", "--resume", "--jobs", 1)
    assert again.returncode == 0
    assert f"{name}: this is a pipe" in again.stderr


@needs_pipes
def test_a_pipe_for_a_lock_is_told(piped: Piped, small_text: str, swept: Path) -> None:
    spoil(swept / "lock")
    refused(piped((small_text + SWEEP).encode(), "sweep", "-", "--resume"), "lock", "this is a pipe")


@needs_pipes
@pytest.mark.parametrize("command", [["report"], ["runs", "export"]], ids=" ".join)
def test_nothing_takes_the_place_of_a_pipe(penstock: Command, swept: Path, tmp_path: Path, command: list[str]) -> None:
    os.mkfifo(tmp_path / "pipe")
    refused(penstock(*command, swept, "--out", "pipe"), "pipe", "not a regular file", "redirect")
    assert (tmp_path / "pipe").is_fifo()


def test_a_file_that_cannot_be_written_is_told(penstock: Command, swept: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for command in (["report"], ["runs", "export"]):
        for name in ("missing/file", "file/below", "x" * 300, str(tmp_path)):
            refused(penstock(*command, swept, "--out", name))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "out"]


def test_a_file_is_read_within_its_bound(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * 100)
    assert read_octets(tmp_path / "file", 100) == b"x" * 100
    with pytest.raises(TooLargeError) as raised:
        read_octets(tmp_path / "file", 99)
    assert raised.value.octets == 100
    with pytest.raises(NotRegularError) as other:
        read_octets(tmp_path, 99)
    assert other.value.what == "a directory"
    with pytest.raises(FileNotFoundError):
        read_octets(tmp_path / "missing", 99)


# ------------------------------------------------------------------------------------------------ standard input
def test_standard_input_is_a_scenario(
    piped_to_new_process: Piped, penstock: Command, small_text: str, small_file: Path
) -> None:
    piped = piped_to_new_process
    text = small_text.encode()
    assert piped(text, "check", "-").stdout == "stdin: valid\n"
    assert piped(text, "check", "-", "--set", "flow.steady.count=4", "--defaults").stdout.count("count = 4") == 1
    of_file, of_stdin = penstock("run", small_file, "--json"), piped(text, "run", "-", "--json")
    one, two = json.loads(of_file.stdout), json.loads(of_stdin.stdout)
    assert one["groups"] == two["groups"]
    assert two["manifest"]["name"] == "stdin"


def test_a_sweep_from_standard_input_says_how_it_was_run(penstock: Command, swept: Path) -> None:
    assert json.loads((swept / "experiment.json").read_text(encoding="utf-8"))["details"]["words"] == ["-"]
    assert penstock("report", swept).returncode == 0
    page = (swept / "report.html").read_text(encoding="utf-8")
    assert f"penstock sweep - --out {swept}" in page


def test_a_sweep_from_standard_input_is_checked(piped: Piped, small_text: str) -> None:
    assert piped((small_text + SWEEP).encode(), "check", "-").stdout == "stdin: valid, a sweep of 6 points\n"
    bad = (small_text + SWEEP).replace("[1, 2, 3]", "[1, 2, -3]")
    line = bad[: bad.index("-3]")].count("\n") + 1
    refused(piped(bad.encode(), "check", "-"), f"stdin, line {line}", "sweep.axis[0].flow.steady.count = -3")


def test_standard_input_is_compared_with_a_file(piped: Piped, small_text: str, small_file: Path) -> None:
    done = piped(small_text.encode(), "compare", "-", small_file.name, "--replications", 2, "--out", "compared")
    assert done.returncode == 0
    details = json.loads((small_file.parent / "compared" / "experiment.json").read_text(encoding="utf-8"))["details"]
    assert details["words"] == ["-", small_file.name]
    assert list(details["scenarios"]) == ["stdin", "small"]


def test_standard_input_cannot_be_given_twice(piped: Piped, small_text: str) -> None:
    refused(piped(small_text.encode(), "compare", "-", "-"), "FILE = -", "twice")


@pytest.mark.parametrize(
    ("octets", "words"),
    [
        (b"", ["stdin", "empty"]),
        (b"duration = 'x'\n\x80\x81", ["stdin, line 2", "UTF-8"]),
        (b"\x7fELF\x02\x01\x01\x00\x00\x00", ["stdin", "binary"]),
        (b"duration = 3", ["stdin, line 1", "duration"]),
        (b"#" * 1_000_001, ["stdin", "1,000,000 octets"]),
    ],
    ids=["empty", "binary tail", "ELF", "bad value", "endless"],
)
def test_bad_standard_input(piped: Piped, octets: bytes, words: list[str]) -> None:
    for command in ("check", "run", "sweep"):
        refused(piped(octets, command, "-"), *words)


@pytest.mark.skipif(os.name != "posix", reason="closes a descriptor in a shell")
def test_standard_input_that_is_closed_is_told(tmp_path: Path) -> None:
    command = ["sh", "-c", 'exec "$0" -m penstock check - <&-', sys.executable]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)
    refused(done, "stdin: the file cannot be read")


# ------------------------------------------------------------------------------------------------ experiment.json
SPOILT: list[object] = [
    [],
    {},
    {"kind": "os"},
    {"kind": "sweep_figures"},
    {"kind": "settings"},
    {"kind": "../sweep"},
    {"kind": "x" * 10_000},
    {"kind": ["sweep"]},
    {"kind": None},
    {"name": 3},
    {"complete": "yes"},
    {"details": []},
    {"details": {}},
    {"details": {"scenario": {}, "sweep": 3, "file": ""}},
    {"failures": {}},
    {"kind": "study"},
    {"kind": "comparison"},
    {"kind": "league"},
    {"kind": "league", "details": {"league": {}, "file": ""}},
    {"kind": "league", "details": {"league": {"schemes": "all", "networks": {"a": {"flow": 3}}}, "file": ""}},
    {"kind": "league", "details": {"league": {"schemes": "all", "networks": {"a": {"traffics": 3}}}, "file": ""}},
    {"kind": "study", "details": {"figure": 3, "seeds": 1}},
    {"kind": "study", "name": "os", "details": {"figure": None, "seeds": 1}},
    {"kind": "study", "name": "satellite", "details": {"figure": None, "seeds": -1}},
    {"kind": "study", "name": "satellite", "details": {"figure": "no", "seeds": 1}},
]


def test_what_no_experiment_wrote_is_told(penstock: Command, swept: Path) -> None:
    file = swept / "experiment.json"
    sound = json.loads(file.read_text(encoding="utf-8"))
    for spoilt in SPOILT:
        kept = {**sound, **spoilt} if isinstance(spoilt, dict) and spoilt else spoilt
        file.write_text(json.dumps(kept), encoding="utf-8")
        with pytest.raises(InputError):
            page_of(Results(swept))
    for octets in (b"", b"\xff\xfe", b"[" * 100_000, b"3", b'"kind"'):
        file.write_bytes(octets)
        with pytest.raises(InputError, match=r"experiment\.json: this is no valid experiment file"):
            Results(swept)
    file.write_text(json.dumps({**sound, "kind": "os"}), encoding="utf-8")
    refused(penstock("report", swept), "experiment.json", 'its kind is "os"', "sweep, comparison, league, study")


@pytest.mark.parametrize("octets", [b"", b"\xff", b"[" * 100_000, b"[]", b'{"format": "x", "penstock": 1}'])
def test_what_no_store_wrote_is_told(tmp_path: Path, octets: bytes) -> None:
    (tmp_path / "store.json").write_bytes(octets)
    with pytest.raises(InputError, match=r"store\.json: this file has no valid format"):
        Results(tmp_path)


def test_a_plan_that_is_none_is_told(penstock: Command, swept: Path) -> None:
    table = next(iter((swept / "segments").iterdir())) / "groups.parquet"
    shutil.copy(table, swept / "plan.parquet")
    refused(penstock("runs", "list", swept), "plan.parquet", "does not have the columns of a plan")
    (swept / "plan.parquet").write_bytes(b"PAR1")
    refused(penstock("report", swept), "plan.parquet", "cannot be read")


# ------------------------------------------------------------------------------------------------ floods of runs
LONG = "{ from = 1, to = 10000000, step = 1 }"


def sweep_of(text: str, axes: int, head: str = "") -> str:
    """A scenario with so many axes of ten million steps, each over its own group."""
    groups = [
        f'[flow.g{number}]\npath = ["left", "right"]\ntraffic.cbr = {{ rate = "1 kb/s" }}' for number in range(axes)
    ]
    tables = [f'[[sweep.axis]]\n"flow.g{number}.count" = {LONG}' for number in range(axes)]
    return "\n".join([text, *groups, f"[sweep]\n{head}", *tables])


@pytest.mark.parametrize(
    ("axes", "head", "told"),
    [
        (1, "replications = 2", "20,000,000 runs"),
        (1, "replications = 4294967295", "42,949,672,950,000,000 runs"),
        (1, "precision = { loss_ratio = 0.1 }", "1,000,000,000 runs"),
        (3, "", "more than 10^18 runs"),
        (50, "", "more than 10^18 runs"),
    ],
)
def test_more_runs_than_any_experiment_has_are_refused(
    small_text: str, tmp_path: Path, axes: int, head: str, told: str
) -> None:
    """A list of them would take all memory."""
    (tmp_path / "flood.toml").write_text(sweep_of(small_text, axes, head), encoding="utf-8")
    with pytest.raises(InputError) as raised:
        Sweep.load(tmp_path / "flood.toml")
    for word in ("flood.toml", "sweep", told, f"{MOST_WANTED:,}", "fewer values"):
        assert word in str(raised.value)


@pytest.mark.parametrize("command", [["check"], ["sweep"], ["sweep", "--yes", "--jobs", "2"]], ids=" ".join)
def test_so_many_runs_cannot_be_confirmed(piped: Piped, small_text: str, tmp_path: Path, command: list[str]) -> None:
    done = piped(sweep_of(small_text, 3).encode(), command[0], "-", *command[1:])
    refused(done, "stdin: sweep: it has more than 10^18 runs")
    assert list(tmp_path.iterdir()) == []


def test_numbers_beyond_all_measure_are_refused_in_python(small: Scenario, tmp_path: Path) -> None:
    axis = {"flow.steady.count": {"from": 1, "to": 2_000_000, "step": 1}}
    pair = {"flow.random.count": {"from": 1, "to": 10_000_000, "step": 1}}
    with pytest.raises(InputError, match="sweep: it has 20,000,000,000,000 runs"):
        Sweep(small, [axis, pair])
    with pytest.raises(InputError, match=r"sweep\.replications"):
        Sweep(small, [axis], replications=2**63)
    with pytest.raises(InputError, match="2,000,000 runs"):
        Sweep(small, [axis]).run(tmp_path)
    many = {str(number): small for number in range(101)}
    with pytest.raises(InputError, match="comparison: it has 10,100,000 runs"):
        compare(many, tmp_path, replications=100_000)
    for seeds in (0, -1, 2**63):
        with pytest.raises(InputError, match=f"seeds = {seeds}: this is out of range"):
            studies.carry_out("satellite", seeds=seeds, out=tmp_path)
    with pytest.raises(InputError, match=r"study: it has [\d,]+ runs"):
        studies.carry_out("satellite", seeds=100_000, out=tmp_path)
    with pytest.raises(InputError, match="jobs = 5000: this is out of range"):
        Sweep(small, [{"flow.steady.count": [1]}]).run(tmp_path, jobs=5000)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "--replications", str(2**63)],
        ["run", "--jobs", str(2**63)],
        ["compare", "queueing/buffer-size", "--replications", str(2**63)],
        ["compare", "queueing/buffer-size", "--jobs", str(2**31)],
    ],
    ids=" ".join,
)
def test_numbers_beyond_all_measure_are_refused(penstock: Command, small_file: Path, arguments: list[str]) -> None:
    refused(penstock(arguments[0], small_file, *arguments[1:]), "out of range")


@pytest.mark.parametrize("arguments", [["--seeds", str(2**63)], ["--seeds", "100000"], ["--jobs", str(2**63)]])
def test_numbers_beyond_all_measure_are_refused_of_a_study(penstock: Command, arguments: list[str]) -> None:
    refused(penstock("reproduce", "satellite", *arguments))


def test_more_paths_than_a_sweep_may_have_are_refused(small_text: str, tmp_path: Path) -> None:
    """Each is compared with every other: twenty thousand took many minutes."""
    axes = "".join(f'[[sweep.axis]]\n"p{number}" = [1]\n' for number in range(20_000))
    (tmp_path / "wide.toml").write_text(f"{small_text}\n{axes}", encoding="utf-8")
    with pytest.raises(InputError, match=r"sweep\.axis = 20000 paths: the axes of a sweep have at most 1000 paths"):
        Sweep.load(tmp_path / "wide.toml")


def test_nothing_is_written_over_the_files_of_an_experiment(penstock: Command, swept: Path) -> None:
    segment = next(iter((swept / "segments").iterdir()))
    for command in (["report"], ["runs", "export"]):
        for file in (swept / "plan.parquet", swept / "experiment.json", segment / "seal.json", segment / "new"):
            refused(penstock(*command, swept, "--out", file), file.name, "this file is read")
    assert penstock("runs", "export", swept, "--out", swept / "groups.csv").returncode == 0

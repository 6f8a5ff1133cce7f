"""Every bad input: one paragraph with value, place, reason and remedy; status 2; nothing written."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]


# A refusal needs no process of its own; `test_a_refusal_is_the_status_of_the_process` has one.
pytestmark = pytest.mark.in_process


def refused(done: subprocess.CompletedProcess[str], *words: str) -> str:
    """Checks the form of a refusal and that it has ``words``; returns its text."""
    told = done.stderr
    assert done.returncode == 2, told
    assert done.stdout == ""
    assert told.startswith("penstock: ")
    assert told.count("\n") == 1
    assert told.endswith("\n")
    assert "Traceback" not in told
    for word in words:
        assert word in told, f"{word!r} is not in {told!r}"
    return told


REPLACEMENTS = [
    pytest.param("duration", "durations", ["line 2", "durations", "`duration`"], id="misspelt key at the top"),
    pytest.param("delay =", "dely =", ["line 7", "line.trunk.dely", "`delay`"], id="misspelt key of a line"),
    pytest.param("count = 2", "colour = 2", ["line 11", "flow.steady.colour", "count"], id="unknown key"),
    pytest.param("drop_tail", "drop_tale", ["line 8", "drop_tale", "`drop_tail`"], id="misspelt keyword"),
    pytest.param("traffic.cbr", "traffic.crb", ["line 13", "crb", "cbr"], id="misspelt traffic"),
    pytest.param('"2 Mb/s"', '"2 ms"', ["line 6", "line.trunk.rate", "2 ms"], id="wrong unit"),
    pytest.param('"2 Mb/s"', '"2"', ["line 6", "line.trunk.rate"], id="no unit"),
    pytest.param('"2 Mb/s"', "2000000", ["line 6", "line.trunk.rate", "2000000"], id="bare number"),
    pytest.param('"2 Mb/s"', '"-2 Mb/s"', ["line 6", "line.trunk.rate", "-2 Mb/s"], id="negative rate"),
    pytest.param('"2 Mb/s"', '"0 Mb/s"', ["line 6", "line.trunk.rate", "0 Mb/s"], id="zero rate"),
    pytest.param('rate = "300 kb/s"', 'rate = "0 b/s"', ["flow.steady.traffic.cbr.rate"], id="zero traffic"),
    pytest.param(
        'drop_tail = { size = "50 cells" }',
        'clp_threshold = { size = "50 cells", threshold = "51 cells" }',
        ["line 8", "threshold", "51"],
        id="threshold above the size",
    ),
    pytest.param(
        'delay = "5 ms"',
        "congestion_point.class_rates = { share = 1.5 }",
        ["line 7", "share", "1.5"],
        id="share above 1",
    ),
    pytest.param("count = 2", "count = 0", ["line 11", "flow.steady.count"], id="no flows"),
    pytest.param(
        'path = ["left", "right"]\ntraffic.cbr', "path = []\ntraffic.cbr", ["flow.steady.path"], id="no route"
    ),
    pytest.param(
        'path = ["left", "right"]\ntraffic.cbr',
        'path = ["left", "elsewhere"]\ntraffic.cbr',
        ["line 12", "flow.steady.path", "elsewhere"],
        id="missing line",
    ),
    pytest.param(
        'path = ["left", "right"]\ntraffic.cbr',
        'access = { rate = "9 Mb/s" }\ntraffic.cbr',
        ["line 10", "flow.steady.path", "no nodes", "`from` and `to`"],
        id="an access line to nowhere",
    ),
    pytest.param(
        'delay = "5 ms"',
        "",
        ["line 18", "flow.random.reaction_point.rate_factor.round_trip = 0 s", "the 0 s of line.trunk", "10 us"],
        id="a round trip of zero",
    ),
    pytest.param(
        "rate_factor = {}",
        'rate_factor = { round_trip = "9 us" }',
        ["line 18", "flow.random.reaction_point.rate_factor.round_trip", "9 us", "choose at least 10 us"],
        id="too short a round trip",
    ),
    pytest.param(
        'duration = "2 s"',
        'duration = "2 s"\nmeasure.sample = "1 ns"',
        ["line 3", "measure.sample", "1 ns", "2000000000 times", "sample every"],
        id="too many readings",
    ),
    pytest.param(
        'path = ["left", "right"]\ntraffic.cbr',
        f'path = ["left", "{"r" * 900}"]\ntraffic.cbr',
        ["line 12", "flow.steady.path", "no line joins `left` to `rrr", "\u2026"],
        id="a long value",
    ),
    pytest.param("[flow.random]", "[flow.steady]", ["line 15", "duplicate"], id="duplicate name"),
    pytest.param("count = 2", "count = 4000000000", ["line 11", "flow.steady.count"], id="too large for memory"),
    pytest.param('duration = "2 s"', 'duration = "900 days"', ["line 2", "duration"], id="too long"),
    pytest.param("[line.trunk]", "[line.trunk", ["line 4"], id="slip of syntax"),
    pytest.param('duration = "2 s"', "", ["duration"], id="missing key"),
]


@pytest.mark.parametrize(("found", "replaced", "words"), REPLACEMENTS)
@pytest.mark.parametrize("command", ["check", "run"])
def test_bad_scenarios(
    penstock: Command, small_file: Path, command: str, found: str, replaced: str, words: list[str]
) -> None:
    text = small_file.read_text(encoding="utf-8") + "reaction_point.rate_factor = {}\n"
    # A source of notices without any: another fault than the one of the case. The title's line keeps the line numbers.
    text = text.replace(text.splitlines()[0], 'mismatches = "warn"')
    assert found in text
    small_file.write_text(text.replace(found, replaced, 1), encoding="utf-8")
    arguments = ["--out", "results"] if command == "run" else []
    assert len(refused(penstock(command, small_file, *arguments), small_file.name, *words)) < 1500
    assert list(small_file.parent.iterdir()) == [small_file]


@pytest.mark.parametrize(
    ("octets", "words"),
    [
        (b"", ["empty"]),
        (b" \n\t\n", ["empty"]),
        (b"\xef\xbb\xbf", ["empty"]),
        (b"duration = 'x'\n\x80\x81", ["line 2", "UTF-8"]),
        (b"\x7fELF\x02\x01\x01\x00\x00\x00", ["binary"]),
        ("duration = '2 s'".encode("utf-16"), ["UTF-16", "UTF-8"]),
        (b"{}", []),
        (b"a = " + b"[" * 100_000, []),
        (b"x" * 900_000, []),
        (b"'" + b"\xe2\x82\xac" * 10_000, []),
    ],
    ids=["empty", "blank", "mark alone", "binary tail", "ELF", "UTF-16", "JSON", "deep", "one word", "open string"],
)
def test_files_that_are_no_scenario(penstock: Command, tmp_path: Path, octets: bytes, words: list[str]) -> None:
    path = tmp_path / "file.toml"
    path.write_bytes(octets)
    told = refused(penstock("check", path), "file.toml", *words)
    assert len(told) < 1000


def test_a_byte_order_mark_is_no_fault(penstock: Command, small_file: Path) -> None:
    small_file.write_bytes(b"\xef\xbb\xbf" + small_file.read_bytes().replace(b"\n", b"\r\n"))
    assert penstock("check", small_file).returncode == 0


def test_a_huge_file_is_refused_by_its_size(penstock: Command, tmp_path: Path) -> None:
    path = tmp_path / "huge.toml"
    with path.open("wb") as file:
        file.truncate(100_000_000)
    refused(penstock("check", path), "huge.toml", "100,000,000 octets", "1,000,000")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs an endless file")
def test_an_endless_file_is_refused(penstock: Command) -> None:
    refused(penstock("check", "/dev/zero"), "/dev/zero", "device")


def test_a_directory_is_no_scenario(penstock: Command, tmp_path: Path) -> None:
    refused(penstock("run", tmp_path), str(tmp_path), "directory")


@pytest.mark.parametrize("name", ["missing.toml", "no/such/place", "x" * 5000, "", "satellite"])
def test_missing_files(penstock: Command, name: str) -> None:
    refused(penstock("run", name))


def test_a_misspelt_ready_scenario_is_guessed(penstock: Command) -> None:
    refused(penstock("run", "satelite/1-case-2"), 'did you mean "satellite/1-case-2"?')
    refused(penstock("run", "nothing like it"), "`penstock scenarios`")


@pytest.mark.parametrize("option", ["--seed", "--replications", "--jobs"])
@pytest.mark.parametrize("value", ["-1", "1.5", "one", "", "1e3", "0x10", "1_000", "9" * 5000, "\u0663"])
def test_numbers_that_are_none(penstock: Command, small_file: Path, option: str, value: str) -> None:
    refused(penstock("run", small_file, option, value), option, "whole number")


@pytest.mark.parametrize(
    ("option", "value"),
    [("--seed", str(2**64)), ("--replications", "0"), ("--replications", "100000000"), ("--jobs", "0")],
)
def test_numbers_out_of_range(penstock: Command, small_file: Path, option: str, value: str) -> None:
    refused(penstock("run", small_file, option, value), f"{option} = {value}", "out of range", "give a whole number")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("flow.stedy.count=3", ["flow.stedy.count", 'did you mean "steady"?']),
        ("flow.steady.cuont=3", ["flow.steady.cuont", "`count`"]),
        ("flow.steady.count=many", ["flow.steady.count", "many"]),
        ("line.trunk.rate=3 ms", ["line.trunk.rate", "3 ms"]),
        ("flow.steady.path[9]=x", ["2 entries"]),
        ("flow.steady.count", ["--set", 'write PATH=VALUE, as --set "duration=10 s"']),
        ("=3", ["not a path"]),
        ("flow[0]=3", ['there is no "[0]"']),
    ],
)
def test_bad_changes(penstock: Command, small_file: Path, change: str, words: list[str]) -> None:
    refused(penstock("run", small_file, "--set", change), *words)


def test_an_output_that_is_a_file(penstock: Command, small_file: Path) -> None:
    before = small_file.read_bytes()
    refused(penstock("run", small_file, "--out", small_file), small_file.name, "not a directory")
    refused(penstock("run", small_file, "--out", small_file / "below"), small_file.name)
    assert small_file.read_bytes() == before


@pytest.mark.skipif(not Path("/proc").exists(), reason="needs a directory that even root cannot write to")
def test_an_output_directory_that_cannot_be_written(penstock: Command, small_file: Path) -> None:
    refused(penstock("run", small_file, "--out", "/proc/results"), "/proc/results", "nothing can be written")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_an_output_directory_without_rights(penstock: Command, small_file: Path) -> None:
    folder = small_file.parent / "closed"
    folder.mkdir(mode=0o500)
    refused(penstock("run", small_file, "--out", folder), "closed", "nothing can be written")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["COMMAND"]),
        (["rnu"], ['did you mean "run"?']),
        (["run"], ["FILE|NAME"]),
        (["run", "x", "--sed", "1"], ["--sed", 'did you mean "--seed"?']),
        (["import", "x", "--rates", "capacity"], ["--rates", 'did you mean "--rate"?']),
        (["runs", "export", "x", "--formt", "csv"], ["--formt", 'did you mean "--format"?']),
        (["check", "x", "--format", "csv"], ["--format", "`penstock run`", "`penstock check` does not"]),
        (["league", "x", "--trials=3"], ["--trials", "`penstock search` has this option, `penstock league` does not"]),
        (["schema", "--wide"], ["--wide", "`penstock scenarios`", "more have this option, `penstock schema` does not"]),
        (["run", "x", "--seed"], ["--seed", "expected one argument"]),
        (["run", "x", "y"], ["y"]),
        (["check", "x", "--log-level", "loud"], ["loud", "debug"]),
        (["reproduce", "satellite", "--quick", "--full"], ["not allowed with"]),
        (["reproduce", "satellite", "--jobs", "0"], ["--jobs = 0"]),
        (["reproduce", "satellite", "--figure", "3"], ["3"]),
        (["reproduce", "satellite", "--figure", "x"], ["x"]),
        (["reproduce"], ["STUDY"]),
    ],
    ids=" ".join,
)
def test_bad_commands(penstock: Command, tmp_path: Path, arguments: list[str], words: list[str]) -> None:
    refused(penstock(*arguments), *words)
    assert list(tmp_path.iterdir()) == []


def test_a_refusal_is_the_status_of_the_process(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "penstock", "run", "missing.toml"]
    refused(subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False), "missing.toml")

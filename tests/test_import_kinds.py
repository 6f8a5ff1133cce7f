"""Which of its three kinds a file has that `penstock import` reads: a network, packets, or the rate of a line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from conftest import Command

from penstock import import_trace

pytestmark = pytest.mark.in_process

GRAPHML = '<?xml version="1.0"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph id="a"/></graphml>\n'
SNDLIB = "?SNDlib native format; type: network; version: 1.0\n"


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_TRACES", str(tmp_path / "traces"))


@pytest.mark.parametrize(
    ("name", "content", "asked", "said"),
    [
        ("a.csv", "1\n5\n5\n", ["--line", "cell", "--exact"], "# 3 opportunities of a.csv in 0.005 s."),
        ("a.tsv", "1\n5\n5\n", [], "--line: the rates are those of a line; write --line NAME"),
        ("a.csv", "1\n5\n", ["--time", "1:ms"], "this option is for packets, and a.csv has the rate of a line"),
        ("a.csv", "1,60\n5,60\n", ["--line", "cell"], "this option is for the rate of a line, and a.csv has packets"),
        ("a.csv", GRAPHML, ["--rate", "x"], "looks like GraphML, and its name ends in .csv; give it a name that ends"),
        ("a.csv", GRAPHML, [], "looks like GraphML, and its name ends in .csv; give it a name that ends in .graphml"),
        ("a.csv", SNDLIB, ["--where", "n > 1"], "this option is for packets, and a.csv has a network; delete it"),
        ("a.csv", "NODES 3,60\n5,60\n", ["--time", "1:s", "--size", "2:octets"], "a.csv, line 1: NODES 3: this is no"),
    ],
)
def test_what_a_file_has_is_said_by_what_is_in_it(
    name: str, content: str, asked: list[str], said: str, tmp_path: Path, penstock: Command
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    done = penstock("import", str(tmp_path / name), *asked)
    assert said in (done.stdout + done.stderr).replace(f"{tmp_path}/", "")


@pytest.mark.parametrize(
    ("content", "asked", "said"),
    [
        (
            GRAPHML,
            [],
            "stdin: this looks like a network: standard input has packets; save it as a file, and import that",
        ),
        (
            GRAPHML,
            ["--rate", "x"],
            "--rate = x: this option is for a network, and standard input has packets; delete it, or save a network as",
        ),
        (
            "1\n5\n",
            ["--line", "a", "--exact"],
            "--line = a: this option is for the rate of a line, and standard input has packets; delete it, or save",
        ),
        ("1,60\n5,61\n", ["--time", "1:s", "--size", "2:octets"], "# 2 packets of 1 flow in 4 s"),
    ],
)
def test_standard_input_has_packets(
    content: str, asked: list[str], said: str, tmp_path: Path, penstock: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = tmp_path / "given"
    given.write_text(content, encoding="utf-8")
    with given.open(encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        done = penstock("import", "-", *asked)
    assert said in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("names", "size", "is_of_frames"),
    [
        ('"No.","Time","Source","Destination","Protocol","Length","Info"', "Length", True),
        ('"No.","Time","Source","Destination","Protocol","Length","Info"', "6", True),
        ("a,Time,b,c,d,frame.len,e", "frame.len", True),
        ("a,Time,b,c,d,Length,e", "Length", False),
        ("a,Time,b,c,d,ip.len,e", "ip.len", False),
    ],
)
def test_the_size_of_a_frame_is_told(names: str, size: str, is_of_frames: bool, tmp_path: Path) -> None:
    file = tmp_path / "packets.csv"
    file.write_text(f'{names}\n"1","0.5","10.0.0.1","10.0.0.2","TCP","74","a > b, [SYN]"\n', encoding="utf-8")
    text = import_trace(file, time="Time:s", size=f"{size}:octets").to_toml()
    assert ("has the size of frames, on Ethernet 14 octets more than that of the IP packet.\n" in text) == is_of_frames

"""`penstock watch`: the scope in a real terminal, read until a state appears, and its numbers."""

from __future__ import annotations

import os
import select
import subprocess
import termios
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from cells import CELLS
from terminal import terminal

from penstock import Scenario, Simulation
from penstock.cli.keys import KEY, NAMES, keys
from penstock.show.player import FASTEST, Player, faster, slower
from penstock.show.samples import DELIVERED, INPUT, LOST, QUEUE, SENT, Key, readings
from penstock.show.scope import PLAIN_BARS, bars, draw, scaled, speed_text

Command = Callable[..., subprocess.CompletedProcess[str]]

PORT = "trunk"
MS = 10**9


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "cells.toml"
    path.write_text(CELLS, encoding="utf-8")
    return path


def fingerprint_at(time: str) -> str:
    sim = Simulation(Scenario.parse(CELLS))
    sim.run_until(time)
    return sim.fingerprint


# ---------------------------------------------------------------------------------------------------- in a terminal
def test_it_stops_where_it_is_told_and_shows_what_happened(file: Path) -> None:
    with terminal("watch", file, "--paused", "--speed", "100 ms", "--at", "50 ms") as shown:
        shown.until("paused   50 ms of 100 ms", "q quit", fingerprint_at("50 ms"))
        assert max(map(len, shown.lines)) <= 80
        rows = [line.replace(PORT, "").split() for line in shown.lines if line.startswith((PORT, " " * 5))]
        told = {row[0]: row[1:] for row in rows if row}
        # 101 cells came, 50 left, 4 wait: 47 are lost, two in three milliseconds at first and then one of two.
        assert told["queue"][:3] == ["4", "cells", "4"]
        # Two cells a millisecond, and that of 0 s in the first column of 10 ms.
        assert told["input"][:4] == ["848", "kb/s", "890.4", "kb/s"]
        assert told["lost"][:5] == ["47", "in", "all", "1", "k/s"]
        shown.press("s")
        shown.until("paused   50.5 ms of", fingerprint_at("50.5 ms"))
        shown.press("j10 ms\r")
        shown.until("paused   10 ms of", fingerprint_at("10 ms"))
        shown.press("q")
        assert shown.finish() == 0
        assert f"cells: 10 ms, seed 1, fingerprint {fingerprint_at('10 ms')}" in shown.text


def test_it_plays_to_the_end_and_pauses(file: Path) -> None:
    whole = fingerprint_at("100 ms")
    with terminal("watch", file, "--paused", "--speed", "10 s") as shown:
        shown.until("paused   0 s of 100 ms")
        shown.press(" ")
        shown.until("ended    100 ms of 100 ms", whole)
        shown.press("j20 ms\r")
        shown.until("paused   20 ms of 100 ms")
        shown.press("q")
        assert shown.finish() == 0


def test_the_speed_changes_while_it_plays(file: Path) -> None:
    with terminal("watch", file, "--speed", "10 ps") as shown:
        shown.until("plays", "10 ps/s")
        shown.press("+")
        shown.until("20 ps/s")
        shown.press("\x1b[A\x1b[A-")
        shown.until("50 ps/s")
        shown.press(" ")
        shown.until("paused")
        shown.press("q")
        assert shown.finish() == 0


def test_a_wrong_time_is_refused_and_typing_can_be_undone(file: Path) -> None:
    with terminal("watch", file, "--paused") as shown:
        shown.until("paused", "q quit")
        shown.press("jsoon")
        shown.until("jump to: soon_")
        shown.press("\r")
        shown.until("soon: this is no time; write a number and a unit")
        shown.press("j30 msq\x7f\r")
        shown.until("paused   30 ms of")
        shown.press("j1")
        shown.until("jump to: 1_")
        shown.press("\x1b")
        shown.until("s step")
        shown.press("q")
        assert shown.finish() == 0


def test_it_follows_the_size_of_the_terminal(file: Path) -> None:
    with terminal("watch", file, "--paused", "--at", "90 ms", "--speed", "10 ms") as shown:
        shown.until("90 ms of", "q quit")
        narrow = max(map(len, shown.lines))
        shown.resize(120, 30)
        shown.until("the last 79 ms")
        shown.until_line(29, "q quit")
        assert narrow == 80 < max(map(len, shown.lines)) <= 120
        shown.resize(40, 6)
        shown.until("The terminal is too small")
        shown.resize(80, 24)
        shown.until("the last 39 ms", "q quit")
        shown.press("q")
        assert shown.finish() == 0


def test_ctrl_c_ends_it_and_leaves_the_terminal_as_it_was(file: Path) -> None:
    with terminal("watch", file, "--paused") as shown:
        before = termios.tcgetattr(shown.end)
        shown.until("paused", "q quit")
        assert termios.tcgetattr(shown.end) != before
        shown.press("\x1a")  # Ctrl-Z does nothing
        shown.press("\x03")
        assert shown.finish() == 130
        assert termios.tcgetattr(shown.end) == before
        assert "penstock: interrupted" in shown.text


def test_a_key_that_ctrl_c_takes_back_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    # The terminal drops what was typed as it sends the signal. A read that then waits for the next key hears neither.
    own, other = os.openpty()
    with os.fdopen(own, "r+b", 0), os.fdopen(other, encoding="utf-8") as terminal:
        monkeypatch.setattr("sys.stdin", terminal)
        wait = select.select

        def wait_and_drop(*files: Any) -> object:
            ready = wait(*files)
            termios.tcflush(other, termios.TCIFLUSH)
            return ready

        with keys() as pressed:
            os.write(own, b"x")
            with monkeypatch.context() as interrupted:
                interrupted.setattr("select.select", wait_and_drop)
                assert pressed(60) == []
            os.write(own, b"y\x1b[A")
            assert pressed(60) == ["y", "up"]


def test_a_terminal_that_is_gone_ends_the_input(monkeypatch: pytest.MonkeyPatch) -> None:
    own, other = os.openpty()
    with os.fdopen(other, encoding="utf-8") as terminal:
        monkeypatch.setattr("sys.stdin", terminal)
        with suppress(termios.error), keys() as pressed:
            os.close(own)
            assert pressed(60) == ["end"]


def test_it_says_when_the_machine_cannot_hold_the_speed(tmp_path: Path) -> None:
    long = tmp_path / "long.toml"
    long.write_text(CELLS.replace('"100 ms"', '"1000000 s"'), encoding="utf-8")
    with terminal("watch", long, "--speed", "1000000 s") as shown:
        shown.until("this machine cannot hold 1000000 s/s: it reaches")
        shown.press("q")
        assert shown.finish() == 0


def test_without_a_terminal_it_says_what_to_use(penstock: Command, file: Path) -> None:
    done = penstock("watch", file)
    assert (done.returncode, done.stdout) == (2, "")
    assert "is no terminal; use `penstock run`" in done.stderr
    with terminal("watch", file, TERM="dumb") as shown:
        assert shown.finish() == 2
        assert "TERM = dumb: this terminal cannot be drawn on" in " ".join(shown.text.split())


def test_a_scenario_on_standard_input_is_refused() -> None:
    with terminal("watch", "-", columns=200) as shown:
        assert shown.finish() == 2
        assert "watch = -: standard input is for the keys; write the scenario to a file" in shown.text


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--speed", "fast"], "--speed = fast: this is no speed"),
        (["--speed", "1 ps"], "--speed = 1 ps: this is no speed"),
        (["--at", "noon"], "noon: this is no time"),
        (["--set", "flow.data.cuont=2"], "flow.data.cuont = 2"),
        (["--seed", "x"], "--seed = 'x'"),
    ],
)
def test_wrong_arguments_are_refused(file: Path, arguments: list[str], why: str) -> None:
    with terminal("watch", file, *arguments, columns=200) as shown:
        assert shown.finish() == 2
        assert why in shown.text


# --------------------------------------------------------------------------------------------------------- numbers
def player(more: str = "", **changes: object) -> Player:
    scenario = Scenario.parse(CELLS.replace('"100 ms"', f'"100 ms"\n{more}'))
    return Player(scenario.with_(changes) if changes else scenario, 1, speed=20 * MS)


def test_the_columns_are_those_of_the_run_by_hand() -> None:
    one = player()
    assert one.column == 2 * MS
    one.go_to("10 ms")
    one.work(float("inf"))
    samples = one.samples
    # Cells of 0, 0.5, .. 10 ms: five in the first column of 2 ms, that of 0 s included, and four in each other one.
    assert samples.columns(Key(PORT, INPUT, True), one.column, 6) == [None, 2500.0, 2000.0, 2000.0, 2000.0, 2000.0]
    # After 2, 4, 6, 8 ms: see the tests of conditions.
    assert samples.columns(Key(PORT, QUEUE, True), one.column, 5) == [3.0, 4.0, 4.0, 4.0, 4.0]
    # The cell of 3.5 ms is the first that is lost, and then one a millisecond: 1, 3, 5, 7 are lost at 4, 6, 8, 10 ms.
    assert samples.columns(Key(PORT, LOST, True), one.column, 5) == [0.0, 500.0, 1000.0, 1000.0, 1000.0]
    assert samples.columns(Key("data", LOST, False), one.column, 5) == [0.0, 500.0, 1000.0, 1000.0, 1000.0]
    # Sent are 1 cell at 0 s and 4 in each column; delivered those that left by 3, 5, 7 ms, one a millisecond.
    assert samples.columns(Key("data", SENT, False), one.column, 3) == [2000.0] * 3
    assert samples.columns(Key("data", DELIVERED, False), one.column, 4) == [500.0, 1000.0, 1000.0, 1000.0]


def test_a_column_between_two_samples_has_its_part() -> None:
    one = player()
    one.go_to("10 ms")
    one.work(float("inf"))
    halves = one.samples.columns(Key(PORT, INPUT, True), MS, 4)
    assert halves == [2000.0] * 4
    assert one.samples.columns(Key(PORT, LOST, True), MS, 8)[:4] == [500.0, 500.0, 1000.0, 1000.0]


def test_other_readings_with_queue_in_their_name_are_no_queue() -> None:
    dumbbell = {"pairs": 2, "rate": "10 Mb/s", "delay": "1 ms"}
    tree = {"duration": "20 ms", "scheme": "erica_plus", "network": {"dumbbell": dumbbell}}
    sim = Simulation(tree)
    sim.run_until("10 ms")
    port = {quantity: value for component, quantity, value in sim.values() if component == "trunk"}
    assert port["queue_control"] > 0
    assert readings(sim)[Key("trunk", QUEUE, True)] == port["queue_0"]


def test_totals_go_on_at_the_end_of_warm_up() -> None:
    one = player('warm_up = "5 ms"')
    one.go_to("20 ms")
    one.work(float("inf"))
    assert one.samples.columns(Key(PORT, INPUT, True), 4 * MS, 4) == pytest.approx([2000.0] * 4, rel=0.13)
    stepped = player('warm_up = "5 ms"')
    while stepped.now < 20 * MS:
        stepped.step()
    assert stepped.sim.fingerprint == one.sim.fingerprint
    key = Key(PORT, LOST, True)
    assert stepped.samples.values[key][-1] == one.samples.values[key][-1] == 17


def test_what_was_seen_does_not_depend_on_how_it_was_reached() -> None:
    straight, detour = player(), player()
    straight.go_to("60 ms")
    straight.work(float("inf"))
    for goal in ("80 ms", "10 ms", "60 ms"):
        detour.go_to(goal)
        detour.work(float("inf"))
    assert straight.sim.fingerprint == detour.sim.fingerprint
    assert draw(straight, 80, 24, "").plain == draw(detour, 80, 24, "").plain


def test_it_plays_by_the_clock() -> None:
    now = [100.0]
    one = player()
    one.clock = lambda: now[0]
    one.play()
    for seconds, at in [(0.0625, 0), (0.125, 2), (0.375, 6), (1.0, 20)]:
        now[0] = 100.0 + seconds
        one.work(float("inf"))
        assert one.now == at * MS
    one.set_speed(50 * MS)
    now[0] = 101.5
    one.work(float("inf"))
    assert (one.now, one.reached) == (45 * MS, None)
    one.pause()
    now[0] = 200.0
    one.work(float("inf"))
    assert one.now == 45 * MS
    one.play()
    now[0] = 300.0
    one.work(float("inf"))
    assert one.sim.has_ended
    assert not one.is_playing


def test_bars_begin_at_zero() -> None:
    assert bars([None, 0.0, 1e-9, 1.0, 3.5, 7.0]) == " ▁▂▂▅█"
    assert bars([0.0, 0.0]) == "▁▁"
    assert bars([None, 0.0, 4.0], PLAIN_BARS) == " _#"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0 b/s"), (999.0, "999 b/s"), (848e3, "848 kb/s"), (5.4783e6, "5.478 Mb/s"), (2e10, "20 Gb/s")],
)
def test_rates_have_a_suitable_unit(value: float, text: str) -> None:
    assert scaled(value, "b/s") == text


def test_speeds_are_1_2_5() -> None:
    assert [faster(10), faster(15), faster(2 * MS), faster(FASTEST)] == [20, 20, 5 * MS, FASTEST]
    assert [slower(10), slower(15), slower(2 * MS)] == [10, 10, MS]
    assert [speed_text(5 * MS), speed_text(10**12), speed_text(123456.0), speed_text(0.0)] == [
        *("5 ms/s", "1 s/s", "123 ns/s", "0 s/s"),
    ]


def test_a_low_terminal_shows_what_fits() -> None:
    one = player()
    one.go_to("50 ms")
    one.work(float("inf"))
    tall, low = draw(one, 80, 24, "").plain.splitlines(), draw(one, 60, 8, "a message").plain.splitlines()
    assert (len(tall), len(low)) == (24, 8)
    assert max(map(len, low)) <= 60
    assert "... and 4 rows more, in a taller terminal" in low
    assert low[-2] == "a message"


def test_a_low_terminal_leaves_out_what_tells_least() -> None:
    one = Player(Scenario.load("abr/gfc-2-erica"), 1)
    one.go_to("1 s")
    one.work(float("inf"))
    shown = draw(one, 100, 24, "").plain.splitlines()
    ports = [line.split()[0] for line in shown if " queue " in line]
    values = one.samples.values
    longest = {key.of: max(lengths) for key, lengths in values.items() if key.quantity == QUEUE}
    assert ports
    assert min(longest[port] for port in ports) >= max(longest[port] for port in longest if port not in ports)
    assert any(" sent " in line for line in shown)
    assert len(shown) == 24
    again = Player(Scenario.load("abr/gfc-2-erica"), 1)
    again.go_to("1 s")
    again.work(float("inf"))
    assert draw(again, 100, 24, "").plain.splitlines() == shown


def test_rates_are_shown_in_warm_up_too() -> None:
    one = player('warm_up = "50 ms"')
    one.go_to("10 ms")
    one.work(float("inf"))
    assert "inf" not in draw(one, 80, 24, "").plain
    assert "nan" not in draw(one, 80, 24, "").plain
    assert one.sim.table("groups")["throughput_bps"].to_list() == [None]


def test_keys_have_names() -> None:
    found = [NAMES.get(key, key) for key in KEY.findall("a\x1b[A\x1bOC\x1b[1;5D \r\x1b")]
    assert found == ["a", "up", "right", "\x1b[1;5D", " ", "enter", "escape"]

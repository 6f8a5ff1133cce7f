"""Lines that change during the run: their geometry, their chances, their refusals, and runs with them."""

from __future__ import annotations

import math
import random
import shlex
import tomllib
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from conftest import Command

from penstock import InputError, Scenario, leo_line, outages, rain_line, run
from penstock.core.quantities import DELAY_UNITS, quantity
from penstock.core.scenario import ready
from penstock.generating.leo import EARTH_KM, LIGHT_KM_S, Orbit, drawn_pass

pytestmark = pytest.mark.in_process
HEIGHT = 550.0


def series(text: str) -> dict[str, list[list[Any]]]:
    """The lists of the series of a text, by the parameter of the line."""
    return {each["path"].rpartition(".")[2]: each["list"] for each in tomllib.loads(text)["series"]}


def ms(text: str) -> float:
    return float(quantity(text, "", DELAY_UNITS)) / 1e6


@pytest.mark.parametrize(
    ("height", "elevation", "range_km", "four_hops_ms"),
    [
        (HEIGHT, 90, 550.0, 7.338),
        (HEIGHT, 60, 626.9, 8.364),
        (HEIGHT, 40, 812.1, 10.835),
        (HEIGHT, 25, 1123.3, 14.987),
        (35_786.0, 90, 35_786.0, 477.48),
    ],
)
def test_a_range_follows_from_height_and_elevation(
    height: float, elevation: float, range_km: float, four_hops_ms: float
) -> None:
    orbit = Orbit(height, elevation)
    found = orbit.range_km(math.cos(orbit.widest))
    assert found == pytest.approx(range_km, abs=0.05)
    assert 4e3 * found / LIGHT_KM_S == pytest.approx(four_hops_ms, abs=0.005)


def test_a_satellite_at_550_km_turns_in_95_minutes() -> None:
    assert 2 * math.pi / Orbit(HEIGHT, 25).turn / 60 == pytest.approx(95.50, abs=0.05)


def test_a_satellite_that_is_taken_stays_above_the_least_elevation() -> None:
    orbit, draw = Orbit(HEIGHT, 40), random.Random(3)
    least = math.cos(orbit.widest) - 1e-12
    places = []
    for _ in range(500):
        taken = drawn_pass(orbit, 15.0, draw)
        assert all(taken.at(orbit.turn * after) >= least for after in (0.0, 5.0, 10.0, 15.0))
        places.append(taken.cosine)
    # Uniform over the cap, the mean of its cosines is the middle; staying prefers no height by much.
    assert fmean(places) == pytest.approx((1 + math.cos(orbit.widest)) / 2, abs=0.002)


def test_the_delay_jumps_at_reconfigurations_and_moves_in_between() -> None:
    found = series(leo_line("sky", handover="100 ms", rates=("50 Mb/s", "150 Mb/s"), duration="60 s", seed=5))
    delays = [ms(value) for _, value in found["delay"]]
    assert [ms(at) for at, _ in found["delay"]] == [1e3 * second for second in range(60)]
    assert all(2 * HEIGHT / LIGHT_KM_S <= delay / 1e3 <= 2 * 1123.4 / LIGHT_KM_S for delay in delays)
    moves = [abs(after - before) for before, after in pairwise(delays)]
    # The orbit's speed over ground and up, at most: 7.6 km a second, twice, at the speed of light.
    fastest_ms = 2e3 * Orbit(HEIGHT, 25).turn * (EARTH_KM + HEIGHT) / LIGHT_KM_S
    assert all(move < fastest_ms for place, move in enumerate(moves, start=1) if place % 15)
    assert all(moves[place - 1] > 0.2 for place in (15, 30, 45))
    breaks = [value for _, value in found["outage"]]
    assert [each["from"] for each in breaks] == ["15 s", "30 s", "45 s"]
    assert [at for at, _ in found["outage"]] == ["0 ns", *(each["to"] for each in breaks[:-1])]
    assert all(0 < ms(each["to"]) - ms(each["from"]) <= 100 for each in breaks)
    assert [at for at, _ in found["rate"]] == ["0 ns", "15 s", "30 s", "45 s"]


def test_a_break_and_a_rate_change_no_satellite() -> None:
    plain = series(leo_line("sky", seed=9))
    other = series(leo_line("sky", handover="1 s", rates=("1 Mb/s", "2 Mb/s"), seed=9))
    assert plain["delay"] == other["delay"] != series(leo_line("sky", seed=10))["delay"]


def test_rain_lasts_as_long_as_its_chain_says() -> None:
    def share(seed: int) -> float:
        text = rain_line("sky", clear="6 Mb/s", rain="2 Mb/s", duration="3000 s", seed=seed)
        changes = [(ms(at), value) for at, value in series(text)["rate"]]
        assert [value for _, value in changes] == (["6 Mb/s", "2 Mb/s"] * len(changes))[: len(changes)]
        ends = [*(at for at, _ in changes[1:]), 3e6]
        wet = sum(end - at for (at, value), end in zip(changes, ends, strict=True) if value == "2 Mb/s")
        assert f"In rain for {wet / 3e4:.1f} % of the time (in a long run 20.0 %" in text
        return wet / 3e6

    # The variance of a share of T is 2 b^2 c^2 / (b + c)^3 / T for the means b, c: three sigma of 20 seeds are .024.
    assert fmean(map(share, range(20))) == pytest.approx(0.2, abs=0.024)


def test_a_comment_tells_when_a_series_ends() -> None:
    for text in (rain_line("sky", clear="6 Mb/s", rain="2 Mb/s", duration="90 s"), leo_line("sky", duration="90 s")):
        assert "# From 90 s on the line keeps the last value: give a longer run its own --duration here.\n" in text


def test_outages_come_from_a_list_or_a_file(tmp_path: Path) -> None:
    wanted = [["0 ns", {"from": "10 s", "to": "12.5 s"}], ["12.5 s", {"from": "20 s", "to": "20.1 s"}]]
    file = tmp_path / "outages.csv"
    file.write_text("from;to\n10;12.5\n# a comment\n\n 20 s  20100 ms\n", encoding="utf-8")
    assert series(outages("sky", file))["outage"] == wanted
    assert outages("sky", file) == outages("sky", [("10 s", "12500 ms"), ("20", "20.1")])
    text = outages("sky", file, list_out=tmp_path / "list.toml")
    assert tomllib.loads((tmp_path / "list.toml").read_text(encoding="utf-8"))["list"] == wanted
    assert 'file = "list.toml"' in text


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"elevation": -1}, r"elevation = -1: this is out of range; give an elevation in degrees from 0 to 89"),
        ({"height_km": float("nan")}, "height_km = nan: this is out of range"),
        ({"every": "200 s"}, r'the longest pass above this elevation takes 269 s.*write "135 s" or less'),
        ({"step": "1 us"}, r'step = 1 us: this is too small; write "1 ms" or more'),
        ({"step": "1 ms", "duration": "1000 s"}, "1,000,000 values, and a series has at most 100,000"),
        ({"handover": "15 s"}, "still be broken at the next reconfiguration"),
        ({"rates": ("2 Mb/s", "1 Mb/s")}, "the least rate is above the largest"),
        ({"duration": "5"}, "duration = 5: this number has no unit"),
        ({"seed": -1}, "seed = -1: this is out of range"),
    ],
)
def test_a_satellite_that_cannot_be_is_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        leo_line("sky", **options)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"rain": "6 Mb/s"}, 'rain takes away of the clear rate, 6 Mb/s; write less than "6 Mb/s"'),
        ({"rain": "0 Mb/s"}, "rain = 0 Mb/s: this is too small"),
        ({"rain": "1 Mb/s", "clear_time": "1 ms", "rain_time": "1 ms"}, "a series has at most 100,000"),
    ],
)
def test_rain_that_cannot_be_is_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        rain_line("sky", clear="6 Mb/s", **options)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("10,9\n", "line 1: 9 is not after 10"),
        ("10,12\n11,13\n", "line 2: 11 is before the end of the outage before"),
        ("10\n", "line 1: this is not two times: 10"),
        ("from,to\n10,x\n", "line 2: x: this is not a number"),
        ("# nothing\n", "there are no outages"),
    ],
)
def test_outages_that_cannot_be_are_refused_with_their_line(text: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / "outages.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=told):
        outages("sky", file)


def test_what_a_broken_line_loses_is_what_it_was_sent_meanwhile() -> None:
    scenario = f"""
duration = "10 s"
[line.sky]
between = ["A", "B"]
rate = "12 Mb/s"
delay = "1 ms"
queues = [{{ drop_tail = {{ size = "100 cells" }} }}]
[flow]
all = {{ path = ["A", "B"], octets = 1500, traffic.cbr = {{ rate = "6 Mb/s", start = "0 s" }} }}
{outages("sky", [("2 s", "2.1 s"), ("4 s", "4.05 s")])}"""
    groups = run(Scenario.parse(scenario)).groups
    assert groups["lost"].to_list() == [75]  # one packet in 2 ms, for 150 ms


@pytest.mark.parametrize("name", ["leo-1-case-2", "rain-1-case-2"])
def test_the_ready_scenarios_have_what_the_commands_print(name: str, penstock: Command) -> None:
    text = ready()[f"satellite/{name}"].read_text(encoding="utf-8")
    command = text.partition("`penstock ")[2].partition("`")[0]
    printed = penstock(*shlex.split(command)).stdout
    assert text.endswith(printed)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["leo", "sky", "--height-km", "x"], "--height-km = x: this is no number"),
        (["leo", "sky", "--rates", "1 Mb/s"], "--rates = 1 Mb/s: this is no range of rates"),
        (["rain", "sky", "--clear", "1 Mb/s"], "--rain"),
        (["outages", "sky", "nowhere.csv"], "nowhere.csv"),
    ],
)
def test_commands_refuse_what_is_wrong(words: list[str], told: str, penstock: Command) -> None:
    done = penstock("series", *words)
    assert done.returncode == 2
    assert told in done.stderr

"""Leagues: their files, their measures by hand, ties of equal schemes, and runs that end early."""

from __future__ import annotations

import os
import random
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import Command
from moments import FIRST_SEGMENT_STORED, held_at, started, wait_until_held
from test_import_network import EDGES, NODES, UNITS, graphml
from test_sweep import tables

import penstock
from penstock import Results, import_network
from penstock.core.errors import InputError
from penstock.execute.store import Store
from penstock.league.document import Document, merged
from penstock.league.league import League
from penstock.league.measures import (
    CARRIED,
    DELAY,
    FAIR_AFTER,
    FAIRNESS,
    FILE_TIME,
    GOODPUT,
    JITTER,
    LOSS,
    OFFERED,
    OVERHEAD,
    PEAK,
    QUEUE,
    UNSENT,
    UTILISATION,
    RunTables,
    Value,
    values_of,
)
from penstock.league.table import columns_of, found_in, tables_of
from penstock.show import page_of
from penstock.show.league import rows_of
from penstock.show.league_figures import bars
from penstock.show.league_tables import tables_in

pytestmark = pytest.mark.in_process
LEAGUE = """
title = "Two schemes on two networks"
schemes = ["none", { name = "charny, 50 %", scheme.charny.target = 0.5 }]
replications = 3
[networks.short]
title = "a short line"
duration = "40 ms"
warm_up = "10 ms"
network.dumbbell = { pairs = 2, rate = "20 Mb/s", delay = "10 us" }
defaults.line.queues = [{ drop_tail = { size = "100 cells" } }]
path = ["left", "right"]
[networks.long]
title = "a long line"
duration = "200 ms"
warm_up = "50 ms"
network.dumbbell = { pairs = 2, rate = "20 Mb/s", delay = "2 ms" }
defaults.line.queues = [{ drop_tail = { size = "100 cells" } }]
path = ["left", "right"]
[networks.long.traffics.beside]
flow.voice.count = 3
[traffics.greedy]
title = "greedy data"
defaults.flow.traffic.greedy.phase = "1 ms"
[traffics.beside]
title = "greedy data beside voice"
defaults.flow.traffic.greedy.phase = "1 ms"
flow.voice = { scheme = "none", count = 9, traffic.on_off = { peak_rate = "640 kb/s", on = "2 ms", off = "2 ms" } }
"""
NULL = """
schemes = [{ name = "one", scheme = "none" }, { name = "other", scheme = "none" }]
replications = 60
[networks.line]
duration = "300 ms"
warm_up = "50 ms"
line.trunk = { between = ["a", "b"], rate = "2 Mb/s", queues = [{ drop_tail = { size = "8 cells" } }] }
flow.data = { path = ["a", "b"], count = 4, traffic.poisson.rate = "450 kb/s" }
"""


def parsed(text: str, tmp_path: Path) -> Document:
    file = tmp_path / "league.toml"
    file.write_text(text, encoding="utf-8")
    return Document.load(file)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[League, penstock.Results]:
    folder = tmp_path_factory.mktemp("league")
    league = League(parsed(LEAGUE, folder))
    return league, league.run(folder / "out")


# ------------------------------------------------------------------------------------------------ files
def test_a_league_has_a_case_for_each_network_and_traffic(tmp_path: Path) -> None:
    league = League(parsed(LEAGUE, tmp_path))
    assert [case.name for case in league.cases] == ["short, greedy", "short, beside", "long, greedy", "long, beside"]
    last = league.cases[-1]
    tree = last.scenarios["charny, 50 %"].tree
    assert last.title == "a long line, greedy data beside voice"
    assert tree["flow"]["voice"]["count"] == 3  # as the network says for this traffic
    assert tree["flow"]["voice"]["path"] == ["left", "right"]
    assert tree["scheme"]["charny"]["target"] == 0.5
    assert last.classes == {"pairs": "data", "voice": "voice"}
    assert last.round_trip_s == pytest.approx(4e-3)
    assert last.shares == pytest.approx(dict.fromkeys(["pairs/1", "pairs/2"], (20e6 - 3 * 320e3) / 2))
    assert [case.steady for case in league.cases] == [True, False, True, False]
    # Ten cells at a share of 10 Mb/s take 424 us, more than a round trip of 20 us.
    assert league.cases[0].scenarios["none"].tree["measure"]["sample"] == "424 us"


def test_the_league_of_the_guide_can_run(tmp_path: Path) -> None:
    guide = (Path(__file__).parents[1] / "docs" / "guides" / "league.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```toml\n([^`]*)```", guide)
    league = League(parsed(text, tmp_path))
    assert [case.name for case in league.cases] == [
        "metro, greedy",
        "metro, beside",
        "satellite, greedy",
        "satellite, beside",
    ]
    assert all(list(case.scenarios) == ["none", "erica", "erica, 80 %"] for case in league.cases)


def test_a_network_may_be_a_scenario_file(tmp_path: Path, small_text: str) -> None:
    (tmp_path / "net.toml").write_text(small_text, encoding="utf-8")
    league = League(parsed('schemes = ["none", "becn"]\n[networks.own]\nfile = "net.toml"\nduration = "1 s"', tmp_path))
    (case,) = league.cases
    assert case.name == "own"
    assert case.scenarios["none"].tree["duration"] == "1 s"
    assert case.shares == {}


MIX = """
schemes = ["none", "becn"]
[networks.chain]
duration = "100 ms"
network.chain = { trunks = 2, rate = "10 Mb/s", delay = "1 ms" }
path = ["s1", "s2", "s3"]
[networks.chain.traffics.mixed]
traffic = { load = 0.6, kind.voice.traffic.on_off.peak_rate = "32 kb/s" }
[traffics.mixed]
flow.bulk.traffic.greedy.phase = "1 ms"
[traffics.mixed.traffic]
mix = { voice = 0.5, video = "rest" }
load = 0.3
kind.voice.scheme = "none"
"""


def test_a_mix_has_its_kinds_as_classes_and_a_network_may_change_a_part_of_it(tmp_path: Path) -> None:
    (case,) = League(parsed(MIX, tmp_path)).cases
    tree = case.scenarios["becn"].tree
    assert tree["traffic"]["mix"] == {"voice": 0.5, "video": "rest"}
    assert tree["traffic"]["load"] == 0.6
    assert tree["traffic"]["kind"]["voice"]["traffic"]["on_off"]["peak_rate"] == "32 kb/s"
    groups = {"long", "local_1", "local_2"}
    controlled = {f"{name}_video" for name in groups} | {"bulk"}
    assert case.classes == {**dict.fromkeys(controlled, "data"), **{f"{name}_voice": "voice" for name in groups}}


def test_a_league_on_an_imported_topology_sends_an_imported_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PENSTOCK_TRACES", str(tmp_path / "traces"))
    net = graphml(tmp_path / "net.graphml", NODES, EDGES)
    (tmp_path / "net.toml").write_text(import_network(net, **UNITS), encoding="utf-8")
    rows = "\n".join(f"{20 * number},1500" for number in range(100))  # 600 kb/s: 31.25 + 1 cells of AAL5 each
    (tmp_path / "lab.csv").write_text(rows, encoding="utf-8")
    trace = penstock.import_trace(tmp_path / "lab.csv", time="1:us", size="2:octets")
    text = f"""
schemes = ["none", "becn"]
replications = 3
[networks.lab]
file = "net.toml"
duration = "50 ms"
path = ["a", "b", "c"]
[traffics.measured]
flow.packets.traffic.trace = {{ name = "lab", sha256 = "{trace.sha256}" }}
"""
    league = League(parsed(text, tmp_path))
    results = league.run(tmp_path / "out")
    (table,) = tables_of(league, results)
    assert table.case.classes == {"c-a": "data", "packets": "data"}
    sent = results.rows("groups").filter(group="packets")["sent"].to_list()
    assert sent == [100 * 32] * 6
    (told,) = [line for line in penstock.page_of(results).warnings if "trace" in line]
    assert told.startswith("packets sends the trace lab, as cells by AAL5")
    assert "a backlog under control is not that of the measured network. (this case)" in told


def test_another_part_replaces_a_part() -> None:
    first = {"flow": {"a": {"count": 2, "traffic": {"cbr": {"rate": "1 Mb/s"}}}}}
    second: dict[str, Any] = {"flow": {"a": {"traffic": {"greedy": {}}}}}
    assert merged(first, second) == {"flow": {"a": {"count": 2, "traffic": {"greedy": {}}}}}


def test_an_entrant_without_a_name_has_that_of_its_scheme_and_tells_what_it_changes(tmp_path: Path) -> None:
    given = '"none", { scheme.charny.interval = "auto" }, { scheme.charny.target = 0.4 }, {'
    names = [entrant.name for entrant in parsed(LEAGUE.replace('"none", {', given), tmp_path).entrants()]
    assert names == ["none", "charny", "charny (changed: target)", "charny, 50 %"]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"none", {', '"nune", {', 'line 3: schemes[0] = nune: there is no such scheme; did you mean "none"?'),
        ('"none", {', '{ name = "charny, 50 %", scheme = "none" }, {', "schemes[1] = charny, 50 %: this name is given"),
        ('schemes = ["none", {', "schemes = [{", "schemes = charny, 50 %: a league needs two schemes or more"),
        ('name = "charny, 50 %"', 'name = "erica"', "schemes[1].name = erica: `erica` is another scheme than `charny`"),
        ("replications = 3", "with.tp4.octets = 9", "with.tp4: no scheme of the league has such a transport; leave it"),
        (
            '"none", {',
            '"cubic", "decbit"]\nwith.steam.octets = 9 #',
            "no scheme of the league has such a transport; did y",
        ),
        (
            'schemes = ["none"',
            'with.stream.defaults.flow.octts = 9\nschemes = "all" #',
            "schemes = new_reno: this scheme can run in no case of the league: there is no key `octts`",
        ),
        ("replications = 3", "replicatoins = 3", 'there is no key `replicatoins` in a league; did you mean "repl'),
        ("replications = 3", 'replications = "3"', "replications = '3': this must be a whole number"),
        ("[networks.long.traffics.beside]", "[networks.long.traffics.besides]", 'did you mean "beside"?'),
        ("pairs = 2, rate", "pears = 2, rate", "networks.short.network.dumbbell.pears = 2: there is no key `pears`"),
        ("on_off = { peak_rate", "on_of = { peak_rate", "traffics.beside.flow.voice.traffic"),
        (
            "defaults.flow.traffic.greedy.phase",
            "defaults.flow.trafic.greedy.phase",
            "traffics.greedy.defaults.flow.traf",
        ),
        ('path = ["left", "right"]\n', "", 'the flows "voice" have no path here; give it a path, or write path = ['),
        (
            '"none", {',
            '"none", "rate_factor", {',
            "schemes = rate_factor: this scheme can run in no case of the league: it",
        ),
        (
            '"none", {',
            '"rate_factor", { name = "other", scheme = "rate_factor" }]#',
            "can run under short, greedy: it scales",
        ),
        ("title = ", "title", "league.toml: this is not TOML"),
        (
            "scheme.charny.target = 0.5",
            'scheme = "charny", with.defaults.flow.octts = 9',
            "50 %: this scheme can run in no case of the league: there is no key `octts` (at defaults.flow.octts); did "
            "you mean `octets`?",
        ),
        (
            "[networks.short]",
            '[networks.short]\nfile = "nowhere.toml"',
            "line 6: networks.short.file = nowhere.toml: there is no such file, and no ready scenario of that name",
        ),
        (
            "[networks.short]",
            "[networks.short]\nfile = 3",
            "networks.short.file = 3: this must be text; name a scenario",
        ),
    ],
)
def test_bad_leagues(old: str, new: str, told: str, tmp_path: Path) -> None:
    assert old in LEAGUE
    with pytest.raises(InputError) as refusal:
        print(League(parsed(LEAGUE.replace(old, new), tmp_path)).cases)
    assert told in str(refusal.value)


# ------------------------------------------------------------------------------------------------ measures
def test_measures_of_one_run_by_hand(tmp_path: Path) -> None:
    case = League(parsed(LEAGUE, tmp_path)).cases[2]
    group = {"group": "pairs", "sent": 200, "delivered": 190, "lost": 10, "accepted": None, "transfer_mean_all_s": None}
    group |= {"load_bps": 2e5, "offered_bps": 3e5, "offered_pdus": 300}
    group |= {"held_pdus": 40, "withheld_pdus": 8, "source_lost": 12}
    shared = {"group": "pairs", "delivered": 95, "delivered_bits": 95 * 424, "control_sent": 4, "sent": 100}
    run = RunTables(
        [group],
        [
            {"flow": "pairs/1", **shared, "delay_min_s": 0.002, "throughput_bps": 9e6},
            {"flow": "pairs/2", **shared, "delay_min_s": 0.003, "throughput_bps": 3e6},
        ],
        [
            {"queue_max": 7, "queue_max_start": 50, "utilisation": 0.6},
            {"queue_max": 9, "queue_max_start": 4, "utilisation": 0.2},
        ],
        {"pairs": ([0.002, 0.004, 0.01, 0.02], [100, 85, 5, 0], [60, 120, 5, 5])},
        measured_s=0.15,
        end_s=0.2,
    )
    found = values_of(run, case, case.scenarios["none"].expanded().tree, {})
    assert found[GOODPUT.key, "data"].value == pytest.approx(190 * 48 * 8 / 0.15)
    assert found[LOSS.key, "data"] == Value(0.05, trials=200)
    assert found[DELAY.key, "data"].value == 0.02  # the 189th of 190 from generation, and 185 are below
    assert found[JITTER.key, "data"].value == pytest.approx(0.008)  # in the network 185 are below 0.01
    assert [found[each.key, "data"].value for each in (OFFERED, CARRIED, UNSENT)] == [3e5, 2e5, 0.2]
    assert found[QUEUE.key, ""].value == 9
    assert found[PEAK.key, ""].value == 50
    assert found[UTILISATION.key, ""].value == 0.6
    assert found[OVERHEAD.key, ""].value == pytest.approx(0.04)
    assert found[FAIRNESS.key, ""].value == pytest.approx((9 + 3) ** 2 / (2 * (81 + 9)))  # both shares are 10 Mb/s
    assert "no time series" in found[FAIR_AFTER.key, ""].reason
    empty = [{**flow, "delivered_bits": 0} for flow in run.flows]  # PDUs without data, such as those of a handshake
    late = replace(run, flows=empty, received=dict.fromkeys(case.shares, ()))
    assert values_of(late, case, case.scenarios["none"].expanded().tree, {})[FAIR_AFTER.key, ""] == Value(
        0.2, reached=False
    )


def test_a_league_tells_schemes_apart(ran: tuple[League, penstock.Results]) -> None:
    league, results = ran
    short, beside, *_ = tables_of(league, results)
    goodputs, losses = short.column(GOODPUT, "data"), short.column(LOSS, "data")
    assert goodputs is not None
    assert losses is not None
    assert goodputs.best == ("none",)
    assert losses.best == ("charny, 50 %",)
    # Half of the line, 31 of 32 cells are data, and 48 of 53 octets are users'.
    assert goodputs["charny, 50 %"].estimate.mean == pytest.approx(20e6 * 0.5 * 31 / 32 * 48 / 53, rel=0.02)
    fair = short.column(FAIR_AFTER)
    assert fair is not None
    assert fair.late == {"none": 3}  # 20 Mb/s each on a line of 20 Mb/s: one shuts the other out
    assert fair["charny, 50 %"].estimate.mean < 0.02
    empty = beside.column(FAIR_AFTER)
    assert empty is not None
    assert set(empty.reasons.values()) == {"the shares change with the other traffic, or with the scenario"}
    voice = beside.column(DELAY, "voice")
    assert voice is not None
    assert voice.best[0] == "charny, 50 %"
    assert short.column(FILE_TIME).reasons["none"] == "no traffic of files"  # type: ignore[union-attr]


HELD = """
schemes = ["none", "erica", { name = "thin", scheme = "erica", with.flow.branch.traffic.poisson.held = "thin" }]
replications = 3
[networks.line]
duration = "4 s"
warm_up = "1 s"
line.trunk = { between = ["a", "b"], rate = "5 Mb/s", queues = [{ drop_tail = { size = "100 cells" } }] }
flow.branch = { path = ["a", "b"], octets = 1500, count = 8, traffic.poisson.rate = "1 Mb/s" }
flow.voice = { path = ["a", "b"], scheme = "none", traffic.cbr.rate = "50 kb/s" }
"""


def test_a_league_tells_what_was_offered_beside_what_was_sent(tmp_path: Path) -> None:
    league = League(parsed(HELD, tmp_path))
    results = league.run(tmp_path / "out")
    (table,) = tables_of(league, results)
    offered, sent, unsent = (table.column(measure, "data") for measure in (OFFERED, CARRIED, UNSENT))
    assert offered is not None
    assert sent is not None
    assert unsent is not None
    means = {one.name: one.estimate.mean for one in offered.standings}
    assert means["none"] == means["erica"] == means["thin"] == pytest.approx(8e6, rel=0.02)
    assert sent["none"].estimate.mean == means["none"]
    assert sent["erica"].estimate.mean < 0.7 * means["erica"]
    assert (offered.best, sent.best, unsent.best) == ((), (), ("none",))
    voice = table.column(UNSENT, "voice")
    assert voice is not None
    assert set(voice.best) == {"none", "erica", "thin"}
    (warning,) = results.warnings()
    assert re.match("line, (erica|thin): the sources of branch offered ", warning)
    assert warning.endswith("(the worst of 2 of 3 points)")
    assert warning in page_of(results).warnings
    matrix, differences, _voice = tables_in(table)
    assert list(matrix.columns[-4:]) == ["offered load (Mb/s)", "sent load (Mb/s)", "held back", "settled"]
    assert "offered load (Mb/s)" not in differences.columns
    sheet = bars(table)
    assert sheet is not None
    assert not any("load" in panel.title for panel in sheet.panels)
    rows = [row for row in rows_of([table]) if row["measure"] == "offered_bps" and row["class"] == "data"]
    assert [(row["among_best"], row["verdict"], row["to_best"]) for row in rows] == [(False, None, None)] * 3


def test_sources_that_always_have_data_have_no_demand(ran: tuple[League, penstock.Results]) -> None:
    short, *_ = tables_of(*ran)
    column = short.column(OFFERED, "data")
    assert column is not None
    assert set(column.reasons.values()) == {"its sources always have data to send"}
    assert short.column(CARRIED, "data").standings  # type: ignore[union-attr]
    assert ran[1].warnings() == []


# ------------------------------------------------------------------------------------------------ ties
def test_equal_runs_have_equal_scores(tmp_path: Path) -> None:
    """ERICA by name and with its default written out have the same runs, bit for bit."""
    text = LEAGUE.replace('"none", { name = "charny, 50 %", scheme.charny.target = 0.5 }', TWICE)
    league = League(parsed(text.partition("[networks.long]")[0] + GREEDY, tmp_path))
    (table,) = tables_of(league, league.run(tmp_path / "out"))
    assert table.identical == [("erica", "written out")]
    for column in table.columns:
        own = {column.samples[name].values[0] for name in ("erica", "written out") if name in column.samples}
        assert len(own) <= 1, column.measure.label


TWICE = '"erica", { name = "written out", scheme.erica.target = 0.9 }'
GREEDY = "[traffics.greedy]\ndefaults.flow.traffic.greedy.phase = '1 ms'\n"


def test_a_run_reaches_its_shares_by_any_target_of_the_schemes_that_have_it(tmp_path: Path) -> None:
    case = League(parsed(LEAGUE, tmp_path)).cases[0]
    times = [n / 1000 for n in range(1, 31)]
    arrived = [n * 8.0 for n in range(1, 31)]  # 8,000 cells/s, of a share of 10 Mb/s / 424 bits = 23,585 cells/s
    flows = [
        {
            "flow": name,
            "group": "pairs",
            "delivered": 240,
            "delivered_bits": 240 * 424,
            "control_sent": 0,
            "sent": 240,
            "throughput_bps": 8e3 * 424,
            "delay_min_s": 0.001,
        }
        for name in case.shares
    ]
    ports = [{"queue_max": 0, "queue_max_start": 0, "utilisation": 0.3}]
    run = RunTables([], flows, ports, {}, 0.03, 0.03, times, dict.fromkeys(case.shares, arrived))
    tree = case.scenarios["none"].expanded().tree

    def score(*targets: float) -> Value:
        return values_of(run, case, tree, {}, targets)[FAIR_AFTER.key, ""]

    assert score() == score(1.0) == Value(0.03, reached=False)
    assert score(0.34) == score(1.0, 0.34) == score(0.34, 1.0) == Value(0.0)


def test_one_scheme_under_two_names_ties(tmp_path: Path) -> None:
    league = League(parsed(NULL, tmp_path))
    results = league.run(tmp_path / "out")
    (table,) = tables_of(league, results)
    assert table.identical == [("one", "other")]
    assert all(not column.decides for column in table.columns)
    found = list(found_in(table.case, results)["one"].values())
    draw = random.Random(1)
    ties = {(LOSS.key, "data"): 0, (DELAY.key, "data"): 0, (GOODPUT.key, "data"): 0}
    names = ("a", "b", "c", "d")
    for _ in range(200):  # the same scheme under four names, each with ten runs of its own
        order = draw.sample(found, 40)
        own = {name: dict(enumerate(order[10 * place : 10 * place + 10])) for place, name in enumerate(names)}
        for column in columns_of(table.case, own, range(10), {}):
            if (column.measure.key, column.of) in ties:
                ties[column.measure.key, column.of] += not column.decides
    assert min(ties.values()) >= 190, ties


# ------------------------------------------------------------------------------------------------ the command
@pytest.mark.skipif(os.name != "posix", reason="kill -9 is of POSIX systems")
def test_a_league_that_is_killed_goes_on_with_resume(
    penstock: Command, tmp_path: Path, ran: tuple[League, penstock.Results]
) -> None:
    (tmp_path / "league.toml").write_text(LEAGUE, encoding="utf-8")
    command = [sys.executable, "-m", "penstock", "league", "league.toml", "--out", "out", "--jobs", "2"]
    with started(command, cwd=tmp_path, env=held_at(FIRST_SEGMENT_STORED)) as process:
        wait_until_held(process)
        process.kill()
        process.communicate()
    assert 1 <= len(Store.open_to_read(tmp_path / "out").runs) < 24
    refused = penstock("league", "league.toml", "--out", "out")
    assert refused.returncode == 2
    assert "has an unfinished league" in refused.stderr
    done = penstock("league", "league.toml", "--out", "out", "--resume", "--measure", "delay_p99_s")
    assert done.returncode == 0, done.stderr
    assert "Over 4 cases, 99 % delay: " in done.stdout
    assert "99 % delay" in done.stdout
    assert "goodput (" not in done.stdout
    assert tables(Results(tmp_path / "out")) == tables(ran[1])


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ["nowhere"],
            "nowhere: there is no such file, and no ready league of that name; the ready leagues are decades, standard",
        ),
        (["league.toml", "--measure", "goodputs"], 'did you mean "goodput_bps"?'),
        (
            ["league.toml", "--measure", "file_time_s"],
            "no network of this league has this measure (of short, greedy: no",
        ),
        (["league.toml", "--replications", "0"], "--replications = 0: this is out of range"),
    ],
)
def test_bad_arguments(penstock: Command, tmp_path: Path, arguments: list[str], told: str) -> None:
    (tmp_path / "league.toml").write_text(LEAGUE, encoding="utf-8")
    done = penstock("league", *arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert not (tmp_path / "out").exists()

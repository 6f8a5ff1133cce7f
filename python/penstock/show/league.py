"""The results of a league: the outcome in one sentence, an overview, and for each case its table and its figures."""

from __future__ import annotations

import io
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from penstock.core.errors import InputError, did_you_mean
from penstock.core.scenario import schemes as known_schemes
from penstock.core.units import seconds
from penstock.league.league import DATA, Case, League
from penstock.league.measures import (
    DELAY,
    FAIR_AFTER,
    FAIRNESS,
    GOODPUT,
    JITTER,
    LOSS,
    MEASURES,
    OVERHEAD,
    PEAK,
    QUEUE,
    Measure,
    lacks,
)
from penstock.league.table import CaseTable, Column, tables_of
from penstock.show.league_figures import (
    STAR,
    against_time,
    bars,
    count_of_best,
    label_of,
    overview,
    slug,
    trade_off,
    unit_of,
)
from penstock.show.league_parameters import parameters_of
from penstock.show.report import Cell, Figure, Report, Section, Table, shown
from penstock.show.state import warnings_of
from penstock.statistics.ranking import ENOUGH

if TYPE_CHECKING:
    from penstock.analyse.results import Results

OVERVIEW = (GOODPUT, LOSS, DELAY, JITTER, QUEUE, PEAK, FAIRNESS, FAIR_AFTER, OVERHEAD)
"""The measures of the overview."""
TOLD = (GOODPUT, LOSS, DELAY)
"""The measures of the headline."""
ROUND_TRIPS = 50
"""A case should be measured for so many round trips."""
MOST_NAMED = 3
NOTE = (
    f"Means over the replications. {STAR} marks the best of a column and those that do not differ significantly from "
    "it: one group of ties. The differences to the best are paired, replication by replication on the same random "
    "numbers, and adjusted together (Holm), so that with 95 % probability no mark of a column is wrong."
)


def page_of(results: Results) -> Report:
    """The page of a league."""
    league = League.of_results(results)
    document = league.document
    tables = list(tables_of(league, results))
    words = ["penstock", "league", document.file or "FILE", "--replications", str(document.replications)]
    sheet = overview(tables, OVERVIEW)
    is_one = len(tables) == 1
    sections = [] if is_one else [Section("How often each scheme is among the best", figures=[Figure(sheet)])]
    sections += [section_of(table, results) for table in tables]
    sections.append(Section("What is compared", tables=[schemes_of(tables), measures_table(), cases_table(tables)]))
    drawn = [figure.sheet.name for section in sections for figure in section.figures]
    return Report(
        title=document.title,
        headline=headline(tables),
        summary=f"{len(schemes_in(tables))} control schemes in {len(tables)} case{'s' * (len(tables) != 1)}: each a "
        f"network under a kind of traffic. {document.replications} runs of each, in which the sources send the same "
        "under every scheme, as far as it lets them. The last section says what each scheme and each measure is.",
        sections=sections,
        warnings=[*warnings_of(results), *warnings(tables)],
        lead=drawn[0] if drawn else None,
        files=files_of(tables),
        parameters={table.case.title: parameters_of(table.case) for table in tables},
        versions=results.versions(),
        command=shlex.join([*words, "--seed", str(document.seed), "--out", str(results.directory)]),
    )


def schemes_in(tables: Sequence[CaseTable]) -> list[str]:
    """The schemes of a league, in their order."""
    order = {name: place for table in tables for place, name in enumerate(table.case.schemes)}
    return list(dict.fromkeys(name for table in tables for name in table.case.schemes)) if order else []


def headline(tables: Sequence[CaseTable]) -> str:
    """One sentence: the best by each of three measures, or how often each leads."""
    told = []
    for measure in TOLD:
        if len(tables) == 1:
            column = tables[0].column(measure, DATA)
            if column is not None and column.standings:
                told.append(f"{measure.label}: {named(column.best)} {best_words(column)}")
            continue
        counts = {name: count_of_best(tables, name, measure) for name in schemes_in(tables)}
        most = max((best for best, _ in counts.values()), default=0)
        if most:
            leaders = [f"{name} (in {best} of {of})" for name, (best, of) in counts.items() if best == most]
            told.append(f"{measure.label}: {named(leaders)}")
    if not told:
        return "No run has a value yet."
    if len(tables) == 1:
        sentence = "; ".join(told)
        return f"{sentence[0].upper()}{sentence[1:]}."
    return f"Most often among the best of {len(tables)} cases, by {'; by '.join(told)}."


def best_words(column: Column) -> str:
    """What the best of a column are."""
    return "is best" if len(column.best) == 1 else "do not differ" if column.decides else "do not differ, so all tie"


def named(names: Sequence[str]) -> str:
    """Names in a sentence, the first few of many."""
    if len(names) > MOST_NAMED:
        return f"{', '.join(names[:MOST_NAMED])} and {len(names) - MOST_NAMED} more"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def warnings(tables: Sequence[CaseTable]) -> list[str]:
    """What a reader must know before the numbers."""
    told = []
    few = [table for table in tables if len(table.replications) < ENOUGH]
    if few:
        least = min(len(table.replications) for table in few)
        told.append(
            f"Only {least} replication{'s' * (least != 1)}: a tie may only say that there are too few to tell. Try "
            f"--replications {ENOUGH}."
        )
    fixed = [table.case.name for table in tables if table.constant]
    if fixed:
        told.append(
            f"Without randomness: in {places(fixed, tables)}, all replications of some schemes are the same run, so "
            "their intervals have no width. Give greedy sources a random phase."
        )
    same = {" and ".join(names): [t.case.name for t in tables if names in t.identical] for names in _identical(tables)}
    told += [f"Identical runs: {names} do the same in {places(cases, tables)}." for names, cases in same.items()]
    short = [table.case.name for table in tables if round_trips(table.case) < ROUND_TRIPS * (1 - 1e-9)]
    if short:
        told.append(f"Short: fewer than {ROUND_TRIPS} round trips are measured in {places(short, tables)}.")
    return told


def places(names: Sequence[str], tables: Sequence[CaseTable]) -> str:
    """Some of the cases, for readers."""
    if len(names) == len(tables):
        return "every case" if len(tables) > 1 else "this case"
    return f"{len(names)} cases, such as {names[0]}" if len(names) > MOST_NAMED else "; ".join(names)


def _identical(tables: Sequence[CaseTable]) -> list[tuple[str, ...]]:
    return list(dict.fromkeys(names for table in tables for names in table.identical))


def round_trips(case: Case) -> float:
    """The measured time of a case in round trips."""
    tree = next(iter(case.scenarios.values())).tree
    measured = seconds(tree["duration"]) - seconds(tree["warm_up"])
    return measured / case.round_trip_s if case.round_trip_s else float("inf")


def section_of(table: CaseTable, results: Results) -> Section:
    """A case: its table, that of the differences, and its figures with their data and scenarios."""
    case = table.case
    own = [column for column in table.columns if column.of in ("", DATA)]
    others = [column for column in table.columns if column.of not in ("", DATA)]
    tables = [matrix(table, own, f"{case.title}: schemes and measures")]
    if others:
        tables.append(matrix(table, others, f"{case.title}: the other traffic"))
    tables.append(differences_table(table, own))
    downloads = {f"{name}.toml": scenario_file(case, name) for name in case.scenarios}
    data = {"league.csv": "data/league.csv"}
    figures = [Figure(sheet, data={**data, **downloads}) for sheet in [bars(table)] if sheet]
    classes = dict.fromkeys(case.classes.values())
    figures += [Figure(sheet, data=data) for of in classes if (sheet := trade_off(table, of))]
    slides = against_time(table, results)
    figures += [Figure(sheet, slide=slides[0].name) for sheet in slides]
    return Section(case.title, text_of(table), tables=tables, figures=figures)


def text_of(table: CaseTable) -> str:
    """The outcome of a case in a sentence, and how long it was measured."""
    case = table.case
    tree = next(iter(case.scenarios.values())).tree
    trip = f"{case.round_trip_s:.3g} s" if case.round_trip_s >= 1e-3 else f"{case.round_trip_s * 1e6:.3g} µs"
    return (
        f"{headline([table])}\n\nOne round trip takes {trip} without queues. Each run takes {tree['duration']}, of "
        f"which the first {tree['warm_up']} are its warm-up; {len(table.replications)} replications count."
    )


def matrix(table: CaseTable, columns: Sequence[Column], title: str) -> Table:
    """Schemes against measures; columns in which no scheme has a value are a note."""
    shown = [column for column in columns if column.standings]
    empty = [column for column in columns if not column.standings]
    units = [unit_of(column.measure, [one.estimate.mean for one in column.standings]) for column in shown]
    rows: list[list[Cell]] = []
    for name in table.case.schemes:
        if name in table.case.refused:
            reason = f"cannot run here: {table.case.refused[name]}"
            rows.append([name, *([reason] if shown else []), *([None] * (len(shown) - 1))])
            continue
        rows.append([name, *(cell(column, name, size) for column, (size, _) in zip(shown, units, strict=True))])
    reasons = [f"No {label_of(column, '')}: {reason_of(table, column)}." for column in empty]
    headings = [
        label_of(column, unit).replace(f" of {DATA}", "") for column, (_, unit) in zip(shown, units, strict=True)
    ]
    return Table(title, ["scheme", *headings], rows, note=" ".join([NOTE, *reasons]))


def reason_of(table: CaseTable, column: Column) -> str:
    """Why no scheme that can run has a value: the reason of the first."""
    return next((column.reasons[name] for name in table.case.scenarios if name in column.reasons), "no run")


def cell(column: Column, name: str, size: float) -> str:
    """The mean of a scheme, with a star if it is among the best; or the reason why there is none."""
    if name in column.reasons:
        return column.reasons[name]
    mean = column[name].estimate.mean / size
    star = f"{STAR} " if name in column.best else ""
    count = len(column.samples[name].values)
    if late := column.late.get(name, 0):
        return "never" if late == count else f"{star}{mean:.4g} or more (never in {late} of {count})"
    return f"{star}{mean:.4g}"


def differences_table(table: CaseTable, columns: Sequence[Column]) -> Table:
    """The difference of each scheme to the best of each measure, with its interval."""
    shown = [column for column in columns if len(column.standings) > 1]
    units = [unit_of(column.measure, [one.estimate.mean for one in column.standings]) for column in shown]
    rows: list[list[Cell]] = []
    for name in table.case.scenarios:
        cells = [difference(column, name, size) for column, (size, _) in zip(shown, units, strict=True)]
        rows.append([name, *cells])
    headings = [
        label_of(column, unit).replace(f" of {DATA}", "") for column, (_, unit) in zip(shown, units, strict=True)
    ]
    note = "Scheme less best, with the interval that Holm's adjustment gives the pair."
    return Table(f"{table.case.title}: differences to the best", ["scheme", *headings], rows, note=note)


def difference(column: Column, name: str, size: float) -> str | None:
    """The difference of a scheme to the best."""
    if name in column.reasons:
        return None
    one = column[name]
    if one.to_best is None:
        return "best"
    if one.verdict == "identical":
        return "identical"
    low, high = one.to_best.low, one.to_best.high
    ends = "" if low is None or high is None else f" ({low / size:.3g} to {high / size:.3g})"
    tie = f"{STAR} " if name in column.best else ""
    return f"{tie}{one.to_best.mean / size:+.3g}{ends}"


def schemes_of(tables: Sequence[CaseTable]) -> Table:
    """Every scheme: what it does, what it costs, and in how many cases it can run."""
    rows: list[list[Cell]] = []
    for name in schemes_in(tables):
        runs = sum(name in table.case.scenarios for table in tables)
        keyword = next((keyword_of(t.case, name) for t in tables if name in t.case.scenarios), name)
        known = known_schemes().get(keyword)
        cells = (known.meaning, known.state, known.overhead, known.needs) if known else ("", "", "", "")
        rows.append([name, *cells, f"{runs} of {len(tables)}"])
    headings = ["scheme", "what it does", "a switch keeps", "the feedback adds", "it needs", "cases in which it runs"]
    return Table("The schemes", headings, rows)


def keyword_of(case: Case, name: str) -> str:
    """The keyword of the scheme of that name."""
    scheme = case.scenarios[name].tree.get("scheme", "")
    return scheme if isinstance(scheme, str) else next(iter(scheme), "")


def measures_table() -> Table:
    """Every measure with its definition."""
    rows: list[list[Cell]] = [
        [each.label, each.definition, "lower" if each.lower_is_better else "higher"] for each in MEASURES
    ]
    note = (
        f"A class of traffic is either all flows that the schemes control, {DATA}, or a group of flows without control."
    )
    return Table("The measures", ["measure", "what it is", "better"], rows, note=note)


def cases_table(tables: Sequence[CaseTable]) -> Table:
    """Every case with its size."""
    rows: list[list[Cell]] = []
    for table in tables:
        case = table.case
        tree = next(iter(case.scenarios.values())).expanded().tree
        rates = sorted({line["rate"] for line in tree["line"].values()})
        flows = sum(flow["count"] for flow in tree["flow"].values())
        rows.append(
            [
                case.title,
                ", ".join(rates),
                flows,
                f"{case.round_trip_s:.3g}",
                round(round_trips(case)),
                len(case.scenarios),
            ]
        )
    headings = ["case", "lines", "flows", "round trip (s)", "round trips measured", "schemes that run"]
    return Table("The cases", headings, rows)


def scenario_file(case: Case, scheme: str) -> str:
    """The place of a scenario beside the page."""
    plain = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in scheme)
    return f"scenarios/{slug(case)}-{plain}.toml"


def files_of(tables: Sequence[CaseTable]) -> dict[str, str]:
    """Every scenario as a file, and every estimate as a table."""
    import polars as pl

    files = {
        scenario_file(table.case, name): scenario.to_toml()
        for table in tables
        for name, scenario in table.case.scenarios.items()
    }
    buffer = io.BytesIO()
    pl.DataFrame(rows_of(tables), infer_schema_length=None).write_csv(buffer)
    return {**files, "data/league.csv": buffer.getvalue().decode()}


def rows_of(tables: Sequence[CaseTable]) -> list[dict[str, Any]]:
    """One row for each case, scheme, measure and class, in SI units."""
    return [
        {
            "network": table.case.network,
            "traffic": table.case.traffic,
            "scheme": name,
            "measure": column.measure.key,
            "class": column.of,
            **_plain(column, name),
        }
        for table in tables
        for column in table.columns
        for name in table.case.schemes
    ]


def _plain(column: Column, name: str) -> Mapping[str, Any]:
    one = None if name in column.reasons else column[name]
    own = asdict(one.estimate) if one else {}
    to_best = asdict(one.to_best) if one and one.to_best else {}
    return {
        **{key: own.get(key) for key in ("mean", "low", "high")},
        **{f"to_best{end}": to_best.get(key) for end, key in (("", "mean"), ("_low", "low"), ("_high", "high"))},
        "verdict": one.verdict if one else None,
        "among_best": name in column.best,
        "never": column.late.get(name, 0),
        "reason": column.reasons.get(name),
    }


def to_json(results: Results, measures: Sequence[Measure]) -> list[dict[str, Any]]:
    """The rows of :func:`rows_of` for these measures."""
    keys = {each.key for each in measures}
    tables = list(tables_of(League.of_results(results), results))
    return [row for row in rows_of(tables) if row["measure"] in keys]


def print_league(results: Results, measures: Sequence[Measure]) -> None:
    """Print the outcome, the warnings and the tables of these measures on standard output."""
    from penstock.show.summary import print_table

    tables = list(tables_of(League.of_results(results), results))
    for line in (headline(tables), *warnings(tables)):
        print(line)
    for table in tables:
        columns = [column for column in table.columns if column.measure in measures]
        made = matrix(table, columns, f"\n{table.case.title}")
        cells = [dict(zip(made.columns, map(shown, row), strict=True)) for row in made.rows]
        print_table(made.title, [(name, name, str) for name in made.columns], cells)
    print(f"\n{NOTE}")


def wanted(names: Sequence[str], league: League) -> Sequence[Measure]:
    """The measures of these keys, by default all. Raises :class:`InputError` for one that no case has."""
    known = {each.key: each for each in MEASURES}
    for name in names:
        if name not in known:
            remedy = did_you_mean(name, known) or f"there are {', '.join(known)}"
            raise InputError("there is no such measure", path="--measure", value=name, remedy=remedy)
        reasons = {case.name: lacks(case, known[name]) for case in league.cases}
        if all(reasons.values()):
            (case, reason), *_ = reasons.items()
            told = f"no network of this league has this measure (of {case}: {reason})"
            raise InputError(told, path="--measure", value=name, remedy="choose another, or change the traffic")
    return [known[name] for name in names] or MEASURES

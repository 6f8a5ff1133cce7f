"""The results of a league: the outcome in one sentence, an overview, and for each case its table and its figures."""

from __future__ import annotations

import io
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.core.counts import counted, quoted
from penstock.core.errors import InputError, require_known
from penstock.core.settings import setting
from penstock.league.league import KIND, Case, League
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
from penstock.league.settling import DRIFTING, OPEN
from penstock.league.table import CaseTable, Column, tables_of
from penstock.show.feedback import warnings as feedback_warnings
from penstock.show.league_figures import (
    TRADE_OFF,
    against_time,
    bars,
    overview,
    pair_of,
    schemes_in,
    slug,
    trade_off,
    trade_off_of_all,
)
from penstock.show.league_parameters import parameters_of
from penstock.show.league_readings import csv, packed
from penstock.show.league_tables import (
    INTERVALS_NOTE,
    NOTE,
    SETTLED_NOTE,
    cases_table,
    duration,
    matrix,
    measures_table,
    reason_everywhere,
    round_trips,
    schemes_of,
    tables_in,
    with_settled,
)
from penstock.show.league_trade_offs import sentence, trade_offs
from penstock.show.open_loop import open_loop
from penstock.show.output import Outcome, Output
from penstock.show.report import Figure, Report, Section, plain, shown
from penstock.show.state import warnings_of
from penstock.show.terminal import print_table, print_text
from penstock.statistics.ranking import ENOUGH

if TYPE_CHECKING:
    from penstock.analyse.results import Results
    from penstock.plot import Sheet

OVERVIEW = (GOODPUT, LOSS, DELAY, JITTER, QUEUE, PEAK, FAIRNESS, FAIR_AFTER, OVERHEAD)
"""The measures of the overview."""
HEADLINED = (GOODPUT, LOSS, DELAY)
"""The measures of the headline, unless others are asked for."""
ROUND_TRIPS = 50
"""A case should be measured for so many round trips."""
MOST_NAMED = 3
NO_VALUE = "No run has a value yet."
TABLE_FILE = "data/league.csv"


def page_of(results: Results) -> Report:
    """The page of a league."""
    league = League.of_results(results)
    document = league.document
    tables = list(tables_of(league, results))
    words = ["penstock", "league", document.file or "FILE"]
    words += [word for pair in document.settings.items() for word in ("--set", setting(*pair))]
    words += ["--replications", str(document.replications)]
    is_one = len(tables) == 1
    sheets = [] if is_one else sheets_of(tables)
    sections = [Section("All cases together", figures=[Figure(sheet) for sheet in sheets])] if sheets else []
    sections.append(Section("What is compared", tables=[schemes_of(tables), measures_table(), cases_table(tables)]))
    sections += [section_of(table) for table in tables]
    drawn = [figure.sheet.name for section in sections for figure in section.figures]
    # With one case there is no map: then its own trade-off comes first.
    own = [name for name in drawn if is_one and name.startswith(TRADE_OFF)]
    return Report(
        title=document.title,
        headline=headline(tables),
        summary=f"{counted(len(schemes_in(tables)), 'control scheme')} in {counted(len(tables), 'case')}: each a "
        f"network under a kind of traffic. {counted(document.replications, 'run')} of each, in which the sources send "
        "the same under every scheme, as far as it lets them. What each scheme and each measure is stands below the "
        "overview.",
        sections=sections,
        warnings=[*warnings(tables), *warnings_of(results)],
        lead=next(iter([*own, *drawn]), None),
        beside=sheets[1].name if len(sheets) > 1 else None,
        files=files_of(tables),
        parameters=parameters_of([table.case for table in tables]),
        versions=results.versions(),
        command=shlex.join([*words, "--seed", str(document.seed), "--out", str(results.directory)]),
    )


def sheets_of(tables: Sequence[CaseTable]) -> list[Sheet]:
    """The figures of several cases: the trade-off of the first traffic, the map, then the others and all together."""
    by_traffic, together = trade_offs(tables), trade_off_of_all(tables)
    return [*by_traffic[:1], overview(tables, OVERVIEW), *by_traffic[1:], *([together] if together else [])]


def headline(tables: Sequence[CaseTable], measures: Sequence[Measure] = HEADLINED) -> str:
    """One sentence: the best by each of these measures; by the usual ones over several cases, gains beside losses."""
    if len(tables) > 1 and set(measures) == set(HEADLINED):
        return sentence(tables) or NO_VALUE
    judged = [each for each in measures if each.is_judged]
    if not judged:
        return "By the measures asked for, no scheme is better or worse."
    told = [line for each in judged if (line := by_measure(tables, each, with_loss=LOSS in measures))]
    over = f"Over {len(tables)} cases, " if len(tables) > 1 else ""
    line = f"{over}{'; '.join(told)}"
    return f"{line[0].upper()}{line[1:]}." if told else NO_VALUE


def by_measure(tables: Sequence[CaseTable], measure: Measure, *, with_loss: bool) -> str:
    """The best by a measure: of one case which, of several the schemes that are most often among the best."""
    columns = [table.column(measure, table.case.main if measure.by_class else "") for table in tables]
    found = [column for column in columns if column is not None and column.standings]
    if not found:
        return ""
    if len(tables) == 1:
        prices = {name: price(tables[0], name, measure) if with_loss else "" for name in found[0].best}
        best = [f"{quoted(name)} ({own})" if own else quoted(name) for name, own in prices.items()]
        return f"{measure.label}: {named(best)} {best_words(found[0])}"
    counts = Counter(name for column in found for name in column.best)
    most = max(counts.values())
    best = [quoted(name) for name, count in counts.items() if count == most]
    return (
        f"{measure.label}: {named(best)} {'is' if len(best) == 1 else 'are'} among the best in {most} of {len(found)}"
    )


def price(table: CaseTable, name: str, measure: Measure) -> str:
    """What a scheme that is best by goodput loses for it; else nothing."""
    lost = table.column(LOSS, table.case.main)
    if measure is not GOODPUT or lost is None or name not in lost.samples:
        return ""
    mean = lost[name].estimate.mean
    return f"loses {100 * mean:.2g} % of what it sends" if mean else "loses nothing"


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
    told = unsettled(tables)
    short = [table.case.name for table in tables if round_trips(table.case) < ROUND_TRIPS * (1 - 1e-9)]
    if short:
        told.append(f"Short: fewer than {ROUND_TRIPS} round trips are measured in {places(short, tables)}.")
    few = [table for table in tables if len(table.replications) < ENOUGH]
    if few:
        least = min(len(table.replications) for table in few)
        told.append(
            f"Only {counted(least, 'replication')}: a tie may only say that there are too few to tell. Try "
            f"--replications {ENOUGH}."
        )
    fixed = [table.case.name for table in tables if table.constant]
    if fixed:
        told.append(
            f"Without randomness: in {places(fixed, tables)}, all replications of some schemes are the same run. "
            "They count as one, and have no interval. Give greedy sources a random phase."
        )
    same = {names: [t.case.name for t in tables if names in t.identical] for names in _identical(tables)}
    told += [
        f"Identical runs: {' and '.join(map(quoted, names))} do the same in {places(cases, tables)}."
        for names, cases in same.items()
    ]
    return [*told, *misfits(tables), *traces(tables)]


def unsettled(tables: Sequence[CaseTable]) -> list[str]:
    """How many of the cells had not settled, and those that drift."""
    cells = [(table.case.name, name, own.verdict) for table in tables for name, own in table.settling.items()]
    drifting = [f"{quoted(name)} in {case}" for case, name, verdict in cells if verdict == DRIFTING]
    few = sum(verdict == OPEN for _, _, verdict in cells)
    if not drifting and not few:
        return []
    parts = [f"{len(drifting)} of {len(cells)} cells drift ({named(drifting)})"] if drifting else []
    parts += [f"of {few} of {len(cells)} cells the runs are too few to tell"] if few else []
    return [f"Not settled: {', and '.join(parts)}. They are hollow in the pictures, and marked in the tables."]


def misfits(tables: Sequence[CaseTable]) -> list[str]:
    """The parameters of schemes that probably do not fit a network, each once, with the cases."""
    found: dict[str, list[str]] = {}
    for table in tables:
        for name, scenario in table.case.scenarios.items():
            for line in feedback_warnings(scenario.meetings()):
                found.setdefault(f"{name}: {line}", []).append(table.case.name)
    return [f"{line} ({places(cases, tables)})" for line, cases in found.items()]


def traces(tables: Sequence[CaseTable]) -> list[str]:
    """What a reader must know of the traces that the cases send, each once, with the cases."""
    found: dict[str, dict[str, None]] = {}
    for table in tables:
        for scenario in table.case.scenarios.values():
            for line in open_loop(scenario):
                found.setdefault(line, {})[table.case.name] = None
    return [f"{line} ({places(list(cases), tables)})" for line, cases in found.items()]


def places(names: Sequence[str], tables: Sequence[CaseTable]) -> str:
    """Some of the cases, for readers."""
    if len(names) == len(tables):
        return "every case" if len(tables) > 1 else "this case"
    return f"{len(names)} cases, such as {names[0]}" if len(names) > MOST_NAMED else "; ".join(names)


def _identical(tables: Sequence[CaseTable]) -> list[tuple[str, ...]]:
    return list(dict.fromkeys(names for table in tables for names in table.identical))


def section_of(table: CaseTable) -> Section:
    """A case: its tables, and its figures with their data and scenarios."""
    case = table.case
    downloads = {f"{name}.toml": scenario_file(case, name) for name in case.scenarios}
    figures = [*figures_of(table, {"league.csv": TABLE_FILE}, downloads)]
    if table.readings is not None:
        pair, which = pair_of(table, table.readings)
        sheet, file = against_time(case, table.readings, pair, which), readings_file(case)
        links = {Path(file).name: file, **downloads}
        figures.append(Figure(sheet, data=links, runs=packed(table.readings, pair)))
    return Section(case.title, text_of(table), tables=tables_in(table), figures=figures)


def figures_of(table: CaseTable, data: Mapping[str, str], downloads: Mapping[str, str]) -> Iterator[Figure]:
    """The bars and the trade-off of each class, each with links to its data and to the scenarios."""
    sheet = bars(table)
    if sheet is not None:
        yield Figure(sheet, data={**data, **downloads})
    for of in dict.fromkeys(table.case.classes.values()):
        sheet = trade_off(table, of)
        if sheet is not None:
            yield Figure(sheet, data={**data, **downloads})


def text_of(table: CaseTable) -> str:
    """The outcome of a case in a sentence, and how long it was measured."""
    case = table.case
    tree = next(iter(case.scenarios.values())).tree
    return (
        f"{headline([table])}\n\nOne round trip takes {duration(case.round_trip_s)} without queues. Each run takes "
        f"{tree['duration']}, of which the first {tree['warm_up']} are its warm-up; {len(table.replications)} "
        "replications count."
    )


def readings_file(case: Case) -> str:
    """The place of the readings of a case beside the page."""
    return f"data/{plain(f'time-{slug(case)}')}.csv"


def scenario_file(case: Case, scheme: str) -> str:
    """The place of a scenario beside the page."""
    return f"scenarios/{plain(f'{slug(case)}-{scheme}')}.toml"


def files_of(tables: Sequence[CaseTable]) -> dict[str, str]:
    """Every scenario as a file, every reading of the busiest line of each case, and every estimate as a table."""
    import polars as pl

    files = {
        scenario_file(table.case, name): scenario.to_toml()
        for table in tables
        for name, scenario in table.case.scenarios.items()
    }
    buffer = io.BytesIO()
    pl.DataFrame(rows_of(tables), infer_schema_length=None).write_csv(buffer)
    readings = {readings_file(each.case): csv(each.readings) for each in tables if each.readings is not None}
    return {**files, **readings, TABLE_FILE: buffer.getvalue().decode()}


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
    to_best = asdict(one.to_best) if one and one.to_best and column.measure.is_judged else {}
    return {
        **{key: own.get(key) for key in ("mean", "low", "high")},
        **{f"to_best{end}": to_best.get(key) for end, key in (("", "mean"), ("_low", "low"), ("_high", "high"))},
        "verdict": one.verdict if one and column.measure.is_judged else None,
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
    tables = list(tables_of(League.of_results(results), results))
    for line in (headline(tables, HEADLINED if measures is MEASURES else measures), *warnings(tables)):
        print_text(line)
    print()
    for table in tables:
        columns = [column for column in table.columns if column.measure in measures]
        made = with_settled(table, matrix(table, columns, table.case.title))
        measured = [column for column in columns if column.standings]
        missing = {name: reason_everywhere(table, measured, name) for name in table.case.schemes}
        cells = [dict(zip(made.columns, map(shown, row), strict=True)) for row in made.rows if not missing[str(row[0])]]
        print_table(made.title, [(name, name, str) for name in made.columns], cells)
        for name, reason in missing.items():
            if reason:
                print_text(f"{name} {reason}" if name in table.case.refused else f"{name}: {reason}")
        if any(missing.values()):
            print()
    print_text(f"{NOTE} {INTERVALS_NOTE}")
    if any(table.settling for table in tables):
        print_text(SETTLED_NOTE)


def wanted(names: Sequence[str], league: League) -> Sequence[Measure]:
    """The measures of these keys, by default all. Raises :class:`InputError` for one that no case has."""
    known = {each.key: each for each in MEASURES}
    for name in names:
        require_known("measure", name, known, "--measure")
        reasons = {case.name: lacks(case, known[name]) for case in league.cases}
        if all(reasons.values()):
            (case, reason), *_ = reasons.items()
            told = f"no network of this league has this measure (of {case}: {reason})"
            raise InputError(told, path="--measure", value=name, remedy="choose another, or change the traffic")
    return [known[name] for name in names] or MEASURES


def outcome(results: Results) -> Outcome:
    """Its first sentence."""
    return headline(list(tables_of(League.of_results(results), results))), []


OUTPUT = Output(KIND, page_of, outcome)

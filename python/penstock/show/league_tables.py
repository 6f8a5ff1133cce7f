"""The tables of a league: schemes by measures, differences to the best, and what is compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from penstock.core.scenario import schemes as known_schemes
from penstock.core.units import seconds
from penstock.league.league import DATA, Case
from penstock.league.measures import MEASURES
from penstock.league.settling import LEAST_QUEUE, OF_LINE, OF_QUEUE
from penstock.league.table import CaseTable, Column
from penstock.show.league_figures import STAR, UNITS, label_of, schemes_in, unit_of
from penstock.show.report import Cell, Table

NOTE = (
    f"Means over the replications. {STAR} marks the best of a column and those that do not differ significantly from "
    "it: one group of ties. The differences to the best are paired, replication by replication on the same random "
    "numbers, and adjusted together (Holm): with 95 % probability no scheme of a column lacks a star by chance."
)
INTERVALS_NOTE = (
    "The 95 % interval of each mean is on the page that `penstock report` writes, in its data/league.csv, and in the "
    "output of --json."
)
SETTLED_NOTE = (
    "Settled: yes, if the two halves of the measured time agree. The whole paired 95 % interval of the difference of "
    f"their means must be within {100 * OF_LINE:g} % of the rate for the utilisation of the busiest line, and within "
    f"{100 * OF_QUEUE:g} % or {LEAST_QUEUE:g} PDUs for its queue. Drifting: an interval is wholly outside. Else the "
    "runs are too few to tell."
)
MOST_GROUPS = 8
"""The groups of a class that a note names."""
STARRED = f"{STAR}\N{NO-BREAK SPACE}"


def tables_in(table: CaseTable) -> list[Table]:
    """Every scheme by every measure, the differences to the best, and the other classes of traffic."""
    case = table.case
    own = [column for column in table.columns if column.of in ("", case.main)]
    made = [with_settled(table, matrix(table, own, f"{case.title}: all measures")), differences_table(table, own)]
    others = [of for of in dict.fromkeys(case.classes.values()) if of != case.main]
    made += [matrix(table, [each for each in table.columns if each.of == of], f"{case.title}: {of}") for of in others]
    return made


def matrix(table: CaseTable, columns: Sequence[Column], title: str) -> Table:
    """Schemes against measures; columns in which no scheme has a value are a note."""
    shown = [column for column in columns if column.standings]
    empty = [column for column in columns if not column.standings]
    units = [unit_of(column.measure, [one.estimate.mean for one in column.standings]) for column in shown]
    rows: list[list[Cell]] = []
    for name in table.case.schemes:
        if shown and (reason := reason_everywhere(table, shown, name)):
            rows.append([name, reason, *([None] * (len(shown) - 1))])
            continue
        rows.append([name, *(cell(column, name, size) for column, (size, _) in zip(shown, units, strict=True))])
    reasons = [f"No {label_of(column, '')}: {reason_of(table, column)}." for column in empty]
    headings = [heading(table, column, unit) for column, (_, unit) in zip(shown, units, strict=True)]
    merged = together(table.case, dict.fromkeys(column.of for column in shown))
    return Table(title, ["scheme", *headings], rows, note=" ".join([NOTE, *merged, *reasons]))


def together(case: Case, classes: Iterable[str]) -> list[str]:
    """A sentence for each of these classes that has several groups of flows."""
    told = []
    for of in classes:
        groups = [group for group, own in case.classes.items() if own == of]
        if len(groups) > 1:
            more = f" and {len(groups) - MOST_GROUPS} more" if len(groups) > MOST_GROUPS else ""
            told.append(
                f"The values of {of} are those of {len(groups)} groups of flows together, in which each PDU and each "
                f"message counts once: {', '.join(groups[:MOST_GROUPS])}{more}."
            )
    return told


def reason_everywhere(table: CaseTable, columns: Sequence[Column], name: str) -> str:
    """Why a scheme has no value in any column, if the reason is the same in all: one cell tells it."""
    if name in table.case.refused:
        return f"cannot run here: {table.case.refused[name]}"
    reasons = {column.reasons.get(name, "") for column in columns}
    return reasons.pop() if len(reasons) == 1 else ""


def with_settled(table: CaseTable, made: Table) -> Table:
    """The same with the verdict of each scheme on its settling, if there are any."""
    if not table.settling:
        return made
    verdicts = {name: own.verdict for name, own in table.settling.items()}
    rows = [[*row, verdicts.get(str(row[0]))] for row in made.rows]
    return replace(made, columns=[*made.columns, "settled"], rows=rows, note=f"{made.note} {SETTLED_NOTE}")


def heading(table: CaseTable, column: Column, unit: str) -> str:
    """The heading of a column; its class is named if it is not the main one."""
    return label_of(column, unit).replace(f" of {table.case.main}", "")


def reason_of(table: CaseTable, column: Column) -> str:
    """Why no scheme that can run has a value: the reason of the first."""
    return next((column.reasons[name] for name in table.case.scenarios if name in column.reasons), "no run")


def cell(column: Column, name: str, size: float) -> str:
    """The mean of a scheme, with a star if it is among the best; or the reason why there is none."""
    if name in column.reasons:
        return column.reasons[name]
    mean = column[name].estimate.mean / size
    star = STARRED if name in column.best else ""
    count = len(column.samples[name].values)
    if late := column.late.get(name, 0):
        return "never" if late == count else f"{star}{mean:.4g} or more (never in {late} of {count})"
    return f"{star}{mean:.4g}"


def differences_table(table: CaseTable, columns: Sequence[Column]) -> Table:
    """The difference of each scheme to the best of each measure, with its interval."""
    shown = [column for column in columns if len(column.standings) > 1 and column.measure.is_judged]
    units = [unit_of(column.measure, [one.estimate.mean for one in column.standings]) for column in shown]
    rows: list[list[Cell]] = []
    for name in table.case.scenarios:
        cells = [difference(column, name, size) for column, (size, _) in zip(shown, units, strict=True)]
        rows.append([name, *cells])
    headings = [heading(table, column, unit) for column, (_, unit) in zip(shown, units, strict=True)]
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
    ends = "" if low is None or high is None else f" ({signed(low / size)} to {signed(high / size)})"
    tie = STARRED if name in column.best else ""
    return f"{tie}{signed(one.to_best.mean / size)}{ends}"


def signed(value: float) -> str:
    """A difference to three digits."""
    return f"{float(f'{value:.3g}'):+.7g}" if value else "0"


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
        [each.label, each.definition, ("lower" if each.lower_is_better else "higher") if each.is_judged else None]
        for each in MEASURES
    ]
    note = (
        f"A class of traffic is either all flows that the schemes control, {DATA}, or a group of flows without control."
        " The note of a table names the groups of a class that has several."
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
                duration(case.round_trip_s),
                round(round_trips(case)) if case.round_trip_s else None,
                len(case.scenarios),
            ]
        )
    headings = ["case", "lines", "flows", "round trip", "round trips measured", "schemes that run"]
    return Table("The cases", headings, rows)


def duration(length_s: float) -> str:
    """A length of time for readers."""
    size, unit = next((each for each in UNITS["s"] if length_s >= each[0]), UNITS["s"][0])
    return f"{length_s / size:.3g} {unit}"


def round_trips(case: Case) -> float:
    """The measured time of a case in round trips."""
    tree = next(iter(case.scenarios.values())).tree
    measured = seconds(tree["duration"]) - seconds(tree["warm_up"])
    return measured / case.round_trip_s if case.round_trip_s else float("inf")

"""The results of a comparison: rankings with ties, paired differences, and its page."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence
from dataclasses import asdict
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

from penstock.analyse.metric import Metric, metric
from penstock.api.comparison import KIND, Comparison, different_traffic, identical_runs, rankings
from penstock.core.counts import counted, quoted
from penstock.core.scenario import Scenario, are_ready
from penstock.league.league import Case
from penstock.league.table import CaseTable, table_of
from penstock.plot import Panel, Sheet
from penstock.show.feedback import warnings as feedback_warnings
from penstock.show.league import figures_of
from penstock.show.league_tables import measures_table, tables_in
from penstock.show.open_loop import open_loop
from penstock.show.output import Outcome, Output
from penstock.show.report import Figure, Report, Section, Table
from penstock.show.state import warnings_of
from penstock.show.terminal import notes_below, print_table, print_text
from penstock.statistics import VERDICT_WORDS, Difference, Ranked, groups_of_ties, never

if TYPE_CHECKING:
    from penstock.analyse.results import Results

METRICS = ("loss_ratio", "delay_mean_s", "throughput_bps")
"""The default metrics of a comparison."""
MOST_TOLD = 3
"""The most metrics in the headline."""
RANKS = ("rank", "scenario", "mean (95 %)", "tied with")
MOST_WITHOUT_MATRIX = 3
MATRIX_NOTE = "Scenarios with a common letter do not differ significantly; a is the best group."
TOO_FEW_NOTE = f"Some share a letter because there are {VERDICT_WORDS['too few']}."
IDENTICAL = "identical runs: these parts do not bear on one another"
PAIRS = ("second - first", "difference (all at 95 %)", "")


def scenarios_of(results: Results) -> dict[str, Scenario]:
    """The scenarios that were compared, by name."""
    trees = results.about["details"]["scenarios"]
    return {name: Scenario(json.dumps(tree), "json", name=name) for name, tree in trees.items()}


def metrics_of(results: Results, wanted: Sequence[str] = ()) -> list[Metric]:
    """The metrics to compare by: those given now, or those of the run of the comparison."""
    first = next(iter(scenarios_of(results).values()))
    return [metric(name, first) for name in wanted or results.about["details"]["metrics"]]


@notes_below()
def print_comparison(results: Results, metrics: Sequence[Metric]) -> None:
    """Print rankings and differences on standard output."""

    def show(title: str, headings: Sequence[str], lines: Sequence[Sequence[object]]) -> None:
        columns: list[tuple[str, str, Callable[[Any], str]]] = [(name, name, str) for name in headings]
        print_table(title, columns, [dict(zip(headings, line, strict=True)) for line in lines])

    identical = identical_runs(results)
    for line in identical_notes(results):
        print_text(line)
    compared = all_rankings(results, metrics)
    if matrix := matrix_of(compared):
        show(matrix.title, matrix.columns, matrix.rows)
        print_text(matrix.note)
        print()
    for found in compared:
        show(heading(found), RANKS, [rank_cells(found, one) for one in found.ranking])
        show("Paired differences", PAIRS, [difference_cells(one, identical) for one in found.differences])


def all_rankings(results: Results, metrics: Sequence[Metric]) -> list[Comparison]:
    """The rankings by all metrics."""
    return [found for each in metrics for found in rankings(results, each)]


def to_json(results: Results, metrics: Sequence[Metric]) -> list[dict[str, Any]]:
    """The rankings as plain data, in SI units."""
    return [
        {
            "metric": str(found.metric),
            "of": found.of,
            "replications": found.replications,
            "better": "lower" if found.metric.lower_is_better else "higher",
            "ranking": [asdict(one) for one in found.ranking],
            "differences": [
                asdict(one) | {"significant": one.significant, "verdict": one.verdict} for one in found.differences
            ],
        }
        for found in all_rankings(results, metrics)
    ]


def page_of(results: Results) -> Report:
    """The page of a comparison."""
    scenarios = scenarios_of(results)
    details = results.about["details"]
    words = ["penstock", "compare", *details["words"]]
    words += [word for name in details["metrics"] for word in ("--metric", name)]
    words += ["--replications", str(details["replications"]), "--seed", str(details["seed"])]
    command = shlex.join([*words, "--out", str(results.directory)]) if details["words"] else ""
    found = all_rankings(results, metrics_of(results))
    identical = identical_runs(results)
    sheets = [sheet_of(each) for each in found]
    matrix = matrix_of(found)
    sections = [Section("All scenarios", tables=[matrix])] if matrix else []
    table = table_of(Case.of_scenarios(scenarios), results)
    for each, sheet in zip(found, sheets, strict=True):
        tables = [
            Table("Ranking", RANKS, [rank_cells(each, one) for one in each.ranking]),
            Table("Paired differences", PAIRS, [difference_cells(one, identical) for one in each.differences]),
        ]
        sections.append(Section(heading(each), tables=tables, figures=[Figure(sheet)]))
    if table.replications:
        sections.append(as_league(table))
    return Report(
        title=f"Comparison of {' and '.join(scenarios)}",
        headline=headline(found),
        summary="Every scenario was run for the same seed and replications, so that flows of the same name and "
        "traffic sent the same.",
        sections=sections,
        warnings=[
            *warnings_of(results),
            *(f"The traffic differs: {line}." for line in different_traffic(scenarios)),
            *(
                f"{name}: {line}"
                for name, own in scenarios.items()
                for line in feedback_warnings(own.meetings(), is_ready=are_ready(details["words"]))
            ),
            *dict.fromkeys(line for own in scenarios.values() for line in open_loop(own)),
        ],
        lead=lead_of(found, sheets),
        parameters={name: scenario.to_toml() for name, scenario in scenarios.items()},
        versions=results.versions(),
        command=command,
    )


def as_league(table: CaseTable) -> Section:
    """The measures of a league, of which a comparison is one network."""
    text = "The measures of `penstock league`, whatever the metrics: each with the differences to its best only."
    figures = [*figures_of(table, {}, {})]
    return Section("All measures", text, tables=[*tables_in(table), measures_table()], figures=figures)


def headline(found: Sequence[Comparison]) -> str:
    """One sentence: the best by each metric, as far as replications can tell."""
    if not found:
        return "No metric has values in all scenarios."
    told = []
    for each in found:
        best = [one.name for one in each.ranking if one.rank == 1]
        is_tie = len(best) > 1 or any(one.rank > 1 and one.name in each.ranking[0].tied for one in each.ranking)
        what = f"{each.metric.label} of {each.of}"
        told.append(f"{what}: {'no clear best' if is_tie else f'{quoted(best[0])} is best'}")
    more = f"; and {len(told) - MOST_TOLD} more below" if len(told) > MOST_TOLD else ""
    sentence = "; ".join(told[:MOST_TOLD])
    return f"{sentence[0].upper()}{sentence[1:]}{more}."


def lead_of(found: Sequence[Comparison], sheets: Sequence[Sheet]) -> str | None:
    """The figure with the most significant differences, the first of several."""
    counts = [sum(one.significant for one in each.differences) for each in found]
    return sheets[counts.index(max(counts))].name if counts else None


def sheet_of(found: Comparison) -> Sheet:
    """Every replication of every scenario, with means and intervals."""
    rows = {name: own.values for name, own in found.samples.items()}
    estimates = {one.name: one.estimate for one in found.ranking}
    return Sheet(
        name=f"{found.metric}-{found.of}".replace("/", "-"),
        title=f"{found.metric.label} of {found.of}: every replication",
        caption="Dots: replications; diamond: their mean, with its own 95 % interval. The table of paired differences "
        "shows which differ significantly; its intervals are narrower.",
        panels=[Panel("", "", rows=rows, estimates=estimates, title=found.metric.label)],
        panel_height=0.6 + 0.4 * len(rows),
    )


def heading(found: Comparison) -> str:
    """The heading of a comparison."""
    better = "lower" if found.metric.lower_is_better else "higher"
    return f"{found.metric.label} of {found.of}, {better} is better, {counted(found.replications, 'replication')}"


def rank_cells(found: Comparison, one: Ranked) -> list[str]:
    """A line of a ranking; a rank that is not decided is a range."""
    place = str(one.rank) if one.last == one.rank else f"{one.rank} to {one.last}"
    note = f" ({one.note})" if one.note else ""
    return [place, one.name, mean_of(found, one), f"{', '.join(map(quoted, one.tied)) or '-'}{note}"]


def mean_of(found: Comparison, one: Ranked) -> str:
    """The mean with its interval, or the bound without events."""
    sample = found.samples[one.name]
    if any(sample.values) or not sample.trials:
        return str(one.estimate)
    return never(sample.counted, unit="PDUs", is_random=not sample.constant)


def difference_cells(one: Difference, identical: Sequence[tuple[str, ...]]) -> list[str]:
    """A line of the table of differences; ``identical`` are the groups of scenarios whose runs agree."""
    same = any(one.first in names and one.second in names for names in identical)
    return [f"{one.second} - {one.first}", str(one.estimate), IDENTICAL if same else VERDICT_WORDS[one.verdict]]


def matrix_of(found: Sequence[Comparison]) -> Table | None:
    """Scenarios against metrics, if there are more than three; letters mark the groups of ties, ``a`` the best."""
    names = list(found[0].samples) if found else []
    if len(names) <= MOST_WITHOUT_MATRIX:
        return None
    columns = [cells_with_letters(each) for each in found]
    undecided = any(one.note for each in found for one in each.ranking)
    return Table(
        "All scenarios and metrics",
        ["scenario", *(f"{each.metric.label} of {each.of}" for each in found)],
        [[name, *(column[name] for column in columns)] for name in names],
        note=f"{MATRIX_NOTE} {TOO_FEW_NOTE}" if undecided else MATRIX_NOTE,
    )


def cells_with_letters(found: Comparison) -> dict[str, str]:
    """The mean of each scenario, with the letters of its groups of ties."""
    groups = groups_of_ties(found.ranking)
    letters = {one.name: [place for place, group in enumerate(groups) if one.name in group] for one in found.ranking}
    return {one.name: f"{one.estimate.mean:.4g} {''.join(map(letter, letters[one.name]))}" for one in found.ranking}


def letter(place: int) -> str:
    """``a`` to ``z``, then ``a1`` to ``z1``, and so on."""
    turn, rest = divmod(place, len(ascii_lowercase))
    return ascii_lowercase[rest] + (str(turn) if turn else "")


def identical_notes(results: Results) -> list[str]:
    """One line for each group of scenarios whose runs agree."""
    return [f"{' and '.join(map(quoted, names))}: {IDENTICAL}" for names in identical_runs(results)]


def outcome(results: Results) -> Outcome:
    """The rankings, and what they say in one sentence."""
    found = all_rankings(results, metrics_of(results))
    matrix = matrix_of(found)
    tables = (
        [matrix]
        if matrix
        else [
            Table(
                heading(each),
                list(RANKS),
                [rank_cells(each, one) for one in each.ranking],
            )
            for each in found[:3]
        ]
    )
    return headline(found) if found else "", tables


OUTPUT = Output(KIND, page_of, outcome)

"""The results of a comparison: rankings with ties, paired differences, and its page."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from penstock.analyse.metric import Metric, metric
from penstock.api.comparison import Comparison, different_traffic, rankings
from penstock.core.scenario import Scenario
from penstock.plot import Panel, Sheet
from penstock.show.report import Figure, Report, Section, Table
from penstock.statistics import Difference, Ranked, never

if TYPE_CHECKING:
    from penstock.analyse.results import Results

METRICS = ("loss_ratio", "delay_mean_s", "throughput_bps")
"""The default metrics of a comparison."""
RANKS = ("rank", "scenario", "mean (95 %)", "tied with")
PAIRS = ("second - first", "difference (all at 95 %)", "")


def scenarios_of(results: Results) -> dict[str, Scenario]:
    """The scenarios that were compared, by name."""
    trees = results.about["details"]["scenarios"]
    return {name: Scenario(json.dumps(tree), "json", name=name) for name, tree in trees.items()}


def metrics_of(results: Results, wanted: Sequence[str] = ()) -> list[Metric]:
    """The metrics to compare by: those given now, or those of the run of the comparison."""
    first = next(iter(scenarios_of(results).values()))
    return [metric(name, first) for name in wanted or results.about["details"]["metrics"]]


def print_comparison(results: Results, metrics: Sequence[Metric]) -> None:
    """Print rankings and differences on standard output."""
    from penstock.show.summary import print_table

    def show(title: str, headings: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
        columns: list[tuple[str, str, Callable[[Any], str]]] = [(name, name, str) for name in headings]
        print_table(title, columns, [dict(zip(headings, line, strict=True)) for line in lines])

    for found in all_rankings(results, metrics):
        show(heading(found), RANKS, [rank_cells(found, one) for one in found.ranking])
        show("Paired differences", PAIRS, [difference_cells(one) for one in found.differences])


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
            "differences": [asdict(one) | {"significant": one.significant} for one in found.differences],
        }
        for found in all_rankings(results, metrics)
    ]


def page_of(results: Results) -> Report:
    """The page of a comparison."""
    scenarios = scenarios_of(results)
    details = results.about["details"]
    words = ["penstock", "compare", *details["files"]]
    words += [word for name in details["metrics"] for word in ("--metric", name)]
    words += ["--replications", str(details["replications"]), "--seed", str(details["seed"])]
    command = shlex.join([*words, "--out", str(results.directory)])
    sections = []
    for found in all_rankings(results, metrics_of(results)):
        tables = [
            Table("Ranking", RANKS, [rank_cells(found, one) for one in found.ranking]),
            Table("Paired differences", PAIRS, [difference_cells(one) for one in found.differences]),
        ]
        sections.append(Section(heading(found), tables=tables, figures=[Figure(sheet_of(results, found), command)]))
    notes = different_traffic(scenarios)
    return Report(
        title=f"Comparison of {' and '.join(scenarios)}",
        summary="Every scenario was run for the same seed and replications, so that flows of the same name and "
        "traffic sent the same. " + ("; ".join(notes) if notes else "The traffic is the same in all."),
        sections=sections,
        parameters={name: scenario.to_toml() for name, scenario in scenarios.items()},
        versions=results.versions(),
        command=command,
        complete=results.is_complete(),
    )


def sheet_of(results: Results, found: Comparison) -> Sheet:
    """Every replication of every scenario, with means and intervals."""
    names = dict(results.plan.select("point", "scenario").unique().sort("point").iter_rows())
    values = found.metric.values(results).drop_nulls("value")
    values = values.filter(values["of"] == found.of)
    rows = {name: values.filter(values["point"] == point)["value"].to_list() for point, name in names.items()}
    return Sheet(
        name=f"{found.metric}-{found.of}".replace("/", "-"),
        title=heading(found),
        caption="Dots: replications; diamond: their mean, with its own 95 % interval. The table of paired differences "
        "shows which differ significantly; its intervals are narrower.",
        panels=[Panel("", "", rows=rows, title=found.metric.label)],
        panel_height=0.6 + 0.4 * len(rows),
    )


def heading(found: Comparison) -> str:
    """The heading of a comparison."""
    better = "lower" if found.metric.lower_is_better else "higher"
    return f"{found.metric.label} of {found.of}, {better} is better, {found.replications} replications"


def rank_cells(found: Comparison, one: Ranked) -> list[str]:
    """A line of a ranking."""
    events, trials = found.counts.get(one.name, (0, 0))
    mean = never(trials, unit="PDUs") if trials and not events else str(one.estimate)
    return [str(one.rank), one.name, mean, ", ".join(one.tied) or "-"]


def difference_cells(one: Difference) -> list[str]:
    """A line of the table of differences."""
    told = "significant" if one.significant else "not significant"
    return [f"{one.second} - {one.first}", str(one.estimate), told]

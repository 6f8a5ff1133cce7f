"""The figures of a scenario, a simulation or results in one call, for a notebook and as files."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import islice
from pathlib import Path

from penstock.analyse.estimates import sample
from penstock.analyse.metric import NAMES, Metric, metric
from penstock.analyse.metric import rows_of as own_rows
from penstock.analyse.replications import warning
from penstock.analyse.results import Results
from penstock.api.comparison import rankings
from penstock.api.run import Result
from penstock.api.simulation import Simulation
from penstock.core.errors import InputError, did_you_mean
from penstock.core.scenario import Scenario
from penstock.plot import DARK, Panel, Sheet, Tail, inline, save, tails
from penstock.show import comparison, sweep
from penstock.show.network import network_figure
from penstock.show.summary import ACCESS
from penstock.show.sweep_figures import of_metric
from penstock.show.trace import sheets as trace_sheets
from penstock.statistics import Sample

NETWORK, TIME, DELAYS = "network", "time", "delays"
MOST_ROWS = 20
MOST_FIGURES = 6
DARK_PAGES = ('[data-jp-theme-light="false"] {0}', "body.vscode-dark {0}", '[data-theme="dark"] {0}')
"""How notebooks say that their page is dark: JupyterLab, Visual Studio Code, and themes of documentation."""


@dataclass(frozen=True, slots=True)
class Plots:
    """Figures: a notebook shows them, :meth:`save` writes them."""

    sheets: Sequence[Sheet]

    def save(self, directory: str | Path) -> list[Path]:
        """Write each as SVG and as PNG into a directory; returns the files. Raises :class:`InputError`."""
        return [file for sheet in self.sheets for file in save(sheet, directory)]

    def __repr__(self) -> str:
        return f"<Plots: {', '.join(sheet.title for sheet in self.sheets)}>"

    def _repr_html_(self) -> str:
        """The figures with their titles and captions, in the colours of a light or a dark notebook."""
        told = repr([(sheet.name, sheet.title, sheet.told, sheet.panels) for sheet in self.sheets])
        prefix = f"p{hashlib.sha256(told.encode()).hexdigest()[:10]}."
        shared, drawings = inline(self.sheets, prefix)
        figures = "".join(
            f"<figure><b>{escape(sheet.title)}</b>{drawing}<figcaption>{escape(sheet.told)}</figcaption></figure>"
            for sheet, drawing in zip(self.sheets, drawings, strict=True)
        )
        return f'<div class="penstock-plots"><style>{style()}</style>{shared}{figures}</div>'


def style() -> str:
    """The colours of the drawings on a light and on a dark page."""
    name = ".penstock-plots"
    light = "".join(f"--c-{file[1:]}:{file};" for file in DARK)
    dark = "".join(f"--c-{file[1:]}:{colour};" for file, colour in DARK.items())
    rules = [
        f"{name}{{{light}background:var(--c-ffffff);color:var(--c-000000);padding:.4em .8em;max-width:70em}}",
        f"{','.join(each.format(name) for each in DARK_PAGES)}{{{dark}}}",
        f"{name} figure{{margin:.4em 0 1em}}",
        f"{name} figure svg{{display:block;max-width:100%;height:auto;fill:var(--c-000000);stroke-linejoin:round;"
        "stroke-linecap:butt}",
        f"{name} figcaption{{font-size:12px;opacity:.75}}",
    ]
    return "".join(rules)


def plots_of(thing: object, what: str) -> Plots:
    """The figures of an object. Raises :class:`InputError` for what there is not."""
    if isinstance(thing, Simulation):
        return of_result(thing.result(), what)
    if isinstance(thing, Result):
        return of_result(thing, what)
    if isinstance(thing, Results):
        return of_results(thing, what)
    if what not in ("", NETWORK):
        raise InputError("a scenario has no results", path="what", value=what, remedy="run it, and plot its result")
    return Plots([network_figure(Scenario.of(thing))])  # type: ignore[arg-type]


def of_result(result: Result, what: str) -> Plots:
    """The figures of a result."""
    scenario = Scenario.of(result.manifest["scenario"])
    what = what or (TIME if result.series.height else NETWORK)
    if what == NETWORK:
        return Plots([network_figure(scenario, result)])
    if what == TIME:
        if not result.series.height:
            raise nothing(what, "there are no readings", 'run scenario.with_({"measure.sample": "10 ms"})')
        return Plots(trace_sheets(scenario, result))
    if what == DELAYS:
        return Plots([delays(scenario, result)])
    return Plots([rows_of(scenario, result, named(what, scenario, (NETWORK, TIME, DELAYS)))])


def of_results(results: Results, what: str) -> Plots:
    """The figures of one metric of a sweep or a comparison."""
    kind = results.about["kind"]
    if kind == "sweep":
        base = sweep.scenario_of(results)
        each = named(what, base, ()) if what else sweep.metrics_of(results)[0]
        found = list(islice(of_metric(results, each), MOST_FIGURES))
    elif kind == "comparison":
        first = next(iter(comparison.scenarios_of(results).values()))
        each = named(what or comparison.METRICS[0], first, ())
        found = [comparison.sheet_of(one) for one in rankings(results, each)][:MOST_FIGURES]
    else:
        remedy = "open its page: `penstock report DIR --open`"
        raise InputError(f"a {kind} has no figures of one metric", path="what", value=what or kind, remedy=remedy)
    if not found:
        raise nothing(str(each), "no run has a value of it yet", "run the experiment to its end")
    return Plots(found)


def named(what: str, scenario: Scenario, others: Sequence[str]) -> Metric:
    """The metric of a name. Raises :class:`InputError` with the names of other figures, too."""
    try:
        return metric(what, scenario)
    except InputError as error:
        remedy = did_you_mean(what, others) or error.remedy
        raise InputError("there is no such figure or metric", path="what", value=what, remedy=remedy) from None


def nothing(what: str, reason: str, remedy: str) -> InputError:
    """The error for a figure that has nothing to show."""
    return InputError(reason, path="what", value=what, remedy=remedy)


def delays(scenario: Scenario, result: Result) -> Sheet:
    """The distribution of the delays of each group, of all replications together."""
    import polars as pl

    result = result.independent()
    counted = result.distributions.filter(pl.col("count") > 0)
    rows = counted.group_by("group", "delay_s", maintain_order=True).sum()
    if not rows.height:
        remedy = 'run scenario.with_({"measure.distributions": True})'
        raise nothing(DELAYS, "there are no distributions of delays", remedy)
    found = [
        Tail(str(group), {1e3 * delay: count for delay, count in part.select("delay_s", "count").iter_rows()})
        for (group,), part in rows.group_by("group", maintain_order=True)
    ]
    title = f"{scenario.title or scenario.name}: delays"
    return tails("delays", title, found, x_label="delay (ms)")


def rows_of(scenario: Scenario, result: Result, each: Metric) -> Sheet:
    """A metric of each group or port: a value for each replication, and the mean with its interval."""
    import polars as pl

    name = NAMES[each.table]
    table = own_rows(each.table, getattr(result.independent(), each.table))
    others = [pl.col(column).alias(label) for label, column in each.kind.columns.items()]
    found: dict[str, Sample] = {}
    for (of,), part in table.select(name, each.value.fill_nan(None), *others).group_by(name, maintain_order=True):
        own = sample(each.kind, part)
        if own.values and (str(of) == each.name if each.name else not str(of).startswith(ACCESS)):
            found[str(of)] = own
    if not found:
        raise nothing(str(each), "no run has a value of it", "choose a metric that the run measures")
    shown = dict(islice(found.items(), MOST_ROWS))
    panel = Panel(
        each.label,
        "",
        rows={of: list(own.values) for of, own in shown.items()},
        estimates={of: own.estimate() for of, own in shown.items()},
    )
    count = len(result.manifest["runs"])
    told = [f"{count} replications: means with 95 % intervals." if count > 1 else "One replication."]
    if result.constant:
        told = [f"{warning(count)}."]
    if len(found) > len(shown):
        told.append(f"The first {len(shown)} of {len(found)}.")
    title = f"{scenario.title or scenario.name}: {each.label}"
    return Sheet(str(each).replace(".", "-"), title, " ".join(told), [panel])

"""Penstock: a simulator of network congestion control.

>>> import penstock
>>> scenario = penstock.Scenario.load("satellite/1-case-2").with_({"flow.voice.count": 40})
>>> result = penstock.run(scenario, seed=1, replications=3)
>>> result.groups.select("replication", "group", "loss_ratio", "delay_p99_s")
>>> sweep = penstock.Sweep(scenario, [{"flow.voice.count": [40, 60, 80]}], replications=5)
>>> sweep.run("out/voice", jobs=2).table("groups")

Names are imported at their first use, so that a worker process loads little more than the engine.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

from penstock.core.face import Renderers, draw_with

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from typing import Any

    from penstock._engine import __version__ as __version__
    from penstock.analyse.estimates import PointEstimate as PointEstimate
    from penstock.analyse.estimates import estimates as estimates
    from penstock.analyse.metric import Metric as Metric
    from penstock.analyse.metric import metric as metric
    from penstock.analyse.results import Results as Results
    from penstock.api.capacity import capacity as capacity
    from penstock.api.comparison import Comparison as Comparison
    from penstock.api.comparison import compare as compare
    from penstock.api.comparison import different_traffic as different_traffic
    from penstock.api.comparison import rankings as rankings
    from penstock.api.conditions import first_loss as first_loss
    from penstock.api.conditions import first_mark as first_mark
    from penstock.api.conditions import first_notice as first_notice
    from penstock.api.conditions import queue_above as queue_above
    from penstock.api.conditions import reading_above as reading_above
    from penstock.api.conditions import reading_below as reading_below
    from penstock.api.run import ClassError as ClassError
    from penstock.api.run import Interrupted as Interrupted
    from penstock.api.run import Result as Result
    from penstock.api.run import load_result as load_result
    from penstock.api.run import run as run
    from penstock.api.run import run_all as run_all
    from penstock.api.run import save as save
    from penstock.api.search import search as search
    from penstock.api.simulation import Simulation as Simulation
    from penstock.api.sweep import PointDecision as PointDecision
    from penstock.api.sweep import Sweep as Sweep
    from penstock.api.sweep import decisions as decisions
    from penstock.core.errors import InputError as InputError
    from penstock.core.scenario import Scenario as Scenario
    from penstock.core.scenario import networks as networks
    from penstock.core.scenario import scenarios as scenarios
    from penstock.core.scenario import schema as schema
    from penstock.core.scenario import schemes as schemes
    from penstock.execute.executors import ClusterLostError as ClusterLostError
    from penstock.execute.experiment import State as State
    from penstock.execute.worker import Outcome as Outcome
    from penstock.execute.worker import Task as Task
    from penstock.generating.leo import leo_line as leo_line
    from penstock.generating.outages import outages as outages
    from penstock.generating.rain import rain_line as rain_line
    from penstock.importing import import_network as import_network
    from penstock.importing.opportunities import import_opportunities as import_opportunities
    from penstock.importing.opportunities import import_rates as import_rates
    from penstock.importing.trace import import_trace as import_trace
    from penstock.league.league import Case as Case
    from penstock.league.league import League as League
    from penstock.league.table import CaseTable as CaseTable
    from penstock.league.table import tables_of as tables_of
    from penstock.show import page_of as page_of
    from penstock.show.network import network_figure as network_figure
    from penstock.show.plots import Plots

_NAMES = {
    "_engine": ["__version__"],
    "analyse.estimates": ["PointEstimate", "estimates"],
    "analyse.metric": ["Metric", "metric"],
    "analyse.results": ["Results"],
    "api.capacity": ["capacity"],
    "api.comparison": ["Comparison", "compare", "different_traffic", "rankings"],
    "api.conditions": [
        "first_loss",
        "first_mark",
        "first_notice",
        "queue_above",
        "reading_above",
        "reading_below",
    ],
    "api.run": ["ClassError", "Interrupted", "Result", "load_result", "run", "run_all", "save"],
    "api.search": ["search"],
    "api.simulation": ["Simulation"],
    "api.sweep": ["PointDecision", "Sweep", "decisions"],
    "core.errors": ["InputError"],
    "core.scenario": ["Scenario", "networks", "scenarios", "schema", "schemes"],
    "execute.executors": ["ClusterLostError"],
    "execute.experiment": ["State"],
    "execute.worker": ["Outcome", "Task"],
    "generating.leo": ["leo_line"],
    "generating.outages": ["outages"],
    "generating.rain": ["rain_line"],
    "importing": ["import_network"],
    "league.league": ["Case", "League"],
    "league.table": ["CaseTable", "tables_of"],
    "importing.opportunities": ["import_opportunities", "import_rates"],
    "importing.trace": ["import_trace"],
    "show": ["page_of"],
    "show.network": ["network_figure"],
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names}

__all__ = [*_HOMES]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"penstock.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'penstock' has no attribute {name!r}", name=name, obj=sys.modules[__name__])


def __dir__() -> list[str]:
    return sorted(__all__)


def _card(thing: object) -> str:
    from penstock.show.notebook import html_of

    return html_of(thing)


def _plots(thing: object, what: str) -> Plots:
    from penstock.show.plots import plots_of

    return plots_of(thing, what)


def _progress(label: str) -> AbstractContextManager[Callable[[Any], None]]:
    from penstock.show.progress import in_cell

    return in_cell(label)


draw_with(Renderers(_card, _plots, _progress))

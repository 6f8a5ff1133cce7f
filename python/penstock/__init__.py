"""Penstock: a simulator of network congestion control.

>>> import penstock
>>> scenario = penstock.Scenario.load("satellite/1-case-2").with_({"flow.voice.count": 40})
>>> result = penstock.run(scenario, seed=1, replications=3)
>>> result.groups.select("replication", "group", "loss_ratio", "delay_p99_s")
>>> sweep = penstock.Sweep(scenario, [{"flow.voice.count": [40, 60, 80]}], replications=5)
>>> sweep.run("out/voice", jobs=2).table("groups")

Names are imported at their first use, so that a worker process loads little more than the engine. Only ``run`` is
imported at once: it has the name of its module, and must come after it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from penstock.run import run as run

if TYPE_CHECKING:
    from penstock._engine import __version__ as __version__
    from penstock.comparison import compare as compare
    from penstock.errors import InputError as InputError
    from penstock.results import Results as Results
    from penstock.run import Interrupted as Interrupted
    from penstock.run import Outcome as Outcome
    from penstock.run import Result as Result
    from penstock.run import Task as Task
    from penstock.run import run_all as run_all
    from penstock.scenario import Scenario as Scenario
    from penstock.scenario import schema as schema
    from penstock.sweep import Sweep as Sweep

_HOMES = {
    "__version__": "_engine",
    "InputError": "errors",
    "compare": "comparison",
    "Interrupted": "run",
    "Outcome": "run",
    "Result": "run",
    "Results": "results",
    "Scenario": "scenario",
    "Sweep": "sweep",
    "Task": "run",
    "run_all": "run",
    "schema": "scenario",
}

__all__ = ["run", *_HOMES]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"penstock.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'penstock' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})

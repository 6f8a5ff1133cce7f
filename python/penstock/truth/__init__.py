"""Exact results of queueing theory and of the published schemes, to compare a run with.

One module per theory; every function names its source and its formula. This package neither simulates nor imports the
engine.

| module      | theory                                                              |
|-------------|---------------------------------------------------------------------|
| `mm1`       | M/M/1 and M/M/1/K                                                   |
| `md1`       | M/D/1 with its exact tail, M/D/1/K                                  |
| `mg1`       | M/G/1 in order, and with processor sharing                          |
| `periodic`  | nD/D/1: periodic sources of one period                              |
| `priority`  | Cobham's non-preemptive priorities, and preemptive resume           |
| `bucket`    | GCRA; a token bucket fed by an exponential on/off source            |
| `fluid`     | Anick, Mitra and Sondhi: many on/off sources over one line          |
| `fairness`  | max-min rates by water filling                                      |
| `shares`    | the same for the flows of a run                                     |
| `calculus`  | network calculus: bounds on delay and backlog                       |
| `effective` | effective bandwidth of on/off sources                               |
| `erlang`    | Erlang's and Engset's formulas of calls                             |
| `slotted`   | output queues of a slotted switch                                   |
| `window`    | a fixed window over one bottleneck                                  |
| `tcp`       | NewReno, CUBIC, DCTCP in the long run; PFTK                         |
| `becn`      | the BECN study's ideal model: an oscillating queue                  |
| `qcn`       | QCN: samples, factors, fast recovery                                |
| `dcqcn`     | DCQCN as a fluid: the fixed point of equal sources                  |
| `rcp`       | RCP: the rate of a port from period to period                       |
| `hpcc`      | HPCC: the load of a port, and the fixed point of equal sources       |
| `pull`      | credits of receivers: how long an incast takes                       |
| `abr`       | ABR sources without feedback; the missing-RM limit Crm              |
| `satellite` | the satellite study: filtered input rate, slow start, file time     |

Conventions: times are in units of the caller's choice, usually the service time of one cell; `load` is arrival rate
times mean service time. Probabilities are never computed as one minus something close to one.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

__all__ = [
    "abr",
    "becn",
    "bucket",
    "calculus",
    "dcqcn",
    "effective",
    "erlang",
    "fairness",
    "fluid",
    "hpcc",
    "md1",
    "mg1",
    "mm1",
    "periodic",
    "priority",
    "pull",
    "qcn",
    "rcp",
    "satellite",
    "shares",
    "slotted",
    "tcp",
    "window",
]


def __getattr__(name: str) -> ModuleType:
    """A module, at its first use: some need SciPy, which takes longer to load than a run of a small scenario."""
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=sys.modules[__name__])


def __dir__() -> list[str]:
    return sorted(__all__)

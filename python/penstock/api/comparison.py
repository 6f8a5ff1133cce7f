"""Comparison of scenarios with the same traffic: paired differences, and a ranking with ties.

Every random component has its own random stream, named after the component, the seed and the replication. So flows of
the same name and traffic send the same in every scenario (common random numbers), and the difference of two scenarios
in one replication has much less random variation than each of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.analyse.estimates import sample
from penstock.analyse.metric import Metric
from penstock.analyse.results import Results
from penstock.api.paired import run_paired
from penstock.api.run import MOST_REPLICATIONS, limits
from penstock.core.errors import InputError, whole_number
from penstock.core.face import Shown
from penstock.core.scenario import Scenario
from penstock.execute.experiment import ExperimentKind, State, refuse_flood
from penstock.statistics import Difference, Ranked, Sample, differences, rank

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.core.scenario import Source
    from penstock.scheduler import Scheduler


KIND = ExperimentKind(
    "comparison",
    {"scenarios": dict, "words": list, "metrics": list, "seed": int, "replications": int},
)


@dataclass(frozen=True, slots=True)
class Contender:
    """One of the compared scenarios, by its name."""

    name: str
    scenario: Scenario

    @property
    def parameters(self) -> Mapping[str, object]:
        """Its name only."""
        return {"scenario": self.name}

    def build(self) -> Scenario:
        """The scenario."""
        return self.scenario


@dataclass(frozen=True, slots=True)
class Comparison(Shown):
    """How scenarios rank in one metric of one group or port (``of``).

    ``replications`` is the number of replications compared; ``samples`` has the values of each scenario.
    """

    metric: Metric
    of: str
    ranking: Sequence[Ranked]
    differences: Sequence[Difference]
    replications: int
    samples: Mapping[str, Sample]


def compare(
    scenarios: Mapping[str, Source],
    out: str | Path,
    *,
    replications: int = 10,
    seed: int = 1,
    metrics: Sequence[str] = (),
    jobs: int = 1,
    cluster: str | Scheduler | None = None,
    resume: bool = False,
    most_pdus: int | None = None,
    most_memory_gb: int | None = None,
    allow_python: bool = False,
    tell: Callable[[State], None] | None = None,
) -> Results:
    """Run every scenario for the same seed and replications, and store the runs in the directory ``out``.

    ``scenarios`` has a scenario for each name, as :func:`penstock.run` takes it.
    ``metrics`` are the default metrics of a later comparison; ``most_pdus``, ``most_memory_gb`` and ``allow_python``
    are as in :meth:`penstock.Sweep.run`.

    Raises as :meth:`penstock.Sweep.run`.
    """
    if not isinstance(scenarios, Mapping):
        raise InputError("the scenarios have no names", path="scenarios", remedy='give a dict: {"a": "a.toml", ...}')
    if len(scenarios) < 2:
        raise InputError("a comparison needs two scenarios or more", value=", ".join(scenarios), remedy="name another")
    replications = whole_number(replications, "replications", 1, MOST_REPLICATIONS)
    seed = whole_number(seed, "seed", 0, 2**64 - 1)
    refuse_flood(len(scenarios) * replications, "comparison", "compare fewer scenarios, or use fewer replications")
    contenders = [Contender(name, Scenario.of(source).with_({"sweep": None})) for name, source in scenarios.items()]
    details = {
        "scenarios": {contender.name: contender.scenario.tree for contender in contenders},
        "words": _words([contender.scenario for contender in contenders]),
        "metrics": list(metrics),
        "seed": seed,
        "replications": replications,
    }
    return run_paired(
        contenders,
        out,
        KIND,
        " / ".join(scenarios),
        details,
        seed=seed,
        replications=replications,
        jobs=jobs,
        cluster=cluster,
        resume=resume,
        limits=limits(most_pdus, most_memory_gb, allow_python),
        tell=tell,
    )


def _words(scenarios: Sequence[Scenario]) -> list[str]:
    """The arguments of ``penstock compare`` for these scenarios; none if they cannot be given to it."""
    words = [scenario.words() for scenario in scenarios]
    if not all(own and own[1:] == words[0][1:] for own in words):
        return []
    return [own[0] for own in words] + words[0][1:]


def rankings(results: Results, metric: Metric) -> list[Comparison]:
    """One comparison for each group or port that all scenarios have.

    Only replications in which every scenario has a value count.
    """
    import polars as pl

    names = names_of(results)
    rows = metric.values(results).drop_nulls("value")
    comparisons = []
    for (of,), part in rows.group_by(["of"], maintain_order=True) if rows.height else ():
        in_all = part.group_by("replication").len().filter(pl.col("len") == len(names))["replication"]
        shared = part.filter(pl.col("replication").is_in(in_all.to_list())).sort("replication")
        if shared.height:
            samples = {name: sample(metric.kind, shared.filter(pl.col("point") == at)) for at, name in names.items()}
            ranking = rank(samples, lower_is_better=metric.lower_is_better)
            comparisons.append(Comparison(metric, str(of), ranking, differences(samples), len(in_all), samples))
    return comparisons


def identical_runs(results: Results) -> list[tuple[str, ...]]:
    """The scenarios whose runs agree to the last bit in every replication: groups of two or more names."""
    prints: dict[tuple[str, ...], list[str]] = {}
    runs = results.table("runs").sort("point", "replication")
    if runs.height and not results.missing():
        for point, name in names_of(results).items():
            prints.setdefault(tuple(runs.filter(point=point)["fingerprint"]), []).append(name)
    return [tuple(names) for names in prints.values() if len(names) > 1]


def names_of(results: Results) -> dict[int, str]:
    """The name of the scenario of each point."""
    return dict(results.plan.select("point", "scenario").unique().sort("point").iter_rows())


def different_traffic(scenarios: Mapping[str, Scenario]) -> list[str]:
    """The differences in traffic, one line each: groups that only some scenarios have, or whose traffic differs."""
    first, *others = scenarios
    flows = {name: scenario.expanded().tree["flow"] for name, scenario in scenarios.items()}
    lines = []
    for other in others:
        for group in sorted(flows[first].keys() | flows[other].keys()):
            if group not in flows[first] or group not in flows[other]:
                there = first if group in flows[first] else other
                lines.append(f'only {there} has the flows "{group}"')
                continue
            one, two = flows[first][group], flows[other][group]
            differing = [key for key in ("count", "octets", "traffic") if one.get(key) != two.get(key)]
            if differing:
                verb = "differ" if len(differing) > 1 else "differs"
                lines.append(f'{" and ".join(differing)} of the flows "{group}" {verb} between {first} and {other}')
    return lines

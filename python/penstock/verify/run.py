"""Carries out checks: runs their scenarios in this process or in several, and judges what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING

from penstock.api.run import run_all
from penstock.core.errors import whole_number
from penstock.core.scenario import Scenario
from penstock.execute.worker import Outcome, Task, engine_sources, engine_version
from penstock.verify.catalogue import checks
from penstock.verify.judge import Judged, Measured, judge

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

    from penstock.verify.check import Check, Exact, Random, Value

SEED = 1


@dataclass(frozen=True, slots=True)
class Verification:
    """The verdicts on all lines, and what they are about.

    Attributes:
        lines: one verdict for each line.
        quick: whether only the checks that take seconds were run.
        seed: the seed of all runs.
        penstock: the version.
        engine: the digest of the engine's sources.
        events: PDUs that nodes have processed, in all runs.
    """

    lines: Sequence[Judged]
    quick: bool
    seed: int
    penstock: str
    engine: str
    events: int

    @property
    def failed(self) -> list[Judged]:
        """The lines that do not hold."""
        return [line for line in self.lines if line.verdict != "holds"]


def verify(
    *,
    quick: bool = False,
    seed: int = SEED,
    jobs: int = 1,
    progress: Callable[[float], None] | None = None,
    wanted: Sequence[Check] | None = None,
) -> Verification:
    """Run every check of :func:`penstock.verify.catalogue.checks` and compare it with its exact results.

    Args:
        quick: only the checks that take seconds.
        seed: that of all runs. The same seed gives the same verdicts. All lines are judged together at 95 %, so a
            correct engine fails a line for one seed in twenty.
        jobs: number of processes. Does not change the result.
        progress: called from time to time with the share that is done, from 0 to 1.
        wanted: other checks.

    Raises:
        InputError: an invalid argument.
        KeyboardInterrupt: on Ctrl-C or SIGTERM.
    """
    seed = whole_number(seed, "seed", 0, 2**64 - 1)
    chosen = [check for check in (checks() if wanted is None else wanted) if check.quick or not quick]
    tasks = [task for number, check in enumerate(chosen) for task in _tasks(check, seed, key=str(number))]
    measured: list[list[tuple[Random | Exact, list[Value]]]] = [
        [(each, []) for each in check.lines] for check in chosen
    ]
    events = 0
    for outcome in run_all(tasks, jobs, progress=progress):  # with gaps, if it is interrupted
        events += outcome.events
        tables = _tables(outcome)
        for line, values in measured[int(outcome.key)]:
            values.append(line.measure(tables))
    lines = [Measured(check, *own) for check, of_check in zip(chosen, measured, strict=True) for own in of_check]
    return Verification(judge(lines), quick, seed, engine_version(), engine_sources(), events)


def _tasks(check: Check, seed: int, key: str) -> list[Task]:
    """The runs of a check. Its own seed is made from its scenario: no two checks use the same random numbers."""
    scenario = Scenario.parse(check.scenario, name=f"{check.theory}, {check.setting}").to_json()
    own = int.from_bytes(sha256(f"{seed} {scenario}".encode()).digest()[:8], "big")
    return [Task(scenario, own, replication, key) for replication in range(check.replications)]


def _tables(outcome: Outcome) -> Callable[[str], pl.DataFrame]:
    """The tables of a run, each read once."""
    import polars as pl

    @cache
    def table(name: str) -> pl.DataFrame:
        return pl.DataFrame(outcome.tables[name])

    return table

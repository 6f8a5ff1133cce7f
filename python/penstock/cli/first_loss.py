"""``penstock run --until-first-loss``: a run up to its first loss, and the tables so far."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from penstock.cli.command import DONE, FAILED, limits, print_table_of, say

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from penstock.api.run import Result
    from penstock.core.scenario import Scenario

OPTION = "--until-first-loss"
NOT_WITH = {
    "replications": ("--replications", "1", "each replication has a first loss of its own; use --seed for another run"),
    "jobs": ("--jobs", None, "one run has one process; leave it out"),
    "trace": ("--trace", None, "the figures are those of a whole run; leave one of the two out"),
}
"""Options of ``run`` that this one does not go with: the option, its default, and the remedy."""


def run_until_first_loss(scenario: Scenario, seed: int, out: Path | None, options: argparse.Namespace) -> int:
    """Simulate up to the first loss and print it; the status is 1 if there is none."""
    from penstock.api.conditions import first_loss
    from penstock.api.run import limits as limits_of
    from penstock.api.run import save
    from penstock.api.simulation import Simulation
    from penstock.core.units import readable, seconds
    from penstock.show.feedback import rows
    from penstock.show.progress import bar
    from penstock.show.summary import print_summary, summary
    from penstock.show.terminal import print_text

    most = limits_of(**limits(options))
    scenario.check_limits(most.pdus, most.memory)
    duration_s = seconds(scenario.tree["duration"])
    is_lost = first_loss()
    sim = Simulation(scenario, seed, allow_python=most.python)
    with bar(scenario.name, quiet=options.quiet) as progress:

        def look(sim: Simulation) -> bool:
            progress(sim.now_s / duration_s)
            return is_lost(sim)

        sim.run_until(look)
    result = sim.result()
    found = losses(result) if is_lost(sim) else []
    if out is not None:
        files = save(result, out)
        say(f"wrote {len(files)} files to {out}", quiet=options.quiet)
    if options.json:
        first = {"at_s": sim.now_s, "losses": found} if found else None
        told = {"first_loss": first, **summary(result), "feedback": rows(scenario.meetings())}
        print(json.dumps({**told, "manifest": result.manifest}, indent=2))
    elif options.csv:
        print_table_of(result, options)
    else:
        print_text(sentence(scenario, readable(sim.now), found))
        print()
        print_summary(result)
    return DONE if found else FAILED


def losses(result: Result) -> list[dict[str, Any]]:
    """The PDUs lost so far, one row for each place and group of flows."""
    rows = result.losses.select("place", "group", "discarded", "control_discarded")
    return [row for row in rows.to_dicts() if row["discarded"] or row["control_discarded"]]


def sentence(scenario: Scenario, now: str, found: list[dict[str, Any]]) -> str:
    """When and where the first loss is, or that there is none."""
    from penstock.show.trace_panels import pdus

    unit = pdus(scenario)
    if not found:
        return f"no loss: the run ended at {now}, and all {unit} sent are delivered or on their way"
    parts = []
    for row in found:
        count = row["discarded"] + row["control_discarded"]
        parts.append(f"{row['place']} discarded {count} {unit if count > 1 else unit[:-1]} of {row['group']}")
    return f"first loss at {now}: {', '.join(parts)}"

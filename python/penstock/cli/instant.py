"""``penstock run --at TIME --show WHAT``: what the network holds at an instant of a run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from penstock.cli.command import DONE, limits, print_csv, refuse_beside
from penstock.core.errors import InputError, did_you_mean

if TYPE_CHECKING:
    import argparse

    from penstock.core.scenario import Scenario
    from penstock.show.summary import Row

POSITIONS, READINGS = WHAT = ("positions", "readings")
NOT_WITH = {
    "replications": ("--replications", "1", "one instant belongs to one run: use --seed for another"),
    "jobs": ("--jobs", None, "one run has one process: leave it out"),
    "out": ("--out", None, "the tables are those of a whole run: leave one of the two out"),
    "trace": ("--trace", None, "the figures are those of a whole run: leave one of the two out"),
    "table": ("--table", None, "the rows are those of --show: leave it out"),
    "until_first_loss": ("--until-first-loss", False, "both stop the run: leave one of the two out"),
}
"""Options of ``run`` that ``--at`` does not go with: the option, its default, and the remedy."""


def add_instant(parser: argparse.ArgumentParser) -> None:
    """Declare ``--at`` and ``--show``."""
    parser.add_argument("--at", metavar="TIME", help="stop at this time, as 12.4 s, and print what --show names")
    parser.add_argument(
        "--show", metavar="WHAT", help=f"with --at: {POSITIONS} of all PDUs (the default), or all {READINGS}"
    )


def is_asked(options: argparse.Namespace) -> bool:
    """Whether the command is about one instant. Raises :class:`InputError` for options that do not go together."""
    if options.at is None:
        if options.show is not None:
            raise InputError(
                "this shows one instant of the run",
                path="--show",
                value=options.show,
                remedy='add a time of the run, as --at "1 us"',
            )
        return False
    if options.show is not None and options.show not in WHAT:
        remedy = did_you_mean(options.show, WHAT) or f"there are {' and '.join(WHAT)}"
        raise InputError("this cannot be shown", path="--show", value=options.show, remedy=remedy)
    refuse_beside("--at", options, NOT_WITH)
    return True


def show_instant(scenario: Scenario, seed: int, options: argparse.Namespace) -> int:
    """Simulate up to ``--at``, and print what ``--show`` names."""
    from penstock.api.run import limits as limits_of
    from penstock.api.simulation import stopped_at
    from penstock.show.progress import bar

    most = limits_of(**limits(options))
    scenario.check_limits(most.pdus, most.memory)
    with bar(scenario.name, quiet=options.quiet) as progress:
        sim = stopped_at(scenario, options.at, seed, progress, allow_python=most.python)
    shows_readings = options.show == READINGS
    rows = (sim.readings() if shows_readings else sim.positions()).to_dicts()
    if options.json:
        print(json.dumps({"at_s": sim.now_s, READINGS if shows_readings else POSITIONS: rows}, indent=2))
    elif options.csv:
        print_csv(rows)
    elif shows_readings:
        print_readings(sim.now, rows)
    else:
        print_positions(sim.now, rows)
    return DONE


def print_positions(now: str, rows: list[Row]) -> None:
    """Print where every PDU is."""
    from penstock.show.terminal import print_table

    print_table(
        f"PDUs in the network at {now}: {len(rows):,}",
        [
            ("component", "component", str),
            ("place", "place", str),
            ("queue", "queue", _count),
            ("ahead", "ahead", _count),
            ("fraction", "fraction", lambda value: f"{value:.4f}"),
            ("flow", "flow", str),
            ("sequence", "sequence", _count),
            ("kind", "kind", str),
            ("direction", "direction", str),
            ("marks", "marks", str),
        ],
        rows,
    )


def print_readings(now: str, rows: list[Row]) -> None:
    """Print all readings with their units."""
    from penstock.show.terminal import print_table

    print_table(
        f"Readings at {now}",
        [
            ("component", "component", str),
            ("quantity", "quantity", str),
            ("value", "value", lambda value: f"{value:.6g}"),
            ("unit", "unit", str),
        ],
        rows,
    )


def _count(value: int) -> str:
    return f"{value:,}"

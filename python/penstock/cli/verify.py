"""The command ``verify``: the engine against exact results."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from penstock.cli.command import DONE, FAILED, Command, add_format, add_jobs, add_wide, fail, jobs, number

if TYPE_CHECKING:
    import argparse


def verify(options: argparse.Namespace) -> int:
    """``penstock verify``: run what theory has exact results for, and compare."""
    from penstock.show import verify as page
    from penstock.show.progress import bar
    from penstock.verify import verify as carry_out

    seed = number(options.seed, "--seed", 0, 2**64 - 1)
    processes = jobs(options)
    with bar("verify", quiet=options.quiet) as progress:
        found = carry_out(quick=options.quick, seed=seed, jobs=processes, progress=progress)
    if options.json:
        print(json.dumps(page.to_json(found), indent=2))
    else:
        page.print_verification(found)
    if found.failed:
        return fail(page.failure(found), FAILED)
    return DONE


def _add_verify(parser: argparse.ArgumentParser) -> None:
    add_jobs(parser)
    parser.add_argument("--quick", action="store_true", help="only the checks that take seconds: under a minute in all")
    parser.add_argument(
        "--seed", default="1", metavar="N", help="0 to 2**64 - 1 (default: 1); chance fails a line for one seed in 20"
    )
    add_format(parser, "the lines")
    add_wide(parser)


COMMANDS = (
    Command(
        "verify",
        verify,
        "compare the engine with exact results of theory",
        ("penstock verify --quick", "penstock verify --seed 7 --json"),
        _add_verify,
    ),
)

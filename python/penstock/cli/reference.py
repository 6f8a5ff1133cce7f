"""Commands that print the reference: ``help`` and ``schema``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from penstock.cli.command import DONE, Command, add_wide, commands_of

if TYPE_CHECKING:
    import argparse


def tell(options: argparse.Namespace) -> int:
    """``penstock help``: what the reference has about a command, a key, a scheme or a table of results."""
    from penstock.core.errors import InputError
    from penstock.show.reference import print_about

    name, program = " ".join(options.name), options.whole()
    if not name:
        program.print_help()
        return DONE
    commands = dict(commands_of(program))
    try:
        print_about(name, commands)
    except InputError:
        if name not in commands:
            raise
    if name in commands:
        commands[name].print_help()
    return DONE


def schema(_options: argparse.Namespace) -> int:
    """``penstock schema``: print the JSON Schema of scenario files."""
    from penstock.core.scenario import schema as scenario_schema

    print(json.dumps(scenario_schema(), indent=2))
    return DONE


def _add_help(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name",
        metavar="NAME",
        nargs="*",
        help="a command, a path into a scenario, as line.rate or scheme.erica.target, a table of results, as groups, "
        "or a column of it; tables lists these, and parts says which parts of schemes go together",
    )
    add_wide(parser)


COMMANDS = (
    Command(
        "help",
        tell,
        "print what the reference has about a key, a scheme, a table of results or a command",
        (
            "penstock help scheme.erica",
            "penstock help flow.traffic.on_off",
            "penstock help groups.loss_ratio",
            "penstock help run",
        ),
        _add_help,
    ),
    Command("schema", schema, "print the JSON Schema of scenario files", ("penstock schema > scenario.schema.json",)),
)

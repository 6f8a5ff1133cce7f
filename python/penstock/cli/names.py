"""Commands that list what there is: ``scenarios``, ``schemes``, ``networks``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from penstock.cli.command import DONE, Command, add_format, add_wide, print_csv

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping


def scenarios(options: argparse.Namespace) -> int:
    """``penstock scenarios``: list the ready scenario files."""
    from penstock.core.scenario import scenarios as known

    return _list(options, "Ready scenarios", "title", known())


def schemes(options: argparse.Namespace) -> int:
    """``penstock schemes``: list the control schemes."""
    from penstock.core.scenario import schemes as known

    meanings = {name: scheme.meaning for name, scheme in known().items()}
    return _list(options, "Control schemes: scheme = NAME in a scenario", "meaning", meanings)


def networks(options: argparse.Namespace) -> int:
    """``penstock networks``: list the networks by name."""
    from penstock.core.scenario import networks as known

    return _list(options, "Networks by name: [network.NAME] in a scenario", "meaning", known())


def _list(options: argparse.Namespace, title: str, heading: str, named: Mapping[str, str]) -> int:
    """Print names, each with one line about it."""
    rows = [{"name": name, heading: told} for name, told in named.items()]
    if options.json:
        print(json.dumps(rows, indent=2))
    elif options.csv:
        print_csv(rows)
    else:
        from penstock.show.terminal import print_table

        print_table(title, [("name", "name", str), (heading, heading, str)], rows)
    return DONE


def _add_list(parser: argparse.ArgumentParser) -> None:
    add_format(parser, "the list", csv=True)
    add_wide(parser)


COMMANDS = (
    Command(
        "scenarios",
        scenarios,
        "list the ready scenarios",
        ("penstock scenarios", "penstock scenarios --json"),
        _add_list,
    ),
    Command("schemes", schemes, "list the control schemes", ("penstock schemes",), _add_list),
    Command("networks", networks, "list the networks by name", ("penstock networks",), _add_list),
)

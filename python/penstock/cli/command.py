"""Code that the commands share: their declaration, their exit status, and common arguments."""

from __future__ import annotations

import argparse
import re
import shlex
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict

from penstock.core.errors import InputError, require_known, whole_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from penstock.api.run import Result
    from penstock.core.scenario import Scenario
    from penstock.scheduler import Scheduler

DONE, FAILED, BAD_INPUT, DEFECT, INTERRUPTED = 0, 1, 2, 70, 130
SCENARIO = "a scenario file, - for standard input"


class Most(TypedDict):
    """The limits of a run, as keyword arguments."""

    most_pdus: int | None
    most_memory_gb: int | None
    allow_python: bool


@dataclass(frozen=True, slots=True)
class Command:
    """One command: its function, one line of help, examples, and the function that declares its arguments."""

    name: str
    function: Callable[[argparse.Namespace], int]
    help: str
    examples: tuple[str, ...]
    arguments: Callable[[argparse.ArgumentParser], None] = lambda _parser: None


def commands_of(parser: argparse.ArgumentParser, before: str = "") -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """The names of all commands and of their groups, each with its parser."""
    for action in parser._actions:
        if isinstance(action.choices, dict):
            for name, own in action.choices.items():
                yield f"{before}{name}", own
                yield from commands_of(own, f"{before}{name} ")


def fail(paragraph: str, status: int) -> int:
    """Print on standard error, in one paragraph, why the command ends; return ``status``."""
    with suppress(OSError):  # the reader may have ended
        print(f"penstock: {paragraph}", file=sys.stderr)
    return status


def say(message: str, *, quiet: bool) -> None:
    """A message on standard error, folded to its width."""
    if not quiet:
        from penstock.show.terminal import columns, folded

        with suppress(OSError):  # the reader may have ended
            print(folded(message, columns(sys.stderr)), file=sys.stderr)


def add_wide(parser: argparse.ArgumentParser) -> None:
    """Declare ``--wide``."""
    parser.add_argument(
        "--wide", action="store_true", help="print each row on one line, however narrow the terminal is"
    )


def number(text: str, option: str, least: int, most: int | None = None) -> int:
    """``text`` as a whole number in the range; raises ``InputError``."""
    is_number = re.fullmatch(r"[+-]?[0-9]{1,40}", text) is not None
    return whole_number(int(text) if is_number else text, option, least, most)


def jobs(options: argparse.Namespace) -> int:
    """The number of processes: that of ``--jobs``, or one a core."""
    from penstock.api.run import available_cores
    from penstock.execute.executors import MOST_JOBS

    return available_cores() if options.jobs is None else number(options.jobs, "--jobs", 1, MOST_JOBS)


def cluster(options: argparse.Namespace) -> Scheduler | None:
    """The scheduler of ``--cluster`` with its files, if given."""
    from penstock.scheduler import CA_FILE, CERTIFICATE, KEY, Scheduler

    if options.cluster is not None:
        return Scheduler(options.cluster, options.tls_ca_file, options.tls_cert, options.tls_key)
    for option, file in ((CA_FILE, options.tls_ca_file), (CERTIFICATE, options.tls_cert), (KEY, options.tls_key)):
        if file is not None:
            raise InputError(
                "this option needs a cluster", path=option, value=file, remedy="add --cluster tls://host:8786"
            )
    return None


class _Format(argparse.Action):
    """Says the same as ``--json`` does, and the like for CSV."""

    def __call__(
        self, _parser: object, namespace: argparse.Namespace, values: object, _option_string: str | None = None
    ) -> None:
        namespace.json, namespace.csv = values == "json", values == "csv"


def add_format(parser: argparse.ArgumentParser, what: str, *, csv: bool = False) -> None:
    """Declare ``--format`` and ``--json``: in what form a command prints ``what``."""
    forms = ["table", "json", *(["csv"] if csv else [])]
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help=f"print {what} as JSON: as --format json")
    form.add_argument("--format", choices=forms, action=_Format, metavar="FORM", help=f"{', '.join(forms)}")
    parser.set_defaults(csv=False)


def print_csv(rows: Sequence[Mapping[str, object]]) -> None:
    """Print rows as CSV, with a line of headings; an entry of a table within a row has a dot in its heading."""
    import csv

    flat = [_flat(row) for row in rows]
    headings = list(dict.fromkeys(name for row in flat for name in row))
    written = csv.DictWriter(sys.stdout, headings, lineterminator="\n")
    written.writeheader()
    written.writerows(flat)


def _flat(row: Mapping[str, object]) -> dict[str, object]:
    flat: dict[str, object] = {}
    for name, value in row.items():
        if isinstance(value, dict):
            flat |= {f"{name}.{inner}": each for inner, each in _flat(value).items()}
        else:
            flat[name] = value
    return flat


def table_of(options: argparse.Namespace) -> str:
    """The name of the table of ``--table``. Raises :class:`InputError` if there is none, or without CSV."""
    if options.table is None:
        return "groups"
    if not options.csv:
        remedy = "add --format csv, or leave it out"
        raise InputError("only CSV prints one table", path="--table", value=options.table, remedy=remedy)
    from penstock.execute.worker import TABLES

    require_known("table", options.table, TABLES, "--table")
    return str(options.table)


def print_table_of(result: Result, options: argparse.Namespace) -> None:
    """Print the table of ``--table`` as CSV."""
    from penstock.analyse.results import encode

    table = table_of(options)
    sys.stdout.write(encode(result.tables()[table], "csv").decode())
    say_if_unmeasured(table, [result.manifest["scenario"]], quiet=options.quiet)


def say_if_unmeasured(table: str, trees: Iterable[Mapping[str, Any]], *, quiet: bool) -> None:
    """Say which key turns a table of results on, if none of the scenarios, with their defaults, has it."""
    from penstock.core.keys import is_measured, needed

    if not any(is_measured(table, tree) for tree in trees):
        say(f"the table `{table}` is empty: the scenario does not measure it. Add {needed(table)}", quiet=quiet)


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """Declare ``--jobs``."""
    parser.add_argument("--jobs", metavar="N", help="processes to use (default: one a core)")


def refuse_beside(option: str, options: argparse.Namespace, others: Mapping[str, tuple[str, object, str]]) -> None:
    """Raise :class:`InputError` for another option that does not go with ``option``.

    ``others`` has for each name in ``options`` the other option, its default, and the remedy.
    """
    for name, (other, usual, remedy) in others.items():
        value = getattr(options, name)
        if value not in (None, usual):
            raise InputError(f"this does not go with {option}", path=other, value=value, remedy=remedy)


def limits(options: argparse.Namespace) -> Most:
    """What a run may use: ``--most-pdus``, ``--most-memory`` and ``--allow-python``."""

    def limit(text: str | None, option: str, most: int) -> int | None:
        return None if text is None else number(text, option, 1, most)

    return {
        "most_pdus": limit(options.most_pdus, "--most-pdus", 2**64 - 1),
        "most_memory_gb": limit(options.most_memory, "--most-memory", 10**9),
        "allow_python": options.allow_python,
    }


def add_limits(parser: argparse.ArgumentParser) -> None:
    """Declare what a run may use."""
    parser.add_argument("--most-pdus", metavar="N", help="refuse a run that certainly sends more PDUs (default: 10^11)")
    parser.add_argument(
        "--most-memory", metavar="GB", help="refuse a run that certainly needs more gigabytes (default: 8)"
    )
    add_consent(parser)


def add_consent(parser: argparse.ArgumentParser) -> None:
    """Declare ``--allow-python``."""
    parser.add_argument(
        "--allow-python", action="store_true", help="run the scenario's classes in Python: read them first"
    )


def add_set(parser: argparse.ArgumentParser, what: str) -> None:
    """Declare ``--set``."""
    parser.add_argument("--set", action="append", default=[], metavar="PATH=VALUE", help=f"{what}; may be repeated")


def settings(options: argparse.Namespace) -> dict[str, object]:
    """The changes of ``--set``, by path."""
    from penstock.core.settings import parse_value

    changes: dict[str, object] = {}
    for change in options.set:
        path, equals, value = change.partition("=")
        if not equals:
            example = "replications=3" if hasattr(options, "league") else '"duration=10 s"'
            remedy = f"write PATH=VALUE, as --set {example}"
            raise InputError("this sets nothing", path="--set", value=change, remedy=remedy)
        changes[path.strip()] = parse_value(value.strip())
    return changes


def scenario_of(options: argparse.Namespace, source: str, text: str | None = None) -> Scenario:
    """The scenario of a file with the changes of ``--set``; ``text`` is that of the file if it was read already."""
    from penstock.core.scenario import Scenario, name_of, read

    try:
        scenario = Scenario.parse(read(source) if text is None else text, name=name_of(source))
    except InputError:
        from penstock.league.document import is_league

        if is_league(source):
            remedy = f"`penstock league {shlex.quote(source)}` runs it"
            raise InputError("this is the file of a league", file=source, remedy=remedy) from None
        raise
    changes = settings(options)
    return scenario.with_(changes) if changes else scenario


def add_where(parser: argparse.ArgumentParser, default: str) -> None:
    """Declare where an experiment runs and is stored."""
    place = parser.add_mutually_exclusive_group()
    add_jobs(place)  # type: ignore[arg-type]
    place.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="address of a Dask scheduler, as tcp://host:8786: anyone who can reach it can run code on it, so keep "
        "it inside a network that you trust, or use tls://host:8786, which needs a certificate",
    )
    parser.add_argument(
        "--tls-ca-file", metavar="FILE", help="with tls://: certificate of the cluster's authority (PEM)"
    )
    parser.add_argument("--tls-cert", metavar="FILE", help="with tls://: your certificate (PEM)")
    parser.add_argument("--tls-key", metavar="FILE", help="with tls://: its private key (PEM)")
    parser.add_argument("--out", metavar="DIR", help=f"directory for runs and results (default: {default})")
    parser.add_argument("--resume", action="store_true", help="continue an unfinished experiment in DIR")


def add_open(parser: argparse.ArgumentParser) -> None:
    """Declare ``--open``."""
    parser.add_argument("--open", action="store_true", help="write the page of the results, and open it in the browser")


def open_page(path: Path, *, quiet: bool) -> None:
    """Open a page in the user's browser, or say where it is if there is none."""
    import webbrowser

    if not webbrowser.open(path.resolve().as_uri()):
        say(f"there is no browser to open the page in: it is {path}", quiet=quiet)

"""The command ``penstock``. Results go to standard output, progress and messages to standard error.

Exit status: 0 done, 1 failed, 2 bad input, 130 interrupted. Everything heavy is imported by the command that uses it,
so that help is there at once.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from penstock.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from penstock.run import Result
    from penstock.scenario import Scenario

DONE, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130
QUICK, FULL = 3, 20
"""Seeds of ``reproduce --quick``, as the papers have, and of ``--full``."""

LOG_LEVELS = ("debug", "info", "warning", "error")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with ``arguments`` (those of the process if ``None``) and return its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    log_level = "warning"
    try:
        options = parser().parse_args(arguments)
        log_level = options.log_level
        _start_log(log_level)
        status: int = options.command(options)
        sys.stdout.flush()
    except InputError as error:
        return _fail(str(error), BAD_INPUT)
    except KeyboardInterrupt:
        return _fail("interrupted", INTERRUPTED)
    except BrokenPipeError:
        # The reader of the output has gone (`penstock schema | head`); nothing is left to say, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except Exception as error:  # the last resort: a paragraph instead of a traceback
        if log_level == "debug":
            raise
        if isinstance(error, ValueError) and type(error).__module__ == "penstock._engine":
            return _fail(str(error), BAD_INPUT)
        if isinstance(error, OSError):
            return _fail(f"{error.filename or 'a file'}: {error.strerror or error}", FAILED)
        return _fail(f"{type(error).__name__}: {error} (`--log-level debug` shows where)", FAILED)
    return status


def run(options: argparse.Namespace) -> int:
    """``penstock run``: simulate one scenario and print what came of it."""
    from penstock.progress import bar
    from penstock.run import MOST_REPLICATIONS, Interrupted, available_cores
    from penstock.run import run as simulate
    from penstock.store import prepare

    seed = _number(options.seed, "--seed", 0, 2**64 - 1)
    replications = _number(options.replications, "--replications", 1, MOST_REPLICATIONS)
    jobs = available_cores() if options.jobs is None else _number(options.jobs, "--jobs", 1)
    scenario = _scenario(options)
    out = None if options.out is None else prepare(options.out)
    try:
        with bar(scenario.name, quiet=options.quiet) as progress:
            result = simulate(scenario, seed, replications, progress, jobs=jobs)
    except Interrupted as stopped:
        if stopped.result is None:
            raise
        _show(stopped.result, out, options)
        return _fail(f"interrupted: {len(stopped.result.manifest['runs'])} of {replications} replications", INTERRUPTED)
    _show(result, out, options)
    return DONE


def reproduce(options: argparse.Namespace) -> int:
    """``penstock reproduce``: run a published study again; figures, tables and verdicts."""
    from penstock import studies
    from penstock.run import available_cores

    jobs = available_cores() if options.jobs is None else _number(options.jobs, "--jobs", 1)
    return studies.reproduce(
        options.study,
        figure=options.figure,
        replications=FULL if options.full else QUICK,
        jobs=jobs,
        out=Path(options.out) if options.out else Path("out") / options.study,
        quiet=options.quiet,
    )


def scenarios(options: argparse.Namespace) -> int:
    """``penstock scenarios``: list the ready scenario files."""
    import tomllib

    from penstock.scenario import ready

    rows = [
        {"name": name, "title": tomllib.loads(file.read_text(encoding="utf-8")).get("title", "")}
        for name, file in ready().items()
    ]
    if options.json:
        print(json.dumps(rows, indent=2))
    else:
        from penstock.report import print_table

        print_table("Ready scenarios", [("name", "name", str), ("title", "title", str)], rows)
    return DONE


def schema(_options: argparse.Namespace) -> int:
    """``penstock schema``: print the JSON Schema of scenario files."""
    from penstock.scenario import schema as scenario_schema

    print(json.dumps(scenario_schema(), indent=2))
    return DONE


def check(options: argparse.Namespace) -> int:
    """``penstock check``: say whether a scenario can be run."""
    scenario = _scenario(options)
    print(scenario.to_toml() if options.defaults else f"{scenario.name}: sound", end="" if options.defaults else "\n")
    return DONE


@dataclass(frozen=True, slots=True)
class Command:
    """One command: its function, what it does in a line, and examples of its use."""

    name: str
    function: Callable[[argparse.Namespace], int]
    help: str
    examples: tuple[str, ...]


COMMANDS = (
    Command(
        "run",
        run,
        "simulate a scenario: a summary, and Parquet tables on request",
        (
            "penstock run satellite/1-case-2",
            "penstock run my.toml --seed 7 --replications 10 --out results",
            'penstock run satellite/1-case-2 --set flow.voice.count=40 --set "line.satellite.rate=2 Mb/s"',
        ),
    ),
    Command(
        "reproduce",
        reproduce,
        "run a published study again: figures, tables and verdicts",
        ("penstock reproduce satellite --quick", "penstock reproduce satellite --figure 15 --full --out results"),
    ),
    Command("scenarios", scenarios, "list the ready scenarios", ("penstock scenarios", "penstock scenarios --json")),
    Command("schema", schema, "print the JSON Schema of scenario files", ("penstock schema > scenario.schema.json",)),
    Command(
        "check",
        check,
        "say whether a scenario file can be run",
        ("penstock check my.toml", "penstock check satellite/1-case-2 --defaults > mine.toml"),
    ),
)


class _Help(argparse.RawDescriptionHelpFormatter):
    """Keeps examples as they are, and gives names room on one line."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=32)


class _Parser(argparse.ArgumentParser):
    """Tells a slip in the arguments as any other bad input is told."""

    def error(self, message: str) -> NoReturn:
        unknown = re.search(r"unrecognized arguments: (\S+)|invalid choice: '([^']*)'", message)
        remedy = f"`{self.prog} --help` shows what is known"
        if unknown:
            word = unknown[1] or unknown[2]
            options = [option for action in self._actions for option in action.option_strings]
            known = [command.name for command in COMMANDS] if unknown[2] is not None else options
            remedy = did_you_mean(word.split("=")[0], [*known, *_OPTIONS]) or remedy
        raise InputError(message, remedy=remedy)


_OPTIONS = ("--seed", "--replications", "--jobs", "--out", "--set", "--json", "--quiet", "--log-level", "--figure")


def parser() -> argparse.ArgumentParser:
    """The parser of all commands and options."""
    common = _Parser(add_help=False)
    common.add_argument("--quiet", action="store_true", help="no progress and no messages")
    common.add_argument(
        "--log-level",
        choices=LOG_LEVELS,
        default="warning",
        metavar="LEVEL",
        help=f"{', '.join(LOG_LEVELS)} (default: warning)",
    )
    program = _Parser(
        prog="penstock",
        description="A laboratory for network congestion control: fast, exactly repeatable simulation.",
        epilog=_epilog(command.examples[0] for command in COMMANDS),
        formatter_class=_Help,
        allow_abbrev=False,
    )
    program.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    adders = program.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=_Parser)
    parsers = {
        command.name: adders.add_parser(
            command.name,
            help=command.help,
            description=f"{command.help[0].upper()}{command.help[1:]}.",
            epilog=_epilog(command.examples),
            formatter_class=_Help,
            parents=[common],
            allow_abbrev=False,
        )
        for command in COMMANDS
    }
    for command in COMMANDS:
        parsers[command.name].set_defaults(command=command.function)

    for name in ("run", "check"):
        parsers[name].add_argument("scenario", metavar="FILE|NAME", help="a scenario file, or the name of a ready one")
        parsers[name].add_argument(
            "--set", action="append", default=[], metavar="PATH=VALUE", help="change a value; may be given often"
        )
    for name in ("run", "reproduce"):
        parsers[name].add_argument("--jobs", metavar="N", help="processes to use (default: one a core)")
    parsers["run"].add_argument("--seed", default="1", metavar="N", help="0 to 2**64 - 1 (default: 1)")
    parsers["run"].add_argument("--replications", default="1", metavar="N", help="independent runs (default: 1)")
    parsers["run"].add_argument("--out", metavar="DIR", help="write tables as Parquet, and a manifest, to DIR")
    parsers["run"].add_argument("--json", action="store_true", help="print the summary as JSON, in SI units")
    parsers["reproduce"].add_argument("study", metavar="STUDY", help="its name: satellite")
    parsers["reproduce"].add_argument("--figure", metavar="N", help="only this figure, and the runs it needs")
    size = parsers["reproduce"].add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help=f"{QUICK} seeds, as the paper (the default)")
    size.add_argument("--full", action="store_true", help=f"{FULL} seeds")
    parsers["reproduce"].add_argument("--out", metavar="DIR", help="where to write (default: out/STUDY)")
    parsers["scenarios"].add_argument("--json", action="store_true", help="print the list as JSON")
    parsers["check"].add_argument("--defaults", action="store_true", help="print it with every default written out")
    return program


class _Version(argparse.Action):
    """Prints the version; asks the engine for it only then."""

    def __call__(self, *_arguments: object, **_keywords: object) -> NoReturn:
        from penstock._engine import __version__

        print(f"penstock {__version__}")
        raise SystemExit(DONE)


def _epilog(examples: Iterable[str]) -> str:
    return "examples:\n" + "\n".join(f"  {example}" for example in examples)


def _scenario(options: argparse.Namespace) -> Scenario:
    """The scenario that was asked for, with the changes of ``--set``."""
    from penstock.scenario import Scenario, parse_value

    scenario = Scenario.load(options.scenario)
    changes: dict[str, object] = {}
    for change in options.set:
        path, equals, value = change.partition("=")
        if not equals:
            raise InputError("this sets nothing", path="--set", value=change, remedy="write --set flow.voice.count=88")
        changes[path.strip()] = parse_value(value.strip())
    return scenario.with_(changes) if changes else scenario


def _number(text: str, option: str, least: int, most: int | None = None) -> int:
    """The whole number that ``text`` is, if it lies in the range."""
    from penstock.run import whole_number

    is_number = re.fullmatch(r"[+-]?[0-9]{1,40}", text) is not None
    return whole_number(int(text) if is_number else text, option, least, most)


def _show(result: Result, out: Path | None, options: argparse.Namespace) -> None:
    """Write the result to ``out``, if that is wanted, and its summary to standard output."""
    from penstock.report import print_summary, summary
    from penstock.store import save

    if out is not None:
        files = save(result, out)
        if not options.quiet:
            print(f"wrote {len(files)} files to {out}", file=sys.stderr)
    if options.json:
        print(json.dumps({**summary(result), "manifest": result.manifest}, indent=2))
    else:
        print_summary(result)


def _start_log(level: str) -> None:
    if level != "warning":
        import logging

        logging.basicConfig(level=level.upper(), stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")


def _fail(paragraph: str, status: int) -> int:
    """Say on standard error, in one paragraph, why the command ends; return ``status``."""
    with suppress(OSError):  # nobody may be there to read it
        print(f"penstock: {paragraph}", file=sys.stderr)
    return status

"""The command ``penstock``. Results go to standard output, progress and messages to standard error.

Exit status: 0 done, 1 failed, 2 bad input, 70 a defect of Penstock, 130 interrupted (Ctrl-C), 143 terminated (SIGTERM),
141 if the reader of the output has ended. A command imports its own heavy modules, so that help is fast.
"""

from __future__ import annotations

import argparse
import re
import sys
from typing import TYPE_CHECKING, NoReturn

from penstock.cli import (
    completion,
    experiments,
    names,
    networks,
    questions,
    reference,
    runs,
    scenarios,
    series,
    studio,
    verify,
    watch,
)
from penstock.cli.command import BAD_INPUT, DEFECT, DONE, FAILED, INTERRUPTED, Command, fail
from penstock.cli.process import PIPE_CLOSED, flush, open_streams, terminable
from penstock.core.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

LOG_LEVELS = ("debug", "info", "warning", "error")
COMMANDS: tuple[Command, ...] = (
    *scenarios.COMMANDS,
    *names.COMMANDS,
    *reference.COMMANDS,
    *watch.COMMANDS,
    *networks.COMMANDS,
    *series.COMMANDS,
    *studio.COMMANDS,
    *experiments.COMMANDS,
    *questions.COMMANDS,
    *verify.COMMANDS,
    *runs.COMMANDS,
    *completion.COMMANDS,
)
MOST_NAMED = 3
GROUPS = {
    "runs": "show the runs of a sweep, a comparison or a study",
    "series": "make a line change during the run: satellites that pass, rain, outages",
}
"""First words that several commands share, with the help of each."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with ``arguments`` (those of the process if ``None``) and return its exit status."""
    open_streams()
    with terminable() as termination:
        try:
            status = _carry_out(arguments)
        except KeyboardInterrupt:
            status = fail("interrupted", INTERRUPTED)
        if unwritten := flush():
            status = _unwritten(unwritten)
    return termination.status(status)


def _carry_out(arguments: Sequence[str] | None) -> int:
    log_level = "warning"
    try:
        options = parser(sys.argv[1:] if arguments is None else arguments).parse_args(arguments)
        log_level = options.log_level
        _start_log(log_level)
        status = _command_with_its_width(options)
    except InputError as error:
        return fail(str(error), BAD_INPUT)
    except SystemExit as end:  # help and version
        return end.code if isinstance(end.code, int) else DONE
    except BrokenPipeError:
        return PIPE_CLOSED
    except Exception as error:  # the last handler: a paragraph instead of a traceback
        if log_level == "debug":
            raise
        if type(error).__module__ == "penstock._engine":
            return fail(str(error), BAD_INPUT if isinstance(error, ValueError) else DEFECT)
        if isinstance(error, OSError) and error.strerror:
            if not error.filename:
                flush()  # if it was standard output, print nothing more about it
            return fail(f"{error.filename or 'the output'}: {error.strerror}", FAILED)
        if isinstance(error, ConnectionError):
            return fail(str(error), FAILED)
        return fail(f"{type(error).__name__}: {error} (`--log-level debug` shows where)", FAILED)
    except BaseException as panic:
        # The panic of a Rust library: not an Exception, so that no handler catches it by mistake.
        if type(panic).__name__ != "PanicException" or log_level == "debug":
            raise
        from penstock.execute.worker import report_of

        return fail(report_of(panic), DEFECT)
    return status


def _command_with_its_width(options: argparse.Namespace) -> int:
    """Carry out the command; with ``--wide`` nothing that it prints is folded."""
    command: Callable[[argparse.Namespace], int] = options.command
    if not getattr(options, "wide", False):
        return command(options)
    from penstock.show.terminal import wide

    with wide():
        return command(options)


def _unwritten(error: OSError) -> int:
    """The status if standard output cannot be written to. It is no error if its reader has ended (``| head``)."""
    if isinstance(error, BrokenPipeError):
        return PIPE_CLOSED
    return fail(f"the output: {error.strerror}", FAILED)


class _Help(argparse.RawDescriptionHelpFormatter):
    """Does not reformat examples, and prints each name on one line."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=32)


class _Parser(argparse.ArgumentParser):
    """Reports an error in the arguments as any other bad input."""

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Refuses what it does not know itself, so that the command that was given can say what it has."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return found, unknown

    def error(self, message: str) -> NoReturn:
        unknown = re.search(r"unrecognized arguments: (\S+)|invalid choice: '([^']*)'", message)
        remedy = f"`{self.prog} --help` lists the options"
        if unknown and unknown[2] is not None:
            choices = [str(choice) for action in self._actions for choice in action.choices or ()]
            remedy = did_you_mean(unknown[2], choices) or remedy
        elif unknown:
            word = unknown[1].partition("=")[0]
            own = sorted(self._option_string_actions)
            others = [command.name for command in COMMANDS if word in _options_of(command)]
            if near := did_you_mean(word, [option for option in own if word.startswith(option)]):
                remedy = near
            elif others:
                has = "have" if len(others) > 1 else "has"
                remedy = f"{_named(others)} {has} this option, `{self.prog}` does not"
            else:
                remedy = did_you_mean(word, own) or remedy
        raise InputError(message, remedy=remedy)


def _options_of(command: Command) -> Iterable[str]:
    """The options that only this command and some others have."""
    own = argparse.ArgumentParser(add_help=False)
    command.arguments(own)
    return own._option_string_actions


def _named(commands: Sequence[str]) -> str:
    """Commands in a sentence, the first few of many."""
    quoted = [f"`penstock {name}`" for name in commands[:MOST_NAMED]]
    if len(commands) > MOST_NAMED:
        quoted.append(f"{len(commands) - MOST_NAMED} more")
    return " and ".join([", ".join(quoted[:-1]), quoted[-1]]) if len(quoted) > 1 else quoted[0]


def parser(asked: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """The parser of all commands and options.

    With `asked`, the words on a command line, only the command that they begin with has its arguments: those of the
    others need modules that take longer to load than a run.
    """
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
        description="A simulator of network congestion control: fast, exactly repeatable, with published studies.",
        epilog=_epilog(command.examples[0] for command in COMMANDS),
        formatter_class=_Help,
        allow_abbrev=False,
    )
    program.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    adders = {"": program.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=_Parser)}
    for command in COMMANDS:
        group, _, name = command.name.rpartition(" ")
        if group not in adders:
            of_group = adders[""].add_parser(
                group,
                help=GROUPS[group],
                description=_sentence(GROUPS[group]),
                epilog=_epilog(other.examples[0] for other in COMMANDS if other.name.startswith(f"{group} ")),
                formatter_class=_Help,
                allow_abbrev=False,
            )
            adders[group] = of_group.add_subparsers(
                title="commands", metavar="COMMAND", required=True, parser_class=_Parser
            )
        own = adders[group].add_parser(
            name,
            help=command.help,
            description=_sentence(command.help),
            epilog=_epilog(command.examples),
            formatter_class=_Help,
            parents=[common],
            allow_abbrev=False,
        )
        if asked is None or command.name.split() == list(asked[: command.name.count(" ") + 1]):
            command.arguments(own)
        own.set_defaults(command=command.function, whole=parser)
    return program


class _Version(argparse.Action):
    """Prints the version; asks the engine for it only if needed."""

    def __call__(self, *_arguments: object, **_keywords: object) -> NoReturn:
        from penstock.execute.worker import engine_version

        print(f"penstock {engine_version()}")
        raise SystemExit(DONE)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _epilog(examples: Iterable[str]) -> str:
    return "examples:\n" + "\n".join(f"  {example}" for example in examples)


def _start_log(level: str) -> None:
    if level != "warning":
        import logging

        logging.basicConfig(stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
        logging.getLogger("penstock").setLevel(level.upper())

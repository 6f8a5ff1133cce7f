"""``penstock completion``: a script that completes the words of the command in a shell, made by shtab."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.cli.command import DONE, Command, commands_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping

SHELLS = ("bash", "zsh", "fish")


def completion(options: argparse.Namespace) -> int:
    """``penstock completion``: print the script for a shell."""
    import shtab

    from penstock import studies
    from penstock.core.scenario import scenarios
    from penstock.league.document import ready_leagues

    completed = {
        "DIR": shtab.DIRECTORY,
        "FILE": shtab.FILE,
        "DIR|FILE": shtab.FILE,
        "FILE|NAME": _names_or_files("scenarios", scenarios()),
        "STUDY": _names_or_files("studies", studies.STUDIES),
    }
    program = options.whole()
    leagues = _names_or_files("leagues", ready_leagues())
    for _, parser in commands_of(program):
        for action in parser._actions:
            if isinstance(action.metavar, str) and action.metavar in completed:
                action.complete = leagues if action.dest == "league" else completed[action.metavar]  # type: ignore[attr-defined]
    print(shtab.complete(program, options.shell))
    return DONE


def _names_or_files(of: str, names: Iterable[str]) -> dict[str, object]:
    """What completes these names, and files: a function for each shell, as shtab has it in its script."""
    function, words = f"_penstock_{of}", " ".join(names)
    preambles: Mapping[str, str] = {
        "bash": f'{function}() {{\n  compgen -W "{words}" -- "$1"\n  compgen -f -- "$1"\n}}',
        "zsh": f"{function}() {{\n  compadd -- {words}\n  _files\n}}",
        "fish": f"function {function}\n  printf '%s\\n' {words}\n  __fish_complete_path (commandline -ct)\nend",
    }
    return {"bash": function, "zsh": function, "fish": f"({function})", "preamble": preambles}


def _add_completion(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))


COMMANDS = (
    Command(
        "completion",
        completion,
        "print a script that completes commands, options and names in a shell",
        (
            "penstock completion bash > ~/.local/share/bash-completion/completions/penstock",
            "penstock completion zsh > ~/.zsh/functions/_penstock",
            "penstock completion fish > ~/.config/fish/completions/penstock.fish",
        ),
        _add_completion,
    ),
)

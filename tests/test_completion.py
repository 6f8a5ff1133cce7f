"""`penstock completion`: what a shell completes with the script."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import Command

from penstock.cli import COMMANDS

pytestmark = pytest.mark.in_process


@pytest.mark.parametrize(
    ("words", "among"),
    [
        ("penstock ", {name.split()[0] for name in (command.name for command in COMMANDS)}),
        ("penstock runs ", {"list", "show", "export"}),
        ("penstock run --repl", {"--replications"}),
        ("penstock run satellite/1-case-", {"satellite/1-case-1", "satellite/1-case-2", "satellite/1-case-3"}),
        ("penstock run --seed 2 own", {"own.toml"}),
        ("penstock league stan", {"standard"}),
        ("penstock reproduce satellite-", {"satellite-beyond"}),
        ("penstock sweep own.toml --out res", {"results"}),
        ("penstock completion ", {"bash", "zsh", "fish"}),
    ],
)
def test_bash_completes_commands_options_names_and_files(
    penstock: Command, tmp_path: Path, words: str, among: set[str]
) -> None:
    script = penstock("completion", "bash").stdout
    (tmp_path / "own.toml").write_text("", encoding="utf-8")
    (tmp_path / "results").mkdir()
    cut = words.split(" ")
    ask = f"COMP_WORDS=({' '.join(cut[:-1])} '{cut[-1]}')\nCOMP_CWORD={len(cut) - 1}\n_shtab_penstock\n"
    print_them = 'printf "%s\\n" "${COMPREPLY[@]}"'
    command = ["bash", "-c", f"{script}\n{ask}{print_them}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert among <= {line.strip() for line in done.stdout.splitlines()}, done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_script(penstock: Command, shell: str) -> None:
    done = penstock("completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    for word in ("satellite/1-case-2", "reproduce", "replications", "standard", "_penstock_scenarios"):
        assert word in done.stdout
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=done.stdout, text=True, check=True)


def test_another_shell_is_refused(penstock: Command) -> None:
    done = penstock("completion", "bsh")
    assert done.returncode == 2
    assert 'did you mean "bash"?' in done.stderr

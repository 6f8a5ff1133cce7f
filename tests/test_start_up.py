"""What a command imports: it decides how long a small run takes. Modules are counted, not seconds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from test_schemes import TEN_LINES

HEAVY = {
    *(
        "numpy",
        "scipy",
        "matplotlib",
        "rich",
        "jinja2",
        "optuna",
        "distributed",
        "gymnasium",
        "networkx",
        "dpkt",
        "shtab",
    ),
    *("penstock.plot", "penstock.studies", "penstock.league.league", "penstock.show.report", "penstock.importing"),
    *("multiprocessing", "asyncio", "xml", "webbrowser", "http"),
}
"""What takes long to import, and what a command without figures, studies and clusters does not need."""
PRINT = """
import sys
from penstock.cli import main
status = main(sys.argv[1:])
print(*sys.modules, file=sys.stderr)
sys.exit(status)
"""


def imported_by(*words: object) -> set[str]:
    command = [sys.executable, "-c", PRINT, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stderr.split())


@pytest.mark.parametrize(
    ("words", "others", "most"),
    [
        (["--help"], {"polars", "penstock.core.scenario"}, 25),
        (["run", "--help"], {"polars", "penstock.core.scenario"}, 25),
        (["check", "FILE"], {"polars"}, 55),
        (["schemes"], {"polars", "penstock.execute"}, 40),
        (["run", "FILE"], set(), 70),
        (["run", "FILE", "--json"], set(), 70),
    ],
)
def test_a_command_imports_little(tmp_path: Path, words: list[str], others: set[str], most: int) -> None:
    file = tmp_path / "ten.toml"
    file.write_text(TEN_LINES, encoding="utf-8")
    modules = imported_by(*(file if word == "FILE" else word for word in words))
    assert sorted(modules & (HEAVY | others)) == []
    assert len([name for name in modules if name.startswith("penstock")]) <= most

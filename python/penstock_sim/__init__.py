"""The command ``penstock`` of the distribution ``penstock-sim``: makes sure that its own package runs.

On PyPI, the name ``penstock`` belongs to another project with the same import name. This module has a name of its own,
so that it is found even where Python finds the other package first.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

PACKAGES = Path(__file__).resolve().parent.parent
BAD_INPUT = 2
"""As in ``penstock.cli.command``, which may not be there."""


def main() -> int:
    """Runs the command ``penstock`` and returns its exit status."""
    if fault := foreign():
        print(f"penstock: {fault}", file=sys.stderr)
        return BAD_INPUT
    from penstock.cli import main as command

    return command()


def foreign() -> str | None:
    """What is wrong, and what to do, if Python imports another ``penstock`` than the one beside this module."""
    spec = PathFinder.find_spec("penstock")
    found = Path(spec.origin).resolve().parent if spec and spec.origin else None
    if found != PACKAGES / "penstock":
        return (
            f"Python imports another `penstock` ({found or 'no package'}) than the one of this installation "
            f"({PACKAGES / 'penstock'}). Remedy: leave that folder, or take it out of PYTHONPATH"
        )
    try:
        other = distribution("penstock")
    except PackageNotFoundError:
        return None
    return (
        f"the package `penstock` {other.version} of PyPI is installed too: another project with the same import name. "
        "Remedy: python -m pip uninstall penstock, then install penstock-sim again"
    )

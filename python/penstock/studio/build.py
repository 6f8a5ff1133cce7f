"""Building the page of the studio, which a clone of the repository does at its first use."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from penstock.studio.server import PAGE, STATIC

if TYPE_CHECKING:
    from pathlib import Path

CLONE = STATIC.parents[3]
"""The root of the repository, if this is a clone."""


def is_missing(static: Path = STATIC) -> bool:
    """Whether there is no page."""
    return not (static / PAGE).is_file()


def can_build(clone: Path = CLONE) -> bool:
    """Whether this is a clone of the repository, on a machine that has make."""
    return (clone / "Makefile").is_file() and (clone / "studio").is_dir() and shutil.which("make") is not None


def build(clone: Path = CLONE) -> bool:
    """Build the page with ``make studio``, which prints its stages on standard error; whether it succeeded."""
    command = ["make", "--no-print-directory", "studio"]
    return subprocess.run(command, cwd=clone, stdout=sys.stderr, check=False).returncode == 0  # noqa: S603 - no input leads here

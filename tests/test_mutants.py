"""The changed operators of `make mutants` stand for code that is there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WEAVE = "import mutants; print(len(mutants.sources(mutants.read_list())))"


def test_each_change_has_its_place_in_the_engine() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tools")}
    command = [sys.executable, "-c", WEAVE]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0

"""The command of `penstock-sim` says so where Python would import another `penstock`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import penstock


def command(path: Path) -> subprocess.CompletedProcess[str]:
    """`penstock --version`, with a folder before all others on Python's path."""
    program = "import sys, penstock_sim; sys.argv = ['penstock', '--version']; sys.exit(penstock_sim.main())"
    environment = {**os.environ, "PYTHONPATH": str(path)}
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, env=environment)


def test_another_package_of_the_same_name_is_named(tmp_path: Path) -> None:
    (tmp_path / "penstock").mkdir()
    (tmp_path / "penstock" / "__init__.py").write_text("raise SystemExit('the code of a stranger ran')\n")
    done = command(tmp_path)
    assert done.returncode == 2
    assert str(tmp_path / "penstock") in done.stderr
    assert str(Path(penstock.__file__).parent) in done.stderr
    assert "take it out of PYTHONPATH" in done.stderr
    assert "stranger" not in done.stderr


def test_the_distribution_of_the_stranger_is_named(tmp_path: Path) -> None:
    made = tmp_path / "penstock-0.3.dist-info"
    made.mkdir()
    (made / "METADATA").write_text("Metadata-Version: 2.1\nName: penstock\nVersion: 0.3\n")
    done = command(tmp_path)
    assert done.returncode == 2
    assert "`penstock` 0.3 of PyPI" in done.stderr
    assert "pip uninstall penstock" in done.stderr


def test_without_another_the_command_runs(tmp_path: Path) -> None:
    done = command(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == ["penstock", penstock.__version__]

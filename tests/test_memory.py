"""What a command needs of the address space: it reads what is there, and does not ask for the most that might be."""

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import SMALL

from penstock import Results
from penstock.cli import main
from penstock.core.reading import TooLargeError, read_octets, read_stdin
from penstock.show import page_of

resource = pytest.importorskip("resource")

GRID = '\n[sweep]\nreplications = 2\n[[sweep.axis]]\n"flow.steady.count" = [1, 2]\n'
SWEPT = SMALL.replace('"2 s"', '"0.2 s"') + GRID
SPACE = 2 << 30
"""Octets of address space."""
BOUNDED = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({SPACE}, {SPACE}))
from penstock.cli import main
sys.exit(main(sys.argv[1:]))
"""


def run_bounded(*arguments: str, folder: Path) -> None:
    """Run the command in the bounded address space. Each thread of polars and numpy takes a part of it."""
    threads = {"POLARS_MAX_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
    call = [sys.executable, "-c", BOUNDED, *arguments]
    done = subprocess.run(call, cwd=folder, env=os.environ | threads, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@contextmanager
def bounded(more: int) -> Iterator[None]:
    """This process may have so many octets of address space more than it has now."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    now = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + more, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="there is no /proc")
def test_a_sweep_and_its_page_read_what_is_there(tmp_path: Path) -> None:
    """The quick form of the test below: a read of the most that a table may have needs ten gigabytes."""
    (tmp_path / "small.toml").write_text(SWEPT, encoding="utf-8")
    command = ["sweep", str(tmp_path / "small.toml"), "--out", str(tmp_path / "out"), "--jobs", "1", "--quiet"]
    assert main(command) == 0  # what is imported takes its part of the space before
    page = page_of(Results(tmp_path / "out"))
    with bounded(4 << 30):
        assert main([*command, "--resume"]) == 0
        assert page_of(Results(tmp_path / "out")).headline == page.headline


@pytest.mark.long
def test_a_sweep_and_its_report_fit_in_two_gigabytes(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SWEPT, encoding="utf-8")
    run_bounded("sweep", "small.toml", "--out", "out", "--jobs", "1", folder=tmp_path)
    run_bounded("report", "out", folder=tmp_path)
    assert (tmp_path / "out" / "report.html").exists()


def test_a_file_takes_the_memory_of_its_own_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A read of so many octets would end in a MemoryError."""
    file = tmp_path / "small"
    file.write_bytes(b"x" * 1000)
    most = sys.maxsize // 2
    assert read_octets(file, most) == b"x" * 1000
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"y" * 3_000_000)))
    assert read_stdin(most) == b"y" * 3_000_000


def test_what_grows_beyond_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"y" * 3_000_000)))
    with pytest.raises(TooLargeError, match="2,999,999"):
        read_stdin(2_999_999)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="there is no /proc")
def test_a_file_of_the_kernel_has_more_than_its_size() -> None:
    assert read_octets(Path("/proc/self/status"), 1 << 20).startswith(b"Name:")

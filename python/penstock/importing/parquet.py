"""The rows of a Parquet file, block by block, read by polars in a process of its own.

A damaged file may make polars panic, or end its process: it asks for as much memory as the file says. So another
process reads, and sends each block as a stream of Arrow behind its length. When it ends early, the file is refused.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
from itertools import pairwise
from typing import TYPE_CHECKING, BinaryIO, cast

from penstock.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

ROWS = 1 << 18
"""Rows of a block."""
LENGTH = 8
"""Octets of the length of a block."""


def blocks(file: str) -> Iterator[pl.DataFrame]:
    """The rows of a file; the first block has its columns, also without rows. Raises :class:`InputError`."""
    import polars as pl

    # The other process finds the same packages, and not those of the directory that it is started in.
    own = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "RUST_BACKTRACE": "0"}
    command = [sys.executable, "-P", "-m", __name__, file]
    with (
        tempfile.TemporaryFile() as told,
        subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=told, env=own) as reader,  # noqa: S603 - no shell
    ):
        stream = cast("BinaryIO", reader.stdout)
        try:
            while octets := int.from_bytes(stream.read(LENGTH)):
                if len(block := stream.read(octets)) < octets:
                    break
                yield pl.read_ipc_stream(io.BytesIO(block))
        except BaseException:
            reader.kill()
            raise
        if reader.wait():
            told.seek(0)
            reason = f"this Parquet file cannot be read: {_reason(told.read().decode(errors='replace'))}"
            raise InputError(reason, file=file, remedy="write it again")


def _reason(told: str) -> str:
    """What polars says in the lines of a panic, or in the first line."""
    lines = [line.strip() for line in told.splitlines() if line.strip()] or ["its reader has ended"]
    return next((behind for line, behind in pairwise(lines) if "panicked at" in line), lines[0])[:200]


def main(file: str) -> int:
    """Sends the blocks of a file to standard output, and an error to standard error. Returns the exit status."""
    import polars as pl

    try:
        table = pl.scan_parquet(file, glob=False)
        rows = table.select(pl.len()).collect().item()
        for offset in range(0, max(rows, 1), ROWS):
            block = io.BytesIO()
            table.slice(offset, ROWS).collect().write_ipc_stream(block)
            sys.stdout.buffer.write(len(block.getbuffer()).to_bytes(LENGTH) + block.getbuffer())
    except (pl.exceptions.PolarsError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

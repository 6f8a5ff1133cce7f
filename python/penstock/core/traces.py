"""The store of imported traces: each in a folder named after the SHA-256 of its packets.

    TRACES/SHA256/packets-00000.parquet   columns time_ps, octets, flow: a million packets, and so on
    TRACES/SHA256/flows.parquet           what identifies each flow, with its packets and octets

The digest is over the packets in order, 16 octets each, little endian: time in picoseconds since the first packet (8),
octets (4), number of the flow (4). So it does not depend on the writer of the files, and the same trace has the same
digest everywhere. TRACES is `~/.penstock/traces`, or the directory that the environment variable PENSTOCK_TRACES names.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from penstock import _engine
from penstock.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    import polars as pl
    from filelock import BaseFileLock

VARIABLE = "PENSTOCK_TRACES"
"""The environment variable that names the directory of traces."""
MOST_PACKETS = _engine.MOST_PACKETS
"""Packets of a trace. In memory they take 0.8 GB, in each process that runs them."""
PART = 1_000_000
"""Packets of one file, except the last."""
KEPT = 4
"""Traces that a process keeps in memory."""
FLOWS = "flows.parquet"
DRAFT = ".partial"
"""The end of the names of traces that are being written. A lock beside each says that its writer lives."""
COLUMNS = ("time_ps", "octets", "flow")
"""The columns of packets: UInt64, UInt32, UInt32."""


def folder() -> Path:
    """The directory of all traces."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else Path.home() / ".penstock" / "traces"


def require(name: str, sha256: str) -> Path:
    """The directory of one trace. Raises :class:`InputError` if it is not there."""
    found = folder() / sha256
    if not found.is_dir():
        raise InputError(
            f"there is no such trace in {folder()}",
            value=f"{name} ({sha256})",
            remedy=f"import it with `penstock import FILE`, or name the directory that has it in {VARIABLE}",
        )
    return found


def load(name: str, sha256: str) -> _engine.Trace:
    """The packets of a trace, kept in memory for the next run of this process.

    Raises :class:`InputError` if the trace is not there, or if its files have changed.
    """
    return _load(require(name, sha256), name)


def after(name: str, sha256: str, time_ps: float) -> tuple[int, int, int]:
    """The packets of a trace later than a time, all of them, and the time of the last, in picoseconds like the first.

    Raises :class:`InputError` if the trace is not there.
    """
    import polars as pl

    times = pl.col("time_ps")
    wanted = ((times > time_ps).sum().alias("later"), pl.len(), times.max().alias("last"))
    return pl.scan_parquet(require(name, sha256) / "packets-*.parquet").select(wanted).collect().row(0)


@lru_cache(maxsize=KEPT)
def _load(place: Path, name: str) -> _engine.Trace:
    import polars as pl

    digest = hashlib.sha256()
    reason = "its packets have another digest than its name"
    try:
        trace = _engine.Trace(_parts(place, digest))
        if digest.hexdigest() == place.name:
            return trace
    except (OSError, ValueError, pl.exceptions.PolarsError) as error:
        reason = str(error)
    raise InputError(
        f"the files of this trace have changed: {reason}",
        value=name,
        file=str(place),
        remedy="remove the directory, and import the trace again",
    )


def _parts(place: Path, digest: hashlib._Hash) -> Iterator[bytes]:
    """The packets as the engine reads them and as the digest is made of them, file by file."""
    import polars as pl

    for part in sorted(place.glob("packets-*.parquet")):
        octets = _octets(pl.read_parquet(part, columns=list(COLUMNS)))
        digest.update(octets)
        yield octets


def _octets(packets: pl.DataFrame) -> bytes:
    """16 octets for each packet, little-endian."""
    import numpy as np

    rows = np.empty(len(packets), dtype=[("time_ps", "<u8"), ("octets", "<u4"), ("flow", "<u4")])
    for column in COLUMNS:
        rows[column] = packets[column].to_numpy()
    return rows.tobytes()


def _lock(draft: Path) -> BaseFileLock:
    from filelock import FileLock

    return FileLock(draft.with_name(f"{draft.name}.lock"))


def _remove(draft: Path, lock: BaseFileLock) -> None:
    """Remove a draft and its lock, which this process holds."""
    shutil.rmtree(draft, ignore_errors=True)
    lock.release()
    with suppress(OSError):  # another import may have it by now
        Path(lock.lock_file).unlink()


def _remove_drafts() -> None:
    """Remove what killed imports have left: the drafts that no process has locked."""
    from filelock import Timeout

    for draft in folder().glob(f".*{DRAFT}"):
        lock = _lock(draft)
        with suppress(Timeout):
            lock.acquire(timeout=0)
            _remove(draft, lock)


class Writer:
    """Writes the packets of one trace, in order. It is complete with :meth:`finish`, and leaves nothing without it."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()
        self._draft = folder() / f".{os.getpid()}-{secrets.token_hex(4)}{DRAFT}"
        self._lock = _lock(self._draft)
        self._waiting: list[pl.DataFrame] = []
        self._parts = 0

    def __enter__(self) -> Writer:
        try:
            folder().mkdir(parents=True, exist_ok=True)
            _remove_drafts()
            self._lock.acquire(timeout=0)
            self._draft.mkdir()
        except OSError as error:
            raise InputError(
                f"nothing can be written to this directory: {error.strerror}",
                file=str(folder()),
                remedy=f"name a directory that you may write to in {VARIABLE}",
            ) from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _remove(self._draft, self._lock)

    def add(self, packets: pl.DataFrame) -> None:
        """Packets that follow those before, with the columns of :data:`COLUMNS`."""
        self._digest.update(_octets(packets))
        self._waiting.append(packets)
        if sum(map(len, self._waiting)) >= PART:
            self._write()

    def finish(self, flows: pl.DataFrame) -> str:
        """Keep the trace with what identifies its flows, one row each. Returns its SHA-256."""
        import polars as pl

        self._write()
        packets = pl.scan_parquet(self._draft / "packets-*.parquet")
        sums = packets.group_by("flow").agg(pl.len().alias("packets"), pl.col("octets").cast(pl.UInt64).sum()).collect()
        flows.join(sums, on="flow").sort("flow").write_parquet(self._draft / FLOWS)
        sha256 = self._digest.hexdigest()
        place = folder() / sha256
        if place.is_dir():  # the same packets, which another file may tell more of
            (self._draft / FLOWS).replace(place / FLOWS)
        else:
            self._draft.replace(place)
        return sha256

    def _write(self) -> None:
        import polars as pl

        if self._waiting:
            pl.concat(self._waiting).write_parquet(self._draft / f"packets-{self._parts:05}.parquet")
            self._waiting.clear()
            self._parts += 1

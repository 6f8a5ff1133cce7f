"""The store: a directory of finished runs, safe against interruptions.

    DIR/store.json            format and version
    DIR/lock                  the lock of the one process that writes; the kernel frees it when that process ends
    DIR/segments/NNNNNN-SEAL  one for each finished batch, never changed: Parquet tables with a column ``run``,
                              ``runs.parquet`` with one row a run, and ``seal.json`` with the checksums of them all
    DIR/drafts                segments that are being written
    DIR/damaged               segments with wrong checksums, outside the path of queries

A segment is written to a draft, synced, and renamed, so it exists completely or not at all, and never changes. Its seal
has the checksum of every file, and the folder's name has the checksum of the seal. Opening a store for writing verifies
all segments; reading verifies those that are read. A damaged segment is ignored, so its runs are wanted again.

The hash of everything that decides its results identifies a run: the scenario with its defaults, seed, replication,
and the digest of the engine's sources. The machine, the time and the order of runs are not part of it. Why the
sources, and not a version: who changes a model rebuilds the engine with the same version, and would get the stored
results of the old model. The digest (``crates/engine/build.rs``) has the engine's sources, and the versions and
features of what it depends on: another ``libm`` may give other numbers. What only a face or a test depends on does
not count. A worker with another digest is refused.

Why segments: a short run would cost less than a directory with its files. And compared with one database, an append
cannot damage existing data, DuckDB and polars read Parquet in place, and the directory can be copied during a sweep.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.core.errors import InputError
from penstock.core.files import prepare, sync, write_text
from penstock.core.reading import read_octets, require_regular
from penstock.execute.plan import digest
from penstock.execute.worker import TABLES, Outcome, Task, engine_sources, engine_version, run_ids, stack

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    import polars as pl
    from filelock import BaseFileLock

FORMAT = 1
RUNS = "runs"
SEAL = "seal.json"
LARGEST_NOTE = 1_000_000
"""The most octets of ``store.json`` and of a seal."""
LARGEST_TABLE = 10_000_000_000
"""The most octets of a table of a segment."""
LONGEST_SEAL = 16


def run_id(scenario: str, seed: int, replication: int) -> str:
    """The name of a run, a hash of everything that decides its results: 32 hexadecimal digits.

    ``scenario`` is ``Scenario.expanded().to_json()``.
    """
    (run,) = run_ids(engine_sources(), digest(scenario), seed, replication)
    return run


@dataclass(frozen=True, slots=True)
class Segment:
    """One finished batch: its folder, the runs in it, and the checksum of each file."""

    path: Path
    runs: tuple[str, ...]
    files: dict[str, str]

    def damage(self, names: Iterable[str]) -> str:
        """The damage of the files of these names; empty without damage."""
        for name in names:
            if name not in self.files:
                continue
            try:
                octets = read_octets(self.path / name, LARGEST_TABLE)
            except OSError as error:
                return f"{name}: {error.strerror}"
            if _digest(octets) != self.files[name]:
                return f"{name} is damaged (its checksum differs)"
        return ""


class Store:
    """The finished runs in a directory. Made by :meth:`open_to_write` or :meth:`open_to_read`; a context.

    Attributes:
        runs: the identities of all finished runs (:func:`run_id`).
        damaged: one line about each damaged segment; its runs count as missing.
    """

    def __init__(self, directory: Path, lock: BaseFileLock | None) -> None:
        self.directory = directory
        self.runs: set[str] = set()
        self.damaged: list[str] = []
        self._lock = lock
        self._segments: list[Segment] = []

    @property
    def files(self) -> tuple[Path, ...]:
        """The files and the directories of a store."""
        return tuple(self.directory / name for name in ("store.json", "lock", "segments", "drafts", "damaged"))

    @classmethod
    def open_to_write(cls, directory: str | Path) -> Store:
        """Open ``directory``, created if missing, for the one process that may write to it.

        All checksums are verified; damaged segments and drafts of a killed process are moved away. Raises
        :class:`InputError` if the directory cannot be written to, if another process is writing to it, or if a newer
        Penstock wrote it.
        """
        from filelock import FileLock, Timeout

        folder = prepare(directory)
        lock_file = folder / "lock"
        lock = FileLock(lock_file)
        try:
            if lock_file.exists():
                require_regular(lock_file)
            lock.acquire(timeout=0)
        except Timeout:
            raise InputError(
                "another process is writing to this directory",
                file=str(folder),
                remedy="wait until it has finished, or name another directory with --out",
            ) from None
        except OSError as error:
            reason = f"this cannot be locked: {error.strerror}"
            raise InputError(reason, file=str(lock_file), remedy="remove it, if no process writes here") from None
        try:
            if not _check_format(folder):
                write_text(folder / "store.json", json.dumps({"format": FORMAT, "penstock": engine_version()}) + "\n")
            (folder / "segments").mkdir(exist_ok=True)
            shutil.rmtree(folder / "drafts", ignore_errors=True)  # drafts of a killed process
            (folder / "drafts").mkdir(exist_ok=True)
            store = cls(folder, lock)
            store._load(verify=True)
        except BaseException:
            lock.release()
            raise
        return store

    @classmethod
    def open_to_read(cls, directory: str | Path) -> Store:
        """Open ``directory`` as it is now, also during writing. Raises :class:`InputError` if it has no store."""
        folder = Path(directory)
        if not _check_format(folder):
            raise InputError(
                "there is no store of runs in this directory" if folder.is_dir() else "there is no such directory",
                file=str(folder),
                remedy="name the --out directory of a sweep, a comparison or a study",
            )
        store = cls(folder, None)
        store._load(verify=False)
        return store

    def append(self, results: Sequence[tuple[Task, Outcome]]) -> None:
        """Store finished runs, in one new segment. Raises ``OSError`` if it cannot be written; then nothing changed."""
        if self._lock is None:
            raise RuntimeError("the store is open to read")
        ids = [run_id(task.scenario, task.seed, task.replication) for task, _ in results]
        tables = {RUNS: _about(ids, results)} | _stack(ids, [outcome for _, outcome in results])
        number = 1 + max((int(segment.path.name[:6], 10) for segment in self._segments), default=0)
        draft = self.directory / "drafts" / f"{number:06}"
        try:
            draft.mkdir()
            files = {}
            for name, table in tables.items():
                buffer = io.BytesIO()
                table.write_parquet(buffer)
                files[f"{name}.parquet"] = _write(draft / f"{name}.parquet", buffer.getvalue())
            seal = json.dumps({"format": FORMAT, "runs": ids, "files": files}, indent=1).encode()
            digest = _write(draft / SEAL, seal)
            sync(draft)
            path = self.directory / "segments" / f"{number:06}-{digest[:LONGEST_SEAL]}"
            draft.rename(path)
        except BaseException:
            shutil.rmtree(draft, ignore_errors=True)
            raise
        sync(path.parent)
        self._segments.append(Segment(path, tuple(ids), files))
        self.runs.update(ids)

    def table(
        self,
        name: str,
        keep: pl.Expr | None = None,
        runs: Collection[str] | None = None,
        columns: Sequence[str] | None = None,
    ) -> pl.DataFrame:
        """All rows of a table (one of ``run.TABLES``, or ``runs``), or those to ``keep``, with the column ``run``.

        With ``runs``, only theirs; segments without them are not read. With ``columns``, only these.

        In ``runs``, the column ``path`` is the segment's folder. A damaged segment is ignored, and named in
        :attr:`damaged`. Empty, without columns, if no run has such rows.
        """
        import polars as pl

        file = f"{name}.parquet"
        wanted = None if runs is None else set(runs)
        if wanted is not None:
            own = pl.col("run").is_in(sorted(wanted))
            keep = own if keep is None else own & keep
        frames = []
        for segment in list(self._segments):
            if file not in segment.files or (wanted is not None and wanted.isdisjoint(segment.runs)):
                continue
            if damage := segment.damage([file]):
                self._report(segment, damage)
                continue
            frame = pl.read_parquet(segment.path / file, columns=None if columns is None else list(columns))
            if name == RUNS and columns is None:
                frame = frame.with_columns(pl.lit(str(segment.path)).alias("path"))
            frames.append(frame if keep is None else frame.filter(keep))
        return pl.concat(frames, how="vertical_relaxed") if frames else pl.DataFrame()

    def close(self) -> None:
        """Release the lock."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _load(self, *, verify: bool) -> None:
        for path in sorted((self.directory / "segments").glob("[0-9]*")):
            segment, damage = _read_seal(path)
            if not damage and verify:
                damage = segment.damage(segment.files)
            if not damage and (doubled := self.runs.intersection(segment.runs)):
                damage = f"{len(doubled)} of its runs are in an earlier segment too"
            if damage:
                self._report(segment, damage)
                if verify:
                    (self.directory / "damaged").mkdir(exist_ok=True)
                    path.rename(_free_name(self.directory / "damaged" / path.name))
                continue
            self._segments.append(segment)
            self.runs.update(segment.runs)

    def _report(self, segment: Segment, damage: str) -> None:
        self.damaged.append(f"{segment.path}: {damage}; it is ignored")
        if segment in self._segments:
            self._segments.remove(segment)
            self.runs.difference_update(segment.runs)


def _check_format(folder: Path) -> bool:
    """Whether there is a store in ``folder``; raises :class:`InputError` for one that a newer Penstock wrote."""
    file = folder / "store.json"
    try:
        about = json.loads(read_octets(file, LARGEST_NOTE))
        number, version = int(about["format"]), str(about["penstock"])
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise InputError(
            "this file has no valid format and version of a store",
            file=str(file),
            remedy=f'if the store is undamaged, write {{"format": {FORMAT}, "penstock": "{engine_version()}"}} into it',
        ) from None
    if number > FORMAT:
        raise InputError(
            f"Penstock {version} wrote this store in format {number}; Penstock {engine_version()} reads {FORMAT}",
            file=str(folder),
            remedy=f"install Penstock {version} or later",
        )
    return True


def _read_seal(path: Path) -> tuple[Segment, str]:
    """A segment as its seal describes it, and the damage of the seal."""
    nothing = Segment(path, (), {})
    try:
        octets = read_octets(path / SEAL, LARGEST_NOTE)
    except OSError as error:
        return nothing, f"{SEAL}: {error.strerror}"
    if not path.name.endswith(f"-{_digest(octets)[:LONGEST_SEAL]}"):
        return nothing, f"{SEAL} is damaged (its checksum is not in the folder's name)"
    seal: dict[str, Any] = json.loads(octets)
    return Segment(path, tuple(seal["runs"]), dict(seal["files"])), ""


def _write(path: Path, octets: bytes) -> str:
    with path.open("xb") as file:
        file.write(octets)
        file.flush()
        os.fsync(file.fileno())
    return _digest(octets)


def _digest(octets: bytes) -> str:
    return hashlib.sha256(octets).hexdigest()


def _free_name(path: Path) -> Path:
    number = 1
    free = path
    while free.exists():
        number += 1
        free = path.with_name(f"{path.name}.{number}")
    return free


def _about(ids: Sequence[str], results: Sequence[tuple[Task, Outcome]]) -> pl.DataFrame:
    """One row for each run: its task, and the run's own figures."""
    import polars as pl

    def instant(seconds: float) -> datetime:
        return datetime.fromtimestamp(seconds, UTC)

    rows = [
        {
            "run": run,
            "seed": task.seed,
            "replication": task.replication,
            "fingerprint": outcome.fingerprint,
            "events": outcome.events,
            "end_s": outcome.end_s,
            "measured_s": outcome.measured_s,
            "wall_s": outcome.wall_s,
            "started": instant(outcome.started),
            "finished": instant(outcome.started + outcome.wall_s),
            "host": outcome.host,
            "penstock": engine_version(),
            "engine": engine_sources(),
            "scenario_json": task.scenario,
        }
        for run, (task, outcome) in zip(ids, results, strict=True)
    ]
    unsigned = {"seed": pl.UInt64, "replication": pl.UInt32, "events": pl.UInt64}
    return pl.DataFrame(rows, schema_overrides=unsigned)


def _stack(ids: Sequence[str], outcomes: Sequence[Outcome]) -> dict[str, pl.DataFrame]:
    """The tables of several runs, concatenated, with the column ``run``; without empty tables."""
    import polars as pl

    stacked = {}
    for name in TABLES:
        parts = [outcome.tables[name] for outcome in outcomes]
        if any(map(len, parts)):
            stacked[name] = pl.DataFrame(stack("run", ids, parts))
    return stacked

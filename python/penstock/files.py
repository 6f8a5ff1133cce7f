"""Writing files: everything is written beside its place, then renamed into it."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.run import Result

MANIFEST = "manifest.json"


def prepare(directory: str | Path) -> Path:
    """Make ``directory`` and prove that it can be written to, before hours are spent on what shall go there.

    Raises :class:`InputError` if it cannot.
    """
    path = Path(directory)
    try:
        path.mkdir(parents=True, exist_ok=True)
        probe = _beside(path / "probe")
        probe.write_bytes(b"")
        probe.unlink()
    except FileExistsError:
        raise InputError(
            "this is a file, not a directory", file=str(path), remedy="name a directory, which is made if it is missing"
        ) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(
            f"nothing can be written to this directory: {reason}",
            file=str(path),
            remedy="name one that you may write to",
        ) from None
    return path


def prepare_file(file: str | Path) -> Path:
    """Prove that ``file`` can be written, before the work is done that it shall hold.

    Raises :class:`InputError` if it cannot.
    """
    path = Path(file)
    try:
        _require_replaceable(path)
        probe = _beside(path)
        probe.write_bytes(b"")
        probe.unlink()
    except InputError:
        raise
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(
            f"this file cannot be written: {reason}", file=str(path), remedy="name one in a directory that is there"
        ) from None
    return path


def save(result: Result, directory: str | Path) -> list[Path]:
    """Write the tables of ``result`` as Parquet and its manifest as JSON into ``directory``; return the files.

    The files of an earlier run are replaced, all of them once all new ones are complete. Raises :class:`InputError`
    if the directory cannot be written to and ``OSError`` if writing fails; then nothing has changed.
    """
    folder = prepare(directory)
    tables = result.tables()
    files = [*(folder / f"{name}.parquet" for name in tables), folder / MANIFEST]
    with replacing(files) as drafts:
        for draft, table in zip(drafts, tables.values(), strict=False):
            table.write_parquet(draft)
        drafts[-1].write_text(json.dumps(result.manifest, indent=2) + "\n", encoding="utf-8")
    return files


def write_bytes(path: Path, octets: bytes) -> None:
    """Write a file whole or not at all. Raises ``OSError`` if it cannot be written; then nothing has changed."""
    with replacing([path]) as (draft,):
        draft.write_bytes(octets)


def write_text(path: Path, text: str) -> None:
    """Write a file of UTF-8 text whole or not at all, with the same octets on every platform."""
    write_bytes(path, text.encode())


@contextmanager
def replacing(files: Sequence[Path]) -> Iterator[list[Path]]:
    """Drafts beside ``files``, which take their places when the block ends well, and are removed when it does not.

    Raises :class:`InputError` where something else than a file is in a place: a device must not become a file.
    """
    for file in files:
        _require_replaceable(file)
    drafts = [_beside(file) for file in files]
    try:
        yield drafts
        for draft, file in zip(drafts, files, strict=True):
            draft.replace(file)
    finally:
        for draft in drafts:
            draft.unlink(missing_ok=True)


def sync(directory: Path) -> None:
    """Make the names in a directory survive a power failure, where the system can be told to (Windows cannot)."""
    if os.name != "nt":
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _require_replaceable(file: Path) -> None:
    if file.exists() and not file.is_file():
        raise InputError(
            "this is no regular file, so nothing can take its place",
            file=str(file),
            remedy="name a file; to write to a pipe or a device, redirect standard output to it",
        )


def _beside(file: Path) -> Path:
    return file.with_name(f".{file.name}.{os.getpid()}.partial")

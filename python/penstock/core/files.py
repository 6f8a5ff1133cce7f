"""Writing files: each is written under a temporary name in the same folder, then renamed."""

from __future__ import annotations

import os
import platform
import re
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


HOST = re.sub(r"[^\w-]", "-", platform.node())[:32] or "here"
"""The machine, in the names of drafts: another one may write into a shared directory."""
#: How names of files end that a user may hope for where a directory is written.
_OF_FILES = {".csv", ".html", ".json", ".parquet", ".pdf", ".png", ".svg", ".toml"}


def prepare(directory: str | Path) -> Path:
    """Create ``directory`` and check that it can be written to, before hours of work for its files.

    Raises :class:`InputError` if it cannot.
    """
    path = Path(directory)
    if path.suffix.lower() in _OF_FILES and not path.exists():
        raise InputError(
            "this is the name of a file, and a directory of files is written", file=str(path), remedy="name a directory"
        )
    try:
        path.mkdir(parents=True, exist_ok=True)
        probe = _beside(path / "probe")
        probe.write_bytes(b"")
        probe.unlink()
    except FileExistsError:
        raise InputError(
            "this is a file, not a directory", file=str(path), remedy="name a directory; it is created if missing"
        ) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(
            f"nothing can be written to this directory: {reason}",
            file=str(path),
            remedy="name a directory that you may write to",
        ) from None
    return path


def prepare_file(file: str | Path, read: Iterable[str | Path] = ()) -> Path:
    """Check that ``file`` can be written, before the work for its content, and that it is none of those that are read.

    Raises :class:`InputError` if it cannot.
    """
    path = Path(file)
    require_other([path], read)
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
            f"this file cannot be written: {reason}", file=str(path), remedy="name a file in an existing directory"
        ) from None
    return path


def require_other(written: Iterable[Path], read: Iterable[str | Path]) -> None:
    """Refuse to write over a file that is read, or that is in a directory that is read, by whatever path.

    Standard output may be redirected to a file, too: what is printed would be lost with the file that is replaced.
    """
    inputs = [Path(name) for name in read]
    for file in written:
        if any(_is_in(file, name) for name in inputs):
            raise InputError(
                "this file is read, so nothing is written over it", file=str(file), remedy="name another one"
            )
        if _is_output(file):
            reason = "standard output goes to this file, so nothing else is written to it"
            raise InputError(reason, file=str(file), remedy="name another one")


def _is_output(file: Path) -> bool:
    """Whether what is printed goes to this file."""
    try:
        return os.path.samestat(os.fstat(sys.stdout.fileno()), file.stat())
    except (OSError, ValueError, AttributeError):  # there is no such file, or no standard output
        return False


def _is_in(file: Path, read: Path) -> bool:
    """Whether a file is the one that is read, or in the directory that is. A link has the same file as its target."""
    try:
        return file.resolve().is_relative_to(read.resolve()) or file.samefile(read)
    except (OSError, ValueError, RuntimeError):  # one of them is not there
        return False


def write_bytes(path: Path, octets: bytes) -> None:
    """Write a file whole or not at all. Raises ``OSError`` if it cannot be written; then nothing has changed."""
    with replacing([path]) as (draft,):
        draft.write_bytes(octets)


def write_text(path: Path, text: str) -> None:
    """Write a file of UTF-8 text whole or not at all, with the same octets on every platform."""
    write_bytes(path, text.encode())


@contextmanager
def replacing(files: Sequence[Path]) -> Iterator[list[Path]]:
    """Drafts of ``files``: renamed into place if the block succeeds, removed if it fails.

    Raises :class:`InputError` if a place has something other than a file: a device must not become a file.
    """
    for file in files:
        _require_replaceable(file)
        _remove_left(file)
    drafts = [_beside(file) for file in files]
    try:
        yield drafts
        for draft, file in zip(drafts, files, strict=True):
            draft.replace(file)
    finally:
        for draft in drafts:
            draft.unlink(missing_ok=True)


def sync(directory: Path) -> None:
    """Make the names in a directory survive a power failure, if the system supports it (Windows does not)."""
    if os.name != "nt":
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _require_replaceable(file: Path) -> None:
    if file.exists() and not file.is_file():
        raise InputError(
            "this is not a regular file, so it is not replaced",
            file=str(file),
            remedy="name a file; to write to a pipe or a device, redirect standard output to it",
        )


def _beside(file: Path) -> Path:
    return file.with_name(f".{file.name}.{HOST}.{os.getpid()}.partial")


def _remove_left(file: Path) -> None:
    """Remove the drafts of a file that killed processes of this machine have left."""
    if os.name == "nt":  # there, the question whether a process lives would end it
        return
    # Names had no machine until November 2026.
    left = re.compile(rf"\.{re.escape(file.name)}\.(?:{re.escape(HOST)}\.)?(\d{{1,9}})\.partial")
    with suppress(OSError):
        for draft in file.parent.iterdir():
            if (found := left.fullmatch(draft.name)) and not _lives(int(found[1])):
                draft.unlink(missing_ok=True)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is that of another user
        return True
    return True

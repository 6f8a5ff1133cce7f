"""What the tests of imported networks share: a file with a content, and what becomes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from penstock import InputError, import_network


def outcome(file: Path, content: str, **options: Any) -> str:
    """The scenario of a file with this content, or why it is refused."""
    file.write_text(content, encoding="utf-8")
    try:
        return import_network(file, **options)
    except InputError as error:
        return str(error)


def matrix_in(folder: Path, content: str) -> dict[str, Path]:
    """The option with a file of demands in this folder; none without a content."""
    if not content:
        return {}
    (folder / "matrix.csv").write_text(content, encoding="utf-8")
    return {"demands": folder / "matrix.csv"}

"""A parameter that follows a list of values during the run, as a part of a scenario file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from penstock.core.files import prepare_file, write_text
from penstock.importing.document import list_of, named_list, quoted


def series_of(path: str, values: Iterable[str], notes: Iterable[str] = (), list_out: str | Path | None = None) -> str:
    """The table of a series in TOML: that of the parameter at `path`, with these entries and comments before it.

    With `list_out`, the entries are written into this file, and the table names it with its SHA-256.
    """
    listed = list_of(values)
    if list_out is None:
        entries = [listed.rstrip("\n")]
    else:
        write_text(prepare_file(list_out), listed)
        entries = [*named_list(Path(list_out).name, listed)]
    return "\n".join((*(f"# {note}" for note in notes), "[[series]]", f"path = {quoted(path)}", *entries)) + "\n"

"""The reference on the terminal: a key of a scenario file, a scheme, a table of results, or which parts go together."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from penstock.core.errors import InputError, did_you_mean
from penstock.core.keys import (
    Found,
    Keys,
    Row,
    facts_of,
    keyword_of,
    parts_of_schemes,
    plain,
    tables_of_results,
)
from penstock.core.scenario import schema, schemes
from penstock.show.terminal import columns, folded, print_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

SCHEME = re.compile(r"(?:(?:line|flow)\.(?:[^.]+\.)?)?scheme\.(\w+)(?:\.(.+))?")
"""A scheme by its name in a path, and what is behind it."""
TABLES, PARTS = "tables", "parts"
QUANTITY = re.compile(r"\[([^\]]+)\]\(#scenario-quantities\)")


def print_about(path: str, others: Iterable[str]) -> None:
    """Print what the reference has on a path into a scenario, a table of results, a column of it, or ``parts``.

    A scheme may be named alone. Raises :class:`InputError` if there is no such thing; ``others`` are more names that
    may be meant.
    """
    told = [each for each in (_about_table(path), _about_parts(path)) if each is not None]
    keys = Keys(schema())
    try:
        told.append(_about_scheme(keys, path) or _about_key(keys, keys.find(path)))
    except InputError as error:
        if (alone := _about_scheme(keys, f"scheme.{path}")) is not None:
            told.append(alone)
        if not told:
            raise InputError(
                error.reason, value=error.value, remedy=_meant(keys, path, others) or error.remedy
            ) from None
    for number, show in enumerate(told):
        if number:
            print()
        show()


def _meant(keys: Keys, path: str, others: Iterable[str]) -> str:
    """What a single unknown word may mean; empty if it has more steps, or is a key somewhere."""
    if "." in path or keys.places(path):
        return ""
    columns = [
        f"`{table}.{path}`" for table, (_, own) in tables_of_results().items() if path in [column for column, *_ in own]
    ]
    if columns:
        return f"it is a column of tables of results: {', '.join(columns)}"
    return did_you_mean(path, [*keys.known(keys.schema), *schemes(), *tables_of_results(), TABLES, PARTS, *others])


def _about_key(keys: Keys, found: Found) -> Callable[[], None]:
    """Print a key of a scenario file, and the keys inside it."""

    def show() -> None:
        print(found.path)
        if found.row is not None:
            _say(found.row.meaning)
            quantities = {name: keys.quantities[name] for name in QUANTITY.findall(found.row.kind)}
            default = found.row.default or "none: it must be given"
            _facts({"value": found.row.kind, "default": default, **quantities})
        _print_inside(keys, found, told=found.row is not None)

    return show


def _print_inside(keys: Keys, found: Found, *, told: bool = False) -> None:
    """Print the tables that a value can be: its keywords, or its keys."""
    tables = list(keys.tables(found.schema))
    choices = [table for table in tables if keyword_of(table) and "description" in table]
    if choices:
        rows = [{"key": keyword_of(table), "meaning": plain(table["description"])} for table in choices]
        print()
        print_table("One of", [("key", "key", str), ("meaning", "meaning", str)], rows)
    for table in tables:
        if table in choices:
            continue
        if table.get("properties"):
            if not told:
                _say(keys.table_meaning(table))
            print()
            _print_rows("Keys", keys.rows(found.path, table))
        for entry in (table.get("additionalProperties"), table.get("items")):
            if isinstance(entry, dict):
                _print_inside(keys, Found(found.path, entry, None), told=told)


def _about_scheme(keys: Keys, path: str) -> Callable[[], None] | None:
    """Print a scheme by its name, or a parameter of it; None if the path names none."""
    named = SCHEME.fullmatch(path)
    scheme = schemes().get(named[1]) if named is not None else None
    if named is None or scheme is None:
        return None
    if named[2]:
        return _about_key(keys, keys.find(f"scheme.{scheme.name}.{named[2]}"))

    def show() -> None:
        print(f"scheme.{scheme.name}")
        _say(scheme.meaning)
        if scheme.parts:
            print("\n".join(["", *(f"  {line}" for line in scheme.parts.splitlines()), ""]))
        _facts(facts_of(scheme))
        print()
        found = keys.find(f"scheme.{scheme.name}")
        rows = [row for table in keys.tables(found.schema) for row in keys.rows(found.path, table)]
        _print_rows("Its parameters, and the parts that may take the place of its own", rows)

    return show


def _about_table(path: str) -> Callable[[], None] | None:
    """Print a table of results, or one of its columns; None if the path names neither."""
    name, _, column = path.partition(".")
    if name == TABLES and not column:
        rows = [{"table": table, "meaning": plain(meaning)} for table, (meaning, _) in tables_of_results().items()]
        return lambda: print_table("Tables of results", [("table", "table", str), ("meaning", "meaning", str)], rows)
    meaning, own = tables_of_results().get(name, ("", []))
    rows = [{"column": key, "value": kind, "meaning": plain(text)} for key, kind, text in own if column in ("", key)]
    if not rows:
        return None
    headings = [(key, key, str) for key in ("column", "value", "meaning")]

    def show() -> None:
        _say(f"The table of results `{name}`: {meaning}")
        print_table("Columns", headings, rows)

    return show


def _about_parts(path: str) -> Callable[[], None] | None:
    """Print which parts go together: what each sends and hears."""
    if path != PARTS:
        return None

    def show() -> None:
        _say("Parts of control schemes go together if one hears what the other sends.")
        for (role, table), parts in parts_of_schemes().items():
            rows = [{"part": part, "sends": sent or "-", "hears": heard or "-"} for part, sent, heard in parts]
            print_table(f"{role}, in [{table}]", [(key, key, str) for key in ("part", "sends", "hears")], rows)

    return show


def _print_rows(title: str, rows: Sequence[Row]) -> None:
    """Print keys with their values, defaults and meanings."""
    told = [
        {"key": row.key, "value": plain(row.kind), "default": plain(row.default) or "-", "meaning": plain(row.meaning)}
        for row in rows
    ]
    print_table(title, [(key, key, str) for key in ("key", "value", "default", "meaning")], told)


def _facts(facts: Mapping[str, str]) -> None:
    """Print facts below one another, each with its name."""
    width, most = max(map(len, facts)), columns()
    for name, text in facts.items():
        lines = folded(plain(text), None if most is None else most - width - 4).splitlines()
        print(f"  {name:<{width}}  {lines[0]}", *(f"  {'':<{width}}  {line}" for line in lines[1:]), sep="\n")


def _say(text: str) -> None:
    """Print a sentence, folded to the width."""
    print(folded(plain(text), columns()))

"""The parameters of the schemes of a case: what all have in common, then what each has beside."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from penstock.league.league import Case

COMMON = "the same under every scheme"
TABLES = ("line", "flow")
"""The tables in which an entry stands for each line and each group of flows."""
HIDDEN = ("title",)


def parameters_of(case: Case) -> str:
    """One line for each parameter: those with the same value under every scheme, then the others, scheme by scheme."""
    leaves = {name: dict(short(dict(flat(one.expanded().tree)))) for name, one in case.scenarios.items()}
    every = list(leaves.values())
    common = {path: value for path, value in every[0].items() if all(own.get(path) == value for own in every)}
    parts = {COMMON: common} if len(leaves) > 1 else {}
    parts |= {
        name: {path: own[path] for path in own if path not in parts.get(COMMON, {})} for name, own in leaves.items()
    }
    texts = [
        "\n".join([f"# {name}", *(f"{path} = {value}" for path, value in own.items())]) for name, own in parts.items()
    ]
    return "\n\n".join(texts)


def flat(table: Mapping[str, Any], before: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """The path and the value, as JSON, of everything in a table that is no table with entries."""
    for key, value in table.items():
        path = (*before, key)
        if path[0] in HIDDEN:
            continue
        if isinstance(value, Mapping) and value:
            yield from flat(value, path)
        else:
            yield path, json.dumps(value, ensure_ascii=False)


def short(leaves: Mapping[tuple[str, ...], str]) -> Iterator[tuple[str, str]]:
    """The paths as text; a parameter that all lines or flows that have it share is one line with ``*``."""
    shared: dict[tuple[str, ...], set[str]] = {}
    for path, value in leaves.items():
        if path[0] in TABLES and len(path) > 2:
            shared.setdefault((path[0], "*", *path[2:]), set()).add(value)
    told = set()
    for path, value in leaves.items():
        star = (path[0], "*", *path[2:])
        if len(shared.get(star, ())) != 1:
            yield ".".join(path), value
        elif star not in told:
            told.add(star)
            yield ".".join(star), value

"""The parameters of the schemes: what all have in common in a case, then what each has beside."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from penstock.league.league import Case

COMMON = "the same under every scheme"
EVERYWHERE = "Every scheme: what it has in all cases"
TABLES = ("line", "flow")
"""The tables in which an entry stands for each line and each group of flows."""
HIDDEN = ("title",)


def parameters_of(cases: Sequence[Case]) -> dict[str, str]:
    """One line for each parameter, by the title of its part.

    For each case these are the parameters with the same value under every scheme, then the others, scheme by scheme.
    What a scheme has beside the common ones in every case where it runs is printed once, before the cases.
    """
    told = {case.title: parts_of(case) for case in cases}
    names = list(dict.fromkeys(name for parts in told.values() for name in parts if name != COMMON))
    always: dict[str, dict[str, str]] = {}
    for name in names if len(cases) > 1 else ():
        own = [parts[name] for parts in told.values() if name in parts]
        always[name] = {path: value for path, value in own[0].items() if all(each.get(path) == value for each in own)}
    found = {EVERYWHERE: text_of(always)} if any(always.values()) else {}
    for title, parts in told.items():
        rest = {
            name: {path: value for path, value in own.items() if path not in always.get(name, ())}
            for name, own in parts.items()
        }
        found[title] = text_of({name: own for name, own in rest.items() if own or not always})
    return found


def parts_of(case: Case) -> dict[str, dict[str, str]]:
    """The parameters that all schemes of a case share, and those that each has beside, by their paths."""
    leaves = {name: dict(short(dict(flat(one.expanded().tree)))) for name, one in case.scenarios.items()}
    every = list(leaves.values())
    common = {path: value for path, value in every[0].items() if all(own.get(path) == value for own in every)}
    parts = {COMMON: common} if len(leaves) > 1 else {}
    return parts | {
        name: {path: own[path] for path in own if path not in parts.get(COMMON, {})} for name, own in leaves.items()
    }


def text_of(parts: Mapping[str, Mapping[str, str]]) -> str:
    """Parameters as text, one in a line, under the names of their parts."""
    return "\n\n".join(
        "\n".join([f"# {name}", *(f"{path} = {value}" for path, value in own.items())]) for name, own in parts.items()
    )


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

"""Names for the points of a sweep: short names for parameters, and words for their values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.core.scenario import scheme_label

if TYPE_CHECKING:
    from penstock.analyse.results import Results


@dataclass(frozen=True, slots=True)
class Wording:
    """Names of a sweep's parameters and values: `names` by path, `words` by path and value."""

    names: Mapping[str, str]
    words: Mapping[str, Mapping[Any, Any]]

    @classmethod
    def of(cls, results: Results) -> Wording:
        """The names of the varied parameters."""
        values = {path: results.plan[path].unique(maintain_order=True).to_list() for path in results.parameters}
        return cls(short_names(results.parameters), {path: words(own, path) for path, own in values.items()})

    def values(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The word for the value of each parameter in a row of the plan, or of a table of results."""
        return {path: own[row[path]] for path, own in self.words.items()}

    def setting(self, row: Mapping[str, Any]) -> str:
        """The setting of such a row: ``count = 4, rate = 2 Mb/s``."""
        return phrases({self.names[path]: value for path, value in self.values(row).items()})


def short_names(paths: Sequence[str]) -> dict[str, str]:
    """The last steps of each path, as many as no other path ends with: ``video.count`` and ``voice.count``."""
    names = {}
    for path in paths:
        steps = path.split(".")
        ends = (".".join(steps[-count:]) for count in range(1, len(steps) + 1))
        others = [f".{other}" for other in paths if other != path]
        names[path] = next((end for end in ends if not any(other.endswith(f".{end}") for other in others)), path)
    return names


def phrases(parameters: Mapping[str, object]) -> str:
    """Values by their names, in words."""
    return ", ".join(f"{name} = {phrase(value)}" for name, value in parameters.items())


def words(values: Sequence[object], path: str = "") -> Mapping[Any, Any]:
    """The word for each of the different values of the parameter at ``path``.

    A plan has a table as JSON text. Its word is its keyword, or the label of a scheme, followed by the content of the
    table if several values have the same word. Different values have different words.
    """
    word_of = scheme_label if path.rpartition(".")[2] == "scheme" else keyword_of
    tables = {value: table for value in values if (table := table_of(value)) is not None}
    keywords = [word_of(table) for table in tables.values()]
    found = {}
    for value, table in tables.items():
        keyword = word_of(table)
        found[value] = keyword if keyword and keywords.count(keyword) == 1 else phrase(table)
    every = {value: found.get(value, value) for value in values}
    return every if len(set(every.values())) == len(every) else {value: value for value in values}


def table_of(value: object) -> object:
    """The table or list of a plan's JSON text; None if it is neither."""
    if not isinstance(value, str) or not value.startswith(("{", "[")):
        return None
    try:
        parsed: object = json.loads(value)
    except ValueError:
        return None
    return parsed


def keyword_of(table: object) -> str:
    """The keyword of a table that is a choice, such as ``{ whole = {} }``; empty for another table."""
    if isinstance(table, dict) and len(table) == 1:
        ((keyword, inner),) = table.items()
        return str(keyword) if isinstance(inner, dict) else ""
    return ""


def phrase(value: object) -> str:
    """A value as readable text: ``congestion_avoidance (decrease = 0.625, initial = 2)``."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return f"[{', '.join(map(phrase, value))}]"
    if isinstance(value, dict):
        return ", ".join(entry(key, inner) for key, inner in value.items())
    return json.dumps(value)


def entry(key: str, value: object) -> str:
    """A key of a table with its value."""
    if isinstance(value, dict):
        return f"{key} ({phrase(value)})" if value else key
    return f"{key} = {phrase(value)}"

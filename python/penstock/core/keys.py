"""The keys of a scenario file, from the engine's schema: what each is, its values, its default and its meaning."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from penstock import _engine
from penstock.core.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from penstock.core.scenario import Scheme

Schema = dict[str, Any]
PATHS = {"sweep.axis"}
"""Tables whose keys are paths into the scenario, not names of one's choice."""
MOST_PLACES = 6
STEP = re.compile(r"\[\d+\]|[^.\[\]]+")
"""One step of a path: a name, or the number of an entry."""


@dataclass(frozen=True, slots=True)
class Row:
    """A key: its possible values, its default and its meaning, in Markdown with links to sections."""

    key: str
    kind: str
    default: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Section:
    """A table of a file, by its path, with its meaning and its keys."""

    path: str
    meaning: str
    rows: list[Row]


@dataclass(frozen=True, slots=True)
class Found:
    """What a path leads to: the path with ``NAME`` for names of one's choice, the schema there, and its key."""

    path: str
    schema: Schema
    row: Row | None


class Keys:
    """Walks the JSON Schema from its root, depth first; each table of a file becomes a section, named by its path."""

    def __init__(self, schema: Schema) -> None:
        self.definitions: dict[str, Schema] = schema.get("$defs", {})
        self.sections: list[Section] = []
        self.links: dict[str, str] = {}
        self.explained: set[str] = set()
        self.inner: list[tuple[str, Schema, str]] = []
        self.quantities: dict[str, str] = {}
        self.schema = schema
        self.section("", schema, "")

    def section(self, path: str, schema: Schema, meaning: str) -> None:
        """Adds the section of one table, and after it those of the tables inside it that are new."""
        outer, self.inner = self.inner, []
        self.sections.append(Section(path, self.table_meaning(schema, meaning), self.rows(path, schema)))
        inner, self.inner = self.inner, outer
        # Lines first: tables that they share with others, such as queues, are described there.
        for place in sorted(inner, key=lambda place: place[0] != "line.NAME"):
            self.section(*place)

    @staticmethod
    def table_meaning(schema: Schema, meaning: str = "") -> str:
        """What a table is: what its keyword says, and what the table itself does."""
        return " ".join(dict.fromkeys(part for part in (meaning, schema.get("description", "")) if part))

    def rows(self, path: str, schema: Schema) -> list[Row]:
        """The keys of a table."""
        return [self.row(path, key, schema) for key in schema.get("properties", {})]

    def row(self, path: str, key: str, table: Schema) -> Row:
        """One key of a table."""
        value = table["properties"][key]
        kind = self.kind(value, f"{path}.{key}".removeprefix("."))
        return Row(key, kind, "" if key in table.get("required", []) else default_text(value), self.meaning(value))

    def kind(self, schema: Schema, path: str, meaning: str = "") -> str:
        """The possible values, with links to the sections of the tables inside."""
        if "$ref" in schema:
            return self.reference(schema["$ref"].rsplit("/", 1)[-1], path, meaning)
        if branches := schema.get("anyOf") or schema.get("oneOf"):
            return self.choice([branch for branch in branches if branch.get("type") != "null"], path)
        kinds = schema.get("type", "")
        if not kinds:
            return "any value"
        kind = next(name for name in kinds if name != "null") if isinstance(kinds, list) else kinds
        if kind == "array":
            return f"list of {self.kind(schema['items'], path)}" if schema.get("items") else "list"
        if kind == "object" and isinstance(values := schema.get("additionalProperties"), dict):
            inner = '"PATH"' if path in PATHS else "NAME"
            return f"table of {self.kind(values, f'{path}.{inner}')}"
        if kind == "object" and path == "traffic.kind.NAME":
            return f"keys of [`flow.NAME`](#{anchor('flow.NAME')})"
        if kind == "object" and path == "defaults":
            # The tables whose keys these are have sections.
            keys = [f"`{key}`: keys of [`{key}.NAME`](#{anchor(f'{key}.NAME')})" for key in schema["properties"]]
            return f"`{path}` with {', '.join(keys)}"
        if kind == "object" and path.rsplit(".", 1)[-1] == "scheme":
            # The page of schemes has their tables, whose keys are those of parts of lines and flows.
            return f"one of {', '.join(f'`{key}`' for key in schema['properties'])} with its parameters"
        if kind == "object":
            # A table too small for its own section.
            keys = [f"`{key}`: {self.kind(value, path)}" for key, value in schema.get("properties", {}).items()]
            return f"`{path.rsplit('.', 1)[-1]}` with {', '.join(keys)}"
        return {"integer": "whole number", "number": "number", "string": "text", "boolean": "`true` or `false`"}[kind]

    def reference(self, name: str, path: str, meaning: str) -> str:
        """A named definition: a table has one section, at its first use; a quantity is explained once.

        Two keywords may share a definition: then they share the section, under the name of each.
        """
        schema = self.definitions[name]
        last = path.rsplit(".", 1)[-1]
        if "properties" in schema:
            if name not in self.links:
                self.links[name] = anchor(path)
                self.explained.add(meaning)
                self.inner.append((path, schema, meaning))
            steps = [step for step in path.split(".") if step != "NAME"]
            text = name.lower() if last == '"PATH"' else f"`{steps[-1]}`"
            return f"[{text}](#{self.links[name]})"
        if schema.get("type") == "string":
            self.quantities[name.lower()] = schema["description"].removeprefix("Text: ")
            return f"[{name.lower()}](#scenario-quantities)"
        if schema.get("type") == "object":
            return f"`{last} = {{}}`"
        return self.kind(schema, path)

    def choice(self, branches: list[Schema], path: str) -> str:
        """One of several: words, or tables chosen by a key."""
        parts = []
        for branch in branches:
            if "const" in branch:
                parts.append(f'`"{branch["const"]}"`')
            elif (keyword := keyword_of(branch)) is not None:
                kind = self.kind(branch["properties"][keyword], f"{path}.{keyword}", branch.get("description", ""))
                parts.append(kind if f"`{keyword}" in kind else f"`{keyword}`: {kind}")
            else:
                parts.append(self.kind(branch, path))
        return " or ".join(parts)

    def meaning(self, schema: Schema) -> str:
        """The description of a value, and of each of its possible words or keywords without a section."""
        text = str(schema.get("description") or self.definition(schema).get("description", ""))
        told = [text]
        if effect := schema.get("retune"):
            told.append(f"*May change during a run.* {effect}")
        if reason := schema.get("fixed"):
            told.append(f"*Stays during a run:* {reason}.")
        for branch in self.branches(schema):
            name = branch.get("const", keyword_of(branch))
            if name is not None and branch.get("description", "") not in self.explained | {""}:
                told.append(f"`{name}`: {branch['description']}")
        return " ".join(told)

    def definition(self, schema: Schema) -> Schema:
        """The target of a schema's reference, or nothing."""
        return self.definitions.get(schema.get("$ref", "").rsplit("/", 1)[-1], {})

    def branches(self, schema: Schema) -> list[Schema]:
        """The possible schemas of a value, also the items of a list and optional values."""
        if "$ref" in schema:
            schema = self.definition(schema)
        inner = [branch for branch in schema.get("anyOf", []) if "$ref" in branch]
        inner += [schema["items"]] if isinstance(schema.get("items"), dict) else []
        return [*schema.get("oneOf", []), *(branch for each in inner for branch in self.branches(each))]

    def find(self, path: str) -> Found:
        """What ``path`` leads to; entries of tables and lists may have any name or number, or none.

        It may begin inside a line or a flow: ``congestion_point.erica``. Raises :class:`InputError` for what there is
        not, with what was probably meant.
        """
        refusals = []
        for start in ("", "line.NAME.", "flow.NAME."):
            try:
                return self._find(f"{start}{path}")
            except InputError as refusal:
                refusals.append(refusal)
        raise refusals[0]

    def _find(self, path: str) -> Found:
        steps = STEP.findall(path)
        found = Found("", self.schema, None)
        for number, step in enumerate(steps):
            inner = self.step(found, step)
            if inner is None:
                raise self.unknown(path, step, found, at_start=number == 0)
            found = inner
        return found

    def step(self, at: Found, step: str) -> Found | None:
        """What one step leads to from a place."""
        tables = list(self.tables(at.schema))
        for table in tables:
            if step in table.get("properties", {}):
                path = f"{at.path}.{step}".removeprefix(".")
                return Found(path, table["properties"][step], self.row(at.path, step, table))
        for table in tables:
            if step.startswith("[") and isinstance(items := table.get("items"), dict):
                return Found(at.path, items, None)
            if isinstance(values := table.get("additionalProperties"), dict) and not step.startswith("["):
                name = '"PATH"' if at.path in PATHS else "NAME"
                entry = Found(f"{at.path}.{name}", values, None)
                return self.step(entry, step) if step in self.known(values) else entry
            if isinstance(items := table.get("items"), dict) and (
                inner := self.step(Found(at.path, items, None), step)
            ):
                return inner
        return None

    def tables(self, schema: Schema) -> Iterator[Schema]:
        """The tables and lists that a value can be: those of a reference or of a choice, too."""
        if "$ref" in schema:
            yield from self.tables(self.definition(schema))
        for branch in (*schema.get("anyOf", []), *schema.get("oneOf", [])):
            yield from self.tables(branch)
        if "properties" in schema or "additionalProperties" in schema or "items" in schema:
            yield schema

    def known(self, schema: Schema) -> list[str]:
        """The keys that may follow at a place: those of its entries, too."""
        inner = [table["items"] for table in self.tables(schema) if isinstance(table.get("items"), dict)]
        keys = [key for table in self.tables(schema) for key in table.get("properties", {})]
        return list(dict.fromkeys([*keys, *(key for each in inner for key in self.known(each))]))

    def unknown(self, path: str, step: str, at: Found, *, at_start: bool) -> InputError:
        """The refusal of a step that leads nowhere."""
        reason = f"{at.path} has no key `{step}`" if at.path else f"a scenario has no key `{step}`"
        places = [f"`{place}`" for place in self.places(step)] if at_start else []
        more = f" and {len(places) - MOST_PLACES} more" if len(places) > MOST_PLACES else ""
        remedy = f"it is a key of other places: {', '.join(places[:MOST_PLACES])}{more}" if places else ""
        known = self.known(at.schema)
        remedy = remedy or did_you_mean(step, known)
        return InputError(reason, value=path, remedy=remedy or f"known there: {', '.join(known) or 'nothing'}")

    def places(self, key: str) -> list[str]:
        """All paths that end with this key."""
        return [f"{each.path}.{key}" for each in self.sections for row in each.rows if row.key == key and each.path]


def keyword_of(branch: Schema) -> str | None:
    """The keyword of one branch of a choice, if that is a table of one key."""
    keys = branch.get("properties", {})
    return next(iter(keys)) if len(keys) == 1 else None


def anchor(path: str) -> str:
    """The name of a section in links."""
    return "scenario-" + (path.replace(".", "-").replace("_", "-").replace('"', "").lower() or "file")


def default_text(schema: Schema) -> str:
    """The default of a key, as in a file."""
    if "default" not in schema or schema["default"] is None:
        return "absent"
    default = schema["default"]
    if default in ({}, []):
        return "empty"
    return f"`{toml_text(default)}`"


def toml_text(value: object) -> str:
    """A JSON value as TOML writes it inline."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml_text(inner)}" for key, inner in value.items()) + " }" if value else "{}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml_text, value)) + "]"
    return json.dumps(value)


def plain(markdown: str) -> str:
    """The same without the marks of Markdown: for a terminal."""
    linked = re.sub(r"\[([^\]]*)\]\(#[^)]*\)", r"\1", " ".join(markdown.split()))
    return re.sub(r"\*([^*]+)\*", r"\1", linked.replace("`", ""))


def facts_of(scheme: Scheme) -> dict[str, str]:
    """What a scheme needs and costs, each with its name; without what is empty."""
    facts = {
        "the switch sends": scheme.feedback or "nothing",
        "a switch keeps": scheme.state,
        "added to the traffic": scheme.overhead,
        "needs": scheme.needs,
        "source": scheme.source,
    }
    return {name: text for name, text in facts.items() if text}


@cache
def tables_of_results() -> dict[str, tuple[str, list[tuple[str, str, str]]]]:
    """Each table of results: its meaning, and the name, value and meaning of its columns."""
    return {
        table: (" ".join([meaning, *([f"It needs `{needed(table)}`."] if table in MEASURED else [])]), columns)
        for table, meaning, columns in json.loads(_engine.columns())
    }


MEASURED = {"flows": ("flows", "true"), "series": ("sample", '"10 ms"'), "distributions": ("distributions", "true")}
"""The tables of results that a key of `measure` turns on or off: the key, and a value that turns the table on."""


def needed(table: str) -> str:
    """The key that turns a table of results on, with a value."""
    key, value = MEASURED[table]
    return f"measure.{key} = {value}"


def is_measured(table: str, tree: Mapping[str, Any]) -> bool:
    """Whether a scenario, with its defaults, measures what a table of results has."""
    return table not in MEASURED or bool(tree["measure"].get(MEASURED[table][0]))


def parts_of_schemes() -> dict[tuple[str, str], list[tuple[str, str, str]]]:
    """By the role of parts of schemes and the table of a file that has it: each part, what it sends and hears."""
    found: dict[tuple[str, str], list[tuple[str, str, str]]] = {}
    for role, table, part, sends, hears in _engine.parts():
        found.setdefault((role, table), []).append((part, ", ".join(sends), ", ".join(hears)))
    return found

"""Writes the reference pages from the code: every scenario key, and the help of every command."""

import json
import os
import re
import subprocess
import sys
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from penstock import _engine
from penstock.cli import COMMANDS

Schema = dict[str, Any]
PATHS = {"sweep.axis"}
"""Tables whose keys are paths into the scenario, not names of one's choice."""
MODELS = Path(__file__).resolve().parent.parent / "docs" / "models"


def write(folder: Path) -> None:
    """Writes all generated pages into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = {
        "scenario": ScenarioPage(json.loads(_engine.schema())).text(),
        "schemes": schemes_page(),
        "parts": parts_page(),
        "tables": tables_page(),
        "commands": commands_page(),
    }
    for name, text in pages.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")


class ScenarioPage:
    """Walks the JSON Schema from its root, depth first; each table of a file becomes a section, named by its path."""

    def __init__(self, schema: Schema) -> None:
        self.definitions: dict[str, Schema] = schema.get("$defs", {})
        self.sections: list[str] = []
        self.links: dict[str, str] = {}
        self.explained: set[str] = set()
        self.inner: list[tuple[str, Schema, str]] = []
        self.quantities: dict[str, str] = {}
        self.section("", schema, "")

    def text(self) -> str:
        """The page."""
        head = (
            "# Scenario keys\n\nEvery table and key of a scenario file, written from the engine's own definitions "
            '(`penstock schema` prints the same as JSON Schema). `NAME` stands for a name of your choice, `"PATH"` '
            "for the path of a value, in quotes. A key without a default must be given.\n"
        )
        quantities = ["(scenario-quantities)=", "## Quantities", ""]
        quantities += [f"- *{name}*: {meaning}" for name, meaning in sorted(self.quantities.items())]
        return "\n".join([head, *self.sections, *quantities, ""])

    def section(self, path: str, schema: Schema, meaning: str) -> None:
        """Adds the section of one table, and after it those of the tables inside it that are new."""
        title = f"`{path}`" if path else "The file"
        model = f"Model: {link}." if (link := model_of(path)) else ""
        text = " ".join(dict.fromkeys(part for part in (meaning, schema.get("description", ""), model) if part))
        lines = [
            f"({anchor(path)})=",
            f"## {title}",
            "",
            text,
            "",
            "| key | value | default | meaning |",
            "|---|---|---|---|",
        ]
        outer, self.inner = self.inner, []
        required = schema.get("required", [])
        for key, value in schema["properties"].items():
            kind = self.kind(value, f"{path}.{key}".removeprefix("."))
            default = "" if key in required else default_text(value)
            lines.append(f"| `{key}` | {kind} | {default} | {cell(self.meaning(value))} |")
        self.sections.append("\n".join([*lines, ""]))
        inner, self.inner = self.inner, outer
        # Lines first: tables that they share with others, such as queues, are described there.
        for place in sorted(inner, key=lambda place: place[0] != "line.NAME"):
            self.section(*place)

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


def cell(text: str) -> str:
    """A description on one line, safe inside a table."""
    return " ".join(text.split()).replace("|", "\\|")


@cache
def models() -> dict[str, str]:
    """The link to the page of the model of each keyword: those that the first table of `docs/models/index.md` names."""
    found = {}
    for title, page, keywords in re.findall(
        r"^\| \[(.+)\]\((.+)\)[^|]*\| (.+) \|$", (MODELS / "index.md").read_text(), re.MULTILINE
    ):
        for keyword in re.findall(r"`([^`]+)`", keywords):
            found[keyword.rsplit(".", 1)[-1]] = f"[{title}](../../models/{page})"
    return found


def model_of(path: str) -> str:
    """The link to the model of a table, if that is a part, or a table of one."""
    first, *steps = path.split(".")
    near = (*steps[:-3:-1], first) if len(steps) == 1 else steps[:-3:-1]
    return next((models()[step] for step in near if step in models()), "")


def linked(source: str) -> str:
    """A source in which pages of models are links."""
    return re.sub(r"docs/models/([\w-]+)\.md(#[\w-]+)?", r"[model](../../models/\1.md\2)", source)


def tables_page() -> str:
    """Every column of every result table, as the engine defines it."""
    head = (
        "# Result tables\n\nThe tables of a `Result`, and the Parquet files of `penstock run --out`: each has the "
        "column `replication` first. Sweeps, comparisons and studies have the same tables: `Results.table` puts the "
        "run, its point and parameters, seed and replication first; in the files of their segments the first column is "
        "the run ([what the directory contains](../../guides/sweeps.md#what-the-directory-contains)).\n\nUnits are in "
        "the names: `_s` seconds, `_bps` bits per second; values without a unit are counts of PDUs (cells) or ratios. "
        "A value is null if there was nothing to measure.\n"
    )
    sections = [head]
    for table, meaning, columns in json.loads(_engine.columns()):
        lines = [f"## `{table}`", "", meaning, "", "| column | value | meaning |", "|---|---|---|"]
        lines += [f"| `{column}` | {kind} | {cell(text)} |" for column, kind, text in columns]
        sections.append("\n".join([*lines, ""]))
    return "\n".join(sections)


def schemes_page() -> str:
    """Every control scheme by name, with its parts, as the engine lists them."""
    head = (
        '# Schemes\n\n`scheme = "erica"` in a scenario puts the parts of ERICA in their places: its congestion point '
        "at every port of a line, its reaction and notification points (or its transport) at every host. A "
        "line or a flow with a `scheme` of its own has that one instead. `none` leaves it without control. A part that "
        "a line or a flow has itself replaces the part of the scheme. Parameters stand in the scheme's own table, as "
        "`[scheme.erica]` with `target = 0.9`. A role in that table, as `reaction_point.tm40 = {}`, replaces "
        "the part whole. `penstock check --expanded` prints the scenario with all parts in their places.\n"
    )
    sections = [head]
    for keyword, meaning, main, parts, sends, state, overhead, needs, source in _engine.schemes():
        lines = [f"## `{keyword}`", "", meaning, ""]
        if parts:
            lines += ["```toml", parts, "```", "", f"Its own parameters are those of `{main}`.", ""]
        facts = {
            "the switch sends": sends or "nothing",
            "a switch keeps": state,
            "added to the traffic": overhead,
            "needs": needs,
            "source": linked(source),
        }
        lines += ["| | |", "|---|---|", *(f"| {name} | {cell(text)} |" for name, text in facts.items() if text), ""]
        sections.append("\n".join(lines))
    return "\n".join(sections)


def parts_page() -> str:
    """Which parts of control schemes go together: what each sends and hears, as the engine declares it."""
    head = (
        "# Which parts go together\n\nA control scheme has parts at ports, receivers and sources. Each part declares "
        "what it sends and what it hears. Parts go together if one hears what the other sends. `penstock check` and "
        "`penstock run` print who hears whom in a scenario. A part that nobody hears, or that hears nobody, has no "
        'effect: the scenario is refused, unless it has `mismatches = "warn"`. Three rules need more than this '
        "table:\n\n- What a port writes into RM cells (explicit rates, CI marks) reaches a source only if the source "
        "sends RM cells and its receiver returns them (`notification_point.turn_round`).\n- A source that only scales "
        "a nominal rate (`rate_factor`, `stop`) needs traffic that has one: not `greedy`, not `connections`.\n- A "
        "window that never sends a lost PDU again (`fixed_window`) needs queues that cannot overflow.\n\nBy its "
        "parameters, a part may send less than the table says.\n"
    )
    sections = [head]
    for (role, table), parts in groupby(_engine.parts(), key=lambda part: part[:2]):
        lines = [f"## `{role}`, in `[{table}]`", "", "| part | sends | hears |", "|---|---|---|"]
        lines += [f"| `{part}` | {', '.join(sends)} | {', '.join(hears)} |" for _, _, part, sends, hears in parts]
        sections.append("\n".join([*lines, ""]))
    return "\n".join(sections)


def commands_page() -> str:
    """The help of the program and of each of its commands."""
    head = "# Commands\n\nThe output of `--help`, for the program and for each of its commands.\n"
    pages = [head, help_of()]
    pages += [f"## `penstock {command.name}`\n\n{help_of(*command.name.split())}" for command in COMMANDS]
    return "\n".join(pages)


def help_of(*command: str) -> str:
    """The help of one command, without colours."""
    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
    line = [sys.executable, "-m", "penstock", *command, "--help"]
    printed = subprocess.run(line, capture_output=True, text=True, check=True, env=environment).stdout
    return f"```text\n{printed.strip()}\n```\n"

"""Writes the reference pages from the code: every scenario key, and the help of every command."""

import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from penstock import schema, schemes
from penstock.cli import COMMANDS
from penstock.core.keys import Keys, anchor, facts_of, parts_of_schemes, tables_of_results

MODELS = Path(__file__).resolve().parent.parent / "docs" / "models"


def write(folder: Path) -> None:
    """Writes all generated pages into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = {
        "scenario": scenario_page(schema()),
        "schemes": schemes_page(),
        "parts": parts_page(),
        "tables": tables_page(),
        "commands": commands_page(),
    }
    for name, text in pages.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")


def scenario_page(of: dict[str, Any]) -> str:
    """Every key of a scenario file, as the schema `of` has it."""
    head = (
        "# Scenario keys\n\nEvery table and key of a scenario file, written from the engine's own definitions "
        '(`penstock schema` prints the same as JSON Schema). `NAME` stands for a name of your choice, `"PATH"` '
        "for the path of a value, in quotes. A key without a default must be given. `penstock help PATH` prints one "
        "key.\n"
    )
    keys = Keys(of)
    sections = []
    for section in keys.sections:
        title = f"`{section.path}`" if section.path else "The file"
        model = f"Model: {link}." if (link := model_of(section.path)) else ""
        text = " ".join(part for part in (section.meaning, model) if part)
        lines = [f"({anchor(section.path)})=", f"## {title}", "", text, ""]
        lines += ["| key | value | default | meaning |", "|---|---|---|---|"]
        lines += [f"| `{row.key}` | {row.kind} | {row.default} | {cell(row.meaning)} |" for row in section.rows]
        sections.append("\n".join([*lines, ""]))
    quantities = ["(scenario-quantities)=", "## Quantities", ""]
    quantities += [f"- *{name}*: {meaning}" for name, meaning in sorted(keys.quantities.items())]
    return "\n".join([head, *sections, *quantities, ""])


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
    for table, (meaning, columns) in tables_of_results().items():
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
    for scheme in schemes().values():
        lines = [f"## `{scheme.name}`", "", scheme.meaning, ""]
        if scheme.parts:
            lines += ["```toml", scheme.parts, "```", "", f"Its own parameters are those of `{scheme.main}`.", ""]
        rows = [f"| {name} | {cell(linked(text))} |" for name, text in facts_of(scheme).items()]
        lines += ["| | |", "|---|---|", *rows, ""]
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
    for (role, table), parts in parts_of_schemes().items():
        lines = [f"## `{role}`, in `[{table}]`", "", "| part | sends | hears |", "|---|---|---|"]
        lines += [f"| `{part}` | {sends} | {hears} |" for part, sends, hears in parts]
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

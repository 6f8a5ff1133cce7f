"""`penstock help`: the reference by a path, a scheme, a table of results or a command."""

from __future__ import annotations

import json
import re

import pytest
from conftest import Command

from penstock import _engine
from penstock.cli import COMMANDS
from penstock.core.keys import Keys
from penstock.core.scenario import schema, schemes

pytestmark = pytest.mark.in_process
KEYS = Keys(schema())
PLACES = [f"{section.path}.{row.key}".removeprefix(".") for section in KEYS.sections for row in section.rows]


def test_every_key_of_the_reference_is_found_with_its_meaning() -> None:
    assert len(PLACES) > 300
    for section in KEYS.sections:
        for row in section.rows:
            path = f"{section.path}.{row.key}".removeprefix(".")
            found = KEYS.find(path)
            assert (found.path, found.row and found.row.meaning) == (path, row.meaning)


@pytest.mark.parametrize("path", ["line.trunk.queues[0].drop_tail.size", "line.*.queues.drop_tail.size"])
def test_names_and_numbers_are_any_of_ones_choice(penstock: Command, path: str) -> None:
    done = penstock("help", path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("line.NAME.queues.drop_tail.size\n")
    assert '"512 cells"' in done.stdout


def test_a_path_may_begin_inside_a_line_or_a_flow(penstock: Command) -> None:
    for path, whole in (("congestion_point.erica", "line"), ("traffic.on_off.peak_rate", "flow"), ("delay", "line")):
        assert penstock("help", path).stdout.startswith(f"{whole}.NAME.{path}\n")


def test_every_scheme_has_its_parts_and_parameters(penstock: Command) -> None:
    for name, scheme in schemes().items():
        told = penstock("help", f"scheme.{name}").stdout
        assert told.startswith(f"scheme.{name}\n")
        assert " ".join(scheme.meaning.split()) in " ".join(told.split())
    assert "\n  target " in penstock("help", "scheme.erica").stdout
    charny = penstock("help", "charny").stdout
    assert re.search(r"\n  target +number +0\.9 ", charny), "the default that the scheme gives it"
    assert penstock("help", "line.trunk.scheme.erica.target").stdout.startswith("scheme.erica.target\nTarget share")
    assert re.search(r"value +number\n +default +0\.7\n", penstock("help", "scheme.cubic.beta").stdout)


def test_every_table_of_results_and_column_is_told(penstock: Command) -> None:
    for table, _, columns in json.loads(_engine.columns()):
        told = penstock("help", table).stdout
        assert all(f"\n  {column} " in told for column, *_ in columns)
    one = penstock("help", "groups.loss_ratio").stdout
    assert "lost / sent" in one
    assert "delay_mean_s" not in one
    assert all(f"\n  {table} " in penstock("help", "tables").stdout for table in ("groups", "ports", "losses"))


def test_parts_and_commands_are_told(penstock: Command) -> None:
    told = penstock("help", "parts").stdout
    assert all(f"\n  {part} " in told for _, _, part, _, _ in _engine.parts())
    assert penstock("help", "runs", "list").stdout == penstock("runs", "list", "--help").stdout
    assert penstock("help").stdout == penstock("--help").stdout
    both = penstock("help", "sweep").stdout
    assert both.startswith("sweep\nThe parameters that")
    assert "usage: penstock sweep" in both
    for command in COMMANDS:
        assert penstock("help", *command.name.split()).returncode == 0


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("scheme.ercia", 'scheme has no key `ercia`; did you mean "erica"?'),
        ("scheme.erica.tarket", 'did you mean "target"?'),
        ("line.trunk.queues[0].drop_tial", 'did you mean "drop_tail"?'),
        ("durration", 'did you mean "duration"?'),
        ("tabels", 'did you mean "tables"?'),
        ("comparre", 'did you mean "compare"?'),
        ("peak_rate", "it is a key of other places: `flow.NAME.traffic.on_off.peak_rate`"),
        ("loss_ratio", "`groups.loss_ratio`"),
        ("duration.x", "known there: nothing"),
    ],
)
def test_what_there_is_not_is_refused_with_what_was_meant(penstock: Command, asked: str, meant: str) -> None:
    done = penstock("help", asked)
    assert (done.returncode, done.stdout) == (2, "")
    assert meant in done.stderr

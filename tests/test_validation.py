"""The page of validation: its stored lines are those of today, and the tests that it names exist."""

from __future__ import annotations

import json
import re
import runpy

import pytest
from documented import ROOT

from penstock.verify import streams
from penstock.verify.check import Exact

TABLE = runpy.run_path(str(ROOT / "tools" / "checked.py"))["validation_table"]

PAGE = (ROOT / "docs" / "validation.md").read_text(encoding="utf-8")
STORED = json.loads((ROOT / "docs" / "results" / "validation.json").read_text(encoding="utf-8"))


def test_the_stored_lines_are_those_of_the_checks() -> None:
    lines = [(check, line) for check in streams.checks() for line in check.lines]
    told = [(line["theory"], line["setting"], line["quantity"]) for line in STORED["lines"]]
    assert told == [(check.theory, check.setting, line.quantity) for check, line in lines]
    for (_, line), stored in zip(lines, STORED["lines"], strict=True):
        truth = list(line.truth) if isinstance(line, Exact) else [line.low, line.high]
        assert stored["truth"] == pytest.approx(truth)
    assert {check.theory for check, _ in lines} == set(streams.SOURCES)
    assert set(streams.REASONS) <= set(streams.SOURCES)


def test_the_table_has_every_line_and_the_reason_of_each_that_does_not_hold() -> None:
    lines = [dict(line) for line in STORED["lines"]]
    lines[0]["verdict"] = "fails"
    told = TABLE({**STORED, "lines": lines})
    assert told.count("\n| ") == len(lines) + 1
    assert f"- **fails**: {lines[0]['theory']}, {lines[0]['setting']}: {lines[0]['quantity']}." in told


def test_each_named_test_exists() -> None:
    named = re.findall(r"`(\w+\.(?:rs|py))`: ((?:`\w+`(?:, )?)+)", PAGE)
    assert len(named) > 15
    for file, tests in named:
        folder = ROOT / ("tests" if file.endswith(".py") else "crates/engine")
        text = "".join(path.read_text(encoding="utf-8") for path in folder.rglob(file))
        for test in re.findall(r"`(\w+)`", tests):
            assert re.search(rf"\b(?:fn|def) {test}\(", text), f"{file}: {test}"

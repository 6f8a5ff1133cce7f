"""The page of validation: its stored lines are those of today, and the tests that it names exist."""

from __future__ import annotations

import json
import re
import runpy

import pytest
from documented import ROOT

from penstock.verify import streams
from penstock.verify.check import Exact

CHECKED = runpy.run_path(str(ROOT / "tools" / "checked.py"))
TABLE = CHECKED["validation_table"]

PAGE = (ROOT / "docs" / "validation.md").read_text(encoding="utf-8")
STORED, VERIFIED = (
    json.loads((ROOT / "docs" / "results" / f"{name}.json").read_text(encoding="utf-8"))
    for name in ("validation", "verify")
)


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


def test_the_first_line_has_the_counts_of_the_stored_results() -> None:
    assert PAGE.startswith(f"# Validation\n\n{CHECKED['counted'](PAGE)}\n")
    first = PAGE.splitlines()[2]
    assert re.match(r"\*\*\d+ rows are met, \d+ are red, \d+ hold in part, \d+ are open\.\*\*", first)
    # A line about byte streams is stored twice, among its own and among all, and counts once.
    own = {line["theory"] for line in STORED["lines"]}
    others = [line for line in VERIFIED["lines"] if line["theory"] not in own]
    (told,) = (line for line in PAGE.splitlines() if line.startswith("| All other theory"))
    assert sum(int(cell) for cell in told.split("|")[2:-1]) == len(others) > 100


def test_each_row_counts_once_and_a_verdict_that_is_none_is_open() -> None:
    page = """# T

## Exact

| row | expected |
|---|---|
| M4, M5 | M6 is named here, and is no row |
| A8b | x |

## Not met

| row | expected |
|---|---|
| P7, 9 of 10; 5 of 10 | x |

## Not run

| row | expected |
|---|---|
| T1, T2 | x |
"""
    assert CHECKED["rows_of_page"](page) == (3, 1, 0, 2)
    verdicts = ["holds", "reproduced", "fails", "not reproduced", "partly", "by construction", "too few to tell"]
    assert CHECKED["Counts"].of(verdicts) == (2, 2, 1, 2)

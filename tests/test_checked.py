"""The tables of docs/checks.md from stored results."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

FILE = Path(__file__).parent.parent / "tools" / "checked.py"


@pytest.fixture
def checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The tool, with the results of two studies of 20 seeds."""
    found = importlib.util.spec_from_file_location("checked", FILE)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    stored = {
        "commit": "1234567",
        "made": "2026-11-23",
        "seeds": 20,
        "verdicts": {"becn": {"becn.one": "partly"}, "atn": {"atn.one": "reproduced"}},
    }
    (tmp_path / "claims.json").write_text(json.dumps(stored), encoding="utf-8")
    monkeypatch.setattr(module, "RESULTS", tmp_path)
    monkeypatch.setattr(module, "commit", lambda: "89abcde")
    return module


def test_the_verdicts_of_one_study_replace_its_own_alone(checked: ModuleType) -> None:
    merged = checked.merged({"becn": {"becn.one": "reproduced", "becn.two": "partly"}}, 10)
    assert merged["verdicts"]["atn"] == {"atn.one": "reproduced"}
    assert merged["verdicts"]["becn"] == {"becn.one": "reproduced", "becn.two": "partly"}
    lines = checked.claims_table(merged).splitlines()
    assert lines[2:] == [
        "| [becn](studies/becn.md) | 10 | 2 | 1 | 1 | 0 | 0 | 0 | 0 |",
        "| [atn](studies/atn.md) | 20 | 1 | 1 | 0 | 0 | 0 | 0 | 0 |",
    ]
    told = checked.basis(merged)
    assert "Made on 2026-11-23 from commit `1234567`; becn on 20" in told
    assert told.endswith("from `89abcde`.\n")


def test_the_lines_of_some_theories_replace_their_own_alone(checked: ModuleType, tmp_path: Path) -> None:
    def line(theory: str, verdict: str = "holds", kind: str = "exact") -> dict[str, str]:
        return {"theory": theory, "kind": kind, "verdict": verdict}

    stored = {"commit": "1234567", "made": "2026-11-23", "lines": [line("a", kind="mean"), line("b"), line("c")]}
    (tmp_path / "validation.json").write_text(json.dumps(stored), encoding="utf-8")
    merged = checked.with_theories({"lines": [line("b", "fails"), line("d")]}, ["b", "d"], ["a", "b", "d", "c"])
    assert merged["lines"] == [line("a", kind="mean"), line("b", "fails"), line("d"), line("c")]
    assert (merged["commit"], merged["apart"]["d"]["commit"]) == ("1234567", "89abcde")
    with pytest.raises(SystemExit, match="a: random lines are judged together"):
        checked.with_theories({"lines": [line("a", kind="mean")]}, ["a"], ["a"])

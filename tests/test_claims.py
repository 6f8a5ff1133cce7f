"""Claims are read strictly, and one function judges all evidence."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from penstock.show.report import VERDICTS as STYLES
from penstock.show.study import SHARES_NOTE, shares_note
from penstock.statistics import student
from penstock.studies import STUDIES
from penstock.studies.claims import (
    VERDICTS,
    Claim,
    Clause,
    Clauses,
    Count,
    Evidence,
    NotRun,
    Samples,
    Verdict,
    figure_numbers,
    judge,
    load_claims,
    parse_claims,
    require_match,
    shown,
    to_json,
    verdict,
)

VALUE = Claim("x.value", "11", "value", "ten", value=10.0, tolerance=0.1)
ABSOLUTE = Claim("x.absolute", "11", "value", "ten", value=10.0, tolerance_abs=0.5)
RANGE = Claim("x.range", "11", "range", "one to two", low=1.0, high=2.0)
ZERO = Claim("x.zero", "11", "zero", "none")
ORDER = Claim("x.order", "11", "order", "loss", order=("case 2", "case 3", "case 1"))
TREND = Claim("x.trend", "11", "trend", "rises")
IN_TEXT = Claim("x.text", "11", "value", "a closed form")


YES, NO = Clause("yes", holds=True), Clause("no", holds=False)
OPEN = Clause("open", holds=False, factor="n", undecided=True)
GIVEN = Clause("given", holds=True, by_construction=True)


def seen(events: int, runs: int, points: int = 1) -> Count:
    """So many replications with an event, of so many, at each point; three runs of the paper."""
    had_event = [place < events for place in range(runs)]
    return Count({f"N = {place}": had_event for place in range(points)}, (7 * events * points, 1000), paper_runs=3)


def at(*values: float) -> Samples:
    return Samples({"N = 1": values})


def clauses(*holding: bool, beside: Sequence[bool] = ()) -> Clauses:
    parts, rest = ([Clause(f"part {place}", holds) for place, holds in enumerate(each)] for each in (holding, beside))
    return Clauses(parts, seeds=3, beside=rest)


@pytest.mark.parametrize(
    ("claim", "evidence", "expected"),
    [
        (VALUE, at(9.0, 9.0, 9.0), "reproduced"),
        (VALUE, at(8.9, 8.9, 8.9), "not reproduced"),
        (VALUE, at(8.0, 8.5, 9.5), "partly"),  # mean 8.67, but the interval reaches 9
        (VALUE, at(8.9), "not reproduced"),  # one seed has no interval that could touch
        (ABSOLUTE, at(10.5, 10.5), "reproduced"),
        (ABSOLUTE, at(10.6, 10.6), "not reproduced"),
        (RANGE, Samples({"a": (1.0, 1.0), "b": (2.0, 2.0)}), "reproduced"),
        (RANGE, Samples({"a": (1.0, 1.0), "b": (2.1, 2.1)}), "partly"),
        (RANGE, Samples({"a": (0.9, 0.9), "b": (2.1, 2.1)}), "not reproduced"),
        (ZERO, seen(0, 60), "reproduced"),
        (ZERO, seen(2, 60), "reproduced"),  # (58/60)^3 = 0.90
        (ZERO, seen(12, 60), "reproduced"),  # (48/60)^3 = 0.512
        (ZERO, seen(13, 60), "partly"),  # (47/60)^3 = 0.481
        (ZERO, seen(37, 60), "partly"),  # (23/60)^3 = 0.056
        (ZERO, seen(38, 60), "not reproduced"),  # (22/60)^3 = 0.049
        (ZERO, seen(12, 60, points=2), "partly"),  # 0.512^2
        (ORDER, clauses(True, True), "reproduced"),
        (ORDER, clauses(True, False), "partly"),
        (TREND, clauses(False, False), "not reproduced"),
        (TREND, clauses(True, beside=[True]), "reproduced"),
        (TREND, clauses(True, beside=[False]), "partly"),
        (TREND, clauses(True, False, beside=[True]), "partly"),
        (TREND, clauses(False, beside=[True, True]), "not reproduced"),
        (IN_TEXT, clauses(True), "reproduced"),
        (TREND, NotRun("not run yet"), "not run"),
        (VALUE, NotRun("not run yet"), "not run"),
        (TREND, Clauses([GIVEN, GIVEN], 3), "by construction"),
        (TREND, Clauses([GIVEN, YES], 3), "reproduced"),
        (TREND, Clauses([GIVEN, NO], 3), "not reproduced"),
        (TREND, Clauses([GIVEN, YES, NO], 3), "partly"),
        (TREND, Clauses([replace(GIVEN, holds=False), YES], 3), "not reproduced"),
        (TREND, Clauses([GIVEN], 3, beside=[NO]), "not reproduced"),
        (VALUE, Samples({"a": (10.0,)}, by_construction=True), "by construction"),
        (VALUE, Samples({"a": (20.0,)}, by_construction=True), "not reproduced"),
        (VALUE, Samples({"a": (10.0,)}, beside=[YES], by_construction=True), "reproduced"),
        (VALUE, Samples({"a": (10.0,)}, beside=[YES, NO], by_construction=True), "partly"),
        (ZERO, replace(seen(0, 60), by_construction=True), "by construction"),
        (ZERO, replace(seen(1, 60), by_construction=True, beside=[YES]), "reproduced"),
        (TREND, Clauses([OPEN], 3), "too few replications"),
        (TREND, Clauses([YES, OPEN], 3), "too few replications"),
        (TREND, Clauses([YES, NO, OPEN], 3), "partly"),  # whatever the open one is
        (TREND, Clauses([YES], 3, beside=[OPEN]), "too few replications"),
        (VALUE, Samples({"a": (20.0,)}, beside=[OPEN]), "not reproduced"),
    ],
)
def test_verdict_follows_the_kind(claim: Claim, evidence: Evidence, expected: Verdict) -> None:
    assert verdict(claim, evidence) == expected


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [(VALUE, clauses(True)), (RANGE, seen(0, 1)), (ZERO, at(0.0)), (TREND, at(1.0)), (ZERO, clauses(True))],
)
def test_evidence_of_the_wrong_sort_is_an_error(claim: Claim, evidence: Evidence) -> None:
    with pytest.raises(TypeError, match=claim.id):
        verdict(claim, evidence)


@pytest.mark.parametrize(("claim", "evidence"), [(TREND, clauses()), (VALUE, Samples({}))])
def test_evidence_of_nothing_is_an_error(claim: Claim, evidence: Evidence) -> None:
    with pytest.raises(ValueError, match="without"):
        verdict(claim, evidence)


def test_findings_have_the_keys_of_every_study_and_null_intervals_for_texts() -> None:
    findings = [
        judge(VALUE, at(9.0, 10.0, 11.0)),
        judge(RANGE, Samples({"a": (1.0, 1.0), "b": (2.0, 2.0)}, "both")),
        judge(ZERO, seen(0, 27)),
        judge(TREND, clauses(True, False)),
        judge(TREND, NotRun("not run yet")),
    ]
    told = json.loads(to_json(findings, complete=True))
    assert told["complete"]
    rows = told["claims"]
    keys = ["id", "figure", "published", "reproduced", "low", "high", "seeds", "verdict", "note"]
    assert all(list(row) == keys for row in rows)
    value, several, zero, trend, missing = rows
    assert (value["published"], value["reproduced"], value["seeds"]) == (10.0, 10.0, 3)
    assert value["low"] == pytest.approx(10 - 4.302653 / math.sqrt(3), abs=1e-5)
    assert several["low"] is None
    assert several["published"] == "1 to 2"
    assert (zero["reproduced"], zero["low"], zero["seeds"]) == (0, 0, 27)
    assert zero["high"] == pytest.approx(1 - 0.05 ** (1 / 27))
    assert zero["note"] == (
        "0 of 27 replications have an event, 0 of 1,000 cells; less than 11 % of the replications at 95 %"
    )
    assert trend["reproduced"] == "1 of 2 parts hold"
    assert "no: part 1" in trend["note"]
    assert (missing["reproduced"], missing["seeds"], missing["note"]) == ("not run", 0, "not run yet")
    assert all(isinstance(text, str) for finding in findings for text in shown(finding).values())


def test_a_finding_has_a_line_for_each_clause_and_those_that_do_not_hold_first() -> None:
    parts = [Clause("one (s)", True, "1.5"), Clause("two", False, "0 (none)"), Clause("three", False)]
    finding = judge(TREND, Clauses(parts, 3, "a remark"))
    assert finding.lines == ("no: two. Ours: 0 (none)", "no: three", "yes: one (s). Ours: 1.5", "a remark")
    assert finding.note == "yes: one (s) (1.5); no: two (0 (none)); no: three; a remark"
    beside = judge(VALUE, Samples({"here": (10.0, 10.0)}, "a remark", parts[:1]))
    assert beside.lines == ("yes: one (s). Ours: 1.5", "here", "a remark")


def test_the_claims_that_ship_are_sound() -> None:
    sizes = {name: len(load_claims(f"penstock.studies.{name.replace('-', '_')}")) for name in STUDIES}
    assert sizes["satellite"] == 53
    assert all(size > 0 for size in sizes.values())
    for claim in load_claims("penstock.studies.satellite"):
        if claim.kind in ("value", "range"):
            assert claim.limits is not None, claim.id


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[[claim]]\nid = "x.a"\nfigure = "1"\nkind = "trend"\ntext = ""\ncolour = "red"\n', "unknown key colour"),
        ('[[claim]]\nid = "x.a"\nfigure = "1"\nkind = "guess"\ntext = ""\n', "kind `guess`"),
        (2 * '[[claim]]\nid = "x.a"\nfigure = "1"\nkind = "trend"\ntext = ""\n', "twice"),
    ],
)
def test_a_slip_in_the_claims_is_an_error(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        parse_claims(text)


def test_a_claim_without_a_predicate_is_an_error_not_a_pass() -> None:
    with pytest.raises(LookupError, match=r"x\.trend"):
        require_match([VALUE, TREND], {"x.value": None})
    with pytest.raises(LookupError, match=r"x\.stray"):
        require_match([VALUE], {"x.value": None, "x.stray": None})


def test_figure_numbers() -> None:
    assert figure_numbers("14-16") == {"14", "15", "16"}
    assert figure_numbers("21, 22, 25") == {"21", "22", "25"}
    assert figure_numbers("4b") == figure_numbers("4a, 4b") == {"4"}
    assert figure_numbers("section 7") == {"section 7"}


def test_student_interval_of_three_values() -> None:
    estimate = student([1.0, 2.0, 3.0])
    assert estimate.mean == 2.0
    assert estimate.high == pytest.approx(2 + 4.302653 / math.sqrt(3), abs=1e-6)
    assert estimate.low == pytest.approx(2 - 4.302653 / math.sqrt(3), abs=1e-6)
    assert student([5.0]).low is None
    with pytest.raises(ValueError, match="at least one"):
        student([])


def test_a_rare_event_is_one_of_replications_and_not_of_cells() -> None:
    """Two of 60: 0.4 to 11.5 %, as tables of Clopper and Pearson have it."""
    finding = judge(ZERO, seen(2, 60))
    assert finding.reproduced == pytest.approx(2 / 60)
    assert finding.low == pytest.approx(0.0041, abs=5e-5)
    assert finding.high == pytest.approx(0.1153, abs=5e-5)
    assert finding.note == (
        "2 of 60 replications have an event, 14 of 1,000 cells: N = 0 2 of 60 (0.41 to 12 %); "
        "the paper's 3 runs at every point see none with a probability of 90 %"
    )


def test_a_share_of_runs_says_so() -> None:
    assert shown(judge(ZERO, seen(9, 26)))["reproduced"] == "0.3462 (0.1721 to 0.5567) of 26 runs"
    assert shown(judge(ZERO, seen(0, 13, points=2)))["reproduced"].endswith(" of 26 runs")
    assert "run" not in shown(judge(VALUE, at(9.0, 10.0, 11.0)))["reproduced"]
    assert shares_note([judge(ZERO, seen(9, 26))]) == SHARES_NOTE
    assert shares_note([judge(VALUE, at(10.0))]) == ""


def test_a_clause_says_what_it_is() -> None:
    answers = [clause.answer for clause in (YES, NO, OPEN, GIVEN)]
    assert answers == ["yes", "no", "too few replications", "by construction"]
    assert replace(GIVEN, holds=False).answer == "no"


def test_pages_have_a_style_for_each_verdict() -> None:
    assert set(STYLES) == set(VERDICTS)

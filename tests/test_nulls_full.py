"""The nulls of all studies, from full runs: no claim holds where its factor has no effect.

A full run takes minutes to half an hour. If the variable PENSTOCK_FULL_RUNS names a folder, the runs are kept there.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from penstock import studies
from penstock.api.run import available_cores
from penstock.studies.claims import load_claims
from penstock.studies.nulls import in_rows, of_study

PAGE = Path(__file__).parents[1] / "docs" / "nulls.md"
WITHOUT = {
    "satellite": {"sat.s1c1.load-crosses", "sat.s1c1.seeds", "sat.contract-breakers", "sat.push-out"},
    "satellite-beyond": {"sat.future.quality"},
    "becn": {"becn.fig3.short", "becn.fig4.per-source", "becn.fig4.model", "becn.fig4.toggle"},
    "abr": {"abr.crm256", "abr.oscillation", "abr.several", "abr.idle", "abr.cdf"},
    "eprca": {"epr.one-round"},
    "atn": {"atn.mult"},
    "atn-beyond": set(),
    "heirs": set(),
    "tcp-over-abr": {"tcp-abr.independent"},
}
"""Claims of an order or a trend without a factor: the page gives the reasons."""


@pytest.mark.long
@pytest.mark.parametrize("name", studies.STUDIES)
def test_no_claim_holds_without_the_effect_that_it_speaks_of(name: str, tmp_path: Path) -> None:
    """And the page shows what was found."""
    out = Path(os.environ.get("PENSTOCK_FULL_RUNS") or tmp_path) / name
    results = studies.carry_out(name, seeds=studies.FULL_SEEDS, jobs=available_cores(), out=out, resume=True)
    study = studies.open_study(name, None, studies.FULL_SEEDS)
    study.read(results)
    assert [finding.id for finding in study.findings() if finding.verdict == "not run"] == []
    found = list(of_study(study.study.predicates, study.runs))
    claims = load_claims(study.study.package)
    trends = {claim.id for claim in claims if claim.kind in ("order", "trend")}
    assert trends - {null.claim for null in found} == WITHOUT[name]
    assert [null for null in found if null.is_empty] == []
    shown = PAGE.read_text(encoding="utf-8").splitlines()
    assert [row for row in in_rows(found) if row not in shown] == []

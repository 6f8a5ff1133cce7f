"""The tables of readings and claims in the documentation, from full runs.

If the variable PENSTOCK_FULL_RUNS names a folder, the runs are kept there.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from penstock import studies
from penstock.api.run import available_cores
from penstock.studies.readings import in_markdown

PAGES = Path(__file__).parents[1] / "docs" / "studies"
NAMES = [name for name in studies.STUDIES if studies.study_of(name).other_readings]


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_the_page_shows_every_claim_under_every_reading(name: str, tmp_path: Path) -> None:
    out = Path(os.environ.get("PENSTOCK_FULL_RUNS") or tmp_path) / name
    seeds = studies.FULL_SEEDS
    results = studies.carry_out(name, seeds=seeds, readings=True, jobs=available_cores(), out=out, resume=True)
    study = studies.open_study(name, None, seeds, readings=True)
    study.read(results)
    shown = (PAGES / f"{name}.md").read_text(encoding="utf-8").splitlines()
    assert [line for line in in_markdown(study) if line not in shown] == []

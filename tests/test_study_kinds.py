"""Every measure of every study has bounds, so that no interval of it reaches beyond what is possible."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import pytest

from penstock.api.run import run
from penstock.studies import STUDIES, study_of
from penstock.studies.framework import Point, SeriesPoint, Study
from penstock.studies.runs import Runs, RunTables, traces_by_run

UNBOUNDED = {"becn": {"growth"}}
"""Measures with a sign."""
SHORT = {
    "satellite": {"duration": "20 s"},
    "satellite-beyond": {"duration": "20 s"},
    "becn": {"duration": "0.8 s", "warm_up": "0.3 s"},
    "heirs/lan": {"duration": "40 ms", "warm_up": "20 ms"},
    "heirs/satellite": {"duration": "0.4 s", "warm_up": "0.2 s"},
}
"""Shorter runs of studies or of files: every measure has a value in them, and bounds do not depend on the duration."""
LONG = {"abr", "heirs"}
"""Studies whose points of each kind take many seconds."""
ROUNDING = 1e-15
"""A line that never pauses has a utilisation of 1, but for the rounding of a product and a quotient."""


def first_of_each_kind(study: Study[Any]) -> list[Point]:
    """One point of each kind of run and file."""
    found: dict[Hashable, Point] = {}
    for point, _ in study.points(None):
        if not isinstance(point, SeriesPoint):
            found.setdefault((point.parameters["kind"], point.file), point)
    return list(found.values())


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long) if name in LONG else name for name in STUDIES]
)
def test_every_measure_has_a_kind(name: str) -> None:
    study = study_of(name)
    runs: Runs[Any] = Runs(kinds=study.kinds)
    seen: set[str] = set()
    for point in first_of_each_kind(study):
        shorter = SHORT.get(point.file, SHORT.get(name, {}))
        tables = run(point.build().with_(shorter)).tables()
        rows = {table: tables[table].to_dicts() for table in study.tables}
        series = tables["series"].rename({"replication": "run"})
        traces = traces_by_run(series).get("0", {})
        for measure, value in study.measure(point, RunTables(rows, traces)):
            kind = runs.kind(measure)
            seen.add(measure)
            if measure not in UNBOUNDED.get(name, ()):
                assert kind is not None, f"{measure} has no bounds"
                assert 0 <= value <= kind.high + ROUNDING, f"{measure} is {value}"
    assert seen
    names = {measure.partition(".")[0] for measure in seen} | seen
    assert set(study.kinds) <= names

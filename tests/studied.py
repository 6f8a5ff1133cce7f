"""What tests of studies share: runs filled without simulation, a study carried out twice, the files it writes."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from penstock import studies
from penstock.show.study import show
from penstock.studies.claims import Clauses
from penstock.studies.framework import Point, SeriesPoint, Wanted
from penstock.studies.predicates import Predicates, evidence_of
from penstock.studies.runs import Runs

P = TypeVar("P", bound=Point)


def made_once(points: Callable[[str | None], list[Wanted[P]]], questions: Iterable[str]) -> list[P]:
    """The points of all questions of a study, none of them twice."""

    def own(question: str | None) -> list[P]:
        return [point for point, _ in points(question) if not isinstance(point, SeriesPoint)]

    found = own(None)
    assert len(found) == len(set(found))
    assert {point for question in questions for point in own(question)} == set(found)
    return found


def filled(runs: Runs[P], points: Iterable[P], values: Callable[[P, int], Iterable[tuple[str, float]]]) -> Runs[P]:
    """Runs with these values for each point and each seed that is wanted."""
    for point in points:
        for seed in range(1, runs.wanted + 1):
            runs.keep(point, seed, values(point, seed))
    return runs


def parts_of(name: str, predicates: Predicates[Runs[P]], runs: Runs[P]) -> dict[str, bool]:
    """Whether each part of a claim holds, by its text."""
    evidence = evidence_of(predicates[name], runs)
    assert isinstance(evidence, Clauses)
    return {part.text: part.holds for part in evidence.clauses}


def moved_parts(
    name: str, predicates: Predicates[Runs[P]], runs: Runs[P], point: P, measure: str, value: float
) -> dict[str, bool]:
    """The parts of a claim that become true or false if a measure of one point has this value in every run."""
    before, kept = parts_of(name, predicates, runs), runs.measures[point]
    assert all(measure in values for values in kept.values())
    runs.measures[point] = {seed: {**values, measure: value} for seed, values in kept.items()}
    try:
        after = parts_of(name, predicates, runs)
    finally:
        runs.measures[point] = kept
    return {text: holds for text, holds in after.items() if holds != before[text]}


def written(folder: Path) -> dict[str, bytes]:
    """The files of a study below its folder that do not depend on the time: figures, data and claims."""
    names = [*folder.glob("figures/*"), *folder.glob("data/*"), folder / "claims.json"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in names}


one_job_or_two = pytest.mark.parametrize(
    "jobs", [(1,), pytest.param((1, 2), marks=pytest.mark.long)], ids=["one", "one and two"]
)
"""Of the studies, one alone is carried out twice in quick tests: what runs them is the same for all."""


def with_jobs(
    study: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], jobs: tuple[int, ...] = (1, 2), **wanted: Any
) -> Path:
    """The folder of a study that was carried out with each number of jobs, and wrote the same bytes."""
    folders = [tmp_path / str(each) for each in jobs]
    for each, out in zip(jobs, folders, strict=True):
        show(studies.carry_out(study, jobs=each, out=out, **wanted))
        assert str(out / "report.html") in capsys.readouterr().out
    kept = written(folders[0])
    assert kept
    assert all(written(out) == kept for out in folders[1:])
    return folders[-1]

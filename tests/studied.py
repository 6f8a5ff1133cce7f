"""What tests of studies share: runs filled without simulation, a study carried out twice, the files it writes."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from penstock import studies
from penstock.show.study import show
from penstock.studies.framework import Point, SeriesPoint, Wanted
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


def written(folder: Path) -> dict[str, bytes]:
    """The files of a study below its folder that do not depend on the time: figures, data and claims."""
    names = [*folder.glob("figures/*"), *folder.glob("data/*"), folder / "claims.json"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in names}


def with_one_and_two_jobs(study: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], **wanted: Any) -> Path:
    """The folder of a study that was carried out with one job and with two, and wrote the same bytes."""
    for jobs in (1, 2):
        out = tmp_path / str(jobs)
        show(studies.carry_out(study, jobs=jobs, out=out, **wanted))
        assert str(out / "report.html") in capsys.readouterr().out
    kept = written(tmp_path / "1")
    assert kept
    assert kept == written(tmp_path / "2")
    return out

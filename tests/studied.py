"""What the tests of study commands share: a study that is carried out twice, and the files that it writes."""

from pathlib import Path
from typing import Any

import pytest

from penstock import studies
from penstock.show.study import show


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

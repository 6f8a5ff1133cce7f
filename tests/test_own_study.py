"""The guide "Reproduce a paper of your own": its own files are a study that the command runs, draws and judges."""

from __future__ import annotations

import json
import math
import shutil
from decimal import Decimal, localcontext
from pathlib import Path

import pytest

from penstock import studies
from penstock.core.errors import InputError
from penstock.show.study import show
from penstock.studies.claims import load_claims
from penstock.truth import md1

GUIDES = Path(__file__).resolve().parent.parent / "docs" / "guides"
FOLDER = GUIDES / "loss"
AT = {"load-0.8-places-5": (0.8, 5), "load-0.8-places-10": (0.8, 10), "load-1-places-10": (1.0, 10)}
AT |= {"load-1.1-places-10": (1.1, 10)}
"""The load and the places of each claim about one value."""


def closed_form(load: float, places: int) -> float:
    """1 - b / (1 + r b), where b is the sum over k = 0..n of (-1)^k / k! (n-k)^k e^((n-k) r) r^k, n = K - 1."""
    with localcontext(prec=60):
        r, n = Decimal(str(load)), places - 1
        b = sum((-1) ** k * Decimal(n - k) ** k * ((n - k) * r).exp() * r**k / math.factorial(k) for k in range(n + 1))
        return float(1 - b / (1 + r * b))


def test_the_study_of_the_guide_reproduces_the_closed_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    show(studies.carry_out(str(FOLDER), seeds=5, out=tmp_path))
    assert "5 reproduced, 0 partly, 0 not reproduced" in capsys.readouterr().out
    told = json.loads((tmp_path / "claims.json").read_text(encoding="utf-8"))
    assert told["runs"] == {"present": 60, "wanted": 60}
    assert (tmp_path / "figures" / "figure-1.svg").exists()
    assert "loss.places" in (tmp_path / "report.html").read_text(encoding="utf-8")
    package = studies.study_of(str(FOLDER)).package
    values = {claim.id.removeprefix("loss."): claim.value for claim in load_claims(package) if claim.kind == "value"}
    assert set(values) == set(AT)
    for name, place in AT.items():
        assert values[name] == pytest.approx(closed_form(*place), rel=1e-6)
        assert md1.loss(*place) == pytest.approx(closed_form(*place), rel=1e-12)


def test_its_claims_can_fail(tmp_path: Path) -> None:
    """A line that is a tenth slower has a load a ninth higher."""
    results = studies.carry_out(str(FOLDER), seeds=2, out=tmp_path, settings={"line.server.rate": "3.816 Mb/s"})
    show(results)
    told = json.loads((tmp_path / "claims.json").read_text(encoding="utf-8"))
    verdicts = {claim["id"].removeprefix("loss."): claim["verdict"] for claim in told["claims"]}
    assert {verdicts[name] for name in AT} == {"not reproduced"}


def test_the_guide_shows_every_file_of_the_study() -> None:
    page = (GUIDES / "own-study.md").read_text(encoding="utf-8")
    for file in FOLDER.iterdir():
        if file.is_file():
            assert f"{{literalinclude}} loss/{file.name}" in page, file.name


def test_a_folder_without_a_study_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no folder with the files of one"):
        studies.study_of(str(tmp_path))
    (tmp_path / "__init__.py").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="this folder has no study"):
        studies.study_of(str(tmp_path))


def test_two_folders_of_one_name_are_two_studies(tmp_path: Path) -> None:
    copy = shutil.copytree(FOLDER, tmp_path / "loss")
    (copy / "__init__.py").write_text(
        (copy / "__init__.py").read_text(encoding="utf-8").replace("Loss of M/D/1/K", "Another"), encoding="utf-8"
    )
    titles = [studies.study_of(str(folder)).title for folder in (FOLDER, copy)]
    assert titles == ["Loss of M/D/1/K", "Another"]

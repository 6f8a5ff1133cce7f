"""Other readings of a paper: a study runs and judges them beside its own, and shows the verdicts side by side."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from pathlib import Path

import polars as pl
import pytest
from moments import FIRST_SEGMENT_STORED, held_at, started, wait_until_held

from penstock import studies
from penstock.analyse.results import Results
from penstock.cli import main
from penstock.core.errors import InputError
from penstock.show.study import show, study_of
from penstock.studies import readings
from penstock.studies.claims import Clause, Finding, Verdict
from penstock.studies.readings import DESCRIBED, Judged, brief, described, table

PAGES = Path(__file__).resolve().parent.parent / "docs" / "studies"
LOSS = PAGES.parent / "guides" / "loss"
READINGS = """    predicates=PREDICATES,
    other_readings=(
        Reading("slower", "the line is a tenth slower", "4.24 Mb/s", "text", slower),
        Reading("lost", "the loss is a count", "a ratio", "standard", instead={"loss_ratio": "lost"}),
    ),
"""
SLOWER = """

def slower(point: Point) -> dict[str, object]:
    return {"line.server.rate": "3.816 Mb/s"} if point.load == 1.1 else {}


STUDY ="""
POINTS, SLOWER_POINTS = 12, 4


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """The study of the guide, with runs that are just long enough for its claims with five seeds."""
    copy = shutil.copytree(LOSS, tmp_path / "plain" / "loss")
    scenario = copy / "one-line.toml"
    text = scenario.read_text(encoding="utf-8")
    assert 'duration = "61 s"' in text
    scenario.write_text(text.replace('duration = "61 s"', 'duration = "16 s"'), encoding="utf-8")
    return copy


@pytest.fixture
def folder(plain: Path, tmp_path: Path) -> Path:
    """The same with two other readings: one of its scenario at the highest load, one of a measure."""
    copy = shutil.copytree(plain, tmp_path / "loss")
    file = copy / "__init__.py"
    text = file.read_text(encoding="utf-8").replace("import Study", "import Reading, Study")
    text = text.replace("\nSTUDY =", SLOWER).replace("    predicates=PREDICATES,\n", READINGS)
    file.write_text(text, encoding="utf-8")
    return copy


def verdicts(found: list[Judged], reading: str) -> dict[str, Verdict]:
    return {each.claim.removeprefix("loss."): each.findings[reading].verdict for each in found}


def test_each_reading_has_runs_and_verdicts_of_its_own(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only runs whose scenario a reading changes are made; the numbers of the study itself stay."""
    alone = studies.carry_out(str(folder), seeds=5, out=tmp_path / "alone")
    results = studies.carry_out(str(folder), seeds=5, readings=True, out=tmp_path / "out")
    assert alone.plan.height == len(alone.store.runs) == 5 * POINTS
    assert results.plan.height == 3 * 5 * POINTS
    assert len(results.store.runs) == 5 * (POINTS + SLOWER_POINTS)
    assert set(results.plan["reading"]) == {"", "slower", "lost"}
    study = study_of(results)
    assert study.findings() == study_of(alone).findings()
    found = readings.judged(study)
    assert set(verdicts(found, "own").values()) == {"reproduced"}
    changed = {name for name, verdict in verdicts(found, "slower").items() if verdict != "reproduced"}
    assert changed == {"load-1.1-places-10"}
    assert [each.range for each in found[:4]] == ["not reproduced to reproduced"] * 4
    assert {verdicts(found, "lost")[name] for name in verdicts(found, "own") if name != "places"} == {"not reproduced"}

    show(results)
    told = capsys.readouterr().out
    assert "Under 2 other readings of the paper these verdicts change: 4 of 5 (loss.load-0.8-places-5," in told
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Readings and claims" in page
    assert "the line is a tenth slower" in page
    assert "--seeds 5 --readings" in page
    present = json.loads((tmp_path / "out" / "claims.json").read_text(encoding="utf-8"))["runs"]
    assert present == {"present": 80, "wanted": 80}
    table = pl.read_csv(tmp_path / "out" / "data" / "readings.csv")
    assert table.height == 3 * 5
    row = table.filter(reading="slower", claim="loss.load-1.1-places-10").row(0, named=True)
    assert row["verdict"] == "not reproduced"
    assert float(row["reproduced"]) > 0.15  # of a load of 1.22, which loses at least 18 %
    assert row["range"] == "not reproduced to reproduced"
    assert pl.read_csv(tmp_path / "out" / "data" / "points.csv").height == POINTS
    show(studies.carry_out(str(folder), seeds=5, out=tmp_path / "out"))
    assert not (tmp_path / "out" / "data" / "readings.csv").exists()


@pytest.mark.skipif(os.name != "posix", reason="sends POSIX signals")
def test_readings_go_on_after_a_kill(folder: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "penstock", "reproduce", folder, "--seeds", "2", "--readings", "--out"]
    with started([*command, tmp_path / "killed"], env=held_at(FIRST_SEGMENT_STORED)) as process:
        wait_until_held(process)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    there = len(Results(tmp_path / "killed").store.runs)
    assert there < 2 * (POINTS + SLOWER_POINTS)
    files = {}
    for name, resume in (("killed", True), ("whole", False)):
        show(studies.carry_out(str(folder), seeds=2, readings=True, resume=resume, out=tmp_path / name))
        files[name] = (tmp_path / name / "data" / "readings.csv").read_bytes()
    assert files["killed"] == files["whole"]


def test_full_runs_have_the_readings_and_quick_ones_only_if_asked(
    plain: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(studies, "FULL_SEEDS", 2)
    read = {}
    for option in ("--quick", "--full", "--readings"):
        out = tmp_path / option
        assert main(["reproduce", str(folder), option, "--jobs", "1", "--out", str(out), "--quiet"]) == 0
        read[option] = Results(out).about["details"]["readings"]
    assert read == {"--quick": False, "--full": True, "--readings": True}
    assert main(["reproduce", str(plain), "--full", "--jobs", "1", "--out", str(tmp_path / "none"), "--quiet"]) == 0
    capsys.readouterr()


@pytest.mark.parametrize(
    ("more", "told"),
    [({"figure": "1"}, "leave out --figure"), ({"settings": {"line.server.rate": "5 Mb/s"}}, "leave out --figure")],
)
def test_readings_are_of_the_whole_study_as_it_is(more: dict[str, object], told: str, folder: Path) -> None:
    with pytest.raises(InputError, match=told):
        studies.carry_out(str(folder), readings=True, out=folder / "out", **more)  # type: ignore[arg-type]


def test_the_pages_describe_the_readings_as_the_studies_do() -> None:
    """Their verdicts are compared with runs by `make test-long`."""
    described_by = {name: studies.study_of(name).other_readings for name in studies.STUDIES}
    for name, others in described_by.items():
        shown = (PAGES / f"{name}.md").read_text(encoding="utf-8")
        assert not others or "\n".join(table(DESCRIBED, described(others))) in shown, name


def test_a_study_without_other_readings_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the study names no other readings"):
        studies.carry_out(str(LOSS), readings=True, out=tmp_path / "out")


def finding(verdict: Verdict, *holds: bool, value: float | str = "as told") -> Finding:
    return Finding("x", "1", "y", value, None, None, 5, verdict, [Clause("a part", each) for each in holds])


def test_a_verdict_in_brief_has_its_number_or_its_parts() -> None:
    assert brief(finding("partly", True, False, True)) == "partly, 2 of 3"
    assert brief(finding("reproduced", value=0.20494)) == "reproduced, 0.205"
    assert brief(finding("not run")) == "not run"


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (["partly", "partly"], "partly"),
        (["partly", "reproduced", "not reproduced"], "not reproduced to reproduced"),
        (["by construction", "not reproduced"], "not reproduced, or by construction"),
        (["not run"], "not run"),
    ],
)
def test_the_range_goes_from_the_worst_verdict_to_the_best(found: list[Verdict], told: str) -> None:
    each = Judged("x", {str(number): finding(verdict) for number, verdict in enumerate(found)})
    assert each.range == told
    assert each.is_open == (len(found) > 1 and found[0] != found[1])

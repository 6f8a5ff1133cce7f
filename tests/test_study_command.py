"""The command that reproduces a study as a whole: the runs that it makes, and what it draws and writes."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest
from studied import with_jobs, written

from penstock import studies
from penstock.analyse.results import Results
from penstock.core.errors import InputError
from penstock.plot import Sheet
from penstock.show.study import show
from penstock.studies.framework import Reproduction
from penstock.studies.satellite import STUDY
from penstock.studies.satellite.grid import MIXES, alternatives, contracts, series_points

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.execute.experiment import State

SHORT = {"duration": "10 s"}
"""What the tests change in the study: runs of three minutes show nothing more here."""


@pytest.mark.parametrize(("study", "figure"), [("satelite", None), ("satellite", "10"), ("satellite", "x")])
def test_what_is_not_there_is_told(study: str, figure: str | None, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no|no such"):
        studies.carry_out(study, figure=figure, out=tmp_path)


def test_one_figure_runs_what_it_needs_and_gives_the_same_bytes_for_any_number_of_jobs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = with_jobs("satellite", tmp_path, capsys, figure="26", seeds=2, settings=SHORT)
    assert len(written(out)) == 7
    told = json.loads((out / "claims.json").read_text(encoding="utf-8"))
    findings = told.pop("claims")
    assert told == {"complete": True, "runs": {"present": 16, "wanted": 16}, "set": SHORT}
    assert [(finding["id"], finding["verdict"]) for finding in findings] == [("sat.s2c2.loss", "reproduced")]
    figures = pl.read_parquet(out / "data" / "figures.parquet")
    assert figures.height == 2 * MIXES[2].points
    results = Results(out)
    assert results.about["complete"]
    assert results.table("runs").height == figures.height
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "penstock reproduce satellite --seeds 2 --set &#39;duration=10 s&#39; --figure 26" in page
    assert "<svg" in page
    assert all(text in page for text in ("sat.s2c2.loss", "clp_threshold", results.versions()["engine"]))


def test_what_was_run_for_a_quick_study_is_not_run_again_for_a_full_one(tmp_path: Path) -> None:
    states: list[State] = []
    quick = studies.carry_out("satellite", figure="26", seeds=1, out=tmp_path, settings=SHORT)
    assert quick.plan.height == 8
    studies.carry_out("satellite", figure="26", seeds=2, out=tmp_path, settings=SHORT, tell=states.append)
    assert (states[-1].found, states[-1].done) == (8, 8)
    studies.carry_out("satellite", figure="27", seeds=1, out=tmp_path, settings=SHORT, tell=states.append)
    assert (states[-1].found, states[-1].done) == (8, 0)


def test_ctrl_c_keeps_and_draws_what_has_finished(
    after_runs: Callable[..., None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    after_runs(3, lambda: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        studies.carry_out("satellite", figure="26", seeds=2, out=tmp_path, settings=SHORT)
    results = Results(tmp_path)
    assert results.plan.height - results.missing() == results.table("runs").height == 3
    show(results)
    assert "Incomplete: 3 of 16 runs have finished." in capsys.readouterr().out
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "3 of 16 runs" in page
    assert "Only 2 seeds: the verdicts of this study need 3 or more." in page
    assert ">not reproduced<" not in page
    assert (tmp_path / "figures" / "figure-26.svg").exists()
    assert pl.read_csv(tmp_path / "data" / "figures.csv").height == 3
    told = json.loads((tmp_path / "claims.json").read_text(encoding="utf-8"))
    assert [(claim["id"], claim["verdict"]) for claim in told.pop("claims")] == [
        ("sat.s2c2.loss", "not run"),
        ("sat.s2.order", "not run"),
    ]
    assert told == {"complete": False, "runs": {"present": 3, "wanted": 16}, "set": SHORT}
    with pytest.raises(InputError, match="unfinished study with 3 finished runs"):
        studies.carry_out("satellite", figure="26", seeds=2, out=tmp_path, settings=SHORT)
    resumed = studies.carry_out("satellite", figure="26", seeds=1, out=tmp_path, settings=SHORT, resume=True)
    assert resumed.about["complete"]


def test_a_study_under_another_reading_says_so_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A queue for ten cells loses data, which the study's own queue does not."""
    settings = {**SHORT, "line.satellite.queues": [{"drop_tail": {"size": "10 cells"}}]}
    show(studies.carry_out("satellite", figure="26", seeds=1, out=tmp_path, settings=settings))
    reading = "Judged under another reading: duration=10 s, line.satellite.queues="
    assert capsys.readouterr().out.startswith(reading)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.partition('class="headline">')[2].startswith(reading)
    assert "--set &#39;duration=10 s&#39;" in page
    told = json.loads((tmp_path / "claims.json").read_text(encoding="utf-8"))
    assert told["set"] == settings
    assert [(claim["id"], claim["verdict"]) for claim in told["claims"]] == [("sat.s2c2.loss", "not reproduced")]
    own = studies.carry_out("satellite", figure="26", seeds=1, out=tmp_path / "own", settings=SHORT)
    assert not set(own.plan["run"]) & set(Results(tmp_path).plan["run"])


@pytest.mark.parametrize(
    ("path", "told"), [("flow.data.count", "the study sets this itself"), ("line.moon.rate", "satellite/2-case-2")]
)
def test_a_setting_that_does_not_fit_is_told(path: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=told):
        studies.carry_out("satellite", figure="26", out=tmp_path, settings={path: 1})


def test_a_study_for_all_figures_names_every_run_once() -> None:
    study = Reproduction(STUDY, None, 3)
    named = [(tuple(point.parameters.values()), seed) for point, seeds in study.points() for seed in seeds]
    assert len(named) == len(set(named)) == 3 * (90 + len(alternatives()) + len(contracts()) + len(series_points()))
    assert isinstance(next(iter(study.sheets()), None), Sheet | None)

"""Notebooks in a real kernel: that of the documentation, and progress while a cell works."""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import pytest

from penstock import Scenario, State
from penstock.core.face import in_notebook, progress
from penstock.show.progress import bar_html

ROOT = Path(__file__).parents[1]
executed = runpy.run_path(str(ROOT / "tools" / "notebooks.py"))["executed"]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
SMALL = """
duration = "2 s"
[line.trunk]
between = ["left", "right"]
rate = "2 Mb/s"
delay = "5 ms"
queues = [{ drop_tail = { size = "50 cells" } }]
[flow.random]
path = ["left", "right"]
traffic.poisson = { rate = "1 Mb/s" }
"""
ALWAYS = "import penstock.show.progress as p; p.SHOWN_AFTER_S = p.DRAWN_EVERY_S = 0.0"
"""Progress from the start, so that no cell has to take a second."""

pytestmark = pytest.mark.filterwarnings("ignore:.*:DeprecationWarning", "ignore:.*:RuntimeWarning")


class Recorder(nbclient.NotebookClient):  # type: ignore[misc]
    """Executes a notebook, and keeps all HTML that its cells showed, also what was replaced."""

    shown: list[str]

    def process_message(self, msg: dict[str, Any], cell: Any, cell_index: int) -> Any:
        if msg["msg_type"] in ("display_data", "update_display_data"):
            self.shown.append(msg["content"]["data"].get("text/html", ""))
        return super().process_message(msg, cell, cell_index)


def run(*cells: str) -> tuple[Any, list[str]]:
    """The cells with their outputs, and all HTML that was shown."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client = Recorder(notebook, kernel_name="python3", timeout=None, extra_arguments=["--log-level=ERROR"])
    client.shown = []
    client.execute()
    return notebook.cells, client.shown


def results_of(notebook: Any) -> Iterator[tuple[str, str]]:
    """What each cell printed and returned, and its card; drawings depend on the version of matplotlib."""
    for cell in notebook.cells:
        outputs = cell.get("outputs", ())
        yield cell.id, "".join(each.text for each in outputs if each.output_type == "stream")
        for data in (each.data for each in outputs if each.output_type != "stream"):
            yield cell.id, data["text/plain"]
            if "<svg" not in (html := data.get("text/html", "")):
                yield cell.id, html


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_of_the_documentation_has_the_results_that_it_shows(path: Path) -> None:
    shown = nbformat.read(path, as_version=4)
    again = executed(path)
    assert list(results_of(again)) == list(results_of(shown)), "tools/notebooks.py writes it again"
    assert "<svg" in again.cells[-1].outputs[-1].data["text/html"]
    assert not [each for cell in again.cells for each in cell.get("outputs", ()) if each.get("name") == "stderr"]


def test_there_is_one() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["rain"]


def test_a_run_and_a_sweep_show_progress_and_leave_nothing_behind(tmp_path: Path) -> None:
    cells, shown = run(
        f"{ALWAYS}\nimport penstock\nscenario = penstock.Scenario.parse({SMALL!r}, name='small')",
        "result = penstock.run(scenario, replications=2)",
        f"penstock.Sweep(scenario, {{'flow.random.count': [1, 2]}}).run({str(tmp_path / 'sweep')!r})",
        "result",
        "penstock.run(scenario, progress=lambda share: None);",
    )
    assert [output.output_type for output in cells[1].outputs] == ["display_data"]
    assert cells[1].outputs[0].data["text/html"] == ""  # the bar is gone
    bars = [each for each in shown if each]
    assert any("small <progress" in each and "100 %" in each for each in bars)
    assert any("sweep small <progress" in each and "2 of 2 done" in each for each in bars)
    assert shown[-1] == ""
    assert [output.output_type for output in cells[2].outputs] == ["display_data", "execute_result"]
    assert "2 of 2" in cells[2].outputs[1].data["text/html"]
    assert 'class="penstock-card"' in cells[3].outputs[0].data["text/html"]
    assert cells[4].outputs == []


def test_a_short_run_shows_nothing() -> None:
    never = "import penstock.show.progress as p; p.SHOWN_AFTER_S = float('inf')"
    cells, shown = run(f"{never}\nimport penstock\npenstock.run(penstock.Scenario.parse({SMALL!r}));")
    assert (cells[0].outputs, shown) == ([], [])


def test_outside_a_notebook_there_is_no_bar(small: Scenario) -> None:
    assert not in_notebook()
    with progress(small.name) as show:
        assert show is None


def test_a_bar_is_escaped() -> None:
    assert bar_html("<b>", 0.25).startswith('<div>&lt;b&gt; <progress value="0.2500"')
    assert "37 of 200 done, 4 running" in bar_html("sweep", State(total=200, found=37, running=4))

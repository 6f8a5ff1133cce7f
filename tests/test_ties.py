"""Equal senders that meet at a port in the same picosecond: the warning comes from what the run counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock import Results, Scenario, Sweep, run
from penstock.show.summary import warnings

TIE = """\
duration = "100 ms"
[line.out]
between = ["sw", "rx"]
rate = "100 Mb/s"
queues = [{ drop_tail = { size = "20 PDUs" } }]
[defaults.flow]
octets = 1250
path = ["sw", "rx"]
access = { rate = "100 Mb/s", delay = "1 us" }
[flow.a]
traffic.cbr = { rate = "100 Mb/s", start = "0 s" }
[flow.b]
traffic.cbr = { rate = "100 Mb/s", start = "0 s" }
"""


@pytest.fixture
def tie() -> Scenario:
    """Two sources at the rate of the line that both need, in step."""
    return Scenario.parse(TIE, name="tie")


def test_a_run_warns_of_the_port_whose_order_decides(tie: Scenario) -> None:
    result = run(tie)
    losses = dict(result.groups.select("group", "lost").iter_rows())
    assert losses["a"] == 0
    assert losses["b"] > 900
    (warning,) = warnings(result)
    assert warning.startswith(f"100 % of the {losses['b']} discards at port out ")
    assert 'give line out order = "random", or let the sources start apart' in warning


@pytest.mark.parametrize(
    "apart",
    [{"line.out.order": "random"}, {"flow.b.traffic.cbr.start": "50 us"}, {"flow.b.traffic.cbr.start": "random"}],
)
def test_what_the_warning_names_removes_it(tie: Scenario, apart: dict[str, str]) -> None:
    result = run(tie.with_(apart))
    assert result.groups["lost"].sum() > 900
    assert warnings(result) == []


def test_an_experiment_warns_of_its_worst_point(tie: Scenario, tmp_path: Path) -> None:
    Sweep(tie, {"flow.b.traffic.cbr.start": ["0 s", "50 us"]}).run(tmp_path / "sweep")
    (warning,) = Results(tmp_path / "sweep").warnings()
    assert "at port out" in warning
    assert "points with such discards" not in warning

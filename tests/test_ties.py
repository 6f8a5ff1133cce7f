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


STREAMS = """\
duration = "60 s"
warm_up = "20 s"
scheme = "cubic"
defaults.flow = { octets = 1460, count = 4, traffic.greedy.phase = "1 s" }
flow.a.path = ["site_a", "hub", "far"]
flow.b.path = ["site_b", "hub", "far"]
flow.c.path = ["site_c", "hub", "far"]
line.site_a = { between = ["site_a", "hub"], rate = "100 Mb/s", delay = "5 ms" }
line.site_b = { between = ["site_b", "hub"], rate = "100 Mb/s", delay = "10 ms" }
line.site_c = { between = ["site_c", "hub"], rate = "100 Mb/s", delay = "20 ms" }
[line.satellite]
between = ["hub", "far"]
rate = "20 Mb/s"
delay = "250 ms"
queues = [{ drop_tail = { size = "850 PDUs" } }]
"""


def test_byte_streams_that_start_apart_meet_again_and_jitter_keeps_them_apart() -> None:
    streams = Scenario.parse(STREAMS)
    (warning,) = warnings(run(streams))
    assert warning.endswith("acknowledgements bring byte streams back into step, so give their scheme jitter, too")
    assert warnings(run(streams.with_({"scheme": {"cubic": {"jitter": "1 ms"}}}))) == []

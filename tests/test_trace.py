"""Traces of packets in scenarios: the store, the runs, and what pages say of them."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from penstock import InputError, Scenario, Sweep, import_trace, run
from penstock.core.traces import folder
from penstock.show.open_loop import unsent

pytestmark = pytest.mark.in_process

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_TRACES", str(tmp_path / "traces"))


ROWS = ["time,size,flow", "0,40,a", "10,1500,b", "20,88,a", "40,576,c", "50,41,b"]
"""Over AAL5: 1, 32, 2, 13 and 2 cells; of the flows a, b and c 3, 34 and 13."""


def digest(tmp_path: Path, rows: list[str] = ROWS) -> str:
    (tmp_path / "lab.csv").write_text("\n".join(rows), encoding="utf-8")
    return import_trace(tmp_path / "lab.csv", time="time:ms", size="size:octets", flow=["flow"]).sha256


def text(sha256: str, flow: str = "", duration: str = "1 s") -> str:
    return f"""
duration = "{duration}"
[line.trunk]
between = ["a", "b"]
rate = "10 Mb/s"
[flow.data]
path = ["a", "b"]
{flow}
[flow.data.traffic.trace]
name = "lab"
sha256 = "{sha256}"
"""


def sent(scenario: Scenario, table: str = "groups") -> list[int]:
    frame: pl.DataFrame = getattr(run(scenario), table)
    return frame["sent"].to_list()


def test_each_packet_becomes_its_cells(tmp_path: Path) -> None:
    scenario = Scenario.parse(text(digest(tmp_path)))
    assert sent(scenario) == [50]
    packets = scenario.with_({"flow.data.traffic.trace.framing": "packet"})
    assert sent(packets) == [5]
    assert run(packets).flows["sent_bits"].to_list() == [(40 + 1500 + 88 + 576 + 41) * 8]


def test_the_flows_of_a_group_share_the_flows_of_the_trace(tmp_path: Path) -> None:
    sha256 = digest(tmp_path)
    assert sent(Scenario.parse(text(sha256, "count = 3")), "flows") == [3, 34, 13]
    # Flow 1 of 2 has a and c.
    assert sent(Scenario.parse(text(sha256, "count = 2")), "flows") == [16, 34]
    with pytest.raises(InputError, match="the group has 4 flows, and the trace 3: some would never send"):
        run(Scenario.parse(text(sha256, "count = 4")))


def test_scales_and_loop(tmp_path: Path) -> None:
    scenario = Scenario.parse(text(digest(tmp_path), duration="160 ms"))

    def cells(**values: object) -> list[int]:
        return sent(scenario.with_({f"flow.data.traffic.trace.{key}": value for key, value in values.items()}))

    # The mean gap is 12.5 ms, so a round takes 62.5 ms: two rounds, then 125, 135 and 145 ms.
    assert cells(loop=True) == [50 + 50 + 1 + 32 + 2]
    # At 40 % of the speed packets come at 0, 25, 50, 100 and 125 ms; from 100 ms on two do not come in 90 ms.
    assert cells(time_scale=2.5) == [50]
    # Half of 40, 1500, 88, 576 and 41 is 20, 750, 44, 288 and 21 octets: 1, 16, 2, 7 and 1 cells.
    assert cells(size_scale=0.5) == [27]
    assert cells(start="130 ms") == [1 + 32 + 2]


def test_the_document_has_the_digest_and_no_packet(tmp_path: Path) -> None:
    scenario = Scenario.parse(text(digest(tmp_path)))
    traffic = json.loads(scenario.to_json())["flow"]["data"]["traffic"]
    assert set(traffic["trace"]) == {
        *("name", "sha256", "start", "time_scale", "size_scale", "loop", "framing", "burst", "held"),
    }
    assert Scenario.parse(scenario.to_toml()) == scenario
    assert Scenario.of(scenario.tree) == scenario


def test_a_network_by_name_takes_a_trace_too(tmp_path: Path) -> None:
    scenario = Scenario.parse(f"""
duration = "1 s"
[network.dumbbell]
pairs = 1
rate = "10 Mb/s"
delay = "1 ms"
[defaults.flow.traffic.trace]
name = "lab"
sha256 = "{digest(tmp_path)}"
""")
    assert sum(sent(scenario)) == 50


def test_runs_of_a_sweep_load_the_trace_by_its_digest(tmp_path: Path) -> None:
    scenario = Scenario.parse(text(digest(tmp_path)))
    sweep = Sweep(scenario, {"line.trunk.rate": ["10 Mb/s", "5 Mb/s"]}, replications=1)
    results = sweep.run(tmp_path / "out", jobs=2)
    assert results.is_complete
    assert results.table("groups")["sent"].to_list() == [50, 50]


def test_a_trace_that_is_not_there_is_refused(tmp_path: Path, penstock: Command) -> None:
    sha256 = digest(tmp_path)
    scenario = Scenario.parse(text(sha256))
    shutil.rmtree(folder() / sha256)
    with pytest.raises(InputError, match=r"there is no such trace in .*traces; import it with `penstock import FILE`"):
        run(scenario)
    file = tmp_path / "net.toml"
    file.write_text(text(sha256), encoding="utf-8")
    done = penstock("check", str(file))
    assert done.returncode == 2
    assert f"net.toml, line 11: flow.data.traffic.trace.sha256 = lab ({sha256})" in " ".join(done.stderr.split())
    with pytest.raises(InputError, match="this is no SHA-256: it has 64 digits of 0-9 and a-f"):
        Scenario.parse(text("abc"))


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    sha256 = digest(tmp_path)
    part = folder() / sha256 / "packets-00000.parquet"
    scenario = Scenario.parse(text(sha256))
    frame = pl.read_parquet(part)
    frame.with_columns(pl.col("octets") + 1).write_parquet(part)
    with pytest.raises(InputError, match="the files of this trace have changed: its packets have another digest"):
        run(scenario)
    part.write_bytes(b"PAR1")
    with pytest.raises(InputError, match="the files of this trace have changed"):
        run(scenario)
    frame.write_parquet(part)
    assert sent(scenario) == [50]


def test_faults_of_parameters_that_only_the_packets_show(tmp_path: Path) -> None:
    scenario = Scenario.parse(text(digest(tmp_path)))
    with pytest.raises(InputError, match=r"size_scale = 50: the largest packet would have 75000 octets"):
        run(scenario.with_({"flow.data.traffic.trace.size_scale": 50}))
    one = digest(tmp_path, ["time,size,flow", "0,40,a"])
    with pytest.raises(InputError, match="loop = true: all packets of the trace have the same time"):
        run(scenario.with_({"flow.data.traffic.trace": {"name": "one", "sha256": one, "loop": True}}))
    with pytest.raises(InputError, match="AAL5 fills cells of 53 octets, and the PDUs of this flow have 1500"):
        Scenario.parse(text("0" * 64, "octets = 1500"))
    with pytest.raises(InputError, match="a transport carries packets, and not their cells"):
        Scenario.parse(text("0" * 64, "transport.tp4 = {}"))


def test_the_page_says_what_a_trace_is(tmp_path: Path, penstock: Command) -> None:
    file = tmp_path / "net.toml"
    file.write_text(text(digest(tmp_path)), encoding="utf-8")
    done = penstock("run", str(file), "--trace", str(tmp_path / "page"))
    assert done.returncode == 0, done.stderr
    page = next((tmp_path / "page").glob("*.html")).read_text(encoding="utf-8")
    assert "data sends the trace lab, as cells by AAL5 (a trailer of 8 octets, payloads of 48, padding)." in page
    assert "So a backlog under control is not that of the measured network." in page


@pytest.mark.parametrize(
    ("duration", "more", "told"),
    [
        ("50 ms", {}, ""),
        ("49999 us", {}, "ends at 0.05 s, and the run at 0.049999 s: 1 of 5 packets are not sent"),
        ("10 ms", {}, "ends at 0.05 s, and the run at 0.01 s: 3 of 5 packets are not sent"),
        ("25 ms", {"time_scale": 0.5}, ""),
        ("24 ms", {"time_scale": 0.5}, "ends at 0.025 s, and the run at 0.024 s: 1 of 5 packets are not sent"),
        ("50 ms", {"start": "20 ms"}, "ends at 0.07 s, and the run at 0.05 s: 2 of 5 packets are not sent"),
        ("10 ms", {"loop": True}, "ends at 0.05 s, and the run at 0.01 s: 3 of 5 packets are not sent"),
        ("90 ms", {"loop": True}, ""),
    ],
)
def test_packets_after_the_end_of_the_run_are_told(
    duration: str, more: dict[str, object], told: str, tmp_path: Path, penstock: Command
) -> None:
    changes = {f"flow.data.traffic.trace.{key}": value for key, value in more.items()}
    scenario = Scenario.parse(text(digest(tmp_path), duration=duration)).with_(changes)
    offered = run(scenario.with_({"flow.data.traffic.trace.framing": "packet"})).groups["sent"][0]
    assert unsent(scenario) == ([f"flow.data: its trace lab {told}"] if told else [])
    assert f" {5 - offered} of 5 " in told if told else offered >= 5
    file = tmp_path / "net.toml"
    file.write_text(scenario.to_toml(), encoding="utf-8")
    for verb in ("check", "run"):
        shown = " ".join(penstock(verb, str(file)).stdout.split())
        assert (f"warning: flow.data: its trace lab {told}; give the run a longer duration" in shown) == bool(told)

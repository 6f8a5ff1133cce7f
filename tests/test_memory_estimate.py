"""The memory that a run is expected to take, against what it takes: for each kind of part of a flow."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from penstock import Scenario, _engine

FACTOR = 1.5
"""So far the estimate may lie on either side of the peak."""
MEASURED = """
import sys
import penstock

def status(key):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(key))

scenario = penstock.Scenario.load("many.toml")
penstock.run(scenario.with_({"flow.many.count": 1}))  # what the first run of a process loads
before = status("VmRSS")
result = penstock.run(scenario, most_memory_gb=100)
print(status("VmHWM") - before)
"""
CBR = {"cbr": {"rate": "1 kb/s", "start": "0 s"}}
POLICER = {"leaky_bucket": {"drain": "1 kb/s", "depth": "10 cells"}}
ACCESS = {"rate": "10 Mb/s", "delay": "1 ms"}
SLOW = {"erica": {"reaction_point": {"tm40": {"pcr": "1 Mb/s"}}}}
"""Sources that fill no queue: the estimate is of the flows, not of what waits."""
KINDS: dict[str, tuple[int, Mapping[str, Any]]] = {
    "no rows": (400_000, {}),
    "rows": (200_000, {"measure.flows": True}),
    "access line": (400_000, {"flow.many.access": ACCESS}),
    "access line and rows": (150_000, {"flow.many.access": ACCESS, "measure.flows": True}),
    "access line with a queue": (
        20_000,
        {"flow.many.access": {**ACCESS, "queues": [{"drop_tail": {"size": "5 cells"}}]}},
    ),
    "access line without a rate": (400_000, {"flow.many.access": {"delay": "1 ms"}}),
    "policer": (300_000, {"flow.many.policers": [POLICER]}),
    "control": (50_000, {"scheme": SLOW, "flow.many.traffic": {"greedy": {}}}),
    "held back": (100_000, {"scheme": "becn"}),
    "transport": (60_000, {"flow.many.transport": {"tp4": {}}}),
    "percentiles": (20_000, {"measure.flows": True, "measure.flow_percentiles": True}),
}


def many(count: int, changes: Mapping[str, Any]) -> Scenario:
    """So many flows on one line, for an instant."""
    tree = {
        "duration": "1 ms",
        "measure": {"flows": False},
        "line": {"trunk": {"between": ["left", "right"], "rate": "100 Gb/s", "delay": "1 us"}},
        "flow": {"many": {"count": count, "path": ["left", "right"], "traffic": CBR}},
    }
    return Scenario(tree).with_(changes)


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="there is no /proc")
@pytest.mark.parametrize("kind", KINDS)
def test_the_estimate_is_near_the_peak(kind: str, tmp_path: Path) -> None:
    scenario = many(*KINDS[kind])
    (tmp_path / "many.toml").write_text(scenario.to_toml(), encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", MEASURED], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    peak = json.loads(done.stdout)
    estimate = _engine.estimate(scenario.to_json(), None, 10**12)[1]
    print(f"{kind}: estimate {estimate / 1e6:.0f} MB, peak {peak / 1e6:.0f} MB, {estimate / peak:.2f}")
    assert peak / FACTOR <= estimate <= peak * FACTOR

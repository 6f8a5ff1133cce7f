"""What a reader of results must know of a scenario with traces of packets."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.core.scenario import Scenario

CELLS = "as cells by AAL5 (a trailer of 8 octets, payloads of 48, padding)"
OPEN_LOOP = (
    "The packets come at the times of the trace, whatever happens to those before: the measured senders reacted to "
    "their own network, and not to this one. So a backlog under control is not that of the measured network."
)


def open_loop(scenario: Scenario) -> list[str]:
    """A line for each group that sends a trace."""
    flows = scenario.expanded().tree["flow"] if '"sha256"' in scenario.to_json() else {}
    traces = {group: flow["traffic"]["trace"] for group, flow in flows.items() if "trace" in flow["traffic"]}
    return [
        f"{group} sends the trace {trace['name']}{', ' + CELLS if trace['framing'] == 'aal5' else ''}. {OPEN_LOOP}"
        for group, trace in traces.items()
    ]

"""The report of connection admission on the terminal: what sources need of each line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.show.terminal import print_table, print_text
from penstock.theory.admission import LOSS, needs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.core.scenario import Scenario
    from penstock.theory.admission import Need

TITLE = f"Connection admission, in Mb/s: effective bandwidth for a loss of {LOSS:g}"
NOTE = "Sources with sessions count as active."


def print_admission(scenario: Scenario) -> None:
    """Print a line for each port, and the groups that the rules do not cover."""
    found, without = needs(scenario)
    columns: list[tuple[str, str, Callable[[Any], str]]] = [
        ("port", "port", str),
        ("flows", "flows", lambda value: f"{value:,}"),
        ("buffer", "buffer", str),
        ("sum of means", "means", _megabits),
        ("effective", "effective", _megabits),
        ("sum of peaks", "peaks", _megabits),
        ("line", "rate", _megabits),
        ("admission", "verdict", str),
    ]
    print_table(
        TITLE,
        columns,
        [
            {
                "port": need.port,
                "flows": need.flows,
                "buffer": _buffers(need),
                "means": need.means,
                "effective": need.effective,
                "peaks": need.peaks,
                "rate": need.rate,
                "verdict": need.verdict,
            }
            for need in found
        ],
    )
    print_text(NOTE)
    for group, reason in _left_out(found, without).items():
        print_text(f"{group} is not counted: {reason}")


def _left_out(found: Sequence[Need], without: dict[str, str]) -> dict[str, str]:
    """The groups that the rules do not cover, each once, with the reason."""
    return {group: reason for need in found for group, reason in need.left_out.items()} | without


def _buffers(need: Need) -> str:
    return ", ".join(size or "no limit" for size in need.buffers)


def _megabits(rate: float) -> str:
    return f"{rate / 1e6:.4f}"

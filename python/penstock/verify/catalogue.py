"""Every check, in the order of the theories."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.verify import bounds, conformance, fluids, periodic, queues, schemes, sharing, streams

if TYPE_CHECKING:
    from penstock.verify.check import Check


def checks() -> list[Check]:
    """Every check: those that take seconds, and the long ones."""
    parts = (queues, periodic, conformance, fluids, bounds, sharing, schemes, streams)
    return [check for part in parts for check in part.checks()]

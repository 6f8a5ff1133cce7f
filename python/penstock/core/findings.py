"""What the engine finds in a scenario without running it: which part hears which, its readings, its demand."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hearing:
    """One kind of feedback from one part of a control scheme to another, both by their paths in the scenario."""

    sender: str
    feedback: str
    listener: str


@dataclass(frozen=True, slots=True)
class Reading:
    """One kind of reading of a time series.

    Attributes:
        component: the port, the flow, or the group for a mean over its flows.
        quantity: its name in the series.
        unit: ``b/s``, ``PDUs``, ``bits``, or empty for a pure number.
        most: the largest value, or ``None`` if that depends on the network. The smallest is 0.
    """

    component: str
    quantity: str
    unit: str
    most: float | None


@dataclass(frozen=True, slots=True)
class OfferedKind:
    """The flows of one kind of traffic in a network by name.

    Attributes:
        kind: its name; empty if the network has no mix.
        flows: their number in the network.
        rate_bps: the mean rate of each in bits per second, or ``None`` for greedy flows.
        load: the mean rate of those that cross the port of the load, over the line's rate; ``None`` without a load.
    """

    kind: str
    flows: int
    rate_bps: float | None
    load: float | None


@dataclass(frozen=True, slots=True)
class OfferedLoad:
    """A load that is asked for: its port, its value, and that of whole flows."""

    port: str
    wanted: float
    load: float


@dataclass(frozen=True, slots=True)
class Offered:
    """What the flows of a network by name offer."""

    kinds: tuple[OfferedKind, ...]
    load: OfferedLoad | None


@dataclass(frozen=True, slots=True)
class Warned:
    """A part or a parameter that is allowed and probably not meant: its path, its value, the reason and a remedy."""

    path: str
    value: str
    reason: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Meetings:
    """Which part hears which in a scenario.

    Attributes:
        hearings: every pair of parts with feedback between them.
        warnings: a part without effect, or one that may stop for ever, is in it only with ``mismatches = "warn"``;
            the others are parameters that probably do not fit the network.
    """

    hearings: tuple[Hearing, ...]
    warnings: tuple[Warned, ...]

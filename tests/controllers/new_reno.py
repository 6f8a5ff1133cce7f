"""NewReno, as ``controller/new_reno.rs`` has it, and the window that it shares with CUBIC."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.scheme import Ack, Congestion, Idle, Stream


@dataclass
class NewReno:
    """Reductions of the window."""

    loss_factor: float = 0.5
    ecn_factor: float = 0.5

    def begin(self, stream: Stream) -> None:
        """Slow start."""
        self.segment, self.initial = stream.segment, float(stream.initial_window)
        self.size, self.threshold = self.initial, inf

    @property
    def window(self) -> int:
        """In octets."""
        return int(self.size * self.segment)

    @property
    def is_in_slow_start(self) -> bool:
        """Whether it is below the threshold."""
        return self.size < self.threshold

    def on_ack(self, ack: Ack) -> None:
        """Slow start, then one segment a round trip."""
        left = self.slow_start(ack)  # which may change the size
        self.size += left / self.size

    def slow_start(self, ack: Ack) -> float:
        """Adds the segments acknowledged up to the threshold, and returns those that are left."""
        if ack.is_recovering or not ack.has_progress:
            return 0.0
        acked, in_flight = ack.octets / self.segment, ack.in_flight / self.segment
        if not self.size < self.threshold:
            return acked if ack.is_limited or in_flight + 1.0 >= self.size else 0.0
        if not ack.is_limited and in_flight < self.size / 2.0:
            return 0.0
        if self.size + acked <= self.threshold:
            self.size += acked
            return 0.0
        used = self.threshold - self.size
        self.size = self.threshold
        return acked - used

    def on_congestion(self, congestion: Congestion) -> None:
        """Half the window, or one segment."""
        if congestion.signal == "ecn":
            self.reduce(congestion, self.size * self.ecn_factor)
        else:
            self.reduce(congestion, min(self.size, congestion.outstanding / self.segment) * self.loss_factor)

    def reduce(self, congestion: Congestion, reduced: float) -> None:
        """Reduces the window after congestion."""
        if congestion.signal == "timeout":
            self.threshold = max(reduced, 2.0) if congestion.is_first else self.threshold
            self.size = 1.0
            return
        self.size = self.threshold = max(reduced, 2.0 if congestion.signal == "loss" else 1.0)

    def on_idle(self, _idle: Idle) -> None:
        """At most the first window."""
        self.size = min(self.size, self.initial)


@dataclass
class Cubic(NewReno):
    """CUBIC, as ``controller/cubic.rs`` has it, with ``hystart = "off"``."""

    beta: float = 0.7
    c: float = 0.4

    def begin(self, stream: Stream) -> None:
        """Slow start, without an epoch."""
        super().begin(stream)
        self.prior = self.most = 0.0
        self.start: int | None = None
        self.limited = 0

    def on_ack(self, ack: Ack) -> None:
        """Slow start, then the curve."""
        was_slow = self.size < self.threshold
        left = self.slow_start(ack)
        if left > 0.0:
            self.avoid(left, ack)
        elif not was_slow and not ack.is_recovering and self.start is not None:
            self.start += ack.now_ps - self.limited
            self.limited = ack.now_ps

    def avoid(self, acked: float, ack: Ack) -> None:
        """The window follows the curve, and is not below that of NewReno."""
        from penstock.scheme import cbrt

        if self.start is None:
            self.k = cbrt((self.most - self.size) / self.c) if self.size < self.most else 0.0
            self.most = max(self.most, self.size)
            self.start, self.estimate = ack.now_ps, self.size
        since = (ack.now_ps - self.start) / 1e12
        target = min(max(self.curve(since + ack.smoothed), self.size), 1.5 * self.size)
        alpha = 1.0 if self.estimate >= self.prior else 3.0 * (1.0 - self.beta) / (1.0 + self.beta)
        self.estimate += alpha * acked / self.size
        if self.curve(since) < self.estimate:
            self.size = max(self.size, self.estimate)
        else:
            self.size += acked * (target - self.size) / self.size
        self.limited = ack.now_ps

    def curve(self, t: float) -> float:
        """The window at a time after the reduction."""
        x = t - self.k
        return self.c * x * x * x + self.most

    def on_congestion(self, congestion: Congestion) -> None:
        """Gives way to newer flows."""
        if congestion.signal != "timeout" or congestion.is_first:
            gives_way = self.size < self.most
            self.most, self.prior = self.size * (1.0 + self.beta) / 2.0 if gives_way else self.size, self.size
        self.start = None
        self.reduce(congestion, self.size * self.beta)

    def on_idle(self, idle: Idle) -> None:
        """The curve begins anew."""
        super().on_idle(idle)
        self.start = None

"""What happened in a step of an environment, and the reward for it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from penstock.api.simulation import Simulation
from penstock.core.errors import InputError, near_or_listed
from penstock.core.units import bits_per_second

__all__ = ["Interval", "Worth"]


@dataclass(frozen=True, slots=True)
class Interval:
    """What happened in a step: the argument of a reward.

    Attributes:
        simulation: the simulation, at the end of the step.
        seconds: the length of the step.
        values: the parameters that are set, as the scenario has them.
        counts: the counts at the start of the step, and at its end.
        line_bps: the rate of the fastest line at the start of the run, in bits per second.
        places: the place of each component and quantity among the counts.
    """

    simulation: Simulation
    seconds: float
    values: Mapping[str, object]
    counts: tuple[Sequence[int], Sequence[int]]
    line_bps: float
    places: Places

    def added(self, quantity: str, component: str = "") -> int:
        """What a count has grown by in the step: that of a group or port, or the sum over all.

        Groups count data PDUs ``sent``, ``delivered`` and ``lost``, ``delivered_bits``, and ``offered_bits`` unless
        they always have data. Ports count ``arrived``, ``discarded``, ``marked`` and ``notices``. Raises
        :class:`InputError` for an unknown quantity or component.
        """
        before, after = self.counts
        return sum(after[place] - before[place] for place in self.places.of(quantity, component))

    def now(self, quantity: str, component: str = "") -> int:
        """A count since the start of the run, of a group or port, or the sum over all; ``held_bits`` as it is now."""
        after = self.counts[1]
        return sum(after[place] for place in self.places.of(quantity, component))

    @property
    def in_network(self) -> int:
        """The data PDUs in the network at the end of the step: sent, and neither delivered nor lost."""
        return self.now("sent") - self.now("delivered") - self.now("lost")


class Places:
    """Where the counts of a simulation are, by quantity and component."""

    def __init__(self, kinds: Sequence[tuple[str, str, str]]) -> None:
        self._places: dict[str, dict[str, int]] = {}
        for place, (component, quantity, _) in enumerate(kinds):
            self._places.setdefault(quantity, {})[component] = place
        self._all = {quantity: tuple(own.values()) for quantity, own in self._places.items()}

    def of(self, quantity: str, component: str) -> tuple[int, ...]:
        """The places of the counts of a quantity. Raises :class:`InputError` if there is none."""
        if quantity not in self._places:
            raise _unknown("quantity", quantity, list(self._places))
        if not component:
            return self._all[quantity]
        if component not in self._places[quantity]:
            raise _unknown("component", component, list(self._places[quantity]))
        return (self._places[quantity][component],)


def _unknown(what: str, name: str, known: list[str]) -> InputError:
    remedy = near_or_listed(name, known)
    return InputError("this is not counted", path=what, value=name, remedy=remedy)


def fastest(tree: Mapping[str, Mapping[str, Mapping[str, str]]]) -> float:
    """The rate of the fastest line of an expanded scenario, in bits per second."""
    return max(bits_per_second(line["rate"]) for line in tree["line"].values())


@dataclass(frozen=True, slots=True)
class Worth:
    """The worth of what a step delivered: 1 for a full line without delay, and nothing at a delay of ``patience_s``.

    It is ``delivered bits / (rate * step) - bits in the network / (rate * patience_s)``, with the rate of the fastest
    line, and the network as it is at the end of the step. By Little's law (1961) the bits in the network are the
    goodput times the mean delay. So the mean over an episode is ``u * (1 - d / patience_s)``, with the goodput `u` as a
    share of the rate, and the mean delay `d` in the network. A lost PDU is not delivered. What waits at a source is not
    in the network.

    Choose a step that is not longer than the delay of the paths: else PDUs can come and go between two looks at the
    network, and a policy learns to send just then.

    Attributes:
        patience_s: the delay at which delivered data are worth nothing, in seconds.
    """

    patience_s: float = 1.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.patience_s) and self.patience_s > 0):
            remedy = "give a number of seconds above 0"
            raise InputError("this is no delay", path="patience_s", value=self.patience_s, remedy=remedy)

    def __call__(self, interval: Interval) -> float:
        """The worth of a step."""
        goodput = interval.added("delivered_bits") / (interval.line_bps * interval.seconds)
        # The PDUs in the network are taken to be as long as those delivered so far.
        each = interval.now("delivered_bits") / max(interval.now("delivered"), 1)
        return goodput - interval.in_network * each / (interval.line_bps * self.patience_s)

"""Verdicts on the notes of section 5 of the ATN paper: one function per claim, none tuned to the result.

Words of the paper that need a number have it here, set before the exercises were run. "More", or "so many times as
much", needs the whole 95 % interval of the differences paired by seed; a tie (`ties`) does not count.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from penstock.studies.atn.grid import (
    CE_THRESHOLDS,
    DECREASES,
    EXERCISES,
    INITIALS,
    RECEIVER,
    RUSH_END_S,
    RUSH_S,
    RUSHES,
    SAMPLE_S,
    SCENARIOS,
    STRATEGIES,
    Point,
    against_load,
)
from penstock.studies.atn.runs import Runs, part, risen, swings
from penstock.studies.atn.ties import TIE, all_apart, no_less
from penstock.studies.claims import Clause, Evidence
from penstock.studies.orders import BySeed, all_above, constant, exceeds, rising, times
from penstock.studies.predicates import Factor, Predicates, clauses, listed, percent
from penstock.studies.runs import Trace, mean

PREDICATES: Predicates[Runs] = Predicates(strategy=Factor(("strategy",), uncontrolled=("none",)))
claim = PREDICATES.claim

HIGH = 4
"""A window is high from here on, in packets: more than half of the most, 7."""
CONNECTION_S = 180.0
"""The mean duration of a connection: an oscillation has more than one swing in that time."""
BEFORE_S = 60.0
"""The time before a sudden increase over which the queue is read."""
FAR = 2.0
"""Far better is so many times the power."""
TOO_WEAK = 1.5
"""A factor that cannot avoid congestion has so many times the buffer load of the factor 0.5."""
COMPARABLE = 0.10
"""Settings whose power is less than the best by no more than this part of it are comparable."""
RISES = 2.0
"""A significant increase, from the lightest load to the heaviest, is to so many times as much."""
SOMEWHAT = 1 / (1 - TIE)
"""An increase that is more than a tie, as a factor."""
NOT_NEGLIGIBLE = 0.05
"""A share of Error NPDUs that is overhead."""
SMALL_BITS = 27_000
"""A very small CE threshold: two packets."""


def columns(runs: Runs, measure: str, points: Sequence[Point]) -> list[dict[int, float]]:
    """A measure at several points, each by seed."""
    return [runs.by_seed(measure, point) for point in points]


def means_of(values: Sequence[Mapping[int, float]]) -> list[float]:
    """The means over seeds of several measures."""
    return [mean(each.values()) for each in values]


# ------------------------------------------------------------------------------------------- a sudden increase in load
@dataclass(frozen=True, slots=True)
class Increase:
    """A sudden increase under one strategy, each value by seed.

    For the two minutes after it: the mean and the longest queue in bits, and the packets/s of the earlier senders. For
    the state before it: the sum of their windows in packets, and the mean queue of the minute before in bits.
    """

    mean: dict[int, float]
    longest: dict[int, float]
    served: dict[int, float]
    windows: dict[int, float]
    before: dict[int, float]


def increase(runs: Runs, kind: str, strategy: str) -> Increase:
    """The increase of one kind under one strategy."""
    point = Point(strategy, "a")
    queues = runs.queue(kind, point)
    received, credit = (runs.per_sender(kind, point, name) for name in ("received", "credit"))
    after = {seed: part(trace, RUSH_S, RUSH_END_S) for seed, trace in queues.items()}
    counts = {
        seed: [part(trace, RUSH_S - SAMPLE_S, RUSH_END_S) for trace in senders.values()]
        for seed, senders in received.items()
    }
    span = RUSH_END_S - RUSH_S
    return Increase(
        mean={seed: mean(each) for seed, each in after.items()},
        longest={seed: max(each) for seed, each in after.items()},
        served={seed: math.fsum(each[-1] - each[0] for each in found) / span for seed, found in counts.items()},
        windows={
            seed: math.fsum(part(trace, RUSH_S - SAMPLE_S, RUSH_S)[-1] for trace in senders.values())
            for seed, senders in credit.items()
        },
        before={seed: mean(part(trace, RUSH_S - BEFORE_S, RUSH_S)) for seed, trace in queues.items()},
    )


@claim("atn.reaction")
def _(runs: Runs) -> Evidence:
    found = {kind: [increase(runs, kind, strategy) for strategy in reversed(RECEIVER)] for kind in RUSHES}
    parts = []
    for kind, told in RUSHES.items():
        for name, field in (("mean", "mean"), ("longest, read each second", "longest")):
            own, other = (difference(getattr(each, field), each.before) for each in found[kind])
            text = f"{told}: under withdrawing credit the queue grows less, over that of the minute before ({name})"
            shown = "{:.0f} and {:.0f} bits".format(*means_of([own, other]))
            parts.append(all_above("strategy", text, [(other, own)], shown))
    kept, offered = ([each.served for each in found[kind]] for kind in ("connections", "cross"))
    text = f"{RUSHES['connections']}: it delivers no less for the earlier senders"
    note = (
        f"two connections on scenario A's network, the load rises at {RUSH_S:g} s; {RUSHES['cross']}: the earlier "
        f"senders get all that they offer, {in_rates(offered)}, so nothing is compared; {earlier_state(found['cross'])}"
    )
    served = Clause(text, no_less("throughput", *kept), in_rates(kept))
    return clauses(runs.watched["connections"], *parts, note=note, beside=[served])


def difference(after: BySeed, before: BySeed) -> dict[int, float]:
    """What values have grown by, each by seed."""
    return {seed: value - before[seed] for seed, value in after.items()}


def in_rates(both: Sequence[Mapping[int, float]]) -> str:
    """The packets/s under both strategies for a note."""
    return "{:.3f} and {:.3f} packets/s".format(*means_of(both))


def earlier_state(both: Sequence[Increase]) -> str:
    """The state before the increase, the same for both kinds of it: the strategies differ before it, too."""
    windows = "{:.2f} packets under withdrawing credit and {:.2f}".format(*means_of([each.windows for each in both]))
    queues = "{:.0f} and {:.0f} bits".format(*means_of([each.before for each in both]))
    return (
        "the queue before is an earlier state and no reaction: when the load rises, earlier marks have reduced "
        f"the windows of the earlier senders to a sum of {windows} under congestion avoidance, at mean queues in "
        f"the minute before of {queues}"
    )


@claim("atn.oscillation")
def _(runs: Runs) -> Evidence:
    watched = {strategy: runs.windows("watched", Point(strategy, "b")) for strategy in RECEIVER}
    rates = {name: {seed: rate(each) for seed, each in found.items()} for name, found in watched.items()}
    spreads = [mean([spread(each) for each in watched[name].values()]) for name in reversed(RECEIVER)]
    reached = {
        name: max(risen(window) for senders in found.values() for _, window in senders.values())
        for name, found in watched.items()
    }
    shown = {
        name: f"{mean(found.values()):.2f}, from 1 up to {reached[name]:g} at most" for name, found in rates.items()
    }
    swing = f"swing from 1 to {HIGH} or more and back in the mean life of a connection"
    withdrawing, avoidance = rates["withdrawing"], rates["avoidance"]
    one, other = constant(1.0, withdrawing), constant(1.0, avoidance)
    return clauses(
        runs.watched["watched"],
        all_above(
            "strategy",
            f"withdrawing credit oscillates: more than one {swing}",
            [(withdrawing, one)],
            shown["withdrawing"],
        ),
        beside=[
            all_above(
                "", f"congestion avoidance does not: less than one {swing}", [(other, avoidance)], shown["avoidance"]
            )
        ],
        note=f"standard deviations of the window: {spreads[0]:.2f} packets under withdrawing credit, {spreads[1]:.2f}",
    )


def lasting(senders: Mapping[str, Trace]) -> list[float]:
    """The windows of all senders while they have a connection."""
    return [value for _, window in senders.values() for value in window if value > 0]


def rate(senders: Mapping[str, Trace]) -> float:
    """Swings of the window in the mean life of a connection."""
    return (
        sum(swings(window, HIGH) for _, window in senders.values()) * CONNECTION_S / (SAMPLE_S * len(lasting(senders)))
    )


def spread(senders: Mapping[str, Trace]) -> float:
    """The standard deviation of the window, in packets."""
    return statistics.pstdev(lasting(senders))


# ------------------------------------------------------------------------------------------------------- the exercises
@claim("atn.threshold")
def _(runs: Runs) -> Evidence:
    parts = []
    for name in RECEIVER:
        for scenario, network in SCENARIOS.items():
            points = [Point(name, scenario, ce_threshold=each) for each in CE_THRESHOLDS]
            powers = columns(runs, "power", points)
            means = means_of(powers)
            small = sum(each <= SMALL_BITS for each in CE_THRESHOLDS)
            where = f"{STRATEGIES[name]}, {network.name}"
            parts += [
                leads_all(
                    "ce_threshold",
                    f"{where}: the best of at most two packets has more power than all larger",
                    [max(powers[:small], key=lambda power: mean(power.values()))],
                    powers[small:],
                    f"power {listed(means, '{:.3g}')}",
                ),
                all_above(
                    "ce_threshold",
                    f"{where}: the smallest has over {FAR:g} times the power of the largest",
                    [(powers[0], times(FAR, powers[-1]))],
                    f"{means[0] / means[-1]:.1f} times",
                ),
            ]
    return clauses(runs, *parts, note=f"CE thresholds of {listed(CE_THRESHOLDS)} bits, a packet every second")


def leads_all(factor: str, text: str, ones: Sequence[BySeed], others: Sequence[BySeed], shown: str) -> Clause:
    """Whether each of some settings has more power than each of the others."""
    return all_apart(factor, text, "power", [(one, other, 1) for one in ones for other in others], shown)


@claim("atn.beta")
def _(runs: Runs) -> Evidence:
    parts = []
    for scenario, network in SCENARIOS.items():
        points = [Point("avoidance", scenario, decrease=each) for each in DECREASES]
        powers, loads = (columns(runs, name, points) for name in ("power", "load"))
        begun = columns(runs, "power", [Point("avoidance", scenario, initial=each) for each in INITIALS])
        low, high = mean(loads[0].values()), mean(loads[-1].values())
        parts += [
            leads_all(
                "decrease",
                f"{network.name}: 0.5 and 0.625 have the most power",
                powers[:2],
                powers[2:],
                listed(means_of(powers), "{:.3g}"),
            ),
            all_above(
                "decrease",
                f"{network.name}: 0.875 cannot avoid congestion, over {TOO_WEAK:g} times the buffer load of 0.5",
                [(loads[-1], times(TOO_WEAK, loads[0]))],
                f"{high / low:.2f} times",
            ),
            leads_all(
                "initial",
                f"{network.name}: initial windows of 1 and 2 have the most power",
                begun[:2],
                begun[2:],
                listed(means_of(begun), "{:.3g}"),
            ),
        ]
    note = f"factors {listed(DECREASES, '{:g}')}; initial windows {listed(INITIALS)}"
    return clauses(runs, *parts, note=note)


def comparable(runs: Runs, exercise: str, texts: str) -> list[Clause]:
    """Whether the settings of an exercise have the same power, about, in both scenarios."""
    chosen = EXERCISES[exercise]
    parts = []
    for scenario, network in SCENARIOS.items():
        if chosen.curves:
            points = [Point(chosen.strategy, scenario, multiple=int(value)) for value in chosen.each]
        else:
            (curve,) = chosen.points(scenario).values()
            points = list(curve.values())
        powers = columns(runs, "power", points)
        means = means_of(powers)
        best = powers[means.index(max(means))]
        text = f"{network.name}: {texts}, powers within {percent(COMPARABLE)}"
        holds = all(exceeds(each, best, 1 - COMPARABLE) for each in powers)
        parts.append(Clause(text, holds, f"{listed(means, '{:.3g}')}: {percent(1 - min(means) / max(means))}"))
    return parts


@claim("atn.mult")
def _(runs: Runs) -> Evidence:
    return clauses(runs, *comparable(runs, "withdrawing", "multiples 1 to 4 are comparable"))


@claim("atn.backoff")
def _(runs: Runs) -> Evidence:
    parts = comparable(runs, "backoff", "the initial threshold has little effect")
    for scenario, network in SCENARIOS.items():
        points = against_load("backoff", scenario)[::-1]
        delays, loads, through = (columns(runs, name, points) for name in ("delay", "load", "throughput"))
        suffers = not all(no_less("throughput", later, earlier) for earlier, later in combinations(through, 2))
        parts += [
            rising(
                "interproduction",
                f"{network.name}: the delay rises with the load, {RISES:g} times",
                delays,
                "{:.2f}",
                by=RISES,
            ),
            rising("interproduction", f"{network.name}: so does the buffer load", loads, "{:.0f}", by=RISES),
            Clause(f"{network.name}: throughput does not suffer", not suffers, listed(means_of(through), "{:.3g}")),
        ]
    note = "the load from a packet every 20 s to one every 0.5 s; the queue as read each second once every sender has opened a connection"
    return clauses(runs, *parts, *never_empty(runs), note=note)


def never_empty(runs: Runs) -> list[Clause]:
    """Whether the full queue of scenario A never empties under backoff, and does under the receiver strategies.

    The text says so about table 5-1. The time before every sender has opened a connection is no part of it.
    """
    empty = {name: emptied(runs, name) for name in ("backoff", *RECEIVER)}
    shown = ", ".join(f"{STRATEGIES[name]} {percent(mean(values.values()))}" for name, values in empty.items())
    network = SCENARIOS["a"].name
    most = max(empty["backoff"].values())
    pairs = [(empty[name], empty["backoff"]) for name in RECEIVER]
    return [
        Clause(f"{network}: full buffers never empty", most == 0, f"at most {percent(most)} of the time in a run"),
        all_above("strategy", f"{network}: under the receiver strategies they empty more often", pairs, shown),
    ]


def emptied(runs: Runs, strategy: str) -> dict[int, float]:
    """The share of the readings with an empty queue, after every sender has opened a connection, for each seed."""
    point = Point(strategy, "a")
    opened = {
        seed: max(next(at for at, credit in zip(*trace, strict=True) if credit > 0) for trace in senders.values())
        for seed, senders in runs.per_sender("filled", point, "credit").items()
    }
    filled = {seed: part(trace, opened[seed], math.inf) for seed, trace in runs.queue("filled", point).items()}
    return {seed: list(each).count(0) / len(each) for seed, each in filled.items()}


@claim("atn.error")
def _(runs: Runs) -> Evidence:
    parts = []
    for scenario, network in SCENARIOS.items():
        (curve,) = EXERCISES["error"].points(scenario).values()
        for measure, text, form in (
            ("delay", "the delay rises with the threshold", "{:.2f}"),
            ("load", "so does the buffer load", "{:.0f}"),
            ("throughput", "so does the throughput", "{:.4f}"),
        ):
            values = columns(runs, measure, list(curve.values()))
            parts.append(rising("error_share", f"{network.name}: {text}", values, form, by=SOMEWHAT))
    share = runs.by_seed("error.share", Point("error", "a"))
    text = f"the overhead is not negligible at half the capacity: over {percent(NOT_NEGLIGIBLE)} in scenario A"
    parts.append(all_above("", text, [(share, constant(NOT_NEGLIGIBLE, share))], percent(mean(share.values()))))
    return clauses(runs, *parts, note="thresholds of 10 to 90 % of the queue's capacity")

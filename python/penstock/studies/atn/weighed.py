"""What the runs say about the notes of section 5 of the ATN paper: one function per claim, none adjusted.

Words without a number have one here, set before the exercises were run.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

from penstock.statistics import Estimate, paired
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
from penstock.studies.claims import Clause, Evidence
from penstock.studies.predicates import Predicates, clauses, difference, is_above, percent

PREDICATES: Predicates[Runs] = Predicates()
claim = PREDICATES.claim

HIGH = 4
"""A window is high from here on: more than half of the most, 7."""
CONNECTION_S = 180.0
"""The mean duration of a connection: what oscillates has a swing in that time."""
FAR = 2.0
"""Far better is so many times the power."""
TOO_WEAK = 1.5
"""A factor that cannot avoid congestion has so many times the buffer load of the factor 0.5."""
COMPARABLE = 0.10
"""Settings whose best power is within this part of the others' are comparable, and their parameter hardly matters."""
RISES = 2.0
"""A significant increase, from the lightest load to the heaviest."""
SUFFERS = 0.03
"""Throughput that falls by more suffers."""
NOT_NEGLIGIBLE = 0.05
"""A share of Error NPDUs that is overhead."""
FULL = 0.98
"""Use of the congested line at which its queue never empties to speak of; connections begin and end meanwhile."""
SMALL_BITS = 27_000
"""A very small CE threshold: two packets."""


def rising(runs: Runs, text: str, measure: str, points: Sequence[Point], form: str, times: float = 1.0) -> Clause:
    """Whether a measure rises from the first point to the last, so many times at least, and no step goes back."""
    means = [runs.mean(measure, point) for point in points]
    back = any(is_above(difference(runs, measure, low, high)) for low, high in pairwise(points))
    return Clause(text, means[-1] > times * means[0] and not back, listed(means, form))


def listed(values: Sequence[float], form: str = "{:.3g}") -> str:
    """Values for a note."""
    return ", ".join(form.format(value) for value in values)


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean."""
    return math.fsum(values) / len(values)


# ------------------------------------------------------------------------------------------- a sudden increase in load
def after(runs: Runs, kind: str, strategy: str) -> tuple[dict[int, float], dict[int, float], dict[int, float]]:
    """From the increase on, by seed: mean and longest queue in bits, and packets/s of the senders before it."""
    point = Point(strategy, "a")
    queues = {seed: part(trace, RUSH_S, RUSH_END_S) for seed, trace in runs.queue(kind, point).items()}
    counts = {}
    for seed, senders in runs.per_sender(kind, point, "received").items():
        received = [part(trace, RUSH_S - SAMPLE_S, RUSH_END_S) for trace in senders.values()]
        counts[seed] = math.fsum(each[-1] - each[0] for each in received) / (RUSH_END_S - RUSH_S)
    return (
        {seed: mean(each) for seed, each in queues.items()},
        {seed: max(each) for seed, each in queues.items()},
        counts,
    )


def paired_by_seed(ones: Mapping[int, float], others: Mapping[int, float]) -> Estimate:
    """What the second has more than the first."""
    seeds = sorted(ones.keys() & others.keys())
    return paired([ones[seed] for seed in seeds], [others[seed] for seed in seeds])


@claim("atn.reaction")
def _(runs: Runs) -> Evidence:
    parts = []
    for kind, told in RUSHES.items():
        avoidance, withdrawing = (after(runs, kind, strategy) for strategy in RECEIVER)
        for number, name in enumerate(("mean", "longest (read each second)")):
            means = [mean(list(each[number].values())) for each in (withdrawing, avoidance)]
            holds = is_above(paired_by_seed(withdrawing[number], avoidance[number]))
            text = f"{told}: withdrawing credit has the shorter {name} queue in the two minutes after"
            parts.append(Clause(text, holds, f"{means[0]:.0f} and {means[1]:.0f} bits"))
        served = [mean(list(each[2].values())) for each in (withdrawing, avoidance)]
        holds = served[0] >= (1 - SUFFERS) * served[1]
        text = f"{told}: it delivers no less for those who sent before"
        parts.append(Clause(text, holds, f"{served[0]:.3f} and {served[1]:.3f} packets/s"))
    return clauses(runs, *parts, note=f"two connections on scenario A's network, the load rises at {RUSH_S:g} s")


@claim("atn.oscillation")
def _(runs: Runs) -> Evidence:
    rates: dict[str, dict[int, float]] = {}
    spreads: dict[str, dict[int, float]] = {}
    windows_of: dict[str, list[Sequence[float]]] = {strategy: [] for strategy in RECEIVER}
    for strategy in RECEIVER:
        rates[strategy], spreads[strategy] = {}, {}
        for seed, senders in runs.windows("watched", Point(strategy, "b")).items():
            windows = [trace[1] for trace in senders.values()]
            windows_of[strategy] += windows
            lasting = [value for window in windows for value in window if value > 0]
            count = sum(swings(window, HIGH) for window in windows)
            rates[strategy][seed] = count * CONNECTION_S / (SAMPLE_S * len(lasting))
            spreads[strategy][seed] = math.sqrt(mean([value**2 for value in lasting]) - mean(lasting) ** 2)
    reached = {name: max(risen(window) for window in found) for name, found in windows_of.items()}
    swung = {strategy: mean(list(values.values())) for strategy, values in rates.items()}
    shown = {name: f"{count:.2f}, from 1 up to {reached[name]:g} at most" for name, count in swung.items()}
    widths = [mean(list(spreads[strategy].values())) for strategy in reversed(RECEIVER)]
    per = f"swings from 1 to {HIGH} or more and back, in the mean life of a connection"
    return clauses(
        runs,
        Clause(f"withdrawing credit oscillates: 1 or more {per}", swung["withdrawing"] >= 1, shown["withdrawing"]),
        Clause(f"congestion avoidance does not: below 1 {per}", swung["avoidance"] < 1, shown["avoidance"]),
        Clause(
            "the window of withdrawing credit varies more",
            is_above(paired_by_seed(spreads["avoidance"], spreads["withdrawing"])),
            f"standard deviations {widths[0]:.2f} and {widths[1]:.2f} packets",
        ),
    )


# ------------------------------------------------------------------------------------------------------- the exercises
@claim("atn.threshold")
def _(runs: Runs) -> Evidence:
    parts = []
    for name in RECEIVER:
        for scenario, network in SCENARIOS.items():
            points = [Point(name, scenario, ce_threshold=each) for each in CE_THRESHOLDS]
            powers = [runs.mean("power", point) for point in points]
            best = CE_THRESHOLDS[powers.index(max(powers))]
            shown = f"power {listed(powers)}"
            where = f"{STRATEGIES[name]}, {network.name}"
            parts += [
                Clause(f"{where}: best with at most two packets", best <= SMALL_BITS, shown),
                Clause(
                    f"{where}: the smallest has {FAR:g} times the power of the largest",
                    powers[0] >= FAR * powers[-1],
                    f"{powers[0] / powers[-1]:.1f} times",
                ),
            ]
    return clauses(runs, *parts, note=f"CE thresholds of {listed(CE_THRESHOLDS, '{:.0f}')} bits, a packet every second")


def lead(runs: Runs, points: Sequence[Point]) -> bool:
    """Whether the first two points have more power than each of the others."""
    return all(is_above(difference(runs, "power", one, other)) for one in points[:2] for other in points[2:])


@claim("atn.beta")
def _(runs: Runs) -> Evidence:
    parts = []
    for scenario, network in SCENARIOS.items():
        points = [Point("avoidance", scenario, decrease=each) for each in DECREASES]
        powers, loads = ([runs.mean(name, point) for point in points] for name in ("power", "load"))
        begun = [Point("avoidance", scenario, initial=each) for each in INITIALS]
        started = [runs.mean("power", point) for point in begun]
        parts += [
            Clause(f"{network.name}: 0.5 and 0.625 have the most power", lead(runs, points), listed(powers)),
            Clause(
                f"{network.name}: 0.875 cannot avoid congestion, {TOO_WEAK:g} times the buffer load of 0.5",
                loads[-1] >= TOO_WEAK * loads[0],
                f"{loads[-1] / loads[0]:.2f} times",
            ),
            Clause(
                f"{network.name}: initial windows of 1 and 2 have the most power",
                lead(runs, begun),
                listed(started),
            ),
        ]
    return clauses(runs, *parts, note=f"factors {listed(DECREASES)}; initial windows {listed(INITIALS)}")


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
        powers = [runs.mean("power", point) for point in points]
        spread = 1 - min(powers) / max(powers)
        text = f"{network.name}: {texts}, powers within {percent(COMPARABLE)}"
        parts.append(Clause(text, spread <= COMPARABLE, f"{listed(powers)}: {percent(spread)}"))
    return parts


@claim("atn.mult")
def _(runs: Runs) -> Evidence:
    return clauses(runs, *comparable(runs, "withdrawing", "multiples 1 to 4 are comparable"))


@claim("atn.backoff")
def _(runs: Runs) -> Evidence:
    parts = comparable(runs, "backoff", "the initial threshold hardly matters")
    for scenario, network in SCENARIOS.items():
        points = against_load("backoff", scenario)[::-1]
        through = [runs.mean("throughput", point) for point in points]
        lost = max(1 - later / max(through[: number + 1]) for number, later in enumerate(through))
        use = runs.mean("use", Point("backoff", scenario))
        parts += [
            rising(
                runs,
                f"{network.name}: the delay rises with the load, {RISES:g} times",
                "delay",
                points,
                "{:.2f}",
                RISES,
            ),
            rising(runs, f"{network.name}: so does the buffer load", "load", points, "{:.0f}", RISES),
            Clause(f"{network.name}: throughput does not suffer", lost <= SUFFERS, listed(through)),
            Clause(f"{network.name}: buffers never empty, a line use of {percent(FULL)}", use >= FULL, percent(use)),
        ]
    return clauses(runs, *parts, note="the load from a packet every 20 s to one every 0.5 s")


@claim("atn.error")
def _(runs: Runs) -> Evidence:
    parts = []
    for scenario, network in SCENARIOS.items():
        (curve,) = EXERCISES["error"].points(scenario).values()
        points = list(curve.values())
        parts += [
            rising(runs, f"{network.name}: the delay rises with the threshold", "delay", points, "{:.2f}"),
            rising(runs, f"{network.name}: so does the buffer load", "load", points, "{:.0f}"),
            rising(runs, f"{network.name}: so does the throughput", "throughput", points, "{:.4f}"),
        ]
    share = runs.mean("error.share", Point("error", "a"))
    text = f"the overhead is not negligible at half the capacity: over {percent(NOT_NEGLIGIBLE)} in scenario A"
    parts.append(Clause(text, share > NOT_NEGLIGIBLE, percent(share)))
    return clauses(runs, *parts, note="thresholds of 10 to 90 % of the queue's capacity")

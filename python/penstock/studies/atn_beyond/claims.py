"""The verdicts on the ATN study's future work. Orders are judged by differences paired by seed (`orders`)."""

from __future__ import annotations

from penstock.studies.atn.grid import SCENARIOS, STRATEGIES
from penstock.studies.atn.measures import LOAD
from penstock.studies.atn_beyond.grid import FIXED, MARKED, MOVING, QUEUES, TIMED, TIMERS, USUAL, Point
from penstock.studies.atn_beyond.measures import Runs
from penstock.studies.claims import Clause, Evidence
from penstock.studies.orders import BySeed, above, all_above, constant, times
from penstock.studies.predicates import Factor, Predicates, clauses
from penstock.studies.runs import mean

PREDICATES: Predicates[Runs] = Predicates(
    strategy=Factor(("strategy",), uncontrolled=("none",)),
    variant=Factor(("variant",), uncontrolled=(USUAL, "one-queue")),
)
claim = PREDICATES.claim

NO_LESS = 1.03
"""A throughput is no less, a load no more, if it differs by at most so much: what the ATN study calls no difference."""
NO_DISCARDS = 1e-3
"""Discards up to here are none, as in the ATN study."""
SENDERS = ("none", "backoff", "error")
"""The strategies that the sender alone carries out."""


def no_less(factor: str, text: str, ones: BySeed, others: BySeed, form: str = "{:.3g}") -> Clause:
    """Whether the first values are not below the second, but for 3 %."""
    shown = " and ".join(form.format(mean(values.values())) for values in (ones, others))
    return all_above(factor, text, [(times(NO_LESS, ones), others)], shown)


def both(runs: Runs, name: str, one: Point, other: Point) -> tuple[BySeed, BySeed]:
    """A measure at two points, by seed."""
    return runs.by_seed(name, one), runs.by_seed(name, other)


@claim("atn.future.timer")
def _(runs: Runs) -> Evidence:
    parts = []
    for scenario, network in SCENARIOS.items():
        for strategy in ("none", "backoff"):
            measured, fixed = (Point(strategy, scenario, each) for each in (USUAL, FIXED))
            named = f"{network.name}, {STRATEGIES[strategy]}"
            again = both(runs, "retransmitted_share", fixed, measured)
            parts.append(above("variant", f"{named}: a fixed T1 sends more again", *again))
            power = both(runs, "power", measured, fixed)
            parts.append(no_less("variant", f"{named}: a measured T1 has no less power", *power))
    return clauses(runs, *parts)


@claim("atn.future.separate")
def _(runs: Runs) -> Evidence:
    parts = []
    for scenario, network in SCENARIOS.items():
        for timer, (told, _values) in TIMERS.items():
            best, *others = (
                runs.by_seed("power", Point(each, scenario, timer)) for each in ("avoidance", "none", "backoff")
            )
            shown = ", ".join(f"{mean(each.values()):.3g}" for each in (best, *others))
            text = f"{network.name}, T1 {told}: congestion avoidance has more power than none and backoff"
            parts.append(all_above("strategy", text, [(best, each) for each in others], shown))
    return clauses(runs, *parts)


@claim("atn.future.priority")
def _(runs: Runs) -> Evidence:
    parts = []
    for strategy in MARKED:
        named = STRATEGIES[strategy]
        one, own = (Point(strategy, "a", queue) for queue in QUEUES)
        delays = both(runs, "delay_mean_s.urgent", one, own)
        parts.append(above("variant", f"{named}: urgent packets are earlier by priority", *delays, "{:.2f} s"))
        served = both(runs, "accepted", own, one)
        parts.append(no_less("variant", f"{named}: no less is delivered", *served))
        loads = both(runs, LOAD, one, own)
        parts.append(no_less("variant", f"{named}: no more waits", *loads, "{:.0f} bits"))
        others = both(runs, "accepted_per_s.data", own, one)
        parts.append(no_less("variant", f"{named}: the others get no less", *others))
    return clauses(runs, *parts)


@claim("atn.future.mobility")
def _(runs: Runs) -> Evidence:
    parts = []
    kept = kept_power(runs, "avoidance")
    best = runs.by_seed("power", Point("avoidance", "a", MOVING))
    for strategy in SENDERS:
        other = runs.by_seed("power", Point(strategy, "a", MOVING))
        text = f"congestion avoidance has more power than {STRATEGIES[strategy]} on a path that changes"
        parts.append(above("strategy", text, best, other))
        text = f"and keeps more of its power than {STRATEGIES[strategy]}"
        parts.append(above("strategy", text, kept, kept_power(runs, strategy), "{:.0%}"))
    lost = runs.by_seed("discard_share", Point("avoidance", "a", MOVING))
    few = [(constant(NO_DISCARDS, lost), lost)]
    parts.append(all_above("", "congestion avoidance has no discards then", few, f"{mean(lost.values()):.2g}"))
    return clauses(runs, *parts)


def kept_power(runs: Runs, strategy: str) -> BySeed:
    """The part of its power that a strategy has on a path that changes."""
    moving, still = both(runs, "power", Point(strategy, "a", MOVING), Point(strategy, "a", USUAL))
    return {seed: moving[seed] / still[seed] for seed in moving.keys() & still.keys()}


@claim("atn.future.moving-timer")
def _(runs: Runs) -> Evidence:
    parts = []
    for strategy in TIMED:
        again = both(runs, "retransmitted_share", Point(strategy, "a", MOVING), Point(strategy, "a", USUAL))
        text = f"{STRATEGIES[strategy]}: more is sent again on a path that changes"
        parts.append(above("variant", text, *again))
    return clauses(runs, *parts)

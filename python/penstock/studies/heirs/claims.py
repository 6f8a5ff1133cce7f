"""The verdicts of the study of heirs.

A row holds if the means over seeds are what its check allows. It also says what should differ with another setting,
with fewer sources or under another scheme: these are orders, by intervals of differences paired by seed (`orders`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from penstock.studies.claims import Clause, Evidence, Samples
from penstock.studies.heirs.grid import (
    BACKWARD,
    BEFORE,
    BEHIND,
    BINARY,
    CHAINS,
    DELAYS,
    EQUILIBRIUM,
    EXPLICIT,
    FEEDBACK_US,
    LOADS_MBPS,
    MANY,
    MARKED,
    NAMES,
    NOTICE,
    NUMBERS,
    OTHER_EQUILIBRIUM,
    OTHER_GAIN,
    PAIRS,
    PLACES,
    RECOVERY,
    REST_POINT,
    RESTING,
    SOURCES,
    Point,
    chain,
    lan,
    load,
    marks,
    qcn,
    satellite,
    step,
)
from penstock.studies.heirs.measures import QUANTITIES, Runs
from penstock.studies.orders import BySeed, above, all_above, rising
from penstock.studies.predicates import Predicates, clauses
from penstock.studies.runs import mean
from penstock.verify.check import Exact

PREDICATES: Predicates[Runs] = Predicates()
claim = PREDICATES.claim

SEEN = {FEEDBACK_US[0]: 0.971, FEEDBACK_US[1]: 0.909}
"""The utilisation of ten sources of DCQCN by their round trip, in an independent packet model (row K2)."""
SEEN_WITHIN = 0.02


# -------------------------------------------------------------------------------------------------------------- rows
def lines_of(point: Point) -> list[Exact]:
    """The lines of the check behind a point."""
    return [line for line in (point.check.lines if point.check else ()) if isinstance(line, Exact)]


def met(runs: Runs, point: Point) -> list[Clause]:
    """Whether the means over seeds are what each line of a check allows."""
    found = []
    for line in lines_of(point):
        measured = runs.mean(QUANTITIES[line.quantity], point)
        told = point.check.setting if point.check else ""
        shown = f"{measured:.4g}, expected {line.truth[0]:.4g}"
        found.append(Clause(f"{told}: {line.quantity}", line.allows([measured]), shown))
    return found


def both(runs: Runs, name: str, one: Point, other: Point) -> tuple[BySeed, BySeed]:
    """A measure at two points, by seed."""
    return runs.by_seed(name, one), runs.by_seed(name, other)


def distance(values: BySeed, truth: float) -> BySeed:
    """How far values are from the truth, each by seed."""
    return {seed: abs(value - truth) for seed, value in values.items()}


def nearer(factor: str, text: str, name: str, truth: float, runs: Runs, own: Point, other: Point) -> Clause:
    """Whether a measure is nearer to the truth at its own point than at another."""
    ones, others = (distance(runs.by_seed(name, point), truth) for point in (own, other))
    return above(factor, text, others, ones)


@claim("heirs.q.notice")
def _(runs: Runs) -> Evidence:
    own, other = qcn(NOTICE), qcn(NOTICE, setting=OTHER_GAIN)
    null = nearer("setting", f"farther from whole 128ths with {OTHER_GAIN}", "off_whole", 0.0, runs, own, other)
    return clauses(runs, *met(runs, own), null)


@claim("heirs.q.recovery")
def _(runs: Runs) -> Evidence:
    found = {f"the {name}": runs.values(f"left.{name}", qcn(RECOVERY)) for name in ("least", "most")}
    return Samples(found, kind=runs.kind("left"))


@claim("heirs.q.equilibrium")
def _(runs: Runs) -> Evidence:
    parts = []
    for sources in (2, 10):
        own, other = qcn(EQUILIBRIUM, sources), qcn(EQUILIBRIUM, sources, OTHER_EQUILIBRIUM)
        text = f"{sources} sources: farther from 26 kB with {OTHER_EQUILIBRIUM}"
        parts += [*met(runs, own), nearer("setting", text, "queue_kb", 26.0, runs, own, other)]
    return clauses(runs, *parts)


@claim("heirs.k.fixed-point")
def _(runs: Runs) -> Evidence:
    few, many = (marks(sources) for sources in (MARKED[0], MARKED[-1]))
    queues = both(runs, "queue_kb", many, few)
    more = above("sources", "8 sources keep a longer queue than 2", *queues, "{:.1f} kB")
    return clauses(runs, *met(runs, few), *met(runs, many), more)


@claim("heirs.k.delay")
def _(runs: Runs) -> Evidence:
    near, far = (marks(MANY, feedback) for feedback in FEEDBACK_US)
    parts = []
    for point in (near, far):
        used, seen = runs.mean("utilisation", point), SEEN[point.delay]
        text = f"round trip of {point.delay} us: utilisation"
        parts.append(Clause(text, abs(used - seen) <= SEEN_WITHIN, f"{used:.3f}, expected {seen}"))
    uses, swings = both(runs, "utilisation", near, far), both(runs, "swing_kb", far, near)
    parts.append(above("delay", "less is used with the longer round trip", *uses, "{:.3f}"))
    parts.append(above("delay", "the queue swings more with it", *swings, "{:.1f} kB"))
    return clauses(runs, *parts)


@claim("heirs.r.law")
def _(runs: Runs) -> Evidence:
    less, more = map(step, LOADS_MBPS)
    rates = both(runs, "port_mbps", less, more)
    order = above("sources", "a higher rate after the lower load", *rates, "{:.3f} Mb/s")
    return clauses(runs, *met(runs, less), *met(runs, more), *met(runs, REST_POINT), order)


@claim("heirs.r.max-min")
def _(runs: Runs) -> Evidence:
    parts = []
    for trunks in CHAINS:
        own = chain("rcp", trunks)
        parts += met(runs, own)
        for other in BINARY:
            pair = both(runs, "long_mbps", own, chain(other, trunks))
            text = f"{trunks} lines: the long flow has more than under {NAMES[other]}"
            parts.append(above("scheme", text, *pair, "{:.1f} Mb/s"))
    return clauses(runs, *parts)


@claim("heirs.hp.rest")
def _(runs: Runs) -> Evidence:
    points = list(map(load, RESTING))
    used = [runs.by_seed("utilisation", point) for point in points]
    order = rising("sources", "more sources, a higher load", used, "{:.4f}")
    return clauses(runs, *(part for point in points for part in met(runs, point)), order)


# -------------------------------------------------------------------------------------------------------------- ours
@dataclass(frozen=True, slots=True)
class Wish:
    """What an heir should have less of, or `more`, and its form in a note."""

    measure: str
    form: str
    more: bool = False


START, QUEUE = Wish("start_s", "{:.3g} s"), Wish("queue_s", "{:.3g} s")
DATA, SHARES = Wish("throughput", "{:.3f}", more=True), Wish("fairness", "{:.3f}", more=True)
NOTICES = Wish("notice_share", "{:.2%}")


def beside(
    runs: Runs, wish: Wish, where: Callable[[str], Point], named: str, pairs: Sequence[tuple[str, str]] = PAIRS
) -> list[Clause]:
    """Whether each heir fulfils a wish beside its older scheme; `where` has the point of a scheme."""
    parts = []
    for heir, older in pairs:
        own, other = (runs.by_seed(wish.measure, where(scheme)) for scheme in (heir, older))
        high, low = (own, other) if wish.more else (other, own)
        shown = " and ".join(wish.form.format(mean(values.values())) for values in (own, other))
        text = f"{named}, {NAMES[heir]} beside {NAMES[older]}"
        parts.append(all_above("scheme", text, [(high, low)], shown))
    return parts


def over_lan(runs: Runs, wish: Wish) -> list[Clause]:
    """A wish over the shortest lines of the LAN and over the longest."""
    return [
        part
        for delay in (DELAYS[0], DELAYS[-1])
        for part in beside(runs, wish, partial(lan, delay=delay), f"{delay} cell times")
    ]


def over_satellite(runs: Runs, wish: Wish, numbers: Sequence[int]) -> list[Clause]:
    """A wish with some numbers of sources, before the satellite and behind it."""
    return [
        part
        for sources in numbers
        for place in PLACES
        for part in beside(runs, wish, partial(satellite, sources=sources, place=place), f"{sources} sources, {place}")
    ]


@claim("heirs.lan.start")
def _(runs: Runs) -> Evidence:
    return clauses(runs, *beside(runs, START, lan, "20 sources"))


@claim("heirs.lan.queue")
def _(runs: Runs) -> Evidence:
    return clauses(runs, *over_lan(runs, QUEUE))


@claim("heirs.lan.full")
def _(runs: Runs) -> Evidence:
    return clauses(runs, *over_lan(runs, DATA))


@claim("heirs.lan.fair")
def _(runs: Runs) -> Evidence:
    return clauses(runs, *beside(runs, SHARES, lan, "20 sources"))


@claim("heirs.lan.notices")
def _(runs: Runs) -> Evidence:
    told = {"fewer notices": NOTICES, "a shorter queue": QUEUE, "more data": DATA}
    parts = [part for named, wish in told.items() for part in beside(runs, wish, lan, named, PAIRS[:1])]
    return clauses(runs, *parts)


@claim("heirs.lan.many")
def _(runs: Runs) -> Evidence:
    parts = []
    for heir, older in PAIRS:
        own, other = (grown(runs, scheme) for scheme in (heir, older))
        text = f"{SOURCES[0]} to {SOURCES[-1]} sources, {NAMES[older]} beside {NAMES[heir]}: the queue grows more"
        parts.append(above("scheme", text, other, own, "{:.3g} s"))
    return clauses(runs, *parts)


def grown(runs: Runs, scheme: str) -> BySeed:
    """What the mean queue of a scheme on the LAN grows by from the fewest sources to the most."""
    few, many = (runs.by_seed(QUEUE.measure, lan(scheme, sources)) for sources in (SOURCES[0], SOURCES[-1]))
    return {seed: many[seed] - few[seed] for seed in many.keys() & few.keys()}


@claim("heirs.sat.start")
def _(runs: Runs) -> Evidence:
    return clauses(runs, *over_satellite(runs, START, NUMBERS[-1:]))


@claim("heirs.sat.full")
def _(runs: Runs) -> Evidence:
    return clauses(runs, *over_satellite(runs, DATA, NUMBERS))


@claim("heirs.sat.place")
def _(runs: Runs) -> Evidence:
    parts = []
    for scheme in BACKWARD:
        for sources in NUMBERS:
            behind, before = (satellite(scheme, sources, place) for place in (BEHIND, BEFORE))
            pair = both(runs, START.measure, behind, before)
            parts.append(above("place", f"{NAMES[scheme]}, {sources} sources", *pair, START.form))
    return clauses(runs, *parts)


@claim("heirs.sat.explicit")
def _(runs: Runs) -> Evidence:
    parts = []
    for sources in NUMBERS:
        for place in PLACES:
            values = {
                scheme: runs.by_seed(DATA.measure, satellite(scheme, sources, place)) for scheme in EXPLICIT + BINARY
            }
            for scheme in EXPLICIT:
                pairs = [(values[scheme], values[other]) for other in BINARY]
                shown = ", ".join(f"{mean(values[each].values()):.3f}" for each in (scheme, *BINARY))
                text = f"{sources} sources, {place}: {NAMES[scheme]} delivers more than EFCI and DCQCN"
                parts.append(all_above("scheme", text, pairs, shown))
    return clauses(runs, *parts)

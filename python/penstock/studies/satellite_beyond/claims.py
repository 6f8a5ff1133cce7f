"""The verdicts on the thesis' future work: one for each question.

Schemes are compared at the largest number of sources. Orders are judged by intervals of differences paired by seed
(`orders`): all cases and variants have the same traffic for a seed, except that more sources add more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from penstock.studies.claims import Clause, Evidence
from penstock.studies.orders import BySeed, above, all_above, is_above, paired_by_seed, times
from penstock.studies.predicates import Factor, Predicates, clauses, percent, percents
from penstock.studies.runs import mean
from penstock.studies.satellite.grid import CASES, MIXES
from penstock.studies.satellite_beyond.grid import LOADS, PARTS, STATIONS, VARIANTS, at, larger, stations
from penstock.studies.satellite_beyond.measures import OF_BOTH, Runs

PREDICATES: Predicates[Runs] = Predicates(
    case=Factor(("case",), uncontrolled=("1",)),
    variant=Factor(("variant",), uncontrolled=("thesis", *(f"fixed-{load}" for load in LOADS))),
)
claim = PREDICATES.claim

ORDERS: Mapping[int, Mapping[str, tuple[str, ...]]] = {
    1: {"loss": ("2", "3", "1"), "jitter": ("2", "3", "1")},
    2: {"data_loss": ("2", "3", "1"), "file_time_s": ("1", "3", "2")},
    3: {
        "loss": ("2", "3", "1"),
        "jitter": ("2", "3", "1"),
        "data_loss": ("2", "3", "1"),
        "file_time_s": ("1", "2", "3"),
    },
}
"""The orders of the cases that the thesis states for each scenario, the lowest value first."""
WORDS = {
    "loss": "loss",
    "jitter": "cells over the limit",
    "data_loss": "data loss",
    "file_time_s": "file time",
}
UNAFFECTED = 1.05
"""File times up to so many times the others are not affected."""
NO_LESS = 1.02
"""What is delivered is no less if it is not more than so many times less."""
OCCASIONALLY = 0.1
"""Part of the time that is still occasional."""
HALF = 0.6
"""Rates below this part of the nominal one count as half of it: the next tenth above the floor."""


# ------------------------------------------------------------------------------------------------------------ orders
def relation(ones: BySeed, others: BySeed) -> str:
    """How the first values compare with the second: `above`, `below`, `equal`, or `undecided`."""
    if is_above(paired_by_seed(ones, others)):
        return "above"
    if is_above(paired_by_seed(others, ones)):
        return "below"
    return "equal" if all(ones[seed] == others[seed] for seed in ones.keys() & others.keys()) else "undecided"


def shown_value(measure: str, value: float) -> str:
    """A measure for a note."""
    return f"{value:.1f} s" if measure.endswith("_s") else percent(value)


def same_orders(runs: Runs, variant: str, scenario: int, part: str = "") -> list[Clause]:
    """Whether neighbours in the orders of the thesis compare in a variant as they do in its own network."""
    found = []
    for measure, cases in ORDERS[scenario].items():
        kept, undecided, shown = True, False, []
        for better, worse in pairwise(cases):
            pairs = [
                [runs.by_seed(measure + own, at(scenario, case, name)) for case in (worse, better)]
                for name, own in (("thesis", ""), (variant, part))
            ]
            before, now = (relation(*pair) for pair in pairs)
            kept &= before == now != "undecided"
            undecided |= (before != now and "undecided" in (before, now)) or before == now == "undecided"
            values = [" and ".join(shown_value(measure, mean(each.values())) for each in pair) for pair in pairs]
            shown.append(f"case {worse} and {better}: {values[1]}, {now}; in the thesis' network {values[0]}, {before}")
        text = f"scenario {scenario}, {VARIANTS[variant]}: {WORDS[measure]} in the same order"
        found.append(Clause(text, kept, "; ".join(shown), "case", undecided and not kept))
    return found


def sizes(runs: Runs) -> list[Clause]:
    """The orders at true link sizes."""
    return [
        part
        for variant in ("true", "true-queues")
        for scenario in MIXES
        for part in same_orders(runs, variant, scenario)
    ]


@claim("sat.future.sizes")
def _(runs: Runs) -> Evidence:
    loads = [
        f"scenario {scenario} {runs.mean('nominal', at(scenario, '1', 'true')):.3f} "
        f"(scaled down {runs.mean('nominal', at(scenario, '1', 'thesis')):.3f})"
        for scenario in MIXES
    ]
    return clauses(runs, *sizes(runs), note=f"loads at nominal rates, of the link: {', '.join(loads)}")


@claim("sat.future.network")
def _(runs: Runs) -> Evidence:
    parts = [part for scenario in MIXES for part in same_orders(runs, "two-links", scenario, ".through")]
    for scenario, measures in ORDERS.items():
        for measure in measures:
            if measure.endswith("_s"):
                continue
            one = runs.by_seed(measure, at(scenario, "2", "thesis"))
            two = runs.by_seed(f"{measure}.through", at(scenario, "2", "two-links"))
            text = f"scenario {scenario}, case 2: {WORDS[measure]} no more than over one link"
            found = relation(two, one)
            parts.append(Clause(text, found in ("equal", "below"), percents(two, one), "variant", found == "undecided"))
    return clauses(runs, *parts, note=shares(runs))


def shares(runs: Runs) -> str:
    """What a data source of each part gets in case 2, with voice and video."""
    point = at(3, "2", "two-links")
    rates = [f"{part} {runs.mean(f'data_bps.{part}', point) / 1e3:.0f}" for part in PARTS]
    used = [percent(runs.mean(f"utilisation.{name}", point)) for name in ("satellite", "satellite_second")]
    return (
        f"scenario 3 case 2: a data source gets {', '.join(rates)} kb/s by its part of the traffic; "
        f"the links are used {' and '.join(used)}"
    )


# ------------------------------------------------------------------------------------------------------------- files
def file_times(runs: Runs, scenario: int, case: str, variant: str) -> BySeed:
    """The mean time of all files over the larger N."""
    return runs.seed_means("file_time_s", larger(scenario, case, variant))


def files(runs: Runs) -> list[Clause]:
    """Retransmission against none, cell by cell and frame by frame."""
    parts = []
    for scenario in (2, 3):
        for variant in ("cells", "frames"):
            named = f"scenario {scenario}, {VARIANTS[variant]}"
            plain, again = (file_times(runs, scenario, "2", each) for each in ("thesis", variant))
            shown = f"{mean(again.values()):.1f} s, without {mean(plain.values()):.1f} s"
            pairs = [(times(UNAFFECTED, plain), again)]
            parts.append(all_above("variant", f"{named}: case 2 not affected", pairs, shown))
            few = runs.seed_means("repeats", larger(scenario, "2", variant))
            for case in ("1", "3"):
                plain, again = (file_times(runs, scenario, case, each) for each in ("thesis", variant))
                parts.append(above("variant", f"{named}: case {case} takes longer", again, plain, "{:.1f} s"))
                many = runs.seed_means("repeats", larger(scenario, case, variant))
                text = f"{named}: more cells sent again in case {case} than in case 2"
                parts.append(all_above("case", text, [(many, few)], percents(many, few)))
    return parts


@claim("sat.future.files")
def _(runs: Runs) -> Evidence:
    return clauses(runs, *files(runs))


@claim("sat.future")
def _(runs: Runs) -> Evidence:
    return clauses(runs, *sizes(runs), *files(runs))


# ---------------------------------------------------------------------------------------------------------- capacity
def capacity(runs: Runs, scenario: int, case: str) -> list[Clause]:
    """A shared capacity against links of 6 Mb/s, with unequal and with equal load."""
    named = f"scenario {scenario}, case {case}"
    fixed, dynamic = (stations(scenario, case, each, "unequal") for each in ("fixed", "dynamic"))
    before, now = (runs.by_seed("delivered", point) for point in (fixed, dynamic))
    parts = [all_above("variant", f"{named}, unequal load: more is delivered", [(now, before)], percents(now, before))]
    lossy = "loss.east" if scenario != 2 else "data_loss.east"
    before, now = (runs.by_seed(lossy, point) for point in (fixed, dynamic))
    if case == "1":
        parts.append(
            all_above(
                "variant", f"{named}, unequal load: the busy station loses less", [(before, now)], percents(now, before)
            )
        )
    before, now = (runs.by_seed("delivered", stations(scenario, case, each, "equal")) for each in ("fixed", "dynamic"))
    pair = (times(NO_LESS, now), before)
    parts.append(all_above("variant", f"{named}, equal load: no less is delivered", [pair], percents(now, before)))
    return parts


@claim("sat.future.capacity")
def _(runs: Runs) -> Evidence:
    parts = [part for scenario in MIXES for case in CASES for part in capacity(runs, scenario, case)]
    return clauses(runs, *parts, note=costs(runs))


def costs(runs: Runs) -> str:
    """The shares with unequal load in case 2, and what they mean for the files of each station."""
    fixed, dynamic = (stations(3, "2", capacity, "unequal") for capacity in ("fixed", "dynamic"))
    rates = [f"{runs.mean(f'rate_bps.{name}', dynamic) / 1e6:.2f}" for name in OF_BOTH]
    times_s = [
        " to ".join(f"{runs.mean(f'file_time_s.{station}', point):.0f}" for point in (fixed, dynamic))
        for station in STATIONS
    ]
    return (
        f"scenario 3 case 2, unequal load: the stations have {' and '.join(rates)} Mb/s in the mean; "
        f"their file times go from {' and from '.join(times_s)} s"
    )


# ----------------------------------------------------------------------------------------------------------- quality
def occasional(runs: Runs, scenario: int, kind: str, variant: str) -> Clause:
    """Whether sessions of a kind are at half rate for a small part of their time."""
    name = f"below.{HALF:g}.{kind}"
    point = at(scenario, "2", variant)
    found, without = (runs.by_seed(name, each) for each in (point, at(scenario, "1", variant)))
    mostly = runs.mean(f"mostly.{HALF:g}.{kind}", point)
    shown = (
        f"{percent(mean(found.values()))} of the time, without notices {percent(mean(without.values()))}; "
        f"{percent(mostly)} of the sessions for more than half of theirs"
    )
    limit = dict.fromkeys(found, OCCASIONALLY)
    return all_above("", f"scenario {scenario}, {kind}, {sessions(variant)}", [(limit, found)], shown)


def sessions(variant: str) -> str:
    """The sessions of a variant."""
    return VARIANTS["long"] if variant == "long" else "sessions of 15 s"


@claim("sat.future.quality")
def _(runs: Runs) -> Evidence:
    names: Sequence[str] = ("thesis", "long")
    parts = [
        occasional(runs, scenario, kind, name) for scenario in (1, 3) for kind in ("video", "voice") for name in names
    ]
    return clauses(runs, *parts)

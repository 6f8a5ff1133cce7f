"""Verdicts on file times and data throughput, and on which traffic is slowed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from penstock.studies.claims import Clause, Clauses, Evidence, Samples
from penstock.studies.orders import above, all_above, any_above, constant, rising, times
from penstock.studies.predicates import clauses, percent
from penstock.studies.runs import mean
from penstock.studies.satellite.grid import CASES, MIXES, Point, case_points, largest
from penstock.studies.satellite.runs import Runs
from penstock.studies.satellite.verdicts import PREDICATES, at_largest, claim, larger, samples

__all__ = ["PREDICATES"]

SLOWED = 1.5
"""Data are slowed considerably more than voice and video if so many times as much."""


def transfers(runs: Runs, scenario: int, case: str, *beside: Clause) -> Samples:
    """The file time at the largest N, and the rest of the sentence; its value with unfinished transfers in the note."""
    under_way = runs.mean("transfer.all", largest(scenario, case))
    note = f"finished files only; with those under way {under_way:.1f} s"
    return at_largest(runs, "transfer", scenario, case, note, beside)


def rises(runs: Runs, scenario: int, case: str) -> Clause:
    """Whether the file time rises with N."""
    return rising(
        "n", "it rises with N", [runs.by_seed("transfer", point) for point in case_points(scenario, case)], "{:.1f}"
    )


@claim("sat.s2c1.transfer")
def _(runs: Runs) -> Evidence:
    return samples(runs, "transfer", case_points(2, "1"), "each N judged")


@claim("sat.s2c2.transfer")
def _(runs: Runs) -> Evidence:
    return transfers(runs, 2, "2", rises(runs, 2, "2"))


@claim("sat.s2c3.transfer")
def _(runs: Runs) -> Evidence:
    two, three = (runs.by_seed("transfer", largest(2, case)) for case in ("2", "3"))
    return transfers(runs, 2, "3", above("case", "case 2 takes longer", two, three, "{:.1f} s"))


@claim("sat.s3c1.transfer")
def _(runs: Runs) -> Evidence:
    return samples(runs, "transfer", case_points(3, "1"), "each N judged")


@claim("sat.s3c2.transfer")
def _(runs: Runs) -> Evidence:
    return transfers(runs, 3, "2", rises(runs, 3, "2"))


@claim("sat.s3c3.transfer")
def _(runs: Runs) -> Evidence:
    return transfers(runs, 3, "3", rises(runs, 3, "3"))


def transfer_order(runs: Runs, scenario: int, cases: Sequence[str]) -> Clauses:
    """Neighbours in an order of file times, over the larger N."""
    spent = {case: runs.seed_means("transfer", larger(scenario, case)) for case in cases}
    parts = [
        above("case", f"case {longer} takes longer than case {shorter}", spent[longer], spent[shorter], "{:.1f} s")
        for shorter, longer in pairwise(cases)
    ]
    return clauses(runs, *parts, note="means of the finished files over the larger N")


@claim("sat.s2.transfer-order")
def _(runs: Runs) -> Evidence:
    return transfer_order(runs, 2, ("1", "3", "2"))


@claim("sat.s3.transfer-order")
def _(runs: Runs) -> Evidence:
    return transfer_order(runs, 3, ("1", "2", "3"))


@claim("sat.s2.throughput")
def _(runs: Runs) -> Evidence:
    parts = []
    for name in ("throughput", "load"):
        two, three = (runs.seed_means(name, larger(2, case)) for case in ("2", "3"))
        shown = f"{100 * (mean(three.values()) / mean(two.values()) - 1):.1f} %"
        parts.append(
            all_above("case", f"{name} of case 3 more than 10 % above case 2", [(three, times(1.1, two))], shown)
        )
    base = runs.average("throughput", larger(2, "1"))
    return clauses(runs, *parts, note=f"means over the larger N; the throughput of case 1 is {base:.3f}")


@claim("sat.s3c2.throughput")
def _(runs: Runs) -> Evidence:
    values = runs.mean_over("throughput", larger(3, "2"))
    return Samples({f"N = {MIXES[3].larger[0]} to {MIXES[3].larger[-1]}": values}, "the mean over the larger N")


@claim("sat.s3.throughput")
def _(runs: Runs) -> Evidence:
    at_high = {case: runs.seed_means("throughput", larger(3, case)) for case in CASES}
    parts = [
        above("case", f"case 2 above case {case} at the larger N", at_high["2"], at_high[case]) for case in ("1", "3")
    ]
    for case in ("1", "3"):
        curve = {point.n: runs.by_seed("throughput", point) for point in case_points(3, case)}
        fewer = [n for n in curve if n < MIXES[3].larger[0]]
        last = MIXES[3].sizes[-1]
        before = {f"N = {n}": (curve[n], curve[last]) for n in fewer}
        parts.append(any_above("n", f"case {case} deteriorates: at some smaller N it is above N = {last}", before))
        at_low = {f"N = {n}": (curve[n], runs.by_seed("throughput", Point(3, "2", n))) for n in fewer}
        parts.append(any_above("case", f"case {case} above case 2 at some smaller N", at_low))
    return clauses(runs, *parts)


@claim("sat.s3.slowdown")
def _(runs: Runs) -> Evidence:
    def slowed(case: str, name: str) -> dict[int, float]:
        ours, base = (runs.seed_means(name, larger(3, each)) for each in (case, "1"))
        return {seed: 1 - ours[seed] / base[seed] for seed in sorted(ours.keys() & base.keys())}

    data, real_time = ({case: slowed(case, f"load.{kind}") for case in ("2", "3")} for kind in ("data", "real_time"))
    parts = [
        all_above(
            "case",
            f"case {case}: data slowed {SLOWED} times as much as voice and video",
            [(data[case], times(SLOWED, real_time[case])), (data[case], constant(0.0, data[case]))],
            " and ".join(percent(mean(slow[case].values())) for slow in (data, real_time)),
        )
        for case in ("2", "3")
    ]
    text = "voice and video slowed more in case 2 than in case 3"
    shown = " and ".join(percent(mean(slow.values())) for slow in real_time.values())
    parts.append(all_above("case", text, [(real_time["2"], real_time["3"])], shown))
    return clauses(runs, *parts, note="load sent against case 1 on the same traffic, means over the larger N")

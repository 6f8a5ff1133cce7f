"""The claims of the ABR paper: one predicate for each, none of them tuned to the result.

Words of the paper that need a number have it here, set before the runs.
"""

from __future__ import annotations

from dataclasses import replace

from penstock.analyse.metric import POSITIVE
from penstock.core.counts import counted
from penstock.studies.abr import grid
from penstock.studies.abr.grid import CDFS, CRM_32, CRM_FULL, EARLY, LATE, LINES, NRM, PRINTED, Point, watched
from penstock.studies.abr.measures import LOW, MEGA, Runs, least_without_cut, named, trace_of, window
from penstock.studies.claims import Clause, Evidence, Samples
from penstock.studies.predicates import Predicates, clauses, percent, samples
from penstock.studies.runs import mean
from penstock.truth import abr

PREDICATES: Predicates[Runs] = Predicates()
claim = PREDICATES.claim

EXACT = 1e-9
"""Relative distance within which a floating-point rate equals its closed form."""
FAR_FROM_FULL = 0.5
"""Share of the granted rate below which a throughput is far from full."""
FAST = 0.1
"""The longest mean time from one swing to the next of a fast oscillation, as a share of the round trip."""
ALIKE = 0.1
"""Relative distance within which results do not vary significantly."""
SAME = 0.01
"""Relative distance within which a run after a pause equals one from the start."""
EFFECT = 0.825


def megabits(rate: float) -> str:
    """A rate for a note."""
    return f"{rate / MEGA:.4g} Mb/s"


def milliseconds(time: float) -> str:
    """A time for a note."""
    return f"{1e3 * time:.6g} ms"


def is_near(value: float, expected: float, distance: float) -> bool:
    """Whether a value lies within a relative distance."""
    return abs(value - expected) <= distance * abs(expected)


# ------------------------------------------------------------------------------------------------- rule 6 at start-up
@claim("abr.icr")
def _(runs: Runs) -> Evidence:
    (first_cut,) = grid.exposure_points([CRM_32 * NRM])
    sent, cuts = runs.mean("cells_sent", first_cut), runs.mean("cuts", first_cut)
    wanted = abr.cells_before_cut(CRM_32) + 1
    return Samples(
        {"Crm = 32": runs.values("acr.start", watched(CRM_32))},
        "0.9 x 155.52 Mb/s is 139.968, as the scenario sets it",
        [
            Clause(
                "the first reduced cell is the RM cell after 1024 cells",
                (sent, cuts) == (wanted, 1),
                f"{cuts:.0f} cut when {sent:.0f} have been sent",
            )
        ],
        by_construction=True,
        kind=POSITIVE,
    )


@claim("abr.decay")
def _(runs: Runs) -> Evidence:
    parts = []
    for cdf in CDFS:
        points = [Point("start", cdf=cdf), Point(cdf=cdf)]
        worst = max(runs.mean("decay.error", point) for point in points)
        seen = sum(runs.mean("decay.seen", point) for point in points)
        parts.append(
            Clause(
                f"CDF = {named(cdf)}: every reading before the first feedback equals the closed form",
                worst <= EXACT and seen > CRM_32,
                f"{seen:.0f} numbers of RM cells, farthest by {worst:.1g} of the rate",
            )
        )
    return clauses(runs, *parts, note="k = 0 is the cut at RM cell Crm + 1, when Crm are unanswered")


@claim("abr.first-feedback")
def _(runs: Runs) -> Evidence:
    parts = []
    crms = [crm for crm in (CRM_32, CRM_FULL) if watched(crm) in runs.measures] or [CRM_32]
    for crm in crms:
        before, after = grid.feedback_points(crm)
        expected = grid.first_feedback(after.connection)
        parts.append(
            Clause(
                f"Crm = {crm}: none a microsecond before the closed form's {milliseconds(expected)}, one a microsecond "
                "after",
                runs.mean("answered", before) < runs.mean("answered", after),
            )
        )
    effect = runs.mean("effect", watched(CRM_32))
    parts.append(
        Clause(
            "its effect is at the destination at 825 ms",
            is_near(effect, EFFECT, 0.005),
            f"{milliseconds(effect)} with Crm = 32",
        )
    )
    points = {f"Crm = {crm}": runs.values("feedback", watched(crm)) for crm in crms}
    note = (
        "read every 0.2 ms, with Crm = 6144 every ms; two ways of 275.018 ms, and the wait among the far "
        "end's own cells"
    )
    return Samples(points, note, parts, kind=runs.kind("feedback"))


# ----------------------------------------------------------------------------------------------------- figures 4 and 5
def beside_turns(runs: Runs, name: str) -> str:
    """A throughput with other ways to return RM cells, and without RM cells, as far as there are runs."""
    data = f"without RM cells {megabits(runs.mean(f'{name}.data', watched(CRM_32)))}"
    others = {"queue": "RM cells queued at the destination", "idle": "nothing to send on the way back"}
    points = {told: Point(turn=turn) for turn, told in others.items()}
    told = [f"{each} {megabits(runs.mean(name, point))}" for each, point in points.items() if point in runs.measures]
    return "; ".join([data, *told])


@claim("abr.crm32.early")
def _(runs: Runs) -> Evidence:
    point = watched(CRM_32)
    way, (first, last) = point.connection.one_way, EARLY
    sent = point.connection.sent_without_feedback(last - way) - point.connection.sent_without_feedback(first - way)
    closed = (sent + (first < way)) * abr.CELL_BITS / (last - first)
    note = (
        f"the paper's own formula gives {megabits(closed)}, so 32 is likely a misprint of 3.2; "
        f"{beside_turns(runs, 'early')}"
    )
    return samples(runs, "early", {"Crm = 32": point}, note)


@claim("abr.crm32.late")
def _(runs: Runs) -> Evidence:
    point = watched(CRM_32)
    low, high = (runs.mean(f"acr.{end}", point) for end in ("low", "high"))
    found = samples(runs, "late", {"Crm = 32": point})
    return replace(
        found,
        note=f"cells of every kind, RM cells overwritten while they wait; {beside_turns(runs, 'late')}",
        beside=[
            Clause(
                "ACR oscillates between very low rates and 140 Mb/s",
                low < LOW * point.granted and is_near(high, point.granted, EXACT),
                f"{megabits(low)} to {megabits(high)}",
            )
        ],
    )


@claim("abr.crm6144")
def _(runs: Runs) -> Evidence:
    point = watched(CRM_FULL)
    rates = trace_of(runs, point, "acr")[1]
    cuts = runs.mean("cuts", point)
    data = " and ".join(megabits(runs.mean(f"{name}.data", point)) for name in ("early", "late"))
    return Samples(
        {
            "ACR": [mean(trace_of(runs, point, "acr")[1])],
            "275 to 825 ms": runs.values("early", point),
            "825 to 1200 ms": runs.values("late", point),
        },
        f"cells of every kind; without RM cells {data}",
        [
            Clause("ACR never changes", min(rates) == max(rates), f"{megabits(min(rates))} to {megabits(max(rates))}"),
            Clause("no cut", cuts == 0, f"{cuts:.0f}"),
        ],
        kind=POSITIVE,
    )


@claim("abr.oscillation")
def _(runs: Runs) -> Evidence:
    point = watched(CRM_32)
    count, low = runs.mean("swings", point), runs.mean("acr.low", point)
    trip = grid.first_feedback(point.connection)
    swing = (LATE[1] - trip) / count if count else LATE[1]
    granted = [
        rate
        for port in grid.PORTS
        for rate in window(trace_of(runs, point, "fair_share", port), (EARLY[0], LATE[1]))[1]
    ]
    return clauses(
        runs,
        Clause(f"ACR falls below {percent(LOW)} of the granted rate", low < LOW * point.granted, megabits(low)),
        Clause(
            f"it swings from there to 140 Mb/s and back in less than {percent(FAST)} of the round trip, on average",
            swing < FAST * trip,
            f"{milliseconds(swing)}: {count:.0f} times until 1200 ms",
        ),
        Clause(
            "the grant of the switches stays at 140 Mb/s",
            all(is_near(rate, point.granted, EXACT) for rate in granted),
            f"{megabits(min(granted))} to {megabits(max(granted))}",
        ),
    )


# -------------------------------------------------------------------------------------------------- what Crm must be
@claim("abr.crm-bound")
def _(runs: Runs) -> Evidence:
    parts = []
    for line, hops in grid.bound_networks():
        points = grid.bound_points(line, hops)
        connection = replace(points[0].connection, crm=None)
        exact = abr.crm_of_bound(connection.initial, grid.first_feedback(connection))
        least = least_without_cut(runs, points)
        told = f"{hops} x {line} Mb/s"
        parts.append(
            Clause(
                f"{told}: the least Crm without a cut is round trip x ICR / 32, rounded up",
                least is not None and abs(least - exact) < 1 and least == grid.least_crm(line, hops),
                f"{least}, for {exact:.2f}",
                "crm",
            )
        )
        if not grid.is_printed(line, hops):
            continue
        printed = PRINTED[line] * hops
        (point,) = [point for point in points if point.crm == printed]
        parts.append(Clause(f"{told}: the printed {printed} is enough", runs.mean("cuts", point) == 0, factor="crm"))
    printed, whole = PRINTED[155], abr.crm_of_bound(LINES[155], Point().connection.round_trip)
    parts.append(
        Clause(
            "6144 is round trip x line rate / 32, as printed",
            is_near(printed, whole, 0.005),
            f"that is {whole:.1f}, or 6273 with the paper's 550 ms x 365 cells/ms; 6144 = 3 x 2^11 is enough up to "
            f"{megabits(abr.rate_of_bound(printed, Point().connection.round_trip))}",
        )
    )
    note = "the round trip until the first feedback, with the cell's time on each line and its wait at the far end"
    return clauses(runs, *parts, note=note)


@claim("abr.crm256")
def _(runs: Runs) -> Evidence:
    point = Point(crm=256)
    early, late = runs.mean("early", point), runs.mean("late", point)
    (first_cut,) = grid.exposure_points([256 * NRM])
    sent, cuts = runs.mean("cells_sent", first_cut), runs.mean("cuts", first_cut)
    return clauses(
        runs,
        Clause("the first cut follows 8192 cells", (sent, cuts) == (256 * NRM + 1, 1), f"at cell {sent:.0f}"),
        Clause(
            "275 to 825 ms: below half of the granted rate",
            early < FAR_FROM_FULL * point.granted,
            f"{megabits(early)}, {percent(early / point.granted)}",
        ),
        note=f"after the first feedback it reaches {megabits(late)}",
    )


@claim("abr.tbe-bits")
def _(runs: Runs) -> Evidence:
    (point,) = grid.exposure_points([abr.MOST_TBE])
    sent, cuts = runs.mean("cells_sent", point), runs.mean("cuts", point)
    shown = (sent - 1) / NRM - (cuts - 1)
    return Samples(
        {"TBE = 2^24 - 1": [shown]},
        f"the first cut is at cell {sent:,.0f}; 2^19 itself needs a twentieth bit unless the field has Crm - 1",
        [Clause("2^24 / 32 is 2^19", abr.crm(abr.MOST_TBE, NRM) == 2**19, by_construction=True)],
        by_construction=True,
        kind=POSITIVE,
    )


# ------------------------------------------------------------------------------------------------- other circumstances
@claim("abr.trigger")
def _(runs: Runs) -> Evidence:
    slow = {point.amount: runs.mean("cuts", point) for point in grid.ratio_points()}
    congested = {runs.mean("ratio", point): runs.mean("cuts", point) for point in grid.video_points()}
    parts = []
    for told, found, factor in (("slow way back", slow, "amount"), ("video on the way back", congested, "")):
        few = {ratio: cuts for ratio, cuts in found.items() if ratio < CRM_32}
        many = {ratio: cuts for ratio, cuts in found.items() if ratio >= CRM_32}
        parts += [
            Clause(
                f"{told}: no cut while fewer than Crm = 32 are sent for each that returns",
                bool(few) and not any(few.values()),
                shown(few),
                factor,
            ),
            Clause(f"{told}: cuts if 32 or more are sent", bool(many) and all(many.values()), shown(many), factor),
        ]
    note = "no satellite; evenly spaced at exactly 32 to one, a backward RM cell arrives before the 33rd forward one"
    return clauses(runs, *parts, note=note)


def shown(cuts: dict[float, float]) -> str:
    """Cuts by ratio for a note."""
    return ", ".join(f"{count:.0f} at {ratio:.1f}" for ratio, count in sorted(cuts.items()))


@claim("abr.idle")
def _(runs: Runs) -> Evidence:
    again, short, long = grid.pause_points().values()
    start = Point(crm=again.crm)
    parts = []
    for name, told in (("early", "275 to 825 ms"), ("late", "825 to 1200 ms")):
        first, second = runs.mean(name, start), runs.mean(name, again)
        parts.append(
            Clause(
                f"{told} after a pause of {again.amount:g} s the throughput is that after the start",
                is_near(second, first, SAME),
                f"{megabits(second)} and {megabits(first)}",
            )
        )
    first, second = runs.mean("cuts", start), runs.mean("cuts", again) - runs.mean("cuts", start)
    parts.append(Clause("rule 6 acts again", second > 0, f"{second:.0f} times, {first:.0f} from the start"))
    initial = long.icr * long.rate
    rates = [runs.mean("acr.resumed", point) for point in (long, short)]
    parts.append(
        Clause(
            "a pause longer than ADTF sets ACR to ICR, a shorter one does not (rule 5)",
            is_near(rates[0], initial, EXACT) and is_near(rates[1], short.granted, EXACT),
            f"{megabits(rates[0])} after {long.amount:g} s, {megabits(rates[1])} after {short.amount:g} s, ICR "
            f"{megabits(initial)}",
        )
    )
    return clauses(runs, *parts, note=f"Crm = {again.crm}, both ends pause")


@claim("abr.several")
def _(runs: Runs) -> Evidence:
    parts = []
    for point in grid.several_points():
        number, early, cuts = round(point.amount), runs.mean("early", point), runs.mean("cuts.least", point)
        told = counted(number, "connection")
        parts += [
            Clause(f"{told}: rule 6 cuts each before the first feedback", cuts > 0, f"each {cuts:.0f} times or more"),
            Clause(
                f"{told}: 275 to 825 ms: below half of the granted rate",
                early < FAR_FROM_FULL * point.granted,
                f"{megabits(early)}, then {megabits(runs.mean('late', point))}",
            ),
        ]
    return clauses(runs, *parts, note="Crm = 32; cells of every kind on the satellite line")


@claim("abr.interval")
def _(runs: Runs) -> Evidence:
    parts, beside = [], []
    for crm in grid.INTERVAL_CRMS:
        small, *larger = (runs.mean("whole", point) for point in grid.interval_points(crm))
        shown = ", ".join(megabits(value) for value in (small, *larger))
        is_less = larger[-1] < (1 - SAME) * small
        text = f"Crm = {crm}: the largest interval has less throughput, by more than {percent(SAME)}"
        parts.append(Clause(text, is_less, shown, "amount"))
        beside.append(Clause(f"Crm = {crm}: no larger interval has more", max(larger) <= small))
    lengths = ", ".join(milliseconds(length) for length in grid.INTERVALS)
    note = f"275 to 1200 ms; intervals of {lengths}, the first the paper's"
    return clauses(runs, *parts, note=note, beside=beside)


@claim("abr.cdf")
def _(runs: Runs) -> Evidence:
    parts = []
    for name, told in (("early", "275 to 825 ms"), ("late", "825 to 1200 ms")):
        found = {cdf: runs.mean(name, Point(cdf=cdf)) for cdf in CDFS if cdf > 0}
        usual = found[grid.CDF]
        parts.append(
            Clause(
                f"{told}: CDF from 1/64 to 1 gives the throughput of 1/16, within {percent(ALIKE)}",
                all(is_near(value, usual, ALIKE) for value in found.values()),
                ", ".join(f"{named(cdf)}: {megabits(value)}" for cdf, value in found.items()),
            )
        )
    note = f"CDF = 0 never cuts: {megabits(runs.mean('early', Point(cdf=0.0)))} from the start; CDF = 1 leaves only "
    note += "out-of-rate RM cells: " + "; ".join(
        f"{told} the first feedback is read at {milliseconds(runs.mean('feedback', point))}, and "
        f"{megabits(runs.mean('late', point))} arrive from 825 to 1200 ms"
        for told, point in (
            ("with a clock for each direction", Point(cdf=1.0)),
            ("with one for both", grid.one_clock()),
        )
        if point in runs.measures
    )
    return clauses(runs, *parts, note=note)

"""The claims of the ATN paper: one predicate for each, none of them tuned to the result.

If a pair of strategies differs in the paper's table, it must differ in ours, in the same direction. A printed tie has
no order, so it is ignored, and a column with ties only is no part of a claim. Differences are paired by seed: all
strategies have the same connections and packets. With one table, only that is judged.

Words of the notes of section 5 that need a number have it here, set before the exercises were run. "More", or "so many
times as much", needs the whole 95 % interval of the differences paired by seed; a tie does not count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from penstock.analyse.metric import POSITIVE
from penstock.studies.atn.grid import (
    CE_THRESHOLDS,
    DECREASES,
    EXERCISES,
    INITIALS,
    RECEIVER,
    RUSH_S,
    RUSHES,
    SCENARIOS,
    STRATEGIES,
    Point,
    against_load,
)
from penstock.studies.atn.measures import (
    HIGH,
    LOAD,
    LOAD_COUNTED,
    Increase,
    Runs,
    emptied,
    increase,
    rate,
    risen,
    spread,
    windows_of,
)
from penstock.studies.atn.printed import (
    ALIKE,
    COLUMNS,
    TABLES,
    TIE,
    Printed,
    all_apart,
    by_little,
    is_fitted,
    no_less,
    printed_apart,
    side,
    tables_of,
)
from penstock.studies.claims import Clause, Clauses, Evidence, Samples, load_claims
from penstock.studies.orders import BySeed, all_above, constant, exceeds, rising, times
from penstock.studies.predicates import Factor, Predicates, clauses, listed, percent, samples
from penstock.studies.runs import MissingRunError, mean

PREDICATES: Predicates[Runs] = Predicates(strategy=Factor(("strategy",), uncontrolled=("none",)))
claim = PREDICATES.claim

Strategies = Mapping[str, Mapping[int, float]]
"""A measure of each strategy, by seed."""
TOLERANCES = {each.id: each.tolerance or 0.0 for each in load_claims("penstock.studies.atn")}
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
NO_GREAT = 0.2
"""A difference that is not great is at most this part of the larger; the paper's own are 14 to 15 %."""
SMALL = 0.5
"""It is also at most this part of the difference between each and none."""
SMALL_BITS = 27_000
"""A very small CE threshold: two packets."""


# --------------------------------------------------------------------------------------------------------------- order
def of_each(runs: Runs, table: Printed, measure: str) -> dict[str, dict[int, float]]:
    """A measure of every strategy of a table, by seed."""
    return {name: runs.by_seed(measure, Point(name, table.scenario)) for name in STRATEGIES}


def in_words(measure: str, own: Mapping[str, Mapping[int, float]]) -> str:
    """The means of strategies for a note."""
    means = {STRATEGIES[name]: mean(values.values()) for name, values in own.items()}
    return listed(means, COLUMNS[measure].form)


def order(runs: Runs, table: Printed, measure: str, printed: Mapping[tuple[str, str], int]) -> Clause:
    """Whether the pairs that differ in a printed table differ in the same direction in ours."""
    own = of_each(runs, table, measure)
    wrong = []
    for (one, other), wanted in printed.items():
        found = side(measure, own[one], own[other])
        if found != wanted:
            wrong.append(f"{STRATEGIES[one]} {'against' if found else 'tied with'} {STRATEGIES[other]}")
    text = f"table {table.number}: order by {COLUMNS[measure].label}, {len(printed)} pairs differ as printed"
    told = (f"{len(printed) - len(wrong)} the same", ", ".join(wrong), in_words(measure, own))
    pairs = [(own[one], own[other], wanted) for (one, other), wanted in printed.items()]
    return all_apart("strategy", text, measure, pairs, ". ".join(filter(None, told)))


def orders(runs: Runs, measures: Sequence[str], *notes: str) -> Clauses:
    """The order by several columns, in each table."""
    parts, untold = [], []
    for table in tables_of(runs):
        for measure in measures:
            if printed := printed_apart(table, measure):
                parts.append(order(runs, table, measure, printed))
            else:
                untold.append(f"table {table.number} prints all as ties by {COLUMNS[measure].label}")
    return clauses(runs, *parts, note="; ".join([*untold, *notes]))


@claim("atn.delay")
def _(runs: Runs) -> Evidence:
    misprints = [
        f"table {table.number} prints a power of {printed} for {STRATEGIES[name]}; throughput over delay is {true:.4f}"
        for table in tables_of(runs)
        for name, (printed, true) in table.misprints.items()
    ]
    return orders(runs, ("delay_mean_s", "power", "discard_share", LOAD), *misprints)


@claim("atn.alike")
def _(runs: Runs) -> Evidence:
    table, parts = TABLES[ALIKE], []
    for measure in ("delay_mean_s", "power", LOAD):
        own = of_each(runs, table, measure)
        none, avoidance, withdrawing = (own[name] for name in ("none", *RECEIVER))
        apart = {seed: abs(value) / SMALL for seed, value in difference(avoidance, withdrawing).items()}
        gains = [difference(none, each) for each in (avoidance, withdrawing)]
        if measure == "power":
            gains = [times(-1.0, gain) for gain in gains]
        pairs = [(gain, apart) for gain in gains]
        for one, other in ((avoidance, withdrawing), (withdrawing, avoidance)):
            pairs.append((one, times(1 - NO_GREAT, other)))
        text = f"{COLUMNS[measure].label}: they differ by at most {percent(NO_GREAT)}, and by half of what each gains"
        parts.append(all_above("strategy", text, pairs, in_words(measure, own)))
    low, high = sorted(table.value(name, "delay_mean_s") for name in RECEIVER)
    return clauses(runs, *parts, note=f"the printed delays of the two differ by {percent(1 - low / high)}")


def apart_from_all(text: str, measure: str, own: Strategies, chosen: str, wanted: int, shown: str) -> Clause:
    """Whether a chosen strategy is on one side of every other."""
    pairs = [(own[chosen], own[name], wanted) for name in own if name != chosen]
    return all_apart("strategy", text, measure, pairs, shown)


@claim("atn.throughput-order")
def _(runs: Runs) -> Evidence:
    parts, beside = [], []
    for table in tables_of(runs):
        own = of_each(runs, table, "accepted_per_s")
        shown = in_words("accepted_per_s", own)
        if table.number == "5-1":
            best = max(mean(values.values()) for values in own.values())
            behind = f"{percent(1 - mean(own['none'].values()) / best)} below the best"
            text = "table 5-1: none is last"
            parts.append(apart_from_all(text, "accepted_per_s", own, "none", -1, f"{shown}: {behind}"))
            is_best = all(no_less("accepted_per_s", own["backoff"], values) for values in own.values())
            beside.append(Clause("table 5-1: backoff is best, or tied with the best", is_best))
        else:
            text = "table 5-2: congestion avoidance is best"
            parts.append(apart_from_all(text, "accepted_per_s", own, "avoidance", 1, shown))
    return clauses(runs, *parts, beside=beside)


@claim("atn.retransmissions")
def _(runs: Runs) -> Evidence:
    return orders(runs, ("success_once", "success_all"))


# ---------------------------------------------------------------------------------------------------------- magnitudes
def magnitudes(runs: Runs, name: str, measure: str, other: str = "") -> list[Clause]:
    """Every cell of a column in each table, within the claim's tolerance; `other` is another interpretation of it.

    The cells that the network was fitted to hold by construction.
    """
    tolerance, column = TOLERANCES[name], COLUMNS[measure]
    parts = []
    for table in tables_of(runs):
        for strategy, told in STRATEGIES.items():
            point = Point(strategy, table.scenario)
            printed, own = table.value(strategy, measure), runs.mean(measure, point)
            shown = [f"{column.form.format(own)}, {100 * (own / printed - 1):+.0f} %"]
            if other:
                shown.append(f"other interpretation {column.form.format(runs.mean(other, point))}")
            text = f"table {table.number}, {told}: {column.form.format(printed)} within {100 * tolerance:.0f} %"
            holds = abs(own - printed) <= tolerance * printed
            given = is_fitted(table, measure, strategy)
            parts.append(Clause(text, holds, ", ".join(shown), by_construction=given))
    return parts


@claim("atn.throughput-magnitude")
def _(runs: Runs) -> Evidence:
    return clauses(runs, *magnitudes(runs, "atn.throughput-magnitude", "accepted_per_s"))


@claim("atn.delay-magnitude")
def _(runs: Runs) -> Evidence:
    parts = magnitudes(runs, "atn.delay-magnitude", "delay_mean_s", "delay_transmission_mean_s")
    return clauses(runs, *parts, note="the other interpretation counts from the first transmission")


@claim("atn.load-magnitude")
def _(runs: Runs) -> Evidence:
    parts = magnitudes(runs, "atn.load-magnitude", LOAD, LOAD_COUNTED)
    return clauses(
        runs, *parts, note=f"the other interpretation counts the NPDU in transmission; {by_little(tables_of(runs))}"
    )


@claim("atn.error-share")
def _(runs: Runs) -> Evidence:
    return samples(runs, "error_report_share", {"table 5-1": Point("error", "a")})


@claim("atn.error-share-few")
def _(runs: Runs) -> Evidence:
    return samples(runs, "error_report_share", {"table 5-2": Point("error", "b")})


@claim("atn.order-of-magnitude")
def _(runs: Runs) -> Evidence:
    none, own = (runs.by_seed("delay_mean_s", Point(name, "b")) for name in ("none", "avoidance"))
    ratios = [none[seed] / own[seed] for seed in sorted(none.keys() & own.keys())]
    if not ratios:
        raise MissingRunError("delay without a strategy and with congestion avoidance, of the same seed")
    return Samples({"table 5-2": ratios}, kind=POSITIVE)


@claim("atn.benefits")
def _(runs: Runs) -> Evidence:
    parts = []
    for table in tables_of(runs):
        for measure, text, wanted in (
            ("accepted_per_s", "higher throughput", 1),
            ("delay_mean_s", "lower delay", -1),
            (LOAD, "lower buffer load", -1),
            ("discard_share", "fewer discards", -1),
            ("success_all", "fewer retransmissions, by the success ratio of all copies", 1),
        ):
            own, none = (runs.by_seed(measure, Point(name, table.scenario)) for name in ("avoidance", "none"))
            means = [mean(values.values()) for values in (own, none)]
            shown = " against ".join(map(COLUMNS[measure].form.format, means))
            if means[1]:
                shown += f", {100 * (means[0] / means[1] - 1):+.1f} %"
            pairs = [(own, none, wanted)]
            parts.append(all_apart("strategy", f"table {table.number}: {text}", measure, pairs, shown))
    return clauses(runs, *parts)


# ------------------------------------------------------------------------------------------- the notes of section 5
def columns(runs: Runs, measure: str, points: Sequence[Point]) -> list[dict[int, float]]:
    """A measure at several points, each by seed."""
    return [runs.by_seed(measure, point) for point in points]


def means_of(values: Sequence[Mapping[int, float]]) -> list[float]:
    """The means over seeds of several measures."""
    return [mean(each.values()) for each in values]


# ------------------------------------------------------------------------------------------- a sudden increase in load
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
    served = Clause(text, no_less("accepted_per_s", *kept), in_rates(kept))
    return clauses(runs.of_kind("connections"), *parts, note=note, beside=[served])


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
    watched = {strategy: windows_of(runs, "watched", Point(strategy, "b")) for strategy in RECEIVER}
    rates = {name: {seed: runs.once(rate, each) for seed, each in found.items()} for name, found in watched.items()}
    spreads = [mean([runs.once(spread, each) for each in watched[name].values()]) for name in reversed(RECEIVER)]
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
        runs.of_kind("watched"),
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
        powers, loads = (columns(runs, name, points) for name in ("power", LOAD))
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
        delays, loads, through = (columns(runs, name, points) for name in ("delay_mean_s", LOAD, "accepted_per_s"))
        suffers = not all(no_less("accepted_per_s", later, earlier) for earlier, later in combinations(through, 2))
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
    note = "the load from a packet every 20 s to one every 0.5 s; the queue as read each second after the first minute"
    return clauses(runs, *parts, *never_empty(runs), note=note)


def never_empty(runs: Runs) -> list[Clause]:
    """Whether the full queue of scenario A never empties under backoff, and does under the receiver strategies.

    The text says so about table 5-1. The first minute, in which the connections begin, is no part of it.
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


@claim("atn.error")
def _(runs: Runs) -> Evidence:
    parts = []
    for scenario, network in SCENARIOS.items():
        (curve,) = EXERCISES["error"].points(scenario).values()
        for measure, text, form in (
            ("delay_mean_s", "the delay rises with the threshold", "{:.2f}"),
            (LOAD, "so does the buffer load", "{:.0f}"),
            ("accepted_per_s", "so does the throughput", "{:.4f}"),
        ):
            values = columns(runs, measure, list(curve.values()))
            parts.append(rising("error_share", f"{network.name}: {text}", values, form, by=SOMEWHAT))
    share = runs.by_seed("error_report_share", Point("error", "a"))
    text = f"the overhead is not negligible at half the capacity: over {percent(NOT_NEGLIGIBLE)} in scenario A"
    parts.append(all_above("", text, [(share, constant(NOT_NEGLIGIBLE, share))], percent(mean(share.values()))))
    return clauses(runs, *parts, note="thresholds of 10 to 90 % of the queue's capacity")

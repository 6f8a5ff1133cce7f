"""The measures of the satellite study, and the episodes in its time series.

Loads and throughputs are shares of the link, and a loss is what the satellite queue discards of what was sent; a
measure that is a column of a result table has its name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from penstock.analyse.metric import FRACTION, POSITIVE, MetricKind
from penstock.studies import runs
from penstock.studies.framework import Readings
from penstock.studies.runs import MissingRunError, Row, RunTables, Trace, mean
from penstock.studies.satellite.grid import LINK_RATE_BPS, MIXES, NOMINAL_KBPS, PROPAGATION_S, Point, largest

Runs = runs.Runs[Point]
"""The measures and time series of the satellite study."""
TABLES = {"groups": (), "ports": ("satellite", "user_link"), "losses": ()}
READINGS = Readings(components="satellite|(video|voice|data)/1")
KINDS: dict[str, MetricKind] = {
    **dict.fromkeys(("data_loss", "jitter", "late", "loss", "policed", "tagged"), FRACTION),
    **dict.fromkeys(("delay", "load", "nominal", "over", "rate", "throughput", "told"), POSITIVE),
}
"""The kinds of measures that are no columns of result tables."""


def measure(_point: Point, run: RunTables) -> Iterator[tuple[str, float]]:
    """The measures of one run: by kind of source, and for voice and video together."""
    by_name = {row["group"]: row | at_places(run.rows["losses"], row["group"]) for row in run.rows["groups"]}
    groups = by_name.values()
    for name, row in by_name.items():
        yield f"load.{name}", row["load_bps"] / LINK_RATE_BPS
        if row["nominal_bps"] is not None:
            yield f"nominal.{name}", row["nominal_bps"] / LINK_RATE_BPS
        yield f"tagged.{name}", share(row["tagged_at_policer"], row["sent"])
        yield f"policed.{name}", share(row["lost_at_policer"], row["sent"])
        yield f"loss.{name}", share(row["lost_at_satellite"], row["sent"])
        yield f"late.{name}", share(row["over_jitter_limit"], row["sent"])
        yield f"rate.{name}", row["load_bps"] / row["flows"]
        yield f"told.{name}", row["notices_mild"] / row["flows"]
        yield f"delay.p999.{name}", row["delay_p999_s"] or 0.0
        for column in ("notices_mild", "notices_severe", "obeyed_mild", "obeyed_severe", "fairness"):
            if row[column] is not None:
                yield f"{column}.{name}", float(row[column])
    yield "load", math.fsum(row["load_bps"] for row in groups) / LINK_RATE_BPS
    yield "lost.user_link", float(sum(row["discarded"] for row in run.rows["ports"] if row["port"] == "user_link"))
    yield "sent", float(sum(row["sent"] for row in groups))
    satellite = run.row("ports", port="satellite")
    yield "utilisation", satellite["utilisation"]
    yield "queue_max", float(satellite["queue_max"])
    real_time = [row for name, row in by_name.items() if name not in NOMINAL_KBPS]
    if real_time:
        yield from measure_real_time(real_time)
    if "data" in by_name:
        yield from measure_data(by_name["data"])


def at_places(losses: Sequence[Row], group: str) -> Row:
    """Losses and marks of a group at the satellite queue, the user's own link and the policers."""
    at: dict[str, Row] = {row["place"]: row for row in losses if row["group"] == group}

    def count(place: str, column: str) -> int:
        return int(at[place][column]) if place in at else 0

    return {
        "lost_at_satellite": count("satellite", "discarded"),
        "lost_at_user_link": count("user_link", "discarded"),
        "lost_at_policer": count(f"policer/{group}", "discarded"),
        "tagged_at_policer": count(f"policer/{group}", "tagged"),
        "notices_mild": sum(int(row["notices_mild"]) for row in at.values()),
        "notices_severe": sum(int(row["notices_severe"]) for row in at.values()),
    }


def measure_real_time(rows: list[Row]) -> Iterator[tuple[str, float]]:
    """Voice and video together."""
    sent = sum(row["sent"] for row in rows)
    lost = sum(row["lost_at_satellite"] for row in rows)
    over = sum(row["over_jitter_limit"] for row in rows)
    yield "sent.real_time", float(sent)
    yield "lost.real_time", float(lost)
    yield "over.real_time", float(over)
    yield "loss", share(lost, sent)
    yield "jitter", share(over, sent)
    yield "load.real_time", math.fsum(row["load_bps"] for row in rows) / LINK_RATE_BPS
    delivered = sum(row["delivered"] for row in rows)
    delays = math.fsum(row["delay_mean_s"] * row["delivered"] for row in rows if row["delay_mean_s"] is not None)
    if delivered:
        yield "delay", delays / delivered
        yield "delay.beyond", delays / delivered - PROPAGATION_S
    yield "delay.p999", max(row["delay_p999_s"] or 0.0 for row in rows)


def measure_data(row: Row) -> Iterator[tuple[str, float]]:
    """File transfers."""
    yield "sent.data", float(row["sent"])
    yield "lost.data", float(row["lost_at_satellite"])
    yield "data_loss", share(row["lost_at_satellite"], row["sent"])
    yield "throughput", row["throughput_bps"] / LINK_RATE_BPS
    if row["transfer_mean_s"] is not None:
        yield "transfer_mean_s", row["transfer_mean_s"]
    if row["transfer_mean_all_s"] is not None:
        yield "transfer_mean_all_s", row["transfer_mean_all_s"]


def share(part: int, whole: int) -> float:
    """A ratio of counts, 0 without trials."""
    return part / whole if whole else 0.0


def excess(measured: Runs, point: Point, group: str) -> dict[int, float]:
    """What each data source of a group sends above its nominal rate, in b/s, for each seed."""
    rates = measured.by_seed(f"rate.{group}", point)
    return {seed: rate - 1000 * NOMINAL_KBPS[group] for seed, rate in rates.items()}


def unconstrained(measured: Runs, point: Point, groups: Iterable[str]) -> float:
    """Load of some kinds of sources at nominal rates, as their parameters give it, without slow start."""
    return math.fsum(measured.mean(f"nominal.{group}", point) for group in groups)


def relative_spread(values: Sequence[float]) -> float:
    """Standard deviation over mean."""
    mean = math.fsum(values) / len(values)
    if len(values) < 2 or mean == 0:
        return 0.0
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)) / mean


# ------------------------------------------------------------------------------------------------------ time series
TRIGGER = 0.9
"""The filtered rate above which the thesis's notices of Type 0 are sent."""
ROUND_TRIP_S = 0.56
REACTED_S = 0.1


@dataclass(frozen=True, slots=True)
class Episode:
    """One new excess: the filtered rate at its start, its mean after sources have reacted, and its duration."""

    start: float
    after: float
    lasts_s: float

    @property
    def fall(self) -> float:
        """The decrease of the rate."""
        return self.start - self.after


def episodes(trace: Trace) -> list[Episode]:
    """The new excesses of a time series of the total filtered rate that have a full round trip after them."""
    times, values = trace
    found = []
    quiet_since = 0.0
    for place, (time_s, value) in enumerate(zip(times, values, strict=True)):
        if value <= TRIGGER:
            continue
        if time_s - quiet_since >= ROUND_TRIP_S and times[-1] - time_s >= ROUND_TRIP_S:
            after = [
                later
                for at, later in zip(times[place:], values[place:], strict=True)
                if REACTED_S <= at - time_s <= ROUND_TRIP_S
            ]
            ends = (at for at, later in zip(times[place:], values[place:], strict=True) if later <= TRIGGER)
            found.append(Episode(value, math.fsum(after) / len(after), next(ends, times[-1]) - time_s))
        quiet_since = time_s
    return found


def by_round(runs: Runs, point: Point, measure: Callable[[Episode], float]) -> dict[int, float]:
    """The mean of a measure of the episodes at the satellite port, for each seed that has any."""
    traces = runs.of_kind("series").traces(point, "satellite", "filtered.total")
    found = {seed: [measure(each) for each in runs.once(episodes, trace)] for seed, trace in traces.items()}
    return {seed: mean(values) for seed, values in found.items() if values}


# ------------------------------------------------------------------------------------------------------------- notes
ACTIVE = 19
"""Video sources active at the start from which real-time cells were seen to be late, with the most sources."""


def condition(_runs: Runs) -> str:
    """What the rare events of scenario 3 case 2 come with, and how often it occurs."""
    sources = MIXES[3].counts(MIXES[3].points - 1)["video"]
    often = sum(math.comb(sources, active) for active in range(ACTIVE, sources + 1)) / 2**sources
    return (
        f"a trial is a replication; late cells were seen with {ACTIVE} or more of the {sources} video sources active "
        f"at the start: with the most sources, in {100 * often:.3g} % of the replications"
    )


def low_queue_note(runs: Runs) -> str:
    """The last time at which the data queue was nearly full, as far as there are time series."""
    point = largest(3, "2")
    try:
        traces = runs.of_kind("series").traces(point, "satellite", "queue_1").values()
    except MissingRunError:
        return ""
    full = [at for times, values in traces for at, value in zip(times, values, strict=True) if value > 900]
    if not full:
        return ""
    span = f"between {min(full):.1f} and {max(full):.1f} s and not again in the first minute"
    cause = "all sources start at once, and the first notices arrive while slow start still raises their rates"
    return f"at N = {point.n} the data queue holds more than 900 cells {span}: {cause}"

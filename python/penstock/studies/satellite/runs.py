"""The measures of the satellite study: one number per measure, point and seed, and time series."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from penstock.studies import runs
from penstock.studies.runs import Row
from penstock.studies.satellite.grid import LINK_RATE_BPS, PROPAGATION_S, Point, rare_points


@dataclass(slots=True)
class Runs(runs.Runs[Point]):
    """The measures and time series of the satellite study; `rare` has all seeds of the points of rare events."""

    rare: runs.Runs[Point] = field(default_factory=runs.Runs)

    def add(self, point: Point, seed: int, groups: list[Row], ports: list[Row], losses: list[Row]) -> None:
        """Reads the result tables of one run."""
        measures = dict(measure([row | at_places(losses, row["group"]) for row in groups], ports))
        if seed <= self.wanted:
            self.keep(point, seed, measures.items())
        if point in rare_points():
            self.rare.keep(point, seed, measures.items())


def at_places(losses: list[Row], group: str) -> Row:
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


def measure(groups: list[Row], ports: list[Row]) -> Iterator[tuple[str, float]]:
    """The measures of one run: of the spec's list, by kind of source and for voice and video together."""
    by_name = {row["group"]: row for row in groups}
    for name, row in by_name.items():
        yield f"load.{name}", row["load_bps"] / LINK_RATE_BPS
        if row["nominal_bps"] is not None:
            yield f"nominal.{name}", row["nominal_bps"] / LINK_RATE_BPS
        yield f"tagged.{name}", share(row["tagged_at_policer"], row["sent"])
        yield f"loss.{name}", share(row["lost_at_satellite"], row["sent"])
        for column in ("notices_mild", "notices_severe", "obeyed_mild", "obeyed_severe", "fairness"):
            if row[column] is not None:
                yield f"{column}.{name}", float(row[column])
    yield "load", math.fsum(row["load_bps"] for row in groups) / LINK_RATE_BPS
    yield "lost.user_link", float(sum(row["discarded"] for row in ports if row["port"] == "user_link"))
    yield "sent", float(sum(row["sent"] for row in groups))
    satellite = next(row for row in ports if row["port"] == "satellite")
    yield "utilisation", satellite["utilisation"]
    real_time = [row for name, row in by_name.items() if name != "data"]
    if real_time:
        yield from measure_real_time(real_time)
    if "data" in by_name:
        yield from measure_data(by_name["data"])


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
        yield "transfer", row["transfer_mean_s"]
    if row["transfer_mean_all_s"] is not None:
        yield "transfer.all", row["transfer_mean_all_s"]


def share(part: int, whole: int) -> float:
    """A ratio of counts, 0 without trials."""
    return part / whole if whole else 0.0


def unconstrained(measured: Runs, point: Point, groups: Iterable[str]) -> float:
    """Load of some kinds of sources at nominal rates, as their parameters give it, without slow start."""
    return math.fsum(measured.mean(f"nominal.{group}", point) for group in groups)

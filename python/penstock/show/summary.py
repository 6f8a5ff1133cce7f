"""The summary of a result: the measures of each traffic class and of each port."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.analyse import replications
from penstock.analyse.demand import unsent, warnings_of_groups
from penstock.analyse.estimates import intervals
from penstock.analyse.ties import warnings_of_ports
from penstock.show import theory
from penstock.show.terminal import print_table, print_text
from penstock.statistics import LEAST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import polars as pl

    from penstock.api.run import Result

Row = dict[str, Any]

MEANS = (
    *("offered_bps", "held_bits", "source_wait_mean_s", "delay_generation_mean_s", "delay_generation_p99_s"),
    *("loss_ratio", "delay_mean_s", "delay_p99_s", "jitter_share", "throughput_bps", "load_bps", "sent_bps"),
    *("accepted_per_s", "power", "success_once", "success_all", "discard_share"),
)
"""The columns of traffic classes that are means or ratios."""
MEANS_OF_PORTS = ("utilisation", "queue_mean")
"""Those of ports."""

ACCESS = "access/"
"""Ports with this prefix belong to the private line of one flow."""


def summary(result: Result) -> dict[str, list[Row]]:
    """One row for each traffic class (``groups``), port (``ports``) and result of theory, over all replications.

    Counts are summed, ratios are those of the sums, maxima are the greatest; the rest is the mean over replications.
    Names and units are those of the tables; ``notices`` are those of either severity that a port sent to sources.
    If the traffic has max-min fair rates, a class has that of one flow as ``max_min_bps``, to compare with
    ``sent_bps / flows``. If any class uses transport connections, all classes have their columns, with null for the
    others. ``messages`` has one row a class of length of messages. ``theory`` has what theory says about the run, and
    what was measured; it is empty if no theory applies.

    With three replications or more, ``intervals`` of a row has ``low`` and ``high`` of the 95 % interval of each mean
    and ratio, by its name. Replications that are the same run bit for bit count once, and have none.
    """
    import polars as pl

    from penstock.truth.shares import fair_shares

    result = result.independent()

    has_connections = result.groups["connections"].is_not_null().any()
    groups = result.groups.group_by("group", maintain_order=True).agg(
        pl.first("flows"),
        pl.sum("sent"),
        pl.sum("lost"),
        _ratio_of("lost", "sent").alias("loss_ratio"),
        pl.mean("delay_mean_s"),
        pl.mean("delay_p99_s"),
        pl.max("delay_max_s"),
        _ratio_of("over_jitter_limit", "sent").alias("jitter_share"),
        pl.mean("throughput_bps"),
        pl.mean("load_bps"),
        pl.mean("sent_bps"),
        *(pl.mean(name) for name in ("offered_bps", "held_bits", "source_wait_mean_s", "source_wait_p99_s")),
        _ratio_of("withheld_pdus", "offered_pdus").alias("withheld_share"),
        pl.when(pl.col("offered_pdus").is_not_null().any()).then(pl.sum("source_lost")).alias("source_lost"),
        *(pl.mean(name) for name in ("delay_generation_mean_s", "delay_generation_p99_s")),
        pl.max("delay_generation_max_s"),
        *(_of_transports() if has_connections else ()),
    )
    ports = result.ports.group_by("port", maintain_order=True).agg(
        pl.first("from"),
        pl.first("to"),
        pl.mean("utilisation"),
        pl.mean("queue_mean"),
        pl.max("queue_max"),
        pl.sum("discarded"),
        pl.sum("marked"),
        (pl.sum("notices_mild") + pl.sum("notices_severe")).alias("notices"),
    )
    shares = fair_shares(result)
    fair = {"max_min_bps": pl.col("group").replace_strict(shares, return_dtype=pl.Float64)} if shares else {}
    return {
        "groups": _with_intervals(groups.with_columns(**fair).to_dicts(), result.groups, "group", MEANS),
        "ports": _with_intervals(ports.to_dicts(), result.ports, "port", MEANS_OF_PORTS),
        "messages": _messages(result),
        "theory": theory.rows(result),
    }


def _ratio_of(part: str | pl.Expr, whole: str) -> pl.Expr:
    """The sum of a column divided by that of another, or nothing if that is 0."""
    import polars as pl

    parts = pl.col(part) if isinstance(part, str) else part
    return pl.when(pl.sum(whole) > 0).then(parts.sum() / pl.sum(whole))


def _of_transports() -> list[pl.Expr]:
    """The columns of transports: null for a group without one, or whose protocol has no such events."""
    import polars as pl

    def there(name: str, column: pl.Expr) -> pl.Expr:
        return pl.when(pl.col(name).is_not_null().any()).then(column)

    return [
        *(there("connections", pl.sum(name)).alias(name) for name in ("connections", "retransmitted")),
        pl.mean("accepted_per_s"),
        pl.mean("power"),
        _ratio_of("accepted", "transmitted").alias("success_once"),
        there("connections", _ratio_of("accepted", "sent")).alias("success_all"),
        there("connections", _ratio_of(pl.col("discard_share") * pl.col("sent"), "sent")).alias("discard_share"),
        _ratio_of("retransmitted", "sent").alias("retransmitted_share"),
        *(pl.mean(name) for name in ("source_queue_mean", "source_queue_wait_s")),
        pl.max("source_queue_max"),
        _ratio_of("marked", "acknowledged").alias("marked_share"),
        *(there(name, pl.sum(name)).alias(name) for name in ("error_reports", "recoveries", "timeouts", "probes")),
    ]


def _messages(result: Result) -> list[Row]:
    """One row a class of length of messages, over all replications; classes without messages are left out."""
    import polars as pl

    rows = result.messages.group_by("group", "class", maintain_order=True).agg(
        *(pl.sum(name) for name in ("finished", "unfinished")),
        *(pl.mean(name) for name in ("octets_mean", "fct_mean_s", "fct_p50_s", "fct_p99_s")),
        *(pl.mean(name) for name in ("slowdown_mean", "slowdown_p50", "slowdown_p99")),
    )
    return rows.filter(pl.col("finished") + pl.col("unfinished") > 0).to_dicts()


def _with_intervals(rows: list[Row], table: pl.DataFrame, name: str, columns: Iterable[str]) -> list[Row]:
    """The rows with the intervals of these columns over the replications of a table, if there are enough of them."""
    if table["replication"].n_unique() < LEAST:
        return rows
    there = [column for column in columns if column in rows[0]] if rows else []
    of_each = intervals(table, name, there)
    return [{**row, "intervals": of_each[row[name]]} for row in rows]


def print_summary(result: Result) -> None:
    """Print the tables of :func:`summary` on standard output, in the units that people read.

    Transport connections have their own table, and so have fair rates if no theory says that the flows have them.
    Ports that carried nothing, and private access lines that discarded nothing, are only counted.
    """
    rows = summary(result)
    note = _note(result)
    _print_groups(rows["groups"], note)
    held = {*unsent(result.groups)["group"], *(row["group"] for row in rows["groups"] if row["source_wait_mean_s"])}
    if held:
        _print_demand([row for row in rows["groups"] if row["group"] in held])
    if connected := [row for row in rows["groups"] if row.get("error_reports") is not None]:
        _print_connections(connected)
    if streams := [row for row in rows["groups"] if row.get("timeouts") is not None]:
        _print_streams(streams)
    if queued := [row for row in rows["groups"] if row.get("source_queue_mean") is not None]:
        _print_source_queues(queued)
    if rows["messages"]:
        _print_messages(rows["messages"])
    if "max_min_bps" in rows["groups"][0] and not any(row["theory"] == "max-min" for row in rows["theory"]):
        _print_fair_shares(rows["groups"])
    _print_ports(rows["ports"])
    _print_theory(rows["theory"])
    for warning in warnings(result):
        print_text(f"warning: {warning}")
        print()


def _note(result: Result) -> str:
    """What the numbers are, if there are several replications."""
    count = len(result.manifest["runs"])
    if count == 1:
        return ""
    if result.constant:
        return f" - {count} replications, all the same run: the numbers are those of one"
    ends = " with 95 % intervals" if count >= LEAST else f" (intervals need {LEAST})"
    return f" - {count} replications: counts summed, the rest averaged{ends}"


def warnings(result: Result) -> list[str]:
    """What a reader must know before the numbers of a run."""
    told = [replications.warning(len(result.manifest["runs"]))] if result.constant else []
    told += filter(None, [unheard_notices(result)])
    return [*told, *warnings_of_groups(result.groups), *warnings_of_ports(result.ports)]


def unheard_notices(result: Result) -> str:
    """A warning if ports sent notices and no source obeyed one; empty otherwise."""
    sent = sum(int(result.ports[f"notices_{severity}"].sum()) for severity in ("mild", "severe"))
    obeyed = sum(int(result.groups[f"obeyed_{severity}"].sum()) for severity in ("mild", "severe"))
    return "" if obeyed or not sent else f"ports sent {sent:,} notices, and no source obeyed one"


def _print_groups(groups: Sequence[Row], note: str) -> None:
    unit, rate = _rate_unit(row["load_bps"] for row in groups)
    print_table(
        f"Traffic classes{note}",
        [
            ("class", "group", str),
            ("flows", "flows", _count),
            ("sent", "sent", _count),
            ("lost", "lost", _count),
            ("loss ratio", "loss_ratio", _ratio),
            ("mean ms", "delay_mean_s", _milliseconds),
            ("p99 ms", "delay_p99_s", _milliseconds),
            ("max ms", "delay_max_s", _milliseconds),
            ("jitter share", "jitter_share", _ratio),
            (f"throughput {unit}", "throughput_bps", rate),
            (f"load {unit}", "load_bps", rate),
        ],
        groups,
    )


def _print_demand(groups: Sequence[Row]) -> None:
    """What sources offered that a scheme holds back, and the delays of their data from their generation."""
    unit, rate = _rate_unit(row["offered_bps"] for row in groups)
    print_table(
        "What the sources offered, and delays from its generation",
        [
            ("class", "group", str),
            (f"offered {unit}", "offered_bps", rate),
            (f"load {unit}", "load_bps", rate),
            ("waits at end kbit", "held_bits", lambda bits: f"{bits / 1e3:,.1f}"),
            ("withheld", "withheld_share", _ratio),
            ("lost at source", "source_lost", _count),
            ("wait mean ms", "source_wait_mean_s", _milliseconds),
            ("wait p99 ms", "source_wait_p99_s", _milliseconds),
            ("mean ms", "delay_generation_mean_s", _milliseconds),
            ("p99 ms", "delay_generation_p99_s", _milliseconds),
            ("max ms", "delay_generation_max_s", _milliseconds),
        ],
        groups,
    )


def _print_connections(groups: Sequence[Row]) -> None:
    print_table(
        "Transport connections, and their DT TPDUs",
        [
            ("class", "group", str),
            ("connections", "connections", _count),
            ("retransmitted", "retransmitted", _count),
            ("accepted 1/s", "accepted_per_s", _digits),
            ("power", "power", _digits),
            ("success once", "success_once", _share),
            ("success all", "success_all", _share),
            ("discard share", "discard_share", _ratio),
        ],
        groups,
    )


def _print_streams(groups: Sequence[Row]) -> None:
    print_table(
        "Byte streams, and their segments",
        [
            ("class", "group", str),
            ("retransmitted", "retransmitted_share", _ratio),
            ("recoveries", "recoveries", _count),
            ("timeouts", "timeouts", _count),
            ("probes", "probes", _count),
            ("marked", "marked_share", _ratio),
            ("accepted 1/s", "accepted_per_s", _digits),
            ("power", "power", _digits),
        ],
        groups,
    )


def _print_source_queues(groups: Sequence[Row]) -> None:
    print_table(
        "Cells of byte streams that wait at their sources for the allowed rate",
        [
            ("class", "group", str),
            ("mean, all sources", "source_queue_mean", _digits),
            ("most at one source", "source_queue_max", _count),
            ("mean wait ms", "source_queue_wait_s", _milliseconds),
        ],
        groups,
    )


def _print_messages(rows: Sequence[Row]) -> None:
    print_table(
        "Messages by length: completion times and slowdowns",
        [
            ("class", "group", str),
            ("length", "class", str),
            ("finished", "finished", _count),
            ("unfinished", "unfinished", _count),
            ("mean octets", "octets_mean", lambda octets: f"{octets:,.0f}"),
            ("mean ms", "fct_mean_s", _milliseconds),
            ("p50 ms", "fct_p50_s", _milliseconds),
            ("p99 ms", "fct_p99_s", _milliseconds),
            ("slowdown mean", "slowdown_mean", _digits),
            ("p50", "slowdown_p50", _digits),
            ("p99", "slowdown_p99", _digits),
        ],
        rows,
    )


def _print_fair_shares(groups: Sequence[Row]) -> None:
    rows = [{**row, "rate_bps": row["sent_bps"] / row["flows"], "ratio": _share_of(row)} for row in groups]
    for row in rows:
        if ends := row.get("intervals", {}).get("sent_bps"):
            row["intervals"] = {"rate_bps": {end: value / row["flows"] for end, value in ends.items()}}
    unit, rate = _rate_unit(row["rate_bps"] for row in rows)
    print_table(
        "Rate of one flow, RM cells included, and its max-min fair share of the lines",
        [
            ("class", "group", str),
            ("flows", "flows", _count),
            (f"rate {unit}", "rate_bps", rate),
            (f"max-min {unit}", "max_min_bps", rate),
            ("ratio", "ratio", _share),
        ],
        rows,
    )


def _print_theory(rows: Sequence[Row]) -> None:
    if rows:
        lines = [dict(zip(theory.HEADINGS, theory.cells(row), strict=True)) for row in rows]
        print_table(theory.TITLE, [(name, name, str) for name in theory.HEADINGS], lines)


def _print_ports(ports: Sequence[Row]) -> None:
    is_access = [port["port"].startswith(ACCESS) and not port["discarded"] for port in ports]
    is_idle = [not (port["queue_max"] or port["discarded"]) for port in ports]
    lossless = sum(is_access)
    idle = sum(idle and not access for idle, access in zip(is_idle, is_access, strict=True))
    left_out = [(idle, "that carried nothing"), (lossless, "access lines without loss")]
    print_table(
        " - and ".join(["Ports", *(f"{count} {which}" for count, which in left_out if count)]),
        [
            ("port", "port", str),
            ("from", "from", str),
            ("to", "to", str),
            ("utilisation", "utilisation", _share),
            ("mean queue", "queue_mean", lambda value: f"{value:.3f}"),
            ("max queue", "queue_max", _count),
            ("discarded", "discarded", _count),
            ("marked", "marked", _count),
            ("notices", "notices", _count),
        ],
        [port for port, *is_left_out in zip(ports, is_idle, is_access, strict=True) if not any(is_left_out)],
    )


def _share_of(row: Row) -> float | None:
    """The rate of one flow of the class over its fair share; ``None`` for a class without one."""
    share = float(row["max_min_bps"])
    return float(row["sent_bps"]) / int(row["flows"]) / share if share else None


def _count(value: int) -> str:
    return f"{value:,}"


def _ratio(value: float) -> str:
    return f"{value:.3g}"


def _share(value: float) -> str:
    return f"{value:.4f}"


def _digits(value: float) -> str:
    """Four digits for any size."""
    return f"{value:.4g}"


def _milliseconds(value: float) -> str:
    return f"{value * 1e3:.3f}"


def _rate_unit(rates_bps: Iterable[float | None]) -> tuple[str, Callable[[float], str]]:
    """The unit in which the greatest rate is at least one, and the format of all rates in it."""
    unit, size = ("Mb/s", 1e6) if max(rate or 0.0 for rate in rates_bps) >= 1e6 else ("kb/s", 1e3)
    return unit, lambda value: f"{value / size:.4f}"

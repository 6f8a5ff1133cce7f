"""The summary of a result: what came of each traffic class and of each port."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from penstock.progress import is_lively

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from penstock.run import Result

Row = dict[str, Any]

ACCESS = "access/"
"""Ports with this prefix belong to one flow's private line."""


def summary(result: Result) -> dict[str, list[Row]]:
    """One row a traffic class (``groups``) and one a port (``ports``), over all replications.

    Counts are summed, ratios are of those sums, maxima are the greatest; all else is the mean over the replications.
    Names and units are those of the tables; ``messages`` are the notices that a port sent to sources. Where the traffic
    has max-min fair rates, a class has that of one flow as ``max_min_bps``, to be held against ``sent_bps / flows``.
    """
    import polars as pl

    from penstock.truth.shares import fair_shares

    def ratio(part: str, whole: str) -> pl.Expr:
        return pl.when(pl.sum(whole) > 0).then(pl.sum(part) / pl.sum(whole))

    groups = result.groups.group_by("group", maintain_order=True).agg(
        pl.first("flows"),
        pl.sum("sent"),
        pl.sum("lost"),
        ratio("lost", "sent").alias("loss_ratio"),
        pl.mean("delay_mean_s"),
        pl.mean("delay_p99_s"),
        pl.max("delay_max_s"),
        ratio("over_jitter_limit", "sent").alias("jitter_share"),
        pl.mean("throughput_bps"),
        pl.mean("load_bps"),
        pl.mean("sent_bps"),
    )
    ports = result.ports.group_by("port", maintain_order=True).agg(
        pl.first("from"),
        pl.first("to"),
        pl.mean("utilisation"),
        pl.mean("queue_mean"),
        pl.max("queue_max"),
        pl.sum("discarded"),
        pl.sum("marked"),
        (pl.sum("notices_mild") + pl.sum("notices_severe")).alias("messages"),
    )
    shares = fair_shares(result)
    fair = {"max_min_bps": pl.col("group").replace_strict(shares, return_dtype=pl.Float64)} if shares else {}
    return {"groups": groups.with_columns(**fair).to_dicts(), "ports": ports.to_dicts()}


def print_summary(result: Result) -> None:
    """Print the two tables of :func:`summary` on standard output, in the units that people read.

    Private access lines that discarded nothing are only counted.
    """
    rows = summary(result)
    replications = len(result.manifest["runs"])
    note = "" if replications == 1 else f" - {replications} replications: counts summed, the rest averaged"
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
            ("throughput Mb/s", "throughput_bps", _megabits),
            ("load Mb/s", "load_bps", _megabits),
        ],
        rows["groups"],
    )
    if "max_min_bps" in rows["groups"][0]:
        print_table(
            "Rate of one flow, RM cells included, and its max-min fair share of the lines",
            [
                ("class", "group", str),
                ("flows", "flows", _count),
                ("rate Mb/s", "rate_bps", _megabits),
                ("max-min Mb/s", "max_min_bps", _megabits),
                ("ratio", "ratio", lambda value: f"{value:.4f}"),
            ],
            [{**row, "rate_bps": row["sent_bps"] / row["flows"], "ratio": _share_of(row)} for row in rows["groups"]],
        )
    shown = [port for port in rows["ports"] if port["discarded"] or not port["port"].startswith(ACCESS)]
    hidden = len(rows["ports"]) - len(shown)
    print_table(
        "Ports" + (f" - and {hidden} access lines without loss" if hidden else ""),
        [
            ("port", "port", str),
            ("from", "from", str),
            ("to", "to", str),
            ("utilisation", "utilisation", lambda value: f"{value:.4f}"),
            ("mean queue", "queue_mean", lambda value: f"{value:.3f}"),
            ("max queue", "queue_max", _count),
            ("discarded", "discarded", _count),
            ("marked", "marked", _count),
            ("messages", "messages", _count),
        ],
        shown,
    )


def print_table(title: str, columns: Sequence[tuple[str, str, Callable[[Any], str]]], rows: Iterable[Row]) -> None:
    """Print ``rows`` on standard output: a column is its heading, the key of its values, and how they are written.

    Text (written by ``str``) stands to the left, numbers to the right; a missing value is a dash.
    """
    bold, plain = ("\x1b[1m", "\x1b[0m") if is_lively(sys.stdout) else ("", "")
    lines = [[heading for heading, _, _ in columns]]
    lines += [["-" if row[key] is None else write(row[key]) for _, key, write in columns] for row in rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    print(f"{bold}{title}{plain}")
    for number, line in enumerate(lines):
        cells = (
            cell.ljust(width) if write is str else cell.rjust(width)
            for cell, width, (_, _, write) in zip(line, widths, columns, strict=True)
        )
        print("  " + "  ".join(cells).rstrip())
        if number == 0:
            print("  " + "  ".join("-" * width for width in widths))
    print()


def _share_of(row: Row) -> float | None:
    """The rate of one flow of the class over its fair share; ``None`` for a class that has none."""
    share = float(row["max_min_bps"])
    return float(row["sent_bps"]) / int(row["flows"]) / share if share else None


def _count(value: int) -> str:
    return f"{value:,}"


def _ratio(value: float) -> str:
    return f"{value:.3g}"


def _milliseconds(value: float) -> str:
    return f"{value * 1e3:.3f}"


def _megabits(value: float) -> str:
    return f"{value / 1e6:.4f}"

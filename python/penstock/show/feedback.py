"""Which part hears which: the table of the feedback between the parts of a scenario's control schemes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.show.terminal import print_table, print_text

if TYPE_CHECKING:
    from penstock.core.findings import Meetings


def rows(meetings: Meetings) -> list[dict[str, str]]:
    """One row for each kind of feedback between two kinds of parts: ``sender``, ``feedback``, ``listener``.

    A part that stands once is named by its path. Equal parts of several lines or groups share a row, with their number.
    """
    alike: dict[tuple[str, str, str], tuple[set[str], set[str]]] = {}
    for hearing in meetings.hearings:
        senders, listeners = alike.setdefault(
            (_kind(hearing.sender), hearing.feedback, _kind(hearing.listener)), (set(), set())
        )
        senders.add(hearing.sender)
        listeners.add(hearing.listener)
    return [
        {"sender": _named(senders), "feedback": feedback, "listener": _named(listeners)}
        for (_, feedback, _), (senders, listeners) in alike.items()
    ]


def print_feedback(meetings: Meetings, *, is_ready: bool = False) -> None:
    """Print the table on standard output, and the warnings; those of a ready scenario are notes."""
    if meetings.hearings:
        columns = [("from", "sender", str), ("feedback", "feedback", str), ("heard by", "listener", str)]
        print_table("Feedback", columns, rows(meetings))
    for warning in warnings(meetings, is_ready=is_ready):
        print_text(f"{'note' if is_ready else 'warning'}: {warning}")
    if meetings.warnings:
        print()


def warnings(meetings: Meetings, *, is_ready: bool = False) -> list[str]:
    """One message for each fault: the first path that has it, and the number of others.

    A ready scenario is meant as it is, so nobody is told to change it.
    """
    alike: dict[tuple[str, str, str], list[str]] = {}
    for one in meetings.warnings:
        alike.setdefault((one.value, one.reason, one.remedy), []).append(one.path)
    told = []
    for (value, reason, remedy), paths in alike.items():
        place = f"{paths[0]} = {value}" if value else paths[0]
        others = f", and {len(paths) - 1} more" if len(paths) > 1 else ""
        told.append(f"{place}{others}: {reason}{'' if is_ready else f'; {remedy}'}")
    return told


def _kind(path: str) -> str:
    """The part of a path behind the name of its line or group: ``congestion_point.erica``."""
    for role in ("congestion_point", "notification_point", "reaction_point", "transport"):
        if (place := path.rfind(f".{role}.")) >= 0:
            return path[place + 1 :]
    return path


def _named(paths: set[str]) -> str:
    first = min(paths)
    if len(paths) == 1:
        return first
    places = "ports" if first.startswith("line.") else "groups"
    return f"{_kind(first)} of {len(paths)} {places}"

"""The changes of a run in its figures: the instants of the ``[[change]]`` tables, and what is shown around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.core.settings import setting
from penstock.core.units import picoseconds, readable, seconds

if TYPE_CHECKING:
    from penstock.core.scenario import Scenario
    from penstock.show.readings import Readings

MOST_TOLD = 6
"""The most changes that a caption lists."""
MOST_LISTED = 3
"""The most changes of one instant that are listed."""
MOST_CLOSE_UPS = 3
"""The most close-ups of changes: each is a figure."""
ROUND_TRIPS = 40
"""A close-up of a change shows so many round trips: a scheme takes some of them to settle."""
LARGEST_PART = 0.25
"""A close-up is at most this part of the run."""
BEFORE = 0.2
"""The part of a close-up that is before its change."""


@dataclass(frozen=True, slots=True)
class Instant:
    """An instant at which parameters change: as a number, as text, and the changes as text."""

    at_s: float
    at: str
    text: str


def instants_of(scenario: Scenario, end_s: float) -> list[Instant]:
    """The instants of the changes up to a time, in their order."""
    changes: Sequence[Mapping[str, Any]] = scenario.tree.get("change", ())
    found: dict[str, list[str]] = {}
    for change in sorted(changes, key=lambda each: picoseconds(each["at"])):
        found.setdefault(readable(change["at"]), []).append(setting(change["path"], change["value"]))
    made = [Instant(seconds(at), at, listed(texts)) for at, texts in found.items()]
    return [each for each in made if each.at_s <= end_s]


def listed(texts: Sequence[str]) -> str:
    """Some changes of one instant: the first few of many."""
    more = f" and {len(texts) - MOST_LISTED} more" if len(texts) > MOST_LISTED else ""
    return f"{', '.join(texts[:MOST_LISTED])}{more}"


def caption_of(instants: Sequence[Instant]) -> str:
    """The changes in a caption; the marks of several have their numbers."""
    if not instants:
        return ""
    texts = [f"at {each.at}, {each.text}" for each in instants[:MOST_TOLD]]
    if len(instants) == 1:
        return f"The dashed line is a change: {texts[0]}."
    numbered = "; ".join(f"{number}: {text}" for number, text in enumerate(texts, 1))
    more = f"; and {len(instants) - MOST_TOLD} more" if len(instants) > MOST_TOLD else ""
    return f"Dashed lines are changes. {numbered}{more}."


def around(readings: Readings, instant: Instant, round_trip_s: float, least: int) -> Readings:
    """The readings just before a change and some round trips after it, at least so many of each quantity."""
    start, end = readings.span()
    interval_s = (end - start) / max(1, readings.length() - 1)
    length_s = min(max(ROUND_TRIPS * round_trip_s, least * interval_s), LARGEST_PART * (end - start))
    low = min(max(start, instant.at_s - BEFORE * length_s), end - length_s)
    return readings.between(low, low + length_s)

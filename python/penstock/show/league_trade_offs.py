"""The trade-off of a league network by network, and its outcome in one sentence: gains beside losses."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.core.counts import quoted
from penstock.league.measures import DELAY, GOODPUT, LOSS
from penstock.league.settling import SETTLED
from penstock.plot import Panel, Sheet, Spot
from penstock.show.league_figures import place_of, scaled, schemes_in, unit_of

if TYPE_CHECKING:
    from penstock.league.table import CaseTable

TRADE_OFFS = "trade-offs"
"""The name of the figure of the first traffic, and the beginning of those of the others."""
CAPTION = (
    "One picture for each network. Best is at the lower right: much data, short delays. One mark for each scheme, with "
    "the 95 % intervals of both, which may leave the picture. The delay begins when the source has the data, so "
    "waiting at the source counts. Hollow marks have not settled. Named are the schemes that no other beats by both."
)
MUCH = (90, 80, 70, 50, 0)
"""Per cent of the best goodput that the quickest scheme of the sentence must carry: the first that any carries."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a scheme gains and loses over the cases in which it ran.

    ``goodput`` is the mean of its percentages of the best goodput of each case, ``loss`` that of its percentages of
    lost PDUs, and ``delay`` the median of its 99 % delays, each divided by the shortest of its case.
    """

    goodput: float
    loss: float
    delay: float
    cases: int


def trade_offs(tables: Sequence[CaseTable]) -> list[Sheet]:
    """For each traffic a sheet of one panel for each network: 99 % delay of the data against their goodput."""
    sheets: list[Sheet] = []
    hues = {name: hue for hue, name in enumerate(schemes_in(tables))}
    for traffic in dict.fromkeys(table.case.traffic for table in tables):
        own = [table for table in tables if table.case.traffic == traffic]
        panels = [panel for table in own if (panel := trade_off_panel(table, hues))]
        if panels:
            name = f"{TRADE_OFFS}-{traffic}" if sheets else TRADE_OFFS
            what = own[0].case.titles[1]
            sheets.append(
                Sheet(
                    name,
                    f"What each scheme carries, and how late{f': {what}' if what else ''}",
                    CAPTION,
                    panels,
                    columns=2,
                    light=True,
                )
            )
    return sheets


def trade_off_panel(table: CaseTable, hues: Mapping[str, int]) -> Panel | None:
    """The panel of a case; None if fewer than two schemes have both."""
    main = table.case.main
    carried, late = table.column(GOODPUT, main), table.column(DELAY, main)
    if carried is None or late is None:
        return None
    both = [name for name in table.case.schemes if name in carried.samples and name in late.samples]
    if len(both) < 2:
        return None
    per_x, x_unit = unit_of(GOODPUT, [carried[name].estimate.mean for name in both])
    per_y, y_unit = unit_of(DELAY, [late[name].estimate.mean for name in both])
    front = unbeaten({name: (carried[name].estimate.mean, late[name].estimate.mean) for name in both})
    spots = [
        Spot(
            name,
            scaled(carried[name].estimate, per_x),
            scaled(late[name].estimate, per_y),
            hues[name],
            hollow=name in table.settling and table.settling[name].verdict != SETTLED,
            named=name in front,
        )
        for name in both
    ]
    title = table.case.titles[0]
    return Panel(f"goodput ({x_unit})", f"99 % delay ({y_unit})", spots=spots, log_y=True, title=title)


def unbeaten(places: Mapping[str, tuple[float, float]]) -> list[str]:
    """The names that no other beats: as much goodput or more, as short a delay or shorter, and one of both strictly."""
    return [
        name
        for name, (most, least) in places.items()
        if not any(x >= most and y <= least and (x, y) != (most, least) for x, y in places.values())
    ]


def outcomes(tables: Sequence[CaseTable]) -> dict[str, Outcome]:
    """The outcome of each scheme that has all three values in at least half of the cases."""
    found = {}
    for name in schemes_in(tables):
        places = [(place_of(table, name, DELAY), place_of(table, name, LOSS)) for table in tables]
        known = [(late, lost) for late, lost in places if late is not None and lost is not None]
        if known and 2 * len(known) >= len(tables):
            found[name] = Outcome(
                math.fsum(late[0] for late, _ in known) / len(known),
                math.fsum(lost[1] for _, lost in known) / len(known),
                statistics.median(late[1] for late, _ in known),
                len(known),
            )
    return found


def sentence(tables: Sequence[CaseTable]) -> str:
    """Which scheme carries most, which is quickest while it carries much, and what both lose; empty if unknown."""
    found = outcomes(tables)
    if not found:
        return ""
    most = max(found, key=lambda name: found[name].goodput)
    share = next(each for each in MUCH if any(one.goodput >= each for one in found.values()))
    quickest = min((name for name, one in found.items() if one.goodput >= share), key=lambda name: found[name].delay)
    head = f"Over {len(tables)} cases, {spoken(most)} carries most"
    if quickest == most:
        return f"{head} and is the quickest of those that carry {share} % or more {told(found[most])}."
    second = f"{spoken(quickest)} is the quickest of those that carry {share} % or more {told(found[quickest])}"
    return f"{head} {told(found[most])}; {second}."


def spoken(name: str) -> str:
    """The name of a scheme in a sentence."""
    return "sending without control" if name == "none" else quoted(name)


def told(one: Outcome) -> str:
    """An outcome in words: what it carries, how late, and what is lost."""
    lost = f"losses of {one.loss:.2g} %" if one.loss >= 0.005 else "next to no losses"
    lost = lost if one.loss else "no losses"
    return (
        f"({one.goodput:.3g} % of the best goodput), with a 99 % delay of {one.delay:.3g} times the shortest and {lost}"
    )

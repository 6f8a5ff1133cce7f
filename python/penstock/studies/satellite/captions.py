"""The figures 11 to 49 of the thesis: the quantity of each, and the statement of the surviving text.

The plots are lost; the captions repeat the statements of the text in our words, with its numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["load", "loss", "jitter", "data_loss", "transfer", "throughput"]

Y_LABELS: dict[Kind, str] = {
    "load": "load sent (% of 6 Mb/s)",
    "loss": "voice and video cell loss ratio (%)",
    "jitter": "cells over own minimum + 20 ms (%)",
    "data_loss": "data cell loss ratio (%)",
    "transfer": "mean file transfer time (s)",
    "throughput": "data throughput (share of 6 Mb/s)",
}

TITLES: dict[Kind, str] = {
    "load": "load by type of traffic",
    "loss": "voice and video cell loss",
    "jitter": "cells over the jitter limit",
    "data_loss": "data cell loss",
    "transfer": "mean file transfer time",
    "throughput": "data throughput",
}


@dataclass(frozen=True, slots=True)
class Plan:
    """One figure of the thesis."""

    scenario: int
    case: str
    kind: Kind
    states: str
    top: float | None = None


PLANS: dict[int, Plan] = {
    11: Plan(1, "1", "load", "from 96 sources on, the traffic offered is more than the satellite link can carry"),
    12: Plan(
        1, "2", "load", "the load stays fairly level between 70 and 80 % of the link, whatever the number of sources"
    ),
    13: Plan(1, "3", "load", "the load lies about 10 points above case 2, well below case 1, and below the link rate"),
    14: Plan(1, "1", "loss", "the loss grows with the load, up to 13 % at a load of about 1.2; seeds differ visibly"),
    15: Plan(1, "1", "jitter", "at a load of 1.1 more than 60 % of the cells are over the limit"),
    16: Plan(1, "2", "loss", "no cell is lost, at any number of sources"),
    17: Plan(1, "2", "jitter", "no cell is over the limit, at any number of sources"),
    18: Plan(1, "3", "loss", "the loss is of the order of 1e-4 (0.01 %): far below case 1, but not zero"),
    19: Plan(1, "3", "jitter", "up to 6 % of the cells are over the limit"),
    20: Plan(2, "1", "load", "from 25 sources on, the traffic sent is more than the link can carry"),
    21: Plan(2, "2", "load", "the load is fairly level around 75 % of the link, close to 80 % with 29 sources"),
    22: Plan(2, "3", "load", "the load is over 10 points above case 2: 90 % of the link with 29 sources"),
    23: Plan(
        2, "1", "data_loss", "the loss comes close to 20 % at a load of 1.25; the printed axis ends at 20 %", 20.0
    ),
    24: Plan(2, "1", "transfer", "files take slightly more than 16 s (the slow start), for any number of sources"),
    25: Plan(2, "1", "throughput", "the text says nothing about this figure"),
    26: Plan(2, "2", "data_loss", "no cell is lost; the printed axis ends at 0.0010 %", 0.0010),
    27: Plan(2, "2", "transfer", "files take longer as sources are added: about 35 s with 29, or 0.23 Mb/s each"),
    28: Plan(2, "2", "throughput", "the highest throughput without loss"),
    29: Plan(2, "3", "data_loss", "the loss is of the order of 1e-4 (0.01 %); the printed axis ends at 0.08 %", 0.08),
    30: Plan(2, "3", "transfer", "files take about 25 s with 29 sources, or 0.32 Mb/s each: less than in case 2"),
    31: Plan(2, "3", "throughput", "more than 10 % above case 2, with losses"),
    32: Plan(3, "1", "load", "from 57 sources on, the traffic sent is more than the link can carry"),
    33: Plan(3, "2", "load", "the load levels off around 80 % of the link as sources are added"),
    34: Plan(3, "3", "load", "the load is over 10 points above case 2, and 1.0 of the link with 113 sources"),
    35: Plan(3, "1", "loss", "the loss is not acceptable"),
    36: Plan(3, "1", "jitter", "the jitter requirement is not met"),
    37: Plan(3, "1", "data_loss", "the loss is not acceptable"),
    38: Plan(3, "1", "transfer", "files take around 16 s, the nominal time"),
    39: Plan(3, "1", "throughput", "the throughput declines at the higher loads, as many data cells are discarded"),
    40: Plan(3, "2", "loss", "no voice or video cell is lost"),
    41: Plan(3, "2", "jitter", "no cell is over the limit: data do not disturb voice and video"),
    42: Plan(3, "2", "data_loss", "no data cell is lost"),
    43: Plan(3, "2", "transfer", "files take longer as sources are added: about 85 s with 113, or 0.1 Mb/s each"),
    44: Plan(
        3, "2", "throughput", "the throughput settles around 24 % of the link, above cases 1 and 3 at higher loads"
    ),
    45: Plan(3, "3", "loss", "the loss is of the order of 1e-4 (0.01 %); the printed axis ends at 0.03 %", 0.03),
    46: Plan(3, "3", "jitter", "up to 1.5 % of the cells are over the limit"),
    47: Plan(3, "3", "data_loss", "the loss is not acceptable"),
    48: Plan(3, "3", "transfer", "files take longer than in case 2: almost 150 s with 113 sources, or 0.05 Mb/s each"),
    49: Plan(3, "3", "throughput", "the throughput declines at the higher loads, as many data cells are discarded"),
}

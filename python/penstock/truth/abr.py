"""ABR sources of TM 4.0 before their first feedback, and the missing-RM limit Crm that a long path needs.

Source: ATM Forum TM 4.0 (AF-TM-0056.000), source rules 3, 6 and 7; Fahmy, Jain, Kalyanaraman, Goyal and Lu, On source
rules for ABR service on ATM networks with satellite links (1996), sections 2.2 and 3.3. One greedy connection, the
same source at both of its ends, started together: so each end returns forward RM cells at the rate of its own
cells. Rates are in bits per second, times in seconds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count

CELL_BITS = 424
MOST_TBE = 2**24 - 1
"""Cells: the greatest transient buffer exposure that 24 bits can signal."""


def crm(tbe: int, nrm: int = 32) -> int:
    """Crm = ceil(TBE / Nrm): forward RM cells that may be unanswered."""
    return -(-tbe // nrm)


def cells_before_cut(crm: int, nrm: int = 32) -> int:
    """Crm Nrm: cells sent at the initial rate while nothing returns; the next is the RM cell that is cut."""
    return crm * nrm


def rate_without_feedback(initial: float, cdf: float, crm: int, forward: int) -> float:
    """Rate once the forward RM cell of that number, from 1, was sent: ICR (1 - CDF)^k after Crm + k of them, k >= 0."""
    return initial * (1 - cdf) ** max(0, forward - crm)


def rate_of_bound(crm: int, round_trip: float, nrm: int = 32) -> float:
    """The rate up to which `crm` is enough by Crm >= RTT rate / Nrm."""
    return crm * nrm * CELL_BITS / round_trip


def crm_of_bound(rate: float, round_trip: float, nrm: int = 32) -> float:
    """RTT rate / Nrm, with the rate in cells: the bound on Crm of the paper's section 3.3."""
    return round_trip * rate / CELL_BITS / nrm


def starves(ratio: float, crm: int) -> bool:
    """Whether rule 6 acts in steady state, with `ratio` forward RM cells sent for each that returns evenly.

    After a backward RM cell, `crm` forward ones are sent uncut; so some are cut if more than `crm` fit between two.
    """
    return ratio > crm


@dataclass(frozen=True, kw_only=True)
class Connection:
    """One greedy connection over `hops` long lines in a row, with an access line at either end.

    All lines run at `rate`; `initial` is ICR, and `crm` none if rule 6 never acts.
    """

    rate: float
    initial: float
    hops: int = 1
    hop_delay: float = 0.275
    access_delay: float = 5e-6
    crm: int | None = None
    cdf: float = 1 / 16
    nrm: int = 32
    mrm: int = 2
    trm: float = 0.1

    @property
    def one_way(self) -> float:
        """Time of a cell through an idle network, with its full transmission time on each line."""
        lines = self.hops + 2
        return self.hops * self.hop_delay + 2 * self.access_delay + lines * CELL_BITS / self.rate

    @property
    def round_trip(self) -> float:
        """Twice the propagation delay."""
        return 2 * (self.hops * self.hop_delay + 2 * self.access_delay)

    def stretches(self) -> Iterator[tuple[float, float, int]]:
        """Without feedback: the time of each forward RM cell, the gap between cells after it, and cells to the next.

        Rule 3: nrm of them, or fewer if trm passes. Ends with the cell after which the rate is cut to 0.
        """
        start = 0.0
        for forward in count(1):
            rate = self.initial
            if self.crm is not None:
                rate = rate_without_feedback(self.initial, self.cdf, self.crm, forward)
            if rate <= 0:
                return
            gap = CELL_BITS / rate
            cells = min(self.nrm, max(self.mrm + 1, math.ceil(self.trm / gap)))
            yield start, gap, cells
            start += cells * gap

    def sent_without_feedback(self, until: float) -> int:
        """Cells sent up to and including that time."""
        sent = 0
        for start, gap, cells in self.stretches():
            if start > until:
                break
            sent += min(cells, math.floor((until - start) / gap) + 1)
        return sent

    def first_feedback(self) -> float:
        """The time when the first backward RM cell returns.

        The first forward one, of time 0, is at the far end after `one_way`. There it waits for the first cell at or
        after that moment that is not a forward RM cell itself (rule 3), and needs `one_way` again.
        """
        for start, gap, cells in self.stretches():
            behind = max(1, math.ceil((self.one_way - start) / gap))
            if behind < cells:
                return start + behind * gap + self.one_way
        raise ValueError("the rate is cut to 0: only out-of-rate cells are sent")

    def least_crm(self) -> int:
        """The smallest Crm without a cut: the number of forward RM cells sent before the first feedback returns.

        With one less, that many are unanswered at the last of them. Later, feedback arrives as often as they are sent.
        """
        uncut = replace(self, crm=None)
        return math.ceil(uncut.first_feedback() * self.initial / CELL_BITS / self.nrm)

"""Titles and captions: the figures of the ABR paper, what its text states about each, and additional figures."""

from __future__ import annotations

TITLES = {
    2: "Figure 2: the rate while no RM cell returns, Crm = 32",
    4: "Figure 4: one connection over a satellite, Crm = 32",
    5: "Figure 5: one connection over a satellite, Crm = 6144",
}

STATES = {
    2: "The paper on figure 2: after Crm + k forward RM cells without an answer the rate is ICR (1 - CDF)^(k "
    "+ 1); it shows the shape alone.",
    4: "The paper on figure 4: the rate starts at 140 Mb/s; after 1024 cells rule 6 cuts it; the first "
    "feedback arrives after about 550 ms; then the rate oscillates between very low and 140 Mb/s. "
    "Throughput 32 Mb/s from 275 to 825 ms, 45 Mb/s from 825 to 1200 ms.",
    5: "The paper on figure 5: the rate remains at its optimum, and the throughput is high.",
}

ONCE = "One run each: nothing in them is random."
WHEN = "Vertical lines: the first feedback arrives at the source; its effect arrives at the destination."
DRAWN = {
    2: f"Lines: runs, the rate against the number of forward RM cells sent; dashed: the closed form. {ONCE}",
    4: f"Read every 0.2 ms; cells of every kind, including RM cells. {WHEN} {ONCE}",
    5: f"Read every 1 ms; cells of every kind, including RM cells. {WHEN} {ONCE}",
}

DETAIL = (
    "Figure 4 in detail: each answer sets the rate to 140 Mb/s at once (RIF = 1) and the count of "
    "unanswered RM cells to 0; before the next answer, 32 more RM cells are sent. Answers are as rare "
    f"as the RM cells that were sent one round trip before. {ONCE}"
)
CRM = (
    "The six Crm of the paper's table and others. Left: until the effect of the first feedback is at the "
    "destination; right: after it. Horizontal line: the grant of ERICA. Two of 32 cells are RM cells, one of each "
    f"direction, so data alone get 30/32. {ONCE}"
)
TURN = (
    "A backward RM cell waits at the far end, whose own source has data to send. A newer one takes its "
    "place, or all are queued: TM 4.0 allows both. If the far end has nothing to send, none waits. The paper "
    f"has 45 Mb/s from 825 to 1200 ms at Crm = 32. All cells are counted. {ONCE}"
)
CDF = (
    "The paper: results do not significantly vary for different CDF. CDF = 0 never cuts. With CDF = 1 one cut "
    f"stops the source except for out-of-rate RM cells, ten a second. Data and RM cells. {ONCE}"
)
BOUND = (
    "The least Crm without a cut, found by runs that end after the first feedback, for lines of 155 and 622 "
    "Mb/s and one to three satellite hops of 550 ms each; to be compared, each is divided by its hops and by "
    "4 for 622 Mb/s. It is the number of forward RM cells sent until then: round trip x ICR / 32, "
    "rounded up; the round trip includes the cell's time on each line and its wait at the far end. The paper's "
    "6144, 24576 and multiples are enough, because the rate is 90 % of the line's; at the line's rate its formula "
    f"needs more. {ONCE}"
)
CUTS = (
    "How often rule 6 acts before the first feedback, against Crm as a share of the least without a cut. One "
    f"less than that is one cut. {ONCE}"
)
EXPOSURE = (
    "The number of the forward RM cell that is cut first, less one, for sources of different TBE on a broken "
    "line; dashed: TBE / 32, rounded up. The greatest TBE that 24 bits can signal, 16,777,215 cells, gives a "
    f"Crm of 524,288 = 2^19. {ONCE}"
)
TRIGGER = (
    "Rule 6 without a satellite, Crm = 32: its mean ACR, against forward RM cells at full rate for each that "
    f"returns. The way back is slow by a low peak rate, or congested by video with priority. {ONCE}"
)
PAUSE = (
    "Both ends pause for three seconds, at Crm = 256, and start again: without answers on their way, rule 6 "
    f"acts as at the start. Left: from the start on; right: from the end of the pause on. {ONCE}"
)
RULE_5 = (
    "Sources with an ICR of 70 Mb/s pause; Crm is large enough. If no forward RM cell is sent for more than ADTF, 0.5 "
    "s, the next one sets the rate to ICR (rule 5); after a short pause the rate is as before. "
    f"{ONCE}"
)
BROKEN = (
    "The purpose of rule 6: the satellite line breaks at 1.2 s. Answers on their way still arrive; after the "
    "last of them Crm RM cells are sent, then the rate falls. All cells sent into the broken line until 3 s are "
    f"lost: the cost of a large Crm. {ONCE}"
)

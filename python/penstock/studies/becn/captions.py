"""Captions of the BECN study: its figures, and the paper's text on each; the plots are lost."""

from __future__ import annotations

TITLES = {
    2: "Figure 2: simple filter, sources halve; 20 sources, peak 25 %",
    3: "Figure 3: simple filter, sources stop; 5 sources, peak 100 %",
    4: "Figure 4: filter per VC, sources halve; 2 to 100 sources, peak 100 %",
}

STATES = {
    2: "The paper on figure 2: without a filter (F = 0) the throughput is about 70 %; as the filter's period grows, "
    "the throughput grows, the notices become fewer, and the queue grows faster with the delay; periods up to 8 "
    "improve on no filter.",
    3: "The paper on figure 3: periods between 2 and 8 give a similar throughput, above 80 %; periods of 4 and 8 "
    "keep the notices below 10 % of the cells for delays of up to 100 cell times.",
    4: "The paper on figure 4: the throughput is mostly above 80 % for any number of sources; notices take about "
    "0.08 % of the link for each source, whatever the delay, below 9 % for 100 sources and just over 1 % for 20; "
    "the mean queue is below 200 cells, and up to about 20 sources the longest is below 400. It plots the mean "
    "queue for 10 sources.",
}

RUN = {
    2: "Run: F = 0, 1, 2, 4, 8, of which the text names 0 and 8; recovery after 128 of a source's own cell times at "
    "peak, which are 512 of the line's (another figure has both interpretations); steady state, after 0.5 "
    "million cell times, over 2 million cells.",
    3: "Run: recovery after 256 cell times; steady state, after 0.5 million cell times, over 2 million cells.",
    4: "Run: filter period 768 cell times, nine rates, recovery after 768 cell times at the lowest to 3072 at the "
    "highest; steady state, after 1.5 million cell times, over 2 million cells. The ideal model: all sources "
    "together alternate between 130 and 65 % of the link; its queue does not depend on the number of sources.",
}

DRAWN = "Means over seeds with their 95 % intervals."

LEVELS = (
    "The paper: each source centres on about its fair share of the link and toggles between this rate, the one "
    "above and the one below. Share of the time of all sources at each rate, over delays of 0 to 100 cell times; "
    "each rate is half of the one above, the last is zero."
)
RECOVERY = (
    "The paper gives the recovery constant of figure 2 as 128 cell times, and says that all delays are in cell "
    "times of the output line. Left, as figure 2 is drawn here: counted in a source's own cell times at 25 % of "
    "the link, which is 512 of the line's; only then is the throughput without a filter about 70 %, as the paper "
    "states. Right: counted in cell times of the line, by the letter."
)
FULL_RATE = (
    "The paper: with 20 sources at a peak of 100 % the simple filter makes the longest queue grow too rapidly to be "
    "useful, even for periods as small as 1. Sources halve and recover after 128 cell times; also figure 2's sources "
    "at a peak of 25 % with F = 8."
)
FEW_SOURCES = (
    "The paper: stopping on a notice copes with a limited number of sources at a peak of 100 % only, before the "
    "longest queue becomes unacceptable even at reasonable delays. Figure 3 with F = 4 and more sources."
)
THRESHOLD = (
    "The paper: adjusting the threshold trades throughput for delay, by the mean queue and the time that the "
    "queue remains empty. Filter per VC, 10 sources."
)
LONG = (
    "The paper: work in progress suggests that the filter per VC tolerates delays of several hundred kilometres, "
    "with some slight loss of throughput and longer queues. One cell time is about 0.6 km of fibre, so 400 are "
    "about 240 km. The filter's period stays at 768 cell times. Dashed: the ideal model."
)
FAIRNESS = (
    "Jain's index of the cells delivered to each source, 1 if all get the same. The paper states that "
    "recovery in proportion to the rate ensures fairness, without a measurement."
)
START = (
    "Left: the longest queue after the start, before warm-up ends; right: in steady state, for which the paper's "
    "bounds are. All sources start at full rate, so the queue fills long before the first notice takes "
    "effect, and more with more sources. The paper says nothing about it."
)
START_MAP = (
    "The longest queue after the start against sources and delay, filter per VC. Each source gets a notice at"
    " most once in a filter's period, so N sources at full rate need several periods to slow down."
)
MAP_SIMPLE = (
    "The simple filter with halving, 20 sources at a peak of 25 %: the longest queue in steady state against the "
    "filter's period and the delay; period 0 is no filter."
)
MAP_PER_VC = (
    "The filter per VC, 20 sources: the longest queue in steady state. The shortest recovery is the filter's "
    "period, the longest four times that. The paper: the best period is of the order of the longest propagation "
    "delay."
)
ORDER = (
    "Cells that arrive in one instant: processed in random order, as in all other figures, or always in that of the "
    "sources' names. With the simple filter, a fixed order notifies the same sources again and again. Figure 2's "
    "sources."
)
SERIES = (
    "One run, from 140,000 cell times after the start. Notices: BECN cells per 100 cell times of the line. Rates: "
    "three of the sources, and the sum of all, as shares of the link."
)

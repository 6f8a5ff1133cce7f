"""Captions of the ATN study. The paper has two tables and no curves: all curves are of its exercises."""

from __future__ import annotations

TITLES = {
    "5-1": "Table 5-1: five strategies, many end systems",
    "5-2": "Table 5-2: five strategies, few end systems",
}
DRAWN = "Means over seeds with their 95 % intervals."
TABLE = (
    "The printed table next to our runs. Topology, rates, sizes and traffic are inferred, because the paper's figures "
    "are lost. The printed power is throughput over delay, as the paper defines it; one printed value is a misprint."
)
LOAD = (
    "The five strategies, and DECbit, against the mean time between two packets of a connection: the load falls from "
    "left to right. The curve of none is exercise STU/TP4/1. All have the same connections and packets, and are "
    "drawn side by side so that all are visible. Power is throughput over delay."
)
EXERCISE = "{reference}: {strategy}, a packet every second on each connection; both scenarios."
MAP = "{reference}: {strategy}, its {parameter} against the mean time between two packets. {held}"
HELD = "At {curve}; data/points.csv has the others. All other parameters are those of the tables."
ALL_HELD = "All other parameters are those of the tables."
BUFFERS = (
    "Mean load of all output queues of each intermediate system, including NPDUs in transmission. IS6 has the "
    "congested queue in both scenarios. The axis is logarithmic: a system without packets has no mark."
)
READINGS = (
    "Three interpretations of the delay (from the transmission of the copy first delivered, from the first "
    "transmission, from the production of the packet), and two of the buffer load (with the NPDU in transmission, and "
    "without)."
)
OSCILLATION = (
    "Scenario B, two senders: the window advertised to each (0 without a connection) and the bits in the congested "
    "queue. The paper: with few end systems the window oscillates between 1 and a high value under withdrawing credit, "
    "and not under congestion avoidance; the verdict on claim atn.oscillation says whether ours do. Seed {seed}, the "
    "first {minutes:g} minutes."
)
RUSH = (
    "Two connections on scenario A's network; at 120 s {told}. The paper: withdrawing credit reacts more efficiently "
    "to a sudden increase; the verdict on claim atn.reaction says whether it does here. The sum of the windows of "
    "these two connections, and the bits in the congested queue; seed {seed}."
)

"""Captions of the EPRCA study: its figures, and the paper's text on each; the plots are lost."""

from __future__ import annotations

from penstock.studies.eprca.grid import CONNECTIONS, SCHEMES, WATCHED

TITLES = {
    **{
        number: f"Figure {number}: {SCHEMES[point.scheme].name}, tau = {point.tau:g} ms, {CONNECTIONS} connections"
        for number, point in WATCHED.items()
    },
    10: "Figure 10: aggregate throughput, tau = 1 ms, 10 connections",
    11: "Figure 11: EPRCA++, longest ABR queue against the target, tau = 1 ms, 10 connections",
    12: "Figure 12: longest ABR queue against tau, 10 connections",
    13: "Figure 13: longest ABR queue against the number of connections, tau = 0.01 ms",
    14: "Figure 14: longest ABR queue against the number of connections, tau = 1 ms",
}

LAN = (
    "The paper on figures 2 to 5: the rates rise and fall with the video's rate; in a LAN no "
    "scheme is bad beside video, and EPRCA++ is best."
)
WAN = (
    "The paper on figures 6 to 10: with the longer delay the BES uses the link best; the EFCI switch notifies too "
    "slowly, and the EDS reduces all rates too often."
)
EXPLOSION = (
    "The paper on figure 9: at a target of 0.95 the queue of EPRCA++ explodes, because the rates are out of date when "
    "they reach the sources; a target of 0.85 would avoid it."
)
STATES = {
    **dict.fromkeys((2, 3, 4, 5), LAN),
    **dict.fromkeys((6, 7, 8, 10), WAN),
    9: EXPLOSION,
    11: "The paper on figure 11: the queue grows rapidly unless the target is set properly, and a target only slightly "
    "too high has a serious effect.",
    12: "The paper on figure 12: on the effect of tau the text says only that EPRCA is good at any scale of the "
    "network, and that EPRCA++ is hard to use in a WAN.",
    13: "The paper on figure 13: EPRCA is good, and EPRCA++ is almost optimal in a LAN.",
    14: "The paper on figure 14: EPRCA is good, and EPRCA++ is hard to use in a WAN.",
}
DRAWN = "Means over seeds with their 95 % intervals; the queue is the longest in 300 ms, link use counts from 50 ms on."
SERIES = (
    "Rates: the ACR of connections, the sum of ACR over started connections, and the video cells that leave. "
    "The nth connection starts at 5 (n - 1) ms. Seed {seed}; below also the mean and the greatest of {seeds} seeds, "
    "each with other video."
)
THROUGHPUT = (
    "Cells that leave the switch, means over {window:g} ms; their sum is the load of the link. Seed {seed}, and the "
    "mean of ABR over {seeds} seeds."
)

THRESHOLDS = (
    "EPRCA at tau = 1 ms against the threshold QT, with the second threshold DQT as a multiple of it; 100 and 200 "
    "cells elsewhere. The EFCI switch has no DQT."
)
RATES = (
    "EPRCA at tau = 1 ms against the additive increase AIR for each cell and, for the EDS, the factor MRF of a major "
    "reduction; 53 kb/s and 0.25 elsewhere."
)
USE = "Link use from 50 ms on."
QUEUE = "Mean ABR queue from 50 ms on."
LEAD = (
    "Link use of the BES minus that of the better of the other two, in points: above 0 it is best, as in the paper "
    "with its own parameters, which are lost."
)
BURST = (
    "A video frame's cells are sent evenly over the frame's time, as in all other figures, or as a burst at 14.84 Mb/s "
    "from its start."
)
FORWARD = (
    "EPRCA++ writes its rate into RM cells on their way back, as in all other figures, or on their way forward: then "
    "it returns by way of the destination. The paper says that its notification is like FECN."
)
READING = (
    "EPRCA++ beside video. The paper prints the fair share as a part of the whole available rate, as in all other "
    "figures: connections at this share fill the link for any target, and no queue drains. Also the "
    "share of the target's part, as in later switches."
)
FAIRNESS = (
    "Jain's index of the cells delivered to each connection from 50 ms on, 1 if all get the same; with video and "
    "without. Ten connections."
)
STEPS = (
    "Without video, tau = 1 ms: a connection starts every 5 ms. The paper: EPRCA++ sets all rates within one round "
    "trip, which is 2 ms here, and is fairer and more responsive than EPRCA."
)
CALM = (
    "Without video, tau = 1 ms and 0.01 ms: the schemes alone. Ten connections; longest queue of all "
    "300 ms, mean queue and link use from 50 ms on."
)

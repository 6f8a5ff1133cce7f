"""A scenario whose every instant is known: two cells come every millisecond, and one leaves.

In the queue after all events of 0, 0.5, 1, 1.5, 2, 2.5 ms are 1, 2, 2, 3, 3, 4 cells, the one in service included. At
3 ms one leaves before one comes, and the cell of 3.5 ms is the first that is lost. A cell arrives 3 ms after it left.
"""

CELLS = """
title = "cells"
duration = "100 ms"
[line.trunk]
between = ["a", "b"]
rate = "424 kb/s"
delay = "3 ms"
queues = [{ drop_tail = { size = "4 cells" } }]
[flow.data]
path = ["a", "b"]
traffic.cbr = { rate = "848 kb/s", start = "0 s" }
"""

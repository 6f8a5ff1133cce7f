"""Equal-cost multipath against theory (row E2 of the validation page): how many of n equal paths n flows use."""

from __future__ import annotations

import math
import statistics

import pytest

from penstock import Scenario, run

DRAWS = 100
"""Each is a pair of nodes with paths of its own, and as many flows as paths."""


def busy_shares(paths: int) -> list[float]:
    """For each draw, the share of its paths that carry data."""
    text = 'duration = "20 us"\nequal_paths = "hash"\n[defaults.line]\nrate = "1 Gb/s"\ndelay = "1 us"\n'
    for draw in range(DRAWS):
        for path in range(paths):
            text += f'[line.there_{draw}_{path}]\nbetween = ["from_{draw}", "by_{draw}_{path}"]\n'
            text += f'[line.then_{draw}_{path}]\nbetween = ["by_{draw}_{path}", "to_{draw}"]\n'
        for flow in range(paths):
            text += f'[flow.flow_{draw}_{flow}]\nfrom = ["from_{draw}"]\nto = ["to_{draw}"]\n'
            text += 'traffic.cbr = { rate = "10 Mb/s", start = "0 s" }\n'
    ports = run(Scenario.parse(text)).ports
    departed = dict(ports.select("port", "departed").iter_rows())
    busy = [sum(departed[f"there_{draw}_{path}"] > 0 for path in range(paths)) for draw in range(DRAWS)]
    return [count / paths for count in busy]


@pytest.mark.parametrize(("paths", "truth"), [(2, 0.75), (4, 0.683594), (8, 0.656391)])
def test_n_flows_use_the_share_of_n_paths_that_chance_gives(paths: int, truth: float) -> None:
    """The mean is 1 - (1 - 1/n)^n. The hash has no seed, so the draws are always these."""
    assert truth == pytest.approx(1 - (1 - 1 / paths) ** paths, abs=1e-6)
    shares = busy_shares(paths)
    error = statistics.stdev(shares) / math.sqrt(DRAWS)
    assert abs(statistics.mean(shares) - truth) < 2 * error
    # A path for each flow, or one for all, would be seen.
    assert min(abs(1 - truth), abs(1 / paths - truth)) > 8 * error

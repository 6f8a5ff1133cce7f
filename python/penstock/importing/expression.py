"""Expressions over packets: whether one needs more than the packet that it is about."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

OVER_ROWS = {
    *("Agg", "Len", "Over", "Window", "Rolling", "Explode"),
    *("Gather", "Filter", "Slice", "Sort", "SortBy", "Rank"),
    *("Quantile", "Shift", "Range", "CumSum", "CumCount", "CumMin"),
    *("CumMax", "CumProd", "Diff", "Mode", "Correlation", "Skew", "Kurtosis"),
    *("Unique", "Reverse", "ArgMin", "ArgMax", "RLE", "Random"),
}
"""Parts of an expression whose value for a packet depends on other packets, as polars names them."""

GIVEN = ("Column", "Literal")
"""Parts that are named by the user, and may have any name."""


def needs_other_rows(expression: pl.Expr) -> bool:
    """Whether the value for one row depends on other rows: an aggregate, a window, a rank, a shift."""
    return _has(json.loads(expression.meta.serialize(format="json")))


def _has(part: object) -> bool:
    if isinstance(part, dict):
        return any(name in OVER_ROWS or _has(value) for name, value in part.items() if name not in GIVEN)
    if isinstance(part, list):
        return any(map(_has, part))
    return part in OVER_ROWS if isinstance(part, str) else False

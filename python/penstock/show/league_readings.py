"""The readings of a case for its page: as CSV, and as data for the script that draws them."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence

from penstock.league.readings import QUANTITIES, Readings

LEVELS = 250
"""The steps from 0 to the largest reading of a run, in the data of a page: finer than its drawing."""
MISSING = 255


def csv(readings: Readings) -> str:
    """One row for each scheme, replication (from 1) and time."""
    import polars as pl

    shape = readings.values.shape[1:]
    columns = dict(zip(QUANTITIES, readings.values.reshape(len(QUANTITIES), -1), strict=True))
    rows = pl.DataFrame(
        {
            "scheme": [name for name in readings.schemes for _ in range(shape[1] * shape[2])],
            "replication": [each + 1 for each in readings.replications for _ in range(shape[2])] * shape[0],
            "time_s": [*readings.times_s] * (shape[0] * shape[1]),
            **columns,
        }
    )
    return rows.filter(pl.col(QUANTITIES[0]).is_not_nan()).rename({"queue": "queue_pdus"}).write_csv()


def packed(readings: Readings, pair: Sequence[str]) -> str:
    """All readings as JSON for the script of a page, which first shows the schemes of the ``pair``.

    ``data`` has one octet for each reading, in the order of ``values``, compressed (zlib) and as base64: so many
    ``levels`` of the ``scales`` of its run, which are in the same order. A queue is exact up to that many PDUs.
    """
    import numpy as np

    tops = np.nan_to_num(readings.values).max(axis=-1)
    scales = np.where(tops > 0, tops, 1.0)
    scales[0] = np.where(scales[0] <= LEVELS, LEVELS, scales[0])
    levels = np.rint(readings.values / scales[..., None] * LEVELS)
    octets = np.where(np.isfinite(levels), levels, MISSING).astype(np.uint8).tobytes()
    told: Mapping[str, object] = {
        "schemes": list(readings.schemes),
        "replications": [each + 1 for each in readings.replications],
        "times": [float(f"{each:.6g}") for each in readings.times_s],
        "pair": [readings.schemes.index(name) for name in pair],
        "levels": LEVELS,
        "scales": [float(f"{each:.4g}") for each in scales.reshape(-1)],
        "data": base64.b64encode(zlib.compress(octets, 9)).decode(),
    }
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))

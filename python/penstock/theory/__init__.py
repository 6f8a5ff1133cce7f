"""Where theory covers a run: exact results and bounds beside what was measured.

One module for each kind of theory recognises the scenarios that have everything that it needs, from the effective
scenario of the result. A scenario that misses one condition has no row.

- ``scene``: what theories need to know of a run
- ``utilisation``: lines with less offered than their rate
- ``single_queue``: M/D/1 and M/D/1/K
- ``explicit_rate``: max-min shares
- ``token_bucket``: bounds of network calculus
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.theory import explicit_rate, single_queue, token_bucket, utilisation
from penstock.theory.scene import Row, Scene

if TYPE_CHECKING:
    from penstock.api.run import Result

__all__ = ["Row", "theory"]

KINDS = (utilisation, single_queue, explicit_rate, token_bucket)


def theory(result: Result) -> list[Row]:
    """The results of theory for a run, each beside the measured value; empty if no theory applies."""
    scene = Scene.of(result)
    if scene.changes or "stopped" in result.manifest:  # where a simulation stops may depend on what it measured
        return []
    return [row for kind in KINDS for row in kind.rows(scene)]

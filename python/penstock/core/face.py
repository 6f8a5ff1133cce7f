"""How results look in a notebook, and their figures: methods of low rooms that the room ``show`` carries out.

These classes have to have the methods, because a notebook asks the objects themselves. What they do is in the highest
room. This module is the only one that reaches up, and imports at the first use.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager


class Shown:
    """An object that a notebook shows as a card: its key figures, and a small table."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """The card, in HTML."""
        card: str = import_module("penstock.show.notebook").html_of(self)
        return card


class Plotted(Shown):
    """One that has figures, too."""

    __slots__ = ()

    def plot(self, what: str = "") -> Any:  # noqa: ANN401 - its type is of a higher room
        """Its figures, which a notebook shows; ``save(directory)`` writes them as SVG and PNG.

        ``what`` is ``network``, ``time`` (the readings of a time series, ``measure.sample``), ``delays`` (their
        distributions, ``measure.distributions``), or a metric, as ``loss_ratio`` or ``voice.delay_p99_s``: its values
        with their intervals. By default that is ``time`` if there are readings, else ``network``; of a sweep or a
        comparison the first of its metrics. Raises :class:`penstock.InputError` for what there is not.
        """
        return import_module("penstock.show.plots").plots_of(self, what)


def in_notebook() -> bool:
    """Whether the code runs in a notebook, or anything else with a kernel of IPython."""
    module = sys.modules.get("IPython")
    shell = None if module is None else module.get_ipython()
    return shell is not None and hasattr(shell, "kernel")


def progress(label: str) -> AbstractContextManager[Callable[[Any], None] | None]:
    """What shows progress in a notebook: for a share from 0 to 1, or a state of an experiment; None anywhere else."""
    if not in_notebook():
        return nullcontext()
    shown: AbstractContextManager[Callable[[Any], None]] = import_module("penstock.show.progress").in_cell(label)
    return shown

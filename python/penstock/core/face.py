"""How results look in a notebook, and their figures: methods of low rooms that the room ``show`` carries out.

These classes have to have the methods, because a notebook asks the objects themselves. What they do is in the highest
room, and comes from above: ``penstock/__init__.py`` gives it to :func:`draw_with`.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager


@dataclass(frozen=True, slots=True)
class Renderers:
    """What draws: the card of an object in HTML, its figures by name, and the progress of what has a label."""

    card: Callable[[object], str]
    plots: Callable[[object, str], Any]
    progress: Callable[[str], AbstractContextManager[Callable[[Any], None]]]


_given: list[Renderers] = []


def draw_with(renderers: Renderers) -> None:
    """Let these draw from now on."""
    _given[:] = [renderers]


class Shown:
    """An object that a notebook shows as a card: its key figures, and a small table."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """The card, in HTML."""
        return _given[0].card(self)


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
        return _given[0].plots(self, what)


def in_notebook() -> bool:
    """Whether the code runs in a notebook, or anything else with a kernel of IPython."""
    module = sys.modules.get("IPython")
    shell = None if module is None else module.get_ipython()
    return shell is not None and hasattr(shell, "kernel")


def progress(label: str) -> AbstractContextManager[Callable[[Any], None] | None]:
    """What shows progress in a notebook: for a share from 0 to 1, or a state of an experiment; None anywhere else."""
    if not in_notebook():
        return nullcontext()
    return _given[0].progress(label)

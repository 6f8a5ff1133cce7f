"""Both forms of the engine on one scenario: their results are the same, unless a class in Python prevents it."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from penstock import _engine
from penstock.core.errors import InputError
from penstock.core.units import picoseconds
from penstock.execute.worker import Form, class_loader, load_trace

if TYPE_CHECKING:
    from penstock.core.scenario import Scenario

LONGEST = "1 s"
"""The simulated time for which the forms are compared."""


def compare_forms(scenario: Scenario) -> str:
    """Run the begin of ``scenario`` in both forms, with its classes in Python, and say for how long.

    Raises :class:`InputError` if the results differ, or if a class fails.
    """
    until = min((LONGEST, str(scenario.tree["duration"])), key=picoseconds)
    found = set()
    for form in get_args(Form):
        try:
            run = _engine.Run(scenario.to_json(), 1, 0, form, load_trace=load_trace, load_class=class_loader())
            while not run.advance_to(until):
                pass
        except _engine.ScenarioError as error:
            raise InputError(
                error.reason, path=error.path, value=error.value, remedy=error.remedy, file=scenario.name
            ) from None
        found.add(run.fingerprint)
    if len(found) > 1:
        told = ", ".join(f"{name} of {file}" for file, name in scenario.classes())
        raise InputError(
            f"the plain form of the engine gives another result in the first {until}: instances share something",
            value=told,
            remedy="keep all state in the instance, and take times and random numbers from Penstock",
            file=scenario.name,
        )
    return until

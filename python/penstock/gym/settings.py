"""What an environment sets: parameters that a run can change, each in a range."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from penstock.api.ranges import Range, fitted, range_of
from penstock.core.errors import InputError
from penstock.core.units import BITS, BITS_PER_SECOND, SECONDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.api.simulation import Simulation
    from penstock.core.scenario import Scenario

ALLOWANCES = {"fixed_window": "window", "tm40": "pcr", "eprca": "pcr", "explicit_rate": "peak", "rate_factor": "cap"}
"""The parameter of each reaction point that bounds what its source may send."""

LEAST = {**BITS_PER_SECOND, **BITS, **{unit: size * 1e12 for unit, size in SECONDS.items()}}
"""How many b/s, bits or picoseconds are in a unit: a scenario has whole numbers of these."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A parameter of a scenario, with the range of its values."""

    range: Range

    @property
    def path(self) -> str:
        """Its path in the expanded scenario."""
        return self.range.path

    def value(self, action: float) -> object:
        """Its value at an action from 0 to 1, as a scenario has it."""
        number = self.range.low + action * (self.range.high - self.range.low)
        if (least := LEAST.get(self.range.unit)) is not None:
            number = round(number * least) / least
        return self.range.value(number)


def settings_of(act: Mapping[str, str], scenario: Scenario, sim: Simulation) -> list[Setting]:
    """The parameters to set. Both ends of each range are tried in a fork of `sim`. Raises :class:`InputError`."""
    if not act:
        raise InputError("nothing is set", path="act", remedy='name a parameter: {"line.trunk.rate": "1 Mb/s..9 Mb/s"}')
    expanded = scenario.expanded()
    settings = [_setting(key, text, expanded, sim) for key, text in act.items()]
    for number, setting in enumerate(settings):
        if setting.path in (other.path for other in settings[:number]):
            remedy = "delete one of the two"
            raise InputError("this is set twice", path="act", value=setting.path, remedy=remedy)
        # Two paths may lead to one parameter by `*`: then they would be changed twice at one instant.
        _try({other.path: other.value(0.0) for other in settings[: number + 1]}, setting.path, sim)
    return settings


def _setting(key: str, text: str, expanded: Scenario, sim: Simulation) -> Setting:
    path = _allowance(key, expanded.tree) if key in expanded.tree.get("flow", {}) else key
    wanted = range_of(path, str(text))
    # A value between whole numbers may be refused by its type. The refusal of an end is told as that of a change.
    for end in (wanted.low, wanted.high):
        _try({path: replace(wanted, is_whole=end.is_integer()).value(end)}, path, sim)
    return Setting(fitted(wanted, expanded))


def _try(values: Mapping[str, object], path: str, sim: Simulation) -> None:
    """Raises :class:`InputError` unless a run can change these."""
    try:
        sim.fork().change(values)
    except InputError as error:
        value = values[path] if error.path.endswith("value") else path
        raise InputError(error.reason, path=f"act.{path}", value=value, remedy=error.remedy) from None


def _allowance(group: str, tree: Mapping[str, Any]) -> str:
    """The path of the parameter that bounds what the flows of a group may send. Raises :class:`InputError`."""
    point: Mapping[str, Any] = tree["flow"][group].get("reaction_point") or {}
    keyword = next(iter(point), "")
    if keyword in ALLOWANCES:
        return f"flow.{group}.reaction_point.{keyword}.{ALLOWANCES[keyword]}"
    reason = f"the flows of this group have {f'the reaction point {keyword}' if keyword else 'no reaction point'}"
    raise InputError(
        f"{reason}, of which no parameter bounds what they may send",
        path="act",
        value=group,
        remedy=f"choose a reaction point of {', '.join(ALLOWANCES)}, or name a parameter by its path",
    )


def values_at(settings: list[Setting], action: object) -> dict[str, object]:
    """The values of the parameters at an action: numbers from 0 to 1. Raises :class:`InputError`."""
    try:
        shares = [float(share) for share in action]  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        shares = []
    if len(shares) != len(settings):
        remedy = f"give an array of the shape ({len(settings)},), of numbers from 0 to 1"
        raise InputError("this is no action of this environment", path="action", value=repr(action), remedy=remedy)
    for number, share in enumerate(shares):
        if not (math.isfinite(share) and 0.0 <= share <= 1.0):
            remedy = f"give a number from 0 to 1, from {settings[number].value(0.0)} to {settings[number].value(1.0)}"
            raise InputError("this is out of range", path=f"action[{number}]", value=share, remedy=remedy)
    return {setting.path: setting.value(share) for setting, share in zip(settings, shares, strict=True)}

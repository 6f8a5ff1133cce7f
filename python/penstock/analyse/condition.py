"""A condition on a metric, such as ``voice.loss_ratio < 1e-4``: whether runs meet it, and how far they are from it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

from penstock.analyse.metric import Metric, metric
from penstock.core import units
from penstock.core.errors import InputError
from penstock.core.scenario import Scenario
from penstock.statistics import Estimate

FORM = re.compile(r"\s*([^<>=\s]+)\s*([<>])=?\s*([^<>=]+?)\s*")
EXAMPLE = 'write METRIC < LIMIT or METRIC > LIMIT, as "voice.loss_ratio < 1e-4" or "voice.delay_p99_s > 400 ms"'
FROM_GENERATION = {f"delay_{each}_s": f"delay_generation_{each}_s" for each in ("mean", "p50", "p99", "p999", "max")}
"""What a question means by a delay: users wait for data from their generation on, at the source as in the network."""
IN_NETWORK = "delay_network_"
"""How the name of a delay begins that counts from transmission."""
UNITS = {"s": " s", "bps": " b/s", "bits": " bits"}
"""The unit of a limit without one, by the end of the column's name."""
READERS = {"s": units.seconds, "bps": units.bits_per_second, "bits": units.bits}
"""What reads a quantity for a column, by the end of the column's name."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A metric of one group or port and its limit, in the unit of its column.

    ``quantity`` is the limit as written, and ``asked`` the name of the metric in the question.
    """

    metric: Metric
    sign: Literal["<", ">"]
    limit: float
    quantity: str = ""
    asked: str = ""

    def __str__(self) -> str:
        return f"{self.metric} {self.sign} {self.shown_limit}"

    @property
    def name(self) -> str:
        """The metric as it was asked for."""
        return self.asked or str(self.metric)

    @property
    def unit(self) -> tuple[str, float]:
        """The unit of the limit, if it was written, and how many of the column's it is."""
        reader, unit = READERS.get(_unit(self.metric.column)), self.quantity.partition(" ")[2].strip()
        return (unit, reader(f"1 {unit}")) if reader and unit else ("", 1.0)

    @property
    def shown_limit(self) -> str:
        """The limit with its unit: as it was written, if that has one."""
        return self.quantity or f"{self.limit:g}{UNITS.get(_unit(self.metric.column), '')}"

    @property
    def met(self) -> str:
        """What the metric is where the condition holds, in words."""
        return f"{'above' if self.sign == '>' else 'below'} {self.shown_limit}"

    @property
    def unmet(self) -> str:
        """What it is where the condition does not hold."""
        return f"at {'most' if self.sign == '>' else 'least'} {self.shown_limit}"

    def is_met(self, estimate: Estimate) -> bool:
        """Whether the whole interval meets it."""
        return self.excess(estimate) < 0

    def is_broken(self, estimate: Estimate) -> bool:
        """Whether the whole interval is on the other side of the limit, or at it."""
        low, high = estimate.ends
        end = low if self.sign == "<" else high
        return end is not None and (end >= self.limit if self.sign == "<" else end <= self.limit)

    def excess(self, estimate: Estimate) -> float:
        """How far the worse end of the interval is beyond the limit; negative if the whole interval meets it.

        It is relative to the limit, or absolute if that is 0. Without an interval it is infinite, unless nothing is
        random: then the value itself is judged.
        """
        low, high = estimate.ends
        end = high if self.sign == "<" else low
        if end is None:
            return math.inf
        beyond = end - self.limit if self.sign == "<" else self.limit - end
        return beyond / abs(self.limit) if self.limit else beyond


def condition(text: str, scenario: Scenario, option: str) -> Condition:
    """The condition that a text means for a scenario; ``option`` names it in errors. Raises :class:`InputError`."""
    found = FORM.fullmatch(text)
    if found is None:
        raise InputError("this is no condition", path=option, value=text, remedy=EXAMPLE)
    name, sign, limit = found[1], found[2], found[3]
    own = single(name, scenario, option)
    number, asked = _number(limit, own, option, text), as_asked(name, own)
    return Condition(own, "<" if sign == "<" else ">", number, limit * (" " in limit), asked)


def single(text: str, scenario: Scenario, option: str) -> Metric:
    """The metric of one group or port that a text names. Raises :class:`InputError`, also for one of all groups."""
    try:
        own = metric(_asked(text), scenario)
    except InputError as error:
        raise InputError(error.reason, path=option, value=error.value, remedy=error.remedy) from None
    if own.name:
        return own
    names = own.names(scenario)
    if len(names) == 1:
        return Metric(own.table, own.column, names[0])
    raise InputError(
        f"this is the metric of {len(names)} {own.table}: one is needed",
        path=option,
        value=text,
        remedy=f"write {names[0]}.{own.column}; there are {', '.join(names)}" if names else "",
    )


def as_asked(text: str, own: Metric) -> str:
    """The name of a metric of one group or port as a question has it, with the group's or port's name."""
    return f"{own.name}.{text.strip().rpartition('.')[2]}"


def difference(asked: str, own: Metric) -> str:
    """A sentence, if a delay is another column of the results than that of the question's name: which one, and why."""
    if asked == str(own):
        return ""
    if own.column in FROM_GENERATION:
        return f"{asked} is {own} of the results: it counts from transmission."
    network = f"{own.name}.{own.column.replace('delay_generation_', IN_NETWORK, 1)}"
    return (
        f"{asked} is measured as {own}, from the generation of data on, because users wait at the source, too; "
        f"{network} counts from transmission."
    )


def _asked(text: str) -> str:
    """The metric that a question means by a delay: that from generation, unless it asks for that in the network."""
    name, point, column = text.strip().rpartition(".")
    if column in FROM_GENERATION:
        return f"{name}{point}{FROM_GENERATION[column]}"
    return f"{name}{point}{column.replace(IN_NETWORK, 'delay_', 1)}" if column.startswith(IN_NETWORK) else text


def _unit(column: str) -> str:
    """The end of a column's name that is its unit; empty for a rate of events."""
    return "" if column.endswith("_per_s") else column.rpartition("_")[2]


def _number(text: str, own: Metric, option: str, whole: str) -> float:
    """A limit in the unit of the metric's column: a number, or a quantity such as ``400 ms``."""
    reader = READERS.get(_unit(own.column))
    try:
        number = float(text) if reader is None or " " not in text else reader(text)
    except (ValueError, KeyError):
        number = math.nan
    if math.isfinite(number):
        return number
    raise InputError(f'"{text}" is no limit for {own}', path=option, value=whole, remedy=EXAMPLE)

"""The results of a capacity: the bracket, how its ends were judged, the curve over the range, and its page."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.analyse.condition import Condition, condition, difference
from penstock.analyse.demand import overload
from penstock.api.capacity import KIND, range_for
from penstock.plot import Sheet
from penstock.show.answers import (
    INTERVALS,
    base_of,
    heading,
    in_unit,
    panel_along,
    plain,
    print_rows,
    samples_along,
    with_overload,
)
from penstock.show.open_loop import open_loop
from penstock.show.output import Outcome, Output
from penstock.show.report import Figure, Report, Section, Table
from penstock.show.settings import short_names
from penstock.show.state import warnings_of
from penstock.show.terminal import notes_below, print_text
from penstock.statistics import Estimate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.analyse.results import Results
    from penstock.api.ranges import Range


@dataclass(frozen=True, slots=True)
class Asked:
    """What a capacity was asked for: the range of its parameter, its short name, and the condition."""

    range: Range
    name: str
    until: Condition

    @property
    def path(self) -> str:
        """The path of the parameter."""
        return self.range.path

    def value(self, number: float) -> str:
        """A value of the parameter, with its unit."""
        return str(self.range.value(number))

    @classmethod
    def of(cls, results: Results) -> Asked:
        """As the details of the experiment have it."""
        details = results.about["details"]
        base = base_of(results)
        found, _ = range_for(details["of"], base)
        return cls(found, short_names([found.path])[found.path], condition(details["until"], base, "--until"))


def headline(results: Results, asked: Asked) -> str:
    """One sentence: the bracket, or why there is none."""
    details, name, until = results.about["details"], asked.name, asked.until
    answer = details["answer"]
    if answer is None:
        return "The capacity has not been found yet."
    least, most = answer["least"], answer["most"]
    tried = [value for value, _ in details["bisected"]]
    rises = dict(details["overloaded"])
    if answer["state"] == "overloaded":
        low, high = min(tried), max(tried)
        return (
            f"There is no capacity in the range: it is overloaded at {name} = {asked.value(low)} "
            f"({overload(rises[low])}) and at {asked.value(high)} ({overload(rises[high])})."
        )
    if answer["state"] == "always":
        first = asked.value(min(tried))
        return f"The capacity is below the range: {until.name} is {until.met} at {name} = {first} already."
    if answer["state"] == "never":
        at = f"{name} = {asked.value(max(tried))}"
        return f"The capacity is above the range: {until.name} is still {until.unmet} at {at}."
    if least is None or most is None:
        place = f"where {until.name} is still {until.unmet}" if least is None else f"from where it is {until.met}"
        return (
            f"{until.name} crosses its limit of {until.shown_limit} in the range, but the runs leave open {place}: "
            "give more replications, or a wider range."
        )
    below, above = _rises_at(details, least, upper=False), _rises_at(details, most, upper=True)
    first = f"it is overloaded ({overload(below)})" if below else f"{until.name} is {until.unmet}"
    last = until.met if not (below or above) else f"{until.name} is {until.met}"
    last = f"it is overloaded ({overload(above)})" if above else last
    return f"With 95 % confidence {first} at {name} = {asked.value(least)}, and {last} at {asked.value(most)}."


def _rises_at(details: Mapping[str, Any], number: float, *, upper: bool) -> Mapping[str, float]:
    """The overloaded groups at an end of the bracket, by the replications that judged it."""
    judged = (each for each in details["judged"] if (each["value"], each["upper"]) == (number, upper))
    return next((each["overloaded"] for each in judged if each["decided"]), {})


def notes(results: Results, asked: Asked) -> list[str]:
    """An end of the bracket that may be overloaded, and what speaks against a single crossing of the limit."""
    name, until = asked.name, asked.until
    back = "falls" if until.sign == ">" else "rises"
    return _doubts(results, asked) + [
        f"{until.name} {back} between {name} = {asked.value(low)} and {asked.value(high)}, by paired differences: it "
        "may cross its limit at several places. Look at the curve."
        for low, high in results.about["details"]["turns"]
    ]


def _doubts(results: Results, asked: Asked) -> list[str]:
    """A sentence for each end of the bracket that must not be overloaded, but may be."""
    details = results.about["details"]
    answer = details["answer"] or {}
    ends = [(answer.get("least"), False), (answer.get("most"), True)]
    doubtful = {
        asked.value(each["value"]): overload(each["perhaps"])
        for each in details["judged"]
        if (each["value"], each["upper"]) in ends and not each["decided"]
    }
    return [
        f"At {asked.name} = {value} it may be overloaded ({rises}), and so may each value that was judged beyond it: a "
        "longer run or more replications tell."
        for value, rises in doubtful.items()
    ]


def judged_table(results: Results, asked: Asked) -> Table:
    """How the ends were judged, by new replications."""
    name, until = asked.name, asked.until
    judged = results.about["details"]["judged"]
    table = Table(
        "Judged by new replications",
        [name, heading(until), "wanted", "decided"],
        [
            [
                asked.value(each["value"]),
                str(in_unit(until, Estimate(*each["estimate"]))),
                until.met if each["upper"] else until.unmet,
                "yes" if each["decided"] else "no",
            ]
            for each in judged
        ],
        note="Each judgement has its own share of the error probability of 5 %, so its interval is wider than at 95 %.",
    )
    return with_overload(table, [each["overloaded"] for each in judged], [each.get("perhaps", {}) for each in judged])


def bisected_table(results: Results, asked: Asked) -> Table:
    """The means of the bisection, in their order."""
    name, until = asked.name, asked.until
    details = results.about["details"]
    _, size = until.unit
    rows = [[asked.value(value), f"{mean / size:.4g}"] for value, mean in details["bisected"]]
    rises = dict(details["overloaded"])
    table = Table("Bisection", [name, f"mean of {heading(until)}"], rows)
    return with_overload(table, [rises.get(value, {}) for value, _ in details["bisected"]])


def sheet_of(results: Results, asked: Asked) -> Sheet | None:
    """The metric over the whole range, with its limit."""
    path, until = asked.path, asked.until
    samples = samples_along(results, until.metric, path, {}, results.about["details"]["replications"])
    if not samples:
        return None
    return Sheet(
        "curve",
        f"{until.name} against {asked.name}",
        f"{INTERVALS} A thin line is one replication.{_overloaded_values(results, asked)}",
        [panel_along(path, until.metric, samples, until)],
    )


def _overloaded_values(results: Results, asked: Asked) -> str:
    """A sentence with the overloaded values of the curve; empty without."""
    details = results.about["details"]
    values = [asked.value(value) for value, _ in details["overloaded"] if value in details["curve"]]
    return f" Overloaded at {asked.name} = {', '.join(values)}." if values else ""


@notes_below()
def print_capacity(results: Results) -> None:
    """Print the answer and how it was judged on standard output."""
    asked = Asked.of(results)
    print_text(headline(results, asked))
    for note in notes(results, asked):
        print_text(note)
    print()
    for table in (judged_table(results, asked), bisected_table(results, asked)):
        print_rows(table)
    if other := difference(asked.until.name, asked.until.metric):
        print_text(other)
        print()


def to_json(results: Results) -> dict[str, Any]:
    """The answer and its judgements as plain data, in SI units."""
    details, asked = results.about["details"], Asked.of(results)
    return {
        "of": asked.path,
        "until": str(asked.until),
        "answer": details["answer"],
        "judged": [{**each, "estimate": plain(each["estimate"])} for each in details["judged"]],
        "overloaded": [{"value": value, "rises": rises} for value, rises in details["overloaded"]],
        "turns": details["turns"],
    }


def command_of(results: Results) -> str:
    """The command that makes these results again."""
    details = results.about["details"]
    if not details["words"]:
        return ""
    words = ["penstock", "capacity", *details["words"], "--of", details["of"], "--until", details["until"]]
    words += ["--replications", str(details["replications"]), "--seed", str(details["seed"])]
    return shlex.join([*words, "--out", str(results.directory)])


def page_of(results: Results) -> Report:
    """The page of a capacity."""
    base, asked = base_of(results), Asked.of(results)
    drawn = sheet_of(results, asked)
    sections = [Section("Judgements", tables=[judged_table(results, asked), bisected_table(results, asked)])]
    if drawn is not None:
        sections.append(Section("Curve", figures=[Figure(drawn)]))
    return Report(
        title=f"Capacity: {base.title or base.name}",
        headline=headline(results, asked),
        summary="Bisection found the place where the metric crosses its limit; new replications judged both ends. "
        + difference(asked.until.name, asked.until.metric),
        sections=sections,
        warnings=[*warnings_of(results), *notes(results, asked), *open_loop(base)],
        lead=None if drawn is None else drawn.name,
        parameters={"The scenario that was varied": base.to_toml()},
        versions=results.versions(),
        command=command_of(results),
    )


def outcome(results: Results) -> Outcome:
    """The answer, and how it was judged."""
    asked = Asked.of(results)
    return headline(results, asked), [judged_table(results, asked)]


OUTPUT = Output(KIND, page_of, outcome)

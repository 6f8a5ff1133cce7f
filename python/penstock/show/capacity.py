"""The results of a capacity: the bracket, how its ends were judged, the curve over the range, and its page."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.analyse.condition import Condition, condition
from penstock.plot import Sheet
from penstock.show.answers import INTERVALS, base_of, panel_along, plain, print_rows, samples_along
from penstock.show.open_loop import open_loop
from penstock.show.report import Figure, Report, Section, Table
from penstock.show.settings import short_names
from penstock.show.state import warnings_of
from penstock.show.terminal import notes_below, print_text
from penstock.statistics import Estimate

if TYPE_CHECKING:
    from penstock.analyse.results import Results


@dataclass(frozen=True, slots=True)
class Asked:
    """What a capacity was asked for: the path of its parameter, the short name of that, and the condition."""

    path: str
    name: str
    until: Condition

    @classmethod
    def of(cls, results: Results) -> Asked:
        """As the details of the experiment have it."""
        details = results.about["details"]
        path = str(details["of"]).partition("=")[0].strip()
        return cls(path, short_names([path])[path], condition(details["until"], base_of(results), "--until"))


def headline(results: Results, asked: Asked) -> str:
    """One sentence: the bracket, or why there is none."""
    details, name, until = results.about["details"], asked.name, asked.until
    answer = details["answer"]
    if answer is None:
        return "The capacity has not been found yet."
    least, most = answer["least"], answer["most"]
    if answer["state"] == "always":
        return f"No value in the range is within the capacity: {until} holds at {name} = {first_of(details)} already."
    if answer["state"] == "never":
        return f"The capacity is beyond the range: {until} does not hold at {name} = {last_of(details)}."
    if least is None or most is None:
        end = "lower" if least is None else "upper"
        return f"The {end} end cannot be told from the limit of {until}: give more replications, or a wider range."
    return f"With 95 % confidence {until} does not hold at {name} = {least:g}, and holds at {most:g}."


def first_of(details: dict[str, Any]) -> str:
    """The least value that was tried."""
    return f"{min(value for value, _ in details['bisected']):g}"


def last_of(details: dict[str, Any]) -> str:
    """The greatest value that was tried."""
    return f"{max(value for value, _ in details['bisected']):g}"


def notes(results: Results, asked: Asked) -> list[str]:
    """What speaks against a single crossing of the limit."""
    name, until = asked.name, asked.until
    expected = "rise" if until.sign == ">" else "fall"
    return [
        f"{until.metric} does not only {expected} with {name}: it turns back between {low:g} and {high:g}, by paired "
        "differences. There may be more than one place where it crosses the limit; look at the curve."
        for low, high in results.about["details"]["turns"]
    ]


def judged_table(results: Results, asked: Asked) -> Table:
    """How the ends were judged, by new replications."""
    name, until = asked.name, asked.until
    return Table(
        "Judged by new replications",
        [name, str(until.metric), "wanted", "decided"],
        [
            [
                f"{each['value']:g}",
                str(Estimate(*each["estimate"])),
                f"{until}" if each["upper"] else f"not {until}",
                "yes" if each["decided"] else "no",
            ]
            for each in results.about["details"]["judged"]
        ],
        note="Each judgement has its own share of the error probability of 5 %, so its interval is wider than at 95 %.",
    )


def bisected_table(results: Results, asked: Asked) -> Table:
    """The means of the bisection, in their order."""
    name, until = asked.name, asked.until
    rows = [[f"{value:g}", f"{mean:.4g}"] for value, mean in results.about["details"]["bisected"]]
    return Table("Bisection", [name, f"mean of {until.metric}"], rows)


def sheet_of(results: Results, asked: Asked) -> Sheet | None:
    """The metric over the whole range, with its limit."""
    path, until = asked.path, asked.until
    samples = samples_along(results, until.metric, path, {}, results.about["details"]["replications"])
    if not samples:
        return None
    return Sheet(
        "curve",
        f"{until.metric} against {asked.name}",
        f"{INTERVALS} A thin line is one replication.",
        [panel_along(path, until.metric, samples, until)],
    )


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


def to_json(results: Results) -> dict[str, Any]:
    """The answer and its judgements as plain data, in SI units."""
    details, asked = results.about["details"], Asked.of(results)
    return {
        "of": asked.path,
        "until": str(asked.until),
        "answer": details["answer"],
        "judged": [{**each, "estimate": plain(each["estimate"])} for each in details["judged"]],
        "turns": details["turns"],
    }


def command_of(results: Results) -> str:
    """The command that makes these results again."""
    details = results.about["details"]
    if not details["file"]:
        return ""
    words = ["penstock", "capacity", details["file"], "--of", details["of"], "--until", details["until"]]
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
        summary="Bisection found the place where the metric crosses its limit; new replications judged both ends.",
        sections=sections,
        warnings=[*warnings_of(results), *notes(results, asked), *open_loop(base)],
        lead=None if drawn is None else drawn.name,
        parameters={"The scenario that was varied": base.to_toml()},
        versions=results.versions(),
        command=command_of(results),
    )

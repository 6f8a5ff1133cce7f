"""The results of a search: the answer with its interval, what was tried, the curve around it, and its page."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from penstock.analyse.condition import difference
from penstock.analyse.demand import overload
from penstock.api.search import KIND, Question, closest, estimates_of, question_of
from penstock.core.counts import counted
from penstock.plot import Sheet
from penstock.show.answers import (
    INTERVALS,
    base_of,
    heading,
    in_unit,
    panel_along,
    plain,
    print_rows,
    quantity,
    samples_along,
    shown,
    with_overload,
)
from penstock.show.open_loop import open_loop
from penstock.show.output import Outcome, Output
from penstock.show.report import Figure, Report, Section, Table
from penstock.show.settings import short_names
from penstock.show.state import warnings_of
from penstock.show.terminal import notes_below, print_text

if TYPE_CHECKING:
    from penstock.analyse.results import Results

MOST_ROWS = 20
COLUMNS = ("rank", "setting")


def asked(results: Results) -> Question:
    """The question of a search."""
    details = results.about["details"]
    over = [f"{path}={values}" for path, values in details["over"].items()]
    return question_of(
        base_of(results),
        over,
        details["objective"],
        is_maximised=details["maximised"],
        subject_to=details["subject_to"],
    )


def headline(results: Results, question: Question) -> str:
    """One sentence: the best setting with its estimates, or that none meets the constraints and which is closest."""
    details = results.about["details"]
    goal = f"{'greatest' if question.is_maximised else 'least'} {question.asked}"
    answer = details["answer"]
    if answer is not None:
        return f"The {goal} is {point_text(question, answer)}."
    if not details["tried"]:
        return "No point has been tried yet."
    if details["candidates"] and not results.missing():
        best = details["candidates"][0]
        return (
            f"New replications confirmed no point: {len(details['candidates'])} looked feasible at first, the best of "
            f"them {point_text(question, best)}."
        )
    if any(each["feasible"] for each in details["tried"]):
        return f"The search has not ended: {len(details['tried'])} of {details['trials']} points have been tried."
    nearest = point_text(question, closest(details["tried"], question))
    return f"No value in the range meets the constraints; the closest is {nearest}."


def point_text(question: Question, point: Mapping[str, Any]) -> str:
    """The estimates of a point and its setting, in words."""
    objective, *constrained = estimates_of(point)
    parts = [
        f"{each.name} {quantity(each.metric, estimate)}, wanted {each.met}"
        for each, estimate in zip(question.constraints, constrained, strict=True)
    ]
    beside = f", with {'; '.join(parts)}" if parts else ""
    over = f", overloaded there ({overload(point['overloaded'])})" if point["overloaded"] else ""
    return f"{quantity(question.objective, objective)} at {shown(point['setting'])}{beside}{over}"


def differences(question: Question) -> list[str]:
    """A sentence for each metric that the results name otherwise than the question does."""
    names = {question.asked: question.objective, **{each.name: each.metric for each in question.constraints}}
    return [told for asked, own in names.items() if (told := difference(asked, own))]


def _headings(question: Question) -> list[str]:
    """The objective and the metrics of the constraints as they were asked for."""
    return [question.asked, *map(heading, question.constraints)]


def _values(question: Question, point: Mapping[str, Any]) -> list[str]:
    """The estimates of a point, each in the unit of its limit."""
    objective, *constrained = estimates_of(point)
    return [str(objective), *(str(in_unit(*pair)) for pair in zip(question.constraints, constrained, strict=True))]


def tried_table(results: Results, question: Question) -> Table:
    """The best feasible points, then the others by their distance from the constraints."""
    details = results.about["details"]
    sign = -1 if question.is_maximised else 1
    once = {repr(each["setting"]): each for each in details["tried"]}.values()
    ordered = sorted(once, key=lambda each: (not each["feasible"], sign * each["estimates"][0][0]))
    rows = [
        [str(place), shown(each["setting"]), *_values(question, each), "yes" if each["feasible"] else "no"]
        for place, each in enumerate(ordered[:MOST_ROWS], 1)
    ]
    more = f" The first {MOST_ROWS} of {len(once)}." if len(once) > MOST_ROWS else ""
    table = Table(
        "Points tried",
        [*COLUMNS, *_headings(question), "feasible"],
        rows,
        note=f"{INTERVALS} The best of many points looks better than it is: the answer is judged by new replications."
        f"{more}",
    )
    return with_overload(table, [each["overloaded"] for each in ordered[:MOST_ROWS]])


def candidates_table(results: Results, question: Question) -> Table | None:
    """The points that were run again with new replications."""
    details = results.about["details"]
    candidates = details["candidates"]
    if not candidates:
        return None
    table = Table(
        "Judged by new replications",
        ["setting", *_headings(question), "feasible"],
        [
            [shown(each["setting"]), *_values(question, each), "yes" if each["feasible"] else "no"]
            for each in candidates
        ],
        note="The best feasible points, the best first, until one is feasible here, too.",
    )
    return with_overload(table, [each["overloaded"] for each in candidates])


def sheets(results: Results, question: Question) -> list[Sheet]:
    """For each parameter the objective and the constraints over its range; the others have the answer's values."""
    details = results.about["details"]
    if details["answer"] is None:
        return []
    setting = details["answer"]["setting"]
    limits = [None, *question.constraints]
    made = []
    for number, path in enumerate(setting, 1):
        panels = []
        for metric, limit in zip(question.metrics, limits, strict=True):
            samples = samples_along(results, metric, path, setting, details["replications"])
            if samples:
                panels.append(panel_along(path, metric, samples, limit))
        others = {other: value for other, value in setting.items() if other != path}
        at = f" at {shown(others)}" if others else ""
        name = short_names([path])[path]
        if panels:
            made.append(
                Sheet(
                    f"curve-{number}",
                    f"Around the answer: {name}{at}",
                    f"{INTERVALS} The answer has {name} = {setting[path]}. A thin line is one replication.",
                    panels,
                )
            )
    return made


def tables_of(results: Results, question: Question) -> list[Table]:
    """The tables of a search."""
    again = candidates_table(results, question)
    return [*([again] if again else []), tried_table(results, question)]


@notes_below()
def print_search(results: Results) -> None:
    """Print the answer and the tables on standard output."""
    question = asked(results)
    print_text(headline(results, question))
    print()
    for table in tables_of(results, question):
        print_rows(table)
    for line in differences(question):
        print_text(line)
        print()


def to_json(results: Results) -> dict[str, Any]:
    """The answer and the points tried as plain data, in SI units."""
    question, details = asked(results), results.about["details"]
    names = [str(metric) for metric in question.metrics]

    def plain_point(point: Mapping[str, Any]) -> dict[str, Any]:
        estimates = dict(zip(names, map(plain, point["estimates"]), strict=True))
        return {
            "setting": point["setting"],
            **estimates,
            "feasible": point["feasible"],
            "overloaded": point["overloaded"],
        }

    answer = details["answer"]
    return {
        "objective": names[0],
        "goal": "maximise" if question.is_maximised else "minimise",
        "subject_to": [str(each) for each in question.constraints],
        "answer": None if answer is None else plain_point(answer),
        "tried": [plain_point(each) for each in details["tried"]],
    }


def command_of(results: Results) -> str:
    """The command that makes these results again."""
    details = results.about["details"]
    if not details["words"]:
        return ""
    words = ["penstock", "search", *details["words"], "--maximise" if details["maximised"] else "--minimise"]
    words += [details["objective"]]
    words += [word for text in details["subject_to"] for word in ("--subject-to", text)]
    words += [word for path, values in details["over"].items() for word in ("--over", f"{path}={values}")]
    words += ["--trials", str(details["trials"]), "--replications", str(details["replications"])]
    return shlex.join([*words, "--seed", str(details["seed"]), "--out", str(results.directory)])


def page_of(results: Results) -> Report:
    """The page of a search."""
    base, question = base_of(results), asked(results)
    drawn, tried = sheets(results, question), len(results.about["details"]["tried"])
    sections = [Section("Points", tables=tables_of(results, question))]
    if drawn:
        sections.append(Section("Curves", figures=[Figure(sheet) for sheet in drawn]))
    return Report(
        title=f"Search: {base.title or base.name}",
        headline=headline(results, question),
        summary=f"Tried: {counted(tried, 'point')}, all with the same seed and replications. "
        + " ".join(differences(question)),
        sections=sections,
        warnings=[*warnings_of(results), *open_loop(base)],
        lead=drawn[0].name if drawn else None,
        parameters={"The scenario that was varied": base.to_toml()},
        versions=results.versions(),
        command=command_of(results),
    )


def outcome(results: Results) -> Outcome:
    """The answer, and the candidates."""
    question = asked(results)
    table = candidates_table(results, question)
    return headline(results, question), [table] if table else []


OUTPUT = Output(KIND, page_of, outcome)

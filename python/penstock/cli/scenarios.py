"""Commands about one scenario: ``run`` and ``check``."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.cli import first_loss
from penstock.cli.command import (
    DONE,
    INTERRUPTED,
    SCENARIO,
    Command,
    add_format,
    add_jobs,
    add_limits,
    add_open,
    add_set,
    add_wide,
    fail,
    jobs,
    limits,
    number,
    open_page,
    print_table_of,
    refuse_beside,
    say,
    scenario_of,
    settings,
    table_of,
)
from penstock.cli.instant import add_instant, is_asked, show_instant
from penstock.core.counts import counted
from penstock.core.errors import InputError

if TYPE_CHECKING:
    import argparse

    from penstock.api.run import Result
    from penstock.core.scenario import Scenario


def run(options: argparse.Namespace) -> int:
    """``penstock run``: simulate one scenario and print its results."""
    from penstock.api.run import MANIFEST, MOST_REPLICATIONS, ClassError, Interrupted
    from penstock.api.run import run as simulate
    from penstock.core.files import prepare, require_other
    from penstock.show.progress import bar

    seed = number(options.seed, "--seed", 0, 2**64 - 1)
    replications = number(options.replications, "--replications", 1, MOST_REPLICATIONS)
    shows_instant = is_asked(options)
    if options.until_first_loss:
        refuse_beside(first_loss.OPTION, options, first_loss.NOT_WITH)
    table_of(options)
    processes = jobs(options)
    most = limits(options)
    scenario = scenario_of(options, options.scenario)
    out = None if options.out is None else prepare(options.out)
    if out is not None:
        require_other([out / MANIFEST], [options.scenario])
    if options.open and options.trace is None:
        raise InputError("a run has a page only with its figures", path="--open", remedy="add --trace DIR")
    if shows_instant:
        return show_instant(scenario, seed, options)
    if options.until_first_loss:
        return first_loss.run_until_first_loss(scenario, seed, out, options)
    figures = None if options.trace is None else prepare(options.trace)
    try:
        with bar(scenario.name, quiet=options.quiet) as progress:
            result = simulate(scenario, seed, replications, progress, jobs=processes, **most)
    except Interrupted as stopped:
        if stopped.result is None:
            raise
        _show(stopped.result, scenario, out, options)
        return fail(
            f"interrupted: {len(stopped.result.manifest['runs'])} of {counted(replications, 'replication')}",
            INTERRUPTED,
        )
    except ClassError as failed:
        if failed.result is not None:
            _show(failed.result, scenario, out, options)
        raise
    _show(result, scenario, out, options)
    if figures is not None:
        _draw(result, scenario, seed, figures, options)
    return DONE


def check(options: argparse.Namespace) -> int:
    """``penstock check``: say whether a scenario can be run."""
    from penstock.api.run import limits as limits_of
    from penstock.core.scenario import are_ready, read
    from penstock.league.document import is_league
    from penstock.show.feedback import print_feedback
    from penstock.show.open_loop import print_unsent
    from penstock.show.traffic import print_offered

    if is_league(options.scenario):
        return _check_league(options)
    if options.admission:
        printed = {name: (f"--{name}", False, "take one of the two") for name in ("defaults", "expanded")}
        refuse_beside("--admission", options, printed)
    most = limits_of(**limits(options))
    text = read(options.scenario)  # once: standard input cannot be read again
    scenario = scenario_of(options, options.scenario, text)
    scenario.check_limits(most.pdus, most.memory)
    told = f"{scenario.name}: valid"
    if "sweep" in scenario.tree:
        from penstock.api.sweep import Sweep

        sweep = Sweep.of(scenario, text)
        sweep.check()
        told = f"{told}, a sweep of {counted(len(sweep.points), 'point')}"
    forms = _check_classes(scenario, most.python)
    if options.expanded:
        print(scenario.expanded().to_toml(), end="")
    elif options.defaults:
        print(scenario.to_toml(), end="")
    else:
        print(told)
        if forms:
            print(forms)
        if offered := scenario.offered():
            print_offered(offered)
        print_feedback(scenario.meetings(), is_ready=are_ready(scenario.words()))
        print_unsent(scenario)
        if options.admission:
            from penstock.show.admission import print_admission

            print_admission(scenario)
    return DONE


def _check_classes(scenario: Scenario, allow_python: bool) -> str:
    """What is known of the scenario's classes in Python: whether both forms of the engine agree. Empty without any."""
    if not (classes := scenario.classes()):
        return ""
    told = ", ".join(f"{name} of {file}" for file, name in classes)
    if not allow_python:
        return f"{told}: not run; read the file, and add --allow-python to compare both forms of the engine"
    from penstock.api.forms import compare_forms

    return f"{told}: the plain and the fast form of the engine agree for {compare_forms(scenario)}"


def _check_league(options: argparse.Namespace) -> int:
    """Say whether the file of a league can be run: every scheme on every network under every traffic."""
    from penstock.league.league import League

    remedy = "leave it out: it is for a scenario"
    usual: dict[str, object] = {"most_pdus": None, "most_memory": None}
    usual |= dict.fromkeys(("allow_python", "defaults", "admission", "expanded"), False)
    others = {name: (f"--{name.replace('_', '-')}", value, remedy) for name, value in usual.items()}
    refuse_beside("the file of a league", options, others)
    league = League.load(options.scenario, changes=settings(options))
    schemes = dict.fromkeys(name for case in league.cases for name in case.schemes)
    size = f"{counted(len(schemes), 'scheme')} in {counted(len(league.cases), 'case')}"
    print(f"{league.document.name}: valid, a league of {size}")
    return DONE


def _add_scenario(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scenario", metavar="FILE|NAME", help=f"{SCENARIO}, or the name of a ready one")
    add_set(parser, "change a value")


def _add_run(parser: argparse.ArgumentParser) -> None:
    _add_scenario(parser)
    add_jobs(parser)
    add_limits(parser)
    parser.add_argument("--seed", default="1", metavar="N", help="0 to 2**64 - 1 (default: 1)")
    parser.add_argument("--replications", default="1", metavar="N", help="independent runs (default: 1)")
    parser.add_argument(
        "--until-first-loss", action="store_true", help="stop at the first loss, and name it; status 1 if there is none"
    )
    add_instant(parser)
    parser.add_argument("--out", metavar="DIR", help="write tables as Parquet, and a manifest, to DIR")
    parser.add_argument("--trace", metavar="DIR", help="draw queues, the scheme and sources against time, into DIR")
    add_open(parser)
    add_format(parser, "the summary", csv=True)
    parser.add_argument("--table", metavar="NAME", help="with --format csv: groups (the default), ports, flows, ...")
    add_wide(parser)


def _add_check(parser: argparse.ArgumentParser) -> None:
    _add_scenario(parser)
    add_limits(parser)
    parser.add_argument("--defaults", action="store_true", help="print it with every default written out")
    parser.add_argument(
        "--admission", action="store_true", help="print what the sources need of each line: means, effective, peaks"
    )
    parser.add_argument(
        "--expanded",
        action="store_true",
        help="print it as it is built, with every default: its network and schemes in full",
    )
    add_wide(parser)


def _show(result: Result, scenario: Scenario, out: Path | None, options: argparse.Namespace) -> None:
    """Write the result to ``out``, if given, and its summary to standard output."""
    from penstock.api.run import save
    from penstock.core.scenario import are_ready
    from penstock.show.feedback import print_feedback, rows
    from penstock.show.open_loop import print_unsent
    from penstock.show.summary import print_summary, summary

    meetings = scenario.meetings()
    if out is not None:
        files = save(result, out)
        say(f"wrote {len(files)} files to {out}", quiet=options.quiet)
    if options.csv:
        print_table_of(result, options)
    elif options.json:
        print(json.dumps({**summary(result), "feedback": rows(meetings), "manifest": result.manifest}, indent=2))
    else:
        print_feedback(meetings, is_ready=are_ready(scenario.words()))
        print_unsent(scenario)
        print_summary(result)


def _draw(result: Result, scenario: Scenario, seed: int, folder: Path, options: argparse.Namespace) -> None:
    """Draw the first replication against time, with its page; without readings, run it again with them."""
    from penstock.api.run import run as simulate
    from penstock.plot import save
    from penstock.show import PAGE, trace
    from penstock.show.data import linked, write_data
    from penstock.show.network import network_figure
    from penstock.show.report import write

    if scenario.tree["measure"].get("sample") is None:
        read, interval = trace.sampled(scenario, result.manifest["runs"][0]["end_s"])
        say(f"no measure.sample in the scenario: read every {interval} for the figures", quiet=options.quiet)
        result = simulate(read, seed, allow_python=options.allow_python)
    made = [network_figure(scenario, result), *trace.sheets(scenario, result)]
    for sheet in made:
        for file in save(sheet, folder):
            say(f"drew {file}", quiet=options.quiet)
    write_data(made, folder)
    changes = [word for change in options.set for word in ("--set", change)]
    words = ["penstock", "run", options.scenario, *changes, "--seed", str(seed), "--trace", options.trace]
    report = linked(trace.page_of(scenario, result, made, shlex.join(words)), folder, drawings=folder)
    write(report, folder / PAGE)
    say(f"wrote {folder / PAGE}", quiet=options.quiet)
    if options.open:
        open_page(folder / PAGE, quiet=options.quiet)


COMMANDS = (
    Command(
        "run",
        run,
        "simulate a scenario: a summary, and Parquet tables on request",
        (
            "penstock run satellite/1-case-2",
            "penstock run queueing/buffer-size --seed 7 --replications 10 --out results",
            "penstock run queueing/buffer-size --format csv --table ports > ports.csv",
            "penstock run atm_lan/figure-4 --trace figures",
            "penstock run satellite/1-case-1 --until-first-loss",
            'penstock run satellite/1-case-2 --at "12.4 s" --show positions',
            'penstock run satellite/1-case-2 --set flow.voice.count=40 --set "line.satellite.rate=2 Mb/s"',
        ),
        _add_run,
    ),
    Command(
        "check",
        check,
        "say whether a scenario file can be run",
        (
            "penstock check satellite/1-case-2 --defaults > mine.toml",
            "penstock check mine.toml",
            "penstock check queueing/buffer-size --admission",
        ),
        _add_check,
    ),
)

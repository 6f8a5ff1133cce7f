"""Commands that run many runs, or show their results: ``sweep``, ``compare``, ``league``, ``reproduce``, ``report``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.cli.command import (
    DONE,
    FAILED,
    INTERRUPTED,
    SCENARIO,
    Command,
    add_format,
    add_limits,
    add_open,
    add_set,
    add_where,
    add_wide,
    cluster,
    fail,
    jobs,
    limits,
    number,
    open_page,
    print_csv,
    say,
    scenario_of,
    settings,
)
from penstock.core.counts import counted
from penstock.core.errors import InputError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from penstock.analyse.results import Results
    from penstock.core.scenario import Scenario
    from penstock.execute.experiment import State

REPLICATIONS = "10"


def sweep(options: argparse.Namespace) -> int:
    """``penstock sweep``: run a scenario for many values of its parameters."""
    from penstock.analyse.metric import metric
    from penstock.api.sweep import Sweep
    from penstock.core.scenario import read
    from penstock.show import sweep as page

    processes, scheduler = jobs(options), cluster(options)
    text = read(options.scenario)  # once: standard input cannot be read again
    wanted = Sweep.of(scenario_of(options, options.scenario, text), text)
    for name in options.metric:
        metric(name, wanted.first())
    out = out_of(options, wanted.name)
    most = limits(options)

    def carry_out(tell: Callable[[State], None]) -> Results:
        return wanted.run(
            out, jobs=processes, cluster=scheduler, resume=options.resume, yes=options.yes, **most, tell=tell
        )

    def show(results: Results) -> None:
        metrics = page.metrics_of(results, options.metric)
        if options.json:
            print(json.dumps(page.to_json(results, metrics), indent=2))
        elif options.csv:
            print_csv(page.to_json(results, metrics))
        else:
            page.print_sweep(results, metrics)

    return carry_out_with(options, out, carry_out, show)


def compare(options: argparse.Namespace) -> int:
    """``penstock compare``: rank scenarios with the same traffic."""
    from penstock.analyse.metric import metric
    from penstock.api import comparison
    from penstock.api.run import MOST_REPLICATIONS
    from penstock.core.scenario import stem
    from penstock.show import comparison as page

    processes, scheduler = jobs(options), cluster(options)
    scenarios: dict[str, Scenario] = {}
    for source in options.scenarios:
        name = stem(source) if stem(source) not in scenarios else source
        if options.scenarios.count(source) > 1:
            raise InputError("this is given twice", path="FILE", value=source, remedy="name each scenario once")
        scenarios[name] = scenario_of(options, source)
        for text in options.metric or page.METRICS:
            metric(text, scenarios[name])
    replications = number(options.replications, "--replications", 1, MOST_REPLICATIONS)
    seed = number(options.seed, "--seed", 0, 2**64 - 1)
    out = out_of(options, "-".join(map(stem, scenarios)))
    most = limits(options)
    for line in comparison.different_traffic(scenarios):
        say(f"note: {line}", quiet=options.quiet)

    def carry_out(tell: Callable[[State], None]) -> Results:
        return comparison.compare(
            scenarios,
            out,
            replications=replications,
            seed=seed,
            metrics=options.metric or page.METRICS,
            jobs=processes,
            cluster=scheduler,
            resume=options.resume,
            **most,
            tell=tell,
        )

    def show(results: Results) -> None:
        metrics = page.metrics_of(results, options.metric)
        for each in metrics:
            if not page.all_rankings(results, [each]):
                raise InputError(
                    "no group or port that all scenarios share has such a value",
                    path="--metric",
                    value=str(each),
                    remedy="choose a metric of a group or port that they share",
                )
        if options.json:
            print(json.dumps(page.to_json(results, metrics), indent=2))
        else:
            page.print_comparison(results, metrics)

    return carry_out_with(options, out, carry_out, show)


def league(options: argparse.Namespace) -> int:
    """``penstock league``: rank schemes on several networks under several kinds of traffic."""
    from penstock.api.run import MOST_REPLICATIONS
    from penstock.league.league import League
    from penstock.show import league as page

    processes, scheduler = jobs(options), cluster(options)
    replications = seed = None
    if options.replications is not None:
        replications = number(options.replications, "--replications", 1, MOST_REPLICATIONS)
    if options.seed is not None:
        seed = number(options.seed, "--seed", 0, 2**64 - 1)
    wanted = League.load(options.league, replications=replications, seed=seed, changes=settings(options))
    measures = page.wanted(options.measure, wanted)
    out = out_of(options, wanted.document.name)
    most = limits(options)

    def carry_out(tell: Callable[[State], None]) -> Results:
        return wanted.run(out, jobs=processes, cluster=scheduler, resume=options.resume, **most, tell=tell)

    def show(results: Results) -> None:
        if options.json:
            print(json.dumps(page.to_json(results, measures), indent=2))
        else:
            page.print_league(results, measures)

    return carry_out_with(options, out, carry_out, show)


def reproduce(options: argparse.Namespace) -> int:
    """``penstock reproduce``: run a published study again; figures, tables and verdicts."""
    from penstock import studies
    from penstock.show import study as page

    processes, scheduler = jobs(options), cluster(options)
    seeds = studies.FULL_SEEDS if options.full else studies.study_of(options.study).quick_seeds
    if options.seeds is not None:
        seeds = number(options.seeds, "--seeds", 1, studies.MOST_SEEDS)
    changes = settings(options)
    is_whole = options.figure is None and not changes and bool(studies.study_of(options.study).other_readings)
    readings = options.readings or (options.full and is_whole)
    studies.open_study(options.study, options.figure, seeds, changes, readings=readings)
    out = out_of(options, Path(options.study).name)

    def carry_out(tell: Callable[[State], None]) -> Results:
        return studies.carry_out(
            options.study,
            figure=options.figure,
            seeds=seeds,
            settings=changes,
            readings=readings,
            out=out,
            jobs=processes,
            cluster=scheduler,
            resume=options.resume,
            tell=tell,
        )

    return carry_out_with(options, out, carry_out, page.show)


def report(options: argparse.Namespace) -> int:
    """``penstock report``: one page of HTML about a sweep, a comparison, a league or a study."""
    from penstock.analyse.results import Results
    from penstock.core.files import prepare_file
    from penstock.show import PAGE, write_page

    results = Results(options.directory)
    place = prepare_file(options.out or results.directory / PAGE, results.files)
    path = write_page(results, place if options.out else None)
    print(path)
    if options.open:
        open_page(path, quiet=options.quiet)
    return _damaged(results)


def out_of(options: argparse.Namespace, name: str) -> Path:
    """The directory of an experiment: that of ``--out``, or ``out/NAME``."""
    return Path(options.out) if options.out else Path("out") / name


def carry_out_with(
    options: argparse.Namespace,
    out: Path,
    carry_out: Callable[[Callable[[State], None]], Results],
    show: Callable[[Results], None],
) -> int:
    """Run an experiment with progress, and show its results, also partial ones."""
    from penstock.analyse.results import Results
    from penstock.execute.executors import ClusterLostError
    from penstock.execute.experiment import FILE, Failed
    from penstock.show import PAGE, write_page
    from penstock.show.progress import board

    status = DONE
    try:
        with board(out.name, quiet=options.quiet) as tell:
            results = carry_out(tell)
    except (KeyboardInterrupt, ClusterLostError) as ended:
        if not (out / FILE).exists():  # nothing had started
            raise
        results = Results(out)
        missing = results.missing()
        told = "interrupted" if isinstance(ended, KeyboardInterrupt) else str(ended)
        kept = f"{results.wanted - missing} of {counted(results.wanted, 'run')} are stored"
        status = fail(
            f"{told}: {kept}; continue with --resume", INTERRUPTED if isinstance(ended, KeyboardInterrupt) else FAILED
        )
    if results.wanted > results.missing():
        show(results)
        for line in results.warnings():
            say(f"warning: {line}", quiet=options.quiet)
        if options.open:
            is_written = results.about["kind"] == "study"  # by `show`
            open_page(results.directory / PAGE if is_written else write_page(results), quiet=options.quiet)
    for failure in results.about["failures"]:
        fail(f"a run failed: {Failed(**failure)}", FAILED)
        status = status or FAILED
    if results.about["failures"]:
        say(f"{counted(len(results.about['failures']), 'run')} failed; --resume tries again", quiet=options.quiet)
    page = "" if results.about["kind"] == "study" else f"`penstock report {out}` writes a page, "
    say(f"the runs are stored in {out}: {page}`penstock runs list {out}` lists them", quiet=options.quiet)
    return status or _damaged(results)


def _damaged(results: Results) -> int:
    for damage in results.store.damaged:
        fail(f"{damage}; run the same command again with --resume to repair it", FAILED)
    return FAILED if results.store.damaged else DONE


def _add_metric(parser: argparse.ArgumentParser, *, csv: bool) -> None:
    parser.add_argument(
        "--metric",
        action="append",
        default=[],
        metavar="NAME",
        help="a column of the tables of groups, ports or messages, as loss_ratio or web.fct_p99_s; may be repeated",
    )
    add_format(parser, "the table", csv=csv)
    add_wide(parser)


def _add_sweep(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scenario", metavar="FILE|NAME", help=f"{SCENARIO}, or a ready one; with a [sweep] table")
    add_set(parser, "change a value")
    add_where(parser, "out/NAME")
    add_open(parser)
    _add_metric(parser, csv=True)
    parser.add_argument("--yes", action="store_true", help="accept more than a million runs")
    add_limits(parser)


def _add_compare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scenarios", nargs="+", metavar="FILE|NAME", help=f"{SCENARIO}, or the name of a ready one")
    add_set(parser, "change a value in each of them")
    _add_metric(parser, csv=False)
    parser.add_argument("--seed", default="1", metavar="N", help="0 to 2**64 - 1 (default: 1)")
    parser.add_argument(
        "--replications",
        default=REPLICATIONS,
        metavar="N",
        help=f"runs of each scenario, paired by number (default: {REPLICATIONS})",
    )
    add_limits(parser)
    add_where(parser, "out/A-B")
    add_open(parser)


def _add_league(parser: argparse.ArgumentParser) -> None:
    from penstock.league.document import REPLICATIONS as DEFAULT
    from penstock.league.document import ready_leagues

    ready = " or ".join(ready_leagues())
    parser.add_argument("league", metavar="FILE|NAME", help=f"a league file, or the name of a ready one: {ready}")
    add_set(parser, "change a value of the file, as replications=3 or networks.*.duration=10s")
    parser.add_argument(
        "--measure",
        action="append",
        default=[],
        metavar="NAME",
        help="print only this measure, as goodput_bps or delay_p99_s; may be repeated",
    )
    add_format(parser, "the tables")
    add_wide(parser)
    parser.add_argument("--seed", metavar="N", help="0 to 2**64 - 1, in place of that of the file (default: 1)")
    parser.add_argument(
        "--replications",
        metavar="N",
        help=f"runs of each scheme in each case, in place of those of the file (default: {DEFAULT})",
    )
    add_limits(parser)
    add_where(parser, "out/NAME")
    add_open(parser)


def _add_reproduce(parser: argparse.ArgumentParser) -> None:
    from penstock import studies

    parser.add_argument(
        "study",
        metavar="STUDY",
        help=f"its name: {', '.join(studies.STUDIES)}; or the folder of a study of your own",
    )
    parser.add_argument("--figure", metavar="N", help="only this figure, and the runs it needs")
    add_set(parser, "judge the study under another reading: change a value in each of its scenarios")
    parser.add_argument(
        "--readings",
        action="store_true",
        help="also judge the claims under the other readings of the paper that the study names; --full does so",
    )
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="a few seeds, as the study says (the default)")
    size.add_argument("--full", action="store_true", help=f"{studies.FULL_SEEDS} seeds, and the other readings")
    size.add_argument("--seeds", metavar="N", help="another number of seeds")
    parser.add_argument("--wide", action="store_true", help="print all claims, each on one line")
    add_where(parser, "out/STUDY")
    add_open(parser)


def _add_report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", metavar="DIR", help="the directory of a sweep, a comparison, a league or a study")
    parser.add_argument("--out", metavar="FILE", help="where to write (default: DIR/report.html)")
    add_open(parser)


COMMANDS = (
    Command(
        "sweep",
        sweep,
        "run a scenario for many values of its parameters",
        (
            "penstock sweep satellite/sweep-trigger",
            "penstock sweep queueing/buffer-size --jobs 4 --out results --metric loss_ratio",
            "penstock sweep satellite/sweep-trigger --cluster tcp://scheduler:8786 --out results --resume",
        ),
        _add_sweep,
    ),
    Command(
        "compare",
        compare,
        "rank scenarios with the same traffic, by paired differences",
        (
            "penstock compare satellite/1-case-2 satellite/1-case-3 --metric voice.loss_ratio",
            "penstock compare abr/gfc-2-capc abr/gfc-2-erica abr/gfc-2-phantom --metric delay_p99_s --replications 20",
        ),
        _add_compare,
    ),
    Command(
        "league",
        league,
        "rank control schemes on several networks under several kinds of traffic",
        (
            "penstock league standard --jobs 2 --open",
            "penstock league mine.toml --replications 20 --out results --measure delay_p99_s",
        ),
        _add_league,
    ),
    Command(
        "reproduce",
        reproduce,
        "run a published study again: figures, tables and verdicts",
        (
            "penstock reproduce satellite --quick",
            "penstock reproduce satellite --figure 15 --full --out results",
            "penstock reproduce becn --jobs 2",
            "penstock reproduce satellite --full --resume",
            "penstock reproduce becn --figure 4 --set flow.source.reaction_point.becn.on_notice=stop --out other",
        ),
        _add_reproduce,
    ),
    Command(
        "report",
        report,
        "write one page of HTML about a sweep, a comparison, a league or a study",
        ("penstock report out/satellite --open", "penstock report out/satellite --out satellite.html"),
        _add_report,
    ),
)

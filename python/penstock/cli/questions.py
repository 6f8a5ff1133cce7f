"""Commands that answer a question by many runs: ``search`` and ``capacity``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from penstock.cli.command import (
    DONE,
    FAILED,
    SCENARIO,
    Command,
    add_limits,
    add_open,
    add_where,
    cluster,
    jobs,
    limits,
    number,
)
from penstock.cli.experiments import carry_out_with, out_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from penstock.analyse.results import Results
    from penstock.execute.experiment import State


def search(options: argparse.Namespace) -> int:
    """``penstock search``: the best values of some parameters, within constraints."""
    from penstock.api import search as asking
    from penstock.api.run import MOST_REPLICATIONS
    from penstock.core.errors import InputError
    from penstock.core.scenario import Scenario, stem
    from penstock.show import search as page

    processes, scheduler = jobs(options), cluster(options)
    scenario = Scenario.load(options.scenario)
    over: dict[str, str] = {}
    for text in options.over:
        path, equals, values = (part.strip() for part in text.partition("="))
        if not equals or path in over:
            reason = "this path is given twice" if equals else "this names no values"
            raise InputError(reason, path="--over", value=text, remedy="write each PATH=LOW..HIGH or PATH=A,B,C once")
        over[path] = values
    out = out_of(options, f"search-{stem(options.scenario)}")
    most = limits(options)
    trials = number(options.trials, "--trials", 1, asking.MOST_TRIALS)
    replications = number(options.replications, "--replications", 1, MOST_REPLICATIONS)
    seed = number(options.seed, "--seed", 0, 2**64 - 1)

    def carry_out(tell: Callable[[State], None]) -> Results:
        return asking.search(
            scenario,
            over,
            out,
            maximise=options.maximise or "",
            minimise=options.minimise or "",
            subject_to=options.subject_to,
            trials=trials,
            replications=replications,
            seed=seed,
            jobs=processes,
            cluster=scheduler,
            resume=options.resume,
            **most,
            tell=tell,
        )

    found = []

    def show(results: Results) -> None:
        found.append(results.about["details"]["answer"])
        if options.json:
            print(json.dumps(page.to_json(results), indent=2))
        else:
            page.print_search(results)

    status = carry_out_with(options, out, carry_out, show)
    return status or (DONE if found and found[0] is not None else FAILED)


def capacity(options: argparse.Namespace) -> int:
    """``penstock capacity``: how far a parameter can rise until a condition holds."""
    from penstock.api import capacity as asking
    from penstock.api.run import MOST_REPLICATIONS
    from penstock.core.scenario import Scenario, stem
    from penstock.show import capacity as page

    processes, scheduler = jobs(options), cluster(options)
    scenario = Scenario.load(options.scenario)
    out = out_of(options, f"capacity-{stem(options.scenario)}")
    most = limits(options)
    replications = number(options.replications, "--replications", 1, MOST_REPLICATIONS)
    seed = number(options.seed, "--seed", 0, 2**64 - 1)

    def carry_out(tell: Callable[[State], None]) -> Results:
        return asking.capacity(
            scenario,
            options.of,
            options.until,
            out,
            replications=replications,
            seed=seed,
            jobs=processes,
            cluster=scheduler,
            resume=options.resume,
            **most,
            tell=tell,
        )

    found = []

    def show(results: Results) -> None:
        found.append(results.about["details"]["answer"])
        if options.json:
            print(json.dumps(page.to_json(results), indent=2))
        else:
            page.print_capacity(results)

    status = carry_out_with(options, out, carry_out, show)
    is_answered = bool(found and found[0]) and None not in (found[0]["least"], found[0]["most"])
    return status or (DONE if is_answered else FAILED)


def _add_common(parser: argparse.ArgumentParser, replications: int, default: str) -> None:
    parser.add_argument(
        "--replications",
        default=str(replications),
        metavar="N",
        help=f"runs of each point, 3 or more, paired by number (default: {replications})",
    )
    parser.add_argument("--seed", default="1", metavar="N", help="0 to 2**64 - 1 (default: 1)")
    parser.add_argument("--json", action="store_true", help="print the answer as JSON, in SI units")
    add_limits(parser)
    add_where(parser, default)
    add_open(parser)


def _add_search(parser: argparse.ArgumentParser) -> None:
    from penstock.api import search as asking

    parser.add_argument("scenario", metavar="FILE|NAME", help=f"{SCENARIO}, or the name of a ready one")
    goal = parser.add_mutually_exclusive_group(required=True)
    goal.add_argument("--maximise", metavar="METRIC", help="the metric to maximise, as data.throughput_bps")
    goal.add_argument("--minimise", metavar="METRIC", help="the metric to minimise, as voice.delay_p99_s")
    parser.add_argument(
        "--subject-to",
        action="append",
        default=[],
        metavar="CONDITION",
        help='what the 95 %% interval must meet, as "voice.loss_ratio < 1e-4"; may be repeated',
    )
    parser.add_argument(
        "--over",
        action="append",
        required=True,
        metavar="PATH=VALUES",
        help="a range LOW..HIGH or choices A,B,C for a path of the scenario; may be repeated",
    )
    parser.add_argument(
        "--trials", default=str(asking.TRIALS), metavar="N", help=f"how many points to try (default: {asking.TRIALS})"
    )
    _add_common(parser, asking.REPLICATIONS, "out/search-NAME")


def _add_capacity(parser: argparse.ArgumentParser) -> None:
    from penstock.api import capacity as asking

    parser.add_argument("scenario", metavar="FILE|NAME", help=f"{SCENARIO}, or the name of a ready one")
    parser.add_argument(
        "--of", required=True, metavar="PATH[=LOW..HIGH]", help="the parameter that rises, and the range to look in"
    )
    parser.add_argument(
        "--until", required=True, metavar="CONDITION", help='where it ends, as "voice.delay_p99_s > 400 ms"'
    )
    _add_common(parser, asking.REPLICATIONS, "out/capacity-NAME")


COMMANDS = (
    Command(
        "search",
        search,
        "find the values of parameters that make a metric best, within constraints",
        ("penstock search satellite/1-case-2 --maximise voice.throughput_bps --over flow.voice.count=20..80",),
        _add_search,
    ),
    Command(
        "capacity",
        capacity,
        "find how far a parameter can rise until a condition holds",
        ("penstock capacity satellite/1-case-1 --of flow.voice.count=10..120 --until 'voice.loss_ratio>1e-3'",),
        _add_capacity,
    ),
)

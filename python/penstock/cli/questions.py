"""Commands that answer a question by many runs: ``search`` and ``capacity``."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from penstock.cli.command import (
    DONE,
    FAILED,
    SCENARIO,
    Command,
    add_format,
    add_limits,
    add_open,
    add_set,
    add_where,
    add_wide,
    cluster,
    jobs,
    limits,
    number,
    scenario_of,
)
from penstock.cli.experiments import carry_out_with, out_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping

    from penstock.analyse.results import Results


def search(options: argparse.Namespace) -> int:
    """``penstock search``: the best values of some parameters, within constraints."""
    from penstock.api import search as asking
    from penstock.core.errors import InputError
    from penstock.show import search as page

    over: dict[str, str] = {}
    for text in options.over:
        path, equals, values = (part.strip() for part in text.partition("="))
        if not equals or path in over:
            reason = "this path is given twice" if equals else "this names no values"
            raise InputError(reason, path="--over", value=text, remedy="write each PATH=LOW..HIGH or PATH=A,B,C once")
        over[path] = values
    ask = partial(
        asking.search,
        over=over,
        maximise=options.maximise or "",
        minimise=options.minimise or "",
        subject_to=options.subject_to,
        trials=number(options.trials, "--trials", 1, asking.MOST_TRIALS),
    )
    return _answer(options, "search", ask, page.print_search, page.to_json, lambda _answer: True)


def capacity(options: argparse.Namespace) -> int:
    """``penstock capacity``: how far a parameter can rise until a condition holds."""
    from penstock.api import capacity as asking
    from penstock.show import capacity as page

    ask = partial(asking.capacity, of=options.of, until=options.until)

    def is_bracketed(answer: Mapping[str, Any]) -> bool:
        return None not in (answer["least"], answer["most"])

    return _answer(options, "capacity", ask, page.print_capacity, page.to_json, is_bracketed)


def _answer(
    options: argparse.Namespace,
    kind: str,
    ask: Callable[..., Results],
    print_answer: Callable[[Results], None],
    to_json: Callable[[Results], object],
    is_whole: Callable[[Mapping[str, Any]], bool],
) -> int:
    """Ask a question about the scenario and print its answer; the status is 1 if there is none, or not a whole one."""
    from penstock.api.run import MOST_REPLICATIONS
    from penstock.core.scenario import stem

    out = out_of(options, f"{kind}-{stem(options.scenario)}")
    ask = partial(
        ask,
        scenario_of(options, options.scenario),
        out=out,
        replications=number(options.replications, "--replications", 1, MOST_REPLICATIONS),
        seed=number(options.seed, "--seed", 0, 2**64 - 1),
        jobs=jobs(options),
        cluster=cluster(options),
        resume=options.resume,
        **limits(options),
    )
    answers: list[Mapping[str, Any] | None] = []

    def show(results: Results) -> None:
        answers.append(results.about["details"]["answer"])
        if options.json:
            print(json.dumps(to_json(results), indent=2))
        else:
            print_answer(results)

    status = carry_out_with(options, out, lambda tell: ask(tell=tell), show)
    is_answered = any(answer is not None and is_whole(answer) for answer in answers)
    return status or (DONE if is_answered else FAILED)


def _add_common(parser: argparse.ArgumentParser, replications: int, default: str) -> None:
    add_set(parser, "change a value of the scenario")
    parser.add_argument(
        "--replications",
        default=str(replications),
        metavar="N",
        help=f"runs of each point, 3 or more, paired by number (default: {replications})",
    )
    parser.add_argument("--seed", default="1", metavar="N", help="0 to 2**64 - 1 (default: 1)")
    add_format(parser, "the answer")
    add_wide(parser)
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
        ("penstock capacity satellite/1-case-1 --of flow.video.count=1..40 --until 'video.loss_ratio>1e-3'",),
        _add_capacity,
    ),
)

"""Commands that make a line change during the run: ``series leo``, ``series rain``, ``series outages``."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from penstock.cli.command import DONE, Command, number
from penstock.core.errors import InputError

if TYPE_CHECKING:
    import argparse


class Shared(TypedDict):
    """What both generators of random lines take, as keyword arguments."""

    duration: str
    seed: int
    list_out: str | None


def leo(options: argparse.Namespace) -> int:
    """``penstock series leo``: the delay of a line over satellites in a low orbit."""
    from penstock.generating.leo import leo_line

    text = leo_line(
        options.line,
        height_km=_real(options.height_km, "--height-km"),
        elevation=_real(options.elevation, "--elevation"),
        every=options.every,
        step=options.step,
        handover=options.handover,
        rates=_range(options.rates) if options.rates is not None else None,
        **_shared(options),
    )
    print(text, end="")
    return DONE


def rain(options: argparse.Namespace) -> int:
    """``penstock series rain``: the rate of a line under a clear sky and in rain."""
    from penstock.generating.rain import rain_line

    text = rain_line(
        options.line,
        clear=options.clear,
        rain=options.rain,
        clear_time=options.clear_time,
        rain_time=options.rain_time,
        **_shared(options),
    )
    print(text, end="")
    return DONE


def outages(options: argparse.Namespace) -> int:
    """``penstock series outages``: the outages of a line, from a file."""
    from penstock.generating.outages import outages as outages_of

    print(outages_of(options.line, options.file, list_out=options.list_out), end="")
    return DONE


def _shared(options: argparse.Namespace) -> Shared:
    seed = number(options.seed, "--seed", 0, 2**64 - 1)
    return {"duration": options.duration, "seed": seed, "list_out": options.list_out}


def _real(text: str, option: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError("this is no number", path=option, value=text, remedy='give one, as "550"') from None


def _range(text: str) -> tuple[str, str]:
    least, separator, largest = text.partition("..")
    if not separator:
        remedy = 'write the least and the largest, as "50 Mb/s..150 Mb/s"'
        raise InputError("this is no range of rates", path="--rates", value=text, remedy=remedy)
    return least.strip(), largest.strip()


def _add_line(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("line", metavar="LINE", help="the name of the line")


def _add_shared(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--duration", metavar="TIME", default="180 s", help="until when (default: 180 s)")
    parser.add_argument("--seed", metavar="N", default="1", help="0 to 2**64 - 1 (default: 1)")
    _add_list_out(parser)


def _add_list_out(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--list-out", metavar="FILE", help="write the values into FILE, which the scenario names")


def _add_leo(parser: argparse.ArgumentParser) -> None:
    _add_line(parser)
    parser.add_argument("--height-km", metavar="KM", default="550", help="the height of the orbit (default: 550)")
    parser.add_argument(
        "--elevation", metavar="DEGREES", default="25", help="the least at which a satellite is used (default: 25)"
    )
    parser.add_argument(
        "--every", metavar="TIME", default="15 s", help="the time between two reconfigurations (default: 15 s)"
    )
    parser.add_argument("--step", metavar="TIME", default="1 s", help="between two values of the delay (default: 1 s)")
    parser.add_argument(
        "--handover", metavar="TIME", default="0 s", help="longest break at a reconfiguration (default: 0 s)"
    )
    parser.add_argument(
        "--rates", metavar="RATE..RATE", help="each reconfiguration draws a rate from these (default: it stays)"
    )
    _add_shared(parser)


def _add_rain(parser: argparse.ArgumentParser) -> None:
    _add_line(parser)
    parser.add_argument("--clear", metavar="RATE", required=True, help="its rate with a clear sky")
    parser.add_argument("--rain", metavar="RATE", required=True, help="its rate in rain")
    parser.add_argument("--clear-time", metavar="TIME", default="60 s", help="mean time without rain (default: 60 s)")
    parser.add_argument("--rain-time", metavar="TIME", default="15 s", help="mean time in rain (default: 15 s)")
    _add_shared(parser)


def _add_outages(parser: argparse.ArgumentParser) -> None:
    _add_line(parser)
    parser.add_argument("file", metavar="FILE", help='two times a line, as "10 s, 12.5 s"')
    _add_list_out(parser)


COMMANDS = (
    Command(
        "series leo",
        leo,
        "the delay of a line over satellites in a low orbit",
        (
            "penstock series leo satellite >> net.toml",
            'penstock series leo satellite --handover "100 ms" --rates "50 Mb/s..150 Mb/s" --seed 7 >> net.toml',
        ),
        _add_leo,
    ),
    Command(
        "series rain",
        rain,
        "the rate of a line under a clear sky and in rain",
        ('penstock series rain satellite --clear "6 Mb/s" --rain "2 Mb/s" >> net.toml',),
        _add_rain,
    ),
    Command(
        "series outages",
        outages,
        "the outages of a line, from a list of times",
        ("penstock series outages satellite outages.csv >> net.toml",),
        _add_outages,
    ),
)

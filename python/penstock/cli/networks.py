"""Commands about networks and their traffic: ``draw``, ``import``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.cli.command import DONE, SCENARIO, Command, add_set, number, say, scenario_of
from penstock.core.errors import InputError
from penstock.core.reading import STDIN

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Collection

    from penstock.api.run import Result
    from penstock.core.scenario import Scenario


def draw(options: argparse.Namespace) -> int:
    """``penstock draw``: draw the network of a scenario, with results on request."""
    from penstock.api.run import load_result
    from penstock.core.scenario import stem
    from penstock.plot import prepare_place, save
    from penstock.show.network import network_figure

    scenario = scenario_of(options, options.scenario)
    seed = number(options.seed, "--seed", 0, 2**64 - 1)
    place = prepare_place(options.out, [options.scenario])
    result = None
    if options.run:
        result = _run(scenario, seed, options)
    elif options.result is not None:
        result = load_result(options.result, scenario)
    for file in save(network_figure(scenario, result, name=stem(options.scenario)), place):
        say(f"drew {file}", quiet=options.quiet)
    return DONE


def _run(scenario: Scenario, seed: int, options: argparse.Namespace) -> Result:
    from penstock.api.run import run
    from penstock.show.progress import bar

    with bar(scenario.name, quiet=options.quiet) as progress:
        return run(scenario, seed, progress=progress)


def import_(options: argparse.Namespace) -> int:
    """``penstock import``: a network or a rate of another tool as a scenario, or packets into the store of traces."""
    kind = _kind_of(options)
    own, read = _KINDS[kind]
    for other, (group, _) in _KINDS.items():
        for option in group:
            if option not in own and (value := getattr(options, option.replace("-", "_"))):
                is_read = options.file != STDIN
                raise InputError(
                    f"this option is for {other}, and {options.file if is_read else 'standard input'} has {kind}",
                    path=f"--{option}",
                    value="" if value is True else value,
                    remedy="delete it" if is_read else f"delete it, or save {other} as a file and name that",
                )
    print(read(options), end="")
    return DONE


def _kind_of(options: argparse.Namespace) -> str:
    """What a file has: a key of ``_KINDS``."""
    from penstock.importing.formats import has_network, is_network
    from penstock.importing.opportunities import has_opportunities
    from penstock.importing.trace import is_trace

    if options.file == STDIN:
        return _PACKETS
    if has_opportunities(options.file):  # one number a line is no table of packets, whatever its name
        return _RATES_OF_LINE
    asks_for_packets = options.time or options.size
    if is_trace(options.file) and (asks_for_packets or not has_network(options.file)):
        return _PACKETS
    if is_network(options.file):
        return _A_NETWORK
    # The file does not say what it has, and so the options do.
    return _PACKETS if asks_for_packets else _RATES_OF_LINE if options.line else _A_NETWORK


def _rates(options: argparse.Namespace) -> str:
    from penstock.importing.opportunities import import_opportunities, import_rates

    if not options.line:
        raise InputError("the rates are those of a line", path="--line", file=options.file, remedy="write --line NAME")
    out = options.list_out or None
    if options.exact:
        for option in ("span", "duration"):
            if value := getattr(options, option):
                reason = "with --exact the opportunities are taken as they are"
                raise InputError(reason, path=f"--{option}", value=value, file=options.file, remedy="delete it")
        return import_opportunities(options.file, options.line, list_out=out)
    span = options.span or "100 ms"
    return import_rates(options.file, options.line, span=span, duration=options.duration, list_out=out)


def _network(options: argparse.Namespace) -> str:
    from penstock.importing import import_network

    return import_network(
        options.file,
        rate=options.rate,
        rate_unit=options.rate_unit,
        default_rate=options.default_rate,
        delay=options.delay,
        delay_unit=options.delay_unit,
        default_delay=options.default_delay,
        demands=options.demands or None,
        demand_unit=options.demand_unit,
        list_out=options.list_out or None,
        merge_parallel=options.merge_parallel,
        duration=options.duration or "1 s",
    )


def _trace(options: argparse.Namespace) -> str:
    from penstock.importing.trace import import_trace

    flow = [column.strip() for column in options.flow.split(",")] if options.flow else []
    trace = import_trace(
        options.file, name=options.name, time=options.time, size=options.size, flow=flow, where=options.where
    )
    return trace.to_toml()


def _add_draw(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scenario", metavar="FILE|NAME", help=f"{SCENARIO}, or the name of a ready one")
    add_set(parser, "change a value")
    results = parser.add_mutually_exclusive_group()
    results.add_argument("--run", action="store_true", help="run it, and draw utilisation and queues")
    results.add_argument("--result", metavar="DIR", help="draw those of DIR, which `penstock run --out DIR` wrote")
    parser.add_argument("--seed", default="1", metavar="N", help="with --run: 0 to 2**64 - 1 (default: 1)")
    parser.add_argument(
        "--out", metavar="DIR|FILE", default=".", help="directory for an SVG and a PNG, or one file (default: here)"
    )


_NETWORK = {
    "rate": ("ATTRIBUTE", "the attribute of an edge that is its rate"),
    "rate-unit": ("UNIT", "the unit of rates that are numbers: b/s, kb/s, Mb/s, Gb/s or Tb/s"),
    "default-rate": ("RATE", 'the rate of an edge that has none, as "10 Mb/s"'),
    "delay": ("ATTRIBUTE", "the attribute of an edge that is its delay (default: from coordinates, 5 us/km)"),
    "delay-unit": ("UNIT", "the unit of delays that are numbers: ns, us, ms or s; km for lengths"),
    "default-delay": ("TIME", 'the delay of an edge that has none, as "5 ms"'),
    "demand-unit": ("UNIT", "the unit of demands that are numbers (default: that of the rates)"),
    "demands": ("FILE", "demands: from,to,rate in CSV, a square matrix, or a file of SNDlib or REPETITA"),
    "merge-parallel": ("", "make one line of parallel edges"),
}
"""The options for a network: of each what it takes, and its help."""
_TRACE = {
    "time": ("COLUMN:UNIT", "of a table: the time by its name or number, in s, ms, us, ns, ps or datetime"),
    "size": ("COLUMN:UNIT", "of a table: the size of the IP packet, in octets or bits"),
    "flow": ("COLUMN,...", "of a table: the columns that identify a flow (default: all packets are one flow)"),
    "where": ("SQL", "leave out packets for which this is false, as \"protocol = 'udp' AND source_port = 5004\""),
    "name": ("NAME", "the name of the trace in the scenario (default: that of the file)"),
}
"""The options for packets."""
_RATES = {
    "line": ("NAME", "the name of the line"),
    "span": ("TIME", "the time over which opportunities to send are counted (default: 100 ms)"),
    "exact": ("", "give the line each opportunity as it is, in the place of a rate"),
}
"""The options for the rate of a line."""
_SHARED = {
    "duration": ("TIME", "duration of the scenario (default: 1 s), or time until which the rates are repeated"),
    "list-out": ("FILE", "write the demands or the rates into FILE, which the scenario names: for large ones"),
}
"""The options for a network and for the rate of a line."""
_PACKETS, _A_NETWORK, _RATES_OF_LINE = "packets", "a network", "the rate of a line"
_KINDS: dict[str, tuple[Collection[str], Callable[[argparse.Namespace], str]]] = {
    _PACKETS: (_TRACE, _trace),
    _A_NETWORK: ({**_NETWORK, **_SHARED}, _network),
    _RATES_OF_LINE: ({**_RATES, **_SHARED}, _rates),
}
"""What a file may have: of each the options, and the function that reads it."""


def _add_import(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        metavar="FILE",
        help="a network: GraphML, GML or node-link JSON by its name, or SNDlib, REPETITA or an ns-3 topology; "
        "packets: pcap, pcapng, CSV or Parquet, - for standard input; or a trace of Mahimahi",
    )
    titles = ("for a network", "for packets", "for the rate of a line", "for a network or the rate of a line")
    for title, options in zip(titles, (_NETWORK, _TRACE, _RATES, _SHARED), strict=True):
        group = parser.add_argument_group(title)
        for name, (kind, text) in options.items():
            if kind:
                # An empty expression, such as an unset variable of the shell, is not the same as none.
                default = None if name == "where" else ""
                group.add_argument(f"--{name}", metavar=kind, default=default, help=text)
            else:
                group.add_argument(f"--{name}", action="store_true", help=text)


COMMANDS = (
    Command(
        "draw",
        draw,
        "draw the network of a scenario, as SVG and PNG",
        (
            "penstock draw abr/gfc-2-erica",
            "penstock draw atn/scenario-a --run --out figures",
            "penstock draw abr/gfc-2-erica --out gfc-2.svg",
            "penstock draw satellite/1-case-2 --result results",
        ),
        _add_draw,
    ),
    Command(
        "import",
        import_,
        "make a scenario of a network of another tool, traffic of a capture or a table, or a line's rate of a trace",
        (
            "penstock import net.graphml --rate capacity --rate-unit Mb/s --delay latency --delay-unit ms > net.toml",
            "penstock import abilene.txt --rate-unit Mb/s > abilene.toml",
            'penstock import Geant.graphml --default-rate "1 Gb/s" --demands matrix.csv --demand-unit Mb/s',
            "penstock import uplink.pcap --where \"protocol = 'udp'\"",
            "penstock import packets.csv --time arrival:us --size length:octets --flow source,destination",
            'penstock import LTE.up --line cell --span "50 ms" --list-out cell.toml',
        ),
        _add_import,
    ),
)

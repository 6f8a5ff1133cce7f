"""Networks of other tools as scenario files: GraphML, GML, node-link JSON, SNDlib, REPETITA, and those for ns-3."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from penstock.core.errors import InputError
from penstock.core.files import prepare_file, write_text
from penstock.core.quantities import DELAY_UNITS, RATE_UNITS, is_length_unit, known_units, size_of
from penstock.core.scenario import Scenario
from penstock.core.texts import LARGEST_FILE
from penstock.importing.document import Wanted, document, key, replacing
from penstock.importing.formats import read_graph
from penstock.importing.infer import Options, Reader
from penstock.importing.library import reading
from penstock.importing.matrix import read_matrix

__all__ = ["DELAY_UNITS", "RATE_UNITS", "import_network"]


def import_network(
    file: str | Path,
    *,
    rate: str = "",
    rate_unit: str = "",
    default_rate: str = "",
    delay: str = "",
    delay_unit: str = "",
    default_delay: str = "",
    demands: str | Path | None = None,
    demand_unit: str = "",
    merge_parallel: bool = False,
    list_out: str | Path | None = None,
    duration: str = "1 s",
) -> str:
    """The network of a file as a scenario file (TOML), with comments where a value was inferred.

    Args:
        file: GraphML, GML or node-link JSON by its name, or SNDlib's native format or XML,
            REPETITA's format, or a topology for ns-3 as of HPCC; each also compressed by gzip.
        rate: the attribute of an edge that is its rate; that of the Internet Topology Zoo and of SNDlib is known.
        rate_unit: ``b/s``, ``kb/s``, ``Mb/s``, ``Gb/s`` or ``Tb/s``, for rates that are numbers.
        default_rate: the rate of an edge that has none, as ``10 Mb/s``.
        delay: the attribute of an edge that is its delay. Without it, delays follow from the coordinates of the nodes:
            5 us for each km of the great circle.
        delay_unit: ``ns``, ``us``, ``ms`` or ``s``, for delays that are numbers, or ``km`` for lengths: 5 us for each.
        default_delay: the delay of an edge that has none, as ``5 ms``.
        demands: a matrix in CSV, ``from,to,rate`` or square, or a file of SNDlib or REPETITA. A demand with a rate is
            a flow of constant bit rate, one without a greedy flow. By default the demands of the file, which a comment
            counts if they are replaced; if it has none, one greedy flow.
        demand_unit: the unit of demands that are numbers; by default ``rate_unit``.
        list_out: a file to write the demands into, for a large matrix. The scenario names it, with its SHA-256, and
            is to be saved beside it.
        merge_parallel: make one line of parallel edges, instead of refusing them.
        duration: that of the scenario.

    Raises:
        InputError: a file that cannot be read, an edge without a rate or a delay, an unknown node in the matrix, a
            demand without a path, parallel edges, nodes with the same name.
    """
    for name, unit, units in (("rate_unit", rate_unit, RATE_UNITS), ("demand_unit", demand_unit, RATE_UNITS)):
        _check_unit(name, unit, units)
    _check_unit("delay_unit", delay_unit, DELAY_UNITS)
    options = Options(
        rate, rate_unit, default_rate, delay, delay_unit, default_delay, demand_unit, merge_parallel, duration
    )
    read = [file] if demands is None else [file, demands]
    beside = prepare_file(list_out, read) if list_out is not None else None
    with reading("a network", str(file)):
        graph = read_graph(Path(file))
    wanted = Wanted(graph.demands, graph.file, graph.demand_unit)
    if demands is not None:
        with reading("demands", str(demands)):
            wanted = replacing(graph, read_matrix(Path(demands), list(graph.nodes)))
    with reading("a network", str(file)):
        text, listed = document(graph, Reader(graph, options), wanted, beside.name if beside else "")
    if len(text.encode()) > LARGEST_FILE:
        edges, rates = f"{len(graph.edges):,} edges", f"{len(wanted.demands):,} demands"
        reason = f"{edges} and {rates} make a scenario of more than {LARGEST_FILE:,} octets"
        remedy = "give fewer demands" if beside else "write them into a file beside it: --list-out FILE"
        raise InputError(reason, file=str(file), remedy=remedy)
    tables = tomllib.loads(text)
    _check({**tables, "demands": tomllib.loads(listed)} if beside else tables, str(file))
    if beside is not None:
        write_text(beside, listed)
    return text


def _check(tables: Mapping[str, Any], file: str) -> None:
    """Refuse a scenario that cannot run. No one has seen it yet, so the error names the values and their options."""
    try:
        Scenario(tables)
    except InputError as error:
        remedy = error.remedy
        for name, line in tables["line"].items():
            if f"{error.path}.".startswith((f"line.{name}.", f"line.{key(name)}.")):
                values = f"its rate is {line['rate']} and its delay {line['delay']}"
                remedy = f"{values}: are --rate-unit and --delay-unit right, or what the file says?"
        if error.path.startswith(("flow.", "demands")):
            remedy += "; is --demand-unit right?"
        path, place = "--duration" if error.path == "duration" else error.path, f"the scenario that {file} becomes"
        raise InputError(error.reason, path=path, value=error.value, file=place, remedy=remedy) from None


def _check_unit(name: str, unit: str, known: Mapping[str, Decimal]) -> None:
    is_delay = name == "delay_unit"
    if unit and size_of(unit, known) is None and not (is_delay and is_length_unit(unit)):
        option, units = f"--{name.replace('_', '-')}", known_units(known) + (", km" if is_delay else "")
        raise InputError("there is no such unit", path=option, value=unit, remedy=f"there are {units}")

"""The formats of networks: which reader takes a file, by its first words and by the end of its name."""

from __future__ import annotations

import re
import tomllib
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from penstock.core.errors import InputError
from penstock.core.reading import unzipped_start
from penstock.core.texts import LARGEST_FILE, TextKind
from penstock.importing import gml, hpcc, repetita, sndlib, sndlib_xml
from penstock.importing.attributed import FORMATS, read_attributed
from penstock.importing.encoded import read_text
from penstock.importing.graph import Graph

TOPOLOGY = TextKind(
    "a file of a network",
    50_000_000,
    "is it a result instead of a network?",
    "give GraphML, GML, node-link JSON, SNDlib, REPETITA or an ns-3 topology, saved as UTF-8",
    zipped=True,
)

REMEDY = f"give GraphML, GML or node-link JSON, with a name that ends in {', '.join(FORMATS)}"
LOOKED_AT = 2000
"""Characters of a file that say what it looks like."""
BEFORE_ROOT = re.compile(r"<!--.*?(?:-->|\Z)|<[?!].*?>", re.DOTALL)
"""What XML has before its first element: comments, declarations, the type of the document."""
GRAPH_OF_GML = re.compile(r"^\s*graph\s*\[", re.MULTILINE)


class Look(NamedTuple):
    """What a text looks like: the name of its format, and the end of the name of such a file if it can be read."""

    form: str
    suffix: str = ""


def look_of(text: str) -> Look | None:
    """What a text looks like, whatever its name; None if it looks like nothing that is known."""
    start = text[:LOOKED_AT].lstrip()
    if start.startswith("<"):
        root = re.search(r"<(?:[\w.-]+:)?([\w.-]+)", BEFORE_ROOT.sub("", start))
        known = {"graphml": Look("GraphML", ".graphml"), "gexf": Look("GEXF")}
        return known.get(root[1], Look("XML of another kind")) if root else None
    if start.startswith("{"):
        return Look("JSON", ".json")
    if GRAPH_OF_GML.search(start):
        return Look("GML", ".gml")
    with suppress(tomllib.TOMLDecodeError):
        if len(text) <= LARGEST_FILE and (tables := tomllib.loads(text)):
            return Look("a scenario of Penstock" if "line" in tables or "flow" in tables else "TOML")
    return None


def is_network(file: str | Path) -> bool:
    """Whether a file has a network, whatever is asked of it: by its name, or by its first words."""
    return Path(Path(file).name.removesuffix(".gz")).suffix.lower() in FORMATS or has_network(file)


def has_network(file: str | Path) -> bool:
    """Whether a file begins as a network, whatever its name."""
    try:
        return begins_as_network(unzipped_start(Path(file), LOOKED_AT))
    except (OSError, ValueError):
        return False


def begins_as_network(octets: bytes) -> bool:
    """Whether the first octets of a file are those of a network."""
    start = octets.decode("utf-8-sig", errors="replace")
    tests = (sndlib.is_native, sndlib_xml.is_xml, repetita.is_topology, hpcc.is_topology)
    look = look_of(start)
    return any(test(start) for test in tests) or (look is not None and look.suffix != "")


def read_graph(path: Path) -> Graph:
    """The network of a file, also one that gzip has compressed.

    Raises:
        InputError: it cannot be read, has another format, or contradicts itself.
    """
    text, notes = read_text(path, TOPOLOGY)
    graph = _graph_of(text, path)
    return replace(graph, notes=[*(f"network: {note}" for note in notes), *graph.notes]) if notes else graph


def _graph_of(text: str, path: Path) -> Graph:
    """The network of a file with this text."""
    file = str(path)
    suffix = Path(path.name.removesuffix(".gz")).suffix.lower()
    if sndlib.is_native(text):
        return sndlib.read(text, file)
    if sndlib_xml.is_xml(text):
        return sndlib_xml.read(text, file)
    if repetita.is_topology(text):
        return repetita.read(text, file)
    look = look_of(text)
    if look is not None and look.suffix != suffix:
        raise _other_form(look, path, suffix)
    if suffix == ".gml":
        return gml.read(text, file)
    if suffix in FORMATS:
        return read_attributed(text, file, suffix)
    if hpcc.is_topology(text):
        return hpcc.read(text, file)
    reason = (
        "this is no format of a network that is known, nor does the file begin as those of SNDlib, REPETITA or ns-3 do"
    )
    raise InputError(reason, file=file, remedy=REMEDY)


def _other_form(look: Look, path: Path, suffix: str) -> InputError:
    """The error of a file that has another form than its name says, or one that is not read."""
    if look.suffix:
        zipped = ".gz" if path.name.endswith(".gz") else ""
        reason = f"this looks like {look.form}, and its name ends in {suffix or 'nothing that says so'}"
        remedy = f"give it a name that ends in {look.suffix}{zipped}"
    elif look.form.startswith("a scenario"):
        reason = f"this is {look.form}, and no network of another tool"
        remedy = f"use it as it is: penstock check {path}"
    else:
        reason, remedy = f"this looks like {look.form}, which is not read", "write the network as GraphML"
    return InputError(reason, file=str(path), remedy=remedy)

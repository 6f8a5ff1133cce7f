"""The formats of networks: which reader takes a file, by its first words and by the end of its name."""

from __future__ import annotations

from pathlib import Path

from penstock.core.errors import InputError, did_you_mean
from penstock.core.texts import TextKind, read_file_of
from penstock.importing import hpcc, repetita, sndlib, sndlib_xml
from penstock.importing.attributed import FORMATS, read_attributed
from penstock.importing.graph import Graph

TOPOLOGY = TextKind(
    "a file of a network",
    50_000_000,
    "is it a result instead of a network?",
    "give GraphML, GML, node-link JSON, SNDlib, REPETITA or an ns-3 topology, saved as UTF-8",
    zipped=True,
)


def read_graph(path: Path) -> Graph:
    """The network of a file, also one that gzip has compressed.

    Raises:
        InputError: it cannot be read, has another format, or contradicts itself.
    """
    text, file = read_file_of(path, TOPOLOGY), str(path)
    suffix = Path(path.name.removesuffix(".gz")).suffix.lower()
    if sndlib.is_native(text):
        return sndlib.read(text, file)
    if sndlib_xml.is_xml(text):
        return sndlib_xml.read(text, file)
    if repetita.is_topology(text):
        return repetita.read(text, file)
    if suffix in FORMATS:
        return read_attributed(text, file, suffix)
    if hpcc.is_topology(text):
        return hpcc.read(text, file)
    remedy = did_you_mean(suffix, FORMATS) or f"the name ends in {', '.join(FORMATS)}"
    reason = (
        "this is no format of a network that is known, nor does the file begin as those of SNDlib, REPETITA or ns-3 do"
    )
    raise InputError(reason, file=file, remedy=remedy)

"""Texts of other tools: XML names its own encoding, and everything else is UTF-8."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from penstock.core.errors import InputError
from penstock.core.texts import TextKind, read_file_of

DECLARED = re.compile(rb"\s*<\?xml\s[^>]*?\bencoding\s*=\s*[\"']([A-Za-z][\w.-]*)[\"']")
"""The beginning of XML that names its encoding."""
FAMILIES = re.compile(r"ascii|iso8859-\d+|cp\d+|koi8-\w|mac-\w+|gb\w+|big5\w*|euc_\w+|shift_jis\w*|iso2022_\w+|tis-620")
"""The encodings that may be followed, as Python names them: those of letters, in which XML is as in ASCII."""


def read_text(path: Path, kind: TextKind) -> tuple[str, list[str]]:
    """The text of a file in UTF-8, or of XML in the encoding that it declares; and what is to say about that.

    Raises:
        InputError: as :func:`penstock.core.texts.read_file_of`; the encoding is not known, or the octets are not in it.
    """
    notes: list[str] = []
    return read_file_of(path, kind, recode=lambda octets: _in_utf_8(octets, str(path), notes)), notes


def _in_utf_8(octets: bytes, file: str, notes: list[str]) -> bytes:
    """The octets of a text in UTF-8, if it is XML that declares another encoding. Others as they are."""
    if octets.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = octets.decode("utf-16", errors="replace")
        return text.encode(errors="replace") if text.lstrip().startswith("<?xml") and "\ufffd" not in text else octets
    found = DECLARED.match(octets.removeprefix(codecs.BOM_UTF8))
    if found is None or octets.isascii():
        return octets
    declared = found[1].decode()
    if (codec := _codec(declared)) == "utf-8":
        return octets
    if _is_utf_8(octets):
        # Tools write a fixed first line; and hardly a text in another encoding is UTF-8 by accident.
        notes.append(f"the file declares the encoding {declared}, but its octets are UTF-8, which counts")
        return octets
    if not codec:
        reason, remedy = "the file declares an encoding that is not known here", "save the file as UTF-8"
        raise InputError(reason, path="encoding", value=declared, file=file, remedy=remedy)
    try:
        return octets.decode(codec).encode()
    except UnicodeDecodeError as error:
        raise InputError(
            f"octet {error.start + 1} is not {declared}, which the file declares",
            file=file,
            line=octets[: error.start].count(b"\n") + 1,
            remedy="declare the encoding that the file has, or save it as UTF-8",
        ) from None


def _codec(name: str) -> str:
    """An encoding as Python names it; empty if it is none of those that may be followed."""
    try:
        codec = codecs.lookup(name).name
    except LookupError:
        return ""
    return codec if codec == "utf-8" or FAMILIES.fullmatch(codec) else ""


def _is_utf_8(octets: bytes) -> bool:
    try:
        octets.decode()
    except UnicodeDecodeError:
        return False
    return True

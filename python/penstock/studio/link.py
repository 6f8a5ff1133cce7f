"""Links to a scenario in the studio. The page has the same format in ``studio/src/model/link.ts``."""

from __future__ import annotations

import base64
import json
import zlib

from penstock.core.errors import InputError

MOST_OCTETS = 1_000_000
"""The most octets that the page takes from a link."""


def link_to(text: str, name: str, seed: int = 1) -> str:
    """The fragment of an address that opens the scenario file ``text`` in the studio, from its start.

    It is deflated JSON in Base64, and stays in the browser. Raises :class:`InputError` for a text that is too long.
    """
    shared: dict[str, object] = {
        "name": name,
        "text": text,
        "seed": str(seed),
        "at": "0 s",
        "changes": [],
        "fork": None,
    }
    octets = json.dumps(shared).encode()
    if len(octets) > MOST_OCTETS:
        raise InputError(
            f"the scenario has {len(octets):,} octets, and the studio takes {MOST_OCTETS:,} at most",
            path="FILE",
            value=name,
            remedy="use `count` for many like flows, or a network by its name",
        )
    deflated = zlib.compress(octets, wbits=-zlib.MAX_WBITS)
    return "s=" + base64.urlsafe_b64encode(deflated).decode().rstrip("=")

"""The units that the names of columns state, as `Time (ms)` or `len [bytes]`, beside those that are asked for."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.core.quantities import DELAY_UNITS, parted, size_of
from penstock.importing.names import plain

OTHER_TIMES = ("ps", "min", "minute", "minutes", "h", "hour", "hours", "d", "day", "days")
"""Units of times that are no units of delays."""
SIZES = {
    **dict.fromkeys(("octet", "octets", "byte", "bytes", "B"), "octets"),
    **dict.fromkeys(("bit", "bits", "b"), "bits"),
    **{f"{prefix}{unit}": "" for prefix in ("k", "K", "Ki", "M", "Mi") for unit in ("B", "b", "bit", "bits", "bytes")},
}
"""Units of sizes that a name may state, each with the option for it; empty if there is none."""


FRAMES = ("frame.len", "frame.cap_len", "_ws.col.length")
WIRESHARK = ("No.", "Time", "Source", "Destination", "Protocol", "Info")
"""Fields that are sizes of frames, and the other columns of the CSV that Wireshark exports."""


def other_unit(option: str, column: str, unit: str) -> list[str]:
    """A note that a column of times (``--time``) or sizes states another unit than the option; none if it does not."""
    word = parted(column)[1]
    known = _time(word) if option == "--time" else SIZES.get(word, SIZES.get(word.lower()))
    if known is None or unit in (known, "datetime"):
        return []
    return [f"The column {plain(column)} states {word}, and {option} states {unit}, which counts."]


def of_frames(size: str, names: Sequence[str]) -> list[str]:
    """A note that a column has the sizes of frames: that of Wireshark's own CSV, or a field of tshark."""
    if size.lower() in FRAMES or (size == "Length" and {*WIRESHARK} <= {*names}):
        return [
            f"The column {plain(size)} has the size of frames, on Ethernet 14 octets more than that of the IP packet.",
            "The field ip.len has the latter, for IP of version 4.",
        ]
    return []


def _time(word: str) -> str | None:
    """The unit of times that a word means, as an option has it; None if it means none."""
    if word.lower() in OTHER_TIMES:
        return word.lower()
    ns = size_of(word, DELAY_UNITS) or size_of(word.lower(), DELAY_UNITS)
    return next((name for name, size in DELAY_UNITS.items() if size == ns), None)

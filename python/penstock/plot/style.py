"""How figures look: the one style sheet.

Colours are the Okabe-Ito set (Okabe and Ito 2008), which colour-blind readers can distinguish, with a different marker
for each, so that figures work in grey print. Heat maps use viridis, whose lightness rises evenly. No text is read as
mathematics: a `$` in a name is a `$`.
"""

from __future__ import annotations

import math
import textwrap
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#000000", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
COLOUR_MAP = "viridis"
FONT = "DejaVu Sans"
LEGEND_SIZE = 8
GREY = "#555555"
POINT = (("o", 5.0), ("D", 5.0), ("s", 4.6))
"""Marker and size of a reaction, a congestion and a notification point of a network."""
MANY_LINES = 100
"""With more lines all of a network are thin."""
ON_DARK, ON_LIGHT = "#fefefe", "#010101"
"""The values in the cells of a heat map: as no other colour, for these stay on a dark page."""
DARK = {
    "#0072b2": "#4796e6",
    "#d55e00": "#ff7f50",
    "#009e73": "#2cc295",
    "#000000": "#e6e6e6",
    "#cc79a7": "#e8a0cb",
    "#e69f00": "#f0b429",
    "#56b4e9": "#9adcff",
    "#555555": "#a9adb2",
    "#dddddd": "#33383e",
    "#999999": "#777777",
    "#ffffff": "#16181b",
}
"""The colours of a drawing on a dark page, by those of the file."""
STYLE: Any = {
    "font.family": FONT,
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "hatch.color": "#999999",
    "hatch.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": LEGEND_SIZE,
    "svg.hashsalt": "penstock",
    "svg.fonttype": "path",
    "savefig.dpi": 150,
    "path.simplify": True,
    "text.parse_math": False,
}
CHARACTER = 0.072
"""Width of a letter of the usual size, in inches: about the mean of the font."""
ASIAN = 0x1100
"""The first letter that may be as wide as high."""
TILT = 35
"""Degrees by which names turn that do not fit side by side."""
LONGEST_NAME = 44
"""The most letters of a name that is tilted, beside a line or below a row of nodes."""

REFERENCE: Any = {"color": GREY, "linewidth": 0.9, "linestyle": (0, (1, 2))}
INSTANT: Any = {"color": "#000000", "linewidth": 0.9, "linestyle": (0, (5, 3)), "zorder": 1.5}
EXACT: Any = {"linestyle": "--", "linewidth": 1.1}


def colour_of(hue: int) -> str:
    """The colour of a place in the palette, which is cyclic."""
    return PALETTE[hue % len(PALETTE)]


def marker_of(hue: int) -> str:
    """The marker of a place in the palette: a repeated colour has another marker."""
    return MARKERS[(hue + hue // len(PALETTE)) % len(MARKERS)]


def wrapped_names(names: Sequence[str], slot: float) -> list[str] | None:
    """Names broken into lines of so many inches; None if a word is too long or there are too many lines."""
    width = int(slot / CHARACTER)
    lines = [textwrap.wrap(name, width, break_long_words=False) if width else [name] for name in names]
    if any(len(parts) > 3 or any(len(part) > max(width, 1) for part in parts) for parts in lines):
        return None
    return ["\n".join(parts) for parts in lines]


def name_columns(axis: Axes, places: Sequence[float], names: Sequence[str], slot: float) -> None:
    """Names under some places of the x axis, so many inches apart: broken into lines, or else tilted."""
    wrapped = wrapped_names(names, slot)
    if wrapped is None:
        axis.set_xticks(places, shown(names), rotation=TILT, ha="right", rotation_mode="anchor")
    else:
        axis.set_xticks(places, wrapped)


def shown(names: Sequence[str]) -> list[str]:
    """Names with a limited length: a long one without its middle."""
    half = LONGEST_NAME // 2
    return [name if len(name) <= LONGEST_NAME else f"{name[: half - 1]}…{name[-half:]}" for name in names]


def broken(text: str, letters: int, inches: float, size: float, *, is_bold: bool = False) -> str:
    """A text in lines of at most so many letters, or fewer if the letters are too wide for the line."""
    em = size / 72 * (1.12 if is_bold else 1.0)
    for width in range(letters, 20, -2):
        lines = textwrap.wrap(text, width)
        if max((length(line) * em for line in lines), default=0.0) <= inches:
            break
    return "\n".join(lines)


def length(text: str) -> float:
    """The approximate length of a text, in sizes of its font (DejaVu Sans)."""
    return math.fsum(ADVANCES.get(letter, 0.62 if ord(letter) < ASIAN else _wide(letter)) for letter in text)


def letters(text: str) -> int:
    """The number of letters of a text, of which those of Chinese and others as wide as high count twice."""
    return len(text) + sum(ord(letter) >= ASIAN and _wide(letter) > 1 for letter in text)


def _wide(letter: str) -> float:
    """The width of a letter that may be as wide as high."""
    return 1.16 if unicodedata.east_asian_width(letter) in "WF" else 0.62


def show_powers(axis: Axis, low: float, high: float) -> None:
    """Ticks of a log axis between two ends: powers of ten, or plain numbers if these are few."""
    from matplotlib.ticker import LogLocator, NullFormatter

    axis.set_minor_formatter(NullFormatter())
    if high / low >= 1e3:
        axis.set_major_formatter(lambda value, _: power_of_ten(round(math.log10(value))))
    else:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(lambda value, _: f"{value:g}")


def power_of_ten(exponent: int) -> str:
    """A power of ten as text."""
    return "1" if exponent == 0 else "10" + str(exponent).translate(SUPERSCRIPTS)


SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
ADVANCES = {
    letter: advance
    for letters, advance in (
        ("fijlIJ .,:;'|/-", 0.32),
        ("rt()[]!", 0.4),
        ("cszLF?*_", 0.54),
        ("ABCDGHKNOQRUVXZ&", 0.72),
        ("wM#+=<>^~", 0.84),
        ("mW%@", 0.98),
    )
    for letter in letters
}

"""Letters that the font of the figures has not: matplotlib draws boxes for them, and the caption says so."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import cache

from penstock.plot.style import FONT

LATIN = 0x250
"""The font has all letters below this one, so most figures need no look into it."""
MOST_NAMED = 3
"""Of so many letters a caption has the numbers."""


def boxes_in(part: object) -> str:
    """A sentence about the letters of all texts in a part of a figure that are boxes; empty without any."""
    letters = dict.fromkeys(letter for text in _texts(part) for letter in text if ord(letter) >= LATIN)
    missing = [f"U+{ord(letter):04X}" for letter in letters if not _has(letter)]
    if not missing:
        return ""
    named = ", ".join(missing[:MOST_NAMED])
    more = f" and {len(missing) - MOST_NAMED:,} more" if len(missing) > MOST_NAMED else ""
    what = "Each box stands for a letter" if len(missing) > 1 else "A box stands for a letter"
    return f"{what} that the font of the figures, {FONT}, has not: {named}{more}."


@contextmanager
def boxes_allowed() -> Iterator[None]:
    """Draw without the warnings of matplotlib about such letters."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from")
        yield


@cache
def _has(letter: str) -> bool:
    from matplotlib.font_manager import findfont, get_font

    return not letter.isprintable() or get_font(findfont(FONT)).get_char_index(ord(letter)) != 0


def _texts(part: object) -> Iterator[str]:
    """All texts within. A mapping or a sequence that begins with a number has none there: it may be long."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, Mapping):
        yield from _texts(tuple(part))
        yield from _texts(tuple(part.values()))
    elif isinstance(part, Sequence):
        if len(part) and not isinstance(part[0], int | float):
            for each in part:
                yield from _texts(each)
    elif is_dataclass(part) and not isinstance(part, type):
        for each in fields(part):
            yield from _texts(getattr(part, each.name))

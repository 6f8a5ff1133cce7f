"""Errors in the input: one exception, whose text is one paragraph.

The text has the place (file, line, path), the value, the reason for the refusal, and a remedy. The command prints this
paragraph and ends with status 2.
"""

from __future__ import annotations

from difflib import get_close_matches
from operator import index
from typing import TYPE_CHECKING, SupportsIndex

if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST_VALUE = 120
MOST_MEANT = 3
MOST_LISTED = 20


class InputError(ValueError):
    """An invalid input: a scenario, a file, a directory, an argument.

    Attributes:
        file: name of the file, empty without one.
        line: line of the file, from 1, if known.
        path: path into the scenario (``flow.voice.count``), or the name of the argument (``seed``).
        value: the invalid value as given, shortened.
        reason: why it is refused.
        remedy: how to correct it; may be empty.
    """

    def __init__(
        self,
        reason: str,
        *,
        path: str = "",
        value: object = "",
        remedy: str = "",
        file: str = "",
        line: int | None = None,
    ) -> None:
        self.file = file
        self.line = line
        self.path = path
        self.value = shorten(str(value))
        self.reason = reason
        self.remedy = remedy
        super().__init__(self._paragraph())

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (self.reason, self.path, self.value, self.remedy, self.file, self.line))

    def _paragraph(self) -> str:
        place = self.file
        if self.line is not None:
            place = f"{place}, line {self.line}" if place else f"line {self.line}"
        subject = f"{self.path} = {self.value}" if self.path and self.value else self.path or self.value
        told = ": ".join(part for part in (place, subject, self.reason) if part)
        return " ".join((f"{told}; {self.remedy}" if self.remedy else told).split())


def _rebuild(reason: str, path: str, value: str, remedy: str, file: str, line: int | None) -> InputError:
    return InputError(reason, path=path, value=value, remedy=remedy, file=file, line=line)


def shorten(text: str) -> str:
    """``text`` on one line, printable, shortened in the middle if it is long."""
    flat = " ".join("".join(letter if letter.isprintable() else " " for letter in text[:100_000]).split())
    if len(flat) <= LONGEST_VALUE:
        return flat
    return f"{flat[: LONGEST_VALUE - 40]} ... {flat[-30:]}"


def whole_number(value: object, name: str, least: int, most: int | None) -> int:
    """``value`` as an ``int``, if it is a whole number from ``least`` to ``most``, of Python or NumPy.

    Raises :class:`InputError` if not.
    """
    wanted = f"from {least} to {most}" if most is not None else f"of {least} or more"
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        raise InputError(
            "this is not a whole number", path=name, value=repr(value), remedy=f"give a whole number {wanted}"
        )
    number = index(value)
    if number < least or (most is not None and number > most):
        raise InputError("this is out of range", path=name, value=str(number), remedy=f"give a whole number {wanted}")
    return number


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``did you mean "..."?``, or the empty string if no other known word begins with ``word`` or is similar to it."""
    words = [each for each in known if each != word]
    longer = [f'"{each}"' for each in words if each.startswith(f"{word}_")]
    if 0 < len(longer) <= MOST_MEANT:
        return f"did you mean {' or '.join(longer)}?"
    close = get_close_matches(word, words, n=1, cutoff=0.6)
    return f'did you mean "{close[0]}"?' if close else ""


def near_or_listed(word: str, known: Iterable[str]) -> str:
    """The remedy for an unknown ``word``: the known one that is similar to it, or a list of those that are known."""
    names = list(known)
    if not names:
        return "there are none"
    more = ", ..." if len(names) > MOST_LISTED else ""
    return did_you_mean(word, names) or f"there are {', '.join(names[:MOST_LISTED])}{more}"


def require_known(what: str, name: str, known: Iterable[str], path: str = "") -> None:
    """Raise :class:`InputError` unless ``name`` is a known one of ``what``; ``path`` is ``what``, if there is none."""
    names = list(known)
    if name not in names:
        remedy = near_or_listed(name, names)
        raise InputError(f"there is no such {what}", path=path or what, value=name, remedy=remedy)

"""The words of a text with the lines that they are on, for the readers of formats made of words."""

from __future__ import annotations

import re
from collections.abc import Iterable

from penstock.core.errors import InputError
from penstock.core.quantities import finite

BETWEEN_BLANKS = re.compile(r"\S+")
COMMENT = re.compile(r"^[ \t]*#.*$", re.MULTILINE)


def without_comments(text: str) -> str:
    """The same lines; those that begin with `#` are empty."""
    return COMMENT.sub("", text)


def words_of(text: str, file: str, remedy: str) -> Words:
    """The words between blanks, without comments."""
    return Words(enumerate(without_comments(text).splitlines(), start=1), BETWEEN_BLANKS, file, remedy)


class Words:
    """The words of a file, one after the other. Errors name the line of the word that was taken last.

    Args:
        lines: the number of each line, and its text without comments.
        token: what a word is.
        file: the name of the file.
        remedy: what is right in a file of this format.
    """

    def __init__(self, lines: Iterable[tuple[int, str]], token: re.Pattern[str], file: str, remedy: str) -> None:
        self._words: list[tuple[str, int]] = [(word, number) for number, line in lines for word in token.findall(line)]
        self._place, self._remedy = 0, remedy
        self.file, self.line = file, 1

    def has_more(self) -> bool:
        """Whether a word follows."""
        return self._place < len(self._words)

    def ahead(self) -> str:
        """The next word, which stays."""
        if not self.has_more():
            raise self.refused("the file ends inside a section", "is a part of it missing?")
        return self._words[self._place][0]

    def take(self) -> str:
        """The next word."""
        word = self.ahead()
        self.line = self._words[self._place][1]
        self._place += 1
        return word

    def end_row(self, first: int) -> None:
        """Refuses a row that began on the line `first` and does not end where its line does."""
        if self.line != first or self.more_on_line():
            told = "few" if self.line != first else "many"
            self.line = first
            raise self.refused(f"the line has too {told} words for a row")

    def more_on_line(self) -> bool:
        """Whether a word follows on the line of the word that was taken last."""
        return self.has_more() and self._words[self._place][1] == self.line

    def expect(self, wanted: str) -> None:
        """Takes this word."""
        if (word := self.take()) != wanted:
            raise self.refused(f'there is "{word}" instead of "{wanted}"')

    def number(self) -> float:
        """The next word as a number."""
        word = self.take()
        try:
            return finite(word)
        except ValueError:
            raise self.refused(f'"{word}" is not a number, or none that is finite') from None

    def count(self, least: int = 0) -> int:
        """The next word as a whole number."""
        word = self.take()
        if not word.isdecimal() or len(word) > 9 or int(word) < least:
            raise self.refused(f'"{word}" is no whole number from {least} on')
        return int(word)

    def numbered(self, nodes: int) -> str:
        """The next word, the number of one of so many nodes from 0 on."""
        number = self.count()
        if (word := self._words[self._place - 1][0]) != str(number):
            raise self.refused(f'"{word}" is the number {number} in another form', f"write {number}")
        if number >= nodes:
            raise self.refused(f"there is no node {number}: they have the numbers 0 to {nodes - 1}")
        return str(number)

    def refused(self, reason: str, remedy: str = "") -> InputError:
        """The error of the line that was read last."""
        return InputError(reason, file=self.file, line=self.line, remedy=remedy or self._remedy)

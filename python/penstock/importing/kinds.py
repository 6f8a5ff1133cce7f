"""What the values of a table of texts are, for an expression that compares them: numbers, truths or texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import polars as pl

ROW = "penstock.row"
"""A column of every frame: the place of each packet in the file."""
FIRST = 100
"""Values that say of which kind all are."""
NUMBERS, TRUTHS, TEXTS = "numbers", "true or false", "texts"


class Kinds:
    """Reads the columns that an expression names, block by block. The first values of each say what all of them are."""

    def __init__(self, file: str, columns: Sequence[str]) -> None:
        self._file = file
        self.columns = columns
        self._kinds: dict[str, str] = {}

    def typed(self, frame: pl.DataFrame) -> pl.DataFrame:
        """A block of texts, with numbers and truths in the columns that have them.

        Raises:
            InputError: a value is of another kind than those before. Whole numbers and others are one kind.
        """
        import polars as pl

        for column in self.columns:
            # A cell with two quotes and nothing between them is empty, too.
            texts = frame[column].set(frame[column] == "", None)
            if column not in self._kinds and (first := texts.drop_nulls().head(FIRST)).len():
                self._kinds[column] = next(kind for kind, values in _read(first) if not values.null_count())
            if (kind := self._kinds.get(column)) == TEXTS:
                continue
            # Without any value, nothing is of a kind that an expression could not compare.
            values = dict(_read(texts))[kind] if kind else pl.Series([None] * len(texts), dtype=pl.Null)
            if values.null_count() > texts.null_count():
                bad = frame.filter(values.is_null() & texts.is_not_null())
                raise InputError(
                    f"the lines before have {kind} in this column",
                    path=column,
                    value=bad[column][0],
                    file=self._file,
                    line=int(bad[ROW][0]),
                    remedy="write the column with values of one kind, or leave it out of --where",
                )
            frame = frame.with_columns(pl.Series(column, values))
        return frame


def _read(texts: pl.Series) -> Iterator[tuple[str, pl.Series]]:
    """These texts as values of each kind, null where they are none."""
    import polars as pl

    whole = texts.cast(pl.Int64, strict=False)
    yield NUMBERS, whole if whole.null_count() == texts.null_count() else texts.cast(pl.Float64, strict=False)
    yield TRUTHS, texts.replace_strict({"true": True, "false": False}, default=None, return_dtype=pl.Boolean)
    yield TEXTS, texts

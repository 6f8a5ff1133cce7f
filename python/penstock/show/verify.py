"""The verdicts of ``penstock verify`` on the terminal and as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from penstock.show.terminal import print_table, print_text
from penstock.verify.streams import REASONS

if TYPE_CHECKING:
    from penstock.verify import Judged, Verification
    from penstock.verify.judge import Verdict

MOST_SHOWN = 8
"""The most numbers of a sequence that are printed."""


def print_verification(found: Verification) -> None:
    """Print a table for each theory on standard output, why lines fail if that is known, and the count of verdicts."""
    columns = [
        ("setting", "setting", str),
        ("quantity", "quantity", str),
        ("truth", "truth", str),
        ("measured", "measured", str),
        ("interval", "interval", str),
        ("verdict", "verdict", str),
    ]
    for theory, lines in by_theory(found.lines).items():
        print_table(theory, columns, [row(line) for line in lines])
        if theory in REASONS and any(line.verdict == "fails" for line in lines):
            print_text(f"Why lines fail: {REASONS[theory]}")
    print_text(f"{headline(found)} {basis(found)}")


def by_theory(lines: Sequence[Judged]) -> dict[str, list[Judged]]:
    """The lines of each theory, in the order of the checks."""
    found: dict[str, list[Judged]] = {}
    for line in lines:
        found.setdefault(line.theory, []).append(line)
    return found


def row(line: Judged) -> dict[str, str]:
    """The cells of one line."""
    return {
        "setting": line.setting,
        "quantity": line.quantity,
        "truth": truth(line),
        "measured": numbers(line.measured),
        "interval": interval(line),
        "verdict": line.verdict,
    }


def truth(line: Judged) -> str:
    """The exact numbers; a range of a random quantity as ``2 to 3``."""
    return numbers(line.truth, " " if line.kind == "exact" else " to ")


def interval(line: Judged) -> str:
    """The interval in words; ``exact`` without one."""
    if line.kind == "exact":
        return "exact"
    return "-" if line.low is None or line.high is None else f"{line.low:.5g} to {line.high:.5g}"


def numbers(values: Sequence[float], between: str = " ") -> str:
    """Numbers with five digits, or six for one alone; the middle of a long sequence is left out."""
    digits = [f"{value:.6g}" if len(values) == 1 else f"{value:.5g}" for value in values]
    if len(digits) > MOST_SHOWN:
        digits = [*digits[: MOST_SHOWN - 2], "...", digits[-1]]
    return between.join(digits)


def headline(found: Verification) -> str:
    """One sentence: how many lines have each verdict."""
    counts = Counter(line.verdict for line in found.lines)
    told = ", ".join(f"{counts[verdict]} {words}" for verdict, words in VERDICTS.items() if counts[verdict])
    return f"{len(found.lines)} lines: {told}."


VERDICTS: dict[Verdict, str] = {"holds": "hold", "too wide": "are too wide", "fails": "fail"}


def basis(found: Verification) -> str:
    """How the lines were judged."""
    return (
        f"Intervals are valid together at 95 % (Holm), from seed {found.seed}; {found.events:.3g} PDUs were processed "
        "by nodes."
    )


def failure(found: Verification) -> str:
    """The lines that do not hold, in one paragraph."""
    told = "; ".join(f"{line.theory}, {line.setting}, {line.quantity}: {line.verdict}" for line in found.failed)
    return f"{len(found.failed)} of {len(found.lines)} lines do not hold: {told}"


def to_json(found: Verification) -> dict[str, Any]:
    """The lines as plain data, with the seed and the engine."""
    return {
        "penstock": found.penstock,
        "engine": found.engine,
        "seed": found.seed,
        "quick": found.quick,
        "events": found.events,
        "lines": [asdict(line) for line in found.lines],
    }

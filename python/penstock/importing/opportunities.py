"""The traces of Mahimahi (Netravali et al. 2015): when a line can carry packets.

Each line of a file is a time in milliseconds, at which 1,500 octets can leave the queue; a time may be there more than
once. At the end the trace begins again. A line of a scenario can have these opportunities as they are. Or the number of
opportunities in a span of time is the rate of that span.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import accumulate
from pathlib import Path

from penstock.core.errors import InputError
from penstock.core.files import prepare_file, write_text
from penstock.core.quantities import DELAY_UNITS, RATE_UNITS, given, is_rounded, shown
from penstock.core.reading import is_zipped, unzipped_start
from penstock.core.texts import INSTANTS, read_file_of
from penstock.importing.document import key, named_list, quoted
from penstock.importing.names import plain
from penstock.importing.series import MOST_VALUES, entry, kept_from, series_of

OPPORTUNITY_BITS = 1_500 * 8
LEAST_BPS = 1
"""The rate of a span in which nothing can be sent: a rate is more than zero. A PDU then waits for the next span."""
MS = Decimal(10**6)
"""Nanoseconds of a millisecond."""
LATEST_MS = 2**32 - 1
LONGEST_NUMBER = len(str(LATEST_MS))
MOST_INSTANTS = 1_000_000
"""Most opportunities of a line in a scenario."""
BLANKS = " \t\r\f"
"""What may stand around a time. The engine reads the same files: a test compares both."""
LOOKED_AT = 1000
"""Octets of a file that say whether it is such a trace."""
OPPORTUNITIES = replace(INSTANTS, largest=200_000_000, zipped=True)


@dataclass(frozen=True, slots=True)
class Opportunities:
    """What a file says: the number of lines of each millisecond, and the time after which it begins again."""

    counts: Counter[int]
    period_ms: int

    @property
    def mean_bps(self) -> float:
        """The mean rate in bits per second."""
        return self.counts.total() * OPPORTUNITY_BITS / (self.period_ms / 1000)


def has_opportunities(file: str | Path) -> bool:
    """Whether a file is such a trace: its first lines are whole numbers, one each, that do not decrease."""
    try:
        octets = unzipped_start(Path(file), LOOKED_AT)
    except (OSError, ValueError):
        return False
    whole = octets if len(octets) < LOOKED_AT else octets.rpartition(b"\n")[0]
    lines = [line.strip() for line in whole.removeprefix(codecs.BOM_UTF8).split(b"\n")]
    times = [int(line) for line in lines if re.fullmatch(rb"\d{1,12}", line)]
    return bool(times) and len(times) == sum(map(bool, lines)) and times == sorted(times)


def read(path: Path) -> Opportunities:
    """The opportunities of a file. Raises :class:`InputError` if it has another form."""
    counts: Counter[int] = Counter()
    last = 0
    for number, line in enumerate(read_file_of(path, OPPORTUNITIES).split("\n"), start=1):
        word = line.strip(BLANKS)
        if not word:
            continue
        if re.fullmatch(r"\d+", word, re.ASCII) is None:
            raise _refused(path, number, f'"{word[:40]}" is no time in whole milliseconds', "write one a line")
        digits = word.lstrip("0") or "0"
        if len(digits) > LONGEST_NUMBER or (time := int(digits)) > LATEST_MS:
            raise _refused(path, number, f"{word[:40]} ms is later than {LATEST_MS:,} ms", "give a part of it")
        if time < last:
            raise _refused(path, number, f"{time} is earlier than the time before it, {last}", "sort the lines")
        counts[time] += 1
        last = time
    if not counts:
        raise InputError("there is no time", file=str(path), remedy="give one in whole milliseconds a line")
    if not last:
        raise InputError(
            "the trace ends at 0 ms", file=str(path), remedy="its last line is its duration in milliseconds"
        )
    return Opportunities(counts, last)


def _refused(path: Path, line: int, reason: str, remedy: str) -> InputError:
    return InputError(reason, file=str(path), line=line, remedy=remedy)


def import_rates(
    file: str | Path, line: str, *, span: str = "100 ms", duration: str = "", list_out: str | Path | None = None
) -> str:
    """A part of a scenario file that gives a line the rate of a trace of Mahimahi, which follows a cellular line.

    Args:
        file: the trace.
        line: the name of the line.
        span: the time over which opportunities are counted; one at its end is in it. A shorter one follows the trace
            more closely.
        duration: until when the trace is repeated; by default once.
        list_out: a file to write the values into. The scenario names it, with its SHA-256, and is to be beside it.

    Raises:
        InputError: a file that cannot be read or has another form, a time that is none.
    """
    trace = read(Path(file))
    span_ms = _milliseconds("--span", span)
    end_ms = _milliseconds("--duration", duration) if duration else trace.period_ms
    spans = -(-end_ms // span_ms)
    if spans > MOST_VALUES:
        reason = f"{end_ms:,} ms have {spans:,} spans, and a series has at most {MOST_VALUES:,}"
        raise InputError(reason, path="--span", value=span, file=str(file), remedy="give a longer span")
    rates = [Decimal(number * OPPORTUNITY_BITS * 1000) / span_ms for number in _counts(trace, span_ms, spans)]
    values = _values(rates, span_ms)
    return series_of(line, "rate", values, _notes(Path(file).name, trace, rates, span_ms), list_out, [file])


def import_opportunities(file: str | Path, line: str, *, list_out: str | Path | None = None) -> str:
    """A part of a scenario file that gives a line the opportunities of a trace of Mahimahi, each as it is.

    The line needs the mean rate of the trace as its `rate`, which a comment tells.

    Args:
        file: the trace. The scenario names it, with its SHA-256, and is to be beside it.
        line: the name of the line.
        list_out: a file to write the opportunities into, which the scenario then names. A compressed trace needs one.

    Raises:
        InputError: a file that cannot be read or has another form, or is compressed and has no `list_out`.
    """
    path = Path(file)
    trace = read(path)
    if trace.counts.total() > MOST_INSTANTS:
        reason = f"there are {trace.counts.total():,} opportunities, and a line has at most {MOST_INSTANTS:,}"
        raise InputError(
            reason, file=str(file), remedy="give a part of them, or leave out --exact: a rate can be longer"
        )
    if list_out is not None:
        times = sorted(trace.counts.elements())
        write_text(prepare_file(list_out, [file]), "".join(f"{time}\n" for time in times))
        path = Path(list_out)
    elif is_zipped(path):
        remedy = "write --list-out FILE: what is in it goes there"
        raise InputError("a scenario names no file that is compressed", file=str(file), remedy=remedy)
    keys = tuple(named_list(path.name, path.read_bytes().decode()))
    rate = f'rate = "{max(trace.mean_bps, LEAST_BPS):.0f} b/s"'
    lines = (
        f"# {_opportunities(trace)} of {plain(Path(file).name)} in {trace.period_ms / 1000:g} s.",
        f"# The line needs their mean as its rate: {rate}",
        "# A line in braces, as an import writes it, has both between them, and this table is deleted:",
        f"# {rate}, opportunities = {{ {', '.join(keys)} }}",
        f"[line.{key(line)}.opportunities]",
        *keys,
    )
    return "\n".join(lines) + "\n"


def _milliseconds(option: str, text: str) -> int:
    """A time in whole milliseconds, more than zero."""
    ms = given(option, text, DELAY_UNITS, "100 ms") / MS
    if ms < 1 or ms != int(ms):
        raise InputError("this is no whole number of milliseconds", path=option, value=text, remedy="round it")
    return int(ms)


def _counts(trace: Opportunities, span_ms: int, spans: int) -> Iterator[int]:
    """The number of opportunities in each span. One at the end of a span is in it, and one at 0 is in the first."""
    times = sorted(trace.counts)
    until = list(accumulate(trace.counts[time] for time in times))
    times[0] = max(times[0], 1)
    before = 0
    for number in range(1, spans + 1):
        passes, rest = divmod(number * span_ms, trace.period_ms)
        place = bisect_right(times, rest)
        all_of_them = passes * until[-1] + (until[place - 1] if place else 0)
        yield all_of_them - before
        before = all_of_them


def _values(rates: Sequence[Decimal], span_ms: int) -> Iterator[str]:
    """The times at which the rate changes, each with the new rate."""
    last = None
    for number, rate in enumerate(rates):
        value = shown(max(rate, Decimal(LEAST_BPS)), RATE_UNITS)
        if value != last:
            yield entry(number * span_ms * MS, quoted(value))
        last = value


def _notes(name: str, trace: Opportunities, rates: Sequence[Decimal], span_ms: int) -> Iterator[str]:
    yield f"The rate of {plain(name)} in spans of {span_ms:,} ms: mean {trace.mean_bps / 1e6:.4g} Mb/s."
    lasts, ends = f"{trace.period_ms / 1000:g} s", f"{len(rates) * span_ms / 1000:g} s"
    if len(rates) * span_ms > trace.period_ms:
        yield f"The trace lasts {lasts}. At its end it begins again, until {ends}."
    elif lasts == ends:
        yield f"The trace lasts {lasts}."
    else:
        yield f"The trace lasts {lasts}. Its first {ends} are here."
    yield kept_from(Decimal(len(rates) * span_ms) * MS)
    if zeros := sum(not rate for rate in rates):
        yield f"{zeros:,} of {len(rates):,} spans have no opportunity: {LEAST_BPS} b/s stands for nothing there."
    if rounded := sum(map(is_rounded, rates)):
        yield f"{rounded:,} of {len(rates):,} rates are rounded to whole b/s."


def _opportunities(trace: Opportunities) -> str:
    """Their number, with the noun."""
    number = trace.counts.total()
    return f"{number:,} opportunit{'y' if number == 1 else 'ies'}"

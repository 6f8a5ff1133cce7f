"""The scope of `penstock watch`: what ports and groups of flows did in the last seconds, as rows of the terminal."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from penstock.core.units import readable
from penstock.show.player import MOST_COLUMNS
from penstock.show.samples import DELIVERED, INPUT, LOST, MARKED, NOTICES, QUEUE, SENT, Key
from penstock.show.trace_panels import pdus

if TYPE_CHECKING:
    from rich.text import Text

    from penstock.core.scenario import Scenario
    from penstock.show.player import Player

BARS, PLAIN_BARS = "▁▂▃▄▅▆▇█", "_.:-=+*#"
CELL_BITS = 424
QUANTITY, VALUE, MOST = 9, 12, 11
"""The widths of the columns between the name and the bars: quantity, its value now, the largest value in the bars."""
BESIDE = QUANTITY + VALUE + MOST + 4
LEAST_WIDTH, LEAST_ROWS = 60, 8
STYLES = {QUEUE: "blue", INPUT: "cyan", LOST: "red", MARKED: "yellow", NOTICES: "yellow", SENT: "cyan"}
KEYS = "space play or pause   + - speed   s step   j jump to a time   q quit"
ORDER = (QUEUE, INPUT, SENT, DELIVERED, LOST, MARKED, NOTICES)
ALWAYS = {QUEUE, INPUT, SENT, DELIVERED}
"""The rows of these quantities are always there, those of the others once something was counted."""
SIZES = ((10**9, "G"), (10**6, "M"), (10**3, "k"))


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the scope: a quantity of a port or of a group."""

    key: Key
    value: str
    most: str
    bars: str


def bars(values: Sequence[float | None], letters: str = BARS) -> str:
    """Values as bars, from 0 to the largest: the lowest is 0, a space is no value, any other value is higher."""
    most = max((value for value in values if value is not None), default=0.0)
    top = len(letters) - 1

    def letter(value: float | None) -> str:
        if value is None:
            return " "
        return letters[math.ceil(value / most * top)] if value > 0 else letters[0]

    return "".join(map(letter, values))


def rows(player: Player, width: int, letters: str = BARS) -> list[Row]:
    """The rows of all quantities that are shown, those of ports first, ``width`` columns wide."""
    samples = player.samples
    count = bar_count(player, width)
    write = formats(player.scenario)
    made = []
    names = list(dict.fromkeys((key.of, key.is_port) for key in samples.values))
    for of, is_port in sorted(names, key=lambda name: not name[1]):
        for quantity in ORDER:
            key = Key(of, quantity, is_port)
            if key not in samples.values:
                continue
            total = samples.values[key][-1]
            if quantity not in ALWAYS and not total:
                continue
            shown = samples.columns(key, player.column, count)
            most = max((value for value in shown if value is not None), default=0.0)
            value = total if quantity not in (INPUT, SENT, DELIVERED) else shown[-1] or 0.0
            made.append(Row(key, write(quantity, value, False), write(quantity, most, True), bars(shown, letters)))
    return made


def most_telling(player: Player, every: Sequence[Row], room: int) -> list[Row]:
    """The rows of the ports and groups with the most losses, the longest queues and the most PDUs, in their order.

    Ports have at least half of the room.
    """
    values = player.samples.values

    def weight(row: Row) -> tuple[float, ...]:
        own = [values.get(Key(row.key.of, quantity, row.key.is_port), [0.0]) for quantity in (LOST, QUEUE, INPUT, SENT)]
        return (own[0][-1], max(own[1]), own[2][-1], own[3][-1])

    groups = sum(not row.key.is_port for row in every)
    chosen: list[Row] = []
    for is_port, limit in ((True, max(room - groups, room // 2)), (False, room)):
        blocks: dict[str, list[Row]] = {}
        for row in (row for row in every if row.key.is_port == is_port):
            blocks.setdefault(row.key.of, []).append(row)
        for block in sorted(blocks.values(), key=lambda block: weight(block[0]), reverse=True):
            chosen += block[: max(0, limit - len(chosen))]
    return [row for row in every if row in chosen]


def formats(scenario: Scenario) -> Callable[[str, float, bool], str]:
    """How values are written: rates of cells in bits, others in PDUs; counts so far, and how many a second."""
    unit = pdus(scenario)

    def write(quantity: str, value: float, is_most: bool) -> str:
        if quantity == QUEUE:
            return f"{value:,.0f} {unit}" if not is_most else f"{value:,.0f}"
        if quantity in (INPUT, SENT, DELIVERED):
            return scaled(value * CELL_BITS, "b/s") if unit == "cells" else scaled(value, "/s")
        return scaled(value, "/s") if is_most else f"{value:,.0f} in all"

    return write


def scaled(value: float, unit: str) -> str:
    """A rate with three or four digits."""
    for size, prefix in SIZES:
        if value >= size:
            return f"{value / size:.4g} {prefix}{unit}"
    return f"{value:.4g} {unit}"


def draw(player: Player, width: int, height: int, message: str, letters: str = BARS) -> Text:
    """The whole picture, ``width`` letters by ``height`` lines; ``message`` is shown above the keys."""
    from rich.text import Text

    if width < LEAST_WIDTH or height < LEAST_ROWS:
        return Text(f"The terminal is too small: {LEAST_WIDTH} x {LEAST_ROWS} letters are the least.")
    head, foot = header(player, width), footer(player, width, message)
    every = rows(player, width, letters)
    room = height - len(head) - len(foot)
    made = every if len(every) <= room else most_telling(player, every, room - 1)
    names = name_width(player, width)
    body = [
        line_of(row, names, is_first=number == 0 or made[number - 1].key.of != row.key.of)
        for number, row in enumerate(made)
    ]
    if len(made) < len(every):
        body.append(Text(f"... and {len(every) - len(made)} rows more, in a taller terminal", "dim"))
    body += [Text()] * (room - len(body))
    lines = [*head, *body, *foot]
    for line in lines:
        line.truncate(width)
    return Text("\n").join(lines)


def header(player: Player, width: int) -> list[Text]:
    """The scenario and its fingerprint, the time and the speed, and the headings of the columns."""
    from rich.text import Text

    print_ = player.sim.fingerprint
    name = player.scenario.title or player.scenario.name
    room = width - len(print_) - 2
    first = Text(name[:room].ljust(room + 2), "bold").append(print_, "not bold dim")
    second = Text().append(state(player), "bold reverse").append(f"  {readable(player.sim.now)}", "bold")
    second.append(f" of {readable(player.scenario.tree['duration'])}   {speed_text(player.speed)}   seed {player.seed}")
    span = readable(f"{bar_count(player, width) * player.column} ps")
    before = name_width(player, width) + QUANTITY + 2
    labels = f"{'':{before}}{'now':>{VALUE}} {'largest':>{MOST}} the last {span}"
    return [first, second, Text(labels, "dim")]


def footer(player: Player, width: int, message: str) -> list[Text]:
    """A message or a warning, and the keys."""
    from rich.text import Text

    warning = ""
    if player.reached is not None:
        warning = f"this machine cannot hold {speed_text(player.speed)}: it reaches {speed_text(player.reached)}"
    return [Text(message or warning, "yellow"), Text(KEYS[:width], "dim")]


def state(player: Player) -> str:
    """What the simulation does now, in eight letters."""
    if player.sim.has_ended:
        return " ended  "
    if player.goal is not None:
        return " going  "
    return " plays  " if player.is_playing else " paused "


def speed_text(speed: float) -> str:
    """A speed, as ``5 ms/s`` for so much simulated time in a second."""
    time = readable(f"{Decimal(f'{speed:.3g}'):f} ps") if speed >= 1 else "0 s"
    return f"{time}/s"


def name_width(player: Player, width: int) -> int:
    """The width of the names of ports and groups."""
    longest = max((len(key.of) for key in player.samples.values), default=0)
    return min(longest, max(12, width // 5))


def bar_count(player: Player, width: int) -> int:
    """The number of bars in a row."""
    return min(width - name_width(player, width) - BESIDE, MOST_COLUMNS)


def line_of(row: Row, names: int, *, is_first: bool) -> Text:
    """A row as text; the name of a port or group stands only in its first row."""
    from rich.text import Text

    name = row.key.of if is_first else ""
    name = name if len(name) <= names else f"{name[: names - 1]}…"
    line = Text(f"{name:{names}} ", "bold")
    line.append(f"{row.key.quantity:{QUANTITY}} {row.value:>{VALUE}} ", "not bold")
    line.append(f"{row.most:>{MOST}} ", "not bold dim")
    return line.append(row.bars, f"not bold {STYLES.get(row.key.quantity, 'green')}")

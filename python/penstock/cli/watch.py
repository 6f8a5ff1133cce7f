"""``penstock watch``: a simulation in the terminal, as on a scope."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.cli.command import DONE, Command, add_consent, add_set, number, scenario_of
from penstock.core.errors import InputError
from penstock.core.reading import STDIN

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

    from penstock.show.player import Player

PICTURES_PER_S = 10
IDLE_S = 0.25
"""How often the size of the terminal is looked at while nothing moves."""
LONGEST_TIME = 30
PROMPT = "jump to: "


@dataclass(slots=True)
class Hand:
    """What the keys do: to the player, or to the time that is being typed (None if there is none)."""

    player: Player
    typed: str | None = None
    message: str = ""
    has_quit: bool = False

    def press(self, key: str) -> None:
        """Do what a key says; others do nothing."""
        from penstock.show import player

        self.message = ""
        if key == "end":
            self.has_quit = True
        elif self.typed is not None:
            self._type(key)
        elif key == "q":
            self.has_quit = True
        elif key in (" ", "p"):
            is_moving = self.player.is_playing or self.player.goal is not None
            (self.player.pause if is_moving else self.player.play)()
        elif key in ("+", "=", "up"):
            self.player.set_speed(player.faster(self.player.speed))
        elif key in ("-", "_", "down"):
            self.player.set_speed(player.slower(self.player.speed))
        elif key in ("s", ".", "right"):
            self.player.step()
        elif key in ("j", "g"):
            self.typed = ""

    def _type(self, key: str) -> None:
        """One key of a time."""
        typed = self.typed or ""
        if key == "enter":
            self.typed = None
            try:
                self.player.go_to(typed)
            except InputError as error:
                self.message = str(error)
        elif key == "escape":
            self.typed = None
        elif key == "backspace":
            self.typed = typed[:-1]
        elif len(key) == 1 and key.isprintable() and len(typed) < LONGEST_TIME:
            self.typed = typed + key

    @property
    def line(self) -> str:
        """What is said above the keys."""
        return self.message if self.typed is None else f"{PROMPT}{self.typed}_"


def watch(options: argparse.Namespace) -> int:
    """``penstock watch``: show a simulation as it goes on."""
    require_terminal()
    from rich.console import Console

    from penstock.core.scenario import stem
    from penstock.core.units import picoseconds, readable
    from penstock.show.player import FASTEST, Player

    seed = number(options.seed, "--seed", 0, 2**64 - 1)
    if options.scenario == STDIN:
        remedy = "write the scenario to a file, and name that"
        raise InputError("standard input is for the keys", path="watch", value=STDIN, remedy=remedy)
    scenario = scenario_of(options, options.scenario)
    scenario.check_limits()
    speed = 0
    if options.speed is not None:
        try:
            speed = picoseconds(options.speed)
        except ValueError:
            speed = 0
        if not 10 <= speed <= FASTEST:
            remedy = "write the simulated time that passes in a second, as 100 ms; 10 ps or more"
            raise InputError("this is no speed", path="--speed", value=options.speed, remedy=remedy)
    player = Player(scenario, seed, speed, allow_python=options.allow_python)
    if options.at is not None:
        player.go_to(options.at)
    elif not options.paused:
        player.play()
    hand = Hand(player)
    show(hand, Console(), plays_next=options.at is not None and not options.paused)
    sim = player.sim
    print(f"{stem(scenario.name)}: {readable(sim.now)}, seed {seed}, fingerprint {sim.fingerprint}")
    return DONE


def require_terminal() -> None:
    """Raises :class:`InputError` unless standard input and output are a terminal that can be drawn on."""
    remedy = "use `penstock run` for the results, or `penstock run --trace DIR` for figures against time"
    for stream, name in ((sys.stdin, "standard input"), (sys.stdout, "standard output")):
        if not stream.isatty():
            raise InputError(f"{name} is no terminal", path="watch", remedy=remedy)
    if os.environ.get("TERM", "dumb") in ("dumb", "unknown"):
        value = os.environ.get("TERM", "")
        raise InputError("this terminal cannot be drawn on", path="TERM", value=value, remedy=remedy)


def show(hand: Hand, console: Console, *, plays_next: bool) -> None:
    """Draw the simulation until the user quits; with ``plays_next``, play it once it is at its first goal."""
    from rich.live import Live

    from penstock.cli.keys import keys
    from penstock.show.scope import BARS, PLAIN_BARS, draw

    player = hand.player
    letters = PLAIN_BARS if console.options.ascii_only else BARS
    drawn: object = None
    with (
        keys() as pressed,
        Live(console=console, screen=True, auto_refresh=False, redirect_stdout=False, redirect_stderr=False) as live,
    ):
        while not hand.has_quit:
            began = time.monotonic()
            player.work(began + 1 / PICTURES_PER_S)
            if plays_next and player.goal is None:
                plays_next = False
                player.play()
            picture = draw(player, *console.size, hand.line, letters)
            if picture != drawn:
                live.update(picture, refresh=True)
                drawn = picture
            is_moving = player.is_playing or player.goal is not None
            wait = began + 1 / PICTURES_PER_S - time.monotonic() if is_moving else IDLE_S
            for key in pressed(wait):
                hand.press(key)


def _add_watch(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scenario", metavar="FILE|NAME", help="a scenario file, or the name of a ready one")
    add_set(parser, "change a value")
    parser.add_argument("--seed", default="1", metavar="N", help="0 to 2**64 - 1 (default: 1)")
    parser.add_argument("--at", metavar="TIME", help="begin at this time, as 12.4 s")
    add_consent(parser)
    parser.add_argument("--paused", action="store_true", help="begin without playing")
    parser.add_argument(
        "--speed", metavar="TIME", help="simulated time in a second, as 100 ms (default: a run takes about a minute)"
    )


COMMANDS = (
    Command(
        "watch",
        watch,
        "watch a simulation in the terminal: queues, rates, losses and notices of the last seconds",
        ("penstock watch satellite/1-case-2", "penstock watch atm_lan/figure-4 --at '10 ms' --paused --speed '1 ms'"),
        _add_watch,
    ),
)

"""A live simulation that is played: at a speed, in steps, or to a time, with samples for the scope."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from penstock.api.simulation import Simulation
from penstock.core.errors import InputError
from penstock.core.units import picoseconds
from penstock.show.samples import Samples

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.core.scenario import Scenario

COLUMNS_PER_S = 10
"""The columns of the scope that pass in a second of the clock."""
MOST_COLUMNS = 300
"""The widest scope."""
USUAL_S = 60
"""At the first speed, a whole run takes about so many seconds of the clock."""
STEPS = (1, 2, 5)
FASTEST = 10**18
JUDGED_S = 1.0
"""The speed that is reached is judged from so many seconds of the clock."""
STRIDE_S = 0.05
FIRST_STRIDE = 100_000
"""The first stride is this part of the run."""
HELD = 0.9
"""The least share of the speed that counts as held."""


def faster(speed: int) -> int:
    """The next speed of the series 1, 2, 5, 10, ..."""
    return next(each for each in speeds() if each > speed or each == FASTEST)


def slower(speed: int) -> int:
    """The speed before this one in the series 1, 2, 5, 10, ..."""
    return max((each for each in speeds() if each < speed), default=COLUMNS_PER_S)


def speeds() -> list[int]:
    """All speeds, picoseconds a second: a column has one picosecond or more."""
    return [step * 10**power for power in range(1, 19) for step in STEPS if step * 10**power <= FASTEST]


@dataclass(slots=True)
class Player:
    """A simulation and how it is played.

    Attributes:
        scenario: what is simulated.
        seed: the seed.
        speed: picoseconds of simulated time in a second of the clock; by default a run takes about a minute.
        clock: seconds; it may begin anywhere.
        is_playing: whether time goes on.
        goal: the time to go to, at full speed; None while there is none.
        reached: the speed of the last second if that is much lower than ``speed``, else None.
    """

    scenario: Scenario
    seed: int
    speed: int = 0
    allow_python: bool = False
    clock: Callable[[], float] = time.monotonic
    is_playing: bool = False
    goal: int | None = None
    reached: float | None = None
    duration: int = field(init=False)
    warm_up: int = field(init=False)
    start: Simulation = field(init=False)
    sim: Simulation = field(init=False)
    samples: Samples = field(init=False)
    anchor: tuple[float, int] = field(init=False)
    marks: deque[tuple[float, int]] = field(init=False)
    stride: int = field(init=False)

    def __post_init__(self) -> None:
        tree = self.scenario.tree
        self.duration, self.warm_up = picoseconds(tree["duration"]), picoseconds(tree["warm_up"])
        self.stride = max(1, self.duration // FIRST_STRIDE)
        self.speed = self.speed or slower(self.duration // USUAL_S + 1)
        self.start = Simulation(self.scenario, self.seed, allow_python=self.allow_python)
        self._begin()

    @property
    def now(self) -> int:
        """The simulated time, picoseconds."""
        return self.sim.now_ps

    @property
    def column(self) -> int:
        """The simulated time of a column of the scope, picoseconds."""
        return max(1, self.speed // COLUMNS_PER_S)

    def play(self) -> None:
        """Let time go on from now, at the speed."""
        self.goal = None
        self.is_playing = not self.sim.has_ended
        self._judge_anew()

    def pause(self) -> None:
        """Stop where it is."""
        self.is_playing, self.goal, self.reached = False, None, None

    def set_speed(self, speed: int) -> None:
        """Play at another speed."""
        self.speed = speed
        self._judge_anew()

    def step(self) -> None:
        """Stop at the end of the next instant with an event."""
        self.pause()
        if not self.sim.has_ended:
            self._advance(min(picoseconds(self.sim.next_event), self.duration), float("inf"))
            self.samples.take(self.sim)

    def go_to(self, text: str) -> None:
        """Go to a time at full speed, and stop there; to an earlier one from the start.

        Raises :class:`InputError` for what is no time.
        """
        try:
            goal = picoseconds(text)
        except ValueError:
            raise InputError("this is no time", value=text, remedy="write a number and a unit, as 12.4 s") from None
        self.pause()
        if goal < self.now:
            self._begin()
        self.goal = min(goal, self.duration)

    def work(self, until: float) -> None:
        """Simulate what is due, but no longer than ``until``, by the clock."""
        if self.goal is not None:
            if self._play_to(self.goal, until):
                self.goal = None
        elif self.is_playing:
            began, then = self.anchor
            due = min(then + int((self.clock() - began) * COLUMNS_PER_S) * self.column, self.duration)
            if not self._play_to(due, until):
                # What could not be simulated in time is left out, or it would stay behind for good.
                self.anchor = (self.clock() - 1 / COLUMNS_PER_S, self.now)
            self._judge()
        if self.sim.has_ended:
            self.pause()

    def _begin(self) -> None:
        """Go to the start."""
        self.sim = self.start.fork()
        self.samples = Samples(self.warm_up)
        self.samples.take(self.sim)
        self._judge_anew()

    def _play_to(self, goal: int, until: float) -> bool:
        """Simulate to a time, with a sample for each column that the scope can show; False if that takes too long."""
        first = goal - MOST_COLUMNS * self.column
        while self.now < goal and not self.sim.has_ended:
            stop = max(first, min(goal, self.now + self.column))
            if not self._advance(stop, until):
                return False
            self.samples.take(self.sim)
        return True

    def _advance(self, stop: int, until: float) -> bool:
        """Simulate to a time; stop at the end of warm-up, where totals begin again, with a sample right before it."""
        stops = [each for each in (self.warm_up - 1, self.warm_up) if self.now < each < stop]
        for each in (*stops, stop):
            self._stride_to(each)  # also if it is there: the events of this instant may be to come
            while self.now < each and not self.sim.has_ended:
                if self.clock() >= until:
                    return False
                self._stride_to(each)
            if each in stops:
                self.samples.take(self.sim)
        return True

    def _stride_to(self, stop: int) -> None:
        """Simulate towards a time for about ``STRIDE_S``, so that keys are heard."""
        began = self.clock()
        self.sim.run_until(f"{min(stop, self.now + self.stride)} ps")
        took = self.clock() - began
        if took > STRIDE_S:
            self.stride = max(1, self.stride // 2)
        elif took < STRIDE_S / 2:
            self.stride = min(2 * self.stride, self.duration)

    def _judge_anew(self) -> None:
        """Measure the speed from now."""
        self.anchor = (self.clock(), self.now)
        self.marks = deque([self.anchor])
        self.reached = None

    def _judge(self) -> None:
        """See by the last second whether the speed is held."""
        mark = (self.clock(), self.now)
        self.marks.append(mark)
        while mark[0] - self.marks[1][0] >= JUDGED_S:
            self.marks.popleft()
        began, then = self.marks[0]
        if mark[0] - began >= JUDGED_S:
            reached = (self.now - then) / (mark[0] - began)
            self.reached = reached if reached < HELD * self.speed else None

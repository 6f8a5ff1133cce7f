"""The environment: an episode is one run of a scenario. :func:`penstock.gym.make` describes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box

from penstock.api.simulation import Simulation
from penstock.core.errors import InputError, whole_number
from penstock.core.scenario import Scenario
from penstock.core.units import picoseconds, time_text
from penstock.gym.reward import Interval, Places, fastest
from penstock.gym.seen import seen_of
from penstock.gym.settings import settings_of, values_at

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from penstock.api.simulation import Condition, Time
    from penstock.core.scenario import Source
    from penstock.gym.seen import Reading

SECOND = 10**12
"""In picoseconds."""
MOST_SEED = 2**64 - 1


class SimulationEnv(gymnasium.Env["NDArray[np.float32]", "NDArray[np.float32]"]):
    """A Gymnasium environment over simulations of a scenario. :func:`penstock.gym.make` makes and describes it."""

    observation_space: Box[np.float32]
    action_space: Box[np.float32]
    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(
        self,
        scenario: Source,
        *,
        step: Time,
        observe: Sequence[Reading],
        act: Mapping[str, str],
        reward: Callable[[Interval], float],
        terminate: Condition | None,
    ) -> None:
        self._scenario = Scenario.of(scenario)
        sim = Simulation(self._scenario)
        tree = self._scenario.tree
        self._start, self._end = (picoseconds(tree[key]) for key in ("warm_up", "duration"))
        self._step = _length(step, self._scenario, self._end - self._start)
        self._seen = seen_of(observe, sim)
        self._settings = settings_of(act, self._scenario, sim)
        functions: dict[str, object] = (
            {"reward": reward} if terminate is None else {"reward": reward, "terminate": terminate}
        )
        for name, function in functions.items():
            if not callable(function):
                raise InputError("this is no function", path=name, value=repr(function), remedy="give one")
        self._reward, self._terminate = reward, terminate
        self._places = Places(sim.counter_kinds())
        self._line_bps = fastest(self._scenario.expanded().tree)
        highs = np.array(self._seen.highs, dtype=np.float32)
        self.observation_space = Box(np.zeros_like(highs), highs, dtype=np.float32)
        self.action_space = Box(0.0, 1.0, (len(self._settings),), dtype=np.float32)
        self._sim: Simulation | None = None
        self._has_ended = True

    @property
    def observed(self) -> list[tuple[str, str]]:
        """Name and unit of each number of an observation, as ``("trunk.queue", "PDUs")``."""
        return list(zip(self._seen.names, self._seen.units, strict=True))

    @property
    def acted(self) -> list[tuple[str, str]]:
        """Path and range of each number of an action, as ``("line.trunk.rate", "1.0 Mb/s..9.0 Mb/s")``."""
        return [(setting.path, str(setting.range)) for setting in self._settings]

    @property
    def simulation(self) -> Simulation:
        """The simulation of the present episode, to look at. Raises :class:`InputError` before the first ``reset``."""
        if self._sim is None:
            raise InputError("there is no episode yet", path="simulation", remedy="call reset() first")
        return self._sim

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begins an episode at the end of the scenario's warm-up. ``info`` has its ``seed`` and ``time_s``."""
        if options:
            raise InputError("there are no options", path="options", value=repr(options), remedy="leave them out")
        if seed is not None:
            seed = whole_number(seed, "seed", 0, MOST_SEED)
        super().reset(seed=seed)
        own = int(self.np_random.integers(2**63)) if seed is None else seed
        self._sim = sim = Simulation(self._scenario, own)
        if self._start:
            sim.run_until(f"{self._start} ps")
        self._values: dict[str, object] = {}
        self._has_ended = False
        self._counts = sim.counters()
        return self._observation(sim), {"seed": own, "time_s": sim.now_ps / SECOND}

    def step(self, action: NDArray[np.float32]) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Sets the parameters, and simulates one step. ``info`` has ``time_s``, and the ``values`` that are set."""
        if self._has_ended:
            reason = "there is no episode yet" if self._sim is None else "the episode has ended"
            raise InputError(reason, path="step", remedy="call reset() first")
        sim = self.simulation
        values = values_at(self._settings, action)
        # What keeps its value need not be read again.
        if new := {path: value for path, value in values.items() if self._values.get(path) != value}:
            sim.change(new)
        self._values = values
        began = sim.now_ps
        sim.run_until(f"{min(began + self._step, self._end)} ps")
        now = sim.now_ps
        counts = (self._counts, sim.counters())
        interval = Interval(sim, (now - began) / SECOND, values, counts, self._line_bps, self._places)
        self._counts = counts[1]
        reward = float(self._reward(interval))
        terminated = (sim.has_ended and now < self._end) or (self._terminate is not None and self._terminate(sim))
        truncated = now >= self._end and not terminated
        self._has_ended = terminated or truncated
        return self._observation(sim), reward, terminated, truncated, {"time_s": now / SECOND, "values": values}

    def _observation(self, sim: Simulation) -> NDArray[np.float32]:
        return np.array(self._seen.values(sim), dtype=np.float32)


def _length(step: Time, scenario: Scenario, most: int) -> int:
    """A step in picoseconds. Raises :class:`InputError` for one that is not above 0, or longer than an episode."""
    text = time_text(step)
    try:
        length = picoseconds(scenario.with_({"measure.sample": text}).tree["measure"]["sample"])
    except InputError as error:
        remedy = error.remedy or "write a time with its unit, as 50 ms"
        raise InputError(error.reason, path="step", value=step, remedy=remedy) from None
    if not 0 < length <= most:
        reason = "this is not above 0" if length <= 0 else "this is longer than an episode"
        raise InputError(reason, path="step", value=step, remedy=f"choose at most {most / SECOND:g} s")
    return length

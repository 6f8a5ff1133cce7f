"""Gymnasium environments over :class:`penstock.Simulation`: readings are seen, parameters of a run are set.

    python -m pip install gymnasium

>>> from penstock import gym
>>> env = gym.make(
...     "dumbbell.toml",
...     step="50 ms",
...     observe=[gym.Reading("trunk", "queue", 400), gym.Reading("trunk", "utilisation")],
...     act={"pairs": "1..30"},
... )
>>> observation, info = env.reset(seed=1)
>>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample())

Gymnasium is imported by the first call of :func:`make` or :func:`make_vec`, and so is NumPy.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, cast

from penstock.core.errors import InputError, whole_number
from penstock.gym.reward import Interval, Worth
from penstock.gym.seen import Reading

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gymnasium.vector import AsyncVectorEnv

    from penstock.api.simulation import Condition, Time
    from penstock.core.scenario import Source
    from penstock.gym.environment import SimulationEnv

__all__ = ["Interval", "Reading", "Worth", "make", "make_vec"]


def make(
    scenario: Source,
    *,
    step: Time,
    observe: Sequence[Reading],
    act: Mapping[str, str],
    reward: Callable[[Interval], float] = Worth(),  # noqa: B008 - it is frozen
    terminate: Condition | None = None,
) -> SimulationEnv:
    """An environment whose episode is one run of a scenario, from the end of its ``warm_up`` to its ``duration``.

    **Observations** have the shape ``(len(observe),)`` and are 32-bit floats from 0 to the ``high`` of each
    :class:`Reading`, in its unit; greater values are cut to it. Utilisation and throughput are means over the step. At
    the start of an episode they are 0, and so is a reading that is not there at the moment.

    **Actions** have the shape ``(len(act),)`` and are 32-bit floats from 0 to 1: 0 sets the first end of a range, 1 the
    second, and what lies between is linear; numbers that are whole in the scenario are rounded. They are made by
    :meth:`penstock.Simulation.change` before the step is simulated. A key of ``act`` is the path of a parameter that a
    run can change, or the name of a group of flows: its allowance, which is the window of ``fixed_window``, the peak
    rate of ``tm40``, ``eprca`` and ``explicit_rate``, and the cap of ``rate_factor``.

    **An episode** is truncated at the scenario's duration, where the last step may be shorter than the others. It is
    terminated at the end of the first step at which ``terminate`` holds, and when the scenario ends by itself, as with
    ``stop``.

    **Seeds.** ``reset(seed=3)`` runs the scenario with seed 3, replication 0: the same seed and the same actions give
    the same bits. Without a seed, the environment draws one from its ``np_random``; ``info["seed"]`` has it.

    Args:
        scenario: as for :class:`penstock.Simulation`.
        step: the simulated time from one action to the next, as ``50 ms`` or a number of seconds.
        observe: the readings, in order.
        act: the parameters, each with a range ``LOW..HIGH``, as ``{"line.trunk.rate": "1 Mb/s..9 Mb/s"}``.
        reward: a function of what happened in a step. The default is :class:`Worth`.
        terminate: a condition, as for :meth:`penstock.Simulation.run_until`, looked at after each step.

    Raises:
        InputError: an invalid scenario, an unknown reading or parameter, a step that is not above 0 or is longer than
            the episode. Gymnasium is not installed.
    """
    require_gymnasium()
    from penstock.gym.environment import SimulationEnv

    return SimulationEnv(scenario, step=step, observe=observe, act=act, reward=reward, terminate=terminate)


def make_vec(count: int, scenario: Source, **arguments: Any) -> AsyncVectorEnv:  # noqa: ANN401 - those of `make`
    """``count`` environments, each in a process of its own: Gymnasium's ``AsyncVectorEnv``.

    The arguments are those of :func:`make`. ``reset(seed=3)`` gives the environments the seeds 3, 4, 5, and so on.
    The processes are spawned, so a script needs ``if __name__ == "__main__":``. Close it after use.

    Raises:
        InputError: as :func:`make`; ``count`` is not a whole number of 1 or more.
    """
    require_gymnasium()
    from gymnasium.vector import AsyncVectorEnv

    count = whole_number(count, "count", 1, 1024)
    factory = cast("Callable[[], SimulationEnv]", partial(make, scenario, **arguments))
    return AsyncVectorEnv([factory] * count, context="spawn")


def require_gymnasium() -> None:
    """Raises :class:`InputError` if Gymnasium is not installed."""
    try:
        import gymnasium  # noqa: F401
    except ImportError:
        raise InputError(
            "an environment needs Gymnasium, which is not installed",
            remedy="install it: python -m pip install gymnasium",
        ) from None

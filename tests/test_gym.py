"""`penstock.gym`: environments of Gymnasium over simulations."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import SyncVectorEnv

import penstock
from penstock import InputError, Scenario, gym
from penstock.gym.environment import SimulationEnv

DUMBBELL = """\
duration = "2 s"
warm_up = "200 ms"

[line.trunk]
between = ["left", "right"]
rate = "1 Mb/s"
delay = "5 ms"

[flow.pairs]
count = 2
path = ["left", "right"]
traffic.greedy = {}
reaction_point.fixed_window = { window = 8 }
notification_point.acknowledge = {}

[flow.burst]
path = ["left", "right"]
traffic.on_off = { peak_rate = "800 kb/s", on = "100 ms", off = "100 ms" }
"""
QUEUE = gym.Reading("trunk", "queue", 60)
USE = gym.Reading("trunk", "utilisation")
WINDOW = "flow.pairs.reaction_point.fixed_window.window"


@pytest.fixture(scope="module")
def dumbbell() -> Scenario:
    return Scenario.parse(DUMBBELL, name="dumbbell")


def made(scenario: Scenario, **others: Any) -> SimulationEnv:
    usual: dict[str, Any] = {"step": "50 ms", "observe": [QUEUE, USE], "act": {"pairs": "1..40"}}
    return gym.make(scenario, **{**usual, **others})


def played(env: SimulationEnv, seed: int, action: Callable[[int], list[float]]) -> tuple[list[Any], str]:
    """Observations, rewards and ends of an episode, and its fingerprint."""
    observation, _ = env.reset(seed=seed)
    seen: list[Any] = [observation.tobytes()]
    while True:
        observation, reward, terminated, truncated, _ = env.step(np.array(action(len(seen)), dtype=np.float32))
        seen.append((observation.tobytes(), reward, terminated, truncated))
        if terminated or truncated:
            return seen, env.simulation.fingerprint


def varied(number: int) -> list[float]:
    return [number * 0.37 % 1]


def test_gymnasium_finds_no_fault(dumbbell: Scenario) -> None:
    check_env(made(dumbbell, act={"pairs": "1..40", "line.trunk.rate": "500 kb/s..1000 kb/s"}), skip_render_check=True)


def test_spaces_have_names_units_and_ranges(dumbbell: Scenario) -> None:
    received = gym.Reading("burst", "received", 1e6)
    env = made(
        dumbbell, observe=[QUEUE, USE, received], act={"pairs": "1..40", "line.trunk.rate": "500 kb/s..1000 kb/s"}
    )
    assert env.observed == [("trunk.queue", "PDUs"), ("trunk.utilisation", ""), ("burst.received", "PDUs")]
    assert env.observation_space.high.tolist() == [60, 1, 1e6]
    assert env.observation_space.low.tolist() == [0, 0, 0]
    assert env.acted == [(WINDOW, "1..40"), ("line.trunk.rate", "500 kb/s..1000 kb/s")]
    assert (env.action_space.shape, env.observation_space.dtype, env.action_space.dtype) == ((2,), *[np.float32] * 2)


def test_the_same_seed_and_actions_give_the_same_bits(dumbbell: Scenario) -> None:
    env = made(dumbbell)
    first = played(env, 3, varied)
    assert played(made(dumbbell), 3, varied) == first
    assert played(env, 3, varied) == first
    assert played(env, 4, varied) != first


def test_seeds_are_drawn_from_the_first_one(dumbbell: Scenario) -> None:
    drawn = []
    for env in (made(dumbbell), made(dumbbell)):
        assert env.reset(seed=7)[1]["seed"] == 7
        drawn.append([env.reset()[1]["seed"] for _ in range(3)])
    assert drawn[0] == drawn[1]
    assert len(set(drawn[0])) == 3


def test_an_episode_is_a_run_of_the_scenario_with_its_changes(dumbbell: Scenario) -> None:
    env = made(dumbbell)
    _, fingerprint = played(env, 3, varied)
    again = env.simulation.to_scenario()
    assert len(again.tree["change"]) > 30
    assert penstock.run(again, seed=3).manifest["runs"][0]["fingerprint"] == fingerprint


def test_an_episode_goes_from_warm_up_to_the_duration(dumbbell: Scenario) -> None:
    env = made(dumbbell, step="500 ms")
    _, info = env.reset(seed=1)
    ends = [info["time_s"]]
    outcomes = []
    for _ in range(4):
        *_, terminated, truncated, info = env.step(np.array([0.5], dtype=np.float32))
        ends.append(info["time_s"])
        outcomes.append((terminated, truncated))
    assert ends == [0.2, 0.7, 1.2, 1.7, 2.0]  # the last one is shorter
    assert outcomes == [(False, False)] * 3 + [(False, True)]
    with pytest.raises(InputError, match=r"the episode has ended; call reset\(\)"):
        env.step(np.array([0.5], dtype=np.float32))


def test_a_condition_terminates_an_episode(dumbbell: Scenario) -> None:
    env = made(dumbbell, terminate=penstock.queue_above("trunk", 50))
    seen, _ = played(env, 1, lambda _: [1.0])
    assert seen[-1][2:] == (True, False)
    assert env.simulation.now_s < 1


def test_the_end_of_the_scenario_itself_terminates_an_episode(dumbbell: Scenario) -> None:
    stopping = Scenario.parse(DUMBBELL + '\n[stop]\nport = "trunk"\ndepartures = 500\n', name="stopping")
    env = made(stopping)
    seen, _ = played(env, 1, varied)
    assert seen[-1][2:] == (True, False)
    assert env.simulation.now_s < 1


def test_observations_are_the_readings_of_a_time_series(dumbbell: Scenario) -> None:
    series = penstock.run(dumbbell.with_({"measure.sample": "50 ms"}), seed=5).series.filter(component="trunk")
    env = made(dumbbell)
    observation, _ = env.reset(seed=5)
    assert observation[1] == 0  # no step has been made yet
    for time in (0.25, 0.3, 0.35):
        observation, *_, info = env.step(np.array([7 / 39], dtype=np.float32))  # a window of 8, as before
        assert info == {"time_s": time, "values": {WINDOW: 8}}
        rows = dict(series.filter(time_s=time).select("quantity", "value").iter_rows())
        assert observation.tolist() == [rows["queue_0"], np.float32(min(rows["utilisation"], 1))]


def test_a_value_beyond_the_largest_is_cut(dumbbell: Scenario) -> None:
    env = made(dumbbell, observe=[gym.Reading("trunk", "queue", 2)])
    env.reset(seed=1)
    observation, *_ = env.step(np.array([1.0], dtype=np.float32))
    assert observation.tolist() == [2.0]
    assert sum(value for *name, value in env.simulation.values() if name == ["trunk", "queue_0"]) > 2


@pytest.mark.parametrize(
    ("scheme", "path", "text"),
    [
        ("erica", "reaction_point.tm40.pcr", "100 kb/s..900 kb/s"),
        ("eprca_bes", "reaction_point.eprca.pcr", "100 kb/s..900 kb/s"),
        ("rate_factor", "reaction_point.rate_factor.cap", "0.1..1"),
    ],
)
def test_the_allowance_of_a_group_is_the_bound_of_its_reaction_point(scheme: str, path: str, text: str) -> None:
    tree = {
        "duration": "1 s",
        "scheme": scheme,
        "network": {"dumbbell": {"pairs": 1, "rate": "1 Mb/s", "delay": "1 ms"}},
    }
    if scheme == "rate_factor":
        tree["defaults"] = {"flow": {"traffic": {"cbr": {"rate": "900 kb/s"}}}}
    scenario = Scenario(penstock.Scenario.of(tree).to_json(), "json", name=scheme)
    env = made(scenario, act={"pairs": text}, observe=[USE])
    shares = []
    for action in (0.0, 1.0):
        env.reset(seed=1)
        env.step(np.array([action], dtype=np.float32))
        observation, *_, info = env.step(np.array([action], dtype=np.float32))
        shares.append(float(observation[0]))
    assert list(info["values"]) == [f"flow.pairs.{path}"]
    assert shares[0] < 0.2 < 0.8 < shares[1]


def test_the_worth_is_goodput_less_delay(dumbbell: Scenario) -> None:
    told: list[gym.Interval] = []

    def sent(interval: gym.Interval) -> float:
        told.append(interval)
        return interval.added("sent")

    env = made(dumbbell, reward=sent)
    env.reset(seed=1)
    _, reward, *_ = env.step(np.array([1.0], dtype=np.float32))
    (interval,) = told
    groups = env.simulation.tables()["groups"]
    assert reward == interval.added("sent") == interval.added("sent", "pairs") + interval.added("sent", "burst")
    assert interval.added("delivered") == groups["delivered"].sum() > 100
    assert interval.added("delivered_bits") == 424 * interval.added("delivered")
    places = env.simulation.positions()
    assert interval.in_network == len(places.filter(kind="data"))
    # Of 1 Mb/s, in 50 ms.
    goodput = interval.added("delivered_bits") / 50_000
    assert gym.Worth()(interval) == pytest.approx(goodput - 424 * interval.in_network / 1e6)
    assert gym.Worth(patience_s=0.1)(interval) == pytest.approx(goodput - 424 * interval.in_network / 1e5)
    assert interval.now("held_bits", "burst") >= 0
    with pytest.raises(InputError, match=r'quantity = delivred: this is not counted; did you mean "delivered"'):
        interval.added("delivred")
    with pytest.raises(InputError, match=r"component = pears: this is not counted; did you mean \"pairs\""):
        interval.now("sent", "pears")


def test_the_mean_worth_is_that_of_the_goodput_at_the_mean_delay(dumbbell: Scenario) -> None:
    """Little's law: the PDUs in the network are the rate of arrivals times the mean delay."""
    env = made(
        dumbbell.with_({"duration": "9 s"}), step="4 ms", reward=gym.Worth(patience_s=0.1), act={"pairs": "8..9"}
    )
    seen, _ = played(env, 2, lambda _: [0.0])
    groups = env.simulation.tables()["groups"]
    delivered, delays = (groups[name].to_numpy() for name in ("delivered", "delay_mean_s"))
    share = delivered.sum() * 424 / 8.8e6
    delay = float(np.average(delays, weights=delivered))
    rewards = [reward for _, reward, *_ in seen[1:]]
    assert sum(rewards) / len(rewards) == pytest.approx(share * (1 - delay / 0.1), rel=0.01)


@pytest.mark.parametrize("patience", [0, -1, float("nan")])
def test_patience_is_above_zero(patience: float) -> None:
    with pytest.raises(InputError, match=r"patience_s = .*: this is no delay"):
        gym.Worth(patience)


@pytest.mark.parametrize(
    ("others", "told"),
    [
        ({"step": "0 s"}, "step = 0 s: this must be longer than zero"),
        ({"step": -1}, r"step = -1: "),
        ({"step": "soon"}, r"step = soon: "),
        ({"step": "2 s"}, r"step = 2 s: this is longer than an episode; choose at most 1.8 s"),
        ({"observe": []}, "observe: nothing is observed"),
        ({"observe": ["trunk"]}, r"observe\[0\] = 'trunk': this is no Reading"),
        ({"observe": [QUEUE, QUEUE]}, r"observe\[1\] = trunk.queue: this is observed twice"),
        ({"observe": [gym.Reading("trunc", "queue", 1)]}, r'trunc: there is no such component; did you mean "trunk"'),
        (
            {"observe": [gym.Reading("trunk", "use", 1)]},
            r"use: there is no such reading of trunk; there are queue_0, utilisation, queue",
        ),
        (
            {"observe": [gym.Reading("trunk", "queue")]},
            r"observe\[0\].high = trunk.queue: .*state it in PDUs, as Reading",
        ),
        ({"observe": [gym.Reading("trunk", "queue", 0)]}, r"observe\[0\].high = 0: this must be a number above 0"),
        ({"act": {}}, "act: nothing is set"),
        ({"act": {"line.trunk.rat": "1 Mb/s..2 Mb/s"}}, r"act.line.trunk.rat = .*: there is no such"),
        ({"act": {"line.trunk.rate": "1 Mb/s"}}, r"line.trunk.rate = 1 Mb/s: this is no range of two numbers"),
        ({"act": {"line.trunk.rate": "0 Mb/s..1 Mb/s"}}, r"act.line.trunk.rate = 0 Mb/s: "),
        ({"act": {"flow.pairs.count": "1..4"}}, r"act.flow.pairs.count = .*: it decides the nodes"),
        ({"act": {"burst": "1..4"}}, r"act = burst: the flows of this group have no reaction point"),
        ({"act": {"pairs": "1..4", WINDOW: "1..9"}}, f"act = {WINDOW}: this is set twice"),
        ({"act": {"line.trunk.rate": "1 Mb/s..2 Mb/s", "line.*.rate": "1 Mb/s..3 Mb/s"}}, "at the same instant"),
        ({"reward": 3}, "reward = 3: this is no function"),
        ({"terminate": "loss"}, "terminate = 'loss': this is no function"),
    ],
)
def test_what_an_environment_cannot_be_made_of_is_refused(
    dumbbell: Scenario, others: dict[str, Any], told: str
) -> None:
    with pytest.raises(InputError, match=told):
        made(dumbbell, **others)


@pytest.mark.parametrize(
    ("action", "told"),
    [
        ([1.5], r"action\[0\] = 1.5: this is out of range; give a number from 0 to 1, from 1 to 40"),
        ([-0.1], r"action\[0\] = -0.1: this is out of range"),
        ([float("nan")], r"action\[0\] = nan: this is out of range"),
        ([0.5, 0.5], r"this is no action of this environment; give an array of the shape \(1,\)"),
        (None, r"action = None: this is no action"),
    ],
)
def test_an_action_out_of_range_is_refused_and_changes_nothing(dumbbell: Scenario, action: Any, told: str) -> None:
    env = made(dumbbell)
    env.reset(seed=1)
    with pytest.raises(InputError, match=told):
        env.step(action)
    assert env.simulation.now_s == 0.2
    env.step(np.array([1.0], dtype=np.float32))


def test_what_needs_a_reset_says_so(dumbbell: Scenario) -> None:
    env = made(dumbbell)
    with pytest.raises(InputError, match=r"there is no episode yet; call reset\(\) first"):
        env.step(np.array([1.0], dtype=np.float32))
    with pytest.raises(InputError, match=r"there is no episode yet"):
        _ = env.simulation
    with pytest.raises(InputError, match=r"there are no options"):
        env.reset(options={"rain": True})
    with pytest.raises(InputError, match=r"seed"):
        env.reset(seed=-1)


def test_environments_beside_one_another_are_as_alone(dumbbell: Scenario) -> None:
    factory = pickle.loads(pickle.dumps(partial(made, dumbbell)))
    both = SyncVectorEnv([factory] * 2)
    observations, _ = both.reset(seed=3)
    seen = [observations]
    for _ in range(5):
        observations, rewards, *_ = both.step(np.array([[0.2], [0.7]], dtype=np.float32))
        seen.append(observations)
    for number, action in enumerate((0.2, 0.7)):
        alone = made(dumbbell)
        own = [alone.reset(seed=3 + number)[0]]
        for _ in range(5):
            observation, reward, *_ = alone.step(np.array([action], dtype=np.float32))
            own.append(observation)
        assert np.array_equal(np.array(own), np.array(seen)[:, number])
        assert reward == rewards[number]


@pytest.mark.long
def test_environments_in_processes_are_as_alone(dumbbell: Scenario) -> None:
    several = gym.make_vec(2, dumbbell, step="50 ms", observe=[QUEUE, USE], act={"pairs": "1..40"})
    try:
        seen = [several.reset(seed=3)[0].copy()]
        for _ in range(5):
            observations, *_ = several.step(np.array([[0.2], [0.7]], dtype=np.float32))
            seen.append(observations.copy())
    finally:
        several.close()
    for number, action in enumerate((0.2, 0.7)):
        alone = made(dumbbell)
        own = [alone.reset(seed=3 + number)[0]]
        own += [alone.step(np.array([action], dtype=np.float32))[0] for _ in range(5)]
        assert np.array_equal(np.array(own), np.array(seen)[:, number])


def test_a_number_of_environments_is_one_or_more(dumbbell: Scenario) -> None:
    with pytest.raises(InputError, match=r"count = 0: this is out of range"):
        gym.make_vec(0, dumbbell, step="50 ms", observe=[QUEUE], act={"pairs": "1..40"})


def test_without_gymnasium_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    told = r"needs Gymnasium, which is not installed; install it: python -m pip install gymnasium"
    with pytest.raises(InputError, match=told):
        gym.make("none.toml", step=1, observe=[], act={})
    with pytest.raises(InputError, match=told):
        gym.make_vec(2, "none.toml", step=1, observe=[], act={})


def test_gymnasium_is_imported_only_when_it_is_used() -> None:
    code = "import sys, penstock.gym; print({'gymnasium', 'numpy', 'polars'} & sys.modules.keys())"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


@pytest.mark.parametrize(
    ("path", "text", "values"),
    [
        ("line.trunk.rate", "500 kb/s..1000 kb/s", ["500 kb/s", "666.667 kb/s", "1000 kb/s"]),
        ("line.trunk.delay", "1 ms..2 ms", ["1 ms", "1.333333333 ms", "2 ms"]),
        ("pairs", "1..9", [1, 4, 9]),
    ],
)
def test_actions_are_linear_between_the_ends(dumbbell: Scenario, path: str, text: str, values: list[object]) -> None:
    env = made(dumbbell, act={path: text})
    env.reset(seed=1)
    told = [env.step([action])[-1]["values"] for action in (0.0, 1 / 3, 1.0)]  # type: ignore[arg-type]
    assert [list(own.values()) for own in told] == [[value] for value in values]

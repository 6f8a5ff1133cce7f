"""The statistics against printed numbers, exact sums, properties, and many experiments with known truths."""

import math
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import penstock
from penstock.statistics import (
    Decision,
    Estimate,
    Precision,
    batch_means,
    clopper_pearson,
    differences,
    jain,
    mser5,
    never,
    paired,
    rank,
    rounded_up,
    student,
    student_quantile,
    upper_bound,
)
from penstock.truth import md1
from penstock.worker import simulate

Array = NDArray[np.float64]

# Hours of sleep gained with two drugs by the same ten patients: Student, The probable error of a mean (1908).
FIRST_DRUG = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
SECOND_DRUG = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]

steadily = settings(deadline=None, derandomize=True)  # a test fails always or never
moderate = st.floats(-1e6, 1e6).map(lambda value: round(value, 6))


def ends(estimate: Estimate) -> tuple[float, float]:
    """The interval, which must be there."""
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high


def covers(estimate: Estimate, truth: float) -> bool:
    low, high = ends(estimate)
    return low <= truth <= high


# Intervals of means


def test_paired_drugs() -> None:
    estimate = paired(FIRST_DRUG, SECOND_DRUG)
    assert estimate.mean == pytest.approx(1.58)
    assert ends(estimate) == pytest.approx((0.7001142, 2.4598858), abs=1e-7)
    assert estimate.count == 10
    assert ends(student(FIRST_DRUG))[1] > ends(student(SECOND_DRUG))[0], "unpaired, their intervals overlap"


def test_pairs_must_match() -> None:
    with pytest.raises(ValueError, match="not 2 and 3"):
        paired([1, 2], [1, 2, 3])


@pytest.mark.parametrize(("freedom", "quantile"), [(1, 12.706), (2, 4.303), (9, 2.262), (19, 2.093), (10**6, 1.960)])
def test_student_quantile_of_the_tables(freedom: int, quantile: float) -> None:
    assert student_quantile(freedom, 0.975) == pytest.approx(quantile, abs=5e-4)


def test_widths() -> None:
    assert Estimate(-2.0, -3.0, -1.0, 5).half_width == 1
    assert Estimate(-2.0, -3.0, -1.0, 5).relative == 0.5
    assert Estimate(0.0, -1.0, 1.0, 5).relative is None
    assert Estimate(2.0, None, None, 1).half_width is None
    assert Estimate(2.0, None, None, 1).relative is None


@steadily
@given(moderate, st.integers(2, 30))
def test_equal_values_have_no_variance(value: float, count: int) -> None:
    assert student([value] * count) == Estimate(value, value, value, count)


@steadily
@given(st.lists(moderate, min_size=2, max_size=30), st.sampled_from([0.5, -2.0, 1024.0]))
def test_an_interval_scales_with_its_values(values: list[float], scale: float) -> None:
    low, high = ends(student(values))
    assert sorted(ends(student([scale * value for value in values]))) == sorted([scale * low, scale * high])


@steadily
@given(st.lists(moderate, min_size=2, max_size=30))
def test_an_interval_is_about_its_mean_and_grows_with_the_level(values: list[float]) -> None:
    narrow, wide = student(values, 0.9), student(values, 0.99)
    assert min(values) <= narrow.mean <= max(values)
    assert ends(wide)[0] <= ends(narrow)[0] <= narrow.mean <= ends(narrow)[1] <= ends(wide)[1]


@pytest.mark.parametrize("level", [0, 1, 95, math.nan])
def test_a_level_is_a_share(level: float) -> None:
    for call in (lambda: student([1, 2], level), lambda: upper_bound(0, 9, level), lambda: Precision(0.1, level=level)):
        with pytest.raises(ValueError, match="between 0 and 1"):
            call()


# Coverage over M/D/1 experiments with the engine


@cache
def engine_waits(load: float, seconds: float, warm_up_s: float, replications: int) -> tuple[float, ...]:
    """Mean wait of each replication, in cell times of 1 ms: the measured delay without the cell's own transmission.

    The mean over the cells of a run is a ratio, and so a little low: a run with few cells has short waits, and counts
    as much as one with many. In 5 s at load 0.5 that is 0.1 %, a thirtieth of an experiment's standard error.
    """
    scenario = penstock.Scenario.parse(f"""
duration = "{seconds * 1000:.0f} ms"
warm_up = "{warm_up_s * 1000:.0f} ms"
[line.server]
between = ["a", "b"]
rate = "424 kb/s"
[flow.cells]
path = ["a", "b"]
traffic.poisson = {{ rate = "{load * 424_000:.0f} b/s" }}
""").to_json()
    waits = []
    for number in range(replications):
        outcome = simulate(penstock.Task(scenario, seed=1, replication=number), lambda _: None)
        waits.append(pl.DataFrame(outcome.tables["groups"])["delay_mean_s"].item() / 0.001 - 1)
    return tuple(waits)


def coverage(
    values: Sequence[float], size: int, truth: float, interval: Callable[[Sequence[float]], Estimate] = student
) -> float:
    """The share of experiments of so many replications whose interval holds the truth."""
    starts = range(0, len(values) - size + 1, size)
    return sum(covers(interval(values[start : start + size]), truth) for start in starts) / len(starts)


def with_normal_quantile(values: Sequence[float]) -> Estimate:
    """The wrong interval: as if the spread of a few values were known."""
    estimate = student(values)
    half = (estimate.half_width or 0) * 1.960 / student_quantile(len(values) - 1, 0.975)
    return Estimate(estimate.mean, estimate.mean - half, estimate.mean + half, estimate.count)


@pytest.mark.parametrize(("size", "experiments"), [(3, 3333), (5, 2000), (10, 1000)])
def test_student_intervals_cover_the_md1_wait(size: int, experiments: int) -> None:
    # 2,000 experiments find their share within 1 % of the true one, so that 93 to 97 % is no loose net.
    waits = engine_waits(0.5, 5.2, 0.2, 10_000)
    assert len(waits) // size == experiments
    assert 0.93 <= coverage(waits, size, md1.wait_mean(0.5)) <= 0.97


def test_the_net_is_fine_enough_for_small_mistakes() -> None:
    waits = engine_waits(0.5, 5.2, 0.2, 10_000)
    assert coverage(waits, 5, md1.wait_mean(0.5), with_normal_quantile) < 0.93
    assert coverage(waits, 5, 1.03 * md1.wait_mean(0.5)) < 0.93


@pytest.mark.long
@pytest.mark.parametrize(("load", "seconds", "warm_up_s"), [(0.5, 10, 0.5), (0.8, 20, 1)])
def test_student_intervals_cover_the_md1_wait_closely(load: float, seconds: float, warm_up_s: float) -> None:
    waits = engine_waits(load, seconds, warm_up_s, 40_000)
    for size in (4, 10):  # 10,000 experiments and 4,000: 1 % is three standard errors of the fewer
        assert coverage(waits, size, md1.wait_mean(load)) == pytest.approx(0.95, abs=0.01)


def test_stopping_at_a_precision_costs_little_coverage() -> None:
    # As the guide says: stopping where it looks good covers less, and less still from two replications on.
    waits = list(engine_waits(0.5, 5.2, 0.2, 10_000))
    covered = {}
    for least in (2, 10):
        wish, held, start = Precision(0.05, least, 60), [], 0
        while start + wish.most <= len(waits):
            decision = replicate(wish, waits[start:])
            assert decision.verdict == "reached"
            assert decision.estimate is not None
            held.append(covers(decision.estimate, md1.wait_mean(0.5)))
            start += decision.estimate.count
        covered[least] = sum(held) / len(held)
    assert covered[2] < 0.9
    assert 0.92 <= covered[10] <= 0.96


# Chances


def at_most(events: int, trials: int, chance: float) -> float:
    """P(so many events or fewer), summed with 60 digits."""
    with localcontext() as context:
        context.prec = 60
        one, log = Decimal(chance), (1 - Decimal(chance)).ln()
        total, ways = Decimal(0), Decimal(1)
        for number in range(events + 1):
            total += ways * one**number * (log * (trials - number)).exp()
            ways = ways * (trials - number) / (number + 1)
        return float(total)


@pytest.mark.parametrize("trials", [10, 1000, 10**6, 570_000_000, 10**10, 10**15])
@pytest.mark.parametrize("events", [0, 1, 2, 5, 9])
def test_bounds_are_exact(events: int, trials: int) -> None:
    within = 1e-13 if events == 0 else 1e-7  # scipy's inverse of the beta distribution ends its search there
    assert at_most(events, trials, upper_bound(events, trials)) == pytest.approx(0.05, rel=within)
    low, high = ends(clopper_pearson(events, trials, 0.99))
    assert at_most(events, trials, high) == pytest.approx(0.005, rel=within)
    if events:
        assert 1 - at_most(events - 1, trials, low) == pytest.approx(0.005, rel=1e-7)
    else:
        assert low == 0


def test_bounds_as_printed() -> None:
    # Mendel's peas, the example of R's binom.test; and the rule of three.
    assert ends(clopper_pearson(682, 925)) == pytest.approx((0.7076683, 0.7654066), abs=5e-8)
    assert clopper_pearson(682, 925).count == 925
    assert upper_bound(0, 59) < 0.05 < upper_bound(0, 58)
    assert upper_bound(0, 10**15) == pytest.approx(-math.log(0.05) * 1e-15, rel=1e-14)


@pytest.mark.parametrize("trials", [1, 7, 10**9, 10**15])
def test_certain_events(trials: int) -> None:
    assert upper_bound(trials, trials) == 1
    low, high = ends(clopper_pearson(trials, trials))
    assert low == pytest.approx(0.025 ** (1 / trials), rel=1e-15)
    assert high == 1


def test_half_of_very_many() -> None:
    estimate = clopper_pearson(5 * 10**11, 10**12)
    assert estimate.half_width == pytest.approx(1.959964 * 0.5 / math.sqrt(1e12), rel=1e-5)


@steadily
@given(st.integers(1, 40), st.floats(0, 1))
def test_clopper_pearson_covers_every_chance(trials: int, chance: float) -> None:
    weights = [
        math.comb(trials, events) * chance**events * (1 - chance) ** (trials - events) for events in range(trials + 1)
    ]
    both = math.fsum(weight for events, weight in enumerate(weights) if covers(clopper_pearson(events, trials), chance))
    above = math.fsum(weight for events, weight in enumerate(weights) if chance <= upper_bound(events, trials))
    assert both >= 0.95 - 1e-9
    assert above >= 0.95 - 1e-9


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (never(570_000_000), "0 of 5.7e8 cells, below 5.3e-9 at 95 %"),
        (never(27, unit="runs"), "0 of 27 runs, below 0.11 at 95 %"),
        (never(1, unit="run"), "0 of 1 run, below 0.95 at 95 %"),
        (never(123_456), "0 of 123,456 cells, below 2.5e-5 at 95 %"),
        (never(10**15, 0.999), "0 of 1e15 cells, below 7e-15 at 99.9 %"),
    ],
)
def test_never(sentence: str, expected: str) -> None:
    assert sentence == expected


@steadily
@given(st.floats(1e-300, 1e300))
def test_rounded_up_has_two_digits_and_is_not_below(value: float) -> None:
    text = rounded_up(value)
    assert value * (1 - 1e-10) <= float(text) <= value * 1.1
    assert len(text.partition("e")[0].replace(".", "").strip("0")) <= 2


def test_impossible_counts() -> None:
    for events, trials in ((-1, 5), (6, 5), (0, 0)):
        with pytest.raises(ValueError, match="trial"):
            upper_bound(events, trials)
        with pytest.raises(ValueError, match="trial"):
            clopper_pearson(events, trials)


# Fairness


def test_jain() -> None:
    assert jain([3, 3, 3]) == 1
    assert jain([1] * 20 + [0] * 80) == pytest.approx(0.2)
    assert jain([1, 2, 3]) == pytest.approx(36 / 42)
    assert jain([0, 0]) == 1
    assert jain([1e-200, 1e200]) == pytest.approx(0.5)
    for shares in ([], [1, -1], [math.inf, 1], [math.nan]):
        with pytest.raises(ValueError, match="share"):
            jain(shares)


@steadily
@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=50).filter(any))
def test_jain_is_its_formula(shares: list[int]) -> None:
    exact = Fraction(sum(shares)) ** 2 / (len(shares) * sum(share**2 for share in shares))
    assert jain(shares) == pytest.approx(float(exact), rel=1e-12)
    assert jain([1024.0 * share for share in shares]) == jain(shares)
    assert 1 / len(shares) * (1 - 1e-12) <= jain(shares) <= 1


# One long run


def md1_waits(load: float, cells: int, random: np.random.Generator) -> Array:
    """Waits of the first cells of an M/D/1 queue that starts empty, in cell times (Lindley's recursion, unrolled)."""
    steps = np.concatenate([[0.0], np.cumsum(1 - random.exponential(1 / load, cells - 1))])
    return np.asarray(steps - np.minimum.accumulate(steps), dtype=np.float64)


def marginal_error(series: Sequence[int], cut: int) -> Fraction:
    """What MSER-5 makes least, from its definition: `cut` is in groups."""
    groups = [Fraction(sum(series[start : start + 5]), 5) for start in range(0, len(series) - 4, 5)][cut:]
    mean = sum(groups, Fraction(0)) / len(groups)
    return sum(((group - mean) ** 2 for group in groups), Fraction(0)) / len(groups) ** 2


@steadily
@given(st.lists(st.integers(-9, 9), min_size=50, max_size=90), st.integers(0, 30), st.integers(-500, 500))
def test_mser5_takes_the_first_least_error(noise: list[int], length: int, height: int) -> None:
    series = [value + height * (place < length) for place, value in enumerate(noise)]
    last = len(series) // 5 // 2
    errors = [marginal_error(series, cut) for cut in range(last + 1)]
    # Exact ties may be decided either way by the last digit.
    best = {cut for cut in range(last + 1) if errors[cut] <= min(errors) * (1 + Fraction(1, 10**9))}
    try:
        assert mser5(series) in {5 * cut for cut in best - {last}}
    except ValueError:
        assert last in best


def test_mser5_deletes_a_known_transient() -> None:
    steady = np.random.default_rng(1).normal(size=2000)
    place = np.arange(2000)
    assert mser5(np.where(place < 203, 9.0, 1.0)) == 205  # whole groups
    assert 200 <= mser5(steady + 5.0 * (place < 200)) <= 220
    fading = 10 * np.exp(-place / 50.0)
    # At 115 the transient is as large as the noise; at 345 it is a hundredth of it.
    assert 115 <= mser5(steady + fading) <= 345
    assert mser5(1e9 * (place < 200) + steady * 1e-3) in range(200, 230, 5)


def test_mser5_deletes_nothing_where_nothing_fades() -> None:
    assert mser5([0.1] * 50) == 0
    random = np.random.default_rng(1)
    cuts = [mser5(random.normal(size=1000)) for _ in range(200)]
    assert np.median(cuts) <= 50


def test_mser5_refuses_what_it_cannot_tell() -> None:
    with pytest.raises(ValueError, match="run longer"):
        mser5(np.arange(1000.0))
    with pytest.raises(ValueError, match="at least 50 readings"):
        mser5([1.0] * 49)
    for series in ([math.nan] * 60, [[1.0] * 60]):
        with pytest.raises(ValueError, match="finite"):
            mser5(series)


def test_batch_means_as_written_out() -> None:
    series = np.random.default_rng(1).normal(size=207)
    result = batch_means(series, 10, delete=4)
    assert (result.size, result.deleted) == (20, 7)  # three more, which would make no full batch
    means = [float(series[7 + 20 * batch : 27 + 20 * batch].mean()) for batch in range(10)]
    assert result.estimate == student(means)
    mean = math.fsum(means) / 10
    squares = math.fsum((value - mean) ** 2 for value in means)
    products = math.fsum((means[batch] - mean) * (means[batch + 1] - mean) for batch in range(9))
    edges = ((means[0] - mean) ** 2 + (means[-1] - mean) ** 2) / 2
    assert result.lag_1 == pytest.approx((products + edges) / squares)
    assert result.independent
    assert "10 batches of 20 after 7 deleted" in str(result)


def test_batch_means_take_what_numpy_takes_and_delete_the_start() -> None:
    fading = np.random.default_rng(1).normal(size=4000) + 50 * np.exp(-np.arange(4000) / 50.0)
    result = batch_means(pl.Series(fading))
    assert result.deleted >= mser5(fading) > 100
    assert abs(result.estimate.mean) < 0.05
    assert batch_means(fading, delete=0).estimate.mean > 0.5


def test_batches_merge_until_they_are_independent_or_too_few() -> None:
    random = np.random.default_rng(1)

    def correlated(cells: int, memory: float) -> Array:
        series = [0.0]
        for shock in random.normal(size=cells - 1):
            series.append(memory * series[-1] + shock)
        return np.array(series)

    merged = [batch_means(correlated(800, 0.8), 80, delete=0) for _ in range(50)]
    assert all(result.estimate.count in (80, 40, 20, 10) for result in merged)
    assert np.median([result.size for result in merged]) >= 20
    assert np.mean([result.independent for result in merged]) > 0.9
    hopeless = batch_means(np.arange(1000.0), delete=0)
    assert (hopeless.estimate.count, hopeless.size, hopeless.independent) == (10, 100, False)
    assert "too short a run" in str(hopeless)
    assert batch_means([2.0] * 100, delete=0).estimate == Estimate(2.0, 2.0, 2.0, 20)


def test_the_lag_1_check_errs_as_often_as_it_says() -> None:
    random = np.random.default_rng(1)
    for batches in (10, 19):  # so few that a failure merges nothing
        passed = [batch_means(random.normal(size=batches), batches, delete=0).independent for _ in range(4000)]
        assert np.mean(passed) == pytest.approx(0.95, abs=0.012)


@pytest.mark.parametrize(
    ("batches", "delete", "complaint"), [(9, 0, "at least 10"), (10, 91, "as many"), (10, -1, "as many")]
)
def test_batches_need_readings(batches: int, delete: int, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        batch_means(np.arange(100.0), batches, delete=delete)


@pytest.mark.parametrize(
    ("load", "cells", "experiments"), [(0.5, 20_000, 1500), pytest.param(0.8, 100_000, 5000, marks=pytest.mark.long)]
)
def test_batch_means_cover_the_md1_wait(load: float, cells: int, experiments: int) -> None:
    random = np.random.default_rng(1)
    results = [batch_means(md1_waits(load, cells, random)) for _ in range(experiments)]
    assert 0.93 <= np.mean([covers(result.estimate, md1.wait_mean(load)) for result in results]) <= 0.97
    assert np.mean([result.independent for result in results]) > 0.95


# Precision


def replicate(wish: Precision, values: Sequence[float | None]) -> Decision:
    """Takes values as the decisions ask for them, to the end."""
    count, decision = 0, wish.decide([])
    while decision.verdict == "more":
        assert 1 <= decision.add <= wish.most - count
        assert count + decision.add <= max(wish.least, 2 * count, 2)
        count += decision.add
        decision = wish.decide(values[:count])
    assert decision.add == 0
    return decision


def test_a_precision_is_reached() -> None:
    seven = [10.0, 11.0, 9.5, 10.2, 10.9, 9.1, 9.8]
    assert student(seven).relative == pytest.approx(0.0640, abs=1e-5)
    decision = Precision(0.1, least=5).decide(seven)
    assert (decision.verdict, decision.add, decision.estimate) == ("reached", 0, student(seven))
    assert decision.text == "7 replications, half-width 6.4 % of the mean"


@pytest.mark.parametrize(
    ("target", "most", "add"),
    [
        (0.05, 50, 5),  # 7 (6.4/5)^2 = 11.5: twelve in all
        (0.0639, 50, 1),
        (0.02, 50, 7),  # 71.7, but the number at most doubles
        (0.02, 9, 2),
    ],
)
def test_as_many_more_as_the_width_asks_for(target: float, most: int, add: int) -> None:
    decision = Precision(target, 5, most).decide([10.0, 11.0, 9.5, 10.2, 10.9, 9.1, 9.8])
    assert (decision.verdict, decision.add) == ("more", add)
    assert decision.text == f"7 replications, half-width 6.4 % of the mean; {add} more"


def test_the_cap_stops_it_and_says_so() -> None:
    values = [1.0, 2.0] * 25
    assert student(values).relative == pytest.approx(0.0957, abs=1e-4)
    decision = Precision(0.01, 5, 50).decide(values)
    assert (decision.verdict, decision.add) == ("cap", 0)
    assert decision.text == "the cap of 50 replications stopped it at 9.6 %"
    assert Precision(0.1, 5, 50).decide(values).verdict == "reached"
    assert Precision(0.1, 2, 4).decide([-1.0, 1.0, -1.0, 1.0]).text.endswith("stopped it: no share of a mean of 0")
    assert Precision(0.1, 1, 1).decide([3.0]).text.endswith("1 replication stopped it: no interval from one value")


def test_zeros_have_no_relative_precision() -> None:
    decision = Precision(0.1, least=5).decide([0.0] * 5)
    assert (decision.verdict, decision.add) == ("zero", 0)
    assert decision.text == "every value is 0: 0 of 5 replications, below 0.46 at 95 %"
    assert Precision(0.1, least=5).decide([0.0] * 4 + [1.0]).verdict == "more"


def test_values_that_are_missing() -> None:
    wish = Precision(0.1, least=5)
    assert wish.decide([None] * 4).verdict == "more"
    decision = wish.decide([None] * 5)
    assert (decision.verdict, decision.estimate) == ("missing", None)
    assert decision.text == "5 replications: none had anything to measure"
    decision = wish.decide([1.0, None, 1.1, None, 0.8])
    assert (decision.verdict, decision.add, decision.estimate) == ("more", 5, student([1.0, 1.1, 0.8]))
    assert decision.text == "5 replications (2 without a value), half-width 40 % of the mean; 5 more"
    assert wish.decide([1.0, 1.0, 1.0, 1.0, None]).verdict == "reached"
    assert wish.decide([1.0, None, None, None, None]).add == 5
    with pytest.raises(ValueError, match="finite"):
        wish.decide([1.0, math.nan])


@steadily
@given(
    st.floats(0.001, 2),
    st.integers(1, 20),
    st.integers(0, 80),
    st.lists(st.none() | st.just(0.0) | moderate, min_size=100, max_size=100),
)
def test_replicating_ends_for_the_reason_it_gives(
    target: float, least: int, beyond: int, values: list[float | None]
) -> None:
    wish = Precision(target, least, least + beyond)
    decision = replicate(wish, values)
    match decision.verdict:
        case "reached":
            assert decision.estimate is not None
            assert decision.estimate.relative is not None
            assert decision.estimate.relative <= target
        case "cap":
            assert decision.estimate is not None
            assert decision.estimate == student([value for value in values[: wish.most] if value is not None])
        case "zero":
            assert decision.estimate is not None
            assert (decision.estimate.mean, decision.estimate.half_width or 0) == (0, 0)
        case _:
            assert decision.verdict == "missing"
            assert not any(value is not None for value in values[: min(least, wish.most)])


@pytest.mark.parametrize(("target", "least", "most"), [(0, 5, 9), (math.inf, 5, 9), (0.1, 0, 9), (0.1, 9, 5)])
def test_wishes_that_nothing_can_meet(target: float, least: int, most: int) -> None:
    with pytest.raises(ValueError, match="above 0"):
        Precision(target, least, most)


# Ranking


def test_a_ranking_with_a_tie() -> None:
    luck = np.random.default_rng(1).normal(size=10)
    small = np.random.default_rng(2).normal(size=10) / 100
    samples = {"slow": 5 + luck, "fast": 1 + luck, "also fast": 1 + luck + small}
    by_delay = rank({name: list(values) for name, values in samples.items()}, lower_is_better=True)
    assert [(item.name, item.rank) for item in by_delay][-1] == ("slow", 3)
    assert {item.name: item.rank for item in by_delay} == {"fast": 1, "also fast": 1, "slow": 3}
    assert {item.name: item.tied for item in by_delay} == {
        "fast": ("also fast",),
        "also fast": ("fast",),
        "slow": (),
    }
    assert by_delay[2].estimate == student(samples["slow"])
    by_rate = rank({name: list(values) for name, values in samples.items()}, lower_is_better=False)
    assert {item.name: item.rank for item in by_rate} == {"slow": 1, "fast": 2, "also fast": 2}
    assert not any(item.note for item in by_rate)


def test_pairs_share_the_doubt() -> None:
    samples = {"first": FIRST_DRUG, "second": SECOND_DRUG, "neither": [0.0] * 10}
    pairs = differences(samples)
    assert [(pair.first, pair.second) for pair in pairs] == [
        ("first", "second"),
        ("first", "neither"),
        ("second", "neither"),
    ]
    assert pairs[0].estimate == paired(FIRST_DRUG, SECOND_DRUG, 1 - 0.05 / 3)
    assert [pair.significant for pair in pairs] == [True, False, True]
    assert str(pairs[1]).startswith("neither - first: -0.75 (")
    assert str(pairs[1]).endswith("), not significant")


def test_differences_without_variance() -> None:
    samples = {"a": [0.1, 0.2, 0.4], "the same": [0.1, 0.2, 0.4], "above": [1.1, 1.2, 1.4]}
    same, above, _ = differences(samples)
    assert same.estimate == Estimate(0.0, 0.0, 0.0, 3)
    assert not same.significant
    assert above.significant
    assert {item.name: item.rank for item in rank(samples, lower_is_better=True)} == {"a": 1, "the same": 1, "above": 3}


def test_one_replication_ties_all_and_says_so() -> None:
    ranking = rank({"a": [3.0], "b": [1.0], "c": [2.0]}, lower_is_better=True)
    assert [(item.name, item.rank) for item in ranking] == [("b", 1), ("c", 1), ("a", 1)]
    assert all("no interval" in item.note for item in ranking)
    assert "no interval" in str(differences({"a": [3.0], "b": [1.0]})[0])
    (alone,) = rank({"a": [1.0]}, lower_is_better=True)
    assert (alone.rank, alone.tied, alone.note) == (1, (), "")


def test_unequal_samples_cannot_be_ranked() -> None:
    with pytest.raises(ValueError, match="pairs"):
        rank({"a": [1.0, 2.0], "b": [1.0]}, lower_is_better=True)
    with pytest.raises(ValueError, match="at least one value"):
        rank({"a": [], "b": []}, lower_is_better=True)
    assert rank({}, lower_is_better=True) == []


@steadily
@given(st.lists(st.lists(moderate, min_size=4, max_size=4), min_size=1, max_size=6))
def test_ranks_are_what_they_say(rows: list[list[float]]) -> None:
    samples = {f"item {number}": row for number, row in enumerate(rows)}
    ranking = rank(samples, lower_is_better=True)
    worse = [pair.second if pair.estimate.mean > 0 else pair.first for pair in differences(samples) if pair.significant]
    assert {item.name: item.rank for item in ranking} == {name: 1 + worse.count(name) for name in samples}
    assert ranking[0].rank == 1
    assert [item.rank for item in ranking] == sorted(item.rank for item in ranking)
    mirrored = rank({name: [-value for value in row] for name, row in samples.items()}, lower_is_better=False)
    assert [(item.name, item.rank) for item in mirrored] == [(item.name, item.rank) for item in ranking]


def test_equal_schemes_are_rarely_told_apart() -> None:
    # Five schemes of the same worth: ten pairs, each judged alone at 95 %, find a difference in more than a quarter of
    # the tables; together they may in a twentieth at most.
    random = np.random.default_rng(1)
    together = alone = 0
    for _ in range(1000):
        rows = random.normal(size=10) + random.normal(size=(5, 10))
        together += any(
            pair.significant for pair in differences({str(place): list(row) for place, row in enumerate(rows)})
        )
        alone += not all(covers(paired(first, second), 0) for first, second in combinations(rows, 2))
    assert 0.02 <= together / 1000 <= 0.05
    assert alone / 1000 > 0.25

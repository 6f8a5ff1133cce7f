"""One predicate a claim: it takes the runs, and returns evidence, which the kind of the claim judges."""

from penstock.studies.claims import Clause, Evidence
from penstock.studies.orders import rising
from penstock.studies.predicates import Predicates, clauses, percent, samples

from .grid import LOADS, PLACES, Point
from .measures import Runs

PREDICATES: Predicates[Runs] = Predicates()
claim = PREDICATES.claim


@claim("loss.load-0.8-places-5")
def _(runs: Runs) -> Evidence:
    return samples(runs, "loss_ratio", {"K = 5": Point(0.8, 5)})


@claim("loss.load-0.8-places-10")
def _(runs: Runs) -> Evidence:
    return samples(runs, "loss_ratio", {"K = 10": Point(0.8, 10)})


@claim("loss.load-1-places-10")
def _(runs: Runs) -> Evidence:
    return samples(runs, "loss_ratio", {"K = 10": Point(1.0, 10)})


@claim("loss.load-1.1-places-10")
def _(runs: Runs) -> Evidence:
    return samples(runs, "loss_ratio", {"K = 10": Point(1.1, 10)})


@claim("loss.places")
def _(runs: Runs) -> Evidence:
    falls = [
        rising(
            "places",
            f"load {load:g}: more places lose less",
            [runs.by_seed("loss_ratio", Point(load, places)) for places in PLACES],
            falls=True,
        )
        for load in LOADS
    ]
    least = runs.mean("loss_ratio", Point(1.1, PLACES[-1]))
    floor = Clause("load 1.1: the loss stays over 1 - 1/1.1", least > 1 - 1 / 1.1, percent(least))
    return clauses(runs, *falls, floor)

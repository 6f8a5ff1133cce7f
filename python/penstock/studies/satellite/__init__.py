"""Proactive rate control of ATM over a satellite: a thesis of three traffic scenarios, three cases and 39 figures."""

from penstock.studies.framework import Study
from penstock.studies.satellite.claims import PREDICATES
from penstock.studies.satellite.figures import BESIDE, PAPER, PLANS
from penstock.studies.satellite.grid import READINGS as OTHER_READINGS
from penstock.studies.satellite.grid import Point, judged_points, points, rare_points
from penstock.studies.satellite.measures import KINDS, READINGS, TABLES, measure

STUDY = Study(
    package=__name__,
    title="Satellite study",
    quick_seeds=3,
    point=Point,
    points=points,
    measure=measure,
    kinds=KINDS,
    tables=TABLES,
    readings=READINGS,
    figures=PAPER,
    beside=BESIDE,
    choice=f"give {min(PLANS)} to {max(PLANS)}",
    predicates=PREDICATES,
    rare=rare_points(),
    other_readings=OTHER_READINGS,
    judged=judged_points,
)

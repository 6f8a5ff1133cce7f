"""Backward congestion notification in ATM LANs: a paper of one switch, three filters and three figures."""

from penstock.studies.becn.claims import PREDICATES
from penstock.studies.becn.figures import BESIDE, PAPER
from penstock.studies.becn.grid import READINGS as OTHER_READINGS
from penstock.studies.becn.grid import Point, judged_points, points
from penstock.studies.becn.measures import KINDS, READINGS, TABLES, measure
from penstock.studies.framework import Study

STUDY = Study(
    package=__name__,
    title="BECN study",
    quick_seeds=5,
    point=Point,
    points=points,
    measure=measure,
    kinds=KINDS,
    tables=TABLES,
    readings=READINGS,
    figures=PAPER,
    beside=BESIDE,
    choice="give 2, 3 or 4",
    predicates=PREDICATES,
    other_readings=OTHER_READINGS,
    judged=judged_points,
)

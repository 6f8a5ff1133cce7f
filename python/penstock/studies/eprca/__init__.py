"""EPRCA and EPRCA++ beside MPEG video: a paper of one link, four switches and thirteen figures."""

from penstock.studies.eprca.claims import PREDICATES
from penstock.studies.eprca.figures import BESIDE, PAPER
from penstock.studies.eprca.grid import OTHER_READINGS, Point, judged_points, points
from penstock.studies.eprca.measures import KINDS, READINGS, TABLES, measure
from penstock.studies.framework import Study

STUDY = Study(
    package=__name__,
    title="EPRCA study",
    quick_seeds=10,
    point=Point,
    points=points,
    measure=measure,
    kinds=KINDS,
    tables=TABLES,
    readings=READINGS,
    figures=PAPER,
    beside=BESIDE,
    choice="give 2 to 14",
    predicates=PREDICATES,
    other_readings=OTHER_READINGS,
    judged=judged_points,
)

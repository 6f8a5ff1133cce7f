"""The aeronautical network (ATNP WG2/WP197, 1996): five strategies against congestion, two tables, five exercises.

`printed` has the tables of the paper.
"""

from penstock.studies.atn.claims import PREDICATES
from penstock.studies.atn.figures import BESIDE, PAPER
from penstock.studies.atn.grid import READINGS as OTHER_READINGS
from penstock.studies.atn.grid import Point, judged_points, points
from penstock.studies.atn.measures import KINDS, READINGS, TABLES, measure
from penstock.studies.atn.printed import side_by_side
from penstock.studies.framework import Study

STUDY = Study(
    package=__name__,
    title="ATN study",
    quick_seeds=20,
    point=Point,
    points=points,
    measure=measure,
    kinds=KINDS,
    tables=TABLES,
    readings=READINGS,
    figures=PAPER,
    beside=BESIDE,
    choice="give 5-1 or 5-2",
    predicates=PREDICATES,
    printed=side_by_side,
    other_readings=OTHER_READINGS,
    judged=judged_points,
)

"""ABR source rules over a satellite: a paper of one connection, one rule and its parameter Crm.

Nothing in the runs is random: each point is run once, for any number of seeds.
"""

from penstock.studies.abr.claims import PREDICATES
from penstock.studies.abr.figures import BESIDE, PAPER
from penstock.studies.abr.grid import READINGS as OTHER_READINGS
from penstock.studies.abr.grid import Point, points
from penstock.studies.abr.measures import KINDS, READINGS, TABLES, measure
from penstock.studies.framework import Study

STUDY = Study(
    package=__name__,
    title="ABR over a satellite",
    quick_seeds=1,
    point=Point,
    points=points,
    measure=measure,
    kinds=KINDS,
    tables=TABLES,
    readings=READINGS,
    figures=PAPER,
    beside=BESIDE,
    choice="give 2, 4, 5; 1 and 3 are diagrams",
    predicates=PREDICATES,
    other_readings=OTHER_READINGS,
)

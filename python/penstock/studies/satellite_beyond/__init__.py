"""What the satellite thesis leaves for future work: one question, one figure and one verdict each."""

from penstock.studies.framework import Study
from penstock.studies.satellite_beyond.claims import PREDICATES
from penstock.studies.satellite_beyond.figures import BESIDE, PAPER, printed
from penstock.studies.satellite_beyond.grid import QUESTIONS, Point, points
from penstock.studies.satellite_beyond.measures import KINDS, TABLES, measure

STUDY = Study(
    package=__name__,
    title="Satellite study, future work",
    quick_seeds=3,
    point=Point,
    points=points,
    measure=measure,
    kinds=KINDS,
    tables=TABLES,
    figures=PAPER,
    beside=BESIDE,
    choice=f"give the number of a question, {min(QUESTIONS)} to {max(QUESTIONS)}",
    predicates=PREDICATES,
    printed=printed,
)

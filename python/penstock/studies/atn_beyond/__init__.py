"""What the ATN study leaves for future work: one question, one figure each."""

from penstock.studies.atn_beyond.claims import PREDICATES
from penstock.studies.atn_beyond.figures import PAPER
from penstock.studies.atn_beyond.grid import QUESTIONS, Point, points
from penstock.studies.atn_beyond.measures import KINDS, TABLES, measure
from penstock.studies.framework import Study

STUDY = Study(
    package=__name__,
    title="ATN study, future work",
    quick_seeds=5,
    point=Point,
    points=points,
    measure=measure,
    kinds=KINDS,
    tables=TABLES,
    figures=PAPER,
    beside=(),
    choice=f"give the number of a question, {min(QUESTIONS)} to {max(QUESTIONS)}",
    predicates=PREDICATES,
)

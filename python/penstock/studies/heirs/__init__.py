"""BECN, EFCI and ERICA of 1993 to 1996 beside QCN, DCQCN, RCP and HPCC, on the networks of the older ones."""

from penstock.studies.framework import Study
from penstock.studies.heirs.claims import PREDICATES
from penstock.studies.heirs.figures import PAPER
from penstock.studies.heirs.grid import QUESTIONS, Point, points
from penstock.studies.heirs.measures import KINDS, READINGS, TABLES, measure

STUDY = Study(
    package=__name__,
    title="The heirs of BECN, EFCI and ERICA",
    quick_seeds=3,
    point=Point,
    points=points,
    measure=measure,
    kinds=KINDS,
    tables=TABLES,
    readings=READINGS,
    figures=PAPER,
    beside=(),
    choice=f"give the number of a question, {min(QUESTIONS)} to {max(QUESTIONS)}",
    predicates=PREDICATES,
)

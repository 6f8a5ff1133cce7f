"""M/D/1/K: the loss of Poisson cells at a line with K places, after Brun and Garcia (2000)."""

from penstock.studies.framework import Study

from .claims import PREDICATES
from .figures import BESIDE, PAPER
from .grid import Point, points
from .measures import TABLES, measure

STUDY = Study(
    package=__name__,
    title="Loss of M/D/1/K",
    quick_seeds=5,
    point=Point,
    points=points,
    measure=measure,
    tables=TABLES,
    figures=PAPER,
    beside=BESIDE,
    choice="give 1",
    predicates=PREDICATES,
)

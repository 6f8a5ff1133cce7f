"""TCP over UBR and ABR: goodput against the buffer of the switch, and where the queue stands."""

from penstock.studies.framework import Study
from penstock.studies.tcp_over_abr.claims import PREDICATES
from penstock.studies.tcp_over_abr.figures import PAPER
from penstock.studies.tcp_over_abr.grid import FIGURES, Point, points
from penstock.studies.tcp_over_abr.measures import KINDS, TABLES, measure

STUDY = Study(
    package=__name__,
    title="TCP over UBR and ABR",
    quick_seeds=5,
    point=Point,
    points=points,
    measure=measure,
    kinds=KINDS,
    tables=TABLES,
    figures=PAPER,
    beside=(),
    choice=f"give the number of a figure, {min(FIGURES)} to {max(FIGURES)}",
    predicates=PREDICATES,
)

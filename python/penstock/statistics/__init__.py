"""Statistics of runs: intervals, comparisons, probabilities, and when to stop.

- ``estimate``: a mean with its interval, of values or of paired differences; Jain's index
- ``sample``: the same for a quantity with bounds, such as a ratio of counts
- ``chance``: exact bounds for the probability of an event that occurred rarely or never
- ``series``: one long run: what to delete at its start, and batch means
- ``precision``: how many more replications a relative precision needs
- ``ranking``: which of several is better, and which do not differ significantly
- ``best``: differences to the best only, adjusted together
"""

from penstock.statistics.best import Standing, standings
from penstock.statistics.chance import clopper_pearson, never, rounded_up, upper_bound
from penstock.statistics.estimate import LEVEL, TOO_FEW, Estimate, jain, paired, student, student_quantile
from penstock.statistics.precision import Decision, Precision
from penstock.statistics.ranking import VERDICT_WORDS, Difference, Ranked, differences, groups_of_ties, rank
from penstock.statistics.sample import LEAST, Sample
from penstock.statistics.series import BatchMeans, batch_means, mser5

__all__ = [
    "LEAST",
    "LEVEL",
    "TOO_FEW",
    "VERDICT_WORDS",
    "BatchMeans",
    "Decision",
    "Difference",
    "Estimate",
    "Precision",
    "Ranked",
    "Sample",
    "Standing",
    "batch_means",
    "clopper_pearson",
    "differences",
    "groups_of_ties",
    "jain",
    "mser5",
    "never",
    "paired",
    "rank",
    "rounded_up",
    "standings",
    "student",
    "student_quantile",
    "upper_bound",
]

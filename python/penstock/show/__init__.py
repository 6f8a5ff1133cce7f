"""Pages: the results of each kind of experiment, on the terminal and as one page of HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never, cast

if TYPE_CHECKING:
    from penstock.analyse.results import Results
    from penstock.execute.experiment import Kind
    from penstock.show.report import Report


def page_of(results: Results) -> Report:
    """The page of an experiment's results: a sweep, a comparison or a study."""
    from penstock.show import comparison, study, sweep

    kind = cast("Kind", results.about["kind"])
    match kind:  # the type checker checks that no kind is missing
        case "sweep":
            return sweep.page_of(results)
        case "comparison":
            return comparison.page_of(results)
        case "study":
            return study.page_of(results)
    assert_never(kind)

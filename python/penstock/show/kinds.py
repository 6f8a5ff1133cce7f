"""The list of all kinds of experiment, with the output of each."""

from __future__ import annotations

from penstock.analyse.results import Results
from penstock.core.errors import InputError, shorten
from penstock.execute.experiment import FILE
from penstock.show import capacity, comparison, league, search, study, sweep
from penstock.show.output import Output

OUTPUTS = {
    output.kind.name: output
    for output in (
        sweep.OUTPUT,
        comparison.OUTPUT,
        league.OUTPUT,
        study.OUTPUT,
        search.OUTPUT,
        capacity.OUTPUT,
    )
}


def output_of(results: Results) -> Output:
    """The output of the kind that the results are of. Raises :class:`InputError` if their experiment is not valid."""
    kind = results.about["kind"]
    if kind not in OUTPUTS:
        raise InputError(
            f'this is no valid experiment file: its kind is "{shorten(kind)}", not one of {", ".join(OUTPUTS)}',
            file=str(results.directory / FILE),
            remedy="remove it; the runs stay",
        )
    output = OUTPUTS[kind]
    results.details(output.kind)
    return output

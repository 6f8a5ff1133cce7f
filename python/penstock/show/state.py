"""What the first screen of a page says about the runs: what is missing, failed or damaged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.core.counts import counted

if TYPE_CHECKING:
    from penstock.analyse.results import Results


def warnings_of(results: Results) -> list[str]:
    """One sentence for each reason why the results are less evidence than they seem: missing, damaged or equal runs."""
    missing, failed = results.missing(), len(results.about["failures"])
    told = []
    if missing:
        there = results.wanted - missing
        told.append(f"Incomplete: {there:,} of {results.wanted:,} runs have finished. This page shows these.")
    elif not results.about["complete"]:
        told.append("Incomplete: the experiment has not ended, and may add runs. This page shows the finished ones.")
    if failed:
        told.append(f"{counted(failed, 'run')} failed.")
    told += results.warnings()
    return [*told, *(f"Damaged, and left out: {damage}." for damage in results.store.damaged)]

"""The nulls of all studies, as the table of docs/nulls.md: `tools/nulls.py DIR`, with full runs in DIR/STUDY.

What is missing there is run first, with all cores. Give study names after DIR for these alone.
"""

from __future__ import annotations

import sys
from pathlib import Path

from penstock import studies
from penstock.api.run import available_cores
from penstock.studies.nulls import in_rows, of_study


def main(directory: str, *names: str) -> None:
    """Print the table."""
    found = []
    for name in names or studies.STUDIES:
        out = Path(directory) / name
        results = studies.carry_out(name, seeds=studies.FULL_SEEDS, jobs=available_cores(), out=out, resume=True)
        study = studies.open_study(name, None, studies.FULL_SEEDS)
        study.read(results)
        found += of_study(study.study.predicates, study.runs)
    print("\n".join(in_rows(found)))


if __name__ == "__main__":
    main(*sys.argv[1:])

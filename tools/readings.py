"""The tables of readings and claims of a study's page: `tools/readings.py DIR STUDY`, with a full run in DIR/STUDY.

What is missing there is run first, with all cores.
"""

from __future__ import annotations

import sys
from pathlib import Path

from penstock import studies
from penstock.api.run import available_cores
from penstock.studies.readings import in_markdown


def main(directory: str, name: str) -> None:
    """Print both tables."""
    out = Path(directory) / name
    seeds = studies.FULL_SEEDS
    results = studies.carry_out(name, seeds=seeds, readings=True, jobs=available_cores(), out=out, resume=True)
    study = studies.open_study(name, None, seeds, readings=True)
    study.read(results)
    print("\n".join(in_markdown(study)))


if __name__ == "__main__":
    main(*sys.argv[1:])

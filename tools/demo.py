"""`make demo`: the satellite study on two seeds, in minutes. Two seeds show the shape; quote none of their numbers."""

import argparse
from pathlib import Path

from penstock.studies import reproduce

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    status = reproduce("satellite", replications=2, jobs=parser.parse_args().jobs, out=Path("out/demo"))
    print("On two seeds. The whole study, as the paper had it: .venv/bin/penstock reproduce satellite --quick")
    raise SystemExit(status)

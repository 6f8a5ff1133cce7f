"""Writes constraints.txt: the newest releases that pyproject.toml admits for the environment of a clone, one a line.

pip resolves them and installs nothing. Run it with the oldest Python that Penstock supports: its releases also install
on later ones.
"""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEAD = "# Written by `make lock`: the releases that the environment of a clone has.\n"


def main() -> None:
    """Resolves what the package, its extras, its build and its development need."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = ["pip>=25.1", *declared["build-system"]["requires"], *declared["project"]["dependencies"]]
    for group in (declared["project"]["optional-dependencies"], declared["dependency-groups"]):
        wanted += [requirement for requirements in group.values() for requirement in requirements]
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet", "--report", "-"]
    report = json.loads(subprocess.run([*command, *wanted], stdout=subprocess.PIPE, check=True).stdout)
    found = [entry["metadata"] for entry in report["install"]]
    pins = [f"{each['name']}=={each['version']}\n" for each in found]
    (ROOT / "constraints.txt").write_text(HEAD + "".join(sorted(pins, key=str.lower)), encoding="utf-8")
    print(f"constraints.txt has {len(pins)} packages")


if __name__ == "__main__":
    main()

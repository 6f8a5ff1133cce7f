"""Compares the engine of this tree with that of another commit, run in turn on one machine.

    tools/compare-engines [--base COMMIT] [--rounds 5] [--no-instructions] [NAME...]
    tools/compare-engines --budget w1

A name is a workload (w1, w2, w3, s1c1, s1c2, s2c1, s3c2), a scenario file, or a study (satellite, becn, eprca, abr,
atn): every nth of its planned runs, shortened, by the engine alone. Without names all workloads are compared;
`studies` means all studies. It prints the processor time per cell as a share of the other commit's (the median of
the ratios of neighbouring runs, with the least and the greatest), and instructions per cell of both (callgrind). Both
must give the same fingerprint, else the times are not comparable. `--budget` prints the functions and files of the
instructions of one workload.

The other commit is built under target/engines, with this tree's `bench.rs` if it compiles there.
"""

import argparse
import collections
import json
import re
import shutil
import statistics
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from measure import PROGRAM, READY, ROOT, SHORT_SHARES, collected, instructions, timed

BASE = "3a08ef9"
WORKLOADS = {
    "w1": READY / "bench" / "w1.toml",
    "w2": READY / "bench" / "w2.toml",
    "w3": READY / "bench" / "w3.toml",
    "s1c1": READY / "satellite" / "1-case-1.toml",
    "s1c2": READY / "satellite" / "1-case-2.toml",
    "s2c1": READY / "satellite" / "2-case-1.toml",
    "s3c2": READY / "satellite" / "3-case-2.toml",
}
STUDIES = {"satellite": (1, 0.05), "becn": (10, 0.1), "eprca": (10, 0.2), "abr": (1, 0.1), "atn": (50, 1.0)}
"""For each study: every nth run, and the part of it that is run. Some tens of seconds in all."""


@dataclass(frozen=True)
class Target:
    """The targets of rounds: the share of 3a08ef9's time, and the instructions a cell."""

    share: float
    instructions: int | None = None


LATER_KEYS = re.compile(r"^mismatches = .*\n", re.MULTILINE)
"""Keys of scenario files that an older commit does not know, and that change no event."""

TARGETS = {
    "w1": Target(0.30, 270),
    "w2": Target(0.35, 380),
    "w3": Target(0.40, 480),
    "s1c1": Target(0.35, 520),
    "s1c2": Target(0.25, 760),
    "s2c1": Target(0.32, 460),
    "s3c2": Target(0.27, 900),
    "satellite": Target(0.35),
    "eprca": Target(0.4),
    "abr": Target(0.4),
    "becn": Target(0.5),
    "atn": Target(1.0),
}


def main() -> None:
    """Compares the named workloads, or shows the budget of one workload."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="workloads, studies or scenario files")
    parser.add_argument("--base", default=BASE, help=f"the commit to compare with ({BASE})")
    parser.add_argument("--rounds", type=int, default=5, help="pairs of runs of each (5)")
    parser.add_argument("--share", type=float, default=1.0, help="part of each workload, or of each run of a study (1)")
    parser.add_argument(
        "--no-instructions", action="store_true", help="do not count instructions, which takes a minute"
    )
    parser.add_argument(
        "--budget", metavar="NAME", help="print the functions of this workload's instructions, without times"
    )
    given = parser.parse_args()
    build(ROOT, ROOT / "target")
    if given.budget:
        print_budget(str(WORKLOADS.get(given.budget, given.budget)))
        return
    other = build_base(given.base)
    named = given.names or list(WORKLOADS)
    names = [name for each in named for name in (STUDIES if each == "studies" else (each,))]
    print(f"{'':24}{'share of ' + given.base:>18}{'least':>7}{'most':>7}{'at most':>9}", end="")
    print(f"{'instructions':>16}{'before':>8}{'at most':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            file, share = str(WORKLOADS.get(name, name)), given.share
            if name in STUDIES:
                file, share = str(planned(name, Path(folder))), given.share * STUDIES[name][1]
            elder = file if name in STUDIES else str(without_later_keys(Path(file), Path(folder)))
            commands = {PROGRAM: file, other: elder}
            ratios = paired(commands, share, given.rounds)
            counts = (
                None
                if given.no_instructions or name in STUDIES
                else [instructions(program, file) for program, file in commands.items()]
            )
            print_row(name, ratios, counts)


def build(tree: Path, target: Path, errors: int | None = None) -> None:
    """The program `bench` of a tree; the errors of the compiler go there."""
    command = [
        "cargo",
        "build",
        "--release",
        "--locked",
        "--quiet",
        "--package",
        "penstock-engine",
        "--example",
        "bench",
    ]
    subprocess.run([*command, "--target-dir", str(target)], cwd=tree, check=True, stderr=errors)


def build_base(commit: str) -> Path:
    """The program `bench` of another commit, in a work tree of its own."""
    git = ["git", "-C", str(ROOT)]
    resolved = subprocess.run(
        [*git, "rev-parse", "--verify", f"{commit}^{{commit}}"], capture_output=True, text=True, check=False
    )
    if resolved.returncode != 0:
        raise SystemExit(f"--base {commit}: there is no such commit")
    tree = ROOT / "target" / "engines" / resolved.stdout.strip()[:12]
    if not (tree / "Cargo.toml").exists():
        subprocess.run([*git, "worktree", "prune"], check=True)
        subprocess.run([*git, "worktree", "add", "--quiet", "--force", "--detach", str(tree), commit], check=True)
    own = tree / "crates" / "engine" / "examples" / "bench.rs"
    shutil.copyfile(ROOT / "crates" / "engine" / "examples" / "bench.rs", own)
    try:
        build(tree, tree / "target", subprocess.DEVNULL)
    except subprocess.CalledProcessError:
        print(f"{commit} keeps its own bench.rs: that of this tree does not compile there, so it runs no studies")
        subprocess.run(["git", "-C", str(tree), "checkout", "--quiet", "--", str(own)], check=True)
        build(tree, tree / "target")
    return tree / "target" / "release" / "examples" / "bench"


def without_later_keys(file: Path, folder: Path) -> Path:
    """A copy of a scenario file that an older commit can read."""
    copy = folder / file.name
    copy.write_text(LATER_KEYS.sub("", file.read_text(encoding="utf-8")), encoding="utf-8")
    return copy


def paired(files: dict[Path, str], share: float, rounds: int) -> list[float]:
    """Ratios of the processor times of neighbouring runs, the two programs first in turn, each with its file."""
    ratios = []
    _, other = files
    for number in range(rounds):
        order = list(files)[:: 1 if number % 2 == 0 else -1]
        done = {
            program: timed([str(program), files[program], "--form", "fast", "--share", str(share)]) for program in order
        }
        prints = [done[program][1]["fingerprint"] for program in files]
        if prints[0] != prints[1]:
            raise SystemExit(
                f"{files[PROGRAM]}: fingerprint {prints[0]}, and {prints[1]} at the other commit: not the same bits"
            )
        ratios.append(done[PROGRAM][0] / done[other][0])
    return ratios


def planned(name: str, folder: Path) -> Path:
    """Some of the planned runs of a quick study, evenly chosen, one in each line."""
    from penstock.studies import open_study

    file = folder / f"{name}.jsonl"
    wanted = [(point, seed) for point, seeds in open_study(name, None).points() for seed in seeds]
    with file.open("w", encoding="utf-8") as lines:
        for point, seed in wanted[:: STUDIES[name][0]]:
            scenario = json.loads(point.build().to_json())
            lines.write(json.dumps({"scenario": scenario, "seed": seed, "replication": 0}) + "\n")
    return file


def print_row(name: str, ratios: list[float], counts: list[float | None] | None) -> None:
    """One line of the table."""
    target = TARGETS.get(name)
    share = f"{target.share:9.2f}" if target else f"{'':9}"
    print(f"{name[-24:]:24}{statistics.median(ratios):18.3f}{min(ratios):7.3f}{max(ratios):7.3f}{share}", end="")
    if counts is not None and counts[0] is not None and counts[1] is not None:
        limit = f"{target.instructions:9}" if target and target.instructions else ""
        print(f"{counts[0]:16.0f}{counts[1]:8.0f}{limit}", end="")
    print(flush=True)


@dataclass
class Profile:
    """Instructions of one run, by file or function."""

    cells: int
    by_file: collections.Counter[str]
    by_function: collections.Counter[str]
    inclusive: collections.Counter[str]


def print_budget(file: str) -> None:
    """Instructions per cell of a workload by file and by function, without start-up."""
    with tempfile.TemporaryDirectory() as folder:
        few, many = (profile(file, share, Path(folder) / str(share)) for share in SHORT_SHARES)
    cells = many.cells - few.cells
    total = sum(many.by_file.values()) - sum(few.by_file.values())
    print(f"{total / cells:.0f} instructions a cell")
    for title, attribute, most in (
        ("by file, itself (inlined code counts for its own file)", "by_file", 30),
        ("by function, itself", "by_function", 30),
        ("by function, with all that it calls", "inclusive", 40),
    ):
        before, after = getattr(few, attribute), getattr(many, attribute)
        rows = sorted(((after[name] - before[name]) / cells, name) for name in after)
        print(f"\ninstructions a cell {title}")
        for row, name in reversed(rows[-most:]):
            if row >= 0.5:
                print(f"{row:9.1f}  {name}")


def profile(file: str, share: float, into: Path) -> Profile:
    """The output of callgrind for a part of a workload."""
    total, cells = collected(PROGRAM, file, share, str(into))
    if total is None:
        raise SystemExit("--budget needs valgrind")
    found = Profile(cells, collections.Counter(), collections.Counter(), collections.Counter())
    names: dict[str, str] = {}
    source = function = ""
    is_call = False
    for line in into.read_text(encoding="utf-8").splitlines():
        if match := re.match(r"(c?(?:fn|fl|fi|fe|ob))=\((\d+)\)(?: (.*))?$", line):
            # A name is written once, and is a number later; functions, files and objects have separate numbers.
            kind, number, name = match.groups()
            key = kind[-2:].replace("fi", "fl").replace("fe", "fl") + number
            if name is not None:
                names[key] = name
            if kind == "fn":
                function = plain(names[key])
            elif kind in ("fl", "fi", "fe"):
                source = stage(names[key])
        elif line.startswith("calls="):
            is_call = True
        elif match := re.match(r"[+\-*\d]\S* (\d+)$", line):
            cost = int(match[1])
            found.inclusive[function] += cost
            if not is_call:
                found.by_file[source] += cost
                found.by_function[function] += cost
            is_call = False
    return found


def stage(path: str) -> str:
    """A source file below its package."""
    return re.sub(r"^.*?/(crates/engine/src/|library/|registry/src/[^/]*/)", "", path)


def plain(name: str) -> str:
    """A function without the hash of its crate, nor the number of a recursion."""
    return re.sub(r"(::h[0-9a-f]{16})?('\d+)?$", "", name)


if __name__ == "__main__":
    main()

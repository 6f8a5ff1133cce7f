"""Changes one operator or constant of the engine at a time, and sees which tests notice.

The list is tools/mutants.toml. A copy of the engine holds all changes at once. The variable PENSTOCK_MUTANT turns one
of them on, so there is one build. For each change the tests of its own module run first, then those of its folder, all
unit tests, and the quick integration tests, up to the first that fails. A test that runs much longer than without a
change has failed too.

The pinned fingerprints (`tests/pins.rs`) do not take part: they notice every change, and do not tell which side is
right.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import threading
import time
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import engine_copy

LIST = Path(__file__).with_suffix(".toml")
HOME = engine_copy.ROOT / "target" / "mutants"
# Modules of the integration tests.
QUICK = (
    "abr",
    "abr_switches",
    "changes",
    "closed_loops",
    "demand",
    "evictions",
    "networks",
    "sources",
    "transports",
    "forms",
)
# The share of the changes that the tests must notice.
ENOUGH = 0.9
# A test binary that runs so many times as long as without a change, and so many seconds more, hangs.
SLOWER = 4
PATIENCE_S = 20
# Kilobytes of memory for a test binary: a change may ask for more and more.
MEMORY_KB = 6_000_000

SWITCH = """
/// Whether the change of this number is in effect (tools/mutants.py).
#[inline(always)]
#[must_use]
pub fn mutant(number: u32) -> bool {
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
    static ACTIVE: AtomicU32 = AtomicU32::new(u32::MAX);
    #[cold]
    fn read() -> u32 {
        let given = std::env::var("PENSTOCK_MUTANT").ok();
        let active = given.and_then(|given| given.parse().ok()).unwrap_or(0);
        ACTIVE.store(active, Relaxed);
        active
    }
    let active = ACTIVE.load(Relaxed);
    number == if active == u32::MAX { read() } else { active }
}
"""


@dataclass(frozen=True)
class Mutant:
    """One change. `place` is text of the file that contains `old` once."""

    number: int
    name: str
    file: str
    old: str
    new: str
    why: str
    place: str = ""
    survives: str = ""

    @property
    def module(self) -> str:
        """The module whose tests stand beside the change."""
        return self.file.removesuffix(".rs").replace("/", "::")

    @property
    def woven(self) -> str:
        """Both variants, and the switch between them."""
        switch = f"if crate::mutant({self.number}) {{ {self.new} }} else {{ {self.old} }}"
        return switch if self.old.endswith(";") else f"({switch})"

    def weave(self, text: str) -> str:
        """Puts the switch into the text of the file."""
        place = self.place.lstrip("\n") or self.old
        for inner, outer, where in [(self.old, place, "its place"), (place, text, self.file)]:
            if outer.count(inner) != 1:
                sys.exit(f"{LIST.name}: `{self.name}`: {inner!r} is {outer.count(inner)} times in {where}, not once")
        return text.replace(place, place.replace(self.old, self.woven))


@dataclass(frozen=True)
class Result:
    """What became of a change: the first test that failed, if any did."""

    mutant: Mutant
    killed_by: str
    seconds: float


def read_list() -> list[Mutant]:
    """All changes, numbered from 1."""
    entries = tomllib.loads(LIST.read_text())["mutant"]
    mutants = [Mutant(number, **entry) for number, entry in enumerate(entries, 1)]
    names = [mutant.name for mutant in mutants]
    if len(set(names)) < len(names):
        sys.exit(f"{LIST.name}: two changes have one name")
    return mutants


def sources(mutants: list[Mutant]) -> dict[Path, bytes]:
    """The files of the copy: the engine with the switches, and what its tests read."""
    files = engine_copy.files()
    for mutant in mutants:
        path = engine_copy.SOURCE / mutant.file
        files[path] = mutant.weave(files[path].decode()).encode()
    root = engine_copy.SOURCE / "lib.rs"
    files[root] = ("#![allow(warnings)]\n" + files[root].decode().replace("//!", "//") + SWITCH).encode()
    return files


@dataclass(frozen=True)
class Tests:
    """Tests of one binary: those of some modules, or all."""

    name: str
    binary: Path
    modules: tuple[str, ...] = ()


def build(tree: Path, *, with_integration: bool) -> list[Tests]:
    """The unit tests, then the quick integration tests."""
    environment = {
        **os.environ,
        "CARGO_TARGET_DIR": os.environ.get("CARGO_TARGET_DIR", str(tree.parent / "build")),
        "CARGO_PROFILE_TEST_OPT_LEVEL": "1",
        "CARGO_PROFILE_TEST_DEBUG": "0",
        "CARGO_PROFILE_DEV_OPT_LEVEL": "1",
        "CARGO_PROFILE_DEV_DEBUG": "0",
    }
    tests = ["--test", "engine"] if with_integration else []
    command = ["cargo", "test", "--package", "penstock-engine", "--no-run", "--message-format=json", "--lib", *tests]
    done = subprocess.run(command, cwd=tree, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0:
        texts = [message["message"]["rendered"] for message in messages if message["reason"] == "compiler-message"]
        sys.exit("".join(text for text in texts if text.startswith("error")))
    built = {
        message["target"]["name"]: Path(message["executable"])
        for message in messages
        if message["reason"] == "compiler-artifact" and message["executable"]
    }
    unit = Tests("unit tests", built["penstock_engine"])
    quick = (f"{name}::" for name in QUICK)
    return [unit, Tests("integration tests", built["engine"], tuple(quick))] if with_integration else [unit]


def first_failure(tests: Tests, tree: Path, number: int, limit_s: float, only: Sequence[str] = ()) -> str:
    """Runs tests under a change up to the first that fails, and names it; of them all, or ``only`` of these modules."""
    environment = {
        **os.environ,
        "PENSTOCK_MUTANT": str(number),
        "PROPTEST_DISABLE_FAILURE_PERSISTENCE": "1",
        "PROPTEST_RNG_SEED": "1",
        "PROPTEST_MAX_SHRINK_ITERS": "0",
        "RUST_BACKTRACE": "0",
    }
    limited = ["sh", "-c", f'ulimit -v {MEMORY_KB} 2>/dev/null; exec "$@"', "sh"]
    command = [*limited, str(tests.binary), "--test-threads=1", *(only or tests.modules)]
    folder = tree / "crates" / "engine"
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        late = threading.Event()

        def give_up() -> None:
            late.set()
            process.kill()

        watch = threading.Timer(limit_s, give_up)
        watch.start()
        # A test's name comes before its result, so that one that hangs or crashes can be named.
        begun, failed = "", ""
        for line in process.stdout:
            if line.startswith("test "):
                begun = line.split()[1]
                if line.rstrip().endswith("FAILED"):
                    failed = begun
                    process.kill()
                    break
        process.stdout.read()
        status = process.wait()
        watch.cancel()
    if failed:
        return failed
    if late.is_set():
        return f"{begun} (out of time)"
    return f"{begun} (crash)" if status != 0 else ""


class Judge:
    """Runs the tests under one change after the other."""

    def __init__(self, tree: Path, tests: list[Tests]) -> None:
        self.tree = tree
        self.tests = tests
        self.limits: dict[str, float] = {}

    def measure(self) -> None:
        """Checks that all tests pass without a change, and takes their times."""
        for tests in self.tests:
            start = time.monotonic()
            if failed := first_failure(tests, self.tree, 0, 3600.0):
                sys.exit(f"without any change {failed} fails")
            taken = time.monotonic() - start
            self.limits[tests.name] = SLOWER * taken + PATIENCE_S
            print(f"{tests.name}: {taken:.0f} s", flush=True)

    def stages(self, mutant: Mutant) -> Iterator[tuple[Tests, Sequence[str]]]:
        """What runs under a change, one after the other."""
        for nearby in (mutant.module, mutant.module.rpartition("::")[0] or mutant.module):
            yield self.tests[0], (nearby,)
        for tests in self.tests:
            yield tests, ()

    def judge(self, mutant: Mutant) -> Result:
        """The first test that notices the change."""
        start = time.monotonic()
        for tests, only in self.stages(mutant):
            if killed_by := first_failure(tests, self.tree, mutant.number, self.limits[tests.name], only):
                return Result(mutant, killed_by, time.monotonic() - start)
        return Result(mutant, "", time.monotonic() - start)


def show(result: Result) -> None:
    """One line of the table."""
    mutant = result.mutant
    change = " ".join(f"{mutant.old} => {mutant.new or 'nothing'}".split())
    verdict = result.killed_by or "SURVIVED"
    print(
        f"{mutant.number:3}  {mutant.name}\n     {mutant.file}: {change}\n     {verdict} ({result.seconds:.0f} s)",
        flush=True,
    )


def summary(results: list[Result]) -> int:
    """Prints the count, and the changes for which the list is wrong; the exit status."""
    survived = [result.mutant for result in results if not result.killed_by]
    killed = len(results) - len(survived)
    print(f"\n{len(results)} changes, {killed} noticed ({killed / len(results):.1%}), {len(survived)} not:")
    for mutant in survived:
        print(f"- {mutant.name}: {mutant.survives or 'NO REASON GIVEN'}")
    wrong = [result.mutant.name for result in results if bool(result.killed_by) == bool(result.mutant.survives)]
    for name in wrong:
        print(f"`survives` is wrong or missing: {name}")
    return int(bool(wrong) or killed < ENOUGH * len(results))


def main() -> int:
    """Tries all changes, or those whose names contain one of the texts given."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", nargs="*", help="only changes with one of these texts in name or file")
    parser.add_argument("--jobs", type=int, default=2, help="changes at a time (default: 2)")
    parser.add_argument("--unit", action="store_true", help="without the integration tests")
    arguments = parser.parse_args()
    mutants = read_list()
    tree = HOME / "tree"
    if shutil.which("cargo") is None:
        sys.exit("cargo is not installed")
    engine_copy.write(sources(mutants), tree)
    judge = Judge(tree, build(tree, with_integration=not arguments.unit))
    judge.measure()
    texts = arguments.texts
    chosen = [own for own in mutants if not texts or any(text in own.name or text in own.file for text in texts)]
    results = []
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for result in pool.map(judge.judge, chosen):
            show(result)
            results.append(result)
    return summary(results)


if __name__ == "__main__":
    sys.exit(main())

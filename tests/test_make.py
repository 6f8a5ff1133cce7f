"""What make does, and the locks of the packages that it installs."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]


def test_the_demo_builds_what_the_study_needs_and_nothing_else() -> None:
    demo = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\ndemo:")[2].partition("\n\n")[0]
    stages = [line.partition("tools/stage ")[2].split()[0] for line in demo.splitlines() if "tools/stage " in line]
    assert stages == ["environment", "extension", "study"]
    assert demo.partition("\n")[0].split("##")[0].strip() == "", "what make builds before the first stage has no line"


def test_the_help_names_its_targets_in_one_column() -> None:
    done = subprocess.run(["make", "--silent", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    places = [re.match(r"  make \S+ +", line) for line in done.stdout.splitlines()[2:]]
    assert len({place.end() for place in places if place}) == 1
    assert all(places)


@pytest.mark.parametrize(
    ("target", "profile"),
    [("bench", "release"), ("wheel", "release"), ("test-long", "quick"), ("bench", "wasm"), ("wheel", "wasm")],
    ids=str,
)
def test_a_target_builds_the_profile_that_it_needs(target: str, profile: str) -> None:
    listed = (ROOT / "Makefile").read_text(encoding="utf-8").partition(f"\n{target}: ")[2].partition("\n\n")[0]
    named = {
        "release": ("$(RELEASE)", "build --release"),
        "quick": ("--profile quick",),
        "wasm": ("WASM_PROFILE=wasm ",),
    }[profile]
    assert any(name in listed for name in named)


@pytest.mark.parametrize(("command", "status"), [("exit 0", 0), ("exit 3", 3)])
def test_a_stage_prints_its_seconds_and_keeps_the_exit_status(command: str, status: int) -> None:
    done = subprocess.run(
        ["sh", "tools/stage", "study", "sh", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == status
    assert done.stdout.startswith("-- study: ")
    assert done.stdout.endswith(" s\n")


def test_every_package_that_a_clone_needs_is_locked_within_its_limits() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()[1:]
    pins = {canonicalize_name(name): version for name, _, version in (line.partition("==") for line in lines)}
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [*declared["build-system"]["requires"], *declared["project"]["dependencies"]]
    for group in (declared["project"]["optional-dependencies"], declared["dependency-groups"]):
        wanted += [requirement for requirements in group.values() for requirement in requirements]
    for requirement in map(Requirement, wanted):
        assert requirement.specifier.contains(pins[canonicalize_name(requirement.name)]), requirement


def test_what_is_fuzzed_is_what_is_shipped() -> None:
    def versions(lock: Path) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for package in tomllib.loads(lock.read_text(encoding="utf-8"))["package"]:
            found.setdefault(package["name"], set()).add(package["version"])
        return found

    shipped, fuzzed = versions(ROOT / "Cargo.lock"), versions(ROOT / "fuzz" / "Cargo.lock")
    assert "libfuzzer-sys" in fuzzed
    other = {name for name in fuzzed.keys() & shipped.keys() if not fuzzed[name] <= shipped[name]}
    assert not other, "fuzz/Cargo.lock has other releases: make lock"

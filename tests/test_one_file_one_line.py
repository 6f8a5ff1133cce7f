"""A new variant of a role is one file, with its `mod` line, and one line in the role's list. All else follows.

The test adds a dummy to each role of a copy of the engine (`dummies/`). It compiles, the tests of its role try it, and
it appears in the JSON Schema, in the reference and in the result tables.
"""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DUMMIES = Path(__file__).parent / "dummies"
COPY = runpy.run_path(str(ROOT / "tools" / "engine_copy.py"))
SOURCE: Path = COPY["SOURCE"]
# Of each role: the file with its list, the folder of the dummy, and the file that declares its module.
ROLES = {
    "queue": ("queue.rs", "queue", "queue.rs"),
    "discipline": ("queue.rs", "queue", "queue.rs"),
    "scheduler": ("network/port/scheduler.rs", "network/port/scheduler", "network/port/scheduler.rs"),
    "buffer": ("network/port/buffer.rs", "network/port/buffer", "network/port/buffer.rs"),
    "policer": ("policer.rs", "policer", "policer.rs"),
    "traffic": ("traffic.rs", "traffic", "traffic.rs"),
    "congestion": ("control.rs", "control/satellite", "control/satellite.rs"),
    "notification": ("control.rs", "control/satellite", "control/satellite.rs"),
    "reaction": ("control.rs", "control/satellite", "control/satellite.rs"),
    "credit": ("transport/tp4/credit.rs", "transport/tp4/credit", "transport/tp4/credit.rs"),
    "window": ("transport/tp4/window.rs", "transport/tp4/window", "transport/tp4/window.rs"),
    "controller": (
        "transport/stream/controller.rs",
        "transport/stream/controller",
        "transport/stream/controller.rs",
    ),
}
# The keyword of a dummy and its type, where a role has two dummies.
SECOND = {"discipline": ("dummy_discipline", "DummyDiscipline")}
# The macro that is the list of each role.
LISTS = {
    "queue": "policies",
    "discipline": "policies",
    "scheduler": "schedulers",
    "buffer": "buffers",
    "policer": "policers",
    "traffic": "models",
    "congestion": "congestion_points",
    "notification": "notification_points",
    "reaction": "reaction_points",
    "credit": "credit_strategies",
    "window": "window_strategies",
    "controller": "controllers",
}
# The tests that try every variant of a role.
LAWS = ("control::laws", "laws", "every_case", "mean_rates", "lateness", "verdict_at_the_arrival")


def add(role: str, files: dict[Path, bytes]) -> None:
    """Adds the dummy of one role: its file, its module, its line."""
    list_file, folder, declares = ROLES[role]
    module = f"dummy_{role}"
    files[SOURCE / folder / f"{module}.rs"] = (DUMMIES / f"{role}.rs").read_bytes()
    is_scheme = folder == "control/satellite"
    declared = f"{'pub(super) ' if is_scheme else ''}mod {module};\n"
    insert(declared, files, SOURCE / declares, "\nmod ", before=True)
    path = f"super::satellite::{module}" if is_scheme else module
    keyword, variant = SECOND.get(role, ("dummy", "Dummy"))
    line = f"            /// A dummy.\n            {keyword} {variant} = {path}::Params => {path}::Dummy;\n"
    begin = f"macro_rules! {LISTS[role]} {{\n    ($then:ident! $arguments:tt) => {{\n        $then! {{ $arguments\n"
    insert(line, files, SOURCE / list_file, begin)


def insert(line: str, files: dict[Path, bytes], name: Path, place: str, *, before: bool = False) -> None:
    """Inserts a line behind the first ``place`` of a file, or in front of the line that it begins."""
    text = files[name].decode()
    assert place in text
    inserted = place.replace("\n", f"\n{line}", 1) if before else place + line
    files[name] = text.replace(place, inserted, 1).encode()


@pytest.fixture(scope="module")
def tree() -> Path:
    """A copy of the engine with a dummy in every role. It is built apart, and what was built is kept."""
    files = COPY["files"]()
    for role in ROLES:
        add(role, files)
    files[Path("crates/engine/tests/engine.rs")] += b"mod dummies;\n"
    files[Path("crates/engine/tests/dummies.rs")] = (DUMMIES / "run.rs").read_bytes()
    tree = ROOT / "target" / "dummies" / "tree"
    COPY["write"](files, tree)
    return tree


def cargo(tree: Path, *arguments: str) -> str:
    environment = {
        **os.environ,
        "CARGO_TARGET_DIR": str(tree.parent / "build"),
        "CARGO_PROFILE_TEST_OPT_LEVEL": "1",
        "CARGO_PROFILE_TEST_DEBUG": "0",
        "CARGO_TERM_COLOR": "never",
    }
    command = ["cargo", "test", "--package", "penstock-engine", *arguments]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


def test_the_copy_is_a_workspace_of_its_own(tmp_path: Path) -> None:
    COPY["write"](COPY["files"](), tmp_path)
    command = ["cargo", "metadata", "--no-deps", "--offline", "--format-version", "1"]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    assert [package["name"] for package in json.loads(told.stdout)["packages"]] == ["penstock-engine"]


TRAIT = re.compile(r"^ *pub(?:\([a-z]+\))? trait (\w+)", re.MULTILINE)
IMPL = re.compile(r"^impl (?:\w+::)*(\w+) for \w+", re.MULTILINE)
METHOD = re.compile(r"\bfn (\w+)\s*(?:<[^>]*>)?\(([^)]*)\)")


def methods(text: str, begin: int) -> dict[str, list[str]]:
    """The types of the parameters of each method in the braces that open behind this place."""
    start = text.index("{", begin)
    depth, end = 1, start + 1
    while depth:
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
    types = {}
    for name, parameters in METHOD.findall(text[start:end]):
        each = [part.partition(":")[2] or part for part in re.sub(r"\b(\w+::)+", "", parameters).split(",")]
        types[name] = [" ".join(part.split()) for part in each if part.strip()]
    return types


def test_a_dummy_has_the_methods_of_its_traits() -> None:
    """Without a compiler, so that who changes a trait need not wait for the long tests to hear of its dummies."""
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / SOURCE).rglob("*.rs")]
    traits = {trait[1]: methods(source, trait.end()) for source in sources for trait in TRAIT.finditer(source)}
    seen = set()
    for dummy in ROLES:
        text = (DUMMIES / f"{dummy}.rs").read_text(encoding="utf-8")
        for impl in IMPL.finditer(text):
            for name, types in methods(text, impl.end()).items():
                assert types == traits[impl[1]][name], f"{dummy}.rs: {name} of {impl[1]}"
                seen.add(impl[1])
    assert {"Discipline", "Discard", "Controller", "CongestionPoint", "ReactionPoint", "Schedule", "Share"} <= seen


@pytest.mark.long
def test_the_tests_of_each_role_try_the_dummy(tree: Path) -> None:
    told = cargo(tree, "--lib", "--", *LAWS)
    assert "test control::laws::" in told
    assert "test queue::tests::laws ... ok" in told
    assert "test queue::tests::laws_of_disciplines ... ok" in told
    assert "test network::port::scheduler::tests::laws ... ok" in told
    assert "test network::port::buffer::tests::laws ... ok" in told
    assert "test policer::tests::laws ... ok" in told
    assert "test traffic::tests::laws ... ok" in told
    assert "test transport::tp4::tests::laws::laws ... ok" in told
    assert "test transport::stream::controller::laws::" in told


@pytest.mark.long
def test_the_dummy_is_in_schema_reference_and_tables(tree: Path) -> None:
    told = cargo(tree, "--test", "engine", "--", "dummies::", "--nocapture").splitlines()
    schema = json.loads(next(line for line in told if line.startswith("SCHEMA ")).removeprefix("SCHEMA "))
    chosen = [
        branch["properties"]
        for definition in schema["$defs"].values()
        for branch in definition.get("oneOf", [])
        if {"dummy", "dummy_discipline"} & branch.get("properties", {}).keys()
    ]
    assert len(chosen) == len(ROLES)
    page: str = runpy.run_path(str(ROOT / "tools" / "reference.py"))["scenario_page"](schema)
    assert page.count("`dummy") >= len(ROLES)
    groups = [line.split() for line in told if line.startswith("GROUP ")]
    assert [group[1] for group in groups] == ["data", "discarded", "halved", "slow", "stream", "swift", "transport"]
    # One PDU every millisecond; a queue that is always full discards each.
    assert (groups[0][2:], groups[1][2:]) == (["1000", "0"], ["1000", "1000"])
    # Of two PDUs at the head, one is discarded.
    assert groups[2][2:] == ["1000", "500"]
    # The line carries 1,179 PDUs of two flows with 1,000 each: those of the last queue first.
    assert int(groups[3][3]) > 800
    assert groups[5][2:] == ["1000", "0"]
    assert int(groups[4][2]) > 1
    assert int(groups[6][2]) > 1
    readings = next(line for line in told if line.startswith("READINGS ")).split()
    assert {"dummy_arrivals", "dummy_factor", "dummy_heads_0"} <= set(readings)

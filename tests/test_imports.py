"""The rooms of the package, from the lowest to the highest: a module imports only from rooms before its own."""

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import penstock

PACKAGE = Path(penstock.__file__).parent

ALLOWED = {
    "_engine": set(),
    "core": {"_engine"},
    "importing": {"core"},
    "generating": {"core", "importing"},
    "topology": {"_engine", "core"},
    "studio": {"core"},
    "video": {"core"},
    "scheme": {"_engine"},
    "scheduler": {"core"},
    "execute": {"_engine", "core", "scheduler"},
    "statistics": set(),
    "analyse": {"core", "execute", "statistics"},
    "api": {"_engine", "core", "scheduler", "execute", "statistics", "analyse"},
    "gym": {"core", "api"},
    "truth": {"core", "statistics", "api"},
    "theory": {"core", "statistics", "api", "truth"},
    "verify": {"core", "execute", "statistics", "api", "truth"},
    "league": {"core", "scheduler", "topology", "execute", "statistics", "analyse", "api", "truth"},
    "plot": {"core", "statistics"},
    "studies": {"core", "scheduler", "execute", "statistics", "analyse", "truth", "verify", "plot"},
    "show": {
        *(
            "core",
            "execute",
            "statistics",
            "analyse",
            "api",
            "truth",
            "theory",
            "verify",
            "topology",
            "plot",
            "studies",
            "league",
        ),
    },
    "cli": {
        "core",
        "importing",
        "generating",
        "scheduler",
        "execute",
        "analyse",
        "api",
        "verify",
        "league",
        "plot",
        "studies",
        "show",
        "studio",
    },
    "__main__": {"cli"},
    "__init__": {"_engine", "core", "importing", "generating", "execute", "analyse", "api", "league", "show"},
}
"""The rooms that each room may import from. A public module beside the rooms, such as ``video``, is one of them."""

HEAVY = {"polars", "numpy", "scipy", "matplotlib", "rich", "multiprocessing", "concurrent"}
FILES = sorted(file for file in PACKAGE.rglob("*.py*") if file.suffix in {".py", ".pyi"})


def room_of(file: Path) -> str:
    return file.relative_to(PACKAGE).parts[0].split(".")[0]


def module_of(file: Path) -> str:
    parts = file.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(["penstock", *(parts[:-1] if parts[-1] == "__init__" else parts)])


MODULES = {module_of(file): file for file in FILES}


def imports_of(file: Path) -> set[str]:
    """Penstock's own modules that ``file`` imports, wherever in it the import stands."""
    package = ["penstock", *file.relative_to(PACKAGE).parts[:-1]]
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            origin = package[: len(package) + 1 - node.level] if node.level else []
            module = ".".join([*origin, *([node.module] if node.module else [])])
            names |= {one if (one := f"{module}.{alias.name}") in MODULES else module for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return {name for name in names if name.startswith("penstock.")}


def test_every_room_stands_above_those_it_imports_from() -> None:
    rooms = list(ALLOWED)
    for number, (room, below) in enumerate(ALLOWED.items()):
        assert below <= set(rooms[:number]), room


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_imports_go_one_way(file: Path) -> None:
    room = room_of(file)
    assert room in ALLOWED, f"{room} has no place in the order of rooms yet"
    assert {name.split(".")[1] for name in imports_of(file)} - {room} <= ALLOWED[room]


def test_no_modules_import_one_another_in_a_circle() -> None:
    tree = {module: imports_of(file) - {module} for module, file in MODULES.items() if module != "penstock"}
    assert list(TopologicalSorter(tree).static_order())  # raises CycleError for a circle


def test_no_module_reaches_up() -> None:
    """``__init__.py`` is above all rooms, and ``studies`` and ``truth`` import those in their own room."""
    reaching = {module for module, file in MODULES.items() if "import_module(" in file.read_text(encoding="utf-8")}
    assert reaching == {"penstock", "penstock.studies", "penstock.truth"}


def imported_after(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*sys.modules)"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


@pytest.mark.parametrize(
    "module", ["penstock", "penstock.cli", "penstock.core.scenario", "penstock.api.run", "penstock.execute.worker"]
)
def test_nothing_heavy_is_imported_before_it_is_used(module: str) -> None:
    assert not imported_after(f"import {module}") & HEAVY


def test_a_worker_imports_the_engine_and_little_more() -> None:
    ours = {name for name in imported_after("import penstock.execute.worker") if name.startswith("penstock")}
    above = {"penstock", "penstock.core", "penstock.core.face"}  # which gives the face what draws
    assert ours == {*above, "penstock._engine", "penstock.execute", "penstock.execute.worker"}

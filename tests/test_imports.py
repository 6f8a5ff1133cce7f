"""The order of the layers: a module imports only from those to its left (design: scenario -> run -> ... -> cli)."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import penstock

PACKAGE = Path(penstock.__file__).parent

ALLOWED = {
    "_engine": set(),
    "errors": set(),
    "worker": {"_engine"},
    "reading": set(),
    "scheduler": {"errors", "reading"},
    "executors": {"errors", "worker", "scheduler"},
    "spread": {"worker", "executors"},
    "scenario": {"_engine", "errors", "reading"},
    "video": {"scenario"},
    "run": {"_engine", "errors", "worker", "executors", "spread", "scenario"},
    "files": {"errors", "run"},
    "store": {"errors", "reading", "worker", "run", "files"},
    "experiment": {"errors", "reading", "worker", "executors", "spread", "scenario", "files", "store"},
    "results": {"errors", "reading", "store", "experiment"},
    "metric": {"errors", "scenario", "run", "results"},
    "statistics": set(),
    "estimates": {"statistics", "metric", "results"},
    "sweep": {
        "errors",
        "run",
        "executors",
        "scheduler",
        "scenario",
        "experiment",
        "results",
        "metric",
        "statistics",
        "estimates",
    },
    "comparison": {
        "errors",
        "run",
        "executors",
        "scheduler",
        "scenario",
        "experiment",
        "results",
        "metric",
        "statistics",
        "estimates",
    },
    "truth": {"scenario", "run", "statistics", "errors"},
    "progress": {"experiment"},
    "plot": {"errors", "statistics", "files"},
    "summary": {"progress", "run", "statistics", "truth"},
    "report": {"errors", "files", "plot"},
    "studies": {"errors", "executors", "scheduler", "scenario", "experiment", "results", "statistics", "truth", "plot"},
    "pages": {
        *(
            "errors",
            "experiment",
            "scenario",
            "files",
            "results",
            "metric",
            "statistics",
            "estimates",
            "sweep",
            "comparison",
            "plot",
            "summary",
        ),
        *("report", "studies"),
    },
    "cli": {
        *(
            "errors",
            "worker",
            "scheduler",
            "executors",
            "scenario",
            "run",
            "files",
            "experiment",
            "results",
            "metric",
            "sweep",
        ),
        *("comparison", "progress", "summary", "report", "studies", "pages", "plot"),
    },
    "__main__": {"cli"},
    "__init__": {"_engine", "errors", "scenario", "run", "results", "sweep", "comparison"},
}
"""The modules of Penstock that each module, or package of modules, may import."""

HEAVY = {"polars", "numpy", "scipy", "matplotlib", "rich", "multiprocessing", "concurrent"}
FILES = sorted(file for file in PACKAGE.rglob("*.py*") if file.suffix in {".py", ".pyi"})


def layer_of(file: Path) -> str:
    return file.relative_to(PACKAGE).parts[0].split(".")[0]


def imports_of(file: Path) -> set[str]:
    """Names of Penstock's own modules that ``file`` imports, wherever in it the import stands."""
    package = ["penstock", *file.relative_to(PACKAGE).parts[:-1]]
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            origin = package[: len(package) + 1 - node.level] if node.level else []
            module = ".".join([*origin, *([node.module] if node.module else [])])
            imported = [module] if "." in module else [f"{module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            imported = [alias.name for alias in node.names]
        else:
            continue
        names |= {name.split(".")[1] for name in imported if name.startswith("penstock.")}
    return names


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_imports_go_one_way(file: Path) -> None:
    layer = layer_of(file)
    assert layer in ALLOWED, f"{layer} has no place in the order of layers yet"
    assert imports_of(file) - {layer} <= ALLOWED[layer]


def imported_after(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*sys.modules)"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


@pytest.mark.parametrize("module", ["penstock", "penstock.cli", "penstock.scenario", "penstock.run", "penstock.worker"])
def test_nothing_heavy_is_imported_before_it_is_used(module: str) -> None:
    assert not imported_after(f"import {module}") & HEAVY


def test_a_worker_imports_the_engine_and_little_more() -> None:
    ours = {name for name in imported_after("import penstock.worker") if name.startswith("penstock")}
    assert ours == {
        "penstock",
        "penstock._engine",
        "penstock.errors",
        "penstock.executors",
        "penstock.spread",
        "penstock.run",
        "penstock.worker",
    }

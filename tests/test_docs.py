"""What the documentation names exists."""

import re
import shlex
from pathlib import Path

import pytest

from penstock.cli import COMMANDS

ROOT = Path(__file__).parents[1]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("docs/guides/*.md"), *ROOT.glob("docs/studies/*.md")]
FOLDERS = ("crates", "docs", "python", "tests", "tools")
NAMED = re.compile(r"[\w./-]*\w\.(?:py|rs|md|jinja)\b|\b(?:crates|docs|python|tests|tools)/[\w./-]*\w")
"""A file of source or documentation by its name or the end of its path, or a path from the root."""
TEXTS = {".md", ".py", ".rs", ".toml", ".ts", ".tsx", ".html", ".jinja", ".ipynb"}
ELSEWHERE = {"ns.py", "//pola.rs"}
"""A simulator, and an address."""


def test_every_module_of_truth_is_in_the_reference() -> None:
    page = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    modules = [path.stem for path in (ROOT / "python" / "penstock" / "truth").glob("[!_]*.py")]
    assert modules
    assert [name for name in modules if f".. automodule:: penstock.truth.{name}\n   :members:" not in page] == []


@pytest.fixture(scope="module")
def there() -> set[str]:
    """All files and folders that may be named, each by every end of its path: ``a/b.py`` and ``b.py``."""
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if "target" not in path.parts]
    paths = [path.relative_to(ROOT).parts for path in (*found, *ROOT.iterdir())]
    return {"/".join(parts[start:]) for parts in paths for start in range(len(parts))}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_file_that_the_documentation_names_exists(page: Path, there: set[str]) -> None:
    named = {match.removeprefix("./").replace("../", "") for match in NAMED.findall(page.read_text(encoding="utf-8"))}
    # `make docs` writes the pages of `reference/generated`. Only its own pages name these.
    made = page.name in {"index.md", "checks.md", "statistics.md"}
    missing = {name for name in named - there - ELSEWHERE if not (made and "reference/generated/" in name)}
    assert not missing, f"{page.name} names {', '.join(sorted(missing))}"


def test_nobody_is_told_to_install_the_other_project_of_the_same_name() -> None:
    wrong = re.compile(r"pip install (?:-\S+ )*['\"]?penstock(?![\w./-])|penstock\[(?:cluster|import|search|trace)")
    folders = ("docs", "python", "studio/src", "crates", "tools")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in TEXTS]
    found = [path for path in (*files, *ROOT.glob("*.md")) if wrong.search(" ".join(path.read_text("utf-8").split()))]
    assert not found, "on PyPI `penstock` is another project: ours is penstock-sim"


def test_readme_activates_the_environment_before_its_first_command() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    first, commands = text.splitlines()[:30], re.findall(r"^    penstock .*", text, flags=re.MULTILINE)
    assert "    make demo" in {line.partition("  #")[0].rstrip() for line in first}
    assert text.index("source .venv/bin/activate") < text.index(commands[0])


def test_readme_has_the_capacity_of_the_help() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    helped = next(command for command in COMMANDS if command.name == "capacity").examples[0]
    asked = next(line for line in text.splitlines() if line.startswith("    penstock capacity"))
    assert "".join(" ".join(shlex.split(asked)).split()) == "".join(" ".join(shlex.split(helped)).split())

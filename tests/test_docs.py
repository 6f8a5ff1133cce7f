"""What the documentation names exists."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock import _engine
from penstock.cli import COMMANDS
from penstock.studies.readings import OWN

ROOT = Path(__file__).parents[1]
PAGES = [*ROOT.glob("*.md"), *(page for page in ROOT.glob("docs/**/*.md") if "generated" not in page.parts)]
FOLDERS = ("crates", "docs", "python", "tests", "tools")
NAMED = re.compile(r"[\w./-]*\w\.(?:py|rs|md|jinja)\b|\b(?:crates|docs|python|tests|tools)/[\w./-]*\w")
"""A file of source or documentation by its name or the end of its path, or a path from the root."""
TEXTS = {".md", ".py", ".rs", ".toml", ".ts", ".tsx", ".html", ".jinja", ".ipynb"}
CITED = re.compile(r"docs/models/([\w-]+\.md)(?:#([\w-]+))?")
"""A page of a model, and a place in it."""
UNKNOWN = re.compile(r"\b(?:specs|papers)/[\w-]+\.(?:md|txt)")
"""Notes that are not part of the repository."""
MADE = {"docs/index.md", "docs/checks.md", "docs/validation.md", "docs/guides/statistics.md"}
"""Pages that name or include pages that are written when the documentation is built."""
FENCED = re.compile(r"^( *)(`{3,}).*?^\1\2 *$\n?", flags=re.MULTILINE | re.DOTALL)
RULE = re.compile(r"\|(?: *:?-+:? *\|)+")
"""The line below the headings of a table."""
ELSEWHERE = {"ns.py", "//pola.rs", "gentle.py", "fair.py", "half.py", "mine.py", "turns.py"}
"""A simulator, an address, and a file that the reader of a guide writes."""


def test_every_module_of_truth_is_in_the_reference() -> None:
    page = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    modules = [path.stem for path in (ROOT / "python" / "penstock" / "truth").glob("[!_]*.py")]
    assert modules
    assert [name for name in modules if f".. automodule:: penstock.truth.{name}\n   :members:" not in page] == []


@pytest.mark.parametrize("name", ["docs/checks.md", "docs/validation.md", "docs/guides/statistics.md"])
def test_before_a_table_that_make_docs_writes_stands_where_its_rows_are(name: str) -> None:
    """A reader of the clone does not see it."""
    parts = re.split(r"```\{include\} \S*/checked-(\w+)\.md\n", (ROOT / name).read_text(encoding="utf-8"))
    assert len(parts) > 1
    for before, kind in zip(parts[::2], parts[1::2], strict=False):
        assert f"`docs/results/{kind}.json` when `make docs` builds these pages:\n\n" in before[-120:]
        assert (ROOT / "docs" / "results" / f"{kind}.json").is_file()


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
    made = str(page.relative_to(ROOT)) in MADE
    missing = {name for name in named - there - ELSEWHERE if not (made and "reference/generated/" in name)}
    assert not missing, f"{page.name} names {', '.join(sorted(missing))}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_row_stands_in_a_table_of_as_many_columns(page: Path) -> None:
    """Others are shown as they are written, with their bars, or lose cells."""
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    for block in re.findall(r"(?:^\|.*\n?)+", text, flags=re.MULTILINE):
        rows = block.splitlines()
        assert RULE.fullmatch("".join(rows[1:2]).strip()), f"no table: {rows[0]}"
        counts = {row.replace(r"\|", "").count("|") for row in rows}
        assert len(counts) == 1, f"rows of other lengths: {rows[0]}"


def told_verdicts(page: str, known: set[str]) -> Iterator[tuple[str, str]]:
    """The claims of a study's page with their verdicts: in tables of readings, those of the study's own."""
    own: int | None = None
    for line in page.splitlines():
        name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        if not line.startswith("|"):
            own = None
        elif OWN in cells:
            own = cells.index(OWN)
        elif own is not None:
            yield name.strip("`"), cells[own].partition(",")[0]
        elif told := [cell for cell in cells if cell in known]:
            yield name.strip("`"), told[-1]


def test_the_pages_of_studies_have_the_stored_verdicts() -> None:
    stored = json.loads((ROOT / "docs" / "results" / "claims.json").read_text(encoding="utf-8"))["verdicts"]
    known = {verdict for verdicts in stored.values() for verdict in verdicts.values()} | {"too few replications"}
    seen, wrong = 0, []
    for study, verdicts in stored.items():
        of = verdicts | {claim.partition(".")[2]: verdict for claim, verdict in verdicts.items()}
        page = (ROOT / "docs" / "studies" / f"{study}.md").read_text(encoding="utf-8")
        told = [(claim, verdict) for claim, verdict in told_verdicts(page, known) if claim in of]
        seen += len(told)
        wrong += [f"{study}: {claim} is {of[claim]}, not {verdict}" for claim, verdict in told if verdict != of[claim]]
    assert not wrong, "\n".join(wrong)
    assert seen > 200


def test_the_glossary_has_each_word_once_in_order() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    words = [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("| ")][1:]
    each = [word.casefold() for entry in words for word in entry.split(", ")]
    assert len(each) == len(set(each))
    assert [entry.casefold() for entry in words] == sorted(entry.casefold() for entry in words)


def test_no_page_says_to_install_the_other_project_of_the_same_name() -> None:
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


def test_readme_has_the_counts_of_the_validation() -> None:
    first = (ROOT / "docs" / "validation.md").read_text(encoding="utf-8").splitlines()[2].split("**")[1]
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"**{first}** [Every row, the red ones too](docs/validation.md)." in text.splitlines()[:10]


def test_readme_has_the_ratios_of_its_own_table() -> None:
    """The table itself is compared with a run by the test of all blocks."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^  (\w+) +(?:★\s)?([\d.]+) +(?:★\s)?([\d.]+) +(?:★\s)?([\d.]+) ", text, flags=re.MULTILINE)
    carried, lost, late = ({name: float(each[place]) for name, *each in rows} for place in range(3))
    less, sooner, more = (
        carried["erica"] / carried["cubic"],
        late["cubic"] / late["erica"],
        lost["bbr"] / lost["cubic"],
    )
    told = f"ERICA carries {less:.2g} times as much as CUBIC, and its 99 % delay is {sooner:.2g} times shorter."
    told += f" BBR loses {more:.2g} times as much as CUBIC."
    assert told in " ".join(text.split())


def test_readme_has_the_capacity_of_the_help() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    helped = next(command for command in COMMANDS if command.name == "capacity").examples[0]
    asked = next(line for line in text.splitlines() if line.startswith("    penstock capacity"))
    assert "".join(" ".join(shlex.split(asked)).split()) == "".join(" ".join(shlex.split(helped)).split())


def places(page: Path) -> set[str]:
    """What a link into a page may name: its labels, and its headings as Sphinx writes them."""
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings} | set(
        re.findall(r"^\(([\w-]+)\)=$", text, flags=re.MULTILINE)
    )


def test_every_citation_of_a_model_leads_to_its_page() -> None:
    models = {page.name: places(page) for page in (ROOT / "docs" / "models").glob("*.md")}
    folders = ("crates", "python", "studio/src", "tests", "tools")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in TEXTS]
    cited, wrong = 0, []
    for path in (*(path for path in files if not {"node_modules", "target"} & set(path.parts)), *PAGES):
        text = path.read_text(encoding="utf-8")
        for page, place in CITED.findall(text):
            cited += 1
            if page not in models or (place and place not in models[page]):
                wrong.append(f"{path.relative_to(ROOT)}: {page}#{place}")
        wrong += [f"{path.relative_to(ROOT)}: {name}" for name in UNKNOWN.findall(text)]
    assert not wrong, "\n".join(wrong)
    assert cited >= 60


MODELLED = (
    "CongestionPoint",
    "NotificationPoint",
    "ReactionPoint",
    "Traffic",
    "Queue",
    "Policer",
    "Transport",
    "Network",
)
"""Definitions of the schema that begin so are models, or parts of one."""


def test_every_model_and_each_of_its_parameters_is_on_a_page() -> None:
    pages = {page.name: page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "models").glob("*.md")}
    definitions = json.loads(_engine.schema())["$defs"]
    keys = {name: set(definition.get("properties", {})) for name, definition in definitions.items()}
    words = {
        name: {word for one in definition.get("oneOf", []) for word in one.get("properties", {})}
        for name, definition in definitions.items()
    }
    models = [name for name in keys if name.startswith(MODELLED) and name != "NetworkTraffic"]
    wanted = {key for name in models for key in keys[name] | words[name]}
    named = {
        word for text in pages.values() for code in re.findall(r"`([^`]+)`", text) for word in re.findall(r"\w+", code)
    }
    assert len(wanted) > 150
    assert wanted <= named, f"no page has {', '.join(sorted(wanted - named))}"
    known = set().union(*keys.values(), *words.values())
    for page, text in pages.items():
        for table in re.findall(r"^\| parameter .*\n\|[-|]+\n((?:\|.*\n)+)", text, flags=re.MULTILINE):
            codes = [code for row in table.splitlines() for code in re.findall(r"`([^`]+)`", row.split("|")[1])]
            unknown = {code for code in codes if not set(code.strip(".").split(".")) <= known}
            assert codes, page
            assert not unknown, f"{page} has a parameter {', '.join(sorted(unknown))}"

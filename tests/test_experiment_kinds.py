"""A new kind of experiment touches five files: its module, its output, the list of outputs, its command, its name.

The test adds a dummy to a copy of the package. The copy runs it, resumes it, and shows its page and its card.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import penstock
from penstock.show.kinds import OUTPUTS

PACKAGE = Path(penstock.__file__).parent
DUMMY = Path(__file__).parent / "dummies" / "experiment"
COMMAND = '''
def dummy(options: argparse.Namespace) -> int:
    """``penstock dummy``: run a scenario twice."""
    from penstock import dummy as carry_out

    out = out_of(options, "dummy")
    own = {"jobs": jobs(options), "cluster": cluster(options), "resume": options.resume}
    return carry_out_with(
        options, out, lambda tell: carry_out(options.scenario, out, tell=tell, **own), lambda results: print(results)
    )


def _add_dummy(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scenario")
    add_where(parser, "out/dummy")
    add_open(parser)


COMMANDS = (
    Command("dummy", dummy, "run a scenario twice", ("penstock dummy satellite/1-case-1",), _add_dummy),
'''
INSERTED = {
    "show/kinds.py": {
        "import capacity, comparison, ": "dummy, ",
        "        capacity.OUTPUT,\n": "        dummy.OUTPUT,\n",
    },
    "cli/experiments.py": {"\nCOMMANDS = (\n": COMMAND},
    "__init__.py": {'    "api.capacity": ["capacity"],\n': '    "api.dummy": ["dummy"],\n'},
}
"""What is inserted behind a text of each file that a new kind changes; the commands take the place of theirs."""
ADDED = {"api/dummy.py": DUMMY / "api.py.txt", "show/dummy.py": DUMMY / "show.py.txt"}
SCRIPT = """
import sys
from penstock.cli import main

for words in (["dummy", sys.argv[1]], ["dummy", sys.argv[1], "--resume"], ["report", "out/dummy"]):
    assert main([*words, "--quiet"] if words[0] == "dummy" else words) == 0

from penstock import Results, dummy

print(dummy.__module__, Results("out/dummy")._repr_html_())
"""


def copy_with_dummy(root: Path) -> Path:
    """The package with a dummy, in `root`: links to all files but those that the dummy changes."""
    for folder, _, names in os.walk(PACKAGE):
        place = root / "penstock" / Path(folder).relative_to(PACKAGE)
        place.mkdir(parents=True)
        for name in names:
            (place / name).symlink_to(Path(folder) / name)
    for name, inserted in INSERTED.items():
        text = (PACKAGE / name).read_text(encoding="utf-8")
        for before, new in inserted.items():
            assert text.count(before) == 1, (name, before)
            text = text.replace(before, new if before in new else before + new)
        (root / "penstock" / name).unlink()
        (root / "penstock" / name).write_text(text, encoding="utf-8")
    for name, file in ADDED.items():
        (root / "penstock" / name).write_bytes(file.read_bytes())
    return root


@pytest.mark.long
def test_a_dummy_is_run_and_shown_after_changes_of_five_files(tmp_path: Path, small_file: Path) -> None:
    assert len(INSERTED) + len(ADDED) <= 5
    environment = {**os.environ, "PYTHONPATH": str(copy_with_dummy(tmp_path / "copy")), "PYTHONDONTWRITEBYTECODE": "1"}

    command = [sys.executable, "-c", SCRIPT, str(small_file)]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    ran, resumed, report, card = done.stdout.split("\n", 3)
    assert ran == resumed
    assert "Results of the dummy 'dummy'" in ran
    assert "2 of 2 runs" in ran
    page = Path(tmp_path / report).read_text(encoding="utf-8")
    assert card.startswith("penstock.api.dummy ")
    assert all("Runs of a dummy" in shown for shown in (page, card))


def test_every_kind_has_its_output() -> None:
    texts = [file.read_text(encoding="utf-8") for file in PACKAGE.rglob("*.py")]
    kinds = [name for text in texts for name in re.findall(r'^KIND = ExperimentKind\(\s*"(\w+)"', text, re.MULTILINE)]
    assert sorted(kinds) == sorted(OUTPUTS)
    assert len(kinds) == 6

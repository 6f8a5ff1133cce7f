"""A copy of the engine, beside the tree, in which a tool or a test may change what it likes."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = Path("crates/engine/src")
# The engine, and what its tests read beside it.
FOLDERS = (Path("crates/engine"), Path("python/penstock/scenarios"))
MEMBERS = re.compile(r"^members = \[.*\]$", re.MULTILINE)


def files() -> dict[Path, bytes]:
    """The files of the engine by their paths in the tree, and a workspace that has no other package."""
    found = {
        path.relative_to(ROOT): path.read_bytes()
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*")
        if path.is_file()
    }
    workspace, count = MEMBERS.subn('members = ["crates/engine"]', (ROOT / "Cargo.toml").read_text())
    assert count == 1, "Cargo.toml has no list of members in one line"
    found[Path("Cargo.toml")] = workspace.encode()
    found[Path("Cargo.lock")] = (ROOT / "Cargo.lock").read_bytes()
    return found


def write(files: dict[Path, bytes], tree: Path) -> None:
    """Writes the files that have changed, and removes the others, so that cargo builds no more than it must."""
    if tree.exists():
        for path in list(tree.rglob("*")):
            if path.is_file() and path.relative_to(tree) not in files:
                path.unlink()
    for name, contents in files.items():
        path = tree / name
        if not path.exists() or path.read_bytes() != contents:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(contents)

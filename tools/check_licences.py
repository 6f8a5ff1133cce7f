"""Checks the licences of the packages that Penstock needs at run time against the list `allow` in deny.toml.

cargo-deny checks the crates against the same list. A package tells its licence as an SPDX expression, or by one of the
names that were usual before. A name that may mean several licences needs all of them in the list.
"""

import sys
import tomllib
from email.message import Message
from typing import cast

from boolean import Expression
from license_expression import ExpressionError, get_spdx_licensing
from shipped import ROOT, shipped

SPDX = get_spdx_licensing()
NAMES = {
    "Apache Software License": "Apache-2.0",
    "BSD": "BSD-2-Clause AND BSD-3-Clause",
    "BSD License": "BSD-2-Clause AND BSD-3-Clause",
    "MIT License": "MIT",
    "Python Software Foundation License": "PSF-2.0",
}


def main() -> None:
    """Names each package whose licence is not in the list, and fails if there is one."""
    allowed = set(tomllib.loads((ROOT / "deny.toml").read_text(encoding="utf-8"))["licenses"]["allow"])
    packages = shipped()
    refused = 0
    for package in packages:
        licence = told(cast("Message", package.metadata))
        if not permitted(licence, allowed):
            refused += 1
            print(f"{package.name} {package.version}: deny.toml does not allow its licence, {licence!r}")
    if refused:
        sys.exit(1)
    print(f"licences of {len(packages)} packages ok")


def told(metadata: Message) -> str:
    """The licence of a package, as an SPDX expression where it is known to be one."""
    for field in ("License-Expression", "License"):
        words = (metadata[field] or "").strip()
        if words in NAMES or is_expression(words):
            return NAMES.get(words, words)
    classifiers = [value for value in metadata.get_all("Classifier", []) if value.startswith("License ::")]
    names = [value.rpartition(" :: ")[2] for value in classifiers]
    return " AND ".join(NAMES.get(name, name) for name in names) or "none told"


def is_expression(words: str) -> bool:
    """Whether these are SPDX's words, and not a name or the text of a licence."""
    try:
        return SPDX.parse(words, validate=True, strict=True) is not None
    except ExpressionError:
        return False


def permitted(licence: str, allowed: set[str]) -> bool:
    """Whether the list has what the expression asks for."""

    def holds(part: Expression) -> bool:
        if isinstance(part, SPDX.AND):
            return all(map(holds, part.args))
        if isinstance(part, SPDX.OR):
            return any(map(holds, part.args))
        return str(part) in allowed

    return is_expression(licence) and holds(SPDX.parse(licence))


if __name__ == "__main__":
    main()

"""What the tools that check dependencies share: the packages that Penstock needs at run time, as they are installed."""

from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent


def shipped() -> list[Distribution]:
    """What Penstock needs with all its extras, and what that needs in turn; without Penstock, by name."""
    penstock = distribution("penstock-sim")
    found: dict[str, Distribution] = {}
    known: set[tuple[str, str]] = set()
    waiting = list(needed(penstock, {"", *penstock.metadata.get_all("Provides-Extra", [])}))
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        found.setdefault(name, distribution(name))
        extras = {extra for extra in {"", *requirement.extras} if (name, extra) not in known}
        known.update((name, extra) for extra in extras)
        waiting += needed(found[name], extras)
    return [found[name] for name in sorted(found)]


def needed(package: Distribution, extras: set[str]) -> Iterator[Requirement]:
    """The requirements of a package that hold here with one of the extras; the empty one is no extra."""
    for requirement in map(Requirement, package.requires or []):
        if requirement.marker is None or any(requirement.marker.evaluate({"extra": extra}) for extra in extras):
            yield requirement

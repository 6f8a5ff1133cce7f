"""What XML has beside the elements and attributes that a reader knows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from penstock.core.errors import InputError
from penstock.importing.names import plain, some_of


@dataclass(frozen=True, slots=True)
class Form:
    """The elements that a reader knows.

    Attributes:
        parts: each element that may have others in it, with those.
        several: the elements that may be there several times in another one.
        attributes: of elements their attributes; an element that is in neither table is not looked into.
        silent: how the names of attributes begin that say nothing of a network.
    """

    parts: Mapping[str, Collection[str]]
    several: Collection[str]
    attributes: Mapping[str, Collection[str]]
    silent: tuple[str, ...] = ()


def tag_of(part: Element) -> str:
    """The name of an element without its name space."""
    return part.tag.rpartition("}")[2]


def not_read(root: Element, kind: str, form: Form, twice: Callable[[Element, str], InputError]) -> list[str]:
    """The note of what is in `root`, an element of this kind, and is not read.

    Raises what `twice` makes of an element and the name of another one that is there twice in it.
    """
    unknown: dict[str, int] = {}
    waiting = [(root, kind)]
    while waiting:
        part, kind = waiting.pop()
        known = form.attributes.get(kind, ())
        others = (name for name in part.attrib if name not in known and not name.startswith(("{", *form.silent)))
        unknown |= dict.fromkeys((f"{kind}.{plain(name)}" for name in others), 0)
        if kind not in form.parts:
            continue
        names = [tag_of(child) for child in part]
        if any(text and text.strip() for text in (part.text, *(child.tail for child in part))):
            unknown[f"text in {kind}"] = 0
        for child, name in zip(part, names, strict=True):
            if name not in form.parts[kind]:
                unknown[f"{kind}/{plain(name)}"] = 0
            elif name not in form.several and names.count(name) > 1:
                raise twice(part, name)
            elif name in form.parts or name in form.attributes:
                waiting.append((child, name))
    return [f"network: XML that is not used: {some_of(sorted(unknown))}"] if unknown else []

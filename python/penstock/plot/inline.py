"""Drawings as parts of a page of HTML: no common ids, no repetition, nothing from outside.

A page may have sixty figures, so the output of matplotlib is made smaller without a visible difference: coordinates to
a hundredth of a point, no comments, no empty groups, and the outlines of letters and markers, which all figures share,
once for the page.

The page sets the colours: `var(--c-0072b2)` is #0072b2 in the file, and `style.DARK` has its colour on a dark page. The
script of the page finds the values of a panel in the attribute `data-panel` of a group of the class `panel`
(:mod:`penstock.plot.values`), and its ticks in groups of the class `tick`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from penstock.plot.layout import CAPTION, TITLE, Drawing, drawing, frame_of
from penstock.plot.light import OUTLINES, Light
from penstock.plot.sheet import Sheet
from penstock.plot.style import DARK
from penstock.plot.values import PANEL, POINTS, Values

SVG = "http://www.w3.org/2000/svg"
REFERENCE = re.compile(r"url\(#([^)]+)\)")
BACKGROUND = "patch_1"
"""Id of the figure's own background in the SVG of matplotlib."""
NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
STEP = re.compile(r"([A-Za-z])([^A-Za-z]*)")
SHIFT = re.compile(r"translate\([^)]*\)")
COLOUR = re.compile("|".join(DARK))
TICK = re.compile(r"[xy]tick_\d+")
ASIDE = re.compile(r"translate\((\S+) 0\)")


def inline(sheets: Iterable[Sheet], prefix: str = "") -> tuple[str, list[str]]:
    """Sheets as <svg> elements for one page, without titles and captions, which the page has as text.

    Returns their shared outlines, for the page once and before them, and one element for each sheet (two for a
    light one with a legend). Their ids have a dot in them, so a page may use all others; they begin
    with the `prefix`, as several pages in one need it.
    """
    page = Page(prefix)
    drawings = [
        (page.add_light if sheet.light else page.add)(sheet, f"{prefix}f{number}.")
        for number, sheet in enumerate(sheets, start=1)
    ]
    shared = "".join(f'<path id="{name}"{rest}/>' for rest, name in page.shared.items())
    return f'<svg xmlns="{SVG}" width="0" height="0" aria-hidden="true"><defs>{shared}</defs></svg>', drawings


@dataclass(slots=True)
class Page:
    """The shared outlines of the drawings of a page, each with its id."""

    prefix: str = ""
    shared: dict[str, str] = field(default_factory=dict)

    def add(self, sheet: Sheet, prefix: str) -> str:
        """One sheet as an <svg> element, whose own ids have a prefix."""
        made: Drawing = drawing(sheet)
        root = ElementTree.fromstring(made.svg)  # noqa: S314 - we wrote it
        crop(root, sheet)
        for element in root.iter():
            tidy(element)
        mark(root, made.panels)
        names = self.share(root)
        used = set(references(root))
        for number, element in enumerate(each for each in root.iter() if each.get("id") in used - set(names)):
            names[element.attrib["id"]] = f"{prefix}{number}"
        rename(root, names)
        flatten(root)
        width = root.attrib["width"]
        for key in ("width", "height", "version"):
            root.attrib.pop(key, None)
        root.attrib.update(xmlns=SVG, role="img", style=f"width:{width}")
        root.set("aria-label", sheet.title)
        return ElementTree.tostring(root, encoding="unicode").replace(" />", "/>")

    def add_light(self, sheet: Sheet, prefix: str) -> str:
        """One sheet that needs no matplotlib, as an element."""
        outlines = {
            name: self.shared.setdefault(f' d="{path}"', f"{self.prefix}s.{len(self.shared)}")
            for name, path in OUTLINES.items()
        }
        return Light(outlines).drawing(sheet, prefix)

    def share(self, root: Element) -> dict[str, str]:
        """Removes outlines from a drawing; returns their new ids by their old ones."""
        names, styles = {}, {}
        used = set(references(root))
        for defs in [element for element in root.iter() if element.tag == "defs"]:
            for path in [element for element in defs if element.tag == "path" and "id" in element.attrib]:
                defs.remove(path)
                if path.attrib["id"] in used:
                    text = "".join(f' {key}="{value}"' for key, value in path.items() if key != "id")
                    names[path.attrib["id"]] = self.shared.setdefault(text, f"{self.prefix}s.{len(self.shared)}")
                    styles[f"#{path.attrib['id']}"] = path.get("style")
        for use in (element for element in root.iter() if element.tag == "use"):
            if "style" in use.attrib and use.get("style") == styles.get(use.get("href", "")):
                del use.attrib["style"]
        return names


def crop(root: Element, sheet: Sheet) -> None:
    """Removes title and caption from a drawing, and their space; outlines of their letters stay for others."""
    frame = frame_of(sheet)
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    kept = height - POINTS * (frame.above + frame.below)
    root.set("viewBox", f"0 {short(str(POINTS * frame.above))} {width:g} {short(str(kept))}")
    for parent in list(root.iter()):
        for child in [child for child in parent if child.get("id") in (TITLE, CAPTION)]:
            parent[list(parent).index(child)] = outlines = Element("g")
            outlines.extend(each for each in child.iter() if each.tag.endswith("defs"))


def tidy(element: Element) -> None:
    """Short numbers, short styles, no name spaces and no white space."""
    element.tag = element.tag.rpartition("}")[2]
    element.text = element.tail = None
    attributes = {key.rpartition("}")[2]: value for key, value in element.items()}
    if "fill" in attributes:  # of a hatched ground; only a style may have a variable
        attributes["style"] = f"fill:{attributes.pop('fill')}"
    for key, value in attributes.items():
        if key == "d":
            attributes[key] = short_path(value)
        elif key in ("x", "y", "width", "height"):
            attributes[key] = short(value)
        elif key == "transform":
            attributes[key] = SHIFT.sub(lambda match: short(match[0]), value)
        elif key == "style":
            compact = value.replace(": ", ":").replace("; ", ";")
            attributes[key] = COLOUR.sub(lambda match: f"var(--c-{match[0][1:]})", compact)
    if element.tag == "use" and (aside := ASIDE.fullmatch(attributes.get("transform", ""))):
        del attributes["transform"]
        attributes["x"] = aside[1]
    element.attrib.clear()
    element.attrib.update(attributes)


def mark(root: Element, panels: Sequence[Values]) -> None:
    """Marks panels and ticks for the script of the page; removes the white background."""
    for parent in list(root.iter()):
        for child in list(parent):
            name = child.get("id", "")
            if name == BACKGROUND:
                parent.remove(child)
            elif found := PANEL.fullmatch(name):
                values = json.dumps(panels[int(found[1])], ensure_ascii=False, separators=(",", ":"))
                child.attrib.update({"class": "panel", "data-panel": values})
                child.remove(child[0])  # the white ground of the axes
            elif TICK.fullmatch(name):
                child.set("class", "tick")


def short(text: str) -> str:
    """Numbers of a text to a hundredth."""
    return NUMBER.sub(lambda match: f"{float(match[0]):.2f}".rstrip("0").rstrip("."), text)


def short_path(data: str) -> str:
    """The data of a path with short numbers and without repeated commands."""
    parts, last = [], ""
    for command, numbers in STEP.findall(short(data)):
        told = " ".join(numbers.split())
        parts.append(f" {told}" if command == last and command in "LQC" else f"{command}{told}")
        last = command
    return "".join(parts)


def references(root: Element) -> Iterable[str]:
    """The ids that a drawing refers to."""
    for element in root.iter():
        for key, value in element.items():
            if key == "href" and value.startswith("#"):
                yield value[1:]
            yield from REFERENCE.findall(value)


def rename(root: Element, names: dict[str, str]) -> None:
    """Gives ids their new names everywhere; removes ids that nothing refers to."""
    for element in root.iter():
        for key, value in list(element.items()):
            if key == "id":
                element.attrib.pop(key)
                if value in names:
                    element.set(key, names[value])
            elif key == "href" and value.startswith("#"):
                element.set(key, f"#{names[value[1:]]}")
            elif "url(#" in value:
                element.set(key, REFERENCE.sub(lambda match: f"url(#{names[match[1]]})", value))


def flatten(parent: Element) -> None:
    """Removes metadata, style sheets, empty definitions and groups without attributes."""
    kept: list[Element] = []
    for child in parent:
        if child.tag in ("metadata", "style"):
            continue
        flatten(child)
        if child.tag == "g" and not child.attrib:
            kept += list(child)
        elif child.tag not in ("g", "defs") or len(child):
            kept.append(child)
    parent[:] = kept

"""The XML format of SNDlib: a network, or a matrix of demands for one.

    <network xmlns="http://sndlib.zib.de/network">
      <meta> <unit>MBITPERSEC</unit> </meta>
      <networkStructure>
        <nodes coordinatesType="geographical"> <node id="A"> <coordinates> <x>1</x> <y>50</y> </coordinates> </node> ...
        <links> <link id="L1"> <source>A</source> <target>B</target>
          <preInstalledModule> <capacity>1</capacity> ... <additionalModules> <addModule> <capacity>2</capacity> ...
      <demands> <demand id="D1"> <source>A</source> <target>B</target> <demandValue>5</demandValue> ...

Coordinates of the type `pixel` are no places on the earth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from penstock.core.counts import counted
from penstock.core.errors import InputError
from penstock.core.quantities import finite
from penstock.importing.graph import Attributes, Demand, Edge, Graph
from penstock.importing.library import parsed_xml, reading
from penstock.importing.sndlib import REMEDY, UNLIMITED, graph_of, limits_note, link_attributes, times, units_note
from penstock.importing.xml_parts import Form, not_read, tag_of

ON_EARTH = "geographical"
"""The type of coordinates that are longitudes and latitudes."""
SPACE = "http://sndlib.zib.de/network"
FORM = Form(
    {
        "network": ("meta", "networkStructure", "demands"),
        "networkStructure": ("nodes", "links"),
        "nodes": ("node",),
        "node": ("coordinates",),
        "coordinates": ("x", "y"),
        "links": ("link",),
        "link": ("source", "target", "preInstalledModule", "routingCost", "setupCost", "additionalModules"),
        "preInstalledModule": ("capacity", "cost"),
        "additionalModules": ("addModule",),
        "addModule": ("capacity", "cost"),
        "demands": ("demand",),
        "demand": ("source", "target", "routingUnit", "demandValue", "maxPathLength", "admissiblePaths"),
    },
    several=("node", "link", "demand", "addModule"),
    attributes={"network": ("version",), "nodes": ("coordinatesType",)}
    | dict.fromkeys(("node", "link", "demand"), ("id",)),
)
"""The elements and attributes that are read. Those of the whole structure are read as what is in `meta`."""


def is_xml(text: str) -> bool:
    """Whether a file has this format."""
    return text.lstrip().startswith("<") and SPACE in text[:2000]


def read(text: str, file: str) -> Graph:
    """The network of a file. Raises :class:`InputError` if it has another form."""
    with reading("SNDlib's XML", file):
        root = parsed_xml(text.lstrip())
    notes = not_read(root, "network", FORM, lambda part, name: _twice(part, name, file))
    nodes = dict(_nodes(root, file))
    links = _once(root, "networkStructure/{*}links/{*}link", file)
    edges = [Edge(*_ends(link, nodes, file), _attributes(link, file)) for link in links]
    demands, multiplied = [], 0
    for each in _once(root, "demands/{*}demand", file):
        unit = _number(each, "routingUnit", file, 1.0)
        multiplied += unit != 1
        demands.append(Demand(*_ends(each, nodes, file), times(unit, _value(each, file)), 0))
    notes = [*notes, *_notes(root), *units_note(multiplied)]
    return graph_of(file, nodes, edges, demands, _about(root, file), notes)


def _about(root: Element, file: str) -> dict[str, str]:
    """What the file says of itself. Raises :class:`InputError` if it says something twice."""
    said = [(tag_of(child), (child.text or "").strip()) for child in root.iterfind("{*}meta/*")]
    said += [each for part in root.iterfind("{*}networkStructure") for each in part.attrib.items()]
    about: dict[str, str] = {}
    for name, value in said:
        if name.lower() in about:
            raise _refused(name, "", "it is there twice", file, "delete one of the two")
        about[name.lower()] = value
    return about


def _once(root: Element, path: str, file: str) -> list[Element]:
    """All parts at a place, each with its own id, or without one."""
    found = root.findall(f"{{*}}{path}")
    counts = Counter(part.get("id") for part in found)
    for name, count in counts.items():
        if name and count > 1:
            kind = path.rpartition("}")[2]
            raise _refused(kind, name, f"there are two {kind}s with this id", file, f"give each {kind} its own id")
    return found


def _notes(root: Element) -> Iterator[str]:
    """What the file says, and no scenario has."""
    if any(nodes.get("coordinatesType", ON_EARTH) != ON_EARTH for nodes in root.iterfind(".//{*}nodes")):
        yield "node: coordinates that are no places on the earth, not used"
    limits = [(part.text or "").strip() for part in root.iterfind(".//{*}demand/{*}maxPathLength")]
    yield from limits_note(sum(limit != UNLIMITED for limit in limits))
    if paths := len(root.findall(".//{*}admissiblePaths")):
        yield f"demands: admissible paths, not used: those of {counted(paths, 'demand')}"


def _nodes(root: Element, file: str) -> Iterator[tuple[str, Attributes]]:
    """The nodes with their places on the earth."""
    seen: set[str] = set()
    for nodes in root.iterfind("{*}networkStructure/{*}nodes"):
        on_earth = nodes.get("coordinatesType", ON_EARTH) == ON_EARTH
        for node in nodes.iterfind("{*}node"):
            name = node.get("id", "")
            if not name or name in seen:
                raise _refused("node", name, "there are two such nodes" if name else "a node has no id", file)
            seen.add(name)
            place = node.find("{*}coordinates")
            if on_earth and place is not None:
                yield name, {"longitude": _number(place, "x", file), "latitude": _number(place, "y", file)}
            else:
                yield name, {}


def _ends(part: Element, nodes: dict[str, Attributes], file: str) -> tuple[str, str]:
    """The two nodes of a link or a demand."""
    source, target = ((part.findtext(f"{{*}}{end}") or "").strip() for end in ("source", "target"))
    for name in (source, target):
        if name not in nodes:
            reason = f"there is no node {name}" if name else "it has no source and target"
            raise _refused(tag_of(part), part.get("id", ""), reason, file)
    return source, target


def _attributes(link: Element, file: str) -> Attributes:
    """What is installed, the costs, and the modules."""
    installed = link.find("{*}preInstalledModule")
    values = [0.0 if installed is None else _number(installed, name, file, 0.0) for name in ("capacity", "cost")]
    values += [_number(link, name, file, 0.0) for name in ("routingCost", "setupCost")]
    modules = link.iterfind("{*}additionalModules/{*}addModule")
    of_modules = [_number(part, name, file, 0.0) for part in modules for name in ("capacity", "cost")]
    return link_attributes(values, of_modules)


def _value(demand: Element, file: str) -> float:
    return _number(demand, "demandValue", file)


def _number(part: Element, name: str, file: str, default: float | None = None) -> float:
    """The number in a part; `default` if the part has none."""
    text = part.findtext(f"{{*}}{name}")
    if text is None and default is not None:
        return default
    try:
        return finite(text or "")
    except ValueError:
        reason = f"{name} is {text.strip()}, which is no finite number" if text else f"there is no {name}"
        raise _refused(tag_of(part), part.get("id", ""), reason, file) from None


def _twice(part: Element, name: str, file: str) -> InputError:
    return _refused(tag_of(part), part.get("id", ""), f"{name} is there twice", file, "delete one of the two")


def _refused(part: str, name: str, reason: str, file: str, remedy: str = REMEDY) -> InputError:
    return InputError(reason, path=f"{part} {name}".strip(), file=file, remedy=remedy)

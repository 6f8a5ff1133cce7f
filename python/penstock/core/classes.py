"""Parts of control schemes that are classes in Python: what their files say, and their instances.

Reading a scenario reads the text of such a file, and runs nothing of it. Only a run with the user's consent does.
"""

from __future__ import annotations

import ast
import copyreg
import hashlib
import json
import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from penstock import _engine
from penstock.core.class_arguments import arguments
from penstock.core.errors import InputError, did_you_mean, near_or_listed
from penstock.core.texts import PROGRAM, read_file_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

NAMES = ("file", "class")
"""The keys of the table of a class that must be there."""
REQUIRES = "requires"
"""The attribute with the names of the packages that it needs."""
SIZE = "size"
"""The attribute, or the parameter, with the PDUs that a queue can hold."""
READINGS = "readings"
"""The attribute with the names of the attributes that a time series shows."""
UNITS = ("count", "rate", "share", "ratio", "pdus", "bits", "seconds")
"""The units of readings. Those without one are counts."""
CHANGED = "on_change"
"""The method that is told of changes of parameters."""
SENDS_AND_HEARS = ("sends", "hears")
"""The attributes with the names of the feedback that a part sends, and hears."""
SIGNALS = (
    *(
        "notices",
        "graded_notices",
        "efci",
        "forward_rm_cells",
        "backward_rm_cells",
        "explicit_rates",
        "ci",
        "ce",
        "ecn",
    ),
    "acknowledgements",
)
"""These names; a test compares them with the engine's."""
FLAGGED = {"telemetry": "writes_telemetry", "error_reports": "makes_error_reports"}
"""Feedback that a congestion point sends because of a flag."""


@dataclass(frozen=True)
class Role:
    """A place for a class in a scenario.

    Attributes:
        methods: those that the engine calls, where a class has them.
        flags: attributes that ask for something, if they are true.
        names: attributes with a tuple of names.
        values: attributes with a text or a number.
        needs: methods that are called only with this flag.
        alone: flags that are of use without a method that needs them.
        answering: flags that ask for one of some methods, whose answers they are about.
        optional: methods that are called only with a flag, and need not be there.
    """

    methods: tuple[str, ...]
    flags: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    needs: Mapping[str, str] = field(default_factory=dict)
    alone: tuple[str, ...] = ()
    answering: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    optional: tuple[str, ...] = ()


CONTROLLER = Role(
    ("begin", "on_ack", "on_congestion", "on_lost", "on_telemetry", "on_idle", CHANGED),
    ("paces", "heeds_delay", "samples_rate", "repairs_alone", "is_l4s", "reads_telemetry", "begins_at_line"),
    needs={"on_lost": "samples_rate", "on_telemetry": "reads_telemetry"},
    alone=("samples_rate",),
)
"""The controller of a byte stream."""
ROLES: Mapping[str, Role] = {
    "congestion_point": Role(
        ("begin", "on_arrival", "on_discard", "on_departure", "on_service", "on_backward", "on_rate", CHANGED),
        (
            *("wants_departures", "wants_backward", "writes_telemetry", "counts_bits"),
            *("makes_rm_cells", "makes_error_reports", "controls_last_queue"),
        ),
        SENDS_AND_HEARS,
        needs={
            "on_departure": "wants_departures",
            "on_service": "writes_telemetry",
            "on_backward": "wants_backward",
        },
        alone=("writes_telemetry",),
        answering=dict.fromkeys(("makes_rm_cells", "makes_error_reports"), ("on_arrival", "on_discard")),
    ),
    "notification_point": Role(("begin", "on_pdu", CHANGED), (), SENDS_AND_HEARS, ("answers_wait", "least_octets")),
    "reaction_point": Role(
        ("begin", "on_feedback", "on_send", "on_time", "choose", "on_session_begin", "on_session_end", CHANGED),
        ("scales",),
        SENDS_AND_HEARS,
        needs={"on_session_begin": "scales", "on_session_end": "scales"},
        alone=("scales",),
    ),
    "queue": Role(
        ("begin", "on_arrival", "on_head", "on_rate", "list_of", "next_list", "make_room", CHANGED),
        ("decides_at_head", "keeps_lists"),
        ("sends",),
        needs={"on_head": "decides_at_head", **dict.fromkeys(("list_of", "next_list", "make_room"), "keeps_lists")},
        optional=("make_room",),
    ),
    "controller": CONTROLLER,
    "scheme": CONTROLLER,
}
"""The places for classes, by the key before `python`."""
GIVEN = (
    *(_engine.Stream, _engine.Ack, _engine.Congestion, _engine.Lost, _engine.Telemetry, _engine.Hop, _engine.Idle),
    *(_engine.Port, _engine.PortQueue, _engine.Pdu, _engine.Answer, _engine.Moment, _engine.Receiver, _engine.Sender),
    *(_engine.Waiting, _engine.Line, _engine.Arrival, _engine.Head, _engine.Lists),
)
"""What methods are given, and may keep. Copies of an instance share it: nothing changes it after the call."""
for _kind in GIVEN:
    copyreg.pickle(_kind, repr)  # for copies, a function that returns a text says that the object is its own copy
ACCIDENTAL = {
    "random": "its numbers are not those of the run; use `random()` of what `begin` is given",
    "secrets": "its numbers are not those of the run; use `random()` of what `begin` is given",
    "time": "its time is not that of the simulation; use `now` of what a method is given",
}
"""Modules whose answers differ from run to run."""


def completed(table: str, path: str, scenario: str) -> str:
    """The table of a class, as JSON, with the text of its file, what it asks for, and the releases that it runs with.

    The file is in the folder of the file ``scenario``; a table that has the text keeps it. Raises :class:`InputError`.
    """
    told: dict[str, Any] = {"parameters": {}, **json.loads(table)}
    file, name = told["file"], told["class"]
    source = told.get("source") or read_file_of(Path(scenario).parent / file, PROGRAM)
    described = _described(source, file, path)
    found = next((node for node in described.body if isinstance(node, ast.ClassDef) and node.name == name), None)
    if found is None:
        known = [node.name for node in described.body if isinstance(node, ast.ClassDef)]
        remedy = did_you_mean(name, known) or (f"there is {', '.join(known)}" if known else "write one")
        raise InputError(f"there is no such class in {file}", path=f"{path}.class", value=name, remedy=remedy)
    role = _role(path)
    family = list(_family(described, found))
    attributes = dict(pair for node in reversed(family) for pair in _attributes(node))
    requires = _names(attributes.get(REQUIRES), REQUIRES, file, path)
    _check_imports(described, requires, file, path)
    _check_flags(family, role, attributes, file, path)
    flags = [flag for flag in role.flags if _truth(attributes.get(flag), flag, file, path)]
    _check_methods(family, role, flags, file, path)
    told |= {"source": source, "releases": releases(requires, path)}
    told.pop("arguments", None)
    takes = arguments(described, family)
    if takes is not None:
        told["arguments"] = takes
    told["asks"] = flags if role is CONTROLLER else _asks(role, flags, attributes, told, file, path)
    if READINGS in attributes:
        told[READINGS] = _readings(attributes[READINGS], role, file, path)
    return json.dumps(told)


def _role(path: str) -> Role:
    """The role of the class at this path of a scenario: `line.trunk.queues[0].python`."""
    key = path.rpartition(".")[0].rpartition(".")[2].partition("[")[0]
    role = ROLES.get("queue" if key == "queues" else key)
    if role is None:
        remedy = f"there are {', '.join(ROLES)}"
        raise InputError("a class in Python has no place here", path=path, remedy=remedy)
    return role


def _asks(
    role: Role, flags: list[str], attributes: Mapping[str, ast.expr], told: Mapping[str, Any], file: str, path: str
) -> dict[str, Any]:
    asks: dict[str, Any] = dict.fromkeys(flags, True)
    asks |= {name: list(_signals(attributes.get(name), name, role, file, path)) for name in role.names}
    asks |= {name: _value(attributes[name], name, file, path) for name in role.values if name in attributes}
    if role is ROLES["queue"]:
        given = told.get("parameters", {}).get(SIZE)
        size = _value(attributes.get(SIZE), SIZE, file, path) if given is None else given
        # The engine refuses a parameter that is no limit.
        is_limit = given is None or (type(given) is int and given >= 0)
        asks |= {SIZE: f"{size} PDUs"} if size is not None and is_limit else {}
    return asks


def classes_in(tree: object, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Path and table of each part of a tree that is a class in Python."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            below = f"{path}.{key}" if path else key
            if key == "python" and isinstance(value, dict) and all(isinstance(value.get(one), str) for one in NAMES):
                yield below, value
            yield from classes_in(value, below)
    elif isinstance(tree, list):
        for place, value in enumerate(tree):
            yield from classes_in(value, f"{path}[{place}]")


def named(tree: object) -> Iterator[tuple[str, str]]:
    """File and class of each part of a scenario's tree that is a class in Python."""
    return ((table["file"], table["class"]) for _, table in classes_in(tree))


def complete(tree: object, scenario: str) -> None:
    """Make each class in a tree what :func:`completed` says, in place."""
    for path, table in classes_in(tree):
        try:
            table.update(json.loads(completed(json.dumps(table), path, scenario)))
        except InputError as error:
            value, at = error.value or error.file, error.path or f"{path}.file"
            raise InputError(error.reason, path=at, value=value, remedy=error.remedy) from None


def forget_texts(tree: object, before: object) -> None:
    """Take the text out of each class in ``tree`` that has another file than ``before``: that file is to be read."""
    old = dict(classes_in(before))
    for path, table in classes_in(tree):
        if path in old and table["file"] != old[path]["file"]:
            table.pop("source", None)


def releases(requires: tuple[str, ...], path: str = "") -> dict[str, str]:
    """The release of Python, and of each of the packages. Raises :class:`InputError` for one that is not installed."""
    found = {"python": platform.python_version()}
    for package in requires:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            remedy = f"install it: python -m pip install {package}"
            raise InputError(
                "a class requires this package, which is not installed", path=path, value=package, remedy=remedy
            ) from None
    return found


def _described(source: str, file: str, path: str) -> ast.Module:
    try:
        return ast.parse(source, filename=file)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        place = file if line is None else f"{file}, line {line}"
        told = error.msg if isinstance(error, SyntaxError) else str(error) or type(error).__name__
        raise InputError(
            f"{place} is no Python: {told}", path=f"{path}.file", value=file, remedy="correct the file"
        ) from None


def _attributes(node: ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    for statement in node.body:
        if isinstance(statement, ast.Assign):
            yield from ((to.id, statement.value) for to in statement.targets if isinstance(to, ast.Name))
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
            yield statement.target.id, statement.value


def _family(described: ast.Module, node: ast.ClassDef) -> Iterator[ast.ClassDef]:
    """A class and its bases in the same file, itself first. Those that are not written as a name are left out."""
    yield node
    before = described.body[: described.body.index(node)]
    for base in node.bases:
        named = (one for one in before if isinstance(one, ast.ClassDef) and one.name == getattr(base, "id", ""))
        for one in named:
            yield from _family(described, one)


def _check_methods(family: Sequence[ast.ClassDef], role: Role, flags: list[str], file: str, path: str) -> None:
    """Refuse a method that is never called: misspelt, or without its flag; and a class or a flag without methods."""
    node = family[0]
    methods = (ast.FunctionDef, ast.AsyncFunctionDef)
    names = [each.name for one in family for each in one.body if isinstance(each, methods)]
    for method, flag in role.needs.items():
        if flag in flags and flag not in role.alone and method not in (*role.optional, *names):
            reason = f"{file}: it asks for calls of {method}, which the class does not have"
            raise InputError(reason, path=path, value=f"{node.name}.{flag}", remedy=f"write {method}, or leave it out")
    for flag, answering in role.answering.items():
        if flag in flags and not set(answering) & set(names):
            reason = f"{file}: it is about the answers of {' and '.join(answering)}, and the class has neither"
            raise InputError(
                reason, path=path, value=f"{node.name}.{flag}", remedy=f"write {answering[0]}, or leave it out"
            )
    for name in names:
        if name.startswith("on_") and name not in role.methods:
            remedy = near_or_listed(name, role.methods)
            reason = f"{file}: Penstock calls no such method"
            raise InputError(reason, path=path, value=f"{node.name}.{name}", remedy=remedy)
        if name in role.needs and role.needs[name] not in flags:
            reason = f"{file}: it is called only if the class asks for it"
            remedy = f"write {role.needs[name]} = True in the class"
            raise InputError(reason, path=path, value=f"{node.name}.{name}", remedy=remedy)
    if not node.bases and not set(names) & set(role.methods) and not set(flags) & set(role.alone):
        reason = f"{file}: it has no method that Penstock calls"
        raise InputError(reason, path=path, value=node.name, remedy=f"there are {', '.join(role.methods)}")


def _check_flags(
    family: Sequence[ast.ClassDef], role: Role, attributes: Mapping[str, ast.expr], file: str, path: str
) -> None:
    """Refuse a misspelt flag: an attribute that is true, is similar to a flag, and is read by nobody."""
    read = {node.attr for one in family for node in ast.walk(one) if isinstance(node, ast.Attribute)}
    for name, value in attributes.items():
        if name in (*role.flags, *read) or not (isinstance(value, ast.Constant) and value.value is True):
            continue
        for flag in get_close_matches(name, role.flags, n=1, cutoff=0.8):
            reason = f"{file}: nothing reads this attribute"
            remedy = f'did you mean "{flag}"? Otherwise leave it out'
            raise InputError(reason, path=path, value=f"{family[0].name}.{name}", remedy=remedy)


def _truth(value: ast.expr | None, name: str, file: str, path: str) -> bool:
    if value is None:
        return False
    if isinstance(value, ast.Constant) and isinstance(value.value, bool):
        return value.value
    reason = f"{file}: it is read before the class runs, so it must be a plain word"
    raise InputError(reason, path=path, value=name, remedy=f"write {name} = True")


def _names(value: ast.expr | None, name: str, file: str, path: str) -> tuple[str, ...]:
    elements = value.elts if isinstance(value, ast.Tuple | ast.List) else [] if value is None else [value]
    texts = [each.value if isinstance(each, ast.Constant) else None for each in elements]
    if (value is None or isinstance(value, ast.Tuple | ast.List)) and all(isinstance(text, str) for text in texts):
        return tuple(cast("list[str]", texts))
    reason = f"{file}: it is read before the class runs, so it must be a plain list of names"
    example = {REQUIRES: "numpy", READINGS: "alpha"}.get(name, "notices")
    remedy = f'write {name} = ("{example}",)'
    raise InputError(reason, path=path, value=name, remedy=remedy)


def _signals(value: ast.expr | None, name: str, role: Role, file: str, path: str) -> tuple[str, ...]:
    """The names of feedback in an attribute. Raises :class:`InputError` for one that there is not."""
    names = _names(value, name, file, path)
    for signal in names:
        if signal not in SIGNALS:
            flag = FLAGGED.get(signal)
            remedy = f"write {flag} = True" if flag in role.flags else near_or_listed(signal, SIGNALS)
            raise InputError(f"{file}: there is no feedback {signal}", path=path, value=name, remedy=remedy)
    return names


def _readings(value: ast.expr, role: Role, file: str, path: str) -> dict[str, str]:
    """The names of attributes, each with its unit."""
    if role is ROLES["notification_point"]:
        reason = f"{file}: the time series of a receiver has no readings of a class"
        raise InputError(reason, path=path, value=READINGS, remedy="leave it out")
    if not isinstance(value, ast.Dict):
        return dict.fromkeys(_names(value, READINGS, file, path), UNITS[0])
    parts = [*value.keys, *value.values]
    words = [part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else "" for part in parts]
    names, units = words[: len(value.keys)], words[len(value.keys) :]
    for name, unit in zip(names, units, strict=True):
        if not name or unit not in UNITS:
            reason = f"{file}: each reading is the name of an attribute, with its unit"
            remedy = f'write {READINGS} = {{"alpha": "share"}}; the units are {", ".join(UNITS)}'
            raise InputError(reason, path=path, value=f"{READINGS}.{name}", remedy=remedy)
    return dict(zip(names, units, strict=True))


def _value(value: ast.expr | None, name: str, file: str, path: str) -> int | str | None:
    """A number or a text; a field of a dataclass without a value has none."""
    if value is None or (isinstance(value, ast.Constant) and value.value is None):
        return None
    if isinstance(value, ast.Constant) and isinstance(value.value, int | str) and not isinstance(value.value, bool):
        return value.value
    reason = f"{file}: it is read before the class runs, so it must be a plain number or text"
    raise InputError(reason, path=path, value=name, remedy=f"write {name} = 40" if name == SIZE else "write it so")


def _check_imports(tree: ast.Module, requires: tuple[str, ...], file: str, path: str) -> None:
    """Refuse an import that is not part of what identifies a run: another file, or a package that is not declared."""
    owners: dict[str, list[str]] | None = None
    for node, name in _imports(tree):
        top = name.partition(".")[0]
        if top in ACCIDENTAL:
            raise _import_error(node, name, file, path, ACCIDENTAL[top])
        if top == "penstock" or top in sys.stdlib_module_names:
            continue
        owners = dict(metadata.packages_distributions()) if owners is None else owners
        if not set(owners.get(top, [])) & set(requires):
            if not top:
                raise _import_error(node, name, file, path, "another file is no part of it; put all into one file")
            remedy = f'write {REQUIRES} = ("{(owners.get(top) or [top])[0]}",) in the class, for a package'
            raise _import_error(node, name, file, path, f"it is not declared; {remedy}")


def _imports(tree: ast.Module) -> Iterator[tuple[ast.stmt, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node, node.module if node.module and not node.level else "." * node.level + (node.module or "")


def _import_error(node: ast.stmt, name: str, file: str, path: str, told: str) -> InputError:
    reason, _, remedy = told.partition("; ")
    return InputError(f"{file}, line {node.lineno}: {reason}", path=path, value=f"import {name}", remedy=remedy)


class Loader:
    """Makes the instances of the classes of one run. It runs the text of each file once."""

    def __init__(self) -> None:
        self._modules: dict[str, ModuleType] = {}

    def __call__(self, table: str) -> object:
        """A new instance of the class of ``table``, JSON as :func:`completed` makes it."""
        told = json.loads(table)
        made = _class_of(self._module(told), told["class"], told["file"])
        return made(**told["parameters"])

    def _module(self, told: dict[str, Any]) -> ModuleType:
        source, wanted = told["source"], told["releases"]
        if source not in self._modules:
            found = releases(tuple(name for name in wanted if name != "python"))
            if found != wanted:
                raise RuntimeError(f"the scenario was loaded with {_told(wanted)}, and this process has {_told(found)}")
            self._modules[source] = _run(source, told["file"])
        return self._modules[source]


def _told(found: dict[str, str]) -> str:
    return ", ".join(f"{name} {release}" for name, release in found.items())


def _run(source: str, file: str) -> ModuleType:
    name = f"penstock_class_{hashlib.sha256(source.encode()).hexdigest()[:16]}"
    module = ModuleType(name)
    module.__file__ = file
    sys.modules[name] = module  # dataclasses looks there
    exec(compile(source, file, "exec"), module.__dict__)  # noqa: S102  # the user has consented
    return module


def _class_of(module: ModuleType, name: str, file: str) -> Callable[..., object]:
    found = getattr(module, name, None)
    if not isinstance(found, type):
        raise TypeError(f"{name} is no class when {file} has run")
    return found

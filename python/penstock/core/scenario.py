"""Scenarios: read, checked, changed and written. The engine defines every parameter; nothing is defined here.

A scenario is stored as the engine's own JSON with every default, so two with the same meaning are equal.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from penstock import _engine
from penstock.core import traces
from penstock.core.errors import InputError, did_you_mean
from penstock.core.face import Plotted
from penstock.core.findings import Hearing, Meetings, Offered, OfferedKind, OfferedLoad, Reading, Warned
from penstock.core.reading import STDIN, STDIN_NAME, read_stdin
from penstock.core.settings import setting
from penstock.core.texts import INSTANTS, LIST, RECORDING, SCENARIO, MissingFileError, read_file_of, text_of

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

MOST_TOLD = 6


class Scenario(Plotted):
    """A network, its traffic, and a duration: checked, complete, immutable.

    Made by :meth:`load`, :meth:`parse`, :meth:`of` or :meth:`with_`, or of the dict of its tables.
    Two scenarios are equal when all their parameters are, even if they come from different files.
    """

    __slots__ = ("_json", "changes", "name")

    def __init__(
        self, text: str | Mapping[str, object], form: Literal["toml", "json"] = "toml", *, name: str = ""
    ) -> None:
        if not isinstance(text, str):
            text, form = value_json(text, "scenario"), "json"

        def read_file(path: str, file: str, sha256: str | None) -> str:
            """The text of a file that the scenario names at ``path``, relative to the scenario's own folder."""
            try:
                kind = {"flow": RECORDING, "line": INSTANTS}.get(path.partition(".")[0], LIST)
                return read_file_of(Path(name).parent / file, kind, sha256)
            except InputError as error:
                place = line_of(text, path) if form == "toml" else None
                remedy = f"{error.remedy}; its path starts at the folder of the scenario file"
                raise InputError(error.reason, path=path, value=file, remedy=remedy, file=name, line=place) from None

        def read_class(path: str, table: str) -> str:
            """The table of a class in Python, with the text of its file."""
            from penstock.core.classes import completed  # few scenarios have one

            try:
                return completed(table, path, name)
            except InputError as error:
                line = line_of(text, error.path) if form == "toml" else None
                value, remedy, at = error.value or error.file, error.remedy, error.path or f"{path}.file"
                raise InputError(error.reason, path=at, value=value, remedy=remedy, file=name, line=line) from None

        try:
            self._json = _engine.normalise(text, form, read_file, read_class)
        except _engine.ScenarioError as error:
            raise InputError(
                error.reason, path=error.path, value=error.value, remedy=error.remedy, file=name, line=error.line
            ) from None
        self.name = name
        self.changes: Mapping[str, object] = {}
        if form == "toml":
            self._require_traces(text)

    def _require_traces(self, text: str) -> None:
        """Refuse a scenario file with a trace that is not in the store."""
        if '"sha256"' not in self._json:
            return
        for path, trace, sha256 in _engine.traces(self._json):
            try:
                traces.require(trace, sha256)
            except InputError as error:
                line = line_of(text, path)
                raise InputError(
                    error.reason, path=path, value=error.value, remedy=error.remedy, file=self.name, line=line
                ) from None

    @classmethod
    def load(cls, source: str | Path) -> Scenario:
        """Read a scenario file (TOML), or a ready scenario by its name, as ``satellite/1-case-2``.

        A file has precedence over a ready scenario of the same name. ``-`` is standard input, which is called
        ``stdin``. Raises :class:`InputError` if there is neither, if the file is no regular file, cannot be read, is
        larger than 1 MB or no text, or if its scenario is refused.
        """
        return cls(read(source), name=name_of(source))

    @classmethod
    def parse(cls, text: str, *, name: str = "") -> Scenario:
        """Read a scenario from TOML text. Raises :class:`InputError`, with ``name`` as the file."""
        return cls(text, name=name)

    @classmethod
    def of(cls, source: Source) -> Scenario:
        """``source`` as a scenario: itself, a file or a ready one as :meth:`load` takes it, or a table as in a file.

        Raises :class:`InputError` as :meth:`load`, and for anything else.
        """
        if isinstance(source, Scenario):
            return source
        if isinstance(source, Mapping):
            return cls(source)
        if isinstance(source, str) and "\n" in source:
            raise InputError("this is no name of a file", value=source, remedy="read a text with Scenario.parse")
        if isinstance(source, str | Path):
            return cls.load(source)
        raise InputError(
            f"this is a {type(source).__name__}",
            path="scenario",
            value=repr(source),
            remedy="give a Scenario, the name of a file or of a ready scenario, or a dict of its tables",
        )

    def with_(self, changes: Mapping[str, object]) -> Scenario:
        """The scenario with other values: ``with_({"flow.voice.count": 88, "line.satellite.rate": "2 Mb/s"})``.

        A key is a path into :attr:`tree`; an entry of a list is named by its number, as ``flow.voice.policers[0]``.
        ``*`` is every entry of a table or list that has the rest of the path: ``line.*.delay``. A key with dots or
        brackets is in quotes: ``flow."a.b".count``.
        A value may be a whole table, as a dict; a number may be NumPy's, and a list a ``range``, a NumPy array or a
        column of a table. ``None`` removes an optional value. All changes are made, then checked
        together. Raises :class:`InputError`.
        """
        made = {_utf8(path): json.loads(value_json(value, path)) for path, value in changes.items()}
        changed = _with_values(self._json, made)
        if any(path.endswith(".python.file") for path in made):
            from penstock.core.classes import forget_texts  # few scenarios have one

            tree = json.loads(changed)
            forget_texts(tree, self.tree)
            changed = json.dumps(tree)
        scenario = Scenario(changed, "json", name=self.name)
        # A later change of a path counts after what was changed in between.
        scenario.changes = {path: value for path, value in self.changes.items() if path not in made} | made
        return scenario

    @property
    def tree(self) -> dict[str, Any]:
        """All parameters, including defaults, as nested dicts; a new copy each time."""
        tree: dict[str, Any] = json.loads(self._json)
        return tree

    def check_limits(self, most_pdus: int | None = None, most_memory: int | None = None) -> None:
        """Raise :class:`InputError` if a run certainly sends more PDUs, or needs more bytes of memory."""
        try:
            _engine.estimate(self._json, most_pdus, most_memory, traces.load)
        except _engine.ScenarioError as error:
            raise InputError(
                error.reason, path=error.path, value=error.value, remedy=error.remedy, file=self.name
            ) from None

    def meetings(self) -> Meetings:
        """The feedback between the parts of its control schemes, and warnings about parts that do not fit."""
        hearings, warnings = _engine.meetings(self._json)
        return Meetings(tuple(Hearing(*hearing) for hearing in hearings), tuple(Warned(*one) for one in warnings))

    def offered(self) -> Offered | None:
        """What the flows of its ``[traffic]`` offer, kind by kind; ``None`` without that table."""
        offered = _engine.offered(self._json)
        if offered is None:
            return None
        kinds, load = offered
        return Offered(tuple(OfferedKind(*kind) for kind in kinds), load and OfferedLoad(*load))

    def classes(self) -> list[tuple[str, str]]:
        """The classes in Python that it has, each as its file and its name, sorted."""
        if '"python"' not in self._json:
            return []
        from penstock.core.classes import named  # few scenarios have one

        return sorted(set(named(self.tree)))

    def refuse_classes(self) -> None:
        """Raise :class:`InputError` if it has a class in Python: before any run, where nobody has consented."""
        if not self.classes():
            return
        from penstock.core.classes import classes_in

        for path, table in classes_in(self.tree):
            raise InputError(
                f"{table['file']} is a program in Python, and no run of it begins without your consent",
                path=path,
                value=table["class"],
                remedy="read it, and consent with --allow-python on the command line or allow_python=True in Python",
                file=self.name,
            )

    def hops(self) -> dict[str, list[tuple[str, str]]]:
        """For each group the lines on the paths of its flows, each once, as two nodes in the direction of the flows."""
        return _engine.hops(self._json)

    def readings(self) -> tuple[Reading, ...]:
        """Every kind of reading that a time series of it can have, with units and ranges, sorted."""
        return tuple(Reading(*reading) for reading in _engine.readings(self._json))

    def frames(self, group: str, seed: int = 1, replication: int = 0) -> tuple[list[int], float]:
        """Sizes in bits of the video frames that the flows of ``group`` play, and the number of frames a second.

        All flows of a group play one sequence (``mpeg``, ``replay``), each from its own place.
        :class:`penstock.video.Video` computes its mean, peak and autocorrelation. Raises :class:`InputError` for
        a group that does not exist or sends no video.
        """
        try:
            return _engine.frames(self._json, group, seed, replication)
        except _engine.ScenarioError as error:
            raise InputError(error.reason, path=error.path, value=error.value, remedy=error.remedy) from None

    def blank_tables(self) -> Mapping[str, _engine.Table]:
        """The tables of a run that has not started: all columns, and the names of all groups and ports."""
        # A run that has not started needs no packets.
        return _engine.Run(self.to_json(), 1, 0, load_trace=lambda _name, _sha256: _engine.Trace([])).report()

    def points(self) -> _engine.Points:
        """The points of its ``[sweep]`` table."""
        return _engine.Points(self._json)

    @property
    def title(self) -> str:
        """The title of the scenario; may be empty."""
        return str(self.tree.get("title", ""))

    @property
    def label(self) -> str:
        """What it is called: its title, else its name, else its network by name, else its groups."""
        tree = self.tree
        network = tree.get("network") or {}
        return str(tree.get("title", "")) or self.name or ", ".join(network or self.expanded().tree["flow"])

    def expanded(self) -> Scenario:
        """The scenario as it is built: with what its network, its schemes, its demands and its series stand for.

        Itself, if it has none of them.
        """
        if not any(f'"{key}":' in self._json for key in ("scheme", "network", "demands", "series")):
            return self
        return Scenario(_engine.expanded(self._json), "json", name=self.name)

    def words(self) -> list[str]:
        """The arguments of the command line for it: its file, and ``--set`` for each change; none if there are no such.

        A scenario that was not read from a file has none, nor has one from which a value was removed.
        """
        changes = {path: value for path, value in self.changes.items() if path != "sweep"}
        if not self.name or any(value is None for value in changes.values()):
            return []
        settings = (word for pair in changes.items() for word in ("--set", setting(*pair)))
        return [STDIN if self.name == STDIN_NAME else self.name, *settings]

    def to_toml(self) -> str:
        """The scenario as a scenario file with every default written out."""
        return _engine.to_toml(self._json)

    def to_json(self) -> str:
        """The scenario as the engine's JSON with every default written out: same scenario, same text."""
        return self._json

    def __eq__(self, other: object) -> bool:
        return self._json == other._json if isinstance(other, Scenario) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._json)

    def __repr__(self) -> str:
        tree = self.tree
        counts = [f"{flow['count']} {name}" for name, flow in self.expanded().tree["flow"].items()]
        more = [f"{len(counts) - MOST_TOLD:,} more groups"] if len(counts) > MOST_TOLD else []
        return f"<Scenario {self.name or self.label!r}: {tree['duration']}; {', '.join([*counts[:MOST_TOLD], *more])}>"

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (self._json, self.name, self.changes))


def with_values(tree: Mapping[str, Any], changes: Mapping[str, object]) -> dict[str, Any]:
    """Tables of a file with other values, as :meth:`Scenario.with_` takes them; nothing else is checked."""
    changed: dict[str, Any] = (
        json.loads(_with_values(json.dumps(tree, default=str), changes)) if changes else dict(tree)
    )
    return changed


def _with_values(text: str, changes: Mapping[str, object]) -> str:
    """JSON with other values, each plain JSON, too. Raises :class:`InputError`."""
    try:
        return _engine.with_values(text, [(path, json.dumps(value)) for path, value in changes.items()])
    except _engine.ScenarioError as error:
        raise InputError(error.reason, path=error.path, value=error.value, remedy=error.remedy) from None


Source = Scenario | str | Path | Mapping[str, object]
"""What :meth:`Scenario.of` takes."""


def value_json(value: object, path: str) -> str:
    """A value of the place ``path`` as JSON. Raises :class:`InputError`."""
    try:
        return json.dumps(value, allow_nan=False, default=_plain)
    except (TypeError, ValueError) as error:
        raise InputError(f"a value must be text, a number, a boolean, a list or a table: {error}", path=path) from None


def _plain(value: object) -> object:
    """A mapping as a dict; a range, or an array or a number of NumPy or polars, as a list or a number."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, range):
        return list(value)
    for convert in ("tolist", "to_list"):
        if hasattr(value, convert):
            return getattr(value, convert)()
    raise TypeError(f"this is a {type(value).__name__}")


def _rebuild(text: str, name: str, changes: Mapping[str, object]) -> Scenario:
    scenario = Scenario(text, "json", name=name)
    scenario.changes = changes
    return scenario


def schema() -> dict[str, Any]:
    """The JSON Schema of scenario files."""
    parsed: dict[str, Any] = json.loads(_engine.schema())
    return parsed


@cache
def ready() -> Mapping[str, Traversable]:
    """The ready scenario files that come with Penstock, by name (``satellite/1-case-2``), sorted."""
    found: dict[str, Traversable] = {}

    def collect(folder: Traversable, prefix: str) -> None:
        for entry in folder.iterdir():
            if entry.is_dir():
                collect(entry, f"{prefix}{entry.name}/")
            elif entry.name.endswith(".toml"):
                found[prefix + entry.name.removesuffix(".toml")] = entry

    folder = resources.files("penstock") / "scenarios"
    if folder.is_dir():
        collect(folder, "")
    return dict(sorted(found.items()))


def are_ready(words: Sequence[str]) -> bool:
    """Whether :meth:`Scenario.words` name ready scenarios alone, as they are."""
    return bool(words) and all(word in ready() for word in words)


@dataclass(frozen=True, slots=True)
class Scheme:
    """A control scheme by its name: what it does, and what it needs, for readers."""

    name: str
    meaning: str
    main: str
    parts: str
    feedback: str
    state: str
    overhead: str
    needs: str
    source: str

    @property
    def transport(self) -> str:
        """The transport that it brings, such as ``tp4`` or ``stream``; empty without one."""
        return next(iter(tomllib.loads(self.parts).get("transport", {})), "")


def scenarios() -> dict[str, str]:
    """The titles of the ready scenarios by their names, sorted."""
    return {
        name: str(tomllib.loads(file.read_text(encoding="utf-8")).get("title", "")) for name, file in ready().items()
    }


@cache
def schemes() -> Mapping[str, Scheme]:
    """Every control scheme by its name."""
    return {fields[0]: Scheme(*fields) for fields in _engine.schemes()}


def scheme_label(scheme: object) -> str:
    """The name of a scheme as a scenario has it, with its changed parameters: ``erica (changed: target)``.

    A parameter is changed if its value is not that which the name stands for. What is no scheme has no label: ``""``.
    """
    told = _engine.changed_scheme(json.dumps(scheme, default=str))
    if told is None:
        return ""
    name, changed = told
    return f"{name} (changed: {', '.join(changed)})" if changed else name


@cache
def networks() -> Mapping[str, str]:
    """One line on every network by name."""
    choices = schema()["$defs"]["Network"]["oneOf"]
    return {next(iter(choice["properties"])): str(choice["description"]) for choice in choices}


def of_reverse(line: Mapping[str, Any], key: str) -> Any:  # noqa: ANN401 - a value of a document
    """The value of ``rate`` or ``delay`` in the reverse direction of a line: ``auto`` there is that of the line."""
    own = line.get("reverse", {}).get(key, "auto")
    return line[key] if own == "auto" else own


def line_of(text: str, path: str) -> int | None:
    """The line of the scenario file ``text`` that has ``path``, or the longest existing part of it."""
    return _engine.line_of(text, path)


def leads_into(path: str, place: str) -> bool:
    """Whether ``path`` leads to the place of ``place``, or to something in it; a ``*`` there is any name or number."""
    return _engine.leads_into(path, place)


def read(source: str | Path) -> str:
    """The text of a scenario file, of standard input, or of a ready scenario.

    Raises :class:`InputError` as :meth:`Scenario.load`.
    """
    name = name_of(source)
    if str(source) == STDIN:
        text = text_of(name, SCENARIO, lambda: read_stdin(SCENARIO.largest))
    else:
        try:
            text = read_file_of(Path(source), SCENARIO)
        except MissingFileError:
            text = _read_ready(name)
    if not text.strip():
        raise InputError("the file is empty", file=name, remedy="a scenario has at least a duration, a line and a flow")
    return text


def _read_ready(name: str) -> str:
    found = ready().get(name.replace("\\", "/").removesuffix(".toml"))
    if found is not None:
        return found.read_text(encoding="utf-8")
    raise InputError(
        "there is no such file, and no ready scenario of that name",
        value=name,
        remedy=did_you_mean(name, ready()) or "`penstock scenarios` lists the ready ones",
    )


def name_of(source: str | Path) -> str:
    """The name in messages of the scenario from a file, from standard input, or of a ready one."""
    return STDIN_NAME if str(source) == STDIN else str(source)


def stem(source: str) -> str:
    """The name of a scenario file without its folder and ``.toml``: ``1-case-2`` of ``satellite/1-case-2``."""
    return Path(name_of(source)).name.removesuffix(".toml")


def _utf8(text: str) -> str:
    """``text``, with a question mark for what UTF-8 has no octets for."""
    return text.encode(errors="replace").decode()

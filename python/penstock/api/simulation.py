"""A live simulation: stop it anywhere, look at it, change it, and fork it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from penstock import _engine
from penstock.api.run import Result, limits
from penstock.core.errors import InputError, require_known, whole_number
from penstock.core.face import Plotted
from penstock.core.scenario import Scenario, value_json
from penstock.core.units import picoseconds, time_text
from penstock.execute.worker import class_loader, load_trace

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    import polars as pl

    from penstock.core.scenario import Source

    Condition = Callable[["Simulation"], bool]
    Time = str | float

__all__ = ["Simulation"]

LOOKS = 1000
"""How often a condition is looked at in the duration of a scenario."""
EVENT = "event"
"""To look at a condition after every instant with an event."""


class Simulation(Plotted):
    """One replication of a scenario that stops where you like.

    It stops after all events of an instant. What is seen at a stop is exact, and a stop changes no result: a simulation
    that was stopped, or forked, ends with the same :attr:`fingerprint` as a run from start to end.

    >>> sim = penstock.Simulation("satellite/1-case-2")
    >>> sim.run_until("30 s")
    >>> fade = sim.fork()
    >>> fade.change({"line.satellite.rate": "3 Mb/s"})
    >>> for one in (sim, fade):
    ...     one.run_until("40 s")

    Args:
        scenario: the scenario, the name of its file or of a ready one, or a dict of its tables. It may have changes of
            its own (``[[change]]``).
        seed: 0 to 2**64 - 1.
        replication: number of the replication, from 0, as in :func:`penstock.run`.
        allow_python: run the classes in Python that the scenario has; read their files before.

    Raises:
        InputError: an invalid argument or scenario.
    """

    def __init__(self, scenario: Source, seed: int = 1, replication: int = 0, *, allow_python: bool = False) -> None:
        self._scenario = Scenario.of(scenario)
        self.seed = whole_number(seed, "seed", 0, 2**64 - 1)
        self.replication = whole_number(replication, "replication", 0, 2**32 - 1)
        self._loader = class_loader() if limits(None, None, allow_python).python else None
        try:
            self._run = _engine.Run(
                self._scenario.to_json(), self.seed, self.replication, load_trace=load_trace, load_class=self._loader
            )
        except _engine.ScenarioError as error:
            raise _as_input_error(error) from None
        self._sampled: set[tuple[str, str]] = set()  # readings that it has, although they may have no value now

    @property
    def now(self) -> str:
        """The simulated time, exact, as a scenario has it: ``12.4 s``."""
        return self._run.now

    @property
    def now_s(self) -> float:
        """The simulated time in seconds."""
        return self._run.end_s

    @property
    def now_ps(self) -> int:
        """The simulated time in whole picoseconds."""
        return self._run.now_ps

    @property
    def next_event(self) -> str:
        """The next instant at which a PDU arrives or departs, or a timer expires."""
        return _text(self._run.next_event_ps())

    @property
    def has_ended(self) -> bool:
        """Whether the run has reached its end."""
        return self._run.has_ended

    def run_until(self, until: Time | Condition, every: Time | None = None) -> None:
        """Simulate up to a time, or until a condition holds, with all events of that instant.

        A time is text with its unit, as ``30 s``, or a number of seconds.
        A condition is a function of the simulation, as :func:`first_loss`, :func:`queue_above` and
        :func:`reading_above` make them. It is looked at a thousand times in the scenario's duration, or after ``every``
        so much time, as ``10 ms``. When it holds, the first instant at which it does is found in forks, so the stop is
        exact for a condition that holds from then on. For any other, ``every="event"`` looks at it after every instant
        with an event, and so the conditions on readings do unless ``every`` says otherwise.

        It stops earlier at the end of the run. Raises :class:`InputError` for a time that is none or in the past.
        """
        if callable(until):
            wanted = getattr(until, "every", None) if every is None else time_text(every)
            self._run_until_it_holds(until, wanted)
            return
        if every is not None:
            raise InputError("this is for a condition", path="every", value=every, remedy="leave it out for a time")
        until = time_text(until)
        try:
            self._run.require_future(until)
        except _engine.ScenarioError as error:
            raise _as_input_error(error) from None
        self._advance(until)

    def step(self) -> None:
        """Simulate to the end of the next instant with an event: a PDU arrives or departs, or a timer expires."""
        if not self.has_ended:
            self._advance(self.next_event)

    def finish(self) -> None:
        """Simulate to the end of the run."""
        self._advance(self._duration)

    def change(self, values: Mapping[str, object], at: Time | None = None) -> None:
        """Give parameters other values: ``change({"line.satellite.rate": "3 Mb/s"})``.

        A key is a path into the expanded scenario (:meth:`penstock.Scenario.expanded`), as in ``[[change]]``. The
        changes are made together: now, after all events of the present instant, or at a later time ``at``. Raises
        :class:`InputError` for a parameter that a run cannot change, a value out of range, a time in the past, and a
        second change of a parameter at one instant. Nothing has changed then.
        """
        when = self.now if at is None else time_text(at)
        changes = [
            {"at": when, "path": path, "value": json.loads(value_json(value, path))} for path, value in values.items()
        ]
        try:
            self._run.change(json.dumps(changes))
        except _engine.ScenarioError as error:
            raise _as_input_error(error) from None

    def fork(self) -> Simulation:
        """A copy that goes on by itself, with the same traffic to come."""
        fork = object.__new__(Simulation)
        fork._scenario, fork.seed, fork.replication = self._scenario, self.seed, self.replication
        fork._loader = self._loader
        fork._run = self._run.fork()
        fork._sampled = set(self._sampled)
        return fork

    def to_scenario(self) -> Scenario:
        """The scenario with all changes made so far: run to the same time, it has the same fingerprint."""
        tree: dict[str, Any] = self._scenario.tree
        changes = json.loads(self._run.changes())
        if changes:
            tree["change"] = changes
        return Scenario(json.dumps(tree), "json", name=self._scenario.name)

    def tables(self) -> dict[str, pl.DataFrame]:
        """The tables of the measures so far, as those of :class:`penstock.Result`, without ``replication``.

        Before the end of warm-up the counts are those since the start, and rates are null.
        """
        return {name: _frame(table) for name, table in self._run.report().items()}

    def table(self, name: str) -> pl.DataFrame:
        """One of :meth:`tables`. Raises :class:`InputError` for an unknown name."""
        tables = self._run.report()
        require_known("table", name, tables, "name")
        return _frame(tables[name])

    def result(self) -> Result:
        """What has been measured so far, as of a run that ends now: for its figures, and to save it.

        Its manifest has the scenario with all changes, and says at ``stopped`` when; it has no wall time.
        """
        import polars as pl

        number = pl.lit(self.replication, dtype=pl.UInt32).alias("replication")
        frames = {name: table.select(number, pl.all()) for name, table in self.tables().items()}
        run = {"replication": self.replication, "fingerprint": self.fingerprint, "events": self._run.events}
        manifest = {
            "penstock": _engine.__version__,
            "name": self._scenario.name,
            "scenario": self.to_scenario().tree,
            "seed": self.seed,
            "replications": 1,
            "complete": self.has_ended,
            "form": "fast",
            "runs": [{**run, "end_s": self.now_s, "measured_s": self._run.measured_s}],
        }
        return Result(**frames, manifest=manifest if self.has_ended else {**manifest, "stopped": self.now})

    def values(self) -> list[tuple[str, str, float]]:
        """Component, quantity and value of all :meth:`readings`, as plain data."""
        return [(component, quantity, value) for component, quantity, _, _, value in self._run.readings()]

    def reading_kinds(self) -> list[tuple[str, str, str, float | None]]:
        """Component, quantity, unit and largest value of all :meth:`readings`, as plain data."""
        return [reading[:4] for reading in self._run.readings()]

    def sample(self, wanted: Sequence[tuple[str, str]]) -> list[float | None]:
        """The values of some readings, each named by its component and quantity, in order.

        Utilisation and throughput are means since the last call, as in a time series. They are None at the first call,
        and so are the readings of a stream of messages before its first one. This is faster than :meth:`values`, which
        makes all names. Raises :class:`InputError` for a reading that there is not. A rate of a line is one
        once it can change.
        """
        values = self._run.sample(wanted)
        self.require_readings({(of, name) for (of, name), value in zip(wanted, values, strict=True) if value is None})
        return values

    def counter_kinds(self) -> list[tuple[str, str, str]]:
        """Component, quantity and unit of each of :meth:`counters`."""
        return self._run.counter_kinds()

    def counters(self) -> list[int]:
        """Counts since the start of the run, in the order of :meth:`counter_kinds`; warm-up does not reset them.

        Groups count data PDUs ``sent``, ``delivered`` and ``lost``, and ``delivered_bits``; those that do not always
        have data also ``offered_bits``, and ``held_bits``, which wait at the sources now. Ports of lines count PDUs
        ``arrived`` and ``discarded``, data PDUs ``marked``, and ``notices`` sent.
        """
        return self._run.counters()

    def readings(self) -> pl.DataFrame:
        """All readings of a time series now: ``component, quantity, unit, most, value``.

        ``most`` is the largest value, null if that depends on the network. The smallest value is 0. Utilisation and
        throughput are means since the measures began: since the start, or the end of warm-up.
        """
        import polars as pl

        schema = {
            "component": pl.String,
            "quantity": pl.String,
            "unit": pl.String,
            "most": pl.Float64,
            "value": pl.Float64,
        }
        return pl.DataFrame(self._run.readings(), schema=schema, orient="row")

    def positions(self) -> pl.DataFrame:
        """Where every PDU in the network is now, one row each.

        The columns are ``component`` (its port, also on the line behind it; ``police/FLOW``, or the flow at its
        sender), ``place`` (``queue``, ``service``, ``line``, ``shaper``, or ``sender``, whose jitter holds it back),
        ``queue`` (by priority; for a shaper its number among the flow's policers), ``ahead`` (PDUs before it there; the
        one in service is the first of its queue), ``fraction`` (of the line behind it, or of its bits sent, from 0 to
        1), ``leaves_s`` (the end of its service, or its arrival at the far end, in seconds), ``flow``, ``group``,
        ``kind`` (``data``, ``resource_management``, ``notice``, ...), ``direction`` (``forward``, or ``backward``
        against its flow), ``sequence`` (its number within flow and kind), ``octets``, ``priority``, and ``marks`` (as
        ``CLP EFCI``).

        Ports come by number, and the PDUs of each from the far end of its line to the ends of its queues. What a host
        has not sent yet is in no row. All events of the instant have happened: a PDU that arrives now has been read.
        """
        import polars as pl

        return pl.DataFrame(self._run.positions())

    def history(self, flow: str, sequence: int) -> pl.DataFrame:
        """The way of one data PDU of ``flow`` up to now, one row for each step, in order of time.

        ``sequence`` counts the data PDUs of the flow in the order of their sending, from 0. The columns are ``step``
        (``sent``, ``arrived`` at a port or shaper, ``started``: its service, ``departed``, ``delivered`` or
        ``discarded``), ``component`` (the port, ``police/FLOW``, or the flow for its host and its receiver), ``time``
        (exact, as ``run_until`` takes it), ``time_s``, and ``marks`` (those after all events of that instant).

        Nothing is recorded for this: the simulation runs again from the start, with all changes made so far. That takes
        about as long as it took before. Raises :class:`InputError` for an unknown flow, and for a PDU that it has not
        sent.
        """
        import polars as pl

        number = whole_number(sequence, "sequence", 0, 2**32 - 1)
        schema = dict.fromkeys(("step", "component", "time", "time_s", "marks"), pl.String) | {"time_s": pl.Float64}
        try:
            steps = _engine.history(
                self.to_scenario().to_json(),
                self.seed,
                self.replication,
                flow,
                number,
                self.now,
                load_trace=load_trace,
                load_class=self._loader,
            )
        except _engine.ScenarioError as error:
            raise _as_input_error(error) from None
        return pl.DataFrame(steps, schema=schema, orient="row")

    def ports(self) -> pl.DataFrame:
        """Every queue of every port, with the limits and thresholds that hold now.

        The columns are ``port, from, to, rate_bps, delay_s, queue, policy, size_pdus, size_bits`` (null without such a
        limit), ``clp_threshold_pdus`` (the length from which on PDUs tagged CLP=1 are discarded), ``congestion_point``
        (its keyword, or empty), ``threshold`` (its parameter that is a length of this queue, or empty), and
        ``threshold_pdus`` or ``threshold_bits``, the shortest queue at which it acts.
        """
        import polars as pl

        return pl.DataFrame(self._run.ports())

    def flows(self) -> pl.DataFrame:
        """Every flow with its path: ``flow, group, from, to, ports``.

        ``ports`` is the list of ports that its data pass, from the sender to the receiver.
        """
        import polars as pl

        schema = dict.fromkeys(("flow", "group", "from", "to"), pl.String) | {"ports": pl.List(pl.String)}
        return pl.DataFrame(self._run.flows(), schema=schema, orient="row")

    @property
    def fingerprint(self) -> str:
        """Hash of all deliveries and discards and of the time so far, in 16 hexadecimal digits."""
        return self._run.fingerprint

    def __repr__(self) -> str:
        name = self._scenario.name or self._scenario.label
        return f"<Simulation {name!r}: at {self.now} of {self._duration}, seed {self.seed}>"

    def require_readings(self, wanted: Collection[tuple[str, str]]) -> None:
        """Raise :class:`InputError` unless there are these readings, each a component and a quantity, now or later."""
        if self._sampled.issuperset(wanted):
            return
        there: dict[str, list[str]] = {}
        for component, quantity in self._run.reading_kinds():
            there.setdefault(component, []).append(quantity)
        for component, quantity in wanted:
            require_known("component", component, there)
            require_known("quantity", quantity, there[component])
        self._sampled.update(wanted)

    @property
    def _duration(self) -> str:
        return str(self._scenario.tree["duration"])

    def _advance(self, until: str, progress: Callable[[float], object] = lambda _: None) -> None:
        """Simulate up to a time; ``progress`` gets the share of the run that is done."""
        try:
            while not self._run.advance_to(until):  # between two slices Python looks for Ctrl-C
                progress(self._run.progress)
        except _engine.ScenarioError as error:  # a class in Python has failed
            raise _as_input_error(error) from None

    def _run_until_it_holds(self, condition: Condition, every: str | None) -> None:
        """Look at equal intervals; then narrow the last one down, in forks, to the first instant with the condition."""
        if every == EVENT:
            while not condition(self) and not self.has_ended:
                self.step()
            return
        tree = self._scenario.tree
        warm_up, duration = (picoseconds(tree[key]) for key in ("warm_up", "duration"))
        apart = max(1, duration // LOOKS if every is None else self._interval(every))
        before = self.fork()
        while not condition(self):
            if self.has_ended:
                return
            before = self.fork()
            look = min((self._run.now_ps // apart + 1) * apart, duration)
            # The measures start again at the end of warm-up.
            self._advance(_text(warm_up if self._run.now_ps < warm_up < look else look))
        self._run = _first(condition, before, self)._run

    def _interval(self, every: str) -> int:
        """An interval in picoseconds. Raises :class:`InputError` for a time that is none."""
        try:
            length = self._scenario.with_({"measure.sample": every}).tree["measure"]["sample"]
        except InputError as error:
            remedy = f'{error.remedy or "write a time with its unit, as 10 ms"}, or "{EVENT}"'
            raise InputError(error.reason, path="every", value=every, remedy=remedy) from None
        return picoseconds(length)


def _first(condition: Condition, before: Simulation, after: Simulation) -> Simulation:
    """The first instant at which the condition holds, if it does not ``before`` and does ``after``."""
    while (event := before._run.next_event_ps()) < after._run.now_ps:
        middle = before.fork()
        middle._advance(_text(max(event, (before._run.now_ps + after._run.now_ps) // 2)))
        if condition(middle):
            after = middle
        else:
            before = middle
    return after


def _frame(table: _engine.Table) -> pl.DataFrame:
    """A table; a rate over no time is null."""
    import polars as pl
    from polars import selectors

    return pl.DataFrame(table).with_columns(pl.when(selectors.float().is_finite()).then(selectors.float()))


def _text(picoseconds: int) -> str:
    return f"{picoseconds} ps"


def _as_input_error(error: _engine.ScenarioError) -> InputError:
    return InputError(error.reason, path=error.path, value=error.value, remedy=error.remedy)


def stopped_at(
    scenario: Source, at: str, seed: int, progress: Callable[[float], object], *, allow_python: bool = False
) -> Simulation:
    """A simulation at the time ``--at`` of its run; ``progress`` gets the share of the run that is done.

    Raises :class:`InputError` for a time that is none, or beyond the end.
    """
    sim = Simulation(scenario, seed, allow_python=allow_python)
    try:
        sim._run.require_within(at)
    except _engine.ScenarioError as error:
        raise InputError(error.reason, path="--at", value=at, remedy=error.remedy) from None
    sim._advance(at, progress)
    return sim

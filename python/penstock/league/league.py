"""A league: its cases, one for each network and traffic, with the scenario of every scheme, and its runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.analyse.results import Results
from penstock.api.paired import run_paired
from penstock.api.run import limits
from penstock.core.counts import counted
from penstock.core.errors import InputError
from penstock.core.face import Shown
from penstock.core.scenario import Scenario, of_reverse
from penstock.core.units import seconds
from penstock.execute.experiment import ExperimentKind, State, check_directory, refuse_flood
from penstock.league.document import ALL, Document, Entrant, merged
from penstock.topology.network import Hop
from penstock.truth.shares import greedy_shares, is_steady

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.scheduler import Scheduler

KIND = ExperimentKind(
    "league",
    {"league": dict, "file": str, "set": dict},
)
DATA = "data"
"""The class of all flows that the schemes of the league control."""
OUTSIDE = "data (outside every scheme)"
"""The class of groups with the name of that class which no scheme controls."""
PDUS = 10
"""The PDUs that a flow at its fair share sends, at least, between two readings of the time series."""
MOST_READINGS = 200
"""The readings of each time series, at most, unless the network says otherwise."""


@dataclass(frozen=True, slots=True, repr=False)
class Case:
    """A network under a traffic: the scenario of each scheme, or the reason why there is none.

    Attributes:
        network: the name of the network.
        traffic: the name of the traffic.
        title: what it is, for readers.
        scenarios: by the name of the scheme.
        refused: for each scheme that cannot run here the reason, and what would let it.
        classes: the traffic class of each group of flows.
        shares: the max-min fair rate of each greedy flow, bits per second; empty if there are none.
        steady: whether these never change.
        round_trip_s: twice the propagation delay of the longest path, seconds.
        titles: those of the network and of the traffic, or their names.
    """

    network: str
    traffic: str
    title: str
    scenarios: Mapping[str, Scenario]
    refused: Mapping[str, str]
    classes: Mapping[str, str]
    shares: Mapping[str, float]
    steady: bool
    round_trip_s: float
    titles: tuple[str, str] = ("", "")

    def __repr__(self) -> str:
        return f"<Case {self.name!r}: {counted(len(self.scenarios), 'scheme')}, {len(self.refused)} cannot run>"

    @property
    def name(self) -> str:
        """Its name in files and on the page."""
        return f"{self.network}, {self.traffic}" if self.traffic else self.network

    @classmethod
    def of_scenarios(cls, scenarios: Mapping[str, Scenario]) -> Case:
        """Scenarios side by side, as of one network: each group is a class, and the shares are those of the first."""
        base = next(iter(scenarios.values()))
        groups = dict.fromkeys(name for one in scenarios.values() for name in one.expanded().tree["flow"])
        shares = [greedy_shares(one) for one in scenarios.values()]
        same = shares[0] if all(each == shares[0] for each in shares) else {}
        steady = bool(same) and all(is_steady(one) for one in scenarios.values())
        return cls("", "", base.title, scenarios, {}, {name: name for name in groups}, same, steady, round_trip(base))

    @property
    def main(self) -> str:
        """The class that the table begins with: that of the controlled flows, if there is one."""
        return DATA if DATA in self.classes.values() else next(iter(self.classes.values()))

    @property
    def schemes(self) -> list[str]:
        """All schemes, those that cannot run here last."""
        return [*self.scenarios, *self.refused]


@dataclass(frozen=True, slots=True)
class Start:
    """One scheme in one case: a point of the experiment."""

    case: Case
    scheme: str

    @property
    def parameters(self) -> Mapping[str, object]:
        """Network, traffic and scheme."""
        return {"network": self.case.network, "traffic": self.case.traffic, "scheme": self.scheme}

    def build(self) -> Scenario:
        """Its scenario."""
        return self.case.scenarios[self.scheme]


@dataclass(slots=True, repr=False)
class League(Shown):
    """Schemes on several networks under several kinds of traffic, all with the same random numbers.

    Args:
        document: the league as its file says.

    Raises :class:`InputError`, at the first use of ``cases``, for a network or a traffic that is no scenario, and for a
    scheme that can run nowhere.
    """

    document: Document
    _cases: list[Case] = field(default_factory=list)

    def __repr__(self) -> str:
        told = self.document
        size = f"{counted(len(told.networks), 'network')}, {counted(told.replications, 'replication')}"
        return f"<League {told.name!r}: {size}, seed {told.seed}>"

    @classmethod
    def load(
        cls,
        source: str | Path,
        *,
        replications: int | None = None,
        seed: int | None = None,
        changes: Mapping[str, object] | None = None,
    ) -> League:
        """Read a league file, or a ready league by its name; ``changes`` has other values for paths into the file.

        Raises :class:`InputError`.
        """
        document = Document.load(source, changes or {})
        given = {"replications": replications, "seed": seed}
        tree = document.tree | {key: value for key, value in given.items() if value is not None}
        return cls(Document(tree, *document.place))

    @classmethod
    def of_results(cls, results: Results) -> League:
        """The league that was run. Raises :class:`InputError`."""
        details = results.details(KIND)
        return cls(Document(details["league"], "", details["file"], details["set"]).checked())

    @property
    def cases(self) -> list[Case]:
        """One case for each network and traffic, in the order of the file."""
        if not self._cases:
            document, entrants = self.document, self.document.entrants()
            cases = [
                _case(document, entrants, network, traffic)
                for network in document.networks
                for traffic in document.traffics
            ]
            self._check(cases)
            self._cases = cases
        return self._cases

    def _check(self, cases: Sequence[Case]) -> None:
        """Raises :class:`InputError` for a case in which no scheme can run, and a scheme that can run in no case."""
        document = self.document
        for case in cases:
            if not case.scenarios:
                reason = f"no scheme of the league can run under {case.name}: {next(iter(case.refused.values()))}"
                raise document.error(reason, f"networks.{case.network}", remedy="add a scheme, or change the traffic")
        is_all = document.tree["schemes"] == ALL
        for entrant in document.entrants():
            if (entrant.changes or not is_all) and all(entrant.name in case.refused for case in cases):
                raise self._refusal(entrant, cases[0])

    def _refusal(self, entrant: Entrant, case: Case) -> InputError:
        """The error of a scheme that can run in no case, with what is wrong in one of them."""
        document = self.document
        try:
            entered(document.tree_of(case.network, case.traffic), entrant, document.file)
        except InputError as error:
            place = f" (at {error.path})" if error.path and error.path not in error.reason else ""
            reason = f"this scheme can run in no case of the league: {error.reason}{place}"
            remedy = error.remedy or "leave it out, or change the traffic"
            return document.error(reason, "schemes", entrant.name, remedy)
        raise AssertionError(f"{entrant.name} can run in {case.name}")

    @property
    def starts(self) -> list[Start]:
        """The points: every scheme in every case in which it can run."""
        return [Start(case, scheme) for case in self.cases for scheme in case.scenarios]

    def run(
        self,
        out: str | Path,
        *,
        jobs: int = 1,
        cluster: str | Scheduler | None = None,
        resume: bool = False,
        most_pdus: int | None = None,
        most_memory_gb: int | None = None,
        allow_python: bool = False,
        tell: Callable[[State], None] | None = None,
    ) -> Results:
        """Run every scheme in every case, and store the runs in the directory ``out``; stored runs are not run again.

        The arguments are those of :meth:`penstock.Sweep.run`, and it raises as that does.
        """
        document, starts = self.document, self.starts
        replications, seed = document.replications, document.seed
        remedy = "take fewer schemes, networks or replications"
        refuse_flood(len(starts) * replications, "league", remedy, document.file)
        details = {"league": {**document.tree, "replications": replications, "seed": seed}, "file": document.file}
        details["set"] = dict(document.settings)
        check_directory(Path(out), KIND.name, document.name, resume=resume)
        return run_paired(
            starts,
            out,
            KIND,
            document.name,
            details,
            seed=seed,
            replications=replications,
            jobs=jobs,
            cluster=cluster,
            resume=resume,
            limits=limits(most_pdus, most_memory_gb, allow_python),
            tell=tell,
        )


def _case(document: Document, entrants: Sequence[Entrant], network: str, traffic: str) -> Case:
    """A case with the scenario of each scheme that can run there."""
    tree = document.tree_of(network, traffic)
    try:
        base = _base(tree, entrants, document.file)
        round_trip_s = round_trip(base)
        shares = greedy_shares(base)
    except InputError as error:
        raise document.blamed(error, network, traffic) from None
    scenarios, refused = {}, {}
    for entrant in entrants:
        try:
            scenarios[entrant.name] = entered(tree, entrant, document.file)
        except InputError as error:
            refused[entrant.name] = f"{error.reason}; {error.remedy}" if error.remedy else error.reason
    steady = bool(shares) and is_steady(base)
    changes: dict[str, object] = {"measure.distributions": True, "measure.sample_flows": steady}
    if "sample" not in tree.get("measure", {}):
        octets = [flow["octets"] for one in scenarios.values() for flow in one.expanded().tree["flow"].values()]
        slowest = PDUS * 8 * max(octets, default=0) / min(shares.values()) if steady else 0.0
        least = seconds(base.tree["duration"]) / MOST_READINGS
        changes["measure.sample"] = f"{max(round_trip_s, slowest, least) * 1e9:.0f} ns"
    return Case(
        network,
        traffic,
        tree["title"] or network,
        {name: one.with_({**changes, "title": f"{name}: {tree['title']}"}) for name, one in scenarios.items()},
        refused,
        classes_of(base),
        shares,
        steady,
        round_trip_s,
        (
            str(document.networks[network].get("title", network)),
            str(document.traffics[traffic].get("title", traffic)),
        ),
    )


def _base(tree: Mapping[str, Any], entrants: Sequence[Entrant], file: str) -> Scenario:
    """A case without any scheme, or with the first that its traffic can run with: messages need byte streams."""
    try:
        return Scenario(tree, name=file)
    except InputError:
        for entrant in entrants:
            with suppress(InputError):
                return Scenario({**tree, "scheme": entrant.scheme}, name=file)
        raise


def entered(tree: Mapping[str, Any], entrant: Entrant, file: str) -> Scenario:
    """The scenario of a case under a scheme; files that it names are in the folder of ``file``, that of the league.

    Raises :class:`InputError` if it cannot run there.
    """
    return Scenario(merged(tree, entrant.changes) | {"scheme": entrant.scheme}, name=file)


def classes_of(scenario: Scenario) -> dict[str, str]:
    """The class of each group: its own name if it is outside every scheme, else the class of all controlled flows.

    All groups of one kind of a mix that is outside every scheme are one class, with the name of the kind.
    """
    tree = scenario.tree
    written: Mapping[str, Any] = tree.get("flow", {})
    traffic = tree.get("traffic") or {}
    kinds: Mapping[str, Any] = traffic.get("kind", {})
    longest_first = sorted(traffic.get("mix", {}), key=len, reverse=True)
    found = {}
    for name in scenario.expanded().tree["flow"]:
        kind = next((each for each in longest_first if name.endswith(f"_{each}")), "") if name not in written else ""
        own = kinds.get(kind, {}) if kind else written.get(name, {})
        outside = OUTSIDE if (kind or name) == DATA else kind or name
        found[name] = outside if own.get("scheme") == "none" else DATA
    return found


def round_trip(scenario: Scenario) -> float:
    """The propagation delay of the longest path and of the way back, seconds, with access lines.

    Of several paths between two nodes it takes one with the fewest lines.
    """
    tree, hops = scenario.expanded().tree, scenario.hops()
    delays: dict[Hop, float] = {}
    for line in tree["line"].values():
        one, other = line["between"]
        there, back = seconds(line["delay"]), seconds(of_reverse(line, "delay"))
        delays |= {(one, other): there + back, (other, one): there + back}
    longest = 0.0
    for name, flow in tree["flow"].items():
        paths = [tuple(pairwise(flow["path"]))] if flow.get("path") else []
        for receiver in flow.get("to", ()):
            paths += fewest_lines(hops[name], flow["from"], receiver)
        access = 2 * seconds((flow.get("access") or {"delay": "0 s"})["delay"])
        longest = max(longest, *(access + sum(delays[hop] for hop in path) for path in paths))
    return longest


def fewest_lines(hops: Sequence[Hop], senders: Sequence[str], receiver: str) -> list[tuple[Hop, ...]]:
    """A path with the fewest of these hops from each other sender to the receiver."""
    onward: dict[str, tuple[Hop, ...]] = {receiver: ()}
    nodes = [receiver]
    for node in nodes:
        for hop in hops:
            if hop[1] == node and hop[0] not in onward:
                onward[hop[0]] = (hop, *onward[node])
                nodes.append(hop[0])
    return [onward[sender] for sender in senders if sender != receiver]

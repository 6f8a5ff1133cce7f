"""`penstock draw`: the network of a scenario, its layout, and its figure."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Callable, Mapping
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from penstock import InputError, Result, Scenario, load_result, network_figure, run, save
from penstock.core.scenario import ready
from penstock.plot import Diagram, Sheet, draw, inline
from penstock.plot import save as save_figure
from penstock.show.network import sizes_of
from penstock.topology import Layout, Network, lay_out

pytestmark = pytest.mark.in_process

Command = Callable[..., subprocess.CompletedProcess[str]]


def diagram_of(sheet: Sheet) -> Diagram:
    (panel,) = sheet.panels
    assert panel.diagram is not None
    return panel.diagram


def network(lines: dict[str, tuple[str, str]], flows: dict[str, tuple[str, str]]) -> Scenario:
    return Scenario.of(
        {
            "duration": "20 ms",
            "line": {name: {"between": list(ends), "rate": "10 Mb/s", "delay": "1 ms"} for name, ends in lines.items()},
            "flow": {
                name: {"from": [start], "to": [end], "traffic": {"cbr": {"rate": "1 Mb/s"}}}
                for name, (start, end) in flows.items()
            },
        }
    )


def grid(side: int) -> Scenario:
    """A square of nodes: there are many paths with the fewest lines."""
    lines = {}
    for row in range(side):
        for column in range(side):
            if row + 1 < side:
                lines[f"d{row}-{column}"] = (f"n{row}-{column}", f"n{row + 1}-{column}")
            if column + 1 < side:
                lines[f"r{row}-{column}"] = (f"n{row}-{column}", f"n{row}-{column + 1}")
    last = side - 1
    ends = {"there": ("n0-0", f"n{last}-{last}"), "back": (f"n0-{last}", f"n{last}-0")}
    return network(lines, ends)


def overlaps(sheet: Sheet) -> list[tuple[str, str]]:
    """Pairs of texts of a diagram that overlap."""
    figure = draw(sheet)
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    texts = [text for axis in figure.axes for text in axis.texts if text.get_text()]
    boxes = [(text.get_text(), text.get_window_extent(renderer)) for text in texts]
    return [(one, other) for (one, a), (other, b) in combinations(boxes, 2) if a.overlaps(b)]


KINDS = ["abr/gfc-1-erica", "abr/gfc-2-erica", "abr/parking-lot-erica", "abr/lan-slow-reverse", "atn/scenario-a"]
KINDS += ["atn/scenario-b", "atn/amss", "atm_lan/two-switches", "satellite/1-case-2", "satellite/3-case-2"]


@pytest.mark.parametrize("name", KINDS)
def test_no_texts_of_a_ready_network_overlap(name: str) -> None:
    assert overlaps(network_figure(name)) == []


def test_every_ready_network_is_drawn_with_every_group_and_every_rate() -> None:
    for name in ready():
        scenario = Scenario.load(name)
        sheet = network_figure(scenario)
        diagram = diagram_of(sheet)
        tree = scenario.expanded().tree
        assert set(diagram.nodes) == {node for line in tree["line"].values() for node in line["between"]}
        assert len(diagram.lanes) == len(tree["flow"])
        assert all(wire.label or "Lines without rate and delay" in sheet.caption for wire in diagram.wires)


@pytest.mark.parametrize("name", ["atn/scenario-a", "atn/ground-x25"])
def test_flows_take_the_paths_that_the_engine_takes(name: str) -> None:
    scenario = Scenario.load(name).with_({"sweep": None, "duration": "200 s", "mismatches": "warn"})
    graph = Network.of(scenario)
    ports = {row["port"] for row in run(scenario).ports.to_dicts() if row["departed"]}
    passed = {name for link in graph.links for name, hop in link.ports() for group in graph.groups if hop in group.hops}
    back = {name[: -len(".reverse")] if name.endswith(".reverse") else f"{name}.reverse" for name in passed}
    assert ports <= passed | back  # acknowledgements take the same lines back
    assert passed <= ports


def test_of_several_paths_the_engine_and_the_figure_take_the_same() -> None:
    scenario = grid(4)
    ports = {row["port"] for row in run(scenario).ports.to_dicts() if row["departed"]}
    graph = Network.of(scenario)
    hops = {hop for group in graph.groups for hop in group.hops}
    assert {name for link in graph.links for name, hop in link.ports() if hop in hops} == ports


LEAF_SPINE = {
    "leaves": 4,
    "spines": 2,
    "hosts": 2,
    "host_rate": "1 Gb/s",
    "host_delay": "1 us",
    "uplink_rate": "1 Gb/s",
    "uplink_delay": "2 us",
}
NAMED = {
    "leaf_spine": LEAF_SPINE,
    "aeronautical": {"stations": 4, "aircraft": 5},
    "waxman": {"nodes": 12, "rate": "155.52 Mb/s", "delay": "5 ms"},
}


@pytest.mark.parametrize("name", NAMED)
def test_no_texts_of_a_network_by_name_overlap(name: str) -> None:
    scenario = Scenario.of({"duration": "1 s", "scheme": "charny", "network": {name: NAMED[name]}})
    assert overlaps(network_figure(scenario)) == []


def test_names_beside_dots_stay_within_the_figure() -> None:
    many = {**LEAF_SPINE, "spines": 3, "hosts": 3}
    sheet = network_figure(Scenario.of({"duration": "1 s", "network": {"leaf_spine": many}}))
    figure = draw(sheet)
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    boxes = [text.get_window_extent(renderer) for axis in figure.axes for text in axis.texts]
    assert len(boxes) > 4
    assert all(box.x0 >= 0 and box.x1 <= figure.bbox.width for box in boxes)


def test_a_leaf_spine_has_levels_and_flows_over_every_spine() -> None:
    graph = Network.of(Scenario.of({"duration": "1 s", "network": {"leaf_spine": LEAF_SPINE}}))
    layout = lay_out(graph)
    height = {"host": 0.0, "leaf": 1.0, "spine": 2.0}
    assert layout.kind == "levels"
    assert {node: y for node, (_, y) in layout.places.items()} == {
        node: height[node.split("_")[0]] for node in graph.nodes
    }
    assert {hop[1] for hop in graph.groups[0].hops} == set(graph.nodes)


def test_a_line_with_two_delays_has_both() -> None:
    lines = {"between": ["a", "b"], "rate": "2 Mb/s", "delay": "3 ms", "reverse": {"delay": "7 ms"}}
    flow = {"path": ["a", "b"], "traffic": {"greedy": {}}}
    scenario = Scenario.of({"duration": "1 s", "line": {"trunk": lines}, "flow": {"data": flow}})
    (link,) = Network.of(scenario).links
    assert (link.rate, link.delay) == ("2 Mb/s", "3 ms / 7 ms")


def test_a_path_is_a_row_whose_flows_go_to_the_right() -> None:
    layout = lay_out(Network.of(Scenario.load("abr/gfc-2-erica")))
    assert layout == Layout("row", {f"s{number + 1}": (float(number), 0.0) for number in range(7)})
    lines = {"one": ("east", "middle"), "two": ("middle", "west")}
    turned = lay_out(Network.of(network(lines, {"data": ("west", "east")})))
    assert turned.places["west"] < turned.places["middle"] < turned.places["east"]


def test_a_tree_has_its_senders_left_and_its_receivers_right() -> None:
    layout = lay_out(Network.of(Scenario.load("atn/scenario-a")))
    assert layout.kind == "columns"
    across = {node: x for node, (x, _) in layout.places.items()}
    assert max(across[f"es{n}"] for n in range(1, 7)) < across["is6"] < across["is7"]
    assert across["is7"] < min(across[f"es{n}"] for n in range(7, 12))
    columns = {x: sorted(y for at, y in layout.places.values() if at == x) for x in across.values()}
    assert all(high - low >= 0.999 for ys in columns.values() for low, high in pairwise(ys))


def test_leaves_are_below_spines() -> None:
    lines = {f"{leaf}-{spine}": (leaf, spine) for leaf in ("l1", "l2", "l3", "l4") for spine in ("s1", "s2")}
    layout = lay_out(Network.of(network(lines, {"a": ("l1", "l4"), "b": ("l2", "l3")})))
    assert layout.kind == "levels"
    assert {y for node, (_, y) in layout.places.items() if node[0] == "l"} == {0.0}
    assert {y for node, (_, y) in layout.places.items() if node[0] == "s"} == {1.0}


def test_places_of_a_mesh_are_as_far_apart_as_the_lines_between_them() -> None:
    layout = lay_out(Network.of(grid(5)))
    assert layout.kind == "stress"
    places = layout.places
    diagonal = math.dist(places["n0-0"], places["n4-4"])
    beside = [math.dist(places[f"n{row}-0"], places[f"n{row + 1}-0"]) for row in range(4)]
    assert max(beside) < 2 * min(beside)
    assert diagonal > 4 * max(beside)
    assert layout == lay_out(Network.of(grid(5)))


def test_a_large_network_is_drawn_with_names_where_there_is_room() -> None:
    sheet = network_figure(grid(20))
    figure = draw(sheet)
    names = [text for text in figure.axes[0].texts if text.get_text().startswith("n")]
    assert 20 < len(names) < 400
    assert "where there is room" in sheet.caption
    assert [pair for pair in overlaps(sheet) if pair[0].startswith("n") and pair[1].startswith("n")] == []


def test_the_parts_of_the_scheme_stand_at_the_sender_the_switch_and_the_receiver() -> None:
    diagram = diagram_of(network_figure("abr/parking-lot-erica"))
    assert diagram.parts == (
        "reaction point: explicit_rate",
        "congestion point: erica",
        "notification point: turn_round",
    )
    assert all(lane.has_reaction and lane.has_notification for lane in diagram.lanes)
    assert {wire.points for wire in diagram.wires} == {(True, None)}


def test_a_network_and_a_scheme_by_their_names_are_drawn_in_full() -> None:
    dumbbell = {"pairs": 3, "rate": "10 Mb/s", "delay": "1 ms"}
    scenario = Scenario.of({"duration": "50 ms", "scheme": "erica", "network": {"dumbbell": dumbbell}})
    diagram = diagram_of(network_figure(scenario, run(scenario)))
    ends = [line["between"] for line in scenario.expanded().tree["line"].values()]
    assert set(diagram.nodes) == {node for pair in ends for node in pair}
    assert diagram.parts[1] == "congestion point: erica"
    assert max(used for wire in diagram.wires for used in wire.used if used is not None) > 0.5


def test_a_congestion_point_that_no_part_hears_is_hollow() -> None:
    sheet = network_figure("atn/scenario-a")
    points = {point for wire in diagram_of(sheet).wires for point in wire.points}
    assert points == {None, False}
    assert "hollow" in sheet.caption
    assert "hollow" not in network_figure("atn/decbit").caption


def test_sizes_of_queues_are_read_in_every_unit(small: Scenario) -> None:
    def sizes(*queues: Mapping[str, object]) -> dict[str, tuple[float, str] | None]:
        return dict(sizes_of(small.with_({"line.trunk.queues": list(queues)}).tree))

    in_bits = {"drop_tail_bits": {"size": "32 kB"}}
    in_pdus = {"drop_tail": {"size": "1 cell"}}
    assert sizes(in_bits)["trunk"] == (256_000.0, "bits")
    assert sizes(in_pdus, {"drop_tail": {"size": "50 cells"}})["trunk"] == (51.0, "PDUs")
    assert sizes(in_bits, in_pdus)["trunk"] is None
    assert sizes(in_bits, {"unlimited": {}})["trunk"] is None
    assert sizes({"codel": {}})["trunk"] is None
    assert sizes({"codel": {"size": "9 cells"}})["trunk"] == (9.0, "PDUs")


def test_results_give_the_utilisation_and_the_fill_of_queues(small: Scenario) -> None:
    scenario = small.with_({"flow.random.traffic.poisson.rate": "1.6 Mb/s"})
    result = run(scenario, replications=2)
    (wire,) = diagram_of(network_figure(scenario, result)).wires
    ports = [row for row in result.ports.to_dicts() if row["port"] == "trunk"]
    used, mean = (sum(row[column] for row in ports) / 2 for column in ("utilisation", "queue_mean"))
    assert wire.used[0] == pytest.approx(used)
    queue, back = wire.queues
    assert queue is not None
    assert queue[0] == pytest.approx(mean / 50)
    assert queue[1] == max(row["queue_max"] for row in ports) / 50
    assert (wire.used[1], back) == (None, None)  # nothing goes back
    assert wire.percent == f"{100 * used:.0f} %"


def test_only_the_groups_with_the_most_flows_are_drawn(small: Scenario) -> None:
    flows = {f"g{n}": {**small.tree["flow"]["steady"], "count": n + 1} for n in range(30)}
    sheet = network_figure(small.with_({"flow": flows}))
    assert [lane.label for lane in diagram_of(sheet).lanes] == [
        f"g{n} \N{MULTIPLICATION SIGN}{n + 1}" for n in range(16, 30)
    ]
    assert "The 14 groups of 30 with the most flows." in sheet.caption


def test_groups_with_equally_many_flows_are_ranked_by_their_rates(small: Scenario) -> None:
    steady = small.tree["flow"]["steady"]
    flows = {f"g{n}": {**steady, "count": 1, "traffic": {"cbr": {"rate": f"{n + 1} kb/s"}}} for n in range(16)}

    def drawn(scenario: Scenario, result: Result | None = None) -> tuple[list[str], str]:
        sheet = network_figure(scenario, result)
        return [lane.label for lane in diagram_of(sheet).lanes], sheet.caption

    scenario = small.with_({"flow": flows})
    highest = [f"g{n}" for n in range(2, 16)]
    assert drawn(scenario)[0] == highest
    assert "The 14 groups of 16 with the highest stated rates." in drawn(scenario)[1]
    names, told = drawn(scenario, run(scenario.with_({"duration": "1 s", "warm_up": "0 s"})))
    assert (names, "The 14 groups of 16 that sent most." in told) == (highest, True)
    several = small.with_(
        {"flow": flows | {"g0": {**steady, "count": 2}, "g1": {**steady, "count": 1, "traffic": {"greedy": {}}}}}
    )
    names, told = drawn(several)
    assert names == ["g0 \N{MULTIPLICATION SIGN}2", "g1", *(f"g{n}" for n in range(4, 16))]
    assert (
        "of 16 with the most flows, and of equal ones those with the highest stated rates, greedy ones first." in told
    )
    equal = small.with_({"flow": {name: {**steady, "count": 1} for name in flows}})
    assert "The 14 groups of 16 that come first by name." in drawn(equal)[1]


def test_names_that_look_like_markup_or_formulas_stay_as_they_are(tmp_path: Path) -> None:
    lines = {"a.b": ("<b>$x$", 'say "hi" & go')}
    sheet = network_figure(network(lines, {"$y^2$": ("<b>$x$", 'say "hi" & go')}))
    shared, (drawing,) = inline([sheet])
    assert "<b>" not in shared + drawing
    assert "$y^2$" in [text.get_text() for text in draw(sheet).axes[0].texts]


def test_draw_writes_an_svg_and_a_png(penstock: Command, small_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "figures"
    done = penstock("draw", str(small_file), "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert sorted(file.name for file in out.iterdir()) == ["small.png", "small.svg"]
    before = (out / "small.svg").read_bytes()
    assert penstock("draw", str(small_file), "--out", str(out), "--run", "--seed", "3").returncode == 0
    assert (out / "small.svg").read_bytes() != before
    assert penstock("draw", str(small_file), "--out", str(out)).returncode == 0
    assert (out / "small.svg").read_bytes() == before


@pytest.mark.parametrize("suffix", ["svg", "PNG"])
def test_draw_writes_the_one_file_that_is_named(
    penstock: Command, small_file: Path, tmp_path: Path, suffix: str
) -> None:
    figures = tmp_path / "figures"
    done = penstock("draw", str(small_file), "--out", str(figures / f"net.{suffix}"))
    assert done.returncode == 2, "there is no such directory"
    assert penstock("draw", str(small_file), "--out", str(figures)).returncode == 0
    done = penstock("draw", str(small_file), "--out", str(tmp_path / f"net.{suffix}"))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / f"net.{suffix}").read_bytes() == (figures / f"small.{suffix.lower()}").read_bytes()
    assert {file.name for file in tmp_path.iterdir() if "net" in file.name} == {f"net.{suffix}"}


def test_draw_shows_the_result_of_a_stored_run(
    penstock: Command, small: Scenario, small_file: Path, tmp_path: Path
) -> None:
    result = run(small, seed=3)
    save(result, tmp_path / "stored")
    stored = load_result(tmp_path / "stored", small)
    assert diagram_of(network_figure(small, stored)) == diagram_of(network_figure(small, result))
    done = penstock("draw", str(small_file), "--out", str(tmp_path), "--result", str(tmp_path / "stored"))
    assert done.returncode == 0, done.stderr
    wanted = save_figure(network_figure(small, result, name="wanted"), tmp_path)[0]
    assert (tmp_path / "small.svg").read_bytes() == wanted.read_bytes()


def test_a_result_of_another_scenario_is_refused(small: Scenario, tmp_path: Path) -> None:
    save(run(small), tmp_path)
    assert load_result(tmp_path, small).manifest["seed"] == 1
    with pytest.raises(InputError, match="the result of another scenario, small, or of other values; give the same"):
        load_result(tmp_path, small.with_({"duration": "3 s"}))
    with pytest.raises(InputError, match="there is no complete result: No such file"):
        load_result(tmp_path / "none", small)
    (tmp_path / "manifest.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="there is no complete result: KeyError"):
        load_result(tmp_path, small)


def test_bad_arguments_are_refused(penstock: Command, small_file: Path, tmp_path: Path) -> None:
    for arguments, told in (
        (["--run", "--result", str(tmp_path)], "not allowed with"),
        (["--out", str(small_file)], "this is a file, not a directory"),
        (["--out", str(tmp_path / "net.pdf")], "this is the name of a file"),
        (["--out", str(tmp_path / "missing" / "net.svg")], "this file cannot be written"),
    ):
        done = penstock("draw", str(small_file), *arguments)
        assert (done.returncode, done.stdout) == (2, ""), arguments
        assert told in done.stderr


def test_the_page_of_a_run_begins_with_its_network(penstock: Command, small_file: Path, tmp_path: Path) -> None:
    done = penstock("run", str(small_file), "--trace", str(tmp_path))
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    header = page[: page.index("</header>")]
    assert "Two groups on one line: network" in header
    assert 'href="network.svg"' in header

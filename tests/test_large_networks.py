"""Work that grows with the square of a network's size would take minutes on one that a run computes in a second.

The tests count what is looked at, not the time that it takes.
"""

from typing import Any

import polars as pl
import pytest

from penstock.show import summary
from penstock.theory.scene import Scene

LINES = 40


class Counted(dict[str, Any]):
    """A table that counts how often all of it is read, and how often it is compared with another."""

    read = compared = 0

    def items(self) -> Any:
        Counted.read += 1
        return super().items()

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return super().__eq__(other)

    __hash__ = None


class Filtered:
    """A table of results that counts how often it is searched."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self.frame, self.searches = frame, 0

    def select(self, *columns: str) -> pl.DataFrame:
        self.searches += 1
        return self.frame.select(*columns)

    def filter(self, **key: str) -> pl.DataFrame:
        self.searches += 1
        return self.frame.filter(**key)


def test_theory_reads_the_lines_and_the_tables_once() -> None:
    nodes = [f"n{number}" for number in range(LINES + 1)]
    line = {"rate": "1 Mb/s", "delay": "1 ms", "queues": [{"unlimited": {}}]}
    lines = {f"l{n}": line | {"between": nodes[n : n + 2]} for n in range(LINES)}
    traffic = {"cbr": {"rate": "100 kb/s"}}
    flow = {"count": 1, "octets": 53, "path": nodes, "traffic": traffic, "policers": []}
    groups = Filtered(pl.DataFrame({"group": ["f"], "nominal_bps": [1e5], "flows": [1], "delay_max_s": [0.1]}))
    ports = [f"l{n}{end}" for n in range(LINES) for end in ("", ".reverse")]
    table = Filtered(pl.DataFrame({"port": ports}).with_columns(rate_bps=1e6, queue_max=1))
    scene = Scene({"line": Counted(lines), "flow": {"f": flow}}, groups, table)  # type: ignore[arg-type]
    Counted.read = 0
    assert [len(scene.crossing(port)) for port in ports] == [1, 0] * LINES
    assert [scene.place("f", f"l{n}") for n in range(LINES)] == list(range(LINES))
    assert {scene.largest("ports", port, "queue_max").mean for port in ports} == {1}  # type: ignore[union-attr]
    assert scene.largest("ports", "nowhere", "queue_max") is None
    assert (Counted.read, table.searches) == (1, 1)


def test_a_summary_compares_no_port_with_another(capsys: pytest.CaptureFixture[str]) -> None:
    usual = {"from": "a", "to": "b", "utilisation": 0.5, "queue_mean": 0.1, "marked": 0, "notices": 0}
    kinds = [("l", 3, 0), ("idle", 0, 0), ("access/f/", 3, 0), ("access/lossy/", 3, 1)]
    rows = [
        Counted(port=f"{name}{n}", queue_max=most, discarded=lost, **usual)
        for name, most, lost in kinds
        for n in range(10)
    ]
    Counted.compared = 0
    summary._print_ports(rows)
    assert Counted.compared == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Ports - and 10 that carried nothing - and 10 access lines without loss"
    assert sum(line.lstrip().startswith(("l", "access/lossy")) for line in lines) == 20

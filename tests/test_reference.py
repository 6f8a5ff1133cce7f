"""The generated reference of scenario keys: the page has everything of the schema."""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from penstock.core.scenario import schema

SCHEMA = schema()
TOOL = runpy.run_path(str(Path(__file__).parent.parent / "tools" / "reference.py"))
PAGE: str = TOOL["scenario_page"](SCHEMA)


def choices() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Each key of a scenario file whose value is chosen by a keyword, and its choices.

    The keys of a scheme's table are those of its parts, which have their sections under lines and flows.
    """
    definitions = SCHEMA["$defs"]
    of_schemes = {each["$ref"].rsplit("/", 1)[-1] for each in definitions["Scheme"]["anyOf"][-1]["properties"].values()}
    for definition in (SCHEMA, *(own for name, own in definitions.items() if name not in of_schemes)):
        for key, value in definition.get("properties", {}).items():
            for each in (value, value.get("items", {}), *value.get("anyOf", [])):
                branches = definitions.get(each.get("$ref", "").rsplit("/", 1)[-1], {}).get("oneOf", [])
                if chosen := [branch for branch in branches if len(branch.get("properties", {})) == 1]:
                    yield key, chosen


CHOICES = list(choices())


def rows(key: str) -> list[str]:
    return [line for line in PAGE.splitlines() if line.startswith(f"| `{key}` |")]


@pytest.mark.parametrize(("key", "branches"), CHOICES, ids=[key for key, _ in CHOICES])
def test_every_keyword_of_a_choice_is_named_and_described(key: str, branches: list[dict[str, Any]]) -> None:
    keywords = [keyword for branch in branches for keyword in branch["properties"]]
    assert any(all(f"`{keyword}" in row.split("|")[2] for keyword in keywords) for row in rows(key))
    for branch in branches:
        assert " ".join(branch["description"].split()) in PAGE


def test_keywords_that_share_their_parameters_share_a_section() -> None:
    (window,) = (row for row in rows("window") if "decbit" in row)
    place = "#scenario-flow-name-transport-tp4-window-backoff"
    assert f"[`backoff`]({place}) or [`error_npdu`]({place})" in window
    assert "`error_npdu`: Sending transport layer backoff, upon retransmission and upon Error Reports" in window
    assert "`backoff`: " not in window  # its section says so
    assert PAGE.count(f"({place[1:]})=") == 1


def test_defaults_are_those_of_lines_and_flows() -> None:
    (defaults,) = rows("defaults")
    line, flow = "[`line.NAME`](#scenario-line-name)", "[`flow.NAME`](#scenario-flow-name)"
    assert f"`flow`: keys of {flow}, `line`: keys of {line}" in defaults
    assert all(f"({place})=" in PAGE for place in ("scenario-line-name", "scenario-flow-name"))


def test_a_quantity_that_a_keyword_takes_does_not_hide_the_keyword() -> None:
    (size,) = rows("packet_size")
    assert "`constant`: [bits](#scenario-quantities) or `exponential`: [bits](#scenario-quantities)" in size


def test_a_parameter_says_what_a_change_does_or_why_it_stays() -> None:
    (mild,) = rows("mild")
    assert "*May change during a run.* It holds from the next feedback on." in mild
    reserved = [row for row in rows("mcr") if "(MCR)" in row]
    assert len(reserved) == 2
    assert all("*Stays during a run:* the switches reserve minimum rates" in row for row in reserved)


@pytest.mark.parametrize(
    ("path", "page"),
    [
        ("line.NAME.congestion_point.erica_plus", "erica"),
        ("flow.NAME.reaction_point.rate_factor.slow_start", "satellite"),
        ("line.NAME.queues.push_out", "queues"),
        ("flow.NAME.policers.gcra", "policers"),
        ("flow.NAME.transport.tp4.credit.congestion_avoidance", "atn"),
        ("network.waxman", "networks"),
        ("capacity.NAME", "networks"),
    ],
)
def test_the_section_of_a_part_leads_to_its_model(path: str, page: str) -> None:
    section = PAGE[PAGE.index(f"## `{path}`") :].split("\n## ", 2)[0]
    assert f"](../../models/{page}.md)." in section
    assert (Path(__file__).parents[1] / "docs" / "models" / f"{page}.md").is_file()


def test_tables_that_are_no_model_lead_nowhere() -> None:
    assert [TOOL["model_of"](path) for path in ("", "line.NAME", "flow.NAME.traffic.on_off.off.pareto", "stop")] == [
        ""
    ] * 4

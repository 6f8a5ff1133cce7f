"""Remedies of errors in scenarios, followed as a reader would: none leads to the error that it is for."""

from __future__ import annotations

import copy
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Command

from penstock import InputError, Scenario
from penstock.core.scenario import read

READY = ("satellite/1-case-2", "abr/gfc-2-erica", "atn/scenario-a", "queueing/buffer-size")
MOST_STEPS = 6
STEP = re.compile(r'"([^"]*)"|\[(\d+)\]|([^.\[\]"]+)')
Tree = dict[str, Any]


def steps(path: str) -> list[str | int]:
    return [int(number) if number else quoted or name for quoted, number, name in STEP.findall(path)]


def holder(tree: Any, path: list[str | int]) -> Any:
    for step in path[:-1]:
        tree = tree[step]
    return tree


def places(tree: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of everything in a document, but not of what it only names."""
    entries = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in entries:
        yield (*path, key)
        yield from places(value, (*path, key))


def refusal(tree: Tree) -> InputError | None:
    try:
        Scenario(tree, name="changed")
    except InputError as error:
        return error
    return None


def toml(text: str) -> Any:
    """The value of a remedy; None if it is only a form with dots to fill in."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return None


def written(tree: Tree, path: list[str | int]) -> list[str | int]:
    """The path, or that of the default that stands for it: the error names the line of the default."""
    is_default = len(path) > 2 and path[2] not in tree.get(str(path[0]), {}).get(path[1], {})
    is_default = is_default and path[2] in tree.get("defaults", {}).get(path[0], {})
    return ["defaults", path[0], *path[2:]] if is_default else path


def follow(tree: Tree, error: InputError) -> Tree | None:
    """The document as the remedy wants it; None if a reader has to think."""
    followed, path = copy.deepcopy(tree), written(tree, steps(error.path))
    if added := re.match(r"add (\w+) = (.*?)(?: with one of (\w+).*)?(?: \([A-Z].*\))?$", error.remedy):
        value = toml(added[2].replace("KEYWORD", added[3] or "KEYWORD"))
        if value is None or "..." in added[2]:
            return None
        holder(followed, path)[added[1]] = value
        return followed
    if meant := re.match(r"did you mean `(\w+)`\?", error.remedy):
        inside, last = holder(followed, path), path[-1]
        if f"`{inside[last]}`" in error.reason:
            inside[last] = meant[1]
        else:
            inside[meant[1]] = inside.pop(last)
        return followed
    if form := re.search(r'(?:write it as in|did you mean) ("[^"]*")', error.remedy):
        holder(followed, path)[path[-1]] = toml(form[1])
        return followed
    if table := re.match(r"write for example (\{.*\})$", error.remedy):
        value = toml(table[1])
        if value is None or "..." in table[1]:
            return None
        inside = holder(followed, path)
        inside[path[-1]] = value | inside[path[-1]]
        return followed
    return None


def wrong_documents(tree: Tree) -> Iterator[tuple[str, Tree]]:
    """The document without each of its keys, with each misspelt, and with each unit misspelt."""
    for place in places(tree):
        path, last = list(place), place[-1]
        if isinstance(last, str):
            without = copy.deepcopy(tree)
            del holder(without, path)[last]
            yield f"without {place}", without
            misspelt = copy.deepcopy(tree)
            inside = holder(misspelt, path)
            inside[f"{last[:-1]}{last[-1]}{last[-1]}"] = inside.pop(last)
            yield f"misspelt {place}", misspelt
        changed = copy.deepcopy(tree)
        value = holder(changed, path)[last]
        if isinstance(value, str) and re.fullmatch(r"[\d.]+ \S+", value):
            holder(changed, path)[last] = f"{value}x"
            yield f"unit of {place}", changed


@pytest.mark.parametrize("name", READY)
def test_a_remedy_that_is_followed_ends_its_error(name: str) -> None:
    followed = 0
    for what, wrong in wrong_documents(tomllib.loads(read(name))):
        seen: set[tuple[str, str]] = set()
        now: Tree | None = wrong
        for _ in range(MOST_STEPS):
            error = None if now is None else refusal(now)
            if now is None or error is None:
                break
            told = (error.path, error.reason)
            assert told not in seen, f"{what}: {error} came again"
            seen.add(told)
            now = follow(now, error)
            followed += now is not None
        else:
            pytest.fail(f"{what}: the remedies of {seen} do not end")
    assert followed > 20


def test_the_proposed_duration_has_fifty_round_trips() -> None:
    for delay, round_trip_s in (("1 us", 2e-6), ("35 ms", 0.07), ("270 ms", 0.54)):
        tree: Tree = {
            "line": {"trunk": {"between": ["a", "b"], "rate": "1 Mb/s", "delay": delay}},
            "flow": {"data": {"path": ["a", "b"], "traffic": {"cbr": {"rate": "64 kb/s"}}}},
        }
        error = refusal(tree)
        assert error is not None
        followed = follow(tree, error)
        assert followed is not None
        duration, unit = followed["duration"].split()
        assert unit == "s"
        assert float(duration) >= 50 * round_trip_s
        assert refusal(followed) is None


@pytest.mark.in_process
@pytest.mark.parametrize(
    ("words", "remedy", "followed"),
    [
        (["run", "small.toml", "--set", "duration"], r"as (--set .*)", ["run", "small.toml"]),
        (["run", "small.toml", "--show", "readings"], r"as (--at .*)", ["run", "small.toml", "--show", "readings"]),
        (["run", "small.toml", "--table", "ports"], r"add (--format csv)", ["run", "small.toml", "--table", "ports"]),
        (["run", "small.toml", "--open"], r"add (--trace DIR)", ["run", "small.toml", "--open"]),
        (
            ["capacity", "small.toml", "--of", "", *(until := ["--until", "random.loss_ratio > 0.5"])],
            r"write (\".*\")",
            ["capacity", "small.toml", *until, "--of"],
        ),
        (
            ["capacity", "small.toml", "--of", "flow.steady.count=x", *until],
            r"write (flow.steady.count=)LOW",
            ["capacity", "small.toml", *until, "--of", "flow.steady.count=1..3"],
        ),
    ],
)
def test_a_remedy_of_the_command_is_accepted(
    penstock: Command,
    small_file: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    remedy: str,
    followed: list[str],
) -> None:
    monkeypatch.setattr("webbrowser.open", lambda _address: True)
    assert small_file.name == "small.toml"
    refused = penstock(*words, "--quiet")
    assert refused.returncode == 2
    found = re.search(remedy, refused.stderr)
    assert found is not None, refused.stderr
    more = (
        [] if followed[-1].endswith("1..3") else shlex.split(found[1].replace("..200", "..2"))
    )  # fewer flows take less time
    done = penstock(*followed, *more, "--quiet")
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout


@pytest.mark.in_process
def test_a_sweep_without_its_table_says_what_to_add(penstock: Command, small_file: Path, small_text: str) -> None:
    refused = penstock("sweep", small_file)
    assert refused.returncode == 2
    found = re.search(r'add (\[\[sweep.axis\]\]) with a line like ("[^"]+" = .*)$', refused.stderr.strip())
    assert found is not None, refused.stderr
    small_file.write_text(f"{small_text}\n{found[1]}\n{found[2]}\n", encoding="utf-8")
    assert penstock("sweep", small_file, "--quiet").returncode == 0

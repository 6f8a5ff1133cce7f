"""GML: every word of a file is read whole, or refused with its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from imported_files import outcome

NODES = 'node [ id 0 label "A" ] node [ id 1 label "B" ]'


def imported(folder: Path, content: str) -> str:
    """The scenario of a file with this content, or the error."""
    return outcome(folder / "net.gml", content, rate="bw", rate_unit="b/s", default_delay="1 ms")


def edge(rate: str) -> str:
    return f"graph [\n{NODES}\nedge [ source 0 target 1 bw {rate} ]\n]\n"


@pytest.mark.parametrize(
    ("written", "rate"),
    [
        ("1e+9", "1 Gb/s"),
        ("1E9", "1 Gb/s"),
        ("1.e9", "1 Gb/s"),
        ("+5", "5 b/s"),
        ("005", "5 b/s"),
        (".5e1", "5 b/s"),
        ("25e-1", "2 b/s"),
        ("10000000000", "10 Gb/s"),
        ('"1e9"', "1 Gb/s"),
        ('"2 &#77;b/s"', "2 Mb/s"),
    ],
)
def test_a_number_is_read_whole(tmp_path: Path, written: str, rate: str) -> None:
    assert f'rate = "{rate}"' in imported(tmp_path, edge(written))


@pytest.mark.parametrize("written", ["1e", "1e+", "1_000", "1,5", "10Gbps", "0x10", "1.2.3", "--5", "e9", "."])
def test_a_word_that_is_no_number_is_refused_with_its_line(tmp_path: Path, written: str) -> None:
    told = f"line 3: bw is {written}, which is neither a number nor a text in quotes; write a number as 1e9 or 2.5"
    assert told in imported(tmp_path, edge(written))


def test_a_number_too_large_is_refused(tmp_path: Path) -> None:
    assert ": this is too large; correct it in the file" in imported(tmp_path, edge("9" * 5000))
    assert "bw = inf: this is not a finite number" in imported(tmp_path, edge("1e400"))
    assert "bw = inf: this is not a finite number" in imported(tmp_path, edge("+INF"))


def test_a_quote_in_a_comment_and_a_text_over_lines_hide_nothing(tmp_path: Path) -> None:
    text = imported(tmp_path, edge('7 # a rack of 19"\n x "y" delay 5').replace("# a", "\n# a"))
    assert 'rate = "7 b/s"' in text
    assert "# - edge: attributes that are not used: delay, x\n" in text
    text = imported(tmp_path, edge('7 x "one\n two" delay 5'))
    assert "# - edge: attributes that are not used: delay, x\n" in text


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (edge("1 ]\n] ]"), "line 4: there is ] in the place of a key;"),
        (edge('"1'), 'line 3: bw is ", which is neither'),
        (edge("1").replace('"A"', '"a"b"').replace('"B"', '"c"d"'), 'line 2: label is ", which is neither a number'),
        (edge("1").replace("target 1", ""), "line 3: this edge has no target; write one target"),
        (edge("1").replace("target", "source"), "line 3: this edge has 2 sources; write one source"),
        (edge("1").replace("id 1", "id [ ]"), "line 2: this node has 1 id with brackets; write one id, a number"),
        (edge("1").replace("id 1", "id 1 id 2"), "line 2: this node has 2 ids; write one id"),
        (edge("1") + edge("1"), "there are 2 graphs; write one graph"),
        ("node [ id 0 ]", "there is no graph with its keys in brackets; write one graph"),
        (f"graph [ {NODES} edge 5 ]", "edge = 5: this is no edge; write it as edge [ ... ]"),
        (edge("1").replace("graph [", "graph [ directed 2"), "directed = 2: this is no truth value; write 0 or 1"),
        (edge("1").replace("graph [", "graph [ directed 0 directed 1"), "directed = 0 and 1: this is no truth value"),
        (edge("1").replace("source 0", 'source "0"'), 'the number 0 and the text "0" would be one node'),
        (edge("1").replace("source 0", "source 00"), "edge 00 - 1: there is no node 00; add the node, or delete"),
        (edge("1").replace("id 1", "id 1.0 ] node [ id 1"), "there are two nodes with the id 1"),
        (edge("1 key 3 ] edge [ source 1 target 0 key 3"), "2 edges between these nodes have the key 3; give each"),
        ("graph [ bw", "line 1: the file ends behind the key bw; is a part of it missing?"),
        (edge("1 link-speed 10"), "# - edge: attributes that are not used: link-speed\n"),
        (f"about [ x [ y 1 ] ]\n{edge('1')}", "# - network: said of the whole, and not used: about\n"),
        (f"Creator Gephi\n{edge('1')}", "# - network: said of the whole, and not used: Creator\n"),
        (edge("1").replace('"A"', "2.50"), 'between = ["2.50", "B"]'),
        (edge("1").replace('"A"', "Ulm"), 'between = ["Ulm", "B"]'),
    ],
)
def test_what_gml_says_is_read_or_refused_with_its_place(tmp_path: Path, content: str, told: str) -> None:
    assert told in imported(tmp_path, content)

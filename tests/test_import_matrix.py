"""Matrices of demands, and rows of REPETITA and ns-3: each word has the meaning that its place gives it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal
from unicodedata import normalize

import pytest
from imported_files import outcome

from penstock import InputError, import_network

Form = Literal["NFC", "NFD"]
NET = '{"nodes": [{"id": "0"}, {"id": "1"}, {"id": "#2"}], "links": [{"source": "0", "target": "1"}]}'
REPETITA = """\
NODES 2
label x y
A 1 50
B 2 50
EDGES 2
label src dest weight bw delay
5 0 1 1 1000 9
6 1 0 1 1000 9
"""
HPCC = "2 0 2\n0 1 10Gbps 1us 0\n1 0 10Gbps 1us 0\n"


def imported(folder: Path, content: str, matrix: str = "") -> str:
    """The scenario of a file with this content, or the error."""
    (folder / "m").write_text(matrix, encoding="utf-8")
    file, demands = folder / ("n.json" if content == NET else "net"), folder / "m" if matrix else None
    options: dict[str, Any] = {"default_rate": "1 Gb/s", "default_delay": "1 ms"} if content == NET else {}
    return outcome(file, content, demands=demands, demand_unit="Mb/s" if content == NET else "", **options)


@pytest.mark.parametrize(
    ("matrix", "told"),
    [
        ("t,from,to,rate\n1,0,1,5\n", '0-1 = { from = ["0"], to = ["1"]'),
        ("i,src,d,dst,rate\n1,0,0,1,5\n", '0-1 = { from = ["0"], to = ["1"]'),
        ("t,from,to,load,rate\n1,0,1,7,5\n", 'rate = "5 Mb/s" } }'),
        ("t,from,to,load,rate\n1,0,1,7,5\n", "# - demands: columns that are not used: t, load\n"),
        ("o,d,rate\n0,1,5\n", '0-1 = { from = ["0"], to = ["1"]'),
    ],
)
def test_a_clear_name_of_a_column_goes_before_one_letter(tmp_path: Path, matrix: str, told: str) -> None:
    assert told in imported(tmp_path, NET, matrix)


@pytest.mark.parametrize(
    ("matrix", "told"),
    [
        ("from,to,rate,rate_unit\n0,1,5,Gb/s\n", 'rate = "5 Gb/s"'),
        ("from,to,demand,demandUnits\n0,1,5,Gb/s\n", 'rate = "5 Gb/s"'),
        ("from,to,rate (kb/s),rate_unit\n0,1,5,Gb/s\n", "two units are stated for this rate, Gb/s and kb/s"),
        ("from,to,rate,unit,units\n0,1,5,kb/s,Mb/s\n", "two units are stated for this rate, kb/s and Mb/s"),
        ("from,to,rate,unit,units\n0,1,5,,Gb/s\n", 'rate = "5 Gb/s"'),
        ("from,to,rate,load_unit\n0,1,5,Gb/s\n", "# - demands: columns that are not used: load_unit\n"),
    ],
)
def test_columns_with_the_unit_of_a_rate(tmp_path: Path, matrix: str, told: str) -> None:
    assert told in imported(tmp_path, NET, matrix)


@pytest.mark.parametrize(
    ("corner", "pair", "note"),
    [
        ("from/to", "0-1", ""),
        ("O\\D", "0-1", ""),
        ("src", "0-1", ""),
        ("to\\from", "1-0", "# - demands: the corner of the square is to\\from: its rows are receivers\n"),
        ("Dst", "1-0", "# - demands: the corner of the square is Dst: its rows are receivers\n"),
        ("D/O (kb/s)", "1-0", "# - demands: the corner of the square is D/O (kb/s): its rows are receivers\n"),
        ("D/O (kb/s)", "1-0", "# - flow: --demand-unit Mb/s instead of the file's kb/s\n"),
        ("(kb/s)", "0-1", "# - flow: --demand-unit Mb/s instead of the file's kb/s\n"),
        ("t", "0-1", "# - demands: the corner of the square, not used: t\n"),
        ("node", "0-1", "# - demands: the corner of the square, not used: node\n"),
        ("from/source", "0-1", "# - demands: the corner of the square, not used: from/source\n"),
    ],
)
def test_the_corner_of_a_square_says_what_its_rows_are(tmp_path: Path, corner: str, pair: str, note: str) -> None:
    text = imported(tmp_path, NET, f"{corner},0,1\n0,0,5\n1,0,0\n")
    assert f"[flow]\n{pair} = " in text
    assert note in text
    assert note or "corner" not in text


@pytest.mark.parametrize("row", ['0,1,"5', '0,1,"5"0', '"0,1,5'])
def test_a_quote_that_is_not_closed_is_refused_with_its_line(tmp_path: Path, row: str) -> None:
    told = imported(tmp_path, NET, f"from,to,rate\n{row}\n")
    assert "m, line 2: this is no CSV" in told
    assert told.endswith("close the quotes")


def test_comments_of_a_matrix_are_counted(tmp_path: Path) -> None:
    text = imported(tmp_path, NET, "# rates in kb/s\nfrom,to,rate\n0,1,5\n#2,1,5\n")
    assert "# - demands: comments, lines that begin with #: 2\n" in text


@pytest.mark.parametrize(
    ("content", "old", "new", "told"),
    [
        (REPETITA, "1000 9\n6", "1000\n6", "line 7: the line has too few words for a row; compare the line with"),
        (REPETITA, "1000 9\n6", "1000 9 6\n", "line 7: the line has too many words for a row"),
        (REPETITA, "A 1 50\nB", "A 1\n50 B", "line 3: the line has too few words for a row"),
        (REPETITA, "5 0 1", "5 00 1", 'line 7: "00" is the number 0 in another form; write 0'),
        (HPCC, "us 0\n1", "us 0 1\n", "line 2: the line has too many words for a row; write: nodes switches links"),
        (HPCC, "0 1 10", "0 01 10", 'line 2: "01" is the number 1 in another form; write 1'),
        (HPCC, "0 1 10", "0 \u0661 10", "is the number 1 in another form; write 1"),
    ],
)
def test_a_row_is_one_line(tmp_path: Path, content: str, old: str, new: str, told: str) -> None:
    assert told in imported(tmp_path, content.replace(old, new, 1))


def test_a_row_of_demands_is_one_line(tmp_path: Path) -> None:
    demands = "DEMANDS 2\nlabel src dest bw\n5 0 1\n7 8 1 0 9\n"
    assert "m, line 3: the line has too few words for a row" in imported(tmp_path, REPETITA, demands)


@pytest.mark.parametrize("matrix", ["from;to;Mbps\n0;1;\n1;0;3\n", "from,to,rate,unit\n0,1,,Mb/s\n1,0,3,Mb/s\n"])
def test_demands_without_a_rate_are_counted(tmp_path: Path, matrix: str) -> None:
    text = imported(tmp_path, NET, matrix)
    assert "# - flow: demands without a rate, greedy: 1\n" in text
    assert "greedy: 2\n" in imported(tmp_path, NET, "from,to\n0,1\n1,0\n")
    assert "without a rate" not in imported(tmp_path, NET, "from,to,rate\n0,1,3\n")


@pytest.mark.parametrize(
    "matrix", [",0,1\n0,5,1\n1,2,0\n", "from,to,rate\n0,0,5\n0,1,1\n1,0,2\n1,1,0\n", "5 1 0\n3 0 0\n0 0 0\n"]
)
def test_demands_from_a_node_to_itself_are_left_out_and_named(tmp_path: Path, matrix: str) -> None:
    text = imported(tmp_path, NET, matrix)
    assert "# - flow: demands from a node to itself, left out, for no line would carry them: 0\n" in text
    assert "0-1 = {" in text
    assert "0-0" not in text
    alone = imported(tmp_path, NET, "from,to,rate\n0,0,5\n0,1,0\n")
    assert "m: all demands are zero or from a node to itself; give one of them a rate" in alone


QUOTED = (
    '{"nodes": [{"id": "a, b"}, {"id": "c; \\"d\\""}, {"id": "e\\tf g"}], "links": [{"source": "a, b", "target": '
    '"c; \\"d\\""}, {"source": "c; \\"d\\"", "target": "e\\tf g"}]}'
)


@pytest.mark.parametrize(
    "matrix",
    [
        "Mb/s,0,a; b\n0,0,5\na; b,1,0\n",
        "0,a; b\n0,0,5\na; b,1,0\n",
        'Mb/s;0;"a; b"\n0;0;5\n"a; b";1;0\n',
        'from;to;rate, mean;rate\n0;"a; b";,;5\n',
    ],
)
def test_the_sign_that_all_lines_have_equally_often_parts_columns(tmp_path: Path, matrix: str) -> None:
    (tmp_path / "s.json").write_text(NET.replace('"1"', '"a; b"'), encoding="utf-8")
    (tmp_path / "m").write_text(matrix, encoding="utf-8")
    options: dict[str, Any] = {"default_rate": "1 Gb/s", "default_delay": "1 ms", "demand_unit": "Mb/s"}
    text = import_network(tmp_path / "s.json", demands=tmp_path / "m", **options)
    assert 'from = ["0"], to = ["a; b"], traffic.cbr = { rate = "5 Mb/s" } }' in text


@pytest.mark.parametrize(
    "matrix",
    [
        'Mb/s,"a, b","c; ""d"""\n"a, b",0,5\n"c; ""d""",0,0\n',
        'Mb/s;"a, b";"c; ""d"""\n"a, b";0;5\n"c; ""d""";0;0\n',
        'Mb/s\t"a, b"\t"c; ""d"""\n"a, b"\t0\t5\n"c; ""d"""\t0\t0\n',
        '"Mb/s"  "a, b" "c; ""d""" \n"a, b" 0  5\n "c; ""d""" 0 0\n',
        'from,to,"rate; Mb/s",rate\n"a, b","c; ""d""",,5\n',
    ],
)
def test_what_is_in_quotes_parts_no_columns(tmp_path: Path, matrix: str) -> None:
    (tmp_path / "q.json").write_text(QUOTED, encoding="utf-8")
    (tmp_path / "m").write_text(matrix, encoding="utf-8")
    options: dict[str, Any] = {"default_rate": "1 Gb/s", "default_delay": "1 ms", "demand_unit": "Mb/s"}
    text = import_network(tmp_path / "q.json", demands=tmp_path / "m", **options)
    assert 'from = ["a, b"], to = ["c; \\"d\\""], traffic.cbr = { rate = "5 Mb/s" } }' in text


@pytest.mark.parametrize("matrix", ["from,to,rate\nZürich,b,5\n", ",Zürich,b\nZürich,,5\nb,,\n"])
@pytest.mark.parametrize("node", ['{"id": "Zürich"}', '{"id": "z", "label": "Zürich"}'])
def test_names_are_the_same_in_both_forms_of_unicode(tmp_path: Path, matrix: str, node: str) -> None:
    end = node.split('"')[3]
    net = f'{{"nodes": [{node}, {{"id": "b"}}], "links": [{{"source": "{end}", "target": "b"}}]}}'
    options: dict[str, Any] = {"default_rate": "1 Gb/s", "default_delay": "1 ms", "demand_unit": "Mb/s"}
    pairs: list[tuple[Form, Form]] = [("NFC", "NFD"), ("NFD", "NFC"), ("NFD", "NFD")]
    for one, other in pairs:
        (tmp_path / "u.json").write_text(normalize(one, net), encoding="utf-8")
        (tmp_path / "m").write_text(normalize(other, matrix), encoding="utf-8")
        text = import_network(tmp_path / "u.json", demands=tmp_path / "m", **options)
        assert f'from = ["{normalize(one, "Zürich")}"], to = ["b"]' in text


@pytest.mark.parametrize("node", ['{"id": "z", "label": "Genève\\nCERN "}', '{"id": "Genève\\nCERN "}'])
def test_names_whose_white_space_is_changed_are_named_and_found(tmp_path: Path, node: str) -> None:
    end = node.split('"')[3]
    net = f'{{"nodes": [{node}, {{"id": "b"}}], "links": [{{"source": "{end}", "target": "b"}}]}}'
    (tmp_path / "u.json").write_text(net, encoding="utf-8")
    (tmp_path / "m").write_text('from,to,rate\n"Genève  CERN",b,5\n', encoding="utf-8")
    options: dict[str, Any] = {"default_rate": "1 Gb/s", "default_delay": "1 ms", "demand_unit": "Mb/s"}
    text = import_network(tmp_path / "u.json", demands=tmp_path / "m", **options)
    told = "# - node: names without their line breaks, further blanks and signs that are not printed: Genève CERN\n"
    assert told in text
    assert 'from = ["Genève CERN"], to = ["b"]' in text


def test_two_nodes_whose_names_look_the_same_are_told_apart_or_refused(tmp_path: Path) -> None:
    nodes = f'{{"id": "{normalize("NFD", "ü")}"}}, {{"id": "{normalize("NFC", "ü")}"}}'
    net = NET.replace("[", f"[{nodes}, ", 1)
    (tmp_path / "u.json").write_text(net, encoding="utf-8")
    (tmp_path / "m").write_text("from,to,rate\nü,0,5\n", encoding="utf-8")
    with pytest.raises(InputError, match="several nodes have this label, name or id: "):
        import_network(tmp_path / "u.json", demands=tmp_path / "m", default_rate="1 Gb/s", default_delay="1 ms")


@pytest.mark.parametrize(
    "matrix",
    [
        "from;to;Mbps;\n0;1;5;\n1;0;2;\n",
        "sep=;\nfrom;to;Mbps\n0;1;5\n",
        '"sep=\t"\r\nfrom\tto\tMbps, all\tMbps\r\n0\t1\t\t5\r\n',
        "sep=,\n;,0,1\n0,,5\n1,,\n",
    ],
)
def test_what_spreadsheets_add_to_a_matrix_is_understood(tmp_path: Path, matrix: str) -> None:
    text = imported(tmp_path, NET, matrix)
    assert '0-1 = { from = ["0"], to = ["1"], traffic.cbr = { rate = "5 Mb/s" } }' in text
    assert "columns that are not used: \n" not in text


def test_a_column_without_a_name_is_named_by_its_place(tmp_path: Path) -> None:
    text = imported(tmp_path, NET, "from,,to,rate,\n0,7,1,5,\n1,,0,5,8\n")
    assert "# - demands: columns that are not used: column 2, without a name, column 5, without a name\n" in text


@pytest.mark.parametrize(
    ("matrix", "told"),
    [
        ("// hello\nfrom;to;Mbps\n0;1;1\n", "m, line 1: // hello: the first line is not"),
        ("a;b\nc;d\n", "m, line 1: a;b: the first line is not"),
        ("from;to;what\n0;1;1\n", "m, line 1: from;to;what: no column has"),
        ("from;to;rate\n0;1\n", "m, line 2: 0;1: the line has 2 values"),
        (";0;1\n0;1;2\n1;2;2;3\n", "m, line 3: 1;2;2;3: the line has 3 rates"),
        ('from,to,rate\n"0; x",1\n', 'm, line 2: "0; x",1: the line has 2 values'),
    ],
)
def test_what_is_wrong_in_a_line_is_quoted_as_it_is_written(tmp_path: Path, matrix: str, told: str) -> None:
    assert told in imported(tmp_path, NET, matrix)


@pytest.mark.parametrize("separator", [",", ";", "\t", " "])
@pytest.mark.parametrize(
    "pairs",
    ["0,1,5\n1,0,2\n", "0,1,5 Mb/s\n1,0,2Mb/s\n0,#2,\n", "0,1,10\n1,#2,3\n#2,1,4\n1,0,3\n", "0,b,5,x\nb,c,2,y\n"],
)
def test_a_list_without_the_names_of_its_columns_says_so(tmp_path: Path, pairs: str, separator: str) -> None:
    lines = pairs if separator != " " else pairs.replace(" Mb/s", "Mb/s").replace("#2,\n", "#2,9\n")
    told = imported(tmp_path, NET, lines.replace(",", separator).replace("#2", "two"))
    assert "m, line 1: 0" in told
    assert ": this is a demand, and the line before it that names the columns is missing; write from,to" in told


def test_pairs_without_the_names_of_their_columns_are_no_square(tmp_path: Path) -> None:
    told = imported(tmp_path, NET, "0,two\n1,0\n0,1\n")
    assert "m, line 1: 0,two: the first line is not from,to,rate, nor from,to," in told


@pytest.mark.parametrize(
    ("head", "told"),
    [
        ("Quelle;Ziel;Rate", "0-1"),
        ("von;nach;rate", "0-1"),
        ("ingress;egress;rate", "0-1"),
        ("source_node;target_node;rate", "0-1"),
        ("Target Node;sourceId;rate", "1-0"),
        ("origin;destination;rate", "0-1"),
        ("sid;tid;rate", "m, line 1: sid;tid;rate: the first line is not from,to,rate"),
        ("a;b;rate", "name the columns: from (or source, src, sender, origin, ingress, quelle, von), to (or target, "),
        ("from;to;x", "call it rate (or demand, value, bandwidth, bw, traffic, volume, load, bitrate, capacity), with"),
    ],
)
def test_the_names_that_the_columns_of_a_list_may_have(tmp_path: Path, head: str, told: str) -> None:
    assert told in imported(tmp_path, NET, f"{head}\n0;1;5\n")


@pytest.mark.parametrize(
    ("matrix", "told"),
    [
        (",0,1\n0,nan,5\n1,NaN,\n", "# - demands: empty cells of the square, or NaN, no demand: 1\n"),
        ("nan 5 0\n1 nan NaN\n0 0 nan\n", "# - demands: empty cells of the square, or NaN, no demand: 1\n"),
        (",0,1\n0,0,5,7\n1,2,0\n", "m, line 2: 0,0,5,7: the line has 3 rates, for 2 nodes"),
        (",0,,1\n0,0,5,5\n1,0,5,5\n", "m, line 1: a column of the square has no name; name its node, or delete"),
        (",0,1\n0,0,5\n,0,5\n1,5,0\n", "m, line 3: a row of the square has no name; name its node, or delete the row"),
    ],
)
def test_cells_of_a_square_without_a_rate_and_lines_without_a_name(tmp_path: Path, matrix: str, told: str) -> None:
    assert told in imported(tmp_path, NET, matrix)

"""What holds of every figure: nothing is cut off, the same bytes each time, and drawings for a page."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest
from matplotlib.figure import Figure
from sheets import CURVE, ZERO, one_of_each_kind, samples, sheet, wave

from penstock.core.errors import InputError
from penstock.plot import (
    Curve,
    Diagram,
    Lane,
    Panel,
    Sheet,
    Wire,
    against,
    draw,
    inline,
    network,
    over_time,
    save,
    shared_traces,
)
from penstock.plot.layout import drawing, frame_of, octets
from penstock.plot.letters import boxes_allowed


@pytest.mark.parametrize("made", samples(), ids=lambda made: f"{made.name}-{made.columns}")
def test_nothing_is_cut_off_and_no_ticks_overlap(made: Sheet) -> None:
    figure = draw(made)
    fits(figure, below=0.0, above=0.0)
    frame = frame_of(made)  # a page removes title and caption, and their space
    for text in figure.texts:
        text.set_visible(False)
    fits(figure, below=frame.below, above=frame.above)


def fits(figure: Figure, *, below: float, above: float) -> None:
    """Asserts that a figure fits between the inches that are removed below and above, and that no ticks overlap."""
    width, height = figure.get_size_inches()
    figure.draw_without_rendering()
    drawn = figure.get_tightbbox()
    room = min(drawn.x0, drawn.y0 - below, width - drawn.x1, height - above - drawn.y1)
    assert room > -0.01, f"{drawn} on {width} by {height}"
    for axis in figure.axes:
        low, high = axis.get_xlim()
        labels = [
            label.get_window_extent()
            for place, label in zip(axis.get_xticks(), axis.get_xticklabels(), strict=False)
            if low <= place <= high and label.get_text() and label.get_rotation() == 0
        ]
        assert not any(one.overlaps(other) for one, other in combinations(labels, 2))


LONG_NAMES = ("group-of-flows_" * 8, "\N{CJK UNIFIED IDEOGRAPH-6771}" * 100, "_w" * 60, "W m" * 40)


def lanes(names: tuple[str, ...], *, row: bool) -> Sheet:
    """A network with groups of flows with these names, to the right and to the left."""
    nodes = {"a": (0.0, 0.0), "b": (1.0, 0.0), "c": (2.0, 0.0 if row else 1.0)}
    hops = [("b", "c"), ("c", "b"), ("a", "b"), ("b", "a")]
    groups = [Lane(name, [hop], hop[:1], hop[1:]) for name, hop in zip(names, hops, strict=True)]
    wires = [Wire("l", ("a", "b"), "1 Mb/s"), Wire("k", ("b", "c"), "1 Mb/s")]
    return network("n", "N", Diagram(nodes, wires, groups, row))


@pytest.mark.parametrize(
    "made",
    [
        over_time("t", "T", [wave(name) for name in LONG_NAMES], y_label="y"),
        shared_traces("s", "S", [Panel("", "y", traces=[wave(name)]) for name in LONG_NAMES]),
        lanes(LONG_NAMES, row=True),
        lanes(LONG_NAMES, row=False),
    ],
    ids=["one panel", "several panels", "row", "network"],
)
def test_the_longest_names_are_not_cut_off(made: Sheet) -> None:
    with boxes_allowed():
        fits(draw(made), below=0.0, above=0.0)


def test_letters_that_the_font_has_not_are_told_without_a_warning() -> None:
    """A warning makes a test fail."""
    figure = over_time("t", "Łódź → Αθήνα", [wave("東京 → Łódź"), wave("日本\n大阪")], y_label="y", caption="Told.")
    told = (
        "Told. Each box stands for a letter that the font of the figures, DejaVu Sans, has not: U+6771, U+4EAC, U+65E5"
    )
    assert figure.told == f"{told} and 3 more."
    assert frame_of(figure).caption.replace("\n", " ") == figure.told
    assert octets(draw(figure), "png")
    assert drawing(figure).svg
    assert over_time("t", "T", [wave("Łódź → Αθήνα")], y_label="y", caption="Told.").told == "Told."
    told = "A box stands for a letter that the font of the figures, DejaVu Sans, has not: U+6771."
    assert lanes(("a", "b", "c", "東"), row=True).told == told


def test_a_sign_that_matplotlib_reads_as_mathematics_is_only_a_sign() -> None:
    weird = [Curve("$a_b \\frac", CURVE.points), Curve("$5", CURVE.points)]
    figure = draw(against("w", "$\\oops$", weird, x_label="$x$", y_label="y"))
    figure.draw_without_rendering()
    assert figure.texts[0].get_text() == "$\\oops$"


def test_the_same_data_give_the_same_bytes_in_another_process(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
    written = [path for made in one_of_each_kind() for path in save(made, here)]
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); from sheets import one_of_each_kind; "
        "from penstock.plot import save; [save(made, sys.argv[2]) for made in one_of_each_kind()]"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    command = [sys.executable, "-c", script, str(Path(__file__).parent), str(there)]
    subprocess.run(command, check=True, env=environment)
    assert {path.suffix for path in written} == {".svg", ".png"}
    for path in written:
        assert path.read_bytes() == (there / path.name).read_bytes()
    assert b"<dc:date>" not in written[0].read_bytes()


def test_a_sheet_is_drawn_once_for_its_file_and_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def counting(figure: Figure, suffix: str) -> bytes:
        made.append(suffix)
        return octets(figure, suffix)

    monkeypatch.setattr("penstock.plot.layout.octets", counting)
    one, other = sheet(Panel("x", "y", [CURVE])), sheet(Panel("x", "y", [ZERO]))
    save(one, tmp_path)
    before = [path.read_bytes() for path in sorted(tmp_path.iterdir())]
    inline([one])
    save(one, tmp_path)
    assert sorted(made) == ["png", "svg"]
    save(other, tmp_path)  # of the same name
    assert sorted(made) == ["png", "png", "svg", "svg"]
    after = [path.read_bytes() for path in sorted(tmp_path.iterdir())]
    assert all(old != new for old, new in zip(before, after, strict=True))


def test_a_drawing_for_a_page_has_neither_title_nor_caption(tmp_path: Path) -> None:
    made = sheet(Panel("", "", [CURVE]))
    plain = Sheet("plain", "", "", made.panels)
    boxes = [re.search(r'viewBox="0 (\S+) (\S+) (\S+)"', each) for each in inline([made, plain])[1]]
    assert boxes[0] is not None
    assert boxes[1] is not None
    assert float(boxes[0][1]) == pytest.approx(72 * 0.3)
    assert float(boxes[1][1]) == 0
    assert [float(each) for each in boxes[0].groups()[1:]] == pytest.approx([float(e) for e in boxes[1].groups()[1:]])
    for part in ("title", "caption"):
        assert f'id="{part}"'.encode() in drawing(made).svg
    letters = [each.count("<use") for each in inline([made, plain])[1]]
    assert letters[0] == letters[1]


def test_drawings_for_a_page_share_no_ids_and_refer_to_what_is_there() -> None:
    made = one_of_each_kind()
    shared, drawings = inline([*made, *made])
    page = ElementTree.fromstring(f"<page>{shared}{''.join(drawings)}</page>")
    ids = [element.attrib["id"] for element in page.iter() if "id" in element.attrib]
    assert len(set(ids)) == len(ids)
    referred = set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', "".join(drawings)))
    assert {"".join(pair) for pair in referred} == set(ids)
    assert drawings[0].startswith("<svg ")
    assert [each.get("aria-label") for each in page[1:]] == [each.title for each in (*made, *made)]


def test_a_drawing_for_a_page_is_much_smaller_than_its_file_and_says_the_same(tmp_path: Path) -> None:
    made = samples()[0]
    file = save(made, tmp_path)[0].read_text(encoding="utf-8")
    shared, (drawing,) = inline([made])
    assert len(drawing) < len(file) / 3.5
    assert len(shared) + len(drawing) < len(file) / 2
    bands = re.findall(r"\bopacity: ?0.15", file)
    assert len(re.findall(r"\bopacity: ?0.15", drawing + shared)) >= len(bands) / 2 > 0


def test_figures_can_be_saved_into_a_folder_that_is_not_there_yet(tmp_path: Path) -> None:
    made = sheet(Panel("x", "y", [CURVE]))
    files = save(made, str(tmp_path / "new" / "figures"))
    assert [file.name for file in files] == ["figure.svg", "figure.png"]
    assert all(file.is_file() for file in files)


def test_a_file_in_the_place_of_the_folder_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("text")
    with pytest.raises(InputError, match="this is a file, not a directory"):
        save(sheet(Panel("x", "y", [CURVE])), tmp_path / "taken")

"""The files that the blocks of the documentation are parts of."""

from __future__ import annotations

from documented import Block, Session, other

from penstock.core.scenario import read

LINES = 'duration = "1 s"\n'
SENDER = """
[flow.data]
path = ["a", "b"]
"""
LINE = """
[line.ab]
between = ["a", "b"]
rate = "6 Mb/s"
delay = "5 ms"
queues = [{ drop_tail = { size = "100 cells" } }]
"""
NOTIFIED = LINES + SENDER + 'traffic.cbr = { rate = "1 Mb/s" }\nreaction_point.rate_factor = {}\n' + LINE
ROW = "\n".join(
    f'[line.{name}]\nbetween = ["{one}", "{two}"]\nrate = "6 Mb/s"\ndelay = "5 ms"\n'
    'queues = [{ clp_threshold = { size = "512 cells", threshold = "256 cells" } }]\n'
    "congestion_point.class_rates = {}"
    for name, one, two in (("x", "user", "router"), ("y", "router", "station"), ("z", "station", "terminal"))
)
TWO_LINES = "\n".join(
    f'[line.{name}]\nbetween = ["here", "{name}_end"]\nrate = "6 Mb/s"\ndelay = "5 ms"\n'
    f'[flow.of_{name}]\npath = ["here", "{name}_end"]\ntraffic.poisson = {{ rate = "1 Mb/s" }}'
    for name in ("east", "west")
)
STATIONS = "\n".join(
    f'[line.{name}]\nbetween = ["{name}_router", "middle"]\nrate = "6 Mb/s"\ndelay = "5 ms"\n'
    f'[flow.of_{name}]\npath = ["{name}_router", "middle"]\ntraffic.poisson = {{ rate = "1 Mb/s" }}'
    for name in ("satellite", "satellite_west")
)
ATN = LINES + "\n".join(
    f'[line.{one}]\nbetween = ["{one}", "{two}"]\nrate = "64 kb/s"\ndelay = "5 ms"\n'
    'queues = [{ drop_tail_bits = { size = "262144 bits" } }]\ncongestion_point.clnp = { ce_threshold = "40000 bits" }'
    for one, two in (("es1", "router"), ("es2", "router"), ("router", "es12"))
)
STUDIO = LINES + "\n".join(
    f'[line.{one}]\nbetween = ["{one}", "{two}"]\nrate = "155.52 Mb/s"\ndelay = "5 ms"'
    for one, two in (("studio", "switch"), ("switch", "viewer"))
)
VOICE = """
[flow.voice]
count = 20
path = ["router", "station"]
traffic.on_off = { peak_rate = "64 kb/s", on = "0.5 s", off = "0.5 s" }
reaction_point.rate_factor = {}
"""
HUB = """
[flow.data]
path = ["north", "hub", "south"]
traffic.poisson = { rate = "10 kb/s" }
octets = 1000
"""
PARTS = {
    ("guides/control-scheme.md", "congestion_point.queue_length"): NOTIFIED,
    ("guides/live.md", "[[change]]"): read("satellite/1-case-2"),
    ("guides/scenarios.md", "[line.satellite]"): LINES + VOICE,
    ("guides/scenarios.md", "[capacity.satellite]"): LINES + TWO_LINES,
    ("guides/scenarios.md", "[defaults.line]"): LINES + HUB,
    ("guides/scenarios.md", "[flow.voice]"): LINES + ROW,
    ("guides/scenarios.md", "traffic.on_off"): LINES + LINE + SENDER,
    ("guides/scenarios.md", "[flow.reports]"): ATN,
    ("guides/video.md", "[flow.video]"): STUDIO,
    ("guides/video.md", "[flow.film]"): STUDIO,
    ("studies/satellite-beyond.md", "[capacity.satellite]"): LINES + STATIONS,
    ("studies/atn-beyond.md", "[[change]]"): read("atn/scenario-a"),
}
"""The rest of the file that each part is a part of."""


def begin_part(session: Session, block: Block) -> None:
    """Put a part into its file, and simulate that."""
    rest = next(
        rest for (page, first), rest in PARTS.items() if (page, block.first[: len(first)]) == (block.page, first)
    )
    text = f"{rest}\n{block.text}"
    session.begin(text)
    session.files.append(text)


for _page, _first in PARTS:
    other(_page, _first, why="a part of a file: the whole begins to run")(begin_part)

"""The arguments of a class in Python, as far as its text says them: a scenario with another parameter is refused."""

from __future__ import annotations

import json

import pytest

from penstock import InputError, Scenario, Simulation
from penstock.core.classes import completed

PATH = "flow.a.transport.stream.controller.python"
METHOD = "    def on_ack(self, ack): ...\n"


def table(text: str) -> dict[str, object]:
    """The table of the class Own in such a file, as loading completes it."""
    given = json.dumps({"file": "own.py", "class": "Own", "source": text})
    found: dict[str, object] = json.loads(completed(given, PATH, "own.toml"))
    return found


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("class Own:\n", []),
        ("class Own(object):\n    def __init__(self, beta, *, gain=1): ...\n", ["beta", "gain"]),
        ("class Base:\n    def __init__(self, beta): ...\nclass Own(Base):\n", ["beta"]),
        ("@dataclass\nclass Own:\n    beta: float\n    gain: float = 2\n    state = 3\n", ["beta", "gain"]),
        (
            "@dataclasses.dataclass(frozen=True)\nclass Base:\n    beta: float\n"
            "@dataclass\nclass Own(Base):\n    gain: float = field(default=2)\n    known: ClassVar[int] = 3\n",
            ["beta", "gain"],
        ),
        (
            "class Base:\n    def __init__(self, gain): ...\nclass Own(Base):\n    def __init__(self, beta): ...\n",
            ["beta"],
        ),
        (
            "@dataclass\nclass Base:\n    beta: float\n@dataclass\nclass Own(Base):\n    beta: ClassVar[float] = 1\n",
            [],
        ),
        # The text alone does not say what these take.
        ("class Own:\n    def __init__(self, **more): ...\n", None),
        ("class Own:\n    def __new__(cls, beta): ...\n", None),
        ("class Own:\n    @wrapped\n    def __init__(self, beta): ...\n", None),
        ("class Own(Other):\n    beta: float = 1\n", None),
        ("class Own(metaclass=Other):\n    beta: float = 1\n", None),
        ("@define\nclass Own:\n    beta: float = 1\n", None),
        ("@dataclass(init=False)\nclass Own:\n    beta: float = 1\n", None),
        ("@dataclass\nclass Own:\n    beta: float = field(init=False)\n", None),
        ("@dataclass\nclass Own:\n    beta: float\n    def __init__(self, gain): ...\n", None),
        ("from dataclasses import KW_ONLY as K\n@dataclass\nclass Own:\n    _: K\n    beta: float\n", None),
        ("class Own:\n    if True:\n        def __init__(self, beta): ...\n", None),
        ("class Own:\n    def __init__(self): ...\n    def __init__(self, beta): ...\n", None),
        ("def made(self, beta): ...\nclass Own:\n    __init__ = made\n", None),
        ("from penstock import Own\nclass Own(Own):\n    beta = 1\n", None),
        ("class Base:\n    def __init_subclass__(cls): ...\nclass Own(Base):\n    beta: float\n", None),
    ],
)
def test_the_text_of_a_class_says_its_arguments(text: str, arguments: list[str] | None) -> None:
    assert table(text + METHOD).get("arguments") == arguments


BETA = f"class Own:\n    def __init__(self, beta=0.5):\n        self.beta = beta\n{METHOD}"


def scenario(parameters: str, change: str = "", source: str = BETA) -> Scenario:
    return Scenario.parse(f"""
duration = "1 s"
[line.out]
between = ["a", "b"]
rate = "1 Mb/s"
[flow.a]
path = ["a", "b"]
octets = 1500
traffic.greedy = {{}}
[flow.a.transport.stream.controller.python]
file = "own.py"
class = "Own"
source = '''{source}'''
parameters = {{ {parameters} }}
{change}
""")


@pytest.mark.parametrize("after", ["Own = dataclass(Own)", "Own.__init__ = made"])
def test_a_class_that_changes_later_may_take_anything(after: str) -> None:
    assert table(f"class Own:\n    beta: float\n{METHOD}{after}\n").get("arguments") is None


def test_arguments_that_the_text_does_not_say_are_not_kept() -> None:
    given = {"file": "own.py", "class": "Own", "source": f"class Own(Other):\n{METHOD}", "arguments": ["zeta"]}
    assert "arguments" not in json.loads(completed(json.dumps(given), PATH, "own.toml"))


def test_a_parameter_that_is_no_argument_is_refused_where_it_stands() -> None:
    with pytest.raises(InputError, match=r"python\.parameters\.bata = 1: the class Own has no argument bata; did you"):
        scenario("bata = 1")


def test_a_change_of_what_is_no_argument_is_refused_before_the_run() -> None:
    change = f'[[change]]\nat = "500 ms"\npath = "{PATH}.parameters.gain"\nvalue = 1'
    with pytest.raises(InputError, match=r"change\[0\]\.value = 1: the class Own has no argument gain; it has beta"):
        scenario("", change)
    scenario("", change.replace("gain", "beta"))


def test_an_instance_tells_of_what_the_text_does_not_say() -> None:
    hidden = f"class Own:\n    def __new__(cls, beta=0.5): return super().__new__(cls)\n{METHOD}    window = 5300\n"
    simulation = Simulation(scenario("", "", hidden), allow_python=True)
    simulation.run_until("100 ms")
    simulation.change({f"{PATH}.parameters.gain": 1})
    with pytest.raises(
        InputError, match=r"failed at 0\.1 s of flow a: TypeError: the class has no argument gain; it has beta"
    ):
        simulation.run_until("200 ms")

from collections.abc import Callable, Sequence
from typing import Literal, final

__all__ = [
    "REPORT",
    "DefectError",
    "Run",
    "ScenarioError",
    "Table",
    "__version__",
    "columns",
    "estimate",
    "expand_sweep",
    "frames",
    "line_of",
    "normalise",
    "schema",
    "sources",
    "sweep_lengths",
    "to_toml",
]

__version__: str
sources: str
REPORT: str

class ScenarioError(ValueError):
    line: int | None
    path: str
    value: str
    reason: str
    remedy: str

class DefectError(RuntimeError): ...

@final
class Table:
    @staticmethod
    def from_ipc(stream: bytes) -> Table: ...
    @staticmethod
    def stack(column: str, labels: Sequence[str], tables: Sequence[Table]) -> Table: ...
    def to_ipc(self) -> bytes: ...
    @property
    def columns(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Run:
    def __new__(
        cls,
        json: str,
        seed: int,
        replication: int,
        form: Literal["fast", "plain"] = "fast",
        most_pdus: int | None = None,
        most_memory: int | None = None,
    ) -> Run: ...
    def advance(self, seconds: float) -> bool: ...
    @property
    def progress(self) -> float: ...
    def report(self) -> dict[str, Table]: ...
    @property
    def end_s(self) -> float: ...
    @property
    def measured_s(self) -> float: ...
    @property
    def events(self) -> int: ...
    @property
    def fingerprint(self) -> str: ...

def normalise(text: str, form: Literal["toml", "json"], read_file: Callable[[str, str], str] | None = None) -> str: ...
def estimate(json: str, most_pdus: int | None = None, most_memory: int | None = None) -> tuple[int, int, int]: ...
def to_toml(json: str) -> str: ...
def schema() -> str: ...
def columns() -> str: ...
def frames(json: str, group: str, seed: int, replication: int) -> tuple[list[int], float]: ...
def line_of(text: str, path: str) -> int | None: ...
def sweep_lengths(json: str) -> list[int]: ...
def expand_sweep(json: str) -> str: ...

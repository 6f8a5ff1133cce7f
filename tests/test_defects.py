"""A defect of the engine: one paragraph that asks for a report, status 70, and no other run is lost."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from moments import python_path

from penstock import Scenario, Task, _engine
from penstock.analyse.results import Results
from penstock.execute import worker

Command = Callable[..., subprocess.CompletedProcess[str]]

# Every Python process started with it has an engine that fails as PyO3 does, which has no class to import.
FAILING = """\
from penstock import _engine

Panic = type("PanicException", (BaseException,), {"__module__": "pyo3_runtime"})
real = _engine.Run


class Run:
    def __init__(self, json, seed, replication, *rest, **named):
        self.run = real(json, seed, replication, *rest, **named)
        self.replication = replication

    def __getattr__(self, name):
        return getattr(self.run, name)

    def advance(self, span):
        if self.replication == 1:
            raise KIND
        return self.run.advance(span)


_engine.Run = Run
"""
PANIC = 'Panic("index out of bounds:\\n the len is 0")'
DEFECT = '_engine.DefectError("the engine has failed at world.rs:7: oh; " + _engine.REPORT)'


@pytest.fixture
def failing(penstock: Command, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Command]:
    """The command, with an engine that fails in replication 1."""

    def of(kind: str) -> Command:
        folder = tmp_path_factory.mktemp("failing")
        (folder / "sitecustomize.py").write_text(FAILING.replace("KIND", kind), encoding="utf-8")
        return lambda *arguments, **environment: penstock(*arguments, PYTHONPATH=python_path(folder), **environment)

    return of


def paragraph(done: subprocess.CompletedProcess[str], status: int, *words: str) -> None:
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    (told,) = [line for line in done.stderr.splitlines() if _engine.REPORT in line]
    assert told.startswith("penstock: ")
    for word in words:
        assert word in told


@pytest.mark.parametrize(
    ("kind", "words"), [(PANIC, "index out of bounds: the len is 0;"), (DEFECT, "at world.rs:7: oh")]
)
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_that_meets_a_defect(
    failing: Callable[[str], Command], small_file: Path, kind: str, words: str, jobs: int
) -> None:
    done = failing(kind)("run", small_file, "--replications", 3, "--jobs", jobs, "--quiet")
    paragraph(done, 70, words)
    assert done.stderr.count("\n") == 1
    assert failing(kind)("run", small_file, "--jobs", jobs).returncode == 0


def test_a_panic_anywhere_else(penstock: Command, small_file: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("failing")
    code = (
        FAILING.split("real =")[0]
        + f"\ndef normalise(*_arguments):\n    raise {PANIC}\n\n_engine.normalise = normalise\n"
    )
    (folder / "sitecustomize.py").write_text(code, encoding="utf-8")
    done = penstock("check", small_file, PYTHONPATH=python_path(folder))
    paragraph(done, 70, "a part written in Rust has failed: index out of bounds: the len is 0;")
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_sweep_keeps_everything_but_the_run_that_meets_a_defect(
    failing: Callable[[str], Command], small_file: Path, jobs: int
) -> None:
    text = small_file.read_text(encoding="utf-8")
    axis = '\n[sweep]\nreplications = 3\n[[sweep.axis]]\n"flow.steady.count" = [2, 3]\n'
    small_file.write_text(text + axis, encoding="utf-8")
    out = small_file.parent / "out"
    done = failing(PANIC)("sweep", small_file, "--jobs", jobs, "--out", out, "--quiet")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "died" not in done.stderr
    told = [line for line in done.stderr.splitlines() if line.startswith("penstock: a run failed: ")]
    assert len(told) == 2
    assert all("replication 1: " in line and line.endswith(_engine.REPORT) for line in told)
    results = Results(out)
    assert (results.plan.height, results.missing()) == (6, 2)


def test_the_next_task_is_run_after_a_panic(small: Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    real = _engine.Run
    panic = type("PanicException", (BaseException,), {"__module__": "pyo3_runtime"})

    def run(json: str, seed: int, *rest: object) -> object:
        if seed == 7:
            raise panic("oh")
        return real(json, seed, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(_engine, "Run", run)
    failed, done = worker.run_each([Task(small.to_json(), 7), Task(small.to_json(), 8)], lambda _: None)
    assert isinstance(failed, worker.Failure)
    assert isinstance(failed.error, _engine.DefectError)
    assert failed.reason == f"a part written in Rust has failed: oh; {_engine.REPORT}"
    assert isinstance(done, worker.Outcome)

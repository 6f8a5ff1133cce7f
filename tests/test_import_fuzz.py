"""The readers of `penstock import` on the files of the fuzzer, on changes of them, and on what it has found."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path
from typing import Any

import pytest

from penstock import InputError, import_network, import_trace
from penstock.importing.library import reading

ROOT = Path(__file__).parent.parent
SEEDS = sorted((ROOT / "fuzz" / "imports").iterdir())


def _fuzzer() -> Any:
    spec = importlib.util.spec_from_file_location("fuzz_imports", ROOT / "tools" / "fuzz_imports.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FUZZER = _fuzzer()


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_TRACES", str(tmp_path / "traces"))


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: seed.name)
def test_the_files_that_the_fuzzer_begins_with_are_valid(seed: Path, tmp_path: Path) -> None:
    file = tmp_path / seed.name
    file.write_bytes(seed.read_bytes())
    FUZZER.reader_of(file)()


FOUND = {
    "net.json": b'{"graph": true, "nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "b"}]}',
    "net.gml": b"graph [ node [ id 0 Latitude " + b"5" * 400 + b" ] node [ id 1 ] edge [ source 0 target 1 ] ]",
    "packets.csv": b"time,s\rizeize\n0,60\n0.5,1500\n",
    "hub.json": b'{"graph": {"demands": {"": 5}}, "nodes": [{"id": 0}], "edges": []}',
    "hpcc.txt": b"3 99999999999999999999 2\n2\n0 2 100Gbps 1us 0\n",
}


@pytest.mark.parametrize("name", FOUND)
def test_what_the_fuzzer_has_found_is_read_or_refused(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_bytes(FOUND[name])
    assert not FUZZER.judged(file)


def test_control_characters_of_a_file_are_not_in_its_scenario(tmp_path: Path) -> None:
    native = (ROOT / "fuzz" / "imports" / "native.txt").read_text(encoding="utf-8")
    (tmp_path / "native.txt").write_text(native.replace("DEMANDS", "\x1aDEMANDS"), encoding="utf-8")
    text = import_network(tmp_path / "native.txt", list_out=tmp_path / "list.toml")
    assert "\n# - sections that are not used: DEMANDS\n" in text


def test_a_parquet_file_that_ends_the_process_of_its_reader_is_refused(tmp_path: Path) -> None:
    octets = bytearray((ROOT / "fuzz" / "imports" / "packets.parquet").read_bytes())
    octets[102], octets[120] = 1, 13  # the length of a text in a page
    (tmp_path / "packets.parquet").write_bytes(octets)
    told = r"packets\.parquet: this Parquet file cannot be read: memory allocation of \d+ bytes failed; write it again"
    with pytest.raises(InputError, match=told):
        import_trace(tmp_path / "packets.parquet", time="time:s", size="size:octets")


@pytest.mark.parametrize("is_ours", [True, False])
def test_the_fuzzer_tells_our_own_code_from_libraries_in_a_clone_called_penstock(is_ours: bool) -> None:
    folder = FUZZER.PACKAGE if is_ours else Path("/home/me/penstock/.venv/lib/networkx")
    code = compile("1 / 0", str(folder / "graphml.py"), "exec")
    with pytest.raises(InputError) as refusal, reading("a network", "a.graphml"):
        exec(code)
    assert FUZZER.is_ours(refusal.value) is is_ours


def test_a_panic_of_a_library_is_a_fault_of_the_file() -> None:
    class Panic(BaseException):
        """As that of polars, which a damaged Parquet file causes."""

    told = r"^a\.parquet: this cannot be read as packets: Panic: index out of bounds;"
    with pytest.raises(InputError, match=told), reading("packets", "a.parquet"):
        raise Panic("index out of bounds")
    with pytest.raises(KeyboardInterrupt), reading("packets", "a.parquet"):
        raise KeyboardInterrupt


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: seed.name)
def test_a_changed_file_is_read_or_refused(seed: Path, tmp_path: Path) -> None:
    draw, octets = random.Random(seed.name), [each.read_bytes() for each in SEEDS]
    for _ in range(5):
        file = tmp_path / seed.name
        file.write_bytes(FUZZER.changed(seed.read_bytes(), octets, draw))
        assert not FUZZER.judged(file), file.read_bytes()

"""A real Dask cluster with TLS, with certificates made for the test; and invalid TLS files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from conftest import Command
from test_bad_input import refused
from test_sweep import AXES, SWEEP, tables

from penstock import InputError, Scenario, Sweep
from penstock.scheduler import Scheduler

pytestmark = pytest.mark.in_process

pytest.importorskip("distributed")
trustme = pytest.importorskip("trustme")


def write_certificates(folder: Path) -> None:
    """An authority, one certificate that it signed for all parts of the cluster, and one of another authority."""
    for prefix in ("", "other-"):
        authority = trustme.CA()
        authority.cert_pem.write_to_path(folder / f"{prefix}ca.pem")
        issued = authority.issue_cert("127.0.0.1")
        issued.private_key_pem.write_to_path(folder / f"{prefix}key.pem")
        issued.cert_chain_pems[0].write_to_path(folder / f"{prefix}cert.pem")


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certificates")
    write_certificates(folder)
    return folder


def tls_options(folder: Path, prefix: str = "") -> list[str]:
    return [
        *("--tls-ca-file", str(folder / f"{prefix}ca.pem")),
        *("--tls-cert", str(folder / f"{prefix}cert.pem")),
        *("--tls-key", str(folder / f"{prefix}key.pem")),
    ]


def start(stack: ExitStack, log: Path, *arguments: str) -> subprocess.Popen[bytes]:
    with log.open("ab") as file:
        process = subprocess.Popen([sys.executable, "-m", "dask", *arguments], stdout=file, stderr=file, cwd=log.parent)
    stack.callback(process.wait)
    stack.callback(process.kill)
    return process


@pytest.fixture(scope="module")
def address(certificates: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a scheduler with two workers, all of them processes that use only TLS."""
    from distributed import Client

    folder = tmp_path_factory.mktemp("cluster")
    log, file = folder / "log", folder / "scheduler.json"
    # Dask chooses the port and writes it to a file; a port that the test found free could be in use later.
    options = ["--host", "127.0.0.1", "--no-dashboard", *tls_options(certificates)]
    with ExitStack() as stack:
        scheduler = ["--protocol", "tls", "--port", "0", "--no-show", "--scheduler-file", str(file)]
        start(stack, log, "scheduler", *scheduler, *options)
        common = ["--nthreads", "1", "--no-nanny", "--local-directory", str(folder), "--protocol", "tls"]
        for _ in range(2):  # a worker waits for the file
            start(stack, log, "worker", "--scheduler-file", str(file), *common, *options)
        security = Scheduler("tls://", **named(certificates)).security()
        with Client(scheduler_file=str(file), security=security, timeout=600, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=600)
        yield str(json.loads(file.read_text(encoding="utf-8"))["address"])


def named(folder: Path, prefix: str = "") -> dict[str, Path]:
    """The same as arguments in Python."""
    return {f"tls_{name}": folder / f"{prefix}{file}.pem" for name, file in FILES.items()}


FILES = {"ca_file": "ca", "cert": "cert", "key": "key"}


# ------------------------------------------------------------------------------------------------ a cluster
def test_a_cluster_with_tls_gives_the_same_bytes(
    address: str, certificates: Path, small: Scenario, tmp_path: Path
) -> None:
    assert address.startswith("tls://")
    sweep = Sweep(small, AXES, replications=3)
    there = sweep.run(tmp_path / "out", cluster=Scheduler(address, **named(certificates)))
    assert tables(there) == tables(sweep.run(tmp_path / "here"))


def test_the_command_takes_the_files(
    address: str, certificates: Path, penstock_in_new_process: Command, small_text: str, tmp_path: Path
) -> None:
    (tmp_path / "rates.toml").write_text(small_text + SWEEP, encoding="utf-8")
    done = penstock_in_new_process(
        "sweep", "rates.toml", "--cluster", address, *tls_options(certificates), "--out", "there"
    )
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "there" / "experiment.json").read_text(encoding="utf-8"))["complete"]


def test_dask_s_own_configuration_will_do(
    address: str, certificates: Path, penstock_in_new_process: Command, small_text: str, tmp_path: Path
) -> None:
    (tmp_path / "rates.toml").write_text(small_text + SWEEP, encoding="utf-8")
    tls = "DASK_DISTRIBUTED__COMM__TLS__"
    environment = {
        f"{tls}CA_FILE": str(certificates / "ca.pem"),
        f"{tls}CLIENT__CERT": str(certificates / "cert.pem"),
        f"{tls}CLIENT__KEY": str(certificates / "key.pem"),
    }
    done = penstock_in_new_process("sweep", "rates.toml", "--cluster", address, "--out", "there", **environment)
    assert done.returncode == 0, done.stderr


def test_a_stranger_is_turned_away(address: str, certificates: Path, small: Scenario, tmp_path: Path) -> None:
    strangers = [
        Scheduler(address, **named(certificates, "other-")),  # neither accepts the other
        Scheduler(address, certificates / "ca.pem", certificates / "other-cert.pem", certificates / "other-key.pem"),
        Scheduler(address.replace("tls://", "tcp://")),
    ]
    for stranger in strangers:
        with pytest.raises(InputError, match=r"--cluster = .* no scheduler answers there"):
            Sweep(small, AXES).run(tmp_path / "out", cluster=stranger)
    assert not (tmp_path / "out").exists()


# ------------------------------------------------------------------------------------------------ bad files
@pytest.fixture
def files(certificates: Path, tmp_path: Path) -> dict[str, Path]:
    from cryptography.hazmat.primitives import serialization

    folder = tmp_path / "bad"
    folder.mkdir()
    key = serialization.load_pem_private_key((certificates / "key.pem").read_bytes(), None)
    encrypted = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.BestAvailableEncryption(b"secret")
    )
    (folder / "encrypted").write_bytes(encrypted)
    (folder / "text").write_text("no certificate\n", encoding="utf-8")
    (folder / "empty").touch()
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "pipe")
    return {name: folder / name for name in ("encrypted", "text", "empty", "pipe", "missing")} | {
        "directory": folder,
        "other": certificates / "other-key.pem",
    }


BAD = [
    ("ca_file", "missing", "--tls-ca-file", "No such file"),
    ("ca_file", "directory", "--tls-ca-file", "a directory"),
    ("ca_file", "text", "--tls-ca-file", "cannot be used"),
    ("ca_file", "empty", "--tls-ca-file", "cannot be used"),
    ("cert", "missing", "--tls-cert", "No such file"),
    ("cert", "text", "--tls-key", "cannot be used"),
    ("key", "text", "--tls-key", "cannot be used"),
    ("key", "other", "--tls-key", "cannot be used"),
    ("key", "encrypted", "--tls-key", "the key is encrypted"),
]
BAD += [(name, "pipe", "--tls-", "a pipe") for name in FILES if hasattr(os, "mkfifo")]


@pytest.mark.parametrize(("name", "file", "option", "told"), BAD)
def test_files_that_are_none_are_told_before_anybody_is_asked(
    certificates: Path, files: dict[str, Path], name: str, file: str, option: str, told: str
) -> None:
    arguments = named(certificates) | {f"tls_{name}": files[file]}
    with pytest.raises(InputError) as raised:
        Scheduler("tls://127.0.0.1:1", **arguments).security()
    assert option in str(raised.value)
    assert told in str(raised.value)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--cluster", "tls://127.0.0.1:1"], "TLS needs --tls-ca-file"),
        (["--cluster", "tls://127.0.0.1:1", "--tls-ca-file", "x"], "TLS needs --tls-cert"),
        (
            ["--cluster", "tcp://127.0.0.1:1", "--tls-key", "x"],
            "--tls-key = x: --cluster tcp://127.0.0.1:1 is not an address",
        ),
        (["--tls-cert", "x"], "--tls-cert = x: this option needs a cluster"),
    ],
)
def test_options_that_do_not_go_together(
    penstock: Command, small_text: str, tmp_path: Path, arguments: list[str], told: str
) -> None:
    (tmp_path / "rates.toml").write_text(small_text + SWEEP, encoding="utf-8")
    refused(penstock("sweep", "rates.toml", *arguments), told)


def test_the_help_says_who_runs_code_there(penstock: Command) -> None:
    for command in ("sweep", "compare", "league", "reproduce"):
        told = " ".join(penstock(command, "--help").stdout.split())
        assert "anyone who can reach it can run code on it" in told
        assert "--tls-ca-file" in told

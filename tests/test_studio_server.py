"""`penstock studio`: the server of the page, and links to a scenario."""

from __future__ import annotations

import base64
import http.client
import json
import signal
import socket
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from penstock import InputError
from penstock.cli import main
from penstock.core.scenario import ready
from penstock.studio import STATIC, StudioServer, link_to
from penstock.studio.server import TYPES

needs_page = pytest.mark.skipif(
    not (STATIC / "index.html").is_file(), reason="the page is not built: `make studio` builds it"
)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A small page with a script, and a file that is not part of it."""
    folder = tmp_path / "static"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<title>page</title>", encoding="utf-8")
    (folder / "assets" / "engine.wasm").write_bytes(b"\0asm")
    (folder / "assets" / "page.js").write_text("1", encoding="utf-8")
    (folder / "notes.private").write_text("no", encoding="utf-8")
    (tmp_path / "outside.html").write_text("no", encoding="utf-8")
    return folder


@pytest.fixture
def server(page: Path) -> Iterator[StudioServer]:
    with StudioServer(folder=page) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def ask(
    server: StudioServer, path: str, method: str = "GET", host: str | None = None
) -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1])
    connection.request(method, path, headers={} if host is None else {"Host": host})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


def test_files_come_with_their_types_and_the_policy(server: StudioServer) -> None:
    for path, kind, octets in [
        ("/", "text/html; charset=utf-8", b"<title>page</title>"),
        ("/index.html?new=1", "text/html; charset=utf-8", b"<title>page</title>"),
        ("/assets/engine.wasm", "application/wasm", b"\0asm"),
        ("/assets/page.js", "text/javascript; charset=utf-8", b"1"),
    ]:
        answer, body = ask(server, path)
        assert (answer.status, answer.headers["Content-Type"], body) == (200, kind, octets), path
        policy = answer.headers["Content-Security-Policy"]
        assert "script-src 'self' 'wasm-unsafe-eval';" in policy
        assert "default-src 'none';" in policy
        assert policy.endswith("frame-ancestors 'none'"), "no other page shows this one in a frame"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    answer, body = ask(server, "/", "HEAD")
    assert (answer.status, answer.headers["Content-Length"], body) == (200, "19", b"")


def test_nothing_else_is_served(server: StudioServer) -> None:
    wrong = ("/assets", "/assets/", "/none.html", "/notes.private", "/../outside.html", "/assets/../../outside.html")
    for path in (*wrong, "/%2e%2e/outside.html", "/etc/passwd"):
        assert ask(server, path)[0].status == 404, path
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        assert ask(server, "/", method)[0].status == 501, method


def test_only_names_of_this_machine_are_answered(server: StudioServer) -> None:
    port = server.server_address[1]
    for host, status in {
        f"127.0.0.1:{port}": 200,
        f"localhost:{port}": 200,
        "127.0.0.1": 421,
        f"evil.example:{port}": 421,
        "": 421,
    }.items():
        assert ask(server, "/", host=host)[0].status == status, host
    assert server.address == f"http://127.0.0.1:{port}/"


def test_a_page_that_is_not_built_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has not been built: .*index\.html is missing; .*`make studio` builds it"):
        StudioServer(folder=tmp_path)


def test_a_port_that_is_taken_is_told(page: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(InputError, match=rf"--port = {port}: another program uses this port; choose another"):
            StudioServer(port, page)


def test_bad_arguments_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, told in [
        (["--port", "0"], "--port = 0"),
        (["--port", "70000"], "--port = 70000"),
        (["none/such"], "no ready scenario of that name"),
        (["--seed", "-1"], "--seed = -1"),
    ]:
        assert main(["studio", "--no-browser", *arguments]) == 2
        assert told in capsys.readouterr().err


def test_a_link_holds_the_scenario_as_the_page_reads_it() -> None:
    text = 'title = "Two \u00e9"\n' + "# a comment\n" * 2000
    link = link_to(text, "my", 7)
    assert link.startswith("s=")
    assert set(link[2:]) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    octets = zlib.decompress(base64.urlsafe_b64decode(link[2:] + "=="), wbits=-15)
    shared: dict[str, object] = {"name": "my", "text": text, "seed": "7", "at": "0 s", "changes": [], "fork": None}
    assert json.loads(octets) == shared
    assert len(link) < 1000
    with pytest.raises(InputError, match="the studio takes 1,000,000 at most"):
        link_to("#" * 1_000_000, "long")


@needs_page
def test_the_command_opens_a_scenario_with_its_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, small_text: str
) -> None:
    opened: list[str] = []

    def browse(address: str) -> bool:
        opened.append(address)
        return True

    def interrupted(_: StudioServer) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("webbrowser.open", browse)
    monkeypatch.setattr(StudioServer, "serve_forever", interrupted)
    file = tmp_path / "mine.toml"
    file.write_text(small_text, encoding="utf-8")
    for source, name, text in [
        ("satellite/1-case-2", "satellite/1-case-2", ready()["satellite/1-case-2"].read_text(encoding="utf-8")),
        (str(file), "mine", small_text),
    ]:
        assert main(["studio", source]) == 0
        octets = zlib.decompress(base64.urlsafe_b64decode(opened[-1].partition("#s=")[2] + "=="), wbits=-15)
        shared = json.loads(octets)
        assert (shared["name"], shared["text"]) == (name, text)


@needs_page
def test_the_command_serves_the_built_page_until_it_is_interrupted() -> None:
    command = [sys.executable, "-m", "penstock", "studio", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        host, port = address.removeprefix("http://").removesuffix("/").split(":")
        connection = http.client.HTTPConnection(host, int(port))
        connection.request("GET", "/")
        assert b"<html" in connection.getresponse().read()
        connection.close()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert (process.returncode, out) == (0, "")
    assert err == "Ctrl-C ends it\nthe studio has ended\n"


@needs_page
def test_every_file_of_the_built_page_is_served() -> None:
    left_out = [file for file in STATIC.rglob("*") if file.is_file() and file.suffix not in TYPES]
    assert left_out == []

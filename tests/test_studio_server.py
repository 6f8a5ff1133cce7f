"""`penstock studio`: the server of the page, and links to a scenario."""

from __future__ import annotations

import base64
import http.client
import json
import signal
import socket
import struct
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
from penstock.studio import STATIC, StudioServer, build, can_build, is_missing, link_to
from penstock.studio.server import MOST_CONNECTIONS, TYPES

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


def raw(server: StudioServer, text: str = "") -> socket.socket:
    """A connection on which this was sent."""
    connection = socket.create_connection(("127.0.0.1", server.server_address[1]))
    connection.sendall(text.encode())
    return connection


def wait_until_idle(server: StudioServer) -> None:
    """Wait until no connection is left."""
    for _ in range(MOST_CONNECTIONS):
        server._free.acquire()
    server._free.release(MOST_CONNECTIONS)


def test_a_target_that_is_no_address_is_refused(server: StudioServer, capsys: pytest.CaptureFixture[str]) -> None:
    host = f"Host: 127.0.0.1:{server.server_address[1]}"
    with raw(server, f"GET http://[ HTTP/1.1\r\n{host}\r\nConnection: close\r\n\r\n") as connection:
        assert connection.makefile("rb").readline() == b"HTTP/1.1 400 This is no address\r\n"
    wait_until_idle(server)
    assert capsys.readouterr().err == ""


def test_a_browser_that_goes_away_leaves_no_traceback(
    page: Path, server: StudioServer, capsys: pytest.CaptureFixture[str]
) -> None:
    (page / "assets" / "engine.wasm").write_bytes(bytes(30_000_000))  # more than the buffers of a connection hold
    host = f"Host: 127.0.0.1:{server.server_address[1]}"
    connection = raw(server, f"GET /assets/engine.wasm HTTP/1.1\r\n{host}\r\n\r\n")
    assert connection.recv(100)  # it is being sent
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()
    wait_until_idle(server)
    assert capsys.readouterr().err == ""
    assert ask(server, "/")[0].status == 200


def test_a_connection_too_many_is_told_and_an_idle_one_is_closed(
    server: StudioServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    idle = [raw(server) for _ in range(MOST_CONNECTIONS)]
    with raw(server) as other:
        assert other.makefile("rb").readline() == b"HTTP/1.1 503 Service Unavailable\r\n"
    for connection in idle:
        connection.close()
    wait_until_idle(server)
    assert ask(server, "/")[0].status == 200
    monkeypatch.setattr(server.RequestHandlerClass, "timeout", 0.01)
    with raw(server) as connection:
        assert connection.recv(1) == b""


def test_a_clone_builds_the_page_at_its_first_use(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert not can_build(tmp_path)
    (tmp_path / "studio").mkdir()
    rules = "studio/index.html:\n\t@echo building\n\t@touch $@\n.PHONY: studio\nstudio: studio/index.html\n"
    (tmp_path / "Makefile").write_text(rules, encoding="utf-8")
    assert can_build(tmp_path)
    assert is_missing(tmp_path / "studio")
    assert build(tmp_path)
    assert not is_missing(tmp_path / "studio")
    assert capfd.readouterr() == ("", "building\n")
    (tmp_path / "Makefile").write_text("studio:\n\t@exit 3\n.PHONY: studio\n", encoding="utf-8")
    assert not build(tmp_path)
    assert can_build(), "the tests run in a clone"


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

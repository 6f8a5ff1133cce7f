"""The server of the studio: static files, for this machine only."""

from __future__ import annotations

import errno
import os
import socketserver
import sys
from contextlib import suppress
from functools import cached_property
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import BoundedSemaphore
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from penstock.core.errors import InputError

if TYPE_CHECKING:
    from socket import socket

    Request = socket | tuple[bytes, socket]

STATIC = Path(__file__).parent / "static"
"""The built page."""
HOST = "127.0.0.1"
PAGE = "index.html"
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".toml": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".woff2": "font/woff2",
}
"""The media type of each file that is served; a file with another ending is not."""
POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
"""The content security policy: nothing from outside, and no scripts but those of the page. The editor sets styles."""


MOST_CONNECTIONS = 64
"""The most connections at once: a browser opens six."""
IDLE_S = 60.0
"""A connection that sends nothing for so long is closed."""
TOO_MANY = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class StudioServer(ThreadingHTTPServer):
    """Serves the built page at :attr:`address`, to this machine only. End it with ``shutdown`` and ``server_close``.

    Args:
        port: the port; 0 for any that is free.
        folder: the built page.

    Raises:
        InputError: the page has not been built, or the port is taken or not allowed.
    """

    daemon_threads = True
    request_queue_size = MOST_CONNECTIONS
    allow_reuse_address = os.name == "posix"  # elsewhere two programs could then share a port

    def __init__(self, port: int = 0, folder: Path = STATIC) -> None:
        self.files = files_in(folder)
        self._free = BoundedSemaphore(MOST_CONNECTIONS)
        if f"/{PAGE}" not in self.files:
            raise InputError(
                f"the page of the studio has not been built: {folder / PAGE} is missing",
                remedy="in a clone of the repository `make studio` builds it; a wheel of Penstock has it",
            )
        try:
            super().__init__((HOST, port), _Handler)
        except OSError as error:
            if error.errno not in {errno.EADDRINUSE, errno.EACCES}:
                raise
            taken = error.errno == errno.EADDRINUSE
            raise InputError(
                "another program uses this port" if taken else "this port needs more rights",
                path="--port",
                value=port,
                remedy="choose another, or leave the option out for any that is free",
            ) from None

    def server_bind(self) -> None:
        """Takes the port; the server needs no name, and asks no name server for one."""
        socketserver.TCPServer.server_bind(self)

    def process_request(self, request: Request, client_address: object) -> None:
        """Answers in a thread of its own; a connection too many gets an error, and is closed."""
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
            return
        with suppress(OSError):
            request.sendall(TOO_MANY)  # type: ignore[union-attr] # TCP has connections
        self.shutdown_request(request)

    def process_request_thread(self, request: Request, client_address: object) -> None:
        """Counts the connection until it ends."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Request, client_address: object) -> None:
        """Prints nothing about a browser that has gone, as after a page is loaded again."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://{HOST}:{self.server_address[1]}/"

    @cached_property
    def names(self) -> frozenset[str]:
        """The names by which a browser of this machine may ask for it.

        A page of another site could otherwise read it under a name of its own (DNS rebinding).
        """
        port = self.server_address[1]
        return frozenset(f"{name}:{port}" for name in (HOST, "localhost"))


def files_in(folder: Path) -> dict[str, Path]:
    """The files that are served, by the path in their address."""
    found = (file for file in folder.rglob("*") if file.suffix in TYPES and file.is_file())
    return {f"/{file.relative_to(folder).as_posix()}": file for file in found}


class _Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD for the known files."""

    server: StudioServer
    server_version = "penstock"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout = IDLE_S

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def _answer(self, *, with_body: bool) -> None:
        if self.headers.get("Host") not in self.server.names:
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST, "Ask for it by its own address")
            return
        try:
            path = urlsplit(self.path).path
        except ValueError:
            self.send_error(HTTPStatus.BAD_REQUEST, "This is no address")
            return
        file = self.server.files.get(f"/{PAGE}" if path == "/" else path)
        if file is None:
            self.send_error(HTTPStatus.NOT_FOUND, "There is no such file")
            return
        octets = file.read_bytes()
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", TYPES[file.suffix])
        self.send_header("Content-Length", str(len(octets)))
        self.end_headers()
        if with_body:
            self.wfile.write(octets)

    def end_headers(self) -> None:
        """Adds what every answer has: a later version of Penstock may have other files at the same address."""
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """Prints nothing."""

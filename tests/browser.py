"""A real Chromium, driven over a pipe with the protocol of its developer tools: for the tests of pages."""

import base64
import json
import os
import select
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="there is no Chromium on this machine to open the page with"
)
OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-pipe"),
    "--allow-pre-commit-input",  # else the mouse does nothing up to the first frame of a page
)
LONGEST_S = 600
"""An answer or an event that has not come after this time never will."""
START = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(each), fcntl.F_DUPFD, 10) for each in sys.argv[1:3]]
for place, end in enumerate(ends, start=3):
    os.dup2(end, place)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""Becomes the browser, which reads from the file descriptor 3 and writes to 4."""


class Browser:
    """One page in a browser: `do` calls a method of the protocol, `value` evaluates JavaScript."""

    def __init__(self, commands: int, answers: int) -> None:
        self.commands, self.answers = commands, answers
        self.rest = b""
        self.events: list[dict[str, Any]] = []
        self.number = 0
        self.session = ""
        target = self.do("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.do("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.do("Page.enable")
        self.do("Page.setLifecycleEventsEnabled", enabled=True)
        self.do("Runtime.enable")

    def do(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The result of a method of the protocol."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            told = self.read()
            if told.get("id") == self.number:
                assert "error" not in told, told["error"]
                return dict(told["result"])
            self.events.append(told)

    def wait_loaded(self, loader: str) -> None:
        """Waits until this page has loaded: the one before tells of its own end, too."""
        wanted = {"name": "load", "loaderId": loader}
        while not any(wanted.items() <= each.get("params", {}).items() for each in self.events):
            self.events.append(self.read())
        self.events.clear()

    def read(self) -> dict[str, Any]:
        """The next message of the browser."""
        while b"\0" not in self.rest:
            assert select.select([self.answers], [], [], LONGEST_S)[0], "the browser does not answer"
            octets = os.read(self.answers, 1 << 16)
            assert octets, "the browser has ended"
            self.rest += octets
        told, _, self.rest = self.rest.partition(b"\0")
        return dict(json.loads(told))

    def open(
        self, path: Path, *, width: int = 1400, height: int = 900, dark: bool = False, script: bool = True
    ) -> None:
        """Opens a page in a window of that size."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.do("Emulation.setEmulatedMedia", media="screen", features=[scheme])
        self.do("Emulation.setScriptExecutionDisabled", value=not script)
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        self.do("Emulation.setDeviceMetricsOverride", **size)
        self.wait_loaded(self.do("Page.navigate", url=path.resolve().as_uri())["loaderId"])

    def value(self, expression: str) -> Any:
        """The value of an expression of JavaScript."""
        found = self.do("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        """A movement, a press or a release of the mouse."""
        self.do("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Presses the button at one place and releases it at another."""
        self.mouse("mousePressed", *start, button="left", buttons=1, clickCount=1)
        self.mouse("mouseMoved", *end, button="left", buttons=1)
        self.mouse("mouseReleased", *end, button="left", clickCount=1)

    def picture(self, file: Path, *, whole: bool = False) -> None:
        """Writes a PNG of the window, or of the whole page."""
        found = self.do("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        file.write_bytes(base64.b64decode(found["data"]))


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """A browser with a new profile; ends with the block."""
    assert CHROMIUM is not None
    to_read, commands = os.pipe()
    answers, to_write = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", START, str(to_read), str(to_write), CHROMIUM, *OPTIONS, f"--user-data-dir={profile}"],
        pass_fds=(to_read, to_write),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(to_read)
    os.close(to_write)
    try:
        made = Browser(commands, answers)
        yield made
        made.session = ""
        with suppress(AssertionError, OSError):
            made.do("Browser.close")
    finally:
        process.terminate()
        process.wait()
        os.close(commands)
        os.close(answers)

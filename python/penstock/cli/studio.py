"""The command ``studio``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.cli.command import DONE, FAILED, SCENARIO, Command, add_set, fail, number, say, scenario_of
from penstock.core.errors import InputError

if TYPE_CHECKING:
    import argparse


def studio(options: argparse.Namespace) -> int:
    """``penstock studio``: serve the page on which a simulation runs, until Ctrl-C."""
    import webbrowser

    from penstock.core.scenario import read, ready, stem
    from penstock.studio import StudioServer, build, can_build, is_missing, link_to

    port = 0 if options.port is None else number(options.port, "--port", 1, 65535)
    seed = number(options.seed, "--seed", 0, 2**64 - 1)
    fragment = ""
    if options.scenario is not None:
        text = read(options.scenario)
        scenario = scenario_of(options, options.scenario, text)
        # The page reads no files: a recording that is replayed is written out.
        shown = scenario.to_toml() if options.set or "replay" in text else text
        # The page knows ready scenarios by their whole name, and shows the name of any other.
        name = options.scenario.replace("\\", "/").removesuffix(".toml")
        fragment = f"#{link_to(shown, name if name in ready() else stem(options.scenario), seed)}"
    elif options.set:
        raise InputError("there is no scenario to change", path="--set", value=options.set[0], remedy="name one")
    if is_missing() and can_build():
        say("the page is built at its first use, which takes some minutes", quiet=options.quiet)
        if not build():
            return fail("the page could not be built, for the reason above; `make studio` tries again", FAILED)
    with StudioServer(port) as server:
        print(server.address, flush=True)
        say("Ctrl-C ends it", quiet=options.quiet)
        if not options.no_browser and not webbrowser.open(server.address + fragment):
            say(f"there is no browser to open the page in: it is {server.address}{fragment}", quiet=options.quiet)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            say("the studio has ended", quiet=options.quiet)
    return DONE


def _add_studio(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "scenario", metavar="FILE|NAME", nargs="?", help=f"{SCENARIO}, or the name of a ready one, to begin with"
    )
    add_set(parser, "change a value of it")
    parser.add_argument("--seed", default="1", metavar="N", help="0 to 2**64 - 1 (default: 1)")
    parser.add_argument("--port", metavar="N", help="port on 127.0.0.1 (default: any that is free)")
    parser.add_argument("--no-browser", action="store_true", help="do not open the browser, only print the address")


COMMANDS = (
    Command(
        "studio",
        studio,
        "open the page on which you run, change and fork a simulation",
        (
            "penstock studio",
            "penstock studio satellite/1-case-2",
            "penstock studio abr/gfc-2-erica --port 8000 --no-browser",
        ),
        _add_studio,
    ),
)

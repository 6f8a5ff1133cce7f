"""What the commands have in common: how one is declared, what it ends with, and the arguments that several take."""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

from penstock.errors import InputError, whole_number

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from penstock.scheduler import Scheduler

DONE, FAILED, BAD_INPUT, DEFECT, INTERRUPTED = 0, 1, 2, 70, 130
SCENARIO = "a scenario file, - for standard input"


class Most(TypedDict):
    """How much a run may be, as the keywords of what carries it out."""

    most_pdus: int | None
    most_memory_gb: int | None


@dataclass(frozen=True, slots=True)
class Command:
    """One command: its function, what it does in a line, examples of its use, and what declares its arguments."""

    name: str
    function: Callable[[argparse.Namespace], int]
    help: str
    examples: tuple[str, ...]
    arguments: Callable[[argparse.ArgumentParser], None] = lambda _parser: None


def fail(paragraph: str, status: int) -> int:
    """Say on standard error, in one paragraph, why the command ends; return ``status``."""
    with suppress(OSError):  # nobody may be there to read it
        print(f"penstock: {paragraph}", file=sys.stderr)
    return status


def say(message: str, *, quiet: bool) -> None:
    """A message on standard error."""
    if not quiet:
        with suppress(OSError):  # nobody may be there to read it
            print(message, file=sys.stderr)


def number(text: str, option: str, least: int, most: int | None = None) -> int:
    """The whole number that ``text`` is, if it lies in the range; raises ``InputError``."""
    is_number = re.fullmatch(r"[+-]?[0-9]{1,40}", text) is not None
    return whole_number(int(text) if is_number else text, option, least, most)


def jobs(options: argparse.Namespace) -> int:
    """The processes to use: those of ``--jobs``, or one a core."""
    from penstock.executors import MOST_JOBS
    from penstock.run import available_cores

    return available_cores() if options.jobs is None else number(options.jobs, "--jobs", 1, MOST_JOBS)


def cluster(options: argparse.Namespace) -> Scheduler | None:
    """The scheduler of ``--cluster`` with its files, if one is wanted."""
    from penstock.scheduler import CA_FILE, CERTIFICATE, KEY, Scheduler

    if options.cluster is not None:
        return Scheduler(options.cluster, options.tls_ca_file, options.tls_cert, options.tls_key)
    for option, file in ((CA_FILE, options.tls_ca_file), (CERTIFICATE, options.tls_cert), (KEY, options.tls_key)):
        if file is not None:
            raise InputError("this is of a cluster", path=option, value=file, remedy="add --cluster tls://host:8786")
    return None


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """Declare ``--jobs``."""
    parser.add_argument("--jobs", metavar="N", help="processes to use (default: one a core)")


def limits(options: argparse.Namespace) -> Most:
    """How much a run may be: ``--most-pdus`` and ``--most-memory``."""

    def limit(text: str | None, option: str, most: int) -> int | None:
        return None if text is None else number(text, option, 1, most)

    return {
        "most_pdus": limit(options.most_pdus, "--most-pdus", 2**64 - 1),
        "most_memory_gb": limit(options.most_memory, "--most-memory", 10**9),
    }


def add_limits(parser: argparse.ArgumentParser) -> None:
    """Declare the limits of a run."""
    parser.add_argument(
        "--most-pdus", metavar="N", help="refuse a run that is certain to send more PDUs (default: 10^11)"
    )
    parser.add_argument(
        "--most-memory", metavar="GB", help="refuse a run that is certain to need more gigabytes (default: 8)"
    )


def add_where(parser: argparse.ArgumentParser, default: str) -> None:
    """Declare where an experiment is carried out and kept."""
    place = parser.add_mutually_exclusive_group()
    add_jobs(place)  # type: ignore[arg-type]
    place.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="a Dask scheduler's, as tcp://host:8786: whoever can reach it runs code as you do on its workers, so keep "
        "it inside a network that you trust, or use tls://host:8786, which needs a certificate",
    )
    parser.add_argument(
        "--tls-ca-file", metavar="FILE", help="with tls://: certificate of the cluster's authority (PEM)"
    )
    parser.add_argument("--tls-cert", metavar="FILE", help="with tls://: your certificate (PEM)")
    parser.add_argument("--tls-key", metavar="FILE", help="with tls://: its private key (PEM)")
    parser.add_argument("--out", metavar="DIR", help=f"where to keep everything (default: {default})")
    parser.add_argument("--resume", action="store_true", help="go on with what is unfinished in DIR")

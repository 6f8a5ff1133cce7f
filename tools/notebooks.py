"""Executes the notebooks of the documentation, and writes them with their results; the tests compare these."""

import json
import sys
from pathlib import Path

import nbclient
import nbformat

NOTEBOOKS = Path(__file__).parents[1] / "docs" / "notebooks"
QUIET = ["--log-level=ERROR"]
"""The kernel warns about its sockets, which only this machine can reach."""


def executed(path: Path) -> nbformat.NotebookNode:
    """A notebook with the results of its cells, in a new kernel."""
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(
        notebook, kernel_name="python3", timeout=None, extra_arguments=QUIET, coalesce_streams=True
    )
    client.execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # when it was executed
        if "outputs" in cell:  # a bar that is gone leaves an empty one, if the cell took long enough
            cell.outputs = [each for each in cell.outputs if each.get("data", {}).get("text/html") != ""]
    notebook.metadata.pop("language_info", None)  # the version of Python
    return notebook


def main() -> None:
    """Writes them all, or those that are named."""
    for path in map(Path, sys.argv[1:]) if sys.argv[1:] else sorted(NOTEBOOKS.glob("*.ipynb")):
        path.write_text(json.dumps(executed(path), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()

"""A file has at most 500 lines, a function at most 60: in the engine, package, studio, tests and tools."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MOST_OF_A_FILE = 500
MOST_OF_A_FUNCTION = 60
FOLDERS = (
    *("crates/**/*.rs", "python/**/*.py", "tests/**/*.py", "tools/*"),
    *("studio/src/**/*.ts", "studio/src/**/*.tsx", "studio/tests/*.ts", "studio/*.ts"),
    *("python/penstock/show/*.js", "tests/*.mjs"),
)
RUST_FUNCTION = re.compile(r"( *)(?:pub(?:\([^)]*\))? )?(?:(?:const|async|unsafe) )*fn (\w+)")

SCRIPT_FUNCTION = re.compile(r"(?:=> [({]+|\)(?:: [^;]+)? \{)$")
"""The end of the line with which the body of a function of TypeScript or JavaScript begins, or a block of control."""
CONTROL = re.compile(r"(?:\} )?(?:if|else|for|while|switch|catch|class|interface)\b")


def python_functions(text: str) -> Iterator[tuple[str, int]]:
    """Name and lines of each function, without its decorators and, as in Rust, without its documentation."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            yield node.name, node.end_lineno - node.lineno + 1 - documentation(node)


def documentation(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function's docstring."""
    first = node.body[0]
    if ast.get_docstring(node) is None or first.end_lineno is None:
        return 0
    return first.end_lineno - first.lineno + 1


def rust_functions(text: str) -> Iterator[tuple[str, int]]:
    """Name and lines of each function that has a body: rustfmt closes it below where its first line begins."""
    lines = text.splitlines()
    for first, line in enumerate(lines):
        if head := RUST_FUNCTION.match(line):
            opened = next(at for at in range(first, len(lines)) if lines[at].endswith(("{", "}", ";")))
            if lines[opened].endswith("{"):
                closed = next(at for at in range(opened, len(lines)) if lines[at] == head[1] + "}")
                yield head[2], closed - first + 1


def script_functions(text: str) -> Iterator[tuple[str, int]]:
    """First line and number of lines of each function with a body of several lines, by the indentation."""
    lines = text.splitlines()
    indents = [len(line) - len(line.lstrip()) if line.strip() else -1 for line in lines]
    for opened, line in enumerate(lines):
        if SCRIPT_FUNCTION.search(line):
            same = [at for at, indent in enumerate(indents) if indent == indents[opened]]
            place = same.index(opened)
            first = same[place - 1] if line.lstrip().startswith(")") else opened  # its parameters are in several lines
            closed = next(at for at in same[place + 1 :] if lines[at].lstrip().startswith(("}", ")")))
            if not CONTROL.match(lines[first].lstrip()):
                yield lines[first].strip(), closed - first + 1


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_file_is_too_long(folder: str) -> None:
    files = [path for path in ROOT.glob(folder) if path.is_file() and path.suffix != ".toml"]
    assert files
    lengths = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    assert {name: length for name, length in lengths.items() if length > MOST_OF_A_FILE} == {}


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_function_is_too_long(folder: str) -> None:
    readers = {".py": python_functions, ".rs": rust_functions}
    readers |= dict.fromkeys((".ts", ".tsx", ".js", ".mjs"), script_functions)
    found = [
        (f"{path.relative_to(ROOT)}: {name}", length)
        for path in ROOT.glob(folder)
        if path.suffix in readers
        for name, length in readers[path.suffix](path.read_text(encoding="utf-8"))
    ]
    assert found
    assert {name: length for name, length in found if length > MOST_OF_A_FUNCTION} == {}


def test_functions_are_measured_from_their_first_line_to_their_last() -> None:
    inner = "    def inner() -> None:\n        pass\n"
    python = f'@decorated\ndef outer() -> None:\n    """Two\n    lines."""\n\n{inner}\n    inner()\n'
    assert dict(python_functions(python)) == {"outer": 6, "inner": 2}
    rust = """\
impl Trait for Type {
    fn declared(
        &self,
    );

    pub(crate) const fn long(
        self,
    ) -> u64 {
        if self.0 {
        }
    }

    fn empty() {}
    fn short(&self) -> bool { true }
}
"""
    assert dict(rust_functions(rust)) == {"long": 6}
    script = """\
export function long(
  one: string,
): Map<string, number> {
  if (one) {
    all(one, () => {
      run();
    });
  }
}
class Panel {
  get short(): number {
    return 1;
  }
  draw = (at: number) => (
    at
  );
}
for (const each of all()) {
}
"""
    assert dict(script_functions(script)) == {
        "export function long(": 9,
        "all(one, () => {": 3,
        "get short(): number {": 3,
        "draw = (at: number) => (": 3,
    }

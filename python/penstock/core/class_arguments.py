"""The arguments of a class in Python, as its text says them: nothing of it runs.

A class that is made in another way than by one plain statement may take anything.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

PLAIN = (ast.FunctionDef, ast.AsyncFunctionDef, ast.AnnAssign, ast.Assign, ast.Expr, ast.Pass, ast.ClassDef)
"""The statements of a class whose text says what it has."""
MAKERS = ("__init__", "__new__")
"""The methods that make an instance."""
HIDDEN = ("__init_subclass__", "ClassVar as", "KW_ONLY as", "dataclass as")
"""What a base does to its classes, and names of dataclasses that the file gives other names."""


def arguments(described: ast.Module, family: Sequence[ast.ClassDef]) -> list[str] | None:
    """The names of the arguments of a class, which its bases in the file follow; None if the text does not say them."""
    if not _is_plain(described, family):
        return None
    decorators = [each for node in family for each in node.decorator_list]
    makers = next(filter(None, (_makers(node.body) for node in family)), [])
    if makers and not decorators:
        return _arguments_of(makers[0]) if len(makers) == 1 else None
    if makers or not all(_is_dataclass(decorator) for decorator in decorators):
        return None
    fields: dict[str, bool] = {}
    for node in reversed(family):
        fields |= _fields(node) if node.decorator_list else {}
    return None if "" in fields else [name for name, is_argument in fields.items() if is_argument]


def _is_plain(described: ast.Module, family: Sequence[ast.ClassDef]) -> bool:
    """Whether the file makes these classes by one statement each, with no more than one base, which is among them."""
    known = {node.name for node in family} | {"object"}
    for node in family:
        bases = {getattr(base, "id", "") for base in node.bases}
        if len(node.bases) > 1 or bases - known or node.keywords:
            return False
        if not all(isinstance(statement, PLAIN) for statement in node.body):
            return False
    bound = Counter(_bound(described))
    is_assigned = sum(bound[name] for name in MAKERS) > len(_makers(ast.walk(described)))
    return not is_assigned and all(bound[name] < 2 for name in known) and not any(bound[name] for name in HIDDEN)


def _bound(described: ast.Module) -> Iterator[str]:
    """The names that a file binds anywhere; for an attribute that it sets, the name before the point."""
    for node in ast.walk(described):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield getattr(node.value, "id", "")
        elif isinstance(node, ast.alias):
            yield f"{node.name} as" if node.asname else node.name
            yield node.asname or ""


def _makers(nodes: Iterable[ast.AST]) -> list[ast.FunctionDef]:
    """Those of the nodes that define a method that makes an instance."""
    return [node for node in nodes if isinstance(node, ast.FunctionDef) and node.name in MAKERS]


def _arguments_of(maker: ast.FunctionDef) -> list[str] | None:
    own = maker.args
    if maker.name != "__init__" or maker.decorator_list or own.kwarg or own.posonlyargs:
        return None
    return [argument.arg for argument in (*own.args[1:], *own.kwonlyargs)]


def _is_dataclass(decorator: ast.expr) -> bool:
    """Whether this makes a dataclass that is made from its fields."""
    named = decorator.func if isinstance(decorator, ast.Call) else decorator
    is_named = getattr(named, "id", getattr(named, "attr", "")) == "dataclass"
    return is_named and not _may_leave_out(decorator)


def _fields(node: ast.ClassDef) -> dict[str, bool]:
    """The annotated names of a dataclass, and whether each is an argument. An empty name if the text does not say."""
    fields = {}
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            is_argument = not re.search(r"\b(ClassVar|KW_ONLY)\b", ast.unparse(statement.annotation))
            is_unknown = is_argument and _may_leave_out(statement.value)
            fields["" if is_unknown else statement.target.id] = is_argument
    return fields


def _may_leave_out(value: ast.expr | None) -> bool:
    """Whether it is a call that may say `init = False`."""
    return bool({"init", None} & {keyword.arg for keyword in getattr(value, "keywords", [])})

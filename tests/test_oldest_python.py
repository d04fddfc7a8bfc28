"""What Debian 12's Python (3.11.2) does otherwise than later ones, which develop and test here."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parents[1]
ROOMS = ("engine", "firmware", "hardware", "vision")


def patterns(source: str) -> Iterator[str]:
    """The regular expressions that a module compiles."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            of, first = node.func.value, node.args[0]
            if isinstance(of, ast.Name) and of.id == "re" and isinstance(first, ast.Constant):
                yield first.value


def unsafe(pattern: str) -> bool:
    parsed = repr(importlib.import_module("re._parser").parse(pattern))
    return "POSSESSIVE_REPEAT" in parsed or "ATOMIC_GROUP" in parsed


def test_no_pattern_is_possessive() -> None:
    """``(a(?: ++b)*+)`` matches nothing there that it should: every head of a match file was lost so."""
    assert unsafe(r"\s++x")
    assert not unsafe(r"[*+]+\s+x")
    found = {
        f"{path.relative_to(HERE)}: {pattern}"
        for room in ROOMS
        for path in (HERE / room).rglob("*.py")
        for pattern in patterns(path.read_text(encoding="utf-8"))
        if unsafe(pattern)
    }
    assert not found

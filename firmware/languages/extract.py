"""Finds the words in the source: ``phrase("…")`` in Python and the help of commands, ``inLanguage({…})`` in
the page's scripts, ``[[…]]`` in its HTML."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from babel.messages.jslexer import tokenize, unquote_string

from firmware.languages.help_texts import AS_IT_STANDS, OF_CLICK, paragraphs

Words: TypeAlias = str | tuple[str, ...]
"""A pattern, or the two of a counted one."""

MARKED = re.compile(r"\[\[(.+?)\]\]")
"""Words in HTML."""
OF_COMMANDS = ("import click", "_option(")
"""What stands in a module that has commands or their options."""
PACKAGES = ("engine", "vision", "hardware", "firmware")


def from_python(source: str) -> Iterator[Words]:
    """The patterns of ``phrase`` and ``phrase_number``, and what click shows as help: the docstrings of
    commands, and ``help=``. Raises ValueError for help that is put together: it cannot be looked up."""
    clicks = any(mark in source for mark in OF_COMMANDS)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and any(map(_makes_command, node.decorator_list)):
            texts = paragraphs(ast.get_docstring(node) or "")
            yield from (each for each in texts if not each.startswith(AS_IT_STANDS))
        if not isinstance(node, ast.Call):
            continue
        for given in node.keywords:
            if not clicks or given.arg != "help":
                continue
            if isinstance(given.value, ast.Constant):
                yield " ".join(str(given.value.value).split())
            elif not isinstance(given.value, ast.Name):
                raise ValueError(f"line {node.lineno}: write the help in plain quotes")
        if not isinstance(node.func, ast.Name):
            continue
        words = [str(each.value) for each in node.args if isinstance(each, ast.Constant)]
        if node.func.id == "phrase" and words:
            yield words[0]
        elif node.func.id == "phrase_number" and len(words) >= 2:
            yield words[0], words[1]


def _makes_command(decorator: ast.expr) -> bool:
    made = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(made, ast.Attribute) and made.attr in ("command", "group")


def from_script(source: str) -> Iterator[Words]:
    """Every string in ``inLanguage(…)`` that is no name of a field; ``plural("…", "…")`` is one message.
    Raises ValueError for a template: it cannot be looked up."""
    tokens = list(tokenize(source, jsx=False))
    depth = 0
    counted: list[str] | None = None
    for place, token in enumerate(tokens):
        before = tokens[place - 1].value if place else ""
        if not depth:
            depth = int(token.value == "(" and before == "inLanguage")
        elif token.value in ("(", "{", "["):
            depth += 1
            counted = [] if before == "plural" else counted
        elif token.value in (")", "}", "]"):
            depth -= 1
            if counted is not None:
                yield tuple(counted)
                counted = None
        elif token.type == "template_string":
            raise ValueError(f"line {token.lineno}: write {{name}} in plain quotes, and fill() it")
        elif token.type == "string" and tokens[place + 1].value != ":":
            text = unquote_string(token.value)
            if counted is not None:
                counted.append(text)
            elif text:
                yield text


def from_html(source: str) -> Iterator[Words]:
    """Every ``[[…]]``."""
    yield from MARKED.findall(source)


METHODS: Mapping[str, tuple[tuple[str, ...], Callable[[str], Iterator[Words]]]] = {
    ".py": (("phrase", *OF_COMMANDS), from_python),
    ".js": (("inLanguage(",), from_script),
    ".html": (("[[",), from_html),
    ".webmanifest": (("[[",), from_html),
}
"""For each kind of file what it has where it has words, and how they are found."""


def messages(root: Path) -> dict[Words, list[str]]:
    """Every message in the source under ``root``, and the files that it is in. Raises ValueError, which names
    the file."""
    found: dict[Words, list[str]] = {each: ["click"] for each in OF_CLICK}
    for path in sorted(path for package in PACKAGES for path in (root / package).rglob("*")):
        if path.suffix not in METHODS:
            continue
        name = path.relative_to(root).as_posix()
        marks, method = METHODS[path.suffix]
        text = path.read_text(encoding="utf-8")
        try:
            words = dict.fromkeys(method(text) if any(mark in text for mark in marks) else ())
        except (ValueError, SyntaxError) as error:
            raise ValueError(f"{name}: {error}") from error
        for each in words:
            found.setdefault(each, []).append(name)
    return found

"""A page's script in one piece: a browser that fetches 25 modules spends more time on asking than on reading.

A page names one module; what that imports, and so on, stands before it in the order in which a browser would
run it, each in a function of its own that gives what it exports:

    const $words = (() => { const { plural } = $language; ... return { WORDS }; })();

The modules are written for this: imports at the beginning of a line, of modules under ``/static/`` alone;
what is exported is declared so, and never assigned anew; and no module imports one that imports it back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

IMPORT = re.compile(r'^import (?:(?:\* as (\w+)|\{(.+?)\}) from )?"/static/([\w-]+\.js)";.*\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async function|function|const) ([\w$]+))", re.MULTILINE)
STRAY = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
"""What is left where a module is not written so."""


def joined(entry: str, modules: Mapping[str, str]) -> str:
    """The script ``entry`` with all that it imports. Raises ValueError where a module is missing, imports in
    a circle, or is not written as it must be."""
    order: list[str] = []
    _visit(entry, modules, order, ())
    return "".join(_wrapped(name, modules[name]) for name in order)


def _visit(name: str, modules: Mapping[str, str], order: list[str], above: tuple[str, ...]) -> None:
    if name in above:
        raise ValueError(f"modules import in a circle: {' -> '.join((*above, name))}")
    if name not in modules:
        raise ValueError(f"{above[-1] if above else 'a page'} needs {name}, which is not there")
    if name in order:
        return
    for _, _, needed in IMPORT.findall(modules[name]):
        _visit(needed, modules, order, (*above, name))
    order.append(name)


def _wrapped(name: str, text: str) -> str:
    exported = ", ".join(EXPORT.findall(text))
    body = EXPORT.sub("", IMPORT.sub(_bound, text))
    stray = STRAY.search(body)
    if stray:
        raise ValueError(f"{name}: not understood: {stray[0]}")
    return f"// {name}\nconst {_named(name)} = (() => {{\n{body}return {{ {exported} }};\n}})();\n"


def _bound(found: re.Match[str]) -> str:
    whole, some, module = found.groups()
    if whole:
        return f"const {whole} = {_named(module)};\n"
    return f"const {{{some.replace(' as ', ': ')}}} = {_named(module)};\n" if some else ""


def _named(module: str) -> str:
    return "$" + module.removesuffix(".js").replace("-", "_")

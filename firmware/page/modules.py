"""A page's script in one piece: a browser that fetches 25 modules spends more time on asking than on reading.

A page names one module; what that imports, and so on, stands before it in the order in which a browser would
run it, each in a function of its own that gives what it exports:

    const $words = (() => { const { plural } = $language; ... return { WORDS }; })();

The modules are written for this: imports at the beginning of a line, of modules under ``/static/`` alone;
what is exported is declared so, one name a line, and never assigned anew; and no module imports one that
imports it back.
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
    a circle or what another does not export, or is not written as it must be."""
    order: list[str] = []
    _visit(entry, modules, order, ())
    for name in order:
        _check(name, modules)
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


def _check(name: str, modules: Mapping[str, str]) -> None:
    """Whether all that a module uses of others is there: without it a name would silently be undefined."""
    body = IMPORT.sub("", modules[name])
    for whole, some, module in IMPORT.findall(modules[name]):
        used = {each.split(" as ")[0].strip() for each in some.split(",") if each.strip()}
        if whole:
            used = set(re.findall(rf"(?<![\w.$/-]){whole}\.(\w+)", body))
        lacking = used - set(EXPORT.findall(modules[module]))
        if lacking:
            needed = ", ".join(sorted(lacking))
            raise ValueError(f"{name} needs {needed} of {module}, which does not export it")


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

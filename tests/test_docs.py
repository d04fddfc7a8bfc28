"""What the docs point at is there: files, folders, modules, pages and their chapters."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields
from pathlib import Path

import click
import pytest

from firmware.cli import COMMANDS, cli
from vision.quality import Quality

ROOT = Path(__file__).parents[1]
TOP = ("docs", "engine", "firmware", "hardware", "systemd", "tests", "training", "vision")
PAGES = sorted(
    page
    for folder in (".", *TOP)
    for page in (ROOT / folder).glob("*.md" if folder == "." else "**/*.md")
    if page.name != "CHANGELOG.md"  # what was then
)
SOURCES = [path for folder in TOP for path in (ROOT / folder).rglob("*.py")]
MODULES = {path.name for path in SOURCES}
QUOTED = re.compile(r"`([\w./-]+)`")
CONSTANT = re.compile(r"`(?:\w+\.)*(\w+)\.(?!NAME)([A-Z][A-Z_]+)`")
RUN = re.compile(r"-m ((?:engine|firmware|hardware|tests|training|vision)[\w.]*)")
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def _placeholder(name: str) -> bool:
    """Whether part of it stands for a name, as ``NAME`` or ``X.py`` does."""
    return any(part.isupper() for part in re.split(r"[./_]", name) if part != "README")


def _anchors(page: Path) -> set[str]:
    """The chapters of a page, as links name them."""
    return {
        re.sub(r"[^\w\- ]", "", title).strip().lower().replace(" ", "-")
        for title in HEADING.findall(page.read_text(encoding="utf-8"))
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_names_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    lost = []
    for name in filter(lambda each: not _placeholder(each), QUOTED.findall(text)):
        if name.split("/")[0] in TOP and "/" in name:
            found = any((base / name).exists() for base in (ROOT, page.parent))
            lost += [] if found or list((ROOT / name).parent.glob(Path(name).name + ".*")) else [name]
        elif name.endswith(".py") and Path(name).name not in MODULES:
            lost.append(name)
    for name in filter(lambda each: not _placeholder(each), RUN.findall(text)):
        place = ROOT / name.rstrip(".").replace(".", "/")
        lost += [] if place.with_suffix(".py").exists() or place.is_dir() else [name]
    for target in LINK.findall(text):
        if not re.match(r"\w+:", target):
            place, _, chapter = target.partition("#")
            to = page.parent / place if place else page
            if not to.exists() or (chapter and to.suffix == ".md" and chapter not in _anchors(to)):
                lost.append(target)
    assert lost == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_constant_that_a_page_names_is_in_its_module(page: Path) -> None:
    lost = []
    for module, name in CONSTANT.findall(page.read_text(encoding="utf-8")):
        places = [each.read_text(encoding="utf-8") for each in SOURCES if each.stem == module]
        lost += [] if any(re.search(rf"\b{name}\b", each) for each in places) else [f"{module}.{name}"]
    assert lost == []


@pytest.mark.parametrize("name", [each for each in COMMANDS if each not in ("analyse", "hub")])
def test_a_command_s_chapter_names_its_options(name: str) -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    [chapter] = [each for each in page.split("\n## ") if name in each.split("\n")[0].split()]
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    options = [each for each in command.params if isinstance(each, click.Option) and not each.hidden]
    lost = [each.name for each in options if not any(word in chapter for word in each.opts)]
    assert set(lost) <= {"as_json", "state"}  # said at the page's beginning of all commands


def test_calibrate_s_chapter_names_all_that_it_tells() -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    chapter = page[page.index("## calibrate") : page.index("## learned")]
    assert {each.name for each in fields(Quality) if f"`{each.name}`" not in chapter} == set()


def test_the_map_has_every_room() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w.]+)/?`", page))
    rooms = [each for each in (ROOT / "firmware").iterdir() if each.is_dir()]
    modules = [*(ROOT / "firmware").glob("*.py"), *(ROOT / "engine").glob("*.py")]
    there = {each.name for each in (*rooms, *modules) if not each.name.startswith("_")} - {"errors.py"}
    assert {each for each in there if not {each, each.removesuffix(".py")} & named} == set()


def test_every_package_has_its_reason() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").replace("_", "-")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    lists = [project["project"]["dependencies"], *project["project"]["optional-dependencies"].values()]
    wanted = [each for named in (*lists, *project["dependency-groups"].values()) for each in named]
    packages = {
        re.split(r"[<>=\[;]", each)[0].strip().replace("_", "-") for each in wanted if isinstance(each, str)
    }
    assert {each for each in packages if f"`{each}`" not in page} == set()

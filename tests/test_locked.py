"""The locked versions: they are those that pyproject.toml asks for, each with hashes, complete, and from no
index in particular."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

HERE = Path(__file__).parents[1]
LISTS = sorted((HERE / "deploy/locked").glob("*.txt"))
PROJECT = tomllib.loads((HERE / "pyproject.toml").read_text())
DEBIAN = {"numpy", "spidev", "setuptools"}
"""What a table takes from Debian, and what nothing there uses."""


def group(name: str) -> list[str]:
    entries = PROJECT["dependency-groups"][name]
    return [
        each
        for entry in entries
        for each in ([entry] if isinstance(entry, str) else group(entry["include-group"]))
    ]


def locked(name: str) -> dict[str, list[Requirement]]:
    """The versions of a list by package: more than one where they differ between Pythons."""
    found: dict[str, list[Requirement]] = defaultdict(list)
    for entry in (HERE / f"deploy/locked/{name}.txt").read_text().replace("\\\n", " ").splitlines():
        requirement = Requirement(entry.split("--hash")[0])
        found[canonicalize_name(requirement.name)].append(requirement)
    return found


PROGRAM = PROJECT["project"]["dependencies"]
WANTED = {
    "program": PROGRAM + group("build"),
    "dev": PROGRAM + group("dev") + group("build"),
    "table": PROGRAM + PROJECT["project"]["optional-dependencies"]["table"],
    "build": group("build"),
    "tools": group("tools"),
}


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_each_locked_version_is_exact_has_hashes_and_names_no_index(path: Path) -> None:
    entries = path.read_text().replace("\\\n", " ").splitlines()
    assert entries
    for entry in entries:
        requirement, *hashes = entry.split("--hash=sha256:")
        assert [each.operator for each in Requirement(requirement).specifier] == ["=="], entry
        assert hashes, entry
        assert all(len(each.strip()) == 64 for each in hashes), entry
    assert "://" not in path.read_text()


@pytest.mark.parametrize("name", WANTED)
def test_what_pyproject_asks_for_is_locked_in_a_version_that_it_allows(name: str) -> None:
    versions = locked(name)
    left_out = DEBIAN if name == "table" else set()
    for text in WANTED[name]:
        wanted = Requirement(text)
        if wanted.name in left_out:
            assert wanted.name not in versions
            continue
        assert versions[wanted.name], f"{wanted} is not in {name}.txt; make it anew: deploy/lock"
        for found in versions[wanted.name]:
            (version,) = (each.version for each in found.specifier)
            assert wanted.specifier.contains(version, prereleases=True), (wanted, version)


def test_the_lists_agree_on_each_version() -> None:
    versions = locked("dev")
    for name in ("program", "build", "table"):
        for package, found in locked(name).items():
            assert [each.specifier for each in found] == [each.specifier for each in versions[package]]


@pytest.mark.parametrize("name", ["program", "table", "dev"])
def test_a_list_has_all_that_its_packages_need(name: str) -> None:
    """pip gets ``--no-deps``: what is missing here would be missing there."""
    versions = locked(name)
    left_out = DEBIAN if name == "table" else set()
    missing = []
    for package in versions:
        try:
            needs = metadata.requires(package) or []
        except metadata.PackageNotFoundError:
            continue  # not installed here
        for each in map(Requirement, needs):
            if each.marker is not None and not each.marker.evaluate({"extra": ""}):
                continue
            if canonicalize_name(each.name) not in {*versions, *left_out}:
                missing.append(f"{package} needs {each}")
    assert missing == []

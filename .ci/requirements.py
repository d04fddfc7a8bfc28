"""Print what pip must install for Barpoint, one requirement a line: the package's own, then those of the
groups or extras named.

Read from pyproject.toml, because a pip older than 25.1 (Debian 12 has 23.0) has no ``--group``.

    python .ci/requirements.py            the program
    python .ci/requirements.py dev        the program and everything that ./check runs
    python .ci/requirements.py table      the program and its extra for a table
"""

import sys
import tomllib
from pathlib import Path


def group(groups: dict[str, list], name: str) -> list[str]:
    """The requirements of one dependency group, its included groups unfolded (PEP 735)."""
    found: list[str] = []
    for entry in groups[name]:
        found += [entry] if isinstance(entry, str) else group(groups, entry["include-group"])
    return found


def main() -> None:
    """Print the list, and as a comment what else an installation depends on."""
    data = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    project = data["project"]
    lines = list(project["dependencies"])
    for name in sys.argv[1:]:
        lines += project["optional-dependencies"].get(name) or group(data["dependency-groups"], name)
    print(
        f"# {project['name']} {project['version']} {project['scripts']} on Python"
        f" {sys.version_info[0]}.{sys.version_info[1]}"
    )
    print("\n".join(dict.fromkeys(lines)))


main()

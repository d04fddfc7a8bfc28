"""Gathers examples of all tables of a folder, a file each; those that are there already are left.

python -m training.dice.gather TABLES EXAMPLES [--throws N] [--seed N] [--part K/N]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2

from training.dice.examples import gather, save


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tables", type=Path)
    parser.add_argument("examples", type=Path)
    parser.add_argument("--throws", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--part", default="0/1", help="which of how many parts of the tables")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    options.examples.mkdir(parents=True, exist_ok=True)
    part, parts = map(int, options.part.split("/"))
    for path in sorted(options.tables.glob("table-*.pickle"))[part::parts]:
        target = options.examples / f"{path.stem}-{options.seed}.npz"
        if not target.exists():
            into = gather(path, options.throws, options.seed)
            save(into, target)
            print(f"{target.name}: {len(into.squares)} squares", flush=True)


if __name__ == "__main__":
    main()

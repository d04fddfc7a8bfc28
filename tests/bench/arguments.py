"""What a bench is given on its command line."""

import argparse
import os
from pathlib import Path
from typing import Any

DATA = Path(os.environ.get("BARPOINT_DATA", "../shared/data"))
"""The folder of labelled pictures."""


def arguments(doc: str | None, **usual: Any) -> dict[str, Any]:
    """The arguments by name, each optional, in this order and of the type of its ``usual`` value. ``--help``
    prints ``doc`` and ends."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in usual.items():
        parser.add_argument(
            name,
            nargs="?",
            type=type(value),
            default=value,
            metavar=name.upper(),
            help=f"({value})" if value else None,
        )
    return vars(parser.parse_args())


def data_option(parser: argparse.ArgumentParser, name: str = "--data") -> None:
    """Where the labelled pictures are, as an option, or as an argument that can be left out."""
    few: dict[str, Any] = {} if name.startswith("-") else {"nargs": "?"}
    parser.add_argument(name, type=Path, default=DATA, help=f"labelled pictures ({DATA})", **few)

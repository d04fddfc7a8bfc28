"""What a bench is told on its command line."""

import argparse
from typing import Any


def told(doc: str | None, **usual: Any) -> dict[str, Any]:
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

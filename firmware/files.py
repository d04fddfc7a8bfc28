"""The one way to replace a file: whenever the power goes, the old one or the new one is there, whole."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def is_file(path: Path) -> bool:
    """Whether there is such a file; False, too, in a folder that must not be read. With ``sudo`` the table's
    own user looks from a home directory that may be closed to it."""
    with suppress(OSError):
        return path.is_file()
    return False


def is_folder(path: Path) -> bool:
    """Whether there is such a folder; False as in :func:`is_file`."""
    with suppress(OSError):
        return path.is_dir()
    return False


@contextmanager
def replacing(path: Path, expected: bytes | None = None) -> Iterator[Path]:
    """Gives the name of a file to write beside ``path``; it takes the place of ``path`` when the block ends,
    and is removed where the block fails, or where it does not hold what is ``expected``. Raises OSError."""
    part = path.with_name(path.name + ".part")
    try:
        part.unlink(missing_ok=True)
        yield part
        _sync(part)
        if expected is not None and part.read_bytes() != expected:
            raise OSError(errno.EIO, "what was written is not what is read")
        part.replace(path)
        with suppress(PermissionError):  # a folder that may be written to, but not read
            _sync(path.parent)
    except BaseException:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def replace_file(path: Path, data: str | bytes, *, private: bool = False, verify: bool = False) -> None:
    """Writes ``data`` (a text as UTF-8) to ``path``. ``private``: only the owner may ever read it;
    ``verify``: what is on the disk is read again first. Raises OSError."""
    content = data.encode() if isinstance(data, str) else data
    with replacing(path, content if verify else None) as part:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666)
        with os.fdopen(handle, "wb") as file:
            file.write(content)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

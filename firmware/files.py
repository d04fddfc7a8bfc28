"""The one way to replace a file: whenever the power goes, the old one or the new one is there, whole.

:func:`replace_file` is for our own folders. :class:`OpenFolder` is for a folder that somebody else may have
prepared, on a USB stick above all.
"""

from __future__ import annotations

import errno
import itertools
import os
import re
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

from engine.messages import phrase


def is_file(path: Path) -> bool:
    """Whether there is such a file; False, too, in a folder that must not be read, unless a whole path names
    it: with ``sudo`` the table's own user looks from a home directory that may be closed to it, for what may
    be a match's id. Raises PermissionError."""
    try:
        return path.is_file()
    except OSError as error:
        if isinstance(error, PermissionError) and path.is_absolute():
            raise
        return False


MOST_BYTES = 64_000_000
"""Bytes of a file that is read whole: the longest match has some megabytes."""


def read_whole(path: Path, most: int = MOST_BYTES) -> bytes:
    """What is in a file. Raises OSError, also for one that is longer than ``most`` bytes: a stranger's must
    not fill the memory."""
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it is longer than {most // 1_000_000} MB", str(path))
    return data


def is_folder(path: Path) -> bool:
    """Whether there is such a folder; False as in :func:`is_file`."""
    with suppress(OSError):
        return path.is_dir()
    return False


_PART = re.compile(r".+\.barpoint-([1-9][0-9]{0,8})-[0-9]+\.part.*")
"""The name of a file that is being written, and of what belongs to it; the first number is the process."""
_number = itertools.count()
_swept: set[Path] = set()
_sweeping = threading.Lock()


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Gives the name of a file to write beside ``path``; it takes the place of ``path`` when the block ends,
    and is removed where the block fails. Of several at once, each has a name of its own. Raises OSError."""
    _sweep(path.parent)
    part = path.with_name(f"{path.name}.barpoint-{os.getpid()}-{next(_number)}.part")
    try:
        part.unlink(missing_ok=True)
        yield part
        sync(part)
        part.replace(path)
        with suppress(PermissionError):  # a folder that may be written to, but not read
            sync(path.parent)
    except BaseException:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def _sweep(folder: Path) -> None:
    """Deletes what writers that are gone have left in a folder, a power cut above all; once for each process,
    before it writes there itself."""
    with _sweeping, suppress(OSError):
        if folder in _swept:
            return
        _swept.add(folder)
        for left in folder.iterdir():
            known = _PART.fullmatch(left.name)
            if known is not None and not _writes(int(known[1])):
                with suppress(OSError):
                    left.unlink()


def _writes(process: int) -> bool:
    """Whether another process of this number is there."""
    if process == os.getpid():  # it had our number
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # another user's
        return True
    return True


def replace_file(path: Path, data: str | bytes, *, private: bool = False) -> None:
    """Writes ``data`` (a text as UTF-8) to ``path``. ``private``: only the owner may ever read it. Raises
    OSError."""
    content = data.encode() if isinstance(data, str) else data
    with replacing(path) as part:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666)
        with os.fdopen(handle, "wb") as file:
            file.write(content)


class NotPlain(Exception):
    """Something else stands where a file or a folder should; the message says which, and what it is."""


KINDS = {
    stat.S_IFLNK: phrase("a link"),
    stat.S_IFIFO: phrase("a pipe"),
    stat.S_IFSOCK: phrase("a socket"),
    stat.S_IFBLK: phrase("a device"),
    stat.S_IFCHR: phrase("a device"),
    stat.S_IFDIR: phrase("a folder"),
    stat.S_IFREG: phrase("a file"),
}
_HERE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""How a name in an open folder is opened: no link is followed, and no pipe is waited for."""


class OpenFolder:
    """A folder that is held open; its files are read and written by their bare names, relative to it.

    No link in it is ever followed, nothing but ordinary files is opened, and a name that is taken by
    something else is refused by that name: whoever prepared the folder leads nobody out of it. Every method
    raises NotPlain, or OSError.
    """

    def __init__(self, handle: int) -> None:
        self._handle = handle

    @classmethod
    def open(cls, path: Path) -> OpenFolder:
        """The folder at ``path``, whose last part must be no link."""
        return cls(_open_folder(path, str(path), None))

    def folder(self, name: str) -> OpenFolder:
        """A folder in this one, made where there is none."""
        if self._kind(name) is None:
            os.mkdir(name, dir_fd=self._handle)
            os.fsync(self._handle)
        return OpenFolder(_open_folder(name, name, self._handle))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)

    def holds(self, name: str, data: bytes) -> bool:
        """Whether a file with exactly this content is there."""
        if self._plain(name) is None:
            return False
        file = os.open(name, os.O_RDONLY | _HERE, dir_fd=self._handle)
        with os.fdopen(file, "rb") as opened:
            found = os.fstat(file)
            if not stat.S_ISREG(found.st_mode):  # exchanged since it was looked at
                raise _no_file(name, found.st_mode)
            return found.st_size == len(data) and opened.read(len(data) + 1) == data

    def replace(self, name: str, data: bytes) -> None:
        """Writes a file under another name, reads it again, and gives it its own; or changes nothing."""
        part = name + ".part"
        self._plain(name)
        if self._plain(part) is not None:
            os.unlink(part, dir_fd=self._handle)  # what an earlier failure left
        file = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | _HERE, 0o666, dir_fd=self._handle)
        try:
            with os.fdopen(file, "wb") as opened:
                opened.write(data)
                opened.flush()
                os.fsync(file)
                os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)  # read the stick, not our memory of it
                if os.pread(file, len(data) + 1, 0) != data:
                    raise OSError(errno.EIO, "what was written is not what is read")
            os.rename(part, name, src_dir_fd=self._handle, dst_dir_fd=self._handle)
            os.fsync(self._handle)
        except BaseException:
            with suppress(OSError):
                os.unlink(part, dir_fd=self._handle)
            raise

    def _plain(self, name: str) -> int | None:
        """The mode of the ordinary file of this name, None where the name is free."""
        mode = self._kind(name)
        if mode is not None and not stat.S_ISREG(mode):
            raise _no_file(name, mode)
        return mode

    def _kind(self, name: str) -> int | None:
        if "/" in name or name in ("", ".", ".."):
            raise NotPlain(phrase("{name!r} is not the name of a file", name=name))
        try:
            return os.stat(name, dir_fd=self._handle, follow_symlinks=False).st_mode
        except FileNotFoundError:
            return None


def check_plain(folder: Path) -> None:
    """Raises NotPlain where a folder, or something in it, leads elsewhere, or is no file: whoever prepared it
    would have that written over."""
    for each in (folder, *folder.rglob("*")):
        try:
            mode = each.lstat().st_mode
        except FileNotFoundError:  # somebody else has just written it
            continue
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise _no_file(str(each), mode)


def _open_folder(name: Path | str, told: str, inside: int | None) -> int:
    mode = os.stat(name, dir_fd=inside, follow_symlinks=False).st_mode
    if not stat.S_ISDIR(mode):
        raise NotPlain(phrase("{name} is {kind}, not a folder", name=told, kind=_named(mode)))
    return os.open(name, os.O_RDONLY | os.O_DIRECTORY | _HERE, dir_fd=inside)


def _no_file(name: str, mode: int) -> NotPlain:
    return NotPlain(phrase("{name} is {kind}, not a file", name=name, kind=_named(mode)))


def _named(mode: int) -> str:
    return KINDS.get(stat.S_IFMT(mode), phrase("something else"))


def sync(path: Path) -> None:
    """Returns when a file, or the names in a folder, are on the disk. Raises OSError."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

"""The program, asked from outside: its command line and its page. Nothing of it is imported, so that the same
lines ask any checkout of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 120
"""Seconds for a table to stop, or to answer."""


@dataclass(frozen=True)
class Program:
    """The program of the checkout in ``tree``. Paths that it is given are to be absolute."""

    tree: Path = ROOT

    def start(self, *words: object, **pipes: Any) -> subprocess.Popen[str]:
        """A command that is left running."""
        command = [sys.executable, "-m", "firmware", *map(str, words)]
        environment = os.environ | {"PYTHONPATH": str(self.tree), "OMP_NUM_THREADS": "1", "PYTHONUTF8": "1"}
        return subprocess.Popen(command, cwd=self.tree, env=environment, text=True, **pipes)

    def run(self, *words: object) -> subprocess.CompletedProcess[str]:
        """A command that has ended, whatever it said."""
        pipe = subprocess.PIPE
        with self.start(*words, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe) as running:
            out, err = running.communicate()
        return subprocess.CompletedProcess(running.args, running.returncode, out, err)

    def said(self, *words: object) -> str:
        """What a command prints, which must go well."""
        done = self.run(*words)
        assert done.returncode == 0, f"{' '.join(map(str, words))}: {done.stderr}"
        return done.stdout

    def lines(self, *words: object) -> list[Any]:
        """The JSON lines that a command prints, which must go well."""
        return [json.loads(line) for line in self.said(*words).splitlines()]

    @contextmanager
    def page(self, config: Path, state: Path, *options: str) -> Iterator[Callable[..., Any]]:
        """A table that runs until the block ends, with its match before it. Gives a way to ask its
        page, as somebody who knows the PIN."""
        words = ("run", "--config", config, "--state", state, "--json", *options)
        with self.start(*words, stdout=subprocess.PIPE) as table:
            try:
                assert table.stdout
                told = map(json.loads, table.stdout)
                ask = _browser(next(line["page"] for line in told if "page" in line).rstrip("/"), state)
                deadline = time.monotonic() + PATIENCE
                while not ask("/api/state") and time.monotonic() < deadline:
                    time.sleep(0.02)
                yield ask
            finally:
                table.send_signal(signal.SIGTERM)
                stopped = table.wait(PATIENCE)
            assert stopped == 0


def _browser(address: str, state: Path) -> Callable[..., Any]:
    """One that has entered the PIN: asks for a path, or sends an object there; gives the answer's JSON."""
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor()
    )

    def ask(path: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(address + path, data, {"Content-Type": "application/json"})
        with opener.open(request, timeout=PATIENCE) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    ask("/api/pin", {"pin": json.loads((state / "page.json").read_text(encoding="utf-8"))["pin"]})
    return ask

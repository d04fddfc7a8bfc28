"""Schemathesis over the page's own OpenAPI description: ``python -m tests.bench.api_fuzz [EXAMPLES]``, 300
for each operation by default.

Asks a table with a match and an archive whatever the description allows and much that it forbids, with the
PIN and without, and holds every answer against the description: no fault of ours, no status, type or form
that is not listed. Prints a line for each operation; exit 1 where an answer was wrong. Needs the dependency
group ``bench``.
"""

from __future__ import annotations

import contextlib
import itertools
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import httpx
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import checks
from schemathesis.checks import CHECKS

from firmware.page.access import COOKIE
from firmware.page.ration import Ration
from tests.bench.arguments import arguments
from tests.firmware.page.test_api import ENDLESS, Api
from tests.firmware.sitting_browser import PIN
from tests.firmware.table_browser import SetTable

HELD = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)


STEPS = [
    "outlines",
    "find",
    "learn",
    "stop",
    "keep",
    "arrange",
    "try",
    "light",
    "lamps",
    "look",
    "map",
    "mend",
    "begin",
    "go-on",
    "leave",
]


def asking(
    cookie: str, desk: Callable[[], str], met: Counter[int], wrong: dict[str, str]
) -> Callable[[schemathesis.Case], None]:
    """Asks and notes what came of it, three times in four as somebody who may act. Nothing is raised:
    Hypothesis asks again what failed, and a table does not answer the same twice."""
    checks.load_all_checks()
    held: list[Any] = [CHECKS.get_one(name) for name in HELD]
    steps = itertools.cycle(STEPS)

    def ask(case: schemathesis.Case) -> None:
        # Nobody guesses the id of a match, the name of a step or the token of a desk.
        for name, known in (("log", "a"), ("what", next(steps))):
            if name in case.path_parameters and sum(met.values()) % 2:
                case.path_parameters[name] = known
        if isinstance(case.body, dict) and "desk" in case.body:
            case.body["desk"] = desk()  # asking for a desk takes it from whoever had it
        response = case.call(headers={"cookie": cookie} if sum(met.values()) % 4 < 3 else {})
        met[response.status_code] += 1
        try:
            case.validate_response(response, checks=held)
        except BaseExceptionGroup as error:
            what = f"{case.method} {case.path}: {response.status_code} {type(error.exceptions[0]).__name__}"
            wrong.setdefault(what, str(error.exceptions[0]))

    return ask


def main(examples: int) -> None:
    """Fuzzes every operation: those of a table where a match is played, then those of one that is set up."""
    mock.patch.object(Ration, "wait", return_value=0.0).start()  # every question is to be heard
    wrong: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
        api = Api(Path(folder))
        fuzz(schemathesis.openapi.from_asgi("/openapi.json", api.app), "", api.cookie, str, examples, wrong)
        table = SetTable(Path(other))
        try:
            with httpx.Client(base_url=table.address) as client:

                def cookie() -> str:
                    client.post("/api/pin", json={"pin": PIN})
                    return f"{COOKIE}={client.cookies[COOKIE]}"

                cookie()
                schema = schemathesis.openapi.from_url(f"{table.address}openapi.json")
                sit = partial(client.post, "/api/setup/desk", json={"take": True})
                fuzz(schema, "/api/setup", cookie, lambda: str(sit().json()["desk"]), examples, wrong)
        finally:
            table.close()
    for what, message in wrong.items():
        print(f"WRONG {what}: {message}")
    sys.exit(1 if wrong else 0)


def fuzz(
    schema: Any,
    under: str,
    cookie: Callable[[], str],
    desk: Callable[[], str],
    examples: int,
    wrong: dict[str, str],
) -> None:
    """Asks everything whose path begins so."""
    for result in schema.get_all_operations():
        operation = result.ok()
        if operation.path == ENDLESS or not operation.path.startswith(under):
            continue
        met: Counter[int] = Counter()
        ask = asking(cookie(), desk, met, wrong)  # anew each time: one operation ends the cookie
        run = settings(
            max_examples=examples,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],
        )
        for mode in schemathesis.GenerationMode:
            with contextlib.suppress(Unsatisfiable):  # nothing that the description forbids can be asked
                run(given(operation.as_strategy(generation_mode=mode))(ask))()
        print(f"{operation.label}: {dict(sorted(met.items()))}", flush=True)


if __name__ == "__main__":
    main(**arguments(__doc__, examples=300))

"""Schemathesis over the page's own OpenAPI description: ``python -m tests.bench.api_fuzz [EXAMPLES]``, 300 for each operation by default.

Asks a table with a match and an archive whatever the description allows and much that it forbids, with the PIN and without, and holds every
answer against the description: no fault of ours, no status, type or form that is not listed. Prints a line for each operation; exit 1 where
an answer was wrong. Needs the dependency group ``bench``.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import checks
from schemathesis.checks import CHECKS

from tests.firmware.test_page_api import ENDLESS, Api

HELD = ("not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance")


def asking(api: Api, met: Counter[int], wrong: dict[str, str]) -> Callable[[schemathesis.Case], None]:
    """Asks and notes what came of it, three times in four as somebody who may act. Nothing is raised: Hypothesis asks again what
    failed, and a table does not answer the same twice."""
    checks.load_all_checks()
    held: list[Any] = [CHECKS.get_one(name) for name in HELD]

    def ask(case: schemathesis.Case) -> None:
        if "log" in case.path_parameters and sum(met.values()) % 2:
            case.path_parameters["log"] = "a"  # nobody guesses an id
        response = case.call(headers={"cookie": api.cookie()} if sum(met.values()) % 4 else {})
        met[response.status_code] += 1
        try:
            case.validate_response(response, checks=held)
        except BaseExceptionGroup as error:
            wrong.setdefault(f"{response.status_code} {type(error.exceptions[0]).__name__}", str(error.exceptions[0]))

    return ask


def main(examples: int = 300) -> None:
    """Fuzzes every operation."""
    wrong: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        api = Api(Path(folder))
        schema = schemathesis.openapi.from_asgi("/openapi.json", api.app)
        for result in schema.get_all_operations():
            operation = result.ok()
            if operation.path == ENDLESS:
                continue
            met: Counter[int] = Counter()
            ask = asking(api, met, wrong)
            run = settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
            for mode in schemathesis.GenerationMode:
                with contextlib.suppress(Unsatisfiable):  # nothing that the description forbids can be asked
                    run(given(operation.as_strategy(generation_mode=mode))(ask))()
            print(f"{operation.label}: {dict(sorted(met.items()))}", flush=True)
    for what, message in wrong.items():
        print(f"WRONG {what}: {message}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))

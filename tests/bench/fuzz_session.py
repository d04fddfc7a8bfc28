"""A long storm of random events over every game: ``python -m tests.bench.fuzz_session [EVENTS] [SEED]``, a
million by default.

Prints what it met, a line per game, and fails with the journal of the session in which an invariant broke.
"""

from __future__ import annotations

import time
from unittest import mock

from engine import rules as games
from tests.bench.arguments import arguments
from tests.engine import footrace
from tests.engine.storm import storm


def main(events: int, seed: int) -> None:
    """Nine tenths of the events go to the game made up for the tests, which is quick; the rest to the real
    ones."""
    found = games.get
    mock.patch.object(
        games, "get", new=lambda name: footrace.RULES if name == footrace.RULES.name else found(name)
    ).start()
    shares = {footrace.RULES.name: events * 9 // 10} | {
        name: events // 10 // len(games.names()) for name in games.names()
    }
    total = 0
    for name, share in shares.items():
        begun = time.perf_counter()
        met = storm(games.get(name), seed, share)
        total += met.events
        print(
            f"{name}: {met.events} events, {met.refused} refused, {met.sessions} sessions,"
            f" {time.perf_counter() - begun:.0f} s, effects {dict(met.effects.most_common())}"
        )
    print(f"{total} events, no invariant broken")


if __name__ == "__main__":
    main(**arguments(__doc__, events=1_000_000, seed=1))

"""Golden playthroughs: whole games as text, so that a change of rules can be read in a diff.

``python -m tests.engine.playthrough`` writes them anew, for every game, into ``tests/data/golden``.
"""

from __future__ import annotations

from pathlib import Path

from engine import rules as games
from engine.position import Position, Rules
from tests.engine.playing import fixture, game

GOLDEN = Path(__file__).parent.parent / "data" / "golden"


def playthrough(rules: Rules, seed: int) -> str:
    """A game played at random from a seed: a numbered line for each roll and play, followed by the position
    after it."""
    lines = [f"# {rules.title}, played at random from seed {seed}"]
    for number, (before, action, after) in enumerate(game(rules, seed), 1):
        if number == 1:
            lines.append(f"{'start':<36} | {before}")
        what = f"rolls {' '.join(map(str, action))}" if isinstance(action, tuple) else action.text
        lines.append(f"{number:>3}. {before.turn or '':<6} {what:<24} | {after}".rstrip())
        lines += [f"     {outcome}" for outcome in _end(after)]
    return "\n".join(lines) + "\n"


def _end(position: Position) -> list[str]:
    outcome = position.outcome
    return [f"the end: {outcome.kind}, {outcome.points} to {outcome.winner or 'nobody'}"] if outcome else []


def seeds(rules: Rules) -> tuple[int, ...]:
    """The seeds whose games are kept: those that the game's fixture names, else 1 and 2."""
    return tuple(fixture(rules).get("golden", (1, 2)))


def path(rules: Rules, seed: int) -> Path:
    """Where the playthrough of a seed is kept."""
    return GOLDEN / f"{rules.name}-{seed}.txt"


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for rules in map(games.get, games.names()):
        for seed in seeds(rules):
            path(rules, seed).write_text(playthrough(rules, seed), encoding="utf-8")

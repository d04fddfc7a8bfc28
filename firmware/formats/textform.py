"""A match of any game as plain text: for people to read, for programs to read back exactly.

    Barpoint match 1
    rules: siegegammon
    white: Ada
    black: Ben
    terms: length 5
    place: Leipzig

    Game 1, score 0-0
      opening 5-2
      white plays 24/19 23/21
      black rolls 3-1
      black plays 1/4 2/3
      …
      result: white wins 2, gammon, played

One line is one thing. A header line is ``name: value``; a game's line begins with two blanks. What a value
is, stands in docs/formats.md. A value that would not survive on a line (line ends, blanks at its ends, a
quotation mark in front) is written as a JSON string.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from engine import rules as games
from engine import strict_json
from engine.errors import EngineError
from engine.match import Terms
from engine.record import (
    Action,
    Beavered,
    Corrected,
    Doubled,
    Dropped,
    GameRecord,
    Given,
    MatchRecord,
    Played,
    Proof,
    Remark,
    Resigned,
    Result,
    Rolled,
    Scored,
    Stood,
    Taken,
)
from firmware.formats.source import FormatError, shortened, whole_number

TITLE = "Barpoint match 1"
TEXTS = ("event", "round", "place", "date", "comment")


def write(record: MatchRecord) -> str:
    """The record as text."""
    sides = games.get(record.rules).sides
    lines = [TITLE, f"rules: {record.rules}"]
    lines += [
        f"option {name}: {json.dumps(value, ensure_ascii=False)}" for name, value in record.options.items()
    ]
    lines += [f"{side}: {_quote(name)}" for side, name in zip(sides, record.players, strict=True)]
    usual = Terms().to_json()
    terms = [f"{key} {_value(value)}" for key, value in record.terms.to_json().items() if value != usual[key]]
    lines += [f"terms: {', '.join(terms)}"] if terms else []
    lines += [f"{name}: {_quote(getattr(record, name))}" for name in TEXTS if getattr(record, name)]
    for number, game in enumerate(record.games, 1):
        lines += ["", *_game(number, game)]
    return "\n".join(lines) + "\n"


def _game(number: int, game: GameRecord) -> list[str]:
    title = f"Game {number}, score {game.score[0]}-{game.score[1]}"
    title += f", cube {game.cube}" if game.cube != 1 else ""
    lines = [title + (", Crawford" if game.crawford else "")]
    if game.options is not None:
        lines.append(f"  options {_json(game.options)}")
    if game.start is not None:
        lines.append(f"  start {_json(game.start)}")
    if game.proof is not None:
        lines.append(f"  commitment {game.proof.commitment}")
        if game.proof.form != 1:
            lines.append(f"  bound {game.proof.form} {game.proof.game} {_quote(game.proof.match)}".rstrip())
        if game.proof.round:
            lines.append(f"  beacon {game.proof.round} {game.proof.beacon}".rstrip())
        for each in game.proof.given:
            lines.append(f"  given {each.side} {each.pledge or '-'} {_quote(each.words)}".rstrip())
        lines += [f"  words {_quote(words)}" for words in game.proof.words]
        lines += [f"  secret {game.proof.secret}"] if game.proof.secret else []
    lines += [f"  {_action(action)}" for action in game.actions]
    if game.result is not None:
        winner = (
            f"{game.result.winner} wins {game.result.points}"
            if game.result.winner
            else f"nobody wins {game.result.points}"
        )
        lines.append(f"  result: {winner}, {game.result.kind}, {game.result.cause}")
    return lines


def _action(action: Action) -> str:
    match action:
        case Rolled(side=side, dice=dice, number=number):
            roll = "-".join(map(str, dice)) + (f" #{number}" if number is not None else "")
            return f"{side} rolls {roll}" if side else f"opening {roll}"
        case Played(side=side, text=text):
            return f"{side} plays {_quote(text)}"
        case Stood(side=side, after=after, text=text):
            return f"{side} stands {_json(after)}" + (f" {_quote(text)}" if text else "")
        case Doubled(side=side):
            return f"{side} doubles"
        case Beavered(side=side):
            return f"{side} beavers"
        case Taken(side=side):
            return f"{side} takes"
        case Dropped(side=side):
            return f"{side} drops"
        case Resigned(side=side, grade=grade, accepted=accepted):
            return f"{side} resigns {grade}" + ("" if accepted else ", refused")
        case Corrected(position=position, cube=cube, owner=owner):
            return f"set {_json(position)} cube {cube}" + (f" {owner}" if owner else "")
        case Remark(text=text):
            return f"remark {_quote(text)}"
        case Scored(score=score, by=by):
            return f"score {score[0]}-{score[1]}, {by}"


def read(text: str) -> MatchRecord:
    """The inverse of :func:`write`. Raises FormatError with the line at fault."""
    lines = text.split("\n")
    if not lines or lines[0].strip() != TITLE:
        raise FormatError(f"line 1: a match in text begins with {TITLE!r}")
    header: dict[str, str] = {}
    bodies: list[GameRecord] = []
    for number, line in enumerate(lines[1:], 2):
        try:
            if not line.strip():
                continue
            if line.startswith("  "):
                if not bodies:
                    raise FormatError("this belongs to a game, and none has begun")
                bodies[-1] = _line(bodies[-1], line[2:])
            elif line.startswith("Game "):
                bodies.append(_title(line))
            else:
                name, colon, value = line.partition(": ")
                if not colon or name in header:
                    raise FormatError("a header line is 'name: value', each name once")
                header[name] = value
        except (FormatError, EngineError, ValueError) as error:
            raise FormatError(f"line {number}: {error}: {line.strip()[:80]!r}") from error
    return _record(header, tuple(bodies))


def _record(header: dict[str, str], bodies: tuple[GameRecord, ...]) -> MatchRecord:
    try:
        rules = games.get(header.pop("rules", ""))
        options = {
            name.removeprefix("option "): strict_json.loads(header.pop(name))
            for name in list(header)
            if name.startswith("option ")
        }
        first, second = (_unquote(header.pop(side, "")) for side in rules.sides)
        terms = dict(part.split(" ", 1) for part in header.pop("terms", "").split(", ") if part)
        texts = {name: _unquote(header.pop(name)) for name in TEXTS if name in header}
        if header:
            raise FormatError(f"unknown header line {next(iter(header))!r}")
        agreed = Terms.from_json({key: _word(value) for key, value in terms.items()})
    except (EngineError, ValueError) as error:
        raise FormatError(f"the header: {error}") from error
    return MatchRecord(rules.name, (first, second), agreed, bodies, options, **texts)


def _title(line: str) -> GameRecord:
    found = re.fullmatch(r"Game \d+, score (\d+)-(\d+)(?:, cube (\d+))?(, Crawford)?\s*", line)
    if found is None:
        raise FormatError("a game begins with 'Game 1, score 0-0'")
    return GameRecord(
        (whole_number(found[1]), whole_number(found[2])),
        crawford=bool(found[4]),
        cube=whole_number(found[3] or "1"),
    )


def _proof_line(proof: Proof, head: str, rest: str) -> Proof | None:
    """The proof with one more line of it; None where the line is of something else."""
    match head:
        case "commitment":
            return replace(proof, commitment=rest)
        case "words":
            return replace(proof, words=(*proof.words, _unquote(rest)))
        case "bound":
            form, game, match = [*rest.split(" ", 2), ""][:3]
            return replace(proof, form=whole_number(form), game=whole_number(game), match=_unquote(match))
        case "beacon":
            number, _, signature = rest.partition(" ")
            if not (number.isascii() and number.isdecimal() and len(number) < 10):
                raise FormatError(f"{shortened(number)} is no round of drand")
            return replace(proof, round=int(number), beacon=signature)
        case "given":
            side, pledge, text = [*rest.split(" ", 2), "", ""][:3]
            given = Given(side, _unquote(text), "" if pledge == "-" else pledge)
            return replace(proof, given=(*proof.given, given))
        case "secret":
            return replace(proof, secret=rest)
        case _:
            return None


def _line(game: GameRecord, line: str) -> GameRecord:
    """The game with one more line of it."""
    head, _, rest = line.partition(" ")
    proof = _proof_line(game.proof or Proof(""), head, rest)
    if proof is not None:
        return replace(game, proof=proof)
    match head:
        case "start":
            return replace(game, start=_object(rest)[0])
        case "options":
            return replace(game, options=_object(rest)[0])
        case "result:":
            return replace(game, result=_result(rest))
        case "opening":
            action: Action = Rolled(None, *_dice(rest))
        case "remark":
            action = Remark(_unquote(rest))
        case "score":
            score, _, by = rest.partition(", ")
            first, second = (whole_number(points) for points in score.split("-"))
            action = Scored((first, second), by)
        case "set":
            data, tail = _object(rest)
            words = tail.split()
            action = Corrected(data, whole_number(words[1]), words[2] if len(words) > 2 else None)
        case _:
            verb, _, tail = rest.partition(" ")
            if verb not in _VERBS:
                raise FormatError(f"no such action; there are {', '.join(_VERBS)}")
            action = _VERBS[verb](head, tail)
    return replace(game, actions=(*game.actions, action))


def _resigned(side: str, rest: str) -> Action:
    return Resigned(side, rest.removesuffix(", refused"), not rest.endswith(", refused"))


def _stood(side: str, rest: str) -> Action:
    data, text = _object(rest)
    return Stood(side, data, _unquote(text))


_VERBS: Mapping[str, Callable[[str, str], Action]] = {
    "rolls": lambda side, rest: Rolled(side, *_dice(rest)),
    "plays": lambda side, rest: Played(side, _unquote(rest)),
    "stands": _stood,
    "doubles": lambda side, rest: Doubled(side),
    "beavers": lambda side, rest: Beavered(side),
    "takes": lambda side, rest: Taken(side),
    "drops": lambda side, rest: Dropped(side),
    "resigns": _resigned,
}


def _dice(text: str) -> tuple[tuple[int, ...], int | None]:
    found = re.fullmatch(r"([1-6](?:-[1-6])*)(?: #(\d+))?", text)
    if found is None:
        raise FormatError(f"{text!r} are not dice")
    return tuple(int(die) for die in found[1].split("-")), whole_number(found[2]) if found[2] else None


def _result(text: str) -> Result:
    found = re.fullmatch(r"(\S+) wins (\d+), ([^,]+), ([^,]+)", text)
    if found is None:
        raise FormatError("a result is 'white wins 2, gammon, played'")
    return Result(None if found[1] == "nobody" else found[1], found[3], whole_number(found[2]), found[4])


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def _object(text: str) -> tuple[dict[str, Any], str]:
    """A JSON object and what follows it on the line."""
    try:
        _, end = json.JSONDecoder().raw_decode(text)
    except RecursionError as error:
        raise FormatError("too many brackets within brackets") from error
    return strict_json.loads_object(text[:end]), text[end:].strip()


def _quote(text: str) -> str:
    plain = text == text.strip() and not text.startswith('"') and text.isprintable()
    return text if plain else json.dumps(text, ensure_ascii=True)


def _unquote(text: str) -> str:
    if not text.startswith('"'):
        return text
    value = strict_json.loads(text)
    if not isinstance(value, str):
        raise FormatError("this must be a text")
    return value


def _value(value: Any) -> str:
    return f"{value[0]}-{value[1]}" if isinstance(value, list) else str(value).lower()


def _word(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    return [whole_number(part) for part in text.split("-")] if "-" in text else whole_number(text)

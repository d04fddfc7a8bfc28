"""Reading Smart Game Format of backgammon (``GM[6]``), gnubg's above all.

Only the main line of each tree is read; analysis (``A``, ``DA``, ``GS``, ``LU`` …) is passed over. As with
``.mat``, a play that the rules do not allow but that checkers could make is kept as one that stood, with a
note, and what cannot be taken ends the game there, with its line. So does the end of a file that is cut off.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine import rules as games
from engine.errors import EngineError
from engine.layout import Side
from engine.match import Terms
from engine.messages import joined, phrase
from engine.position import Awaits
from engine.record import Corrected, Dropped, GameRecord, MatchRecord, Result, Stood, Taken
from firmware.formats.board import BAR, SIDES, BoardCounts, Hop, own_point
from firmware.formats.build import GameBuilder, astray, other
from firmware.formats.ids import GAME
from firmware.formats.source import FormatError, Imported, Note, day_of, shortened, stake, whole_number

COLOURS = dict(zip("WB", SIDES, strict=True))


@dataclass(frozen=True, slots=True)
class Property:
    """A name with its values, unescaped, and the line that it stands on."""

    name: str
    values: tuple[str, ...]
    line: int


Node = tuple[Property, ...]

# Letters of a value are passed over together: one by one each took 200 bytes, to come back to.
_TOKEN = re.compile(
    r"\s+|(?P<mark>[();])|(?P<name>[A-Za-z]+)|\[(?P<value>[^\]\\]*(?:\\.[^\]\\]*)*)\]", re.DOTALL
)
_TREE = re.compile(r"\(\s*;")


def parse(text: str) -> tuple[list[list[Node]], int]:
    """The main line of each tree of a collection, and the line at which the file ends in the middle of the
    last one; 0 where it is whole. Raises FormatError with the line."""
    games: list[list[Node]] = []
    depth = at = 0
    line = 1
    main = True
    node: list[Property] = []
    values: list[str] = []
    name = ""
    begin = 1

    def close() -> None:
        nonlocal name, values
        if name:
            node.append(Property(name, tuple(values), begin))
        name, values = "", []

    def finish() -> None:
        nonlocal node
        close()
        if node and main:
            games[-1].append(tuple(node))
        node = []

    while at < len(text):
        if not depth:  # words before, between and behind the trees say nothing
            tree = _TREE.search(text, at)
            if tree is None:
                break
            line += text.count("\n", at, tree.start())
            at = tree.start()
        token = _TOKEN.match(text, at)
        if token is None and text[at] == "[":
            break
        if token is None:
            said = phrase("not understood: {text}", text=repr(text[at : at + 20]))
            raise FormatError(phrase("line {line}: {error}", line=line, error=said))
        if token["mark"] == "(":
            finish() if depth else None
            main = main if depth else True
            games += [] if depth else [[]]
            depth += 1
        elif token["mark"] == ")":
            finish()
            depth -= 1
            main = False
        elif token["mark"] == ";":
            finish()
        elif token["name"]:
            close()
            name, begin = "".join(letter for letter in token["name"] if letter.isupper()), line
        elif token["value"] is not None:
            values.append(
                re.sub(
                    r"\\(\n|.)",
                    lambda found: "" if found[1] == "\n" else found[1],
                    token["value"],
                    flags=re.DOTALL,
                )
            )
        line += token[0].count("\n")
        at = token.end()
    if depth:
        name = name if values else ""
        close()
        node = [each for each in node if each.name in COLOURS]  # of a board or a head a part may be missing
        finish()
    return games, line if depth else 0


def read(text: str) -> Imported:
    """The match in this collection. Raises FormatError where it holds no backgammon."""
    found, cut = parse(text)
    trees = [nodes for nodes in found if nodes and _value(nodes[0], "GM") == "6"]
    ending = phrase("the file ends in the middle of a game")
    if not trees:
        raise FormatError(ending if cut else phrase("there is no game of backgammon (GM[6]) in this file"))
    notes: list[Note] = []
    root = trees[0][0]
    info = _info(root)
    when, comment = _value(root, "DT"), _value(root, "GC")
    if when and not day_of(when):
        said = phrase("{value!r} is {why}; kept as a remark", value=when[:40], why=phrase("no whole date"))
        notes.append(Note(root[0].line, said))
        comment = "\n".join(filter(None, (comment, f"DT: {when}")))
    record = MatchRecord(
        _variation(root),
        (_value(root, "PW"), _value(root, "PB")),
        _terms(root, info),
        event=_value(root, "EV"),
        round=_value(root, "RO"),
        place=_value(root, "PC"),
        date=day_of(when),
        comment=comment,
    )
    games: list[GameRecord] = []
    for tree in trees:
        here = _info(tree[0])
        if (
            _value(tree[0], "PW") != record.players[0]
            or here.get("length", 0) != record.terms.length
            or (games and "game" in here and here == info)  # numbers and scores begin again
        ):
            notes.append(
                Note(
                    tree[0][0].line,
                    phrase("another match begins here; one file is one match, the rest is left out"),
                )
            )
            break
        game = _Tree(record, tree, notes).read(whole=not cut or tree is not found[-1])
        if games and (strayed := astray(len(games), games[-1], game.score)):
            notes.append(Note(tree[0][0].line, strayed))
        games.append(game)
    else:
        if cut:
            said = phrase("{error}; the rest of the game is left out", error=ending)
            notes.append(Note(cut, said, lost=True))
    return Imported(replace(record, games=tuple(games)), tuple(notes))


def _value(node: Node, name: str) -> str:
    return next((each.values[0] for each in node if each.name == name and each.values), "")


def _variation(root: Node) -> str:
    """The game that one of the words of ``RU`` names."""
    words = _value(root, "RU").split(":")
    return next((name for name in games.names() if games.get(name).file_names.get("sgf") in words), GAME)


def _info(root: Node) -> dict[str, int]:
    pairs = [value.partition(":") for each in root if each.name == "MI" for value in each.values]
    return {key: whole_number(value) for key, _, value in pairs if value.isdecimal()}


def _terms(root: Node, info: dict[str, int]) -> Terms:
    rules = _value(root, "RU").split(":")
    counts = {
        found[1]: whole_number(found[2] or "1")
        for rule in rules
        if (found := re.fullmatch(r"(Beavers|Automatic)(\d*)", rule))
    }
    length = info.get("length", 0)
    score = (info.get("ws", 0), info.get("bs", 0))
    cube = "NoCube" not in rules
    if length:
        over, holland = "CrawfordOver" in rules, "Holland" in rules
        return Terms(
            length=length,
            cube=cube,
            crawford="Crawford" in rules,
            crawford_over=over,
            holland=holland,
            score=score,
        )
    return Terms(
        cube=cube,
        jacoby="Jacoby" in rules,
        beavers=counts.get("Beavers", 0),
        automatic=counts.get("Automatic", 0),
        score=score,
    )


class _Tree:
    """One game's nodes, done one after the other."""

    def __init__(self, record: MatchRecord, nodes: Sequence[Node], notes: list[Note]) -> None:
        root, info = nodes[0], _info(nodes[0])
        cube = _value(root, "CV")
        game = GameRecord(
            (info.get("ws", 0), info.get("bs", 0)),
            crawford="CrawfordGame" in _value(root, "RU").split(":"),
            cube=stake(cube) if cube.isdecimal() else 1,
        )
        self.nodes = nodes
        self.notes = notes
        self.builder = GameBuilder(record, game)
        self._untold: Side | None = None
        """The side of a node that says nothing else: it made the board that follows, by dice that nobody
        told."""
        self._rest: Sequence[Node] = ()
        """The nodes that are still to come."""

    def read(self, whole: bool) -> GameRecord:
        """The game, as far as it can be taken; ``whole``: its nodes are all there."""
        root = self.nodes[0]
        start = tuple(each for each in root if each.name in ("AE", "AW", "AB", "PL"))
        for place, node in enumerate((start, *self.nodes[1:]), 1):
            self._rest = self.nodes[place:]
            try:
                self._do(node)
            except (EngineError, FormatError) as error:
                said = phrase("{error}; the rest of the game is left out", error=str(error))
                self.notes.append(Note(node[0].line, said, lost=True))
                return self.builder.done(self._result(False))
            alone = node is not start and {each.name for each in node} == {"PL"}
            self._untold = COLOURS.get(_value(node, "PL")) if alone else None
        return self.builder.done(self._result(whole))

    def _result(self, whole: bool) -> Result | None:
        """What ``RE`` says of a game that its nodes do not end. A resignation becomes an action, where all
        nodes were taken."""
        told = _value(self.nodes[0], "RE")
        found = re.fullmatch(r"([WBwb])\+(\d+)([RT]?)", told, re.IGNORECASE)
        if found is None:
            if not self.builder.over and told not in ("", "?", "0", "Void", "Draw"):
                said = phrase("RE: {text!r} is not a winner with points, as B+2R", text=told)
                self.notes.append(Note(self.nodes[0][0].line, said))
            return None
        winner, points, how = COLOURS[found[1].upper()], whole_number(found[2]), found[3].upper()
        if self.builder.over:
            if denied := self.builder.denied(f"RE[{told}]", winner, points):
                self.notes.append(Note(self.nodes[0][0].line, denied))
            return None
        result = Result(winner, "single", points, "time" if how == "T" else "resigned")
        if how == "R" and whole:
            try:
                self.builder.resign(other(winner), points)
            except FormatError as error:
                said = phrase(
                    "{error}; kept as points, without a grade", error=joined(": ", ("RE", str(error)))
                )
                self.notes.append(Note(self.nodes[0][0].line, said))
        return result

    def _do(self, node: Node) -> None:
        names = {each.name: each for each in node}
        side = COLOURS.get(_value(node, "PL"))
        for name in ("W", "B"):
            if name in names:
                self._move(names[name], COLOURS[name])
        if "DI" in names:
            self._roll(side or self.builder.state.position.turn or SIDES[0], _value(node, "DI"))
        if names.keys() & {"AE", "AW", "AB"}:
            self._set(node, side)
        elif names.keys() & {"CV", "CP"}:
            self._cube(node)
        self._remark(node)

    def _remark(self, node: Node) -> None:
        text = _value(node, "C")
        last = self.builder.moments[-1].action if self.builder.moments else None
        if not text or (isinstance(last, Stood) and last.text == text):
            return
        self.builder.remark(text)

    def _roll(self, side: Side, text: str) -> None:
        if not re.fullmatch("[1-6]{2}", text):
            raise FormatError(phrase("{text!r} are not dice", text=text))
        self.builder.roll(side, (int(text[0]), int(text[1])))

    def _move(self, what: Property, side: Side) -> None:
        builder, text = self.builder, "".join(what.values[:1]).strip().lower()
        if text == "double":
            builder.double(side)
        elif text == "take":
            builder.add(Taken(side))
        elif text == "drop":
            builder.add(Dropped(side))
        else:
            if builder.state.position.awaits is not Awaits.PLAY:
                self._roll(side, text[:2])
            hops = _hops(text[2:], side)
            if not (hops or self._rest or builder.stuck):
                return  # a game under way: gnubg writes dice that wait to be played as a play without moves
            notation = " ".join(f"{source}/{target}" for source, target in hops)
            try:
                builder.play(side, notation)
            except EngineError as error:
                if not hops:
                    raise
                builder.force(side, hops, notation)
                said = phrase("{error}; taken as an illegal play that stood", error=str(error))
                self.notes.append(Note(what.line, said))

    def _set(self, node: Node, side: Side | None) -> None:
        """A board set: after a roll, or a side alone, an illegal play that stood; before anything the start;
        else, or where the cube is set with it, a correction by hand."""
        builder = self.builder
        state = builder.state.position
        before = BoardCounts.of(state)
        board = _edited(before, node)
        mover = state.turn if state.awaits is Awaits.PLAY else self._untold
        by_hand = any(each.name in ("CV", "CP") for following in self._rest[:1] for each in following)
        if mover is not None and not by_hand:
            builder.stand(mover, board, _value(node, "C"))
        elif not builder.moments:
            if side is not None or board != before:
                builder.restart(board, side or self._next_side())
        else:
            turn = side or state.turn or self._next_side()
            builder.add(
                Corrected(board.to_json(builder.match.rules, turn), builder.state.cube, builder.state.owner)
            )

    def _next_side(self) -> Side:
        """The side that acts first in what is to come."""
        sides = (COLOURS.get(_value(node, "PL") or each.name) for node in self._rest for each in node)
        return next(filter(None, sides), SIDES[0])

    def _cube(self, node: Node) -> None:
        """A cube set by hand: part of the correction before it, or one of its own."""
        state = self.builder.state
        value, owner = _value(node, "CV"), _value(node, "CP")
        cube = stake(value) if value.isdecimal() else state.cube
        side = {"w": SIDES[0], "b": SIDES[1], "c": None}.get(owner, state.owner) if owner else state.owner
        if (cube, side) == (state.cube, state.owner):
            return
        if self.builder.moments and isinstance(self.builder.moments[-1].action, Corrected):
            self.builder.undo()
        elif not self.builder.moments and value and not owner:
            self.builder.stake(cube)
            return
        self.builder.add(Corrected(state.position.to_json(), cube, side))


def _hops(text: str, side: Side) -> list[Hop]:
    if len(text) % 2:
        raise FormatError(phrase("{text!r} is not a play: letters go in pairs", text=text))
    return [(_place(text[at], side), _place(text[at + 1], side)) for at in range(0, len(text), 2)]


def _place(letter: str, side: Side) -> int:
    if letter == "y":
        return BAR
    if letter == "z":
        return 0
    if not "a" <= letter <= "x":
        raise FormatError(phrase("{text!r} is not a point", text=letter))
    return own_point(SIDES.index(side), ord(letter) - ord("a") + 1)


def _edited(board: BoardCounts, node: Node) -> BoardCounts:
    """The board with places emptied (``AE``) and checkers added (``AW``, ``AB``)."""
    counts = [list(board.own[0]), list(board.own[1])]
    for name, target in (("AE", None), ("AW", 0), ("AB", 1)):
        for each in node:
            if each.name != name:
                continue
            for letter in _letters(each.values):
                for side in (0, 1):
                    place = _place(letter, SIDES[side])
                    if target is None:
                        counts[side][place] = 0
                    elif side == target:
                        counts[side][place] += 1
    return BoardCounts.of_counts(counts[0], counts[1], board.checkers)


def _letters(values: Sequence[str]) -> list[str]:
    """Letters ``a`` to ``y`` out of values that may be ranges (``a:y``)."""
    letters = []
    for value in values:
        first, _, last = value.partition(":")
        if max(first or "a", last or "a") > "z" or max(len(first), len(last)) > 1:
            raise FormatError(phrase("{text} is no point, and no range of points", text=shortened(value)))
        letters += [chr(code) for code in range(ord(first or "a"), ord(last or first or "a") + 1)]
    return letters

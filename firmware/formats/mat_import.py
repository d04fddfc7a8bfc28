"""Reading ``.mat`` and its many dialects: gnubg, Jellyfish, XG (desktop and mobile), Backgammon Studio, OpenGammon and kin.

Reading goes by cells, not by gaps: a cell begins at a roll (``63:``) or a word (``Doubles``, ``Takes``, ``Wins`` …). Two cells in a row
are left and right; one alone belongs to the column that it begins nearer to. What is in a cell is then done under the rules, in order,
so that a cell in the wrong place is found out and named, not believed.

Nothing is guessed. A line that cannot be taken is reported with its number; where a play is missing or impossible, the rest of that game
is left out, since every later play would hang in the air, and the next game begins afresh from its own score line. A play that the rules
do not allow, but that checkers could make, is kept as an illegal play that stood, with a note: real matches have them, and the file says
that it happened.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from engine.errors import EngineError
from engine.layout import Side
from engine.match import Terms
from engine.record import Dropped, GameRecord, MatchRecord, Result, Stood, Taken, result_of
from firmware.formats.board import SIDES, Board
from firmware.formats.build import GameBuilder, crawford_games, hops, other
from firmware.formats.ids import GAME, of_xg_board
from firmware.formats.mat import score_name
from firmware.formats.source import FormatError, Imported, Note

_MATCH = re.compile(r"^\s*(?:(\d+)\s+points?\s+match\b|(?:unlimited|money)(?:\s+point)?\s+(?:match|game|session)\b)", re.IGNORECASE)
_GAME = re.compile(r"^\s*Game\s+(\d+)\s*$", re.IGNORECASE)
_TAG = re.compile(r'^\s*[;#]\s*\[\s*([A-Za-z][\w ]*?)\s+"(.*)"\s*\]\s*$')
_COMMENT = re.compile(r"^\s*[;#] ?(.*)$")
_SCORES = re.compile(r"^\s*(?P<left>\S.*?)\s*:\s*(?P<a>\d+)(?:\s+|(?=[^\d\s]))(?P<right>\S.*?)\s*:\s*(?P<b>\d+)\s*$")
_LABEL = re.compile(r"^\s*\d+\s*\)")
_DUMP = re.compile(r"\([^()]*;[^()]*\)")
_CELL = re.compile(
    r"(?<![\d/])(?:[1-6][1-6]|00)\s*:"
    r"|\b(?:(?:re)?doubles?|takes?|accepts|drops?|pass(?:es)?|rejects|beavers?|raccoons?|resign\w*|wins?|los(?:es|ses))\b",
    re.IGNORECASE,
)
_SET_POS = re.compile(r"^\s*;\s*Set Pos=([-a-oA-O]{26})", re.IGNORECASE)
_UNKNOWN = re.compile(r"^(\?+|illegal play)\s*$", re.IGNORECASE)
_ILLEGAL = re.compile(r"Game (\d+), move (\d+), (white|black): ?(.*)")


@dataclass(frozen=True, slots=True)
class _Cell:
    line: int
    row: int
    side: Side
    text: str


@dataclass(slots=True)
class _Section:
    """The lines of one game, numbered, without its ``Game`` line."""

    number: int
    line: int
    lines: list[tuple[int, str]] = field(default_factory=list)


def _aside(line: str) -> bool:
    """Whether a line before the names says nothing: XG and others put remarks there."""
    return not line.strip() or (_COMMENT.match(line) is not None and not _SET_POS.match(line))


def _same(full: str, short: str) -> bool:
    """Whether a score line would write the first name as the second."""
    return bool(full) and score_name(full) == score_name(short)


def _words(full: str, short: str) -> bool:
    """Whether the second name is made of words of the first."""
    words = set(re.findall(r"\w+", short.casefold()))
    return bool(words) and words <= set(re.findall(r"\w+", full.casefold()))


def read(text: str) -> Imported:
    """The match in this text. Raises FormatError where it is no such file at all."""
    return _Reader(text).read()


class _Reader:
    def __init__(self, text: str) -> None:
        self.notes: list[Note] = []
        self.tags: dict[str, str] = {}
        self.told: dict[str, int] = {}
        """The line of each tag."""
        self.comment: list[str] = []
        self.fouls: dict[tuple[int, int, str], str] = {}
        self.cubes: dict[int, int] = {}
        self.length = -1
        self.looks = False
        """Whether a game begins before the match has."""
        self.sections: list[_Section] = []
        self._split(text)

    def note(self, line: int, text: str, lost: bool = False) -> None:
        self.notes.append(Note(line, text, lost))

    def _split(self, text: str) -> None:
        for number, raw in enumerate(text.split("\n"), 1):
            line = raw.expandtabs(8).rstrip()
            found = _MATCH.match(line)
            if found and self.length >= 0:
                self.note(number, "a second match begins here; one file is one match, the rest is left out")
                return
            if found:
                self.length = int(found[1] or 0)
            elif self.length < 0:
                self.looks = self.looks or _GAME.match(line) is not None
                self._header(number, line)
            elif game := _GAME.match(line):
                self.sections.append(_Section(int(game[1]), number))
            elif self.sections:
                self.sections[-1].lines.append((number, line))
            elif line.strip() and not _COMMENT.match(line):
                self.note(number, f"not understood: {line.strip()!r}")
        if self.length < 0:
            if self.looks:
                raise FormatError("there is no line like ' 7 point match' (0: money) before the first game; add it, nobody else can know")
            raise FormatError("no match: it is neither .sgf nor JSON, and a .mat file has a line like '7 point match'")

    def _header(self, number: int, line: str) -> None:
        if tag := _TAG.match(line):
            name, value = tag[1].lower(), tag[2]
            if name == "illegal" and (place := _ILLEGAL.fullmatch(value)):
                self.fouls[int(place[1]), int(place[2]), place[3]] = place[4]
            elif name == "stake" and (cube := re.fullmatch(r"Game (\d+): (\d+)", value)):
                self.cubes[int(cube[1])] = int(cube[2])
            else:
                self.tags[name] = value.strip()
                self.told[name] = number
        elif comment := _COMMENT.match(line):
            self.comment.append(comment[1].removeprefix(" ") if comment[1].startswith(" [") else comment[1])
        elif line.strip():
            self.comment.append(line.strip())

    def read(self) -> Imported:
        """All games, one after the other."""
        titles = [(section, self._title(section)) for section in self.sections]
        players = self._players([title for _, title in titles if title])
        terms = self._terms(titles[0][1] if titles else None)
        record = MatchRecord(
            GAME,
            players,
            terms,
            event=self.tags.get("event", ""),
            round=self.tags.get("round", ""),
            place=self.tags.get("site", ""),
            date=self._date(),
            comment="\n".join(self.comment),  # last: what the others could not take is in it
        )
        variation = self.tags.get("variation", "Backgammon")
        if not variation.lower().startswith("backgammon"):
            raise FormatError(f"this is a match of {variation}, and only backgammon can be read")
        usable = [(section, title) for section, title in titles if title]
        scores = [(int(title["a"]), int(title["b"])) for _, title in usable]
        crawford = crawford_games(terms, scores)
        read = []
        for place, ((section, title), score) in enumerate(zip(usable, scores, strict=True)):
            following = scores[place + 1] if place + 1 < len(scores) else None
            game = GameRecord(score, crawford=crawford[place], cube=self.cubes.get(section.number, 1))
            read.append(_Game(self, record, game, section, title.start("right")).read(following))
        return Imported(replace(record, games=tuple(read)), tuple(sorted(self.notes, key=lambda note: note.line)))

    def _title(self, section: _Section) -> re.Match[str] | None:
        while section.lines and _aside(section.lines[0][1]):
            section.lines.pop(0)
        title = _SCORES.match(section.lines[0][1]) if section.lines else None
        if title is None:
            line = section.lines[0][0] if section.lines else section.line
            self.note(line, f"game {section.number}: no line with both names and scores; the game is left out", lost=True)
            return None
        section.lines.pop(0)
        return title

    def _players(self, titles: Sequence[re.Match[str]]) -> tuple[str, str]:
        """The names of the score line, in full where the tags have the same in full. Which tag is which column's differs between
        programs, so that only the names themselves say it; where they do not, the tags are kept as remarks."""
        tags = (self.tags.get("player 1", ""), self.tags.get("player 2", ""))
        if not titles:
            return tags
        line = (titles[0]["left"], titles[0]["right"])
        if score_name(tags[0]) == score_name(tags[1]) == line[0] == line[1]:
            return tags
        for same in (_same, _words):
            straight, crossed = (any(map(same, each, line)) for each in (tags, tags[::-1]))
            if straight != crossed:
                return self._full(line, tags if straight else (tags[1], tags[0]))
        for key in ("player 1", "player 2"):
            if self.tags.get(key, "") not in ("", *line):
                self._remark(key, f"neither {line[0]!r} nor {line[1]!r} for certain")
        return line

    def _full(self, line: tuple[str, str], tags: tuple[str, str]) -> tuple[str, str]:
        """The names in full of players of whom one at least is told by name; the other's then is the other tag."""
        for short, full in zip(line, tags, strict=True):
            if full and not (_same(full, short) or _words(full, short)):
                self.comment.append(f"{full}: {short}")
                self.note(0, f"{short!r} is {full!r} by the tags")
        return (tags[0] or line[0], tags[1] or line[1])

    def _remark(self, tag: str, why: str) -> None:
        """Keep as a remark a tag that could not be taken."""
        value = self.tags[tag]
        self.comment.append(f"{tag.title()}: {value}")
        self.note(self.told[tag], f"{value!r} is {why}; kept as a remark")

    def _terms(self, title: re.Match[str] | None) -> Terms:
        score = (int(title["a"]), int(title["b"])) if title else (0, 0)

        def on(name: str) -> bool:
            return self.tags.get(name, "").lower() in ("on", "yes", "1", "true")

        cube = "usecube" not in self.tags or on("usecube")
        if self.length:
            if max(score) >= self.length:
                raise FormatError(f"the first game begins at {score[0]}-{score[1]}, and the match is to {self.length}")
            crawford = on("crawford") or "crawford" not in self.tags
            over = on("crawfordover")
            return Terms(length=self.length, cube=cube, crawford=crawford, crawford_over=over, holland=on("holland"), score=score)
        beavers = int(self.tags.get("beavers", on("beaver")))
        return Terms(cube=cube, jacoby=on("jacoby"), beavers=beavers, automatic=int(self.tags.get("automaticdoubles", 0)), score=score)

    def _date(self) -> str:
        text = self.tags.get("eventdate", "")
        found = re.match(r"(\d{4})[.-](\d{1,2})[.-](\d{1,2})", text)
        if text and not found:
            self._remark("eventdate", "no whole date")
        return f"{found[1]}-{int(found[2]):02d}-{int(found[3]):02d}" if found else ""


class _Game:
    """One game's cells, done one after the other."""

    def __init__(self, reader: _Reader, record: MatchRecord, game: GameRecord, section: _Section, right: int) -> None:
        self.reader = reader
        self.builder = GameBuilder(record, game)
        self.section = section
        self.board: Board | None = None
        """A board set before the first roll, whose side is not known yet."""
        self.cells = self._cells(right)

    def _cells(self, right: int) -> list[_Cell]:
        rows = []
        for number, line in self.section.lines:
            if found := _SET_POS.match(line):
                self._set(number, found[1])
                continue
            if not line.strip() or _COMMENT.match(line):
                continue
            masked = _DUMP.sub(lambda dump: "#" * len(dump[0]), line)
            label = _LABEL.match(masked)
            begin = label.end() if label else 0
            starts = [found.start() for found in _CELL.finditer(masked, begin)]
            if not starts:
                if not label or line[begin:].strip():
                    self.reader.note(number, f"not understood: {line.strip()!r}")
                continue
            if masked[begin : starts[0]].strip():
                self.reader.note(number, f"not understood: {line[begin : starts[0]].strip()!r}")
            texts = [line[a:b].strip().rstrip("/").strip() for a, b in zip(starts, [*starts[1:], len(line)], strict=True)]
            rows.append((number, begin, starts, texts))
        seconds = [starts[1] for _, _, starts, _ in rows if len(starts) > 1]
        column = max(set(seconds), key=seconds.count) if seconds else right
        cells = []
        for row, (number, begin, starts, texts) in enumerate(rows, 1):
            for place, (start, cell) in enumerate(zip(starts, texts, strict=True)):
                alone = len(starts) == 1 and start >= (begin + column) / 2 + 2
                cells.append(_Cell(number, row, SIDES[1 if place or alone else 0], cell))
        return cells

    def _set(self, line: int, text: str) -> None:
        try:
            board = of_xg_board(text)
        except FormatError as error:
            self.reader.note(line, str(error))
            return
        if board != Board.of(self.builder.state.position):
            self.board = board

    def read(self, following: tuple[int, int] | None) -> GameRecord:
        """The game, as far as it can be taken; ``following`` is the score of the next one."""
        result = None
        for place, cell in enumerate(self.cells):
            try:
                if re.match(r"wins?\b", cell.text, re.IGNORECASE):
                    result = self._wins(cell, following)
                    break
                self._do(cell, last=self._last(place))
            except (EngineError, FormatError) as error:
                self.reader.note(cell.line, f"{cell.text!r}: {error}; the rest of the game is left out", lost=True)
                result = self._scored(following)
                break
        game = self.builder.done(result)
        if following and game.result and game.result.winner is not None:
            self._compare(game, following)
        return game

    def _last(self, place: int) -> bool:
        """Whether nothing but the end of the game follows."""
        rest = self.cells[place + 1 :]
        return all(re.match(r"wins?|los|resign", cell.text, re.IGNORECASE) for cell in rest)

    def _do(self, cell: _Cell, last: bool) -> None:
        builder, side, text = self.builder, cell.side, cell.text
        word = text.split()[0].lower()
        if text[0].isdigit():
            self._roll(cell, last)
        elif word.startswith(("doub", "redoub", "beaver", "raccoon")):
            if builder.state.offered is None and word.startswith(("beaver", "raccoon")):
                raise FormatError("there is no double to answer")
            builder.double(side)
        elif word.startswith(("take", "accept")):
            builder.add(Taken(side))
        elif word.startswith(("drop", "pass", "reject")):
            builder.add(Dropped(side))
        # "Resigned Game" and "Loses" only announce the line with "Wins", which says more.

    def _roll(self, cell: _Cell, last: bool) -> None:
        builder, side = self.builder, cell.side
        dice, _, rest = (part.strip() for part in cell.text.partition(":"))
        unknown = bool(_UNKNOWN.match(rest))
        if dice == "00":
            if not last:
                raise FormatError("nothing was rolled, but the game goes on")
            return
        if self.board is not None:
            builder.restart(self.board, side)
            self.board = None
        builder.roll(side, (int(dice[0]), int(dice[1])))
        dump = re.match(r"illegal play\s*\((.*)\)", rest, re.IGNORECASE)
        if dump:
            key = (self.section.number, cell.row, side)
            builder.stand(side, self._dumped(dump[1]), self.reader.fouls.get(key, ""))
        elif unknown or not rest:
            if not unknown and builder.stuck:
                builder.play(side, "")
            elif not last:
                raise FormatError("what was played is not said")
        else:
            self._play(cell, rest)

    def _play(self, cell: _Cell, text: str) -> None:
        clean = re.sub(r"\s+0/0(?=\s|$)", "", text)
        try:
            self.builder.play(cell.side, clean)
        except EngineError as error:
            moved = hops(clean)
            self.builder.force(cell.side, moved, clean)
            assert isinstance(self.builder.moments[-1].action, Stood)
            self.reader.note(cell.line, f"{error}; taken as an illegal play that stood")

    def _dumped(self, text: str) -> Board:
        """The board of a Snowie line, from the view of the player whose name comes first."""
        fields = [part.strip() for part in text.split(";")]
        try:
            places = [int(value) for value in fields[12:38]]
            if len(places) != 26:
                raise ValueError
        except ValueError:
            raise FormatError("the position of this illegal play cannot be read") from None
        names = [score_name(re.sub(r"[;()]", " ", name)) for name in self.builder.match.players]
        first = score_name(fields[5])
        if names[0] == names[1] or first not in names:
            roller = SIDES.index(other(self.builder.state.position.turn or SIDES[0]))
        else:
            roller = names.index(first)
        own = [0, *(max(value, 0) for value in places[1:25]), abs(places[25])]
        foe = [0, *(max(-places[25 - point], 0) for point in range(1, 25)), abs(places[0])]
        return Board.of_counts(own, foe) if roller == 0 else Board.of_counts(foe, own)

    def _wins(self, cell: _Cell, following: tuple[int, int] | None) -> Result | None:
        """The line that ends a game. Before the end of the play it is a resignation."""
        builder = self.builder
        number = re.search(r"\d+", cell.text)
        points = int(number[0]) if number else 0
        if builder.over:
            ended = result_of(builder.match, builder.moments)
            if ended and (ended.winner != cell.side or not self._worth(ended, points)):
                self.reader.note(cell.line, f"{cell.text!r}, but {ended.winner} wins {ended.points} by the play and the cube")
            return None
        loser = other(cell.side)
        try:
            builder.resign(loser, points)
        except FormatError as error:
            needed, most = self._needed(cell.side), max(builder.worths(loser).values())
            scored = self._scored(following)
            if points > most and scored is not None and scored.winner == cell.side:
                # Backgammon Studio writes "Wins 1004 point"; what it was worth, the next game says.
                self.reader.note(cell.line, f"{cell.text!r}: {error}; the next game's score says {scored.points}")
                return self._resigned(loser, scored)
            if needed and needed <= most and (points == needed or points > most):
                builder.resign_least(loser, needed)
                self.reader.note(cell.line, f"{cell.text!r}: {error}; taken as the least that wins the match")
                return None
            self.reader.note(cell.line, f"{cell.text!r}: {error}; kept as points, without a grade")
            return Result(cell.side, "single", points, "resigned")
        return None

    def _resigned(self, loser: Side, scored: Result) -> Result | None:
        try:
            self.builder.resign(loser, scored.points)
        except FormatError:
            return scored
        return None

    def _needed(self, side: Side) -> int:
        """What the match still needed of this side; 0 in a money session."""
        length = self.builder.match.terms.length
        return length - self.builder.game.score[SIDES.index(side)] if length else 0

    def _worth(self, result: Result, points: int) -> bool:
        """Whether a file may write these points: all, or no more than the match still needed."""
        return points in (result.points, self._needed(result.winner or SIDES[0]))

    def _scored(self, following: tuple[int, int] | None) -> Result | None:
        """What the next game's score says of a game that could not be read to its end."""
        if following is None:
            return None
        gains = [after - before for after, before in zip(following, self.builder.game.score, strict=True)]
        if sorted(gains)[0] != 0 or sum(gains) <= 0:
            return None
        return Result(SIDES[0 if gains[0] else 1], "single", sum(gains), "resigned")

    def _compare(self, game: GameRecord, following: tuple[int, int]) -> None:
        assert game.result is not None
        due = tuple(points + game.result.points * (side == game.result.winner) for points, side in zip(game.score, SIDES, strict=True))
        if due != following:
            self.reader.note(
                self.section.line,
                f"game {self.section.number} leads to {due[0]}-{due[1]}, but the next one begins at {following[0]}-{following[1]}",
            )

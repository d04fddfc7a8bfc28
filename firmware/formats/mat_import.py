"""Reading ``.mat`` and its many dialects: gnubg, Jellyfish, XG (desktop and mobile), Backgammon Studio,
OpenGammon and kin.

Reading goes by cells, not by gaps: a cell begins at a roll (``63:``) or a word (``Doubles``, ``Takes``,
``Wins`` …). Two cells in a row are left and right; one alone belongs to the column that it begins nearer to.
What is in a cell is then done under the rules, in order, so that a cell in the wrong place is found out and
named, not believed.

Nothing is guessed. A line that cannot be taken is reported with its number; where a play is missing or
impossible, the rest of that game is left out, since every later play would hang in the air, and the next game
begins afresh from its own score line. A play that the rules do not allow, but that checkers could make, is
kept as an illegal play that stood, with a note: real matches have them, and the file says that it happened.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from engine import rules as games
from engine.match import Terms
from engine.messages import phrase
from engine.record import GameRecord, MatchRecord
from firmware.formats.build import crawford_games
from firmware.formats.ids import GAME
from firmware.formats.mat import score_name
from firmware.formats.mat_game import COMMENT, SET_POS, Game, GameLines
from firmware.formats.source import (
    DIGITS,
    FormatError,
    Imported,
    Note,
    day_of,
    shortened,
    stake,
    whole_number,
)

MATCH = re.compile(
    r"^\s*(?:(\d+)\s+points?\s+match\b|(?:unlimited|money)(?:\s+point)?\s+(?:match|game|session)\b)"
    r"(?!.*:\s*\d+\s*$)",
    re.IGNORECASE,
)
"""The line that says what is played for. One with scores is none: players may have such a name."""
_GAME = re.compile(r"^\s*Game\s+(\d+)\s*$", re.IGNORECASE)
_TAG = re.compile(r'^\s*[;#]\s*\[\s*([A-Za-z]\w*(?: +\w+)*)\s+"(.*)"\s*\]\s*$')
_SCORES = re.compile(
    r"^\s*(?P<left>\S.*?)\s*:\s*(?P<a>\d+)(?:\s+|(?=[^\d\s]))(?P<right>\S.*?)\s*:\s*(?P<b>\d+)\s*$"
)
LONGEST = 1000
"""Letters of a line of a game: nobody's is as long, and longer ones take the patterns here minutes."""
_DOUBLE = re.compile(r"^\s*[^;#\s].*\b(?:re)?doubles?\b", re.IGNORECASE)
_ILLEGAL = re.compile(r"Game (\d+), move (\d+), (white|black)(, no dice)?: ?(.*)")
_OUT_OF_TIME = re.compile(r"Game (\d+), (white|black)")


def _aside(line: str) -> bool:
    """Whether a line before the names says nothing: XG and others put remarks there."""
    remark = COMMENT.match(line) and not SET_POS.match(line) and not _SCORES.match(line)  # a name may be "#1"
    return not line.strip() or bool(remark)


def _name(text: str) -> str:
    """A player's name; "" where there is only what stands for none."""
    return "" if text == score_name("") else text


def _same(full: str, short: str) -> bool:
    """Whether a score line would write the first name as the second."""
    return bool(full) and score_name(full) == score_name(short)


def _words(full: str, short: str) -> bool:
    """Whether the second name is made of words of the first."""
    words = set(re.findall(r"\w+", short.casefold()))
    return bool(words) and words <= set(re.findall(r"\w+", full.casefold()))


def read(text: str) -> Imported:
    """The match in this text. Raises FormatError where it is no such file at all."""
    reader = _Reader(text)
    found = reader.read()
    if found.notes and not reader.length and "jacoby" not in reader.tags:
        reader = _Reader(text)
        reader.tags["jacoby"] = "on"
        again = reader.read()
        if len(again.notes) < len(found.notes):
            said = phrase("the points say that the Jacoby rule was played, of which the head says nothing")
            return replace(again, notes=(Note(0, said), *again.notes))
    return found


class _Reader:
    def __init__(self, text: str) -> None:
        self.notes: list[Note] = []
        self.tags: dict[str, str] = {}
        self.told: dict[str, int] = {}
        """The line of each tag."""
        self.comment: list[str] = []
        self.fouls: dict[tuple[int, int, str], str] = {}
        self.untold: set[tuple[int, int, str]] = set()
        self.late: set[tuple[int, str]] = set()
        self.cubes: dict[int, int] = {}
        self.length = -1
        self.looks = False
        """Whether a game begins before the match has."""
        self.sections: list[GameLines] = []
        self._split(text)

    def note(self, line: int, text: str, lost: bool = False) -> None:
        self.notes.append(Note(line, text, lost))

    def _split(self, text: str) -> None:
        for number, raw in enumerate(text.split("\n"), 1):
            line = raw.expandtabs(8).rstrip()
            if MATCH.match(line) and self.length >= 0:
                self.note(
                    number, phrase("another match begins here; one file is one match, the rest is left out")
                )
                return
            try:
                self._line(number, line)
            except FormatError as error:
                raise FormatError(phrase("line {line}: {error}", line=number, error=str(error))) from error
        if self.sections:
            self.sections[-1].cut = not text.endswith("\n")
        if self.length < 0:
            if self.looks:
                raise FormatError(
                    phrase(
                        "there is no line like {line} (0: money) before the first game; add it, nobody else"
                        " can know",
                        line="' 7 point match'",
                    )
                )
            raise FormatError(
                phrase(
                    "no match: it begins like no .xg, .bgf, .ogxm or .sgf file, is no JSON, and a .mat file"
                    " has a line like {line}",
                    line="'7 point match'",
                )
            )

    def _line(self, number: int, line: str) -> None:
        if found := MATCH.match(line):
            self.length = whole_number(found[1] or "0")
        elif self.length < 0:
            self.looks = self.looks or _GAME.match(line) is not None
            self._header(number, line)
        elif game := _GAME.match(line):
            self.sections.append(GameLines(whole_number(game[1]), number))
        elif self.sections:
            if len(line) > LONGEST and not COMMENT.match(line):
                self.note(
                    number,
                    phrase(
                        "not read: longer than {most} letters, {text}",
                        most=LONGEST,
                        text=shortened(line.strip()),
                    ),
                    lost=True,
                )
                return
            self.sections[-1].lines.append((number, line))
        elif line.strip() and not COMMENT.match(line):
            self.note(number, phrase("not understood: {text}", text=shortened(line.strip())))

    def _count(self, tag: str, usual: int) -> int:
        """The number in a tag."""
        if tag not in self.tags:
            return usual
        try:
            return whole_number(self.tags[tag])
        except FormatError as error:
            raise FormatError(
                phrase("line {line}: {error}", line=self.told[tag], error=str(error))
            ) from error

    def _header(self, number: int, line: str) -> None:
        if tag := _TAG.match(line):
            name, value = tag[1].lower(), tag[2]
            if name == "illegal" and (place := _ILLEGAL.fullmatch(value)):
                key = (whole_number(place[1]), whole_number(place[2]), place[3])
                self.fouls[key] = place[5]
                if place[4]:
                    self.untold.add(key)
            elif name == "outoftime" and (loser := _OUT_OF_TIME.fullmatch(value)):
                self.late.add((whole_number(loser[1]), loser[2]))
            elif name == "stake" and (cube := re.fullmatch(r"Game (\d+): (\d+)", value)):
                self.cubes[whole_number(cube[1])] = stake(cube[2])
            else:
                self.tags[name] = value.strip()
                self.told[name] = number
        elif comment := COMMENT.match(line):
            self.comment.append(comment[1].removeprefix(" ") if comment[1].startswith(" [") else comment[1])
        elif line.strip():
            self.comment.append(line.strip())

    def read(self) -> Imported:
        """All games, one after the other."""
        titles = [(section, self._title(section)) for section in self.sections]
        players = self._players([title for _, title in titles if title])
        terms = self._terms(titles[0][1] if titles else None)
        if (
            terms.length
            and max(terms.score) == terms.length - 1
            and any(_DOUBLE.search(line) for _, line in titles[0][0].lines)
        ):
            # A match taken up in its middle: where there is a cube, the Crawford game is over.
            terms = replace(terms, crawford_over=terms.crawford)
        record = MatchRecord(
            self._variation(),
            players,
            terms,
            event=self.tags.get("event", ""),
            round=self.tags.get("round", ""),
            place=self.tags.get("site", ""),
            date=self._date(),
            comment="\n".join(self.comment),  # last: what the others could not take is in it
        )
        usable = [(section, title) for section, title in titles if title]
        scores = [(whole_number(title["a"]), whole_number(title["b"])) for _, title in usable]
        crawford = crawford_games(terms, scores)
        read = []
        for place, ((section, title), score) in enumerate(zip(usable, scores, strict=True)):
            following = scores[place + 1] if place + 1 < len(scores) else None
            game = GameRecord(score, crawford=crawford[place], cube=self.cubes.get(section.number, 1))
            read.append(Game(self, record, game, section, title.start("right")).read(following))
        return Imported(
            replace(record, games=tuple(read)), tuple(sorted(self.notes, key=lambda note: note.line))
        )

    def _variation(self) -> str:
        """The game that the head names."""
        said = self.tags.get("variation", "")
        named = {games.get(name).file_names.get("mat", "").lower(): name for name in games.names()}
        if not said or said.lower().startswith(GAME):
            return GAME
        if said.lower() not in named:
            raise FormatError(
                phrase(
                    "this is a match of {game}; only {games} can be read",
                    game=said,
                    games=", ".join(filter(None, named)),
                )
            )
        return named[said.lower()]

    def _title(self, section: GameLines) -> re.Match[str] | None:
        while section.lines and _aside(section.lines[0][1]):
            section.lines.pop(0)
        title = _SCORES.match(section.lines[0][1]) if section.lines else None
        if title is None or max(len(title["a"]), len(title["b"])) > DIGITS:
            line = section.lines[0][0] if section.lines else section.line
            self.note(
                line,
                phrase(
                    "game {number}: no line with both names and scores; the game is left out",
                    number=section.number,
                ),
                lost=True,
            )
            return None
        section.lines.pop(0)
        return title

    def _players(self, titles: Sequence[re.Match[str]]) -> tuple[str, str]:
        """The names of the score line, in full where the tags have the same in full. Which tag is which
        column's differs between programs, so that only the names themselves say it; where they do not, the
        tags are kept as remarks."""
        tags = (_name(self.tags.get("player 1", "")), _name(self.tags.get("player 2", "")))
        if not titles:
            return tags
        line = (_name(titles[0]["left"]), _name(titles[0]["right"]))
        if score_name(tags[0]) == score_name(tags[1]) == line[0] == line[1]:
            return tags
        for same in (_same, _words):
            straight, crossed = (any(map(same, each, line)) for each in (tags, tags[::-1]))
            if straight != crossed:
                return self._full(line, tags if straight else (tags[1], tags[0]))
        for key, tag in zip(("player 1", "player 2"), tags, strict=True):
            if tag not in ("", *line):
                self._remark(
                    key, phrase("neither {first!r} nor {second!r} for certain", first=line[0], second=line[1])
                )
        return line

    def _full(self, line: tuple[str, str], tags: tuple[str, str]) -> tuple[str, str]:
        """The names in full of players of whom one at least is told by name; the other's then is the other
        tag."""
        for short, full in zip(line, tags, strict=True):
            if full and not (_same(full, short) or _words(full, short)):
                self.comment.append(f"{full}: {short}")
                self.note(0, phrase("{short!r} is {full!r} by the tags", short=short, full=full))
        return (tags[0] or line[0], tags[1] or line[1])

    def _remark(self, tag: str, why: str) -> None:
        """Keep as a remark a tag that could not be taken."""
        value = self.tags[tag]
        self.comment.append(f"{tag.title()}: {value}")
        self.note(self.told[tag], phrase("{value!r} is {why}; kept as a remark", value=value, why=why))

    def _terms(self, title: re.Match[str] | None) -> Terms:
        score = (whole_number(title["a"]), whole_number(title["b"])) if title else (0, 0)

        def on(name: str) -> bool:
            return self.tags.get(name, "").lower() in ("on", "yes", "1", "true")

        cube = "usecube" not in self.tags or on("usecube")
        if self.length:
            if max(score) >= self.length:
                raise FormatError(
                    phrase(
                        "the first game begins at {score}, and the match is to {length}",
                        score=f"{score[0]}-{score[1]}",
                        length=self.length,
                    )
                )
            crawford = on("crawford") or "crawford" not in self.tags
            over = on("crawfordover")
            return Terms(
                length=self.length,
                cube=cube,
                crawford=crawford,
                crawford_over=over,
                holland=on("holland"),
                score=score,
            )
        beavers = self._count("beavers", int(on("beaver")))
        return Terms(
            cube=cube,
            jacoby=on("jacoby"),
            beavers=beavers,
            automatic=self._count("automaticdoubles", 0),
            score=score,
        )

    def _date(self) -> str:
        text = self.tags.get("eventdate", "")
        day = day_of(text)
        if text and not day:
            self._remark("eventdate", phrase("no whole date"))
        return day

"""*Which was played?*, *What stood on the board?*, *Was it taken?* A page for the doubts of a film, on this
computer only: the film's pictures before and after, and what it may have been. Turns that are sure can be
asked about, too. An answer is kept, the whole film is followed again with it, and the files are written anew.
It needs no script in the browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from html import escape
from pathlib import Path
from threading import Lock
from typing import TypeVar
from urllib.parse import parse_qs, urlencode

from fastapi import FastAPI, HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from engine.layout import Side
from engine.messages import phrase, phrase_number, sentence
from engine.names import named
from engine.words import points as counted_points
from firmware.errors import BadInput
from firmware.languages.choice import local, of_request, reading
from firmware.record.diagram import board_after, shared
from firmware.record.report_html import page_head, said
from firmware.transcribe.doubles import Answer, Double, Way, turn_picture
from firmware.transcribe.film import FilmError
from firmware.transcribe.job import Job
from firmware.transcribe.position_form import STYLE as POINTS
from firmware.transcribe.position_form import given_position, position_form
from firmware.transcribe.report import caption, describe_double
from firmware.transcribe.transcript import FilmedGame, Transcript
from firmware.transcribe.turns import MARK, WORTH, Choice, Kind, Turn
from firmware.transcribe.watch import clock

STYLE = """
:root{color-scheme:light dark}
body{background:Canvas;font:18px/1.5 system-ui,sans-serif;max-width:70rem;margin:1rem auto;
padding:0 1rem;overflow-wrap:anywhere}h1{font-size:1.5rem;margin:0}p{margin:.4rem 0}
.two{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(15rem,100%),1fr));gap:1rem}
svg{width:100%}img{max-width:100%;max-height:65vh}figure{margin:0}figcaption{font-size:.9rem}
summary{padding:.5rem 0;cursor:pointer}
label{display:block;padding:.5rem 0}[type=radio]{width:1.3rem;height:1.3rem;vertical-align:middle}
button{font:inherit;font-weight:600;min-height:2.75rem;padding:.4rem 2rem;border:0;border-radius:.6rem;
background:#1f5f52;color:#fff}[type=text]{font:inherit;box-sizing:border-box;min-height:2.75rem;max-width:100%}
.back{margin-top:1.5rem;background:none;color:inherit;border:2px solid}
.wrong{color:#c62828;font-weight:600}@media(prefers-color-scheme:dark){.wrong{color:#ff8a80}}
"""
EXAMPLE = "5-2: 13/8 24/22"
"""How an answer is written."""
WENT_ON = "on"
"""The answer of a game that was not over when the film was."""
LONGEST = 4000
"""Bytes of an answer."""
HOSTS = ("127.0.0.1", "localhost", "[::1]")
_PICTURE = re.compile(r"[0-9]+\.jpg")
_KEY = re.compile(r"[0-9]+\.jpg\+{0,2}")
"""Of a turn, as :attr:`firmware.transcribe.turns.Turn.key`."""
_NUMBER = re.compile(r"[0-9]{1,4}")
Key = TypeVar("Key", str, int)
Said = TypeVar("Said")
_DICE = re.compile(r"\s*([1-6])[-, ]?([1-6])\s*:?\s*(\S.*)")


def app(job: Job, write: Callable[[], Transcript]) -> FastAPI:
    """The page. ``write`` follows the film with the answers that are kept, and writes the files."""
    site = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    alone = Lock()  # two browsers, or two pages of one, ask at once

    def mine(request: Request) -> None:
        """Raises for a page of another place that asks in the browser's name."""
        host = request.headers.get("host", "")
        origin = request.headers.get("origin")
        if host.rpartition(":")[0] not in HOSTS and host not in HOSTS:
            raise HTTPException(403, "this page is for this computer only")
        ours = request.headers.get("sec-fetch-site", "none") in ("same-origin", "none")
        if not ours or (origin is not None and origin != f"http://{host}"):
            raise HTTPException(403, "another page may not answer")

    @site.get("/")
    def ask(request: Request, wrong: str = "", turn: str = "") -> HTMLResponse:
        mine(request)
        with reading(of_request(request.headers, request.url.query)), alone:
            found = write()
            return HTMLResponse(page(found, wrong, turn, answered=bool(job.folder.answers())))

    @site.get("/pictures/{name}")
    def picture(request: Request, name: str) -> Response:
        mine(request)
        if not _PICTURE.fullmatch(name) or not (job.folder.pictures / name).is_file():
            raise HTTPException(404)
        return Response((job.folder.pictures / name).read_bytes(), media_type="image/jpeg")

    @site.post("/")
    async def answer(request: Request) -> Response:
        mine(request)
        body = await request.body()
        if len(body) > LONGEST:
            raise HTTPException(413)
        form = {key: values[0] for key, values in parse_qs(body.decode(errors="replace")).items()}
        turn = form.get("turn", "")
        if "back" in form:
            answers = job.folder.answers()
            answers.take_back()
            job.folder.save_answers(answers)
            return RedirectResponse("/", 303)
        try:
            wrong = "1" if keep(job, form) else "" if "side" in form else turn
        except BadInput as error:  # no such position: what was said of the others is not lost
            return await run_in_threadpool(refuse, request, form, str(error))
        asked = {"wrong": wrong, "turn": turn if wrong == "1" else ""}
        asked = {name: each for name, each in asked.items() if each == "1" or _KEY.fullmatch(each)}
        return RedirectResponse(f"/?{urlencode(asked)}" if asked else "/", 303)

    def refuse(request: Request, form: Mapping[str, str], words: str) -> HTMLResponse:
        with reading(of_request(request.headers, request.url.query)), alone:
            shown = page(write(), "", form.get("turn", ""), bool(job.folder.answers()), words, form)
            return HTMLResponse(shown, 422)

    async def trouble(request: Request, error: Exception) -> HTMLResponse:
        answered = False
        with suppress(OSError, FilmError):  # the answers may be what is damaged
            answered = bool(job.folder.answers())
        with reading(of_request(request.headers, request.url.query)):
            return HTMLResponse(trouble_page(_told(error, job.folder.path), answered), 500)

    for kind in (OSError, BadInput, FilmError):  # a full disk, a damaged file of answers
        site.add_exception_handler(kind, trouble)
    return site


def _told(error: Exception, folder: Path) -> str:
    """What is wrong; of a disk that is full the system does not name the file."""
    if not isinstance(error, OSError):
        return str(error)
    path, why = error.filename or folder, error.strerror or error
    return phrase("cannot write {path}: {error}", path=str(path), error=str(why))


def keep(job: Job, form: Mapping[str, str]) -> bool:
    """Keeps an answer; whether it makes no sense. Raises BadInput for a position that cannot be."""
    said = job.folder.answers()
    if _NUMBER.fullmatch(form.get("game", "")):
        side, _, points = form.get("result", "").partition(" ")
        if side == WENT_ON:
            said.say("results", int(form["game"]), None)
        elif side not in job.rules.sides or not _NUMBER.fullmatch(points) or not 1 <= int(points) <= WORTH:
            return True
        else:
            said.say("results", int(form["game"]), (side, int(points)))
    elif _PICTURE.fullmatch(form.get("cube", "")):
        answer, _, before = form.get("answer", "").partition(" ")
        if answer not in list(Answer) or (before and not _KEY.fullmatch(before)):
            return True
        said.say("cubes", form["cube"], (answer, before))
    elif _KEY.fullmatch(form.get("turn", "")) and "side" in form:
        said.say("plays", form["turn"].rstrip(MARK), given_position(form, job.rules))
    elif _KEY.fullmatch(form.get("turn", "")):
        text = form.get("other", "").strip() or form.get("play", "")
        found = _DICE.fullmatch(text)
        if text != "nothing" and found is None:
            return True
        play = None if found is None else Choice((int(found[1]), int(found[2])), found[3])
        said.say("plays", form["turn"], play)
    else:
        return True
    job.folder.save_answers(said)
    return False


def _head() -> str:
    return page_head(phrase("Which was played?"), STYLE + POINTS)


def trouble_page(words: str, answered: bool = False) -> str:
    """Why there is no question now, in the reader's language. ``answered``: there is an answer to take back;
    the last one may be why."""
    told, again = said(sentence(words)), said(phrase("Try again"))
    alert = f'<p class="wrong" role="alert">{told}</p><a href="/">{again}</a>'
    return f"{_head()}<main>{alert}{_back() if answered else ''}</main></html>\n"


def _back() -> str:
    label = said(phrase("Take the last answer back"))
    return f'<form method="post"><button class="back" name="back" value="1">{label}</button></form>'


def page(
    found: Transcript,
    wrong: str = "",
    turn: str = "",
    answered: bool = False,
    refused: str = "",
    entered: Mapping[str, str] | None = None,
) -> str:
    """The question about the ``turn`` of that key, else the first open one, or that there is none, for
    the reader. ``wrong``: "1" where the last answer made no sense, or the key of the turn that it was
    about, which did not do if that is not settled. ``answered``: there is an answer to take back.
    ``refused``: why the position that was ``entered`` cannot be."""
    cubes, unknown = found.cubes, found.unknown
    left = said(phrase_number("{n} question left", "{n} questions left", found.open))
    chosen = [each for each in found.turns if each[1].key and each[1].key == turn]
    failed = [each for each in found.turns if each[1].key and each[1].key == wrong and not each[1].settled]
    doubts, kept = [*chosen, *failed, *found.doubts], entered if entered and chosen else {}
    parts = [f"{_head()}{shared()}<main>"]
    told = refused
    if wrong == "1":
        told = phrase("That answer was not understood: write it like {example}", example=EXAMPLE)
    elif failed:
        told = phrase("That cannot have been played there; say something else")
    if told:
        parts.append(f'<p class="wrong" role="alert">{said(sentence(told))}</p>')
    if doubts:
        asked = said(_title(doubts[0][1]))
        parts += [f"<h1>{asked}</h1><p>{left}</p>", _turn(found, *doubts[0], kept)]
    elif cubes:
        asked = said(phrase("Was it taken?"))
        parts += [f"<h1>{asked}</h1><p>{left}</p>", _cube(found, *cubes[0])]
    elif unknown:
        asked = said(phrase("How did it end?"))
        parts += [f"<h1>{asked}</h1><p>{left}</p>", _ending(found, unknown[0])]
    else:
        done = said(phrase("All is settled"))
        parts.append(
            f"<h1>{done}</h1><p>{said(phrase('The match is written. You can close this page.'))}</p>"
        )
    if answered:
        parts.append(_back())
    return "".join([*parts, _turns(found), "</main></html>\n"])


def _title(turn: Turn) -> str:
    return phrase("Which was played?") if turn.candidates else phrase("What stood on the board?")


def _turns(found: Transcript) -> str:
    """All turns, to be asked about."""
    told = [(turn.key, _when(game, turn.t, _caption(found, turn))) for game, turn in found.turns]
    lines = "".join(
        f'<li><a href="/?{urlencode({"turn": key})}">{words}</a></li>' for key, words in told if key
    )
    label = said(phrase("Something else is wrong: choose the turn"))
    return f'<details class="turns"><summary>{label}</summary><ul>{lines}</ul></details>'


def _figure(name: str, words: str) -> str:
    """A picture that was kept, and what it shows; a press opens it as large as it is. "" where there is
    none."""
    if not name:
        return ""
    place, told = f"/pictures/{escape(name, quote=True)}", said(words)
    image = f'<a href="{place}" target="_blank"><img src="{place}" alt="{told}"></a>'
    return f"<figure>{image}<figcaption>{told}</figcaption></figure>"


def _turn(found: Transcript, game: FilmedGame, turn: Turn, entered: Mapping[str, str]) -> str:
    """What is asked about a turn: the play, where there is one to choose, or else the position; and, folded
    up, the other one."""
    images = "".join(
        _figure(name, words)
        for name, words in ((turn.earlier, phrase("before")), (turn.picture, phrase("after")))
    )
    as_read = phrase("after, as it was read")
    drawn = board_after(turn.before, turn.after, local(as_read))
    who = _player(found, turn.side) if turn.kind is Kind.PLAYED else _caption(found, turn)
    play = _play(turn)
    position = position_form(turn.key, turn.after, entered, lambda side: _player(found, side))
    folded = "{}<details{}><summary>{}</summary>{}</details>".format
    if turn.candidates:
        forms = folded(play, " open" if entered else "", said(phrase("Correct the position")), position)
    else:
        forms = folded(position, "", said(phrase("Which was played?")), play)
    return (
        f"<p>{_when(game, turn.t, who)}</p>"
        f'<div class="two">{images}<figure>{drawn}<figcaption>{said(as_read)}</figcaption></figure></div>'
        f"{forms}"
    )


def _play(turn: Turn) -> str:
    options = "".join(
        f'<label><input type="radio" name="play" value="{escape(str(each), quote=True)}"'
        f"{' checked' if not number else ''}> <bdi>{escape(str(each))}</bdi></label>"
        for number, each in enumerate(turn.candidates)
    )
    return (
        '<form method="post">'
        f'<input type="hidden" name="turn" value="{escape(turn.key, quote=True)}">{options}'
        '<label><input type="radio" name="play" value="nothing">'
        f" {said(phrase('Nothing: the play was not over'))}</label>"
        f"<label>{said(phrase('Something else:'))}"
        f' <input type="text" name="other" placeholder="{EXAMPLE}" maxlength="80" dir="ltr"></label>'
        f"<button>{said(phrase('Answer'))}</button></form>"
    )


def _when(game: FilmedGame, t: float, player: str) -> str:
    told = phrase(
        "Game {number}, {time} into the film: {player}",
        number=str(game.number),
        time=clock(t),
        player=player,
    )
    return said(told)


def _player(found: Transcript, side: Side | None) -> str:
    return named(dict(zip(("white", "black"), found.match.players, strict=True)).get(side or "", "?"))


def _caption(found: Transcript, turn: Turn) -> str:
    return caption(turn, lambda side: _player(found, side))


def _cube(found: Transcript, game: FilmedGame, double: Double) -> str:
    def told(way: Way) -> str:
        what = describe_double(double, way, lambda side: _player(found, side))
        several = way.answer is Answer.TAKEN and taken > 1 and way.before < len(game.turns)
        if not several:
            return said(what)
        turn = game.turns[way.before]
        play = str(Choice(turn.dice, turn.move)) if turn.dice else turn.move or clock(turn.t)
        return said(phrase("{what}, before {play}", what=what, play=play))

    taken = sum(way.answer is Answer.TAKEN for way in double.ways)
    options = "".join(
        f'<label><input type="radio" name="answer"'
        f' value="{way.answer} {escape(turn_picture(game.turns, way), quote=True)}"'
        f"{' checked' if not number else ''}> {told(way)}</label>"
        for number, way in enumerate(double.ways)
    )
    name = escape(double.picture, quote=True)
    shown = _figure(double.picture, phrase("the cube, as it was first seen there"))
    why = f"<p>{said(sentence(double.why))}</p>" if double.why else ""
    return (
        f"<p>{_when(game, double.t, _player(found, double.side))}</p>{why}"
        f'<div class="two">{shown}</div>'
        f'<form method="post"><input type="hidden" name="cube" value="{name}">{options}'
        f"<button>{said(phrase('Answer'))}</button></form>"
    )


def _worths(game: FilmedGame) -> tuple[int, ...]:
    """What the game may have been worth, by the cube."""
    stake = game.record.cube
    for double in game.doubles:
        stake = double.stake if double.answer is Answer.TAKEN else stake
    return (1, 2, 3, 4) if stake == 1 else (stake, 2 * stake, 3 * stake)


def _wins(player: str, points: int) -> str:
    return sentence(phrase("{player} wins, {points}", player=player, points=counted_points(points)))


def _ending(found: Transcript, game: FilmedGame) -> str:
    ways = [
        (f"{side} {points}", _wins(_player(found, side), points))
        for side in ("white", "black")
        for points in _worths(game)
    ]
    if game.last:
        ways.insert(0, (WENT_ON, phrase("It went on after the film")))
        why = phrase(
            "The film ends before game {number} does: it went on, a double was dropped, or somebody"
            " resigned.",
            number=str(game.number),
        )
    else:
        why = phrase(
            "Game {number} was broken off: a double was dropped, or somebody resigned.",
            number=str(game.number),
        )
    options = "".join(
        f'<label><input type="radio" name="result" value="{value}" required> {said(words)}</label>'
        for value, words in ways
    )
    shown = _figure(game.turns[-1].picture, phrase("the last picture of the game"))
    return (
        f'<p>{said(why)}</p><div class="two">{shown}</div>'
        f'<form method="post"><input type="hidden" name="game" value="{game.number}">{options}'
        f"<button>{said(phrase('Answer'))}</button></form>"
    )

"""*Which was played?* A page for the doubts of a film, on this computer only: the film's pictures before and
after, and what it may have been. An answer is kept, the whole film is followed again with it, and the files
are written anew. It needs no script in the browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from urllib.parse import parse_qs

from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from firmware.record.diagram import board, shared
from firmware.transcribe.job import Job
from firmware.transcribe.report import caption, layout
from firmware.transcribe.transcript import FilmedGame, Transcript
from firmware.transcribe.turns import Choice, Turn
from firmware.transcribe.watch import clock
from firmware.wording import counted

STYLE = """
:root{color-scheme:light dark}body{font:18px/1.5 system-ui,sans-serif;max-width:70rem;margin:1rem auto;
padding:0 1rem}
.two{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(18rem,100%),1fr));gap:1rem}
img{width:100%}figure{margin:0}svg{max-width:24rem}
label{display:block;padding:.3rem 0}button{font:inherit;padding:.4rem 1.2rem}input[type=text]{font:inherit}
.wrong{color:#c62828;font-weight:600}
"""
LONGEST = 4000
"""Bytes of an answer."""
HOSTS = ("127.0.0.1", "localhost", "[::1]")
_DICE = re.compile(r"\s*([1-6])[-, ]?([1-6])\s*:?\s*(\S.*)")


def app(job: Job, write: Callable[[], Transcript]) -> FastAPI:
    """The page. ``write`` follows the film with the answers that are kept, and writes the files."""
    site = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)

    def mine(request: Request) -> None:
        """Raises for a page of another place that asks in the browser's name."""
        host = request.headers.get("host", "")
        origin = request.headers.get("origin")
        if host.rpartition(":")[0] not in HOSTS and host not in HOSTS:
            raise HTTPException(403, "this page is for this computer only")
        if origin is not None and origin != f"http://{host}":
            raise HTTPException(403, "another page may not answer")

    @site.get("/")
    def ask(request: Request, wrong: str = "") -> HTMLResponse:
        mine(request)
        return HTMLResponse(page(write(), wrong[:200]))

    @site.get("/pictures/{name}")
    def picture(request: Request, name: str) -> Response:
        mine(request)
        if not re.fullmatch(r"\d+\.jpg", name) or not (job.folder.pictures / name).is_file():
            raise HTTPException(404)
        return Response((job.folder.pictures / name).read_bytes(), media_type="image/jpeg")

    @site.post("/")
    async def answer(request: Request) -> RedirectResponse:
        mine(request)
        body = await request.body()
        if len(body) > LONGEST:
            raise HTTPException(413)
        form = {key: values[0] for key, values in parse_qs(body.decode(errors="replace")).items()}
        wrong = keep(job, form)
        return RedirectResponse("/" + ("?wrong=1" if wrong else ""), 303)

    return site


def keep(job: Job, form: dict[str, str]) -> bool:
    """Keeps an answer; whether it makes no sense."""
    said = job.folder.answers()
    if form.get("game", "").isdigit():
        side, _, points = form.get("result", "").partition(" ")
        if side not in job.rules.sides or not points.isdigit() or not 1 <= int(points) <= 192:
            return True
        said.results[int(form["game"])] = (side, int(points))
    elif re.fullmatch(r"\d+\.jpg", form.get("picture", "")):
        text = form.get("other", "").strip() or form.get("play", "")
        found = _DICE.fullmatch(text)
        if text != "nothing" and found is None:
            return True
        said.plays[form["picture"]] = (
            None if found is None else Choice((int(found[1]), int(found[2])), found[3])
        )
    else:
        return True
    job.folder.save_answers(said)
    return False


def page(found: Transcript, wrong: str = "") -> str:
    """The first open question, or that there is none."""
    doubts, unknown = found.doubts, found.unknown
    left = len(doubts) + len(unknown)
    parts = [
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>Which was played?</title><style>{STYLE}</style>{shared()}"
    ]
    if wrong:
        parts.append(
            '<p class="wrong" role="alert">That answer was not understood: write it like 5-2: 13/8 24/22</p>'
        )
    if doubts:
        parts += [f"<h1>Which was played?</h1><p>{counted(left, 'question')} left</p>", _play(*doubts[0])]
    elif unknown:
        parts += [
            f"<h1>How did it end?</h1><p>{counted(left, 'question')} left</p>",
            _ending(found, unknown[0]),
        ]
    else:
        parts.append("<h1>All is settled</h1><p>The match is written. You can close this page.</p>")
    return "".join(parts) + "</html>\n"


def _play(game: FilmedGame, turn: Turn) -> str:
    options = "".join(
        f'<label><input type="radio" name="play" value="{escape(str(each), quote=True)}"'
        f"{' checked' if not number else ''}> {escape(str(each))}</label>"
        for number, each in enumerate(turn.candidates)
    )
    images = "".join(
        f'<figure><img src="/pictures/{escape(name, quote=True)}" alt="{words}">'
        f"<figcaption>{words}</figcaption></figure>"
        for name, words in ((turn.earlier, "before"), (turn.picture, "after"))
        if name
    )
    return (
        f"<p>Game {game.number}, {clock(turn.t)} into the film: {escape(caption(turn))}</p>"
        f'<div class="two">{images}</div>{board(layout(turn.after), (), "as it was read")}'
        '<form method="post">'
        f'<input type="hidden" name="picture" value="{escape(turn.picture, quote=True)}">{options}'
        '<label><input type="radio" name="play" value="nothing"> nothing: the play was not over</label>'
        '<label>something else: <input type="text" name="other" placeholder="5-2: 13/8 24/22"'
        ' maxlength="80"></label>'
        "<button>Answer</button></form>"
    )


def _ending(found: Transcript, game: FilmedGame) -> str:
    sides = zip(found.match.players, ("white", "black"), strict=True)
    options = "".join(
        f'<label><input type="radio" name="result" value="{side} {points}"> {escape(name)} won {points}'
        "</label>"
        for name, side in sides
        for points in (1, 2, 3, 4)
    )
    last = game.turns[-1].picture
    image = (
        f'<img src="/pictures/{escape(last, quote=True)}" alt="the last picture of the game">' if last else ""
    )
    return (
        f"<p>Game {game.number} was broken off: a double was dropped, or somebody resigned.</p>{image}"
        f'<form method="post"><input type="hidden" name="game" value="{game.number}">{options}'
        "<button>Answer</button></form>"
    )

// Follows the table: one stream of whole states, each drawn as it comes. Nothing is remembered here, so a page that was away is right again
// with the first state that it gets.
import { draw } from "/static/board.js";

const $ = (id) => document.getElementById(id);
const WORDS = { live: "live", lost: "connection lost, trying again", none: "Waiting for the table", nothing: "No move judged yet.", read: "The reading is drawn over the picture." };

let picture = null;

function tell(line, word) {
  $("line").className = `line ${line}`;
  $("line").textContent = word;
}

function text(name, content, kind = "") {
  const made = document.createElement(name);
  made.textContent = content;
  if (kind) made.className = kind;
  return made;
}

function show(state) {
  if (!state.cells) return;
  $("game").textContent = state.title;
  $("phase").textContent = state.phase;
  document.title = `${state.phase} · Barpoint`;
  draw($("board"), state);
  judgement(state.judgement);
  moves(state);
  camera(state.picture);
}

function judgement(last) {
  const box = $("judgement");
  box.className = `judgement ${last?.verdict ?? ""}`;
  box.replaceChildren(...(last ? [text("strong", last.title), text("p", last.text)] : [text("p", WORDS.nothing)]));
}

function moves(state) {
  const list = $("moves");
  const atEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 8;
  list.replaceChildren(...state.moves.map((move) => {
    const row = text("li", "", move.verdict);
    const disc = text("span", "", `disc ${move.side === state.sides[0] ? "first" : "second"}`);
    disc.title = move.side;
    row.append(text("span", String(move.turn + 1), "number"), disc, text("span", move.dice.join("-")), text("span", move.text));
    return row;
  }));
  if (atEnd) list.scrollTop = list.scrollHeight;
}

// The next picture is fetched only when the last one has come, so a slow line skips pictures and never queues them.
let loading = false;
function camera(number) {
  if (number === null || number === undefined) return;
  if (loading || number === picture) { if (number !== picture) camera.next = number; return; }
  picture = number;
  loading = true;
  const image = $("picture");
  image.onload = image.onerror = (event) => {
    loading = false;
    image.hidden = event.type === "error";
    $("picture-text").textContent = WORDS.read;
    const next = camera.next;
    camera.next = undefined;
    if (next !== undefined) camera(next);
  };
  image.src = `/camera.jpg?${number}`;
}

function follow() {
  const stream = new EventSource("/api/events");
  stream.onopen = () => tell("live", WORDS.live);
  stream.onmessage = (message) => show(JSON.parse(message.data));
  stream.onerror = () => {
    tell("lost", WORDS.lost);
    // A browser tries again by itself unless the answer was no stream at all; then it is up to us.
    if (stream.readyState === EventSource.CLOSED) setTimeout(follow, 2000);
  };
}

follow();

// Correcting the board by touch or by the keyboard; the table then takes the position, or says why not.
// What can be done to a board is in correct-points.js and correct-hexes.js.
import { named, spoken } from "/static/board.js";
import * as hexes from "/static/correct-hexes.js";
import * as points from "/static/correct-points.js";
import { fill } from "/static/language.js";
import { lay, lift } from "/static/layers.js";
import { PIECES, WORDS } from "/static/words.js";

const $ = (id) => document.getElementById(id);
let state = null, board = null, draw = () => {}, send = async () => false, resume = () => {}, held = null, saving = false;

const kind = (now) => [points, hexes].find((each) => each.fits(now));
export const busy = () => board !== null;
export const possible = (now) => Boolean(kind(now)) && !["over", "ended"].includes(now.state);

// ``goOn`` lets the clock run again that was stopped for this.
export function open(now, drawState, sendEvent, goOn) {
  if (!busy()) lay(close);
  [state, draw, send, resume] = [now, drawState, sendEvent, goOn];
  board = kind(now).edit(now);
  $("to").replaceChildren(...board.places.map((cell) => new Option(named(cell, now), cell)));
  $("from-label").textContent = board.touch ? WORDS.hex : WORDS.from;
  $("move").textContent = board.touch ? WORDS.touch : WORDS.move;
  $("to-part").hidden = Boolean(board.touch);
  $("armies").replaceChildren(...(board.army ? now.sides : []).map((side) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = fill(WORDS.army, { side: PIECES[side] ?? side });
    made.onclick = () => { board.army(side); show(); };
    return made;
  }));
  $("correct").hidden = false;
  document.body.classList.add("correcting");
  show();
  $("phase").scrollIntoView({ block: "start" });
}

function show() {
  const from = board.sources?.() ?? board.places.map((cell) => ({ cell })), chosen = $("from").value;
  $("from").replaceChildren(...from.map(({ cell, kind: piece }) => (piece ? new Option(`${named(cell, state)}: ${spoken(piece)}`, `${cell} ${piece}`) : new Option(named(cell, state), cell))));
  if ([...$("from").options].some(({ value }) => value === chosen)) $("from").value = chosen;
  const pins = board.pins?.() ?? null;
  $("relay").hidden = pins === null;
  $("relay").textContent = pins ? WORDS.join : WORDS.onTop;
  const phase = board.touch ? WORDS.correctingHexes : WORDS.correcting;
  draw({ ...state, ...board.shown(), dice: [], leds: [], judgement: null, news: [], ghosts: {}, touched: [], phase });
  $("board").classList.add("correcting");
}

function close() {
  board = null;
  $("correct").hidden = true;
  document.body.classList.remove("correcting");
  $("board").classList.remove("correcting");
  draw(null);
  resume();
  lift(close);
}

// Whether the board is no longer as it was when its correction began, or another correction waits: then it ends here.
export function overtaken(now) {
  const same = !busy() || saving || ((!now.proposal || state.proposal) && JSON.stringify(now.cells) === JSON.stringify(state.cells));
  if (!same) close();
  return !same;
}

// Where a pointer is, in the board's own units.
function at(event) {
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform($("board").getScreenCTM().inverse());
  return `translate(${point.x} ${point.y})`;
}

$("board").addEventListener("pointerdown", (event) => {
  const group = busy() && !board.touch && event.target.closest("g.piece[data-cell^=p], g.piece[data-cell*='.']");
  if (!group) return;
  event.preventDefault();
  held = group;
  group.parentNode.append(group);
  $("board").setPointerCapture(event.pointerId);
});
$("board").addEventListener("pointermove", (event) => held?.setAttribute("transform", at(event)));
$("board").addEventListener("pointerup", (event) => {
  if (!held) return;
  const zone = document.elementsFromPoint(event.clientX, event.clientY).find((each) => each.matches("#board .zone"));
  const { cell, kind: piece } = held.dataset;
  held = null;
  board.move(cell, zone?.dataset.cell, piece);
  show();
});
$("board").addEventListener("pointercancel", () => { held = null; if (busy()) show(); });
$("board").addEventListener("click", (event) => {
  if (!board?.touch) return;
  board.touch(event.target.closest("[data-cell]")?.dataset.cell);
  show();
});
$("move").onclick = () => {
  const [from, piece] = $("from").value.split(" ");
  if (board.touch) board.touch(from); else board.move(from, $("to").value, piece);
  show();
};
$("relay").onclick = () => { board.relay(); show(); };
$("stop").onclick = close;
addEventListener("pagehide", () => { if (busy()) resume(); });  // a page that is loaded anew has no correction open
$("save").onclick = async () => {
  saving = true;
  if (await send({ event: "correct", position: board.position() })) close();
  saving = false;
};

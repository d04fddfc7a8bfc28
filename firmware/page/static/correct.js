// Setting the board right by hand: pieces are dragged, or moved by naming two places; the table then takes the position over, or says why not.
import { WORDS } from "/static/words.js";

const $ = (id) => document.getElementById(id);
let state = null, cells = null, draw = () => {}, send = async () => false, held = null;

export const busy = () => cells !== null;
export const possible = (now) => Boolean(now?.position?.points);

export function open(now, drawState, sendEvent) {
  [state, draw, send] = [now, drawState, sendEvent];
  cells = structuredClone(now.cells);
  for (const list of [$("from"), $("to")]) {
    list.replaceChildren(...Object.keys(cells).map((cell) => new Option(/^p\d/.test(cell) ? cell.slice(1) : cell.replace(".", " "), cell)));
  }
  $("correct").hidden = false;
  show();
  $("phase").scrollIntoView({ block: "start" });
}

function show() {
  draw({ ...state, cells, dice: [], leds: [], judgement: null, phase: WORDS.correcting });
  $("board").classList.add("correcting");
}

function close() {
  cells = null;
  $("correct").hidden = true;
  $("board").classList.remove("correcting");
  draw(null);
}

// Takes the last such piece of a cell and puts it on top of another; checkers of both sides never share a point.
function move(from, to, kind) {
  const source = cells[from]?.findLast((layer) => layer.length && (!kind || layer.includes(kind)));
  if (!source || from === to || !cells[to]) return show();
  const piece = kind ?? source.at(-1), owner = (each) => each?.split(".")[0], top = cells[to].at(-1);
  if (!piece.includes(".") && top?.length && owner(top[0]) !== owner(piece)) return show();
  if (/^(bar|off|hand|reserve|locked)\./.test(to) && !to.endsWith(`.${owner(piece)}`)) return show();
  source.splice(source.lastIndexOf(piece), 1);
  cells[from] = cells[from].filter((layer) => layer.length);
  if (top?.length && owner(top[0]) === owner(piece)) top.push(piece); else cells[to].push([piece]);
  show();
}

// The position as the table reads it, in the form of the one that it shows; what is not on the board stays as it was.
function position() {
  const sides = state.sides, found = {}, pieces = (cell) => (cells[cell] ?? []).flat(), size = (each) => Number(each.split(".")[1]);
  for (const [key, value] of Object.entries(state.position)) {
    if (key === "points") {
      found.points = Object.fromEntries(Object.entries(cells).filter(([cell, layers]) => /^p\d/.test(cell) && layers.flat().length).map(([cell, layers]) => [cell.slice(1), layers.flat()[0].includes(".") ? layers.map((layer) => [layer[0].split(".")[0], layer.map(size)]) : layers.flat().length * (layers[0][0] === sides[0] ? 1 : -1)]));
    } else if (Object.keys(cells).some((cell) => cell.startsWith(`${key}.`))) {
      found[key] = Array.isArray(value) ? sides.map((side) => pieces(`${key}.${side}`).length) : Object.fromEntries(sides.map((side) => [side, pieces(`${key}.${side}`).map(size)]));
    }
  }
  return found;
}

// Where a pointer is, in the board's own units.
function at(event) {
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform($("board").getScreenCTM().inverse());
  return `translate(${point.x} ${point.y})`;
}

$("board").addEventListener("pointerdown", (event) => {
  const group = busy() && event.target.closest("g.piece[data-cell^=p], g.piece[data-cell*='.']");
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
  const { cell, kind } = held.dataset;
  held = null;
  move(cell, zone?.dataset.cell, kind);
});
$("board").addEventListener("pointercancel", () => { held = null; if (busy()) show(); });
$("move").onclick = () => move($("from").value, $("to").value);
$("stop").onclick = close;
$("save").onclick = async () => { if (await send({ event: "correct", position: position() })) close(); };

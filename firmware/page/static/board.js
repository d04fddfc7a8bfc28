// The board: which drawing the cells ask for, how it is turned, and the board in words for those who listen to it.
import * as hexes from "/static/hexes.js";
import * as points from "/static/points.js";
import { element, gliding, tumbling } from "/static/svg.js";
import { fill } from "/static/language.js";
import { PIECES, PLACES, WORDS } from "/static/words.js";

// How the board is looked at: from the other side, or with its left and right exchanged. A browser remembers it.
export const view = { flip: localStorage.flip === "1", mirror: localStorage.mirror === "1" };
// Who sits at the other side sees the board from there, unless this browser was told otherwise; whether that turned it.
export function sitAt(second) {
  const before = view.flip;
  if (localStorage.flip === undefined) view.flip = second;
  return view.flip !== before;
}
export function rotate(what) {
  view[what] = !view[what];
  localStorage[what] = view[what] ? "1" : "0";
}

export function draw(svg, state) {
  const cells = Object.keys(state.cells);
  const kind = cells.some((cell) => cell.startsWith("hex.")) ? hexes : points;
  const at = { ...kind.plan(cells, view, Boolean(state.strip)), name: (cell) => named(cell, state) };
  gliding(svg, `${at.width} ${at.height} ${view.flip} ${view.mirror}`, () => {
    svg.classList.add("drawn");
    svg.setAttribute("viewBox", `0 0 ${Math.round(at.width)} ${Math.round(at.height)}`);
    const words = svg.id ? [element("title", { id: `${svg.id}-title` }, WORDS.board), element("desc", { id: `${svg.id}-text` }, describe(state))] : [];
    svg.replaceChildren(...words, ...kind.draw(at, state));
  });
  tumbling(svg, `${state.turn} ${state.moves?.length} ${state.dice}`);
}

function describe(state) {
  const parts = Object.entries(state.cells).map(([cell, layers]) => [cell, layers.flat().filter((each) => each !== "border")]).filter(([, pieces]) => pieces.length);
  return parts.map(([cell, pieces]) => {
    const counts = [...new Set(pieces)].map((each) => `${pieces.filter((other) => other === each).length} ${spoken(each)}`);
    return `${/^p\d/.test(cell) ? fill(WORDS.point, { place: named(cell, state) }) : named(cell, state)}: ${counts.join(", ")}`;
  }).join("; ");
}

// A cell's name for people: a hex's place, a point as the one counts who moves or has just moved; before that, who sits where the board is looked at from.
export function named(cell, state) {
  const [kind, where] = cell.split("."), counts = state.counts ?? state.sides[view.flip ? 1 : 0];
  return /^p\d/.test(cell) ? state.labels?.[counts]?.[cell.slice(1) - 1] ?? cell.slice(1) : `${PLACES[kind] ?? kind} ${PIECES[where] ?? where ?? ""}`;
}

export function spoken(each) {
  const [first, second] = each.split(".");
  const piece = PIECES[first] ?? first;
  return /^\d/.test(second) ? fill(WORDS.size, { piece, size: second }) : second ? `${piece} ${PIECES[second] ?? second}` : piece;
}

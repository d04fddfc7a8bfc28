// The board: which drawing the cells ask for, how it is turned, and the board in words for those who listen to it.
import * as hexes from "/static/hexes.js";
import * as points from "/static/points.js";
import { element, gliding, tumbling } from "/static/svg.js";
import { dashed, fill, isolated, number } from "/static/language.js";
import { HEXES_OF, PIECES, PLACES, SPARE, WORDS, who } from "/static/words.js";

// How the board is looked at: from the other side, or with its left and right exchanged, at first as the table's own lies. A browser remembers it.
const lies = getComputedStyle(document.documentElement).getPropertyValue("--mirrored").trim();
export const view = { flip: localStorage.flip === "1", mirror: (localStorage.mirror ?? lies) === "1" };
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

// Each army once, then what the other cells hold; the cube and the dice.
export function describe(state) {
  const armies = (state.armies ?? []).map(([side, places]) => [`army.${side}`, places.map((place) => `hex.${place}`)])
    .filter(([army, cells]) => cells.every((cell) => state.cells[cell]?.flat().includes(army)));
  const covered = new Set(armies.flatMap(([, cells]) => cells));
  const rest = Object.entries(state.cells).filter(([cell, layers]) => !covered.has(cell) && layers.flat().some((each) => each !== "border"));
  return [
    ...armies.map(([army, cells]) => `${spoken(army)}: ${cells.map((cell) => named(cell, state)).join(", ")}`),
    ...rest.map(([cell, layers]) => `${/^p\d/.test(cell) ? fill(WORDS.point, { place: named(cell, state) }) : named(cell, state)}: ${contents(cell, layers)}`),
    ...(state.cube ? [`${WORDS.cube}: ${number(state.cube.value)}, ${state.cube.owner ? isolated(who(state, state.cube.owner)) : WORDS.nobody}`] : []),
    ...(state.dice.length ? [`${WORDS.dice} ${isolated(dashed(state.dice))}`] : []),
  ].join("; ");
}

// A cell's pieces, layer upon layer from the top; tokens beside a map as whole armies and fortresses.
function contents(cell, layers) {
  const [place] = cell.split(".");
  if (place === "hex") return spoken(layers[0][0]);
  if (place === "supply") return layers.map((layer) => { const [kind] = layer[0].split("."); return SPARE[kind](layer.length / (HEXES_OF[kind] ?? 1)); }).join(", ");
  const counted = (layer) => [...new Set(layer)].map((each) => `${layer.filter((other) => other === each).length} ${spoken(each)}`).join(", ");
  return layers.map(counted).reduce((below, above) => fill(WORDS.on, { above, below }));
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

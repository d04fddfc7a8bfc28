// A map of hexes, pointy-top, by axial coordinates: cells "hex.q,r". The sides are told apart by shape as well as by colour.
import { element, piece } from "/static/svg.js";

const SIZE = 60, WIDE = Math.sqrt(3) * SIZE, MARGIN = 40;

const axial = (cell) => cell.slice(4).split(",").map(Number);
const corner = (n, radius) => [radius * Math.sin(n * Math.PI / 3), -radius * Math.cos(n * Math.PI / 3)].map((v) => v.toFixed(1)).join(",");
const hexagon = (radius) => [0, 1, 2, 3, 4, 5].map((n) => corner(n, radius)).join(" ");

export function plan(cells, { flip, mirror }) {
  const raw = cells.filter((cell) => cell.startsWith("hex.")).map((cell) => {
    const [q, r] = axial(cell);
    return [cell, WIDE * (q + r / 2) * (flip !== mirror ? -1 : 1), 1.5 * SIZE * r * (flip ? -1 : 1)];
  });
  const left = Math.min(...raw.map(([, x]) => x)) - WIDE / 2 - MARGIN, top = Math.min(...raw.map(([, , y]) => y)) - SIZE - MARGIN;
  const at = { spots: new Map(raw.map(([cell, x, y]) => [cell, { x: x - left, y: y - top }])) };
  at.width = Math.max(...raw.map(([, x]) => x)) - left + WIDE / 2 + MARGIN;
  at.height = Math.max(...raw.map(([, , y]) => y)) - top + SIZE + MARGIN;
  // The edges where the lamps of rows and columns lie: beside the first hex of each, on the map's own left and top.
  const across = flip !== mirror, bottom = at.height - MARGIN / 2, right = at.width - MARGIN / 2;
  const places = cells.filter((cell) => at.spots.has(cell)).map((cell) => ({ row: axial(cell)[1], column: axial(cell)[0] + Math.floor(axial(cell)[1] / 2), ...at.spots.get(cell) }));
  const first = Math.min(...places.map(({ row }) => row));
  at.rows = new Map(places.map(({ row, y }) => [row, { x: across ? right : MARGIN / 2, y }]));
  at.columns = new Map(places.filter(({ row }) => row === first).map(({ column, x }) => [column, { x, y: flip ? bottom : MARGIN / 2 }]));
  return at;
}

export function draw(at, state) {
  const wrong = new Set(state.judgement?.cells ?? []), marked = new Set(state.marked ?? []), touched = new Set(state.touched ?? []);
  const drawn = [element("rect", { class: "frame", x: 0, y: 0, width: at.width, height: at.height, rx: 18 })];
  for (const [cell, { x, y }] of at.spots) {
    const border = state.cells[cell].flat().includes("border"), name = cell.slice(4);
    drawn.push(element("polygon", { class: `hex ${border ? "border" : marked.has(cell) ? "marked" : ""}`, "data-cell": cell, points: hexagon(SIZE - 1), transform: `translate(${x} ${y})` }));
    const free = !state.cells[cell].flat().length && !state.ghosts?.[cell];
    if (!border && free) drawn.push(element("text", { class: `place free ${name.length > 4 ? "long" : ""}`, x, y }, name));
  }
  for (const [cell, { x, y }] of at.spots) {
    const pieces = state.cells[cell].flat().filter((each) => each !== "border");
    const ghosts = state.ghosts?.[cell];
    for (const each of pieces) drawn.push(ghosts ? element("g", { class: "gone", transform: `translate(${x} ${y})` }, ...shapes(each, state.sides)) : piece(each, cell, x, y, ...shapes(each, state.sides)));
    for (const each of ghosts ?? []) drawn.push(element("g", { class: "ghost", transform: `translate(${x} ${y})` }, ...shapes(each, state.sides)));
    if (pieces.length || ghosts) drawn.push(element("text", { class: "place over", x, y: y + SIZE - 17 }, cell.slice(4)));
    if (touched.has(cell)) drawn.push(element("polygon", { class: "touched", points: hexagon(SIZE - 5), transform: `translate(${x} ${y})` }));
    if (wrong.has(cell)) drawn.push(element("polygon", { class: "wrong", points: hexagon(SIZE - 6), transform: `translate(${x} ${y})` }));
  }
  return [...drawn, ...lamps(at, state)];
}

function shapes(each, sides) {
  const [kind, owner] = each.split(".");
  const look = owner === sides[0] ? "one" : owner === sides[1] ? "two" : "neutral";
  if (kind === "fortress") return [element("path", { class: `tower ${look}`, d: "M-30 26V-26h14v12h9v-12h14v12h9v-12h14V26z" })];
  if (look === "one") return [element("circle", { class: "army one", r: 36 }), element("circle", { class: "mark", r: 20 })];
  return [element("polygon", { class: `army ${look}`, points: "0,-42 42,0 0,42 -42,0" }), element("path", { class: "mark", d: "M-20 0H20M0-20V20" })];
}

// Hexes have no lamps of their own: those of their row at the left and of their column at the top, as on the map's edges.
function lamps(at, state) {
  return (state.leds ?? []).flatMap(({ place, colour, pattern }) => {
    const [kind, number] = place.split("."), spot = { row: at.rows, column: at.columns }[kind]?.get(Number(number));
    if (!spot) return [];
    const lit = colour && colour !== "#000000";
    if (!lit && !state.strip) return [];
    const drawn = element("circle", { class: `led ${lit ? pattern : "dark"}`, cx: spot.x, cy: spot.y, r: 11, "data-place": place });
    if (lit) drawn.setAttribute("fill", colour);
    return [drawn];
  });
}

// A board of 24 points: where each named cell lies, and what is drawn there.
// A cell's stack is a list of layers, bottom to top; a layer is a list of pieces ("white", or "white.3" for a pyramid of size 3).
import { measures, prepare } from "/static/depth.js";
import { element, piece } from "/static/svg.js";

const PITCH = 100, TRAY = 120, MARGIN = 66, PANEL = 96, EDGE = 24;
let DISC = 90, BAR = 100, HALF = 510, HEIGHT = 2 * HALF;

// Where things lie, in SVG units, as the first side sees its home at the right; ``X`` and ``Y`` turn that to how it is looked at.
// The second tray is there only for games that keep pieces in reserve.
// The panel of lamps at the left is there only where the table has lamps.
export function plan(cells, { flip, mirror }, strip) {
  prepare();
  const own = measures();
  [DISC, BAR, HALF, HEIGHT] = [own.disc, own.bar, own.height / 2, own.height];
  const spare = cells.some((cell) => /^(reserve|hand)\./.test(cell)), panel = strip ? PANEL : EDGE;
  const left = panel + (spare ? TRAY + 20 : 0);
  const right = left + 12 * PITCH + BAR;
  const width = right + 20 + TRAY + (strip ? MARGIN : EDGE), height = HEIGHT + 2 * MARGIN;
  const across = flip !== mirror;
  return {
    left, right, spare, panel, strip, width, height, top: MARGIN, bottom: MARGIN + HEIGHT, flip, mirror,
    X: (x) => (across ? width - x : x), Y: (y) => (flip ? height - y : y),
    box: (x, y, w, h) => ({ x: across ? width - x - w : x, y: flip ? height - y - h : y, width: w, height: h }),
  };
}

const low = (point) => point <= 12;

function pointX(at, point) {
  const place = low(point) ? 12 - point : point - 13;
  return at.left + place * PITCH + (place >= 6 ? BAR : 0) + PITCH / 2;
}

// The foot of a cell (unturned), the way that its pieces pile up, and how much room they have.
function spot(at, cell, sides) {
  const [kind, side] = cell.split(".");
  if (/^p\d+$/.test(cell)) {
    const point = Number(cell.slice(1));
    return { x: pointX(at, point), y: low(point) ? at.bottom : at.top, way: low(point) ? -1 : 1, room: 5 };
  }
  const way = side === sides[0] ? 1 : -1;
  if (kind === "bar") return { x: at.left + 6 * PITCH + BAR / 2, y: at.top + HALF + way * 70, way, room: 4 };
  const x = kind === "off" || kind === "locked" ? at.right + 20 + TRAY / 2 : at.left - 20 - TRAY / 2;
  return { x, y: side === sides[0] ? at.bottom : at.top, way: -way, room: 5, flat: true };
}

export function draw(at, state) {
  const cells = Object.keys(state.cells);
  return [...table(at, state), ...zones(at, cells, state), ...lamps(at, state), ...cells.flatMap((cell) => stack(at, cell, state)), ...dice(at, state), ...cube(at, state), ...wrong(at, state)];
}

const rect = (at, name, x, y, w, h, rx = 0, fill = "") => element("rect", { class: name, ...at.box(x, y, w, h), rx, ...(fill ? { fill: `url(#${fill})` } : {}) });

function table(at, state) {
  const touched = new Set(Object.keys(state.ghosts ?? {}).length ? [] : state.touched);  // a foul is marked alone
  const drawn = [
    rect(at, "frame", 0, 0, at.width, at.height, 18, "wood-down"), rect(at, "over", 0, 0, at.width, at.height, 18, "grain"), rect(at, "edge", 4, 4, at.width - 8, at.height - 8, 15),
    ...[at.left, at.left + 6 * PITCH + BAR].flatMap((x) => [rect(at, "field", x, at.top, 6 * PITCH, HEIGHT), rect(at, "over", x, at.top, 6 * PITCH, HEIGHT, 0, "felt")]),
    ...tray(at, at.right + 20), ...(at.spare ? tray(at, at.panel) : []),
  ];
  for (let point = 1; point <= 24; point++) {
    const x = pointX(at, point), foot = low(point) ? at.bottom : at.top, tip = foot + (low(point) ? -1 : 1) * 430;
    const corners = [[x - PITCH / 2, foot], [x + PITCH / 2, foot], [x, tip]].map(([a, b]) => `${at.X(a)},${at.Y(b)}`).join(" ");
    drawn.push(element("polygon", { class: `point ${point % 2 ? "odd" : "even"} ${touched.has(`p${point}`) ? "touched" : ""}`, points: corners }));
    drawn.push(element("text", { class: `label ${touched.has(`p${point}`) ? "touched" : ""}`, x: at.X(x), y: at.Y(foot + (low(point) ? 1 : -1) * (at.strip ? 43 : 33)) }, at.name(`p${point}`)));
  }
  const halves = [at.left, at.left + 6 * PITCH + BAR];
  return [...drawn, ...halves.flatMap((x) => sunk(at, x, at.top, 6 * PITCH, HEIGHT)), rect(at, "light", at.left, at.top, at.right - at.left, HEIGHT, 0, "lamp"), ...bar(at)];
}

const tray = (at, x) => [rect(at, "tray", x, at.top, TRAY, HEIGHT, 8), rect(at, "over", x, at.top, TRAY, HEIGHT, 8, "grain-up"), ...sunk(at, x, at.top, TRAY, HEIGHT)];

// The bar lies over the field, with its fold and its two hinges.
function bar(at) {
  const x = at.left + 6 * PITCH;
  const hinges = [0.22, 0.78].map((share) => rect(at, "hinge", x + BAR / 2 - 9, at.top + share * HEIGHT - 45, 18, 90, 5));
  return [rect(at, "bar", x, at.top, BAR, HEIGHT, 0, "wood-across"), rect(at, "over", x, at.top, BAR, HEIGHT, 0, "grain-up"), ...hinges];
}

// The shade of the walls on what lies lower: from above and from the left, wherever the board is looked at from.
function sunk(at, x, y, w, h) {
  const box = at.box(x, y, w, h);
  const shade = (fill, wide, high) => element("rect", { class: "sunk", fill: `url(#${fill})`, x: box.x, y: box.y, width: wide, height: high });
  return [shade("sunk-down", box.width, 34), shade("sunk-across", 22, box.height)];
}

// Clear fields over every cell: where a piece may be dropped, and what is marked as wrong.
function field(at, cell, sides) {
  const { x, y, way, flat } = spot(at, cell, sides);
  const tall = flat ? HALF - 30 : cell.startsWith("p") ? HALF - 50 : 330;
  return [x - PITCH / 2, way > 0 ? y : y - tall, PITCH, tall, 12];
}
const zones = (at, cells, state) => cells.map((cell) => {
  const drawn = rect(at, "zone", ...field(at, cell, state.sides));
  drawn.dataset.cell = cell;
  return drawn;
});
const frames = (name, cells) => (at, state) => (cells(state) ?? []).filter((cell) => state.cells[cell]).map((cell) => rect(at, name, ...field(at, cell, state.sides)));
const wrong = frames("wrong", (state) => state.judgement?.cells);

function stack(at, cell, state) {
  const ghosts = state.ghosts?.[cell], layers = state.cells[cell], pieces = layers.flat();
  if (ghosts) return seen(at, cell, state, pieces, ghosts);
  if (!pieces.length) return [];
  const foot = spot(at, cell, state.sides);
  const drawn = pieces.some((each) => each.includes(".")) ? (cell.startsWith("p") ? pyramids : heaps) : foot.flat ? rims : discs;
  return drawn(at, cell, foot, layers, state.sides);
}

const rank = (each, sides) => (each.split(".")[0] === sides[0] ? "first" : "second");

function discs(at, cell, foot, layers, sides) {
  const pieces = layers.flat(), room = foot.room;
  const step = pieces.length > room ? (DISC * room - DISC) / (pieces.length - 1) : DISC;
  const y = (place) => at.Y(foot.y + foot.way * (DISC / 2 + 3 + place * step));
  const drawn = pieces.map((each, place) => piece(each, cell, at.X(foot.x), y(place), ...disc(each, sides)));
  if (pieces.length > room) drawn.push(element("text", { class: `count on-${rank(pieces.at(-1), sides)}`, "font-size": 44, x: at.X(foot.x), y: y(pieces.length - 1) }, String(pieces.length)));
  return drawn;
}

// What the camera sees of a cell that a foul has changed: pieces that are gone are pale where they were, those that came are ghosts beside them.
function seen(at, cell, state, pieces, ghosts) {
  const left = [...pieces], came = ghosts.filter((each) => { const place = left.lastIndexOf(each); if (place >= 0) left.splice(place, 1); return place < 0; });
  const foot = spot(at, cell, state.sides), shape = [...pieces, ...came].some((each) => each.includes(".")) ? pyramid : foot.flat ? rim : disc;
  const all = [...pieces, ...came], size = foot.flat && shape === rim ? 31 : DISC, room = foot.flat && shape === rim ? 15 : foot.room;
  const step = all.length > room ? (size * (room - 1)) / (all.length - 1) : size;
  return all.map((each, place) => {
    const gone = place < pieces.length && pieces.slice(place).filter((other) => other === each).length <= left.filter((other) => other === each).length;
    const look = place >= pieces.length ? "ghost" : gone ? "gone" : "";
    const y = at.Y(foot.y + foot.way * (size / 2 + 3 + place * step));
    return element("g", { class: look, transform: `translate(${at.X(foot.x)} ${y})` }, ...shape(each, state.sides));
  });
}

const cast = (r) => element("circle", { class: "cast", fill: "url(#cast)", r: 1.16 * r, cx: 0.06 * r, cy: 0.13 * r });
function disc(each, sides) {
  const side = rank(each, sides), r = DISC / 2 - 2;
  return [cast(r), element("circle", { class: `disc ${side}`, fill: `url(#disc-${side})`, r }), element("circle", { class: `ring ${side}`, stroke: `url(#dish-${side})`, r: 0.68 * r }), element("circle", { class: `dish ${side}`, fill: `url(#dish-${side})`, r: 0.62 * r })];
}
function rim(each, sides) {
  const side = rank(each, sides);
  return [element("rect", { class: `disc ${side}`, fill: `url(#rim-${side})`, x: -44, y: -13, width: 88, height: 26, rx: 6 })];
}

// Borne-off checkers stand on their rims.
function rims(at, cell, foot, layers, sides) {
  return layers.flat().map((each, place) => piece(each, cell, at.X(foot.x), at.Y(foot.y + foot.way * (21 + place * 31)), ...rim(each, sides)));
}

// A pyramid from the side, with as many dots as its size.
function pyramid(each, sides) {
  const size = Number(each.split(".")[1]), half = 18 + 9 * size, look = rank(each, sides);
  const dots = Array.from({ length: size }, (_, n) => element("circle", { class: `pip on-${look}`, cx: (n - (size - 1) / 2) * 15, cy: half - 13, r: 5 }));
  return [element("polygon", { class: `disc ${look}`, points: `${-half},${half} ${half},${half} 0,${-half}`, "stroke-linejoin": "round" }), ...dots];
}

// One column on each point, as the camera sees them, so that neighbours keep apart; those of a layer that is covered are smaller and pale.
function pyramids(at, cell, foot, layers, sides) {
  const all = layers.flatMap((layer, level) => layer.map((each) => ({ each, scale: level < layers.length - 1 ? 0.7 : 1 })));
  const tall = all.map(({ each, scale }) => scale * (40 + 18 * Number(each.split(".")[1])));
  const tight = Math.min(1, (HALF - 60) / tall.reduce((sum, one) => sum + one, 0));
  let along = 4;
  return all.map(({ each, scale }, place) => {
    const y = at.Y(foot.y + foot.way * (along + tall[place] * tight / 2));
    along += tall[place] * tight;
    return piece(each, cell, at.X(foot.x), y, element("g", { class: scale < 1 ? "covered" : "", transform: `scale(${scale})` }, ...pyramid(each, sides)));
  });
}

// Pyramids beside the points, one heap for each size, with how many there are.
function heaps(at, cell, foot, layers, sides) {
  const pieces = layers.flat(), room = at.Y(foot.y) > at.height / 2 ? 84 : 60;  // the count is under its heap: at the lower edge it needs a place
  return [...new Set(pieces)].sort().flatMap((each, place) => {
    const count = pieces.filter((other) => other === each).length, y = at.Y(foot.y + foot.way * (room + place * 125)), x = at.X(foot.x);
    const drawn = Array.from({ length: count }, () => piece(each, cell, x, y, ...pyramid(each, sides)));
    if (count > 1) drawn.push(element("text", { class: "label", x, y: y + 60 }, `×${count}`));
    return drawn;
  });
}

const PIPS = { 1: [[0, 0]], 2: [[-1, -1], [1, 1]], 3: [[-1, -1], [0, 0], [1, 1]], 4: [[-1, -1], [-1, 1], [1, -1], [1, 1]] };
PIPS[5] = [...PIPS[4], [0, 0]];
PIPS[6] = [...PIPS[4], [-1, 0], [1, 0]];

function dice(at, state) {
  const half = at.Y(at.top + HALF), size = 84;
  const leftmost = at.X(0) < at.X(1) ? 1 : -1;  // the higher die lies left, whichever way round the board is
  const thrown = state.turn ? [...state.dice].sort((one, other) => leftmost * (other - one)) : state.dice;
  return thrown.flatMap((face, place) => {
    // At the opening each side has one die, on its own half; afterwards all lie on the roller's right.
    const side = state.turn ?? state.sides[place];
    const middle = (side === state.sides[0]) !== at.mirror ? at.right - 3 * PITCH : at.left + 3 * PITCH;
    const x = at.X(middle + (state.turn ? (place - (thrown.length - 1) / 2) * 110 : 0));
    const look = rank(side, state.sides);
    return die(look, face, size, { class: "thrown", transform: `translate(${x} ${half})` });
  });
}

// A die from above; the inner group is what tumbles.
function die(look, face, size, place) {
  const half = size / 2, soft = { x: -half, y: -half, width: size, height: size, rx: 17 };
  const pips = PIPS[face].map(([dx, dy]) => element("circle", { class: `pip on-${look}`, cx: dx * 23, cy: dy * 23, r: 8.5 }));
  return [element("g", place, cast(0.62 * size), element("g", {}, element("rect", { class: `die ${look}`, fill: `url(#disc-${look})`, ...soft }), ...pips))];
}

function cube(at, state) {
  if (!state.cube) return [];
  const { owner, value, offer } = state.cube, half = offer ? 52 : 36;  // an offered one lies in the middle, larger, with its new number
  const x = at.X(at.left + 6 * PITCH + BAR / 2);
  const y = at.Y(at.top + (offer || owner === null ? HALF : owner === state.sides[0] ? HEIGHT - 46 : 46));
  const shown = String(offer ? offer.value : value), size = (offer ? 54 : 38) * Math.min(1, 2.6 / shown.length);
  return [piece("cube", "", x, y, cast(1.2 * half), element("rect", { class: `die first ${offer ? "offered" : ""}`, fill: "url(#rim-first)", x: -half, y: -half, width: 2 * half, height: 2 * half, rx: 10 }), element("text", { class: "count on-first", y: 2, "font-size": size }, shown))];
}

// The seven lamps of a die as one reads, across and down from its middle.
const SPOTS = [[-1, -1], [1, -1], [-1, 0], [0, 0], [1, 0], [-1, 1], [1, 1]];

// LEDs sit in the frame, each at the foot of the place that it belongs to; those of players, dice and cube in the panel on the left. A table without
// lamps has no panel and no dark ones: what its points would light, the page lights.
function lamps(at, state) {
  const framed = new Set(state.judgement?.cells);
  return (state.leds ?? []).flatMap(({ place, colour, pattern }) => {
    const lit = colour && colour !== "#000000", shown = state.strip || (lit && !/^(player|die|cube)/.test(place) && !framed.has(place));
    if (!shown || place.startsWith("dice.")) return [];  // the row says what the spots say
    const { x, y, r } = lamp(at, place, state.sides);
    const drawn = element("circle", { class: `led ${lit ? pattern : "dark"}`, cx: at.X(x), cy: at.Y(y), r, "data-place": place });
    if (lit) drawn.setAttribute("fill", colour);
    return [drawn];
  });
}

function lamp(at, place, sides) {
  if (/^p\d+$/.test(place)) {
    const point = Number(place.slice(1));
    const off = at.strip ? 13 : 8;  // on a narrow frame the number is close
    return { x: pointX(at, point), y: low(point) ? at.bottom + off : at.top - off, r: at.strip ? 9 : 6 };
  }
  const [kind, side, number] = place.split(".");
  if (kind === "die") {
    const [across, down] = SPOTS[number - 1];
    return { x: PANEL / 2 + 17 * across, y: at.top + HALF + (side === "1" ? -170 : 170) + 17 * down, r: 7 };
  }
  const panel = { player: 34, cube: HALF - 60 }[kind];
  if (panel) return { x: PANEL / 2, y: side === undefined ? at.top + HALF : side === sides[0] ? at.bottom - panel : at.top + panel, r: 13 };
  const { x, way } = spot(at, place, sides);
  return { x, y: (place.startsWith("bar") ? way > 0 : way < 0) ? at.bottom + 30 : at.top - 30, r: 13 };
}

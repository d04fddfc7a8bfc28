// The board as SVG: where each named cell of a 24-point board lies, and what is drawn there.
// A cell's stack is a list of layers, bottom to top; a layer is a list of pieces ("white", or "white.3" for a pyramid of size 3).

const NS = "http://www.w3.org/2000/svg";
const PITCH = 100, DISC = 90, BAR = 100, TRAY = 120, MARGIN = 58, PANEL = 96, HALF = 510, HEIGHT = 2 * HALF;

export function element(name, attributes = {}, ...children) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// Where things lie, in SVG units. The left tray is there only for games that keep pieces in reserve.
function plan(cells) {
  const spare = cells.some((cell) => /^(reserve|hand)\./.test(cell));
  const left = PANEL + (spare ? TRAY + 20 : 0);
  const right = left + 12 * PITCH + BAR;
  return { left, right, spare, top: MARGIN, bottom: MARGIN + HEIGHT, width: right + 20 + TRAY + MARGIN, height: HEIGHT + 2 * MARGIN };
}

const column = (point) => (point <= 12 ? 12 - point : point - 13);
const low = (point) => point <= 12;

function pointX(at, point) {
  const place = column(point);
  return at.left + place * PITCH + (place >= 6 ? BAR : 0) + PITCH / 2;
}

// The foot of a cell, the way that its pieces pile up, and how much room they have.
export function spot(at, cell, sides) {
  const [kind, side] = cell.split(".");
  if (/^p\d+$/.test(cell)) {
    const point = Number(cell.slice(1));
    return { x: pointX(at, point), y: low(point) ? at.bottom : at.top, way: low(point) ? -1 : 1, room: 5 };
  }
  const way = side === sides[0] ? 1 : -1;
  const middle = at.top + HALF;
  if (kind === "bar") return { x: at.left + 6 * PITCH + BAR / 2, y: middle + way * 70, way, room: 4 };
  const x = kind === "off" || kind === "locked" ? at.right + 20 + TRAY / 2 : at.left - 20 - TRAY / 2;
  return { x, y: side === sides[0] ? at.bottom : at.top, way: -way, room: 5, flat: true };
}

export function draw(svg, state) {
  const cells = Object.keys(state.cells);
  const at = plan(cells);
  svg.setAttribute("viewBox", `0 0 ${at.width} ${at.height}`);
  const title = element("title", { id: "board-title" }, "The board");
  const text = element("desc", { id: "board-text" }, describe(state));
  svg.replaceChildren(title, text, ...table(at), ...lamps(at, state), ...cells.flatMap((cell) => stack(at, cell, state)));
  svg.append(...dice(at, state), ...cube(at, state), ...wrong(at, state));
}

function table(at) {
  const drawn = [
    element("rect", { class: "frame", x: 0, y: 0, width: at.width, height: at.height, rx: 18 }),
    element("rect", { class: "field", x: at.left, y: at.top, width: at.right - at.left, height: HEIGHT }),
    element("rect", { class: "bar", x: at.left + 6 * PITCH, y: at.top, width: BAR, height: HEIGHT }),
    element("rect", { class: "tray", x: at.right + 20, y: at.top, width: TRAY, height: HEIGHT, rx: 8 }),
  ];
  if (at.spare) drawn.push(element("rect", { class: "tray", x: PANEL, y: at.top, width: TRAY, height: HEIGHT, rx: 8 }));
  for (let point = 1; point <= 24; point++) {
    const x = pointX(at, point), foot = low(point) ? at.bottom : at.top, tip = foot + (low(point) ? -1 : 1) * 430;
    drawn.push(element("polygon", { class: point % 2 ? "odd" : "even", points: `${x - PITCH / 2},${foot} ${x + PITCH / 2},${foot} ${x},${tip}` }));
    drawn.push(element("text", { class: "label", x: x - 22, y: foot + (low(point) ? 1 : -1) * 30 }, String(point)));
  }
  return drawn;
}

function stack(at, cell, state) {
  const layers = state.cells[cell];
  const pieces = layers.flat();
  if (!pieces.length) return [];
  const foot = spot(at, cell, state.sides);
  if (pieces.some((piece) => piece.includes("."))) return pyramids(foot, layers, state.sides);
  return foot.flat ? rims(foot, pieces, state.sides) : discs(foot, pieces, state.sides);
}

const rank = (piece, sides) => (piece.split(".")[0] === sides[0] ? "first" : "second");

function discs(foot, pieces, sides) {
  const step = pieces.length > foot.room ? (DISC * foot.room - DISC) / (pieces.length - 1) : DISC;
  const drawn = pieces.flatMap((piece, place) => {
    const y = foot.y + foot.way * (DISC / 2 + 3 + place * step);
    return [
      element("circle", { class: `disc ${rank(piece, sides)}`, cx: foot.x, cy: y, r: DISC / 2 - 2 }),
      element("circle", { class: "ring", cx: foot.x, cy: y, r: DISC / 2 - 14 }),
    ];
  });
  if (pieces.length > foot.room) {
    const y = foot.y + foot.way * (DISC / 2 + 3 + (pieces.length - 1) * step);
    drawn.push(element("text", { class: `count on-${rank(pieces.at(-1), sides)}`, x: foot.x, y }, String(pieces.length)));
  }
  return drawn;
}

// Borne-off checkers stand on their rims.
function rims(foot, pieces, sides) {
  return pieces.map((piece, place) => {
    const y = foot.y + foot.way * (8 + place * 31);
    return element("rect", { class: `disc ${rank(piece, sides)}`, x: foot.x - 44, y: foot.way > 0 ? y : y - 26, width: 88, height: 26, rx: 6 });
  });
}

function pyramids(foot, layers, sides) {
  const step = Math.min(64, (HALF - 120) / layers.length);
  return layers.flatMap((layer, level) => layer.map((piece, place) => {
    const size = 26 + 18 * Number(piece.split(".")[1]);
    const x = foot.x + (place - (layer.length - 1) / 2) * 26, y = foot.y + foot.way * (52 + level * step);
    const shape = `${x - size / 2},${y + size / 2} ${x + size / 2},${y + size / 2} ${x},${y - size / 2}`;
    return element("polygon", { class: `disc ${rank(piece, sides)}`, points: shape, "stroke-linejoin": "round" });
  }));
}

const PIPS = { 1: [[0, 0]], 2: [[-1, -1], [1, 1]], 3: [[-1, -1], [0, 0], [1, 1]], 4: [[-1, -1], [-1, 1], [1, -1], [1, 1]] };
PIPS[5] = [...PIPS[4], [0, 0]];
PIPS[6] = [...PIPS[4], [-1, 0], [1, 0]];

function dice(at, state) {
  const half = at.top + HALF, size = 84;
  return state.dice.flatMap((face, place) => {
    // At the opening each side has one die, on its own half; afterwards all lie on the roller's right.
    const side = state.turn ?? state.sides[place];
    const middle = side === state.sides[0] ? at.right - 3 * PITCH : at.left + 3 * PITCH;
    const x = middle + (state.turn ? (place - (state.dice.length - 1) / 2) * 110 : 0);
    const look = rank(side, state.sides);
    return [
      element("rect", { class: `die ${look}`, x: x - size / 2, y: half - size / 2, width: size, height: size, rx: 16 }),
      ...PIPS[face].map(([dx, dy]) => element("circle", { class: `pip on-${look}`, cx: x + dx * 23, cy: half + dy * 23, r: 8.5 })),
    ];
  });
}

function cube(at, state) {
  if (!state.cube) return [];
  const x = at.left + 6 * PITCH + BAR / 2;
  const y = at.top + (state.cube.owner === null ? HALF : state.cube.owner === state.sides[0] ? HEIGHT - 46 : 46);
  return [
    element("rect", { class: "die first", x: x - 36, y: y - 36, width: 72, height: 72, rx: 10 }),
    element("text", { class: "count on-first", x, y: y + 2 }, String(state.cube.value)),
  ];
}

function wrong(at, state) {
  return (state.judgement?.cells ?? []).map((cell) => {
    const { x, y, way, flat } = spot(at, cell, state.sides);
    const tall = flat ? HALF - 30 : cell.startsWith("p") ? HALF - 50 : 200;
    return element("rect", { class: "wrong", x: x - PITCH / 2, y: way > 0 ? y : y - tall, width: PITCH, height: tall, rx: 12 });
  });
}

// LEDs sit in the frame, each at the foot of the place that it belongs to; those of players, dice and cube in the panel on the left.
function lamps(at, state) {
  return (state.leds ?? []).flatMap(({ place, colour, pattern }) => {
    const { x, y, face } = lamp(at, place, state.sides);
    const lit = colour && colour !== "#000000";
    const drawn = element("circle", { class: `led ${lit ? pattern : "dark"}`, cx: x, cy: y, r: 15, "data-place": place });
    if (lit) drawn.setAttribute("fill", colour);
    return face ? [drawn, element("text", { class: "label", x: x - 32, y }, face)] : [drawn];
  });
}

function lamp(at, place, sides) {
  if (/^p\d+$/.test(place)) {
    const point = Number(place.slice(1));
    return { x: pointX(at, point) + 16, y: low(point) ? at.bottom + 30 : at.top - 30 };
  }
  const [kind, side, face] = place.split(".");
  const panel = { player: 34, dice: 92 + 52 * Number(face), cube: HALF - 60 }[kind];
  if (panel) return { x: PANEL / 2, y: side === undefined ? at.top + HALF : side === sides[0] ? at.bottom - panel : at.top + panel, face };
  const { x, way } = spot(at, place, sides);
  return { x, y: (place.startsWith("bar") ? way > 0 : way < 0) ? at.bottom + 30 : at.top - 30 };
}

// The board in words, for those who listen to it.
function describe(state) {
  const parts = Object.entries(state.cells).filter(([, layers]) => layers.flat().length).map(([cell, layers]) => {
    const name = cell.startsWith("p") ? `point ${cell.slice(1)}` : cell.replace(".", " of ");
    return `${name}: ${layers.flat().length} ${layers.at(-1)[0].split(".")[0]}`;
  });
  return parts.join("; ");
}

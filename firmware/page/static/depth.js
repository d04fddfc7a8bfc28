// What gives the board depth: gradients and grain that all boards of a page share. Colours are the theme's (board.css), by custom properties.
import { element } from "/static/svg.js";

const stop = (offset, name) => element("stop", { offset, class: name });
const round = (id, ...stops) => element("radialGradient", { id, cx: .5, cy: .5, r: .5, fx: .36, fy: .3 }, ...stops);
const along = (id, ways, ...stops) => element("linearGradient", { id, ...ways }, ...stops);
const grain = (id, name, wide, high, turned) => element("pattern", { id, width: wide, height: high, patternUnits: "userSpaceOnUse", ...(turned ? { patternTransform: "rotate(90)" } : {}) },
  element("image", { href: name, width: wide, height: high, preserveAspectRatio: "none" }));

const SIDES = ["first", "second"];
function paints() {
  return [
    ...SIDES.flatMap((side) => [
      round(`disc-${side}`, stop(0, `${side}-lit`), stop(.55, `${side}-own`), stop(.88, `${side}-own`), stop(1, `${side}-dim`)),
      along(`dish-${side}`, { x1: .2, y1: .1, x2: .8, y2: .9 }, stop(0, `${side}-dim`), stop(.5, `${side}-own`), stop(1, `${side}-lit`)),
      along(`rim-${side}`, { x1: 0, y1: 0, x2: 0, y2: 1 }, stop(0, `${side}-dim`), stop(.25, `${side}-lit`), stop(.7, `${side}-own`), stop(1, `${side}-dim`)),
    ]),
    element("radialGradient", { id: "cast", cx: .5, cy: .5, r: .5 }, stop(.72, "cast-in"), stop(1, "cast-out")),
    along("wood-down", { x1: 0, y1: 0, x2: 0, y2: 1 }, stop(0, "wood-lit"), stop(.08, "wood-own"), stop(.92, "wood-own"), stop(1, "wood-dim")),
    along("wood-across", { x1: 0, y1: 0, x2: 1, y2: 0 }, stop(0, "wood-lit"), stop(.12, "wood-own"), stop(.46, "wood-own"), stop(.5, "wood-deep"), stop(.54, "wood-own"), stop(.88, "wood-own"), stop(1, "wood-dim")),
    along("sunk-down", { x1: 0, y1: 0, x2: 0, y2: 1 }, stop(0, "sunk-in"), stop(1, "sunk-out")),
    along("sunk-across", { x1: 0, y1: 0, x2: 1, y2: 0 }, stop(0, "sunk-in"), stop(1, "sunk-out")),
    element("radialGradient", { id: "lamp", cx: .5, cy: .42, r: .75 }, stop(0, "lamp-in"), stop(1, "lamp-out")),
    grain("felt", "/static/felt.webp", 128, 128, false), grain("grain", "/static/wood.webp", 640, 240, false), grain("grain-up", "/static/wood.webp", 640, 240, true),
  ];
}

let there = false;
export function prepare() {
  if (there) return;
  there = true;
  const box = element("svg", { width: 0, height: 0, "aria-hidden": "true", class: "paints" }, element("defs", {}, ...paints()));
  document.body.append(box);
}

// The proportions of this table's own board, in units of the drawing; of a usual board under another theme.
const read = (style, name, usual, least, most) => Math.min(most, Math.max(least, 100 * Number.parseFloat(style.getPropertyValue(name)) || usual));
let known = null;
export function measures() {
  const style = getComputedStyle(document.documentElement);
  known ??= { bar: read(style, "--bar-wide", 100, 84, 150), height: read(style, "--board-high", 1020, 960, 1180), disc: read(style, "--checker-wide", 90, 84, 95) };
  return known;
}
export const forget = () => { known = null; };

// Correcting a board of 24 points: pieces move from cell to cell. An impossible move (both sides on one point) is refused.
// A pyramid that comes onto its own, none of them larger, joins them, or else lies on top and pins them.
const SIDES_OWN = /^(bar|off|hand|reserve|locked)\./;

export const fits = (state) => Boolean(state?.position?.points);

export function edit(state) {
  const cells = structuredClone(state.cells), sides = state.sides, owner = (each) => each?.split(".")[0], size = (each) => Number(each.split(".")[1]);
  for (const place of ["hand", "reserve", "bar", "off", "locked"]) if (place in state.position) for (const side of sides) cells[`${place}.${side}`] ??= [];  // pieces may be put there, too, while none are
  let last = null;  // the pyramid that came onto its own, and where

  // Takes the last such piece of a cell and puts it on top of another; whether that was done.
  function move(from, to, kind) {
    const source = cells[from]?.findLast((layer) => layer.length && (!kind || layer.includes(kind)));
    if (!source || from === to || !cells[to]) return false;
    const piece = kind ?? source.at(-1), top = cells[to].at(-1);
    if (!piece.includes(".") && top?.length && owner(top[0]) !== owner(piece)) return false;
    if (SIDES_OWN.test(to) && !to.endsWith(`.${owner(piece)}`)) return false;
    source.splice(source.lastIndexOf(piece), 1);
    cells[from] = cells[from].filter((layer) => layer.length);
    const own = top?.length && owner(top[0]) === owner(piece);
    last = own && /^p\d/.test(to) && top.every((each) => size(each) <= size(piece)) ? { piece, stack: cells[to] } : null;
    if (own) top.push(piece); else cells[to].push([piece]);
    return true;
  }

  // Whether that pyramid pins its own; null where it has no choice.
  const pins = () => last && last.stack.at(-1).length === 1;
  function relay() {
    const { piece, stack } = last;
    if (pins()) { stack.pop(); stack.at(-1).push(piece); } else { stack.at(-1).pop(); stack.push([piece]); }
  }

  // The position as the table reads it, in the form of the one that it shows; what is not on the board stays as it was.
  function position() {
    const found = {}, pieces = (cell) => (cells[cell] ?? []).flat();
    const point = (layers) => layers.flat()[0].includes(".")
      ? layers.map((layer) => [owner(layer[0]), layer.map(size)])
      : layers.flat().length * (layers[0][0] === sides[0] ? 1 : -1);
    for (const [key, value] of Object.entries(state.position)) {
      if (key === "points") {
        found.points = Object.fromEntries(Object.entries(cells).filter(([cell, layers]) => /^p\d/.test(cell) && layers.flat().length).map(([cell, layers]) => [cell.slice(1), point(layers)]));
      } else if (Object.keys(cells).some((cell) => cell.startsWith(`${key}.`))) {
        found[key] = Array.isArray(value) ? sides.map((side) => pieces(`${key}.${side}`).length) : Object.fromEntries(sides.map((side) => [side, pieces(`${key}.${side}`).map(size)]));
      }
    }
    return found;
  }

  // What can be moved: of pyramids each size by itself, those on top first.
  const sources = () => Object.entries(cells).flatMap(([cell, layers]) => [...new Set([...layers].reverse().flat())].map((kind) => ({ cell, kind: kind.includes(".") ? kind : undefined })));

  return { move, position, pins, relay, sources, shown: () => ({ cells }), places: Object.keys(cells) };
}

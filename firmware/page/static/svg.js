// Making SVG elements, and pieces that know what they are and where they stand, so that they can glide.
const NS = "http://www.w3.org/2000/svg";

export function element(name, attributes = {}, ...children) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// A piece drawn around 0,0 and put at x,y. The inner group is what glides; the outer one says where it ends.
export function piece(kind, cell, x, y, ...shapes) {
  return element("g", { class: "piece", "data-kind": kind, "data-cell": cell, "data-x": x, "data-y": y, transform: `translate(${x} ${y})` }, element("g", {}, ...shapes));
}

const places = (svg) => [...svg.querySelectorAll("g.piece")].map((group) => ({ group, kind: group.dataset.kind, x: +group.dataset.x, y: +group.dataset.y }));

// Redraws by ``redraw``, and lets every piece that has left its place glide to where one of its kind is new.
// A board that is turned, or another board, is drawn at once: ``frame`` names how it is looked at.
export function gliding(svg, frame, redraw) {
  const before = places(svg), same = svg.dataset.frame === frame;
  svg.dataset.frame = frame;
  redraw();
  if (!before.length || !same || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const key = ({ kind, x, y }) => `${kind} ${x} ${y}`;
  const after = places(svg);
  const stood = new Map(before.map((each) => [key(each), each]));
  const came = after.filter((each) => !stood.delete(key(each)));
  const left = [...stood.values()];
  let waits = 0;
  const hit = ({ group }) => group.dataset.cell.startsWith("bar");
  came.sort((one, other) => hit(one) - hit(other));  // who is hit leaves after the hitter has come
  for (const each of came) {
    let best = -1, least = Infinity;
    left.forEach((from, place) => {
      const far = Math.hypot(from.x - each.x, from.y - each.y);
      if (from.kind === each.kind && far < least) { least = far; best = place; }
    });
    if (best < 0) continue;
    const [from] = left.splice(best, 1);
    each.group.parentNode.append(each.group);  // over those that stay
    const duration = Math.min(900, 300 + least / 2), delay = hit(each) ? waits : 0, lift = Math.min(26, least / 12);
    if (!hit(each)) waits = Math.max(waits, 0.75 * duration);
    const way = (share, scale, up) => ({ transform: `translate(${share * (from.x - each.x)}px, ${share * (from.y - each.y) - up}px) scale(${scale})` });
    each.group.firstChild.animate([way(1, 1, 0), { ...way(.5, 1.08, lift), offset: .45 }, { transform: "none" }], { duration, delay, fill: "backwards", easing: "cubic-bezier(.3,.1,.2,1)" });
  }
}

// Dice that have just fallen roll in for half a second, with the faces that they show.
export function tumbling(svg, throws) {
  const before = svg.dataset.throws;
  svg.dataset.throws = throws;
  if (before === undefined || before === throws || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  [...svg.querySelectorAll("g.thrown")].forEach((group, place) => {
    const side = place % 2 ? 1 : -1;
    const at = (x, y, turn, size) => ({ transform: `translate(${x}px, ${y}px) rotate(${turn}deg) scale(${size})` });
    group.lastChild.animate([at(260, -180 * side, 540 * side, 1.25), at(90, 24 * side, 200 * side, 1.1), at(-14, 6 * side, 20 * side, 1), at(0, 0, 0, 1)], { duration: 500, easing: "cubic-bezier(.2,.6,.3,1)" });
    group.firstChild.animate([{ opacity: 0 }, { opacity: 0, offset: .6 }, { opacity: 1 }], { duration: 500 });
  });
}

// A map that the players set up: the camera reads it, players correct it by touch or keyboard, and confirm it.
import { $, complain, make, picture, say, step, trying } from "/static/setup-ask.js";
import { fill } from "/static/language.js";
import { WORDS } from "/static/setup-words.js";

let game = null, cells = null, pieces = [], options = null, dice = false, confirmed = "", at = null, done = () => {}, turn = 0, why = "";

export const diced = () => dice;
export const agreed = () => (options && confirmed === JSON.stringify(options) ? options : null);

// ``because`` says why the step is opened before its turn.
export function open(chosen, next, because = "") {
  const other = game?.name !== chosen.name;
  [game, done, why] = [chosen, next, because];
  if (other || !cells) read(); else if (why) complain("map-reason", why);
}

function take(found) {
  ({ cells, pieces, options, dice } = found);
  complain("map-reason", found.reason || why);
  $("map-notes").replaceChildren(...found.notes.map((note) => make("li", note)));
  $("map-right").disabled = Boolean(found.reason);
  show();
}

const read = trying("map-reason", async () => {
  confirmed = "";
  $("map-right").disabled = true;
  take(await step("map", { game: game.name }));
});

const name = (cell) => cell.slice(4);
const what = (cell) => WORDS.hex[cells[cell].flat()[0] ?? ""] ?? cells[cell].flat()[0];

function show() {
  const svg = $("map-board"), focused = svg.contains(document.activeElement);
  picture(svg, game, cells);
  svg.querySelectorAll("title, desc").forEach((each) => each.remove());
  at = at && cells[at] ? at : Object.keys(cells)[0];
  for (const hex of svg.querySelectorAll(".hex")) {
    hex.setAttribute("role", "button");
    hex.setAttribute("aria-label", fill(WORDS.hexAt, { name: name(hex.dataset.cell), what: what(hex.dataset.cell) }));
    hex.setAttribute("tabindex", hex.dataset.cell === at ? 0 : -1);
  }
  if (focused) hexOf(at).focus();
}

const hexOf = (cell) => $("map-board").querySelector(`.hex[data-cell="${cell}"]`);

// Nothing, then each piece in turn. The device answers with the new map.
async function change(cell) {
  const kinds = ["", ...pieces], next = kinds[(kinds.indexOf(cells[cell].flat()[0] ?? "") + 1) % kinds.length];
  cells[cell] = next ? [[next]] : [];
  at = cell;
  $("map-right").disabled = true;  // until the table has answered
  show();
  hexOf(cell).focus();
  say("map-said", fill(WORDS.hexAt, { name: name(cell), what: what(cell) }));
  const mine = ++turn;
  await new Promise((after) => setTimeout(after, 250));
  if (mine !== turn) return;
  const found = await step("fix", { game: game.name, cells: Object.fromEntries(Object.entries(cells).map(([each, layers]) => [each, layers.flat().filter((piece) => pieces.includes(piece))])) });
  if (mine === turn) take(found);
}

const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
$("map-board").addEventListener("click", trying("map-reason", (event) => { const { cell } = event.target.dataset; return cell && cells[cell] ? change(cell) : null; }));
$("map-board").addEventListener("keydown", (event) => {
  const way = WAYS[event.key], { cell } = event.target.dataset;
  if (!cell) return;
  if (event.key === "Enter" || event.key === " ") { event.preventDefault(); trying("map-reason", () => change(cell))(event); }
  if (!way) return;
  event.preventDefault();
  const [q, r] = name(cell).split(",").map(Number);
  const to = [`hex.${q + way[0]},${r + way[1]}`, `hex.${q + way[0] - 1},${r + way[1]}`, `hex.${q + way[0] + 1},${r + way[1]}`].find((each) => cells[each]);
  if (!to) return;
  hexOf(at).setAttribute("tabindex", -1);
  at = to;
  hexOf(to).setAttribute("tabindex", 0);
  hexOf(to).focus();
});
$("map-read").onclick = read;
$("map-right").onclick = () => { [confirmed, why] = [JSON.stringify(options), ""]; complain("map-reason", ""); done(); };

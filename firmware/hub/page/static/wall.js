// The wall: every board, what needs attention first; a touch enlarges one. ?table=NAME shows one alone, &clear on nothing, for an overlay.
import { card, need } from "/static/cards.js";
import { $, ask, follow, make } from "/static/hub.js";
import { fill, inLanguage, language } from "/static/language.js";

const WORDS = inLanguage({ title: "{event}: wall" });

const wish = new URLSearchParams(location.search), alone = wish.get("table");
if (alone !== null) document.documentElement.classList.add("alone");
if (wish.has("clear")) document.documentElement.classList.add("clear");
const cards = new Map(), large = card("div"), SORTED = 2000;
let shown = null, sorted = 0, counted = 0, known = new Map();
$("large-board").append(large.root);
large.root.firstElementChild.firstElementChild.id = "large-name";

const names = new Intl.Collator(language, { numeric: true });
const byName = (one, other) => names.compare(one.name, other.name);
const byNeed = (one, other) => need(one)[0] - need(other)[0] || byName(one, other);

function show(tables) {
  known = tables;
  const list = [...tables.values()].filter(({ name }) => alone === null || name === alone);
  $("none").hidden = list.length > 0;
  for (const [name, { row }] of cards) if (!tables.has(name)) { row.remove(); cards.delete(name); }
  for (const table of list) {
    if (!cards.has(table.name)) {
      const made = card(), row = make("li", "", "", made.root);
      made.root.onclick = () => enlarge(table.name);
      cards.set(table.name, { ...made, row });
      sorted = 0;
    }
    cards.get(table.name).update(table);
  }
  if (shown && tables.has(shown)) large.update(tables.get(shown));
  sort();
  if (counted !== cards.size) { counted = cards.size; fit(); }
}

// Boards change places only now and then, so that nobody touches the wrong one.
function sort() {
  if (performance.now() - sorted < SORTED && sorted) return;
  sorted = performance.now();
  const order = [...known.values()].filter(({ name }) => cards.has(name)).sort($("sort").value === "name" ? byName : byNeed).map(({ name }) => cards.get(name).row);
  order.forEach((row, place) => { if ($("boards").children[place] !== row) $("boards").insertBefore(row, $("boards").children[place] ?? null); });
}

// As large as all of them fit on the screen, and not smaller than can be read from a chair: then the rest is below, or comes by turns.
const SMALLEST = 11, AROUND = 7.2, GAP = 0.6;  // in rem: a card's width, and the height of what stands around its board
function fit() {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize), list = $("boards"), count = list.children.length;
  const wide = list.clientWidth / rem, high = (innerHeight - list.getBoundingClientRect().top - scrollY) / rem - 1;
  const most = Math.max(1, Math.floor((wide + GAP) / (SMALLEST + GAP)));
  let columns = 1;
  const fits = () => Math.ceil(count / columns) * (((wide + GAP) / columns - GAP) / 1.3 + AROUND + GAP) <= high;
  while (columns < most && !fits()) columns += 1;
  list.style.gridTemplateColumns = alone === null ? `repeat(${columns}, minmax(0, 1fr))` : "";
}
addEventListener("resize", fit);

// ?turn=SECONDS: what does not fit on a projector's screen is shown by turns.
const turn = Number(wish.get("turn"));
if (turn > 0) setInterval(() => {
  const end = scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
  scrollTo({ top: end ? 0 : scrollY + innerHeight * 0.85, behavior: "smooth" });
}, Math.max(2, turn) * 1000);

function enlarge(name) {
  shown = name;
  large.update(known.get(name));
  $("large").showModal();
}
$("large").onclose = () => { shown = null; };
$("large").onclick = (event) => { if (event.target === $("large")) $("large").close(); };
$("sort").value = wish.get("sort") ?? "need";
$("sort").onchange = () => { sorted = 0; sort(); };
setInterval(() => {
  for (const [name, each] of cards) if (known.has(name)) each.clocks(known.get(name));
  if (shown && known.has(shown)) large.clocks(known.get(shown));
  sort();
}, 1000);
follow({ tables: show });
ask("GET", "/api/club").then(({ event }) => { $("event").textContent = event; document.title = fill(WORDS.title, { event }); }).catch(() => {});

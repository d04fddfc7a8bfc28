// What the hub's pages share: asking, the stream of news, making elements, the reader's language.
import { asker } from "/static/ask.js";
import { watch } from "/static/line.js";
import { LANGUAGES, choose, chosen, inLanguage, number, said } from "/static/language.js";

const WORDS = inLanguage({ live: "live", lost: "connection lost; trying again", silent: "The hub did not answer; try again." });
export const $ = (id) => document.getElementById(id);

export function make(name, content = "", kind = "", ...children) {
  const made = document.createElement(name);
  if (content !== "") made.textContent = content;
  if (kind) made.className = kind;
  made.append(...children);
  return made;
}

export function button(label, kind, does) {
  const made = make("button", label, kind);
  made.type = "button";
  made.onclick = does;
  return made;
}

const PATIENCE = 3;  // seconds: a longer wait is told

const once = asker(WORDS.silent, WORDS.silent);

// What changes is asked for anew, whatever the browser has kept; ``cache`` "default" is for what never changes.
export async function ask(method, path, data, cache = "no-cache") {
  try { return await once(method, path, data, cache); } catch (error) {
    if (error.status !== 429 || error.wait > PATIENCE) throw error;
    await new Promise((done) => setTimeout(done, 1000 * Math.max(error.wait, 1)));  // somebody works faster than the hub lets a browser: nothing was done
    return ask(method, path, data, cache);
  }
}

// The language, in the head of each page.
for (const [code, name] of Object.entries(LANGUAGES)) $("language").append(new Option(name, code));
$("language").value = chosen();
$("language").onchange = () => choose($("language").value);

// Follows the hub. ``tables`` is called with a map of all tables by name after each piece of news, ``tournaments`` with the numbers of those that
// have changed. A page of older files loads itself again.
export function follow({ tables = () => {}, tournaments = () => {} }) {
  const known = new Map();
  let version = null;
  const take = (list) => { for (const each of list) known.set(each.name, { ...each, at: performance.now() - each.age * 1000 }); };
  const news = {
    version: (data) => { if (version && version !== data) location.reload(); version = data; },
    all: (data) => { known.clear(); take(JSON.parse(data)); tables(known); },
    tables: (data) => { take(JSON.parse(data)); for (const [name, each] of known) if (!each.here && !each.online && !each.shows.phase && !each.given) known.delete(name); tables(known); },
    tournaments: (data) => tournaments(JSON.parse(data)),
  };
  listen();
  return known;

  function listen() {
    const source = new EventSource(said("/api/club/events"));
    for (const [name, does] of Object.entries(news)) source.addEventListener(name, (event) => { status("live"); does(event.data); });
    source.onerror = () => status("lost");
    watch(source, Object.keys(news), () => { status("lost"); source.close(); listen(); });
  }
}

function status(name) {
  const line = $("line");
  line.className = `line ${name}`;
  if (line.textContent !== WORDS[name]) line.textContent = WORDS[name];
}

// A table with a heading; cells are texts, numbers (to the right) or elements.
export function list(table, titles, rows) {
  const kind = (column) => (rows.some((row) => typeof row[column] === "number") ? "number" : "");
  const head = make("tr", "", "", ...titles.map((title, column) => { const cell = make(title ? "th" : "td", title, kind(column)); if (title) cell.scope = "col"; return cell; }));
  const lines = rows.map((row) => make("tr", "", "", ...row.map((cell, column) => {
    const made = make("td", "", kind(column));
    made.append(typeof cell === "number" ? number(cell, Number.isInteger(cell) ? 0 : 2) : cell ?? "");
    return made;
  })));
  table.replaceChildren(make("thead", "", "", head), make("tbody", "", "", ...lines));
}

// Puts options into a select and keeps what was chosen, if it is still there.
export function offer(select, pairs, wanted = select.value) {
  const text = JSON.stringify(pairs);
  if (select.dataset.pairs !== text) {
    select.dataset.pairs = text;
    select.replaceChildren(...pairs.map(([value, label]) => new Option(label, value)));
  }
  if (pairs.some(([value]) => String(value) === String(wanted))) select.value = wanted;
}

// The public's page: draw, standings, live boards, players, files.
import { card, idle } from "/static/cards.js";
import { $, ask, button, follow, list, make, offer } from "/static/hub.js";
import { day, fill, inLanguage, isolated, number, plural } from "/static/language.js";
import { drawSheet, standings } from "/static/sheet.js";

const WORDS = inLanguage({
  kinds: { elimination: "Single elimination", "round-robin": "Round robin", imported: "Pairings by round" },
  files: { "results.csv": "Results (CSV)", "standings.csv": "Standings (CSV)", "report.trf": "Report (TRF)", "matches.zip": "All matches (.mat, zip)" },
  players: plural("{n} player", "{n} players"), won: "won by {player}", tied: "first place shared: {players}", none: "None yet.", finished: "finished", round: "round {n} of {all}", undrawn: "the draw is not made yet",
  length: "{kind}, {players}, to {lengths} points", lot: "Draw by lot; seed {seed}", seeded: "Draw seeded, the lot between equals; seed {seed}",
  ties: "Equal ones: first the matches between them (Direct), then the points of those whom one has beaten (Berger), then the rank is shared.",
  ratings: ["", "Player", "Rating (Elo)", "Experience", "Matches", "Matches won"], history: ["Date", "Tournament", "Opponent", "Length", "", "Change of rating", "Rating (Elo)"],
  unrated: "No rated match yet.", rating: "Rating {n}", win: "a win", loss: "a loss",
});
let club = null, event = null, players = [], numbers = {};
const cards = new Map();
const chosen = () => Number(location.hash.match(/^#t(\d+)$/)?.[1] ?? club?.tournaments[0]?.id ?? 0);
const nameCell = (name) => button(name, "name", () => history(name));

async function load() {
  club = await ask("GET", "/api/club");
  $("event").textContent = club.event;
  $("which").hidden = $("given").hidden = !club.tournaments.length;
  offer($("choose"), club.tournaments.map(({ id, name }) => [id, isolated(name)]), chosen());
  $("archive").replaceChildren(...club.tournaments.map((each) => {
    const link = make("a", isolated(each.name)), row = make("li", "", "", link);
    link.href = `#t${each.id}`;
    row.append(make("span", [`${WORDS.players(each.players)}, ${WORDS.kinds[each.kind]}`, ...winner(each)].join("; "), "faint"));
    return row;
  }));
  if (!club.tournaments.length) $("archive").replaceChildren(make("li", WORDS.none));
  await Promise.all([show(), rate()]);
}

const winner = ({ winner: player, winners = [] }) => (player ? [fill(WORDS.won, { player })] : winners.length ? [fill(WORDS.tied, { players: winners })] : []);

async function show() {
  const id = chosen(), head = club?.tournaments.find((each) => each.id === id);
  if (!head) return;
  // The time of the last change: in a hub that was begun anew, or restored, another tournament may have this id and number.
  event = await ask("GET", `/api/tournaments/${id}/${numbers[id] ?? head.number}?${head.changed}`, undefined, "default").catch(() => ask("GET", `/api/tournaments/${id}`));
  $("choose").value = id;
  $("title").textContent = isolated(event.name);
  document.title = `${event.name} · ${club.event}`;
  const round = event.closed ? WORDS.finished : event.draw ? fill(WORDS.round, { n: number(Math.max(1, event.opened)), all: number(event.rounds) }) : WORDS.undrawn;
  $("facts").textContent = [fill(WORDS.length, { kind: WORDS.kinds[event.kind], players: WORDS.players(event.players), lengths: event.lengths }), round, ...winner(event)].join("; ");
  $("lot").textContent = event.draw?.seed ? fill(event.draw.method === "lot" ? WORDS.lot : WORDS.seeded, { seed: event.draw.seed }) : "";
  $("drawn").hidden = !event.pairings.length;
  drawSheet($("draw"), event);
  $("stood").hidden = !event.standings.length;
  standings($("standings"), event, nameCell);
  $("ties").textContent = event.kind === "elimination" ? "" : WORDS.ties;
  $("files").replaceChildren(...Object.entries(WORDS.files).map(([name, label]) => { const link = make("a", label); link.href = `/api/tournaments/${id}/file/${name}`; return link; }));
}

async function rate() {
  players = await ask("GET", "/api/players");
  $("unrated").hidden = players.length > 0;
  $("find").parentNode.hidden = $("players").hidden = !players.length;
  ratings();
}
function ratings() {
  const wanted = $("find").value.toLowerCase(), found = players.filter(({ name }) => name.toLowerCase().includes(wanted)).slice(0, 200);
  list($("players"), WORDS.ratings, found.map((each) => [players.indexOf(each) + 1, nameCell(each.name), each.rating, each.experience, each.matches, each.won]));
}

async function history(name) {
  let found = { rating: null, history: [] };
  try { found = await ask("GET", `/api/players/${encodeURIComponent(name)}`); } catch (error) { if (error.status !== 404) return; }
  $("player-name").textContent = name;
  $("player-rating").textContent = found.rating === null ? WORDS.unrated : fill(WORDS.rating, { n: number(found.rating, 2) });
  const title = (id) => club.tournaments.find((each) => each.id === id)?.name ?? "";
  list($("history"), WORDS.history, found.history.map((each) => [day(each.at * 1000), title(each.tournament), each.opponent, each.length, each.won ? WORDS.win : WORDS.loss, each.change, each.rating]));
  $("player").showModal();
}

// The boards where this tournament is played.
function boards(tables) {
  const list = [...tables.values()].filter((table) => !idle(table) || table.given);
  $("live").hidden = !list.length;
  for (const [name, { row }] of cards) if (!list.some((table) => table.name === name)) { row.remove(); cards.delete(name); }
  for (const table of list) {
    if (!cards.has(table.name)) {
      const made = card(), row = make("li", "", "", made.root);
      made.root.onclick = () => { location.href = `/wall?table=${encodeURIComponent(table.name)}`; };
      cards.set(table.name, { ...made, row });
      $("boards").append(row);
    }
    cards.get(table.name).update(table);
  }
}

let waits = 0;
// Thousands may look on: each asks a little later than the news, not all at once, and when no proxy has the list from before any more.
const soon = () => { clearTimeout(waits); waits = setTimeout(() => load().catch(() => {}), 1100 + Math.random() * 900); };
const known = follow({ tables: boards, tournaments: (changed) => { Object.assign(numbers, changed); if (club) soon(); else load().catch(() => {}); } });
setInterval(() => { for (const [name, each] of cards) if (known.has(name)) each.clocks(known.get(name)); }, 1000);
addEventListener("hashchange", () => show().catch(() => {}));
$("choose").onchange = () => { location.hash = `t${$("choose").value}`; };
$("find").oninput = ratings;

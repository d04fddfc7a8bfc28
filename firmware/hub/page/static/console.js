// The director's console. Every act goes to the hub with the director's name; what it answers is shown.
import { $, ask, button, follow, list, make, offer } from "/static/hub.js";
import { fill, inLanguage, isolated, language, moment, plural } from "/static/language.js";
import { describe, nameOf, resting, roundName } from "/static/sheet.js";

const WORDS = inLanguage({
  title: "{event}: director", wrongPin: "this is not the hub's PIN", calls: "{table} calls.", callsWhy: "{table} calls: {why}.", comes: "{who} comes.", come: "I come",
  save: "Save", make: "Make it", drawnByLot: "Drawn by lot, seed {seed}.", drawnByStrength: "Drawn by strength, seed {seed}.", undrawn: "The draw is not made yet.",
  entries: ["No.", "Name", "Home club", "Rating (Elo)", "Seeding", "", ""], late: "late", left: { left: "has left", "before the draw": "left before the draw" },
  edit: "Edit", leaves: "Leaves", penalty: "Penalty", entry: "Entry {n}", why: "Why?", whoLeaves: "{player} leaves", match: "match {id}, {names}", standings: "in the standings",
  penaltyAgainst: "Penalty points against {player}", points: "Penalty points", where: "Where", waits: plural("{round} ({n} to play)", "{round} ({n} to play)"),
  told: "told by {table}", signed: "told by {table}, signed by {key}", length: "to {n}", correct: "Correct", result: "Result", forfeit: "Forfeit", table: "Table",
  without: "Match {id} without play", wins: "Who wins", how: "How", otherForfeits: "the other forfeits", decides: "the director decides", played: "played out", forfeited: "forfeit",
  anyScore: "Score, if there is one", correctMatch: "Correct match {id}", won: "Who won", score: "Score: {names}", again: "Do again", undo: "Undo", undoWhat: "Undo: {what}",
});

let event = null, heads = [], over = { troubles: [], calls: [], tables: [], free: [] }, fresh = false;
const who = () => localStorage.who ?? "";
const path = (end = "") => `/api/director/tournaments/${event.id}${end}`;
const SECTIONS = ["needs", "which", "people", "making", "playing", "done"];

function complain(error) {
  $("reason").textContent = error?.message ?? "";
  $("reason").hidden = !error;
  if (error?.status === 401) door();
  if (error) $("reason").scrollIntoView({ block: "nearest" });
}

// Does what is asked; true where it was done.
async function act(what, why = "") {
  try { take(await ask("POST", path("/acts"), { who: who(), why, act: what })); complain(null); return true; } catch (error) { complain(error); return false; }
}

function take(next) { event = next; fresh = false; draw(); refresh(); }

// -- the door

function door() {
  $("door").hidden = false;
  for (const id of SECTIONS) $(id).hidden = true;
  $("who").value = who();
}
$("enter").onsubmit = async (submitted) => {
  submitted.preventDefault();
  try { await ask("POST", "/api/pin", { pin: $("code").value }); } catch (error) { $("door-reason").textContent = error.status === 403 ? WORDS.wrongPin : error.message; return; }
  localStorage.who = $("who").value.trim();
  $("code").value = $("door-reason").textContent = "";
  start();
};
$("leave").onclick = async () => { await ask("DELETE", "/api/pin").catch(() => {}); location.reload(); };

async function start() {
  const { may } = await ask("GET", "/api/me").catch(() => ({ may: false }));
  if (!may || !who()) return door();
  $("door").hidden = true;
  await load().catch(complain);
  $("which").hidden = false;  // not before it is known which tournaments there are
}

async function load() {
  const club = await ask("GET", "/api/club");
  heads = club.tournaments;
  $("event").textContent = club.event;
  const wanted = event?.id ?? Number(location.hash.slice(2)), id = event || heads.some((each) => each.id === wanted) ? wanted : heads[0]?.id;
  if (!fresh && id) {
    const found = await ask("GET", `/api/tournaments/${id}`);
    if (event?.id !== id || found.number >= event.number) event = found;  // a proxy may be a second behind
    if (!heads.some((each) => each.id === id)) heads = [event, ...heads];
  }
  draw();
  await refresh();
}

async function look() {
  const before = JSON.stringify(over);
  over = await ask("GET", "/api/director");
  if (JSON.stringify(over) !== before || $("needs").hidden) needs();
}

async function refresh() {
  try {
    await look();
    offer($("rules"), over.games, $("rules").value || event?.rules);
    trail(event && !fresh ? await ask("GET", path("/trail")) : []);
  } catch (error) { complain(error); }
}

// -- what needs somebody

function needs() {
  const rows = over.calls.map(({ table, why, coming }) => {
    const row = make("li", `${fill(why ? WORDS.callsWhy : WORDS.calls, { table, why })} ${coming ? fill(WORDS.comes, { who: coming }) : ""} `);
    if (!coming) row.append(button(WORDS.come, "", async () => { await ask("POST", "/api/director/calls", { who: who(), table }).catch(complain); refresh(); }));
    return row;
  });
  rows.push(...over.troubles.map((words) => make("li", words)));
  const before = $("troubles").childElementCount;
  $("needs").hidden = !rows.length;
  $("troubles").replaceChildren(...rows);
  if (rows.length > before) $("needs").scrollIntoView({ block: "nearest" });
}

// -- the tournament itself

function draw() {
  offer($("choose"), heads.map(({ id, name }) => [id, isolated(name)]), event && !fresh ? event.id : undefined);
  const here = event !== null && !fresh;
  for (const id of ["people", "making", "playing", "done"]) $(id).hidden = !here;
  $("choose").parentNode.hidden = !heads.length;
  $("new").hidden = !here;
  $("save").textContent = here ? WORDS.save : WORDS.make;
  if (!here) return;
  location.replace(`#t${event.id}`);
  document.title = fill(WORDS.title, { event: event.name });
  if (document.activeElement?.form !== $("settings")) settings();
  people();
  $("draw").hidden = Boolean(event.draw) || event.kind === "imported";
  $("elsewhere").hidden = event.kind !== "imported";
  $("drawn").textContent = event.draw?.seed ? fill(event.draw.method === "lot" ? WORDS.drawnByLot : WORDS.drawnByStrength, { seed: event.draw.seed }) : event.draw ? "" : WORDS.undrawn;
  matches();
}

function settings() {
  $("name").value = event.name;
  $("kind").value = event.kind;
  $("lengths").value = event.lengths.join(", ");
  $("rules").value = event.rules;
  $("clock").value = event.clock;
  $("rated").checked = event.rated;
}
$("settings").onsubmit = async (submitted) => {
  submitted.preventDefault();
  const what = { act: "Set", name: $("name").value, kind: $("kind").value, lengths: $("lengths").value.split(/[\s,]+/).filter(Boolean).map(Number), rules: $("rules").value, clock: $("clock").value, rated: $("rated").checked };
  if (event && !fresh) { await act(what); return; }
  try { const made = await ask("POST", "/api/director/tournaments", { who: who(), act: what }); complain(null); event = made; fresh = false; await load(); } catch (error) { complain(error); }
};
$("new").onclick = () => { fresh = true; draw(); $("settings").reset(); $("name").focus(); };
$("choose").onchange = async () => { fresh = false; $("round").value = ""; take(await ask("GET", `/api/tournaments/${$("choose").value}`)); settings(); };

// -- players

function people() {
  list($("entries"), WORDS.entries, event.entries.map((each) => {
    const name = make("span", each.name, each.out ? "out" : ""), acts = make("span");
    acts.append(button(WORDS.edit, "quiet", () => rename(each)));
    if (!each.out) acts.append(button(WORDS.leaves, "quiet", () => leaves(each)), button(WORDS.penalty, "quiet", () => penalty(each)));
    return [each.number, name, each.club, each.rating ?? "", each.seed ?? "", (each.out && (WORDS.left[each.out] ?? each.out)) || (each.late ? WORDS.late : ""), acts];
  }));
}
// 1,500 and 1.500 are no ratings of one and a half; what is no number goes to the hub as it is, which refuses it.
function number(text) {
  const plain = text.trim().replace(/^(\d)[.,](\d{3})$/, "$1$2").replace(",", ".");
  return plain === "" ? null : Number.isNaN(Number(plain)) ? plain : Number(plain);
}
$("add").onsubmit = async (submitted) => {
  submitted.preventDefault();
  if (await act({ act: "Enter", player: $("player").value, club: $("club").value, rating: number($("rating").value), seed: number($("seed").value) })) { $("add").reset(); $("player").focus(); }
};
function rename(each) {
  question(fill(WORDS.entry, { n: each.number }), { player: [WORDS.entries[1], each.name], club: [WORDS.entries[2], each.club], rating: [WORDS.entries[3], each.rating ?? ""], seed: [WORDS.entries[4], each.seed ?? ""] }, ({ player, club, rating, seed }) => ({ act: "Rename", entry: each.number, player, club, rating: number(rating), seed: number(seed) }));
}
const leaves = (each) => question(fill(WORDS.whoLeaves, { player: each.name }), { why: [WORDS.why, ""] }, () => ({ act: "Leave", entry: each.number }));
function penalty(each) {
  const open = event.pairings.filter(({ first, second, result }) => !result && [first, second].includes(each.number)).map(({ id, names }) => [id, fill(WORDS.match, { id, names: names.map(isolated).join(" – ") })]);
  if (event.kind !== "elimination") open.push(["", WORDS.standings]);
  question(fill(WORDS.penaltyAgainst, { player: each.name }), { points: [WORDS.points, "1"], pairing: [WORDS.where, open], why: [WORDS.why, ""] }, ({ points, pairing }) => ({ act: "Penalise", entry: each.number, points: Number(points), pairing: pairing ?? "" }));
}
// UTF-8, UTF-16 with its mark, or what spreadsheets on Windows write.
function decoded(bytes) {
  const mark = new DataView(bytes).byteLength > 1 && new DataView(bytes).getUint16(0);
  if (mark === 0xfffe || mark === 0xfeff) return new TextDecoder(mark === 0xfffe ? "utf-16le" : "utf-16be").decode(bytes);
  try { return new TextDecoder("utf-8", { fatal: true }).decode(bytes); } catch { return new TextDecoder("windows-1252").decode(bytes); }
}
for (const what of ["players", "pairings"]) {
  $(`${what}-csv`).onchange = async ({ target }) => {
    const bytes = await target.files[0]?.arrayBuffer();
    target.value = "";
    if (bytes === undefined) return;
    const text = decoded(bytes);
    try { take(await ask("POST", path("/csv"), { who: who(), what, text })); complain(null); } catch (error) { complain(error); }
  };
}

// -- draw, rounds, matches

$("draw").onsubmit = (submitted) => { submitted.preventDefault(); act({ act: "MakeDraw", method: $("method").value, seed: $("lot").value }); };
$("round").onchange = () => matches();
$("open").onclick = () => act({ act: "OpenRound", round: Number($("round").value) });
$("close").onclick = () => act({ act: "Close" });
$("seat").onclick = async () => {
  try { const { note, ...next } = await ask("POST", path("/seat"), { who: who(), round: Number($("round").value) }); take(next); complain(note ? { message: note } : null); } catch (error) { complain(error); }
};

function matches() {
  $("playing").hidden = !event.rounds;
  const waits = (round) => event.pairings.filter((each) => each.round === round && !each.result).length;
  offer($("round"), Array.from({ length: event.rounds }, (_, place) => [place + 1, waits(place + 1) ? WORDS.waits(waits(place + 1), { round: roundName(event, place + 1) }) : roundName(event, place + 1)]), $("round").value || Math.max(1, event.opened));
  const round = Number($("round").value);
  $("resting").textContent = resting(event, round);
  $("open").disabled = event.opened >= round || event.closed;
  $("seat").disabled = event.closed;
  $("close").disabled = event.closed || event.pairings.some(({ result }) => !result);
  if ($("matches").contains(document.activeElement) && document.activeElement.matches("input")) return;  // somebody is typing
  const list = $("matches"), scores = (row) => [...row.querySelectorAll(".score input")];
  const typed = list.dataset.event === String(event.id) ? new Map([...list.children].map((row) => [row.dataset.match, scores(row).map(({ value }) => value)])) : new Map();
  list.dataset.event = event.id;
  list.replaceChildren(...event.pairings.filter((each) => each.round === round).map(matchRow));
  // What was typed and refused, or not sent yet, stays when news comes.
  for (const row of list.children) scores(row).forEach((field, place) => { field.value = typed.get(row.dataset.match)?.[place] ?? ""; });
}

function matchRow(each) {
  const row = make("li", "", each.result ? "over" : each.ready ? "ready" : ""), line = make("p");
  row.dataset.match = each.id;
  const name = (place) => make("bdi", nameOf(each, place), each.result && each.result.winner === [each.first, each.second][place] ? "won" : "");
  line.append(`${each.id}  `, name(0), " – ", name(1), each.result?.score ? `  ${each.result.score.join("-")}` : "");
  row.append(line, make("p", [describe(each), each.result?.signed ? fill(WORDS.signed, { table: each.table, key: each.result.signed }) : each.result?.match ? fill(WORDS.told, { table: each.table }) : ""].filter(Boolean).join(" · ") || fill(WORDS.length, { n: each.length }), "faint"));
  if (each.ready) row.append(scores(each), placing(each));
  else if (each.result && each.result.how !== "bye" && event.draw) row.append(button(WORDS.correct, "quiet", () => correct(each)));
  return row;
}

function scores(each) {
  const form = make("form", "", "score"), fields = [0, 1].map((place) => {
    const field = make("input"), label = make("label", "", "", make("span", each.names[place]));
    Object.assign(field, { inputMode: "numeric", autocomplete: "off", pattern: "[0-9]+", required: true });
    label.append(field);
    return [label, field];
  });
  form.append(fields[0][0], fields[1][0], make("button", WORDS.result, "main"), button(WORDS.forfeit, "quiet", () => decide(each)));
  form.onsubmit = async (submitted) => {
    submitted.preventDefault();
    const score = fields.map(([, field]) => Number(field.value));
    document.activeElement?.blur();
    const done = await act({ act: "Report", pairing: each.id, first: each.first, second: each.second, winner: score[0] > score[1] ? each.first : each.second, score });
    if (!done) matches();  // what came while it was typed
  };
  return form;
}

function placing(each) {
  const field = make("input"), label = make("label", `${WORDS.table} `, "choose");
  Object.assign(field, { value: each.table, maxLength: 40, autocomplete: "off" });
  label.append(field);
  field.onchange = () => { field.blur(); act({ act: "Seat", tables: [[each.id, field.value.trim()]] }); };
  return label;
}

const sides = (each) => [[each.first, each.names[0]], [each.second, each.names[1]]];
const decided = (each, name, { winner, how, score }) => {
  const points = score.trim() ? score.split(/\D+/).filter(Boolean).map(Number) : null;
  return { act: name, pairing: each.id, first: each.first, second: each.second, winner: Number(winner), how, score: points };
};
const decide = (each) => question(fill(WORDS.without, { id: each.id }), { winner: [WORDS.wins, sides(each)], how: [WORDS.how, [["forfeit", WORDS.otherForfeits], ["decided", WORDS.decides]]], score: [WORDS.anyScore, ""], why: [WORDS.why, ""] }, (given) => decided(each, "Report", given));
const correct = (each) => question(fill(WORDS.correctMatch, { id: each.id }), { winner: [WORDS.won, sides(each), each.result.winner], how: [WORDS.how, [["played", WORDS.played], ["forfeit", WORDS.forfeited], ["decided", WORDS.decides]], each.result.how], score: [fill(WORDS.score, { names: each.names }), each.result.score?.join("-") ?? ""], why: [WORDS.why, ""] }, (given) => decided(each, each.result.how === "forfeit" && !each.result.match && !told(each) ? "Report" : "CorrectResult", given));
const told = (each) => trailed.some(({ undone, act: done }) => !undone && ["Report", "CorrectResult"].includes(done.act) && done.pairing === each.id);

// -- the trail

let trailed = [];
const when = (at) => (new Date(at).toDateString() === new Date().toDateString() ? new Date(at).toLocaleTimeString(language) : moment(at));
function trail(list) {
  trailed = list;
  $("trail").replaceChildren(...list.map((each) => {
    const row = make("li"), words = make("span", `${each.number}. ${each.words}${each.why ? `: ${isolated(each.why)}` : ""} (${isolated(each.who)}, ${when(each.at * 1000)})`, each.undone ? "undone" : "");
    row.append(words);
    if (!each.undone && each.number > 1) row.append(button(each.act.act === "Undo" ? WORDS.again : WORDS.undo, "quiet", () => question(fill(WORDS.undoWhat, { what: each.words }), { why: [WORDS.why, ""] }, () => ({ act: "Undo", number: each.number }))));
    return row;
  }));
}

// A small form before what needs an answer; ``what`` makes the act of it.
function question(title, wanted, what) {
  $("ask-title").textContent = title;
  $("ask-reason").textContent = "";
  const fields = Object.entries(wanted).map(([name, [label, value, chosen]]) => {
    const field = Array.isArray(value) ? make("select") : make("input"), line = make("label", label);
    if (Array.isArray(value)) { field.append(...value.map(([key, text]) => new Option(text, key))); if (chosen !== undefined) field.value = chosen; } else field.value = value;
    field.name = name;
    line.append(field);
    return line;
  });
  $("ask-fields").replaceChildren(...fields);
  $("ask-form").onsubmit = async (submitted) => {
    submitted.preventDefault();
    const given = Object.fromEntries(new FormData($("ask-form")));
    try { take(await ask("POST", path("/acts"), { who: who(), why: given.why ?? "", act: what(given) })); complain(null); $("ask").close(); } catch (error) { $("ask-reason").textContent = error.message; }
  };
  $("ask").showModal();
}
$("ask-cancel").onclick = () => $("ask").close();

let calls = "";
follow({
  tournaments: (changed) => { if (!$("door").hidden || $("which").hidden) return; if (!event || changed[event.id] !== event.number) load().catch(complain); },
  tables: (tables) => {
    const now = [...tables.values()].map(({ name, call }) => `${name}:${call ?? ""}`).join();
    if (now !== calls && $("door").hidden && !$("which").hidden) refresh();
    calls = now;
  },
});
// What a table does may need somebody, and changes no tournament.
setInterval(() => { if ($("door").hidden && !$("which").hidden) look().catch(() => {}); }, 3000);
start();

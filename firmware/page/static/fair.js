// The dice of this game: what binds the table, and the words of whoever sits at this browser. The words are drawn here when a new commitment is
// seen, and pledged by their digest alone; they are told when nobody can pledge any more (engine/fair_dice.py says why). What was given is kept in
// this browser, to be compared with the match afterwards: barpoint verify MATCH --words FILE.
import { directs, held, isTables, know, wantsSeat } from "/static/act.js";
import { sha256 } from "/static/sha256.js";
import { fill } from "/static/language.js";
import { ask, button, make } from "/static/table.js";
import { WORDS, who } from "/static/words.js";

const $ = (id) => document.getElementById(id);
const SEAT = "barpoint-seat", OWN = "barpoint-own-words", KEPT = "barpoint-words", MOST = 500, AGAIN = 700;
const load = (name, none) => { try { return JSON.parse(localStorage.getItem(name)) ?? none; } catch { return none; } };
const save = (name, value) => { try { localStorage.setItem(name, JSON.stringify(value)); } catch { /* a browser that keeps nothing */ } };

let kept = load(KEPT, []), seat = load(SEAT, null), state = null, may = false, busy = false, refused = "", taken = "", wanted = false, claimed = null;

const mySide = () => (seat && state?.sides?.find((side) => state.players[side] === seat.name)) ?? null;
const mine = (proof, side) => kept.find((each) => each.commitment === proof.commitment && each.side === side);
const digest = (given) => sha256(`${given.commitment} ${given.side} ${given.words}`);

const same = (one, other) => Object.keys({ ...one, ...other }).every((side) => one[side] === other[side]);

function draw(proof, side) {
  const random = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const own = $("fair-own").value.trim();
  const given = { match: proof.match, game: proof.game, side, commitment: proof.commitment, words: own ? `${random} ${own}` : random };
  kept = [...kept, given].slice(-MOST);
  save(KEPT, kept);
  return given;
}

// What this browser owes the table now: a pledge, its words, or nothing.
function owed(proof, side) {
  if (!may || !proof || !side || proof.over) return null;
  if (!proof.pledges[side]) return proof.closed ? null : { event: "pledge", side, digest: digest(mine(proof, side) ?? draw(proof, side)) };
  const given = mine(proof, side);
  if (!given || proof.pledges[side] !== digest(given) || !proof.closed || proof.told[side]) return null;
  // What the others were bound to then: a table that says so too early could still choose it afterwards.
  if (!given.pledges) { Object.assign(given, { pledges: proof.pledges, spoken: proof.spoken }); save(KEPT, kept); }
  return { event: "seed", side, words: given.words };
}

async function give() {
  const event = owed(state?.proof, mySide());
  if (!event || busy) return;
  busy = true;
  try { await ask("POST", "/api/act", event); refused = ""; } catch (error) {
    refused = error.message;
    await new Promise((then) => setTimeout(then, AGAIN));
  }
  busy = false;
  tell();
  give();
}

// The table knows the seat, too: no other browser acts for this player then.
async function claim(name) {
  claimed = name;
  try { await ask(name ? "POST" : "DELETE", "/api/seat", name ? { player: name } : undefined); taken = ""; } catch (error) { taken = error.message; }
  await know();
}

async function sit(name) {
  const within = $("fair-ask").contains(document.activeElement);
  seat = name === null ? { name: "" } : { name };
  wanted = false;
  save(SEAT, seat);
  tell();
  if (within) $("acting").focus({ preventScroll: true });
  await claim(seat.name);
}

function seats(side) {
  const nobody = seat?.name === "";
  const open = wanted || (!side && !nobody && !directs() && Boolean(state.proof));
  $("fair-ask").hidden = !may || !open;
  const free = state.sides.filter((each) => !isTables(state, each)), key = JSON.stringify(free.map((each) => [state.players[each], who(state, each)]));
  if ($("fair-seats").dataset.key !== key) {  // else the focus would be lost, and a touch that has just begun
    $("fair-seats").dataset.key = key;
    $("fair-seats").replaceChildren(...free.map((each) => button(who(state, each), "", () => sit(state.players[each]))), button(WORDS.noSeat, "", () => sit(null)));
  }
  $("fair-seat").hidden = !may || open;
  $("fair-seat-text").textContent = side ? fill(WORDS.seatOf, { player: who(state, side) }) : WORDS.seatOfNobody;
}

// What went wrong with this browser's own words, where something did.
function fault(proof, side) {
  if (!proof || !side) return "";
  const given = mine(proof, side), pledge = proof.pledges[side];
  if (pledge && (!given || pledge !== digest(given))) return WORDS.othersWords;
  if (given && proof.told[side] && proof.told[side] !== given.words) return WORDS.othersWords;
  if (given?.pledges && !(same(given.pledges, proof.pledges) && same(given.spoken, proof.spoken))) return WORDS.chosenLate;
  if (given && proof.over && !proof.told[side]) return WORDS.wordsLeftOut;
  return may && !pledge && refused ? refused : "";
}

function tell() {
  const proof = state?.proof, side = state?.sides ? mySide() : null;
  $("fair").hidden = !state?.sides || (!proof && !taken && !(state.revealed && may && kept.length));
  if (!state?.sides) { $("fair-ask").hidden = true; return; }
  const wrong = taken || fault(proof, side);
  $("fair").classList.toggle("unproved", Boolean(wrong) || Boolean(proof?.over && !proof.proved));
  $("fair").classList.toggle("proved", !wrong && Boolean(proof?.over && proof.proved));
  document.querySelector("#fair details").hidden = !proof && !state.revealed;
  $("fair-commitment").hidden = !proof;
  $("fair-text").textContent = proof ? proof.words : WORDS.notBound;
  $("fair-short").textContent = proof ? `${WORDS.commitment} ${proof.commitment.slice(0, 16)}` : "";
  $("fair-whole").textContent = proof?.commitment ?? "";
  $("fair-fault").textContent = wrong;
  $("fair-fault").hidden = !wrong;
  seats(side);
  $("fair-save").hidden = !kept.length;
  $("fair-given").textContent = proof && side && mine(proof, side) ? `${WORDS.wordsGiven} ${mine(proof, side).words}` : "";
}

export function show(now, admitted) {
  [state, may] = [now, admitted];
  if (may && mySide() && !held() && claimed !== seat.name) claim(seat.name);  // the table was started anew
  if (!may) claimed = null;
  tell();
  give();
}

// After each break of the line the seat is claimed again, where the table has forgotten it; unless another page of this browser has left it.
export function reconnected() {
  seat = load(SEAT, seat);
  claimed = null;
}

wantsSeat(() => seat?.name);
$("fair-own").value = load(OWN, "");
$("fair-own").onchange = () => save(OWN, $("fair-own").value.trim());
addEventListener("barpoint-seat", ({ detail }) => { if (detail) { wanted = true; tell(); } else sit(null); });
$("fair-change").onclick = () => { seat = null; save(SEAT, null); tell(); $("fair-seats").firstChild.focus(); };
$("fair-save").onclick = () => {
  const file = new Blob([JSON.stringify({ format: "barpoint-words", version: 1, given: kept }, null, 1)], { type: "application/json" });
  const link = make("a");
  Object.assign(link, { href: URL.createObjectURL(file), download: "barpoint-words.json" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};

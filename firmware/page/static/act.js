// Acting: the PIN, the buttons that the table allows now, the question after an unsure judgement, and corrections by hand.
import * as correct from "/static/correct.js";
import * as director from "/static/director.js";
import * as doubt from "/static/doubt.js";
import { fill, isolated } from "/static/language.js";
import * as layers from "/static/layers.js";
import { ask, button, make } from "/static/table.js";
import { ACTIONS, GRADES, IN_STATE, WORDS, who } from "/static/words.js";

const $ = (id) => document.getElementById(id);

// The page's function that opens the board for corrections; what to do when this browser may act, or must stop; and the seat that it wants.
let openCorrection = null, admitted = () => {}, seated = () => {}, wanted = () => null;
export function correctBy(opens) { openCorrection = opens; }
export function wantsSeat(asks) { wanted = asks; }
export function whenAdmitted(does, sits) { [admitted, seated] = [does, sits]; }

const READ = 5000;  // milliseconds for which a refusal stays at least
let me = { may: false, table: false }, state = null, asked = 0, complained = 0;
export const mayAct = () => me.may;
// The seat that the table gives this browser. One of a match before counts only where its player plays again.
const plays = (name) => Boolean(name) && Object.values(state?.players ?? {}).includes(name);
export const held = () => (plays(me.seat) ? me.seat : null);
// Whom it acts for alone: a table that was started anew has forgotten its seats, and hears of them in a moment.
export const seat = () => held() ?? (me.may && plays(wanted()) ? wanted() : null);
export const directs = () => me.role === "director";

// Whether the table plays this side itself; people move its pieces, and press done for it.
export const isTables = (now, side) => /^engine( |$)/.test(now.players[side] ?? "");
const HANDS = ["done", "undo", "choose"];

// The sides that this browser acts for: its player's alone, where it has a seat, and the table's own.
export function sides(now) {
  const own = now.sides.filter((side) => now.players[side] === seat());
  return own.length ? now.sides.filter((side) => own.includes(side) || isTables(now, side)) : now.sides;
}

export function complain(error) {
  $("refusal").textContent = error?.message ?? "";
  $("refusal").hidden = !error;
  complained = performance.now();
  if (error?.status === 401) know();
}

export async function act(event) {
  // With the number of the state that was shown: should the table have changed meanwhile, it is refused.
  try { complain(null); await ask("POST", "/api/act", { ...event, seen: state?.number }); return true; } catch (error) { complain(error); return false; }
}

// Stops the clock while something is agreed on by hand; what it returns lets it go on, if the game is still paused then.
export function hold({ clock }, now) {
  const press = () => ask("POST", "/api/act", { event: "press", button: "pause" }).catch(complain);
  if (clock.running === null || clock.paused || clock.kind === "none") return () => {};
  press();
  return () => { if (now().state === "paused") press(); };
}

export async function know() {
  const before = me.may, mine = ++asked;
  const found = await ask("GET", "/api/me").catch(() => ({ may: false, table: false }));
  if (mine !== asked) return;  // asked again meanwhile: that answer is the newer one
  me = found;
  if (me.may !== before) admitted();
  seated();
  show(state);
}

// What both sides may do alike is one button; a SIDED action always belongs to one side.
let allowed = [];
// What a key does: the very thing that the button would do, where there is that button.
export function trigger(action) {
  const found = allowed.find((each) => each.action === action);
  if (found && !$("tools").hidden) press(found);
}

const SIDED = new Set(["resign", "condone", "double", "take", "drop"]);
const FIRST = ["roll", "done", "take", "drop", "double", "swap", "condone", "next"];
// In a pause there is one thing to do; a foul is for its player to fix, before the other one may let it stand.
const FIRST_IN = { paused: ["pause"], foul: ["done", "condone", "roll"] };

// What both players must look at when it comes.
const URGENT = new Set(["foul", "asked", "offered", "resigned", "proposed", "over", "ended"]);
let stage = "";
export function show(now) {
  if (now?.number !== state?.number && performance.now() - complained > READ) complain(null);  // the table has gone on
  state = now;
  director.follow(now);
  if (now?.state !== stage && URGENT.has(now?.state)) $("more").open = false;  // it would hide what happened
  stage = now?.state;
  $("acting").hidden = document.querySelector(".set-up").hidden = !me.table;
  $("door").textContent = me.may ? WORDS.leave : WORDS.enter;
  $("role").textContent = !me.may ? "" : directs() ? WORDS.directs : held() ? fill(WORDS.actsFor, { player: who(state, state.sides.find((side) => state.players[side] === held())) }) : "";
  $("tools").hidden = !me.may || !state?.actions;
  if ($("tools").hidden) { allowed = []; $("buttons").replaceChildren(); doubt.show($("candidates"), { candidates: [] }, act); return; }
  const open = [], within = $("tools").contains(document.activeElement);
  for (const side of sides(state)) {
    for (const action of state.actions[side]) {
      if (!action.allowed || (seat() && isTables(state, side) && !HANDS.includes(action.action))) continue;
      const alike = !SIDED.has(action.action) && !(action.action === "done" && state.state === "opening");  // whose done it is says who began
      const twin = alike && open.find((other) => other.action === action.action);
      if (twin) twin.both = true; else open.push({ ...action, side });
    }
  }
  if (open.some(({ action }) => action === "next")) open.splice(0, open.length, ...open.filter(({ action }) => action !== "done"));
  allowed = open;
  const first = FIRST_IN[state.state] ?? FIRST;
  const order = ({ action }) => first.indexOf(action);
  const main = open.filter((each) => order(each) >= 0).sort((a, b) => order(a) - order(b));
  const rest = open.filter((each) => order(each) < 0 && !["choose", "resign"].includes(each.action));
  const own = rest.filter(({ action }) => action === "roll by hand" && ["opening", "roll"].includes(state.state) && !open.some((each) => each.action === "roll"));  // where the dice are the players', they are asked for in the open
  keep($("buttons"), [...main.map((each, place) => [label(each), place ? "" : "main", once(() => press(each))]), ...own.flatMap(others)]);
  if (!main.length && !own.length) $("buttons").replaceChildren(state.state === "ended" ? another() : make("p", state.due ? fill(WORDS.theirTurn, { player: who(state, state.due) }) : WORDS.notNow));
  const resigns = open.filter(({ action }) => action === "resign");
  keep($("rest"), [...rest.filter((each) => !own.includes(each)).flatMap(others), ...(resigns.length ? [[ACTIONS.resign, "", () => resign(resigns)]] : []), ...byHand(), ...seats()]);
  const mine = sides(state), side = state.turn ?? state.candidates[0]?.side ?? (mine.length === 1 ? mine[0] : null);
  const says = mine.includes(side) && open.some(({ action }) => action === "choose");  // the other player's phone does not ask
  $("say").hidden = !says;
  $("say").onsubmit = async (event) => { event.preventDefault(); if (await act({ event: "choose", play: $("play").value.trim(), side })) { $("play").value = ""; stay(); } };
  doubt.show($("candidates"), state, act, says ? side : undefined);
  if (within && !$("tools").contains(document.activeElement)) stay();
}

// Where the focus goes from what is no longer there, so that the next Tab finds what takes its place.
const stay = () => $("acting").focus({ preventScroll: true });

const seats = () => [[held() ? WORDS.standUp : WORDS.sitDown, "", () => dispatchEvent(new CustomEvent("barpoint-seat", { detail: !held() }))]];
const byHand = () => [
  ...(correct.possible(state) ? [[WORDS.correct, "", () => openCorrection(state)]] : []),
  ...(director.possible(state) ? [[WORDS.director, "", () => director.open(state)]] : []),
];

// After a match the next one is agreed on.
function another() {
  const link = make("a", WORDS.another, "file main");
  link.href = "/setup";
  return link;
}

// Buttons are made anew only when they change, so that none moves under a thumb or loses the focus.
function keep(box, wanted) {
  const old = [...box.children];
  if (old.length === wanted.length && wanted.every(([label], n) => old[n].textContent === label && old[n].tagName === "BUTTON")) return wanted.forEach(([, kind, does], n) => { old[n].className = kind; old[n].onclick = does; });
  box.replaceChildren(...wanted.map((each) => button(...each)));
}

// The second tap of a double one would hit what the first has brought there: the other player's roll, on one phone.
const TWICE = 400;  // milliseconds; a phone may count each tap as a first one
let tapped = -TWICE;
const once = (does) => (click) => {
  const again = click.detail > 1 || (click.pointerType === "touch" && click.timeStamp - tapped < TWICE);
  tapped = click.timeStamp;
  if (!again) does();
};

function label({ action, side, both, arguments: given }) {
  const asked = state.proposal && action === "drop" && !state.proposal.waits.includes(side);
  const word = asked ? WORDS.cancel : IN_STATE[state.state]?.[action] ?? ACTIONS[given.dice ? `${action} dice` : action] ?? ACTIONS[action] ?? action;
  const name = both || action === "pause" || sides(state).length === 1 ? "" : `${isolated(who(state, side))}: `;
  return `${name}${word}${given.stake ? ` → ${given.stake}` : ""}`;
}

function press({ action, side }) {
  return act(action === "next" ? { event: "next" } : action === "condone" ? { event: "condone", side } : { event: "press", button: action, side });
}

function others(each) {
  if (each.action === "roll by hand") return [[WORDS.own, "", () => ownDice(each)]];
  return [[label(each), "", () => press(each)]];
}

// Who resigns, and how much (where a game can be lost in more than one way): a column for each player, so that no thumb takes the wrong one.
function resign(resigns) {
  $("resign-grades").replaceChildren(...resigns.map((each) => {
    const column = document.createElement("div");
    column.append(...each.arguments.grades.map((grade) => button(`${isolated(who(state, each.side))}: ${each.arguments.grades.length > 1 ? GRADES[grade] ?? grade : ACTIONS.resign}`, "", () => {
      $("resign").close();
      act({ event: "press", button: "resign", side: each.side, grade });
    })));
    return column;
  }));
  layers.open($("resign"));
}

function ownDice({ side, arguments: { dice } }) {
  const faces = Array(dice).fill(0), whose = state.turn && side;  // at the opening one die each
  $("dice-title").textContent = whose ? `${isolated(who(state, whose))}: ${WORDS.own}` : WORDS.own;
  $("faces").replaceChildren(...faces.map((_, place) => {
    const row = make("fieldset");
    row.append(make("legend", whose ? `${WORDS.die} ${place + 1}` : who(state, state.sides[place])), ...[1, 2, 3, 4, 5, 6].map((face) => {
      const one = button(String(face), "face", () => {
        faces[place] = face;
        for (const other of row.querySelectorAll("button")) other.setAttribute("aria-pressed", other === one);
        $("dice-send").disabled = faces.includes(0);
      });
      one.setAttribute("aria-pressed", "false");
      return one;
    }));
    return row;
  }));
  $("dice-send").disabled = true;
  $("dice-send").onclick = async () => { $("dice").close(); await act({ event: "roll", dice: faces, side: whose }); };
  layers.open($("dice"));
}

$("rest").addEventListener("click", () => { stay(); $("more").open = false; }, true);  // first, so that a dialog gives the focus back
$("door").onclick = async () => {
  if (!me.may) { $("pin").value = ""; $("pin-reason").textContent = ""; layers.open($("pin-ask")); return; }
  await ask("DELETE", "/api/pin").catch(complain);
  know();
};
$("pin-form").onsubmit = async (event) => {
  event.preventDefault();
  try { await ask("POST", "/api/pin", { pin: $("pin").value }); $("pin-ask").close(); know(); } catch (error) { $("pin-reason").textContent = error.message; $("pin").select(); }
};
for (const close of document.querySelectorAll("dialog .close")) close.onclick = () => close.closest("dialog").close();

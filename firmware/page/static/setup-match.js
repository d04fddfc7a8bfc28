// What two players agree on, and the start of the match.
import { $, cellName, complain, make, picture, say, step, trying } from "/static/setup-ask.js";
import { day, fill, isolated } from "/static/language.js";
import { WORDS } from "/static/setup-words.js";

let game = null, filled = null, map = () => null, needsMap = () => {}, dice = true, pretend = false;

function field(label, kind, id, value, extra = {}) {
  const box = make("label", kind === "checkbox" ? "" : label, kind === "checkbox" ? "check" : kind === "text" ? "tall" : ""), made = make("input");
  Object.assign(made, { type: kind, id, autocomplete: "off", ...extra });
  if (kind === "checkbox") { made.checked = value; box.append(made, ` ${label}`); } else { made.value = value ?? ""; box.append(made); }
  box.htmlFor = id;
  return box;
}
const radio = (name, value) => { const found = document.querySelector(`#form input[name="${name}"][value="${value}"]`); if (found) found.checked = true; };
const chosen = (name) => document.querySelector(`#form input[name="${name}"]:checked`)?.value;

// Filled with what was agreed on last; what the players typed since stays, for another game too.
export function open(now, usual, left, simulated, theMap, toMap, diced) {
  const other = game?.name !== now.name;
  [game, map, needsMap] = [now, theMap, toMap];
  if (!filled) fillForm(usual);
  if (other) {
    const names = $("names").querySelectorAll("input"), words = $("words").querySelectorAll("input");
    const typed = names.length ? [...names].map((each) => each.value) : now.sides.map((side) => filled.players?.[side] ?? Object.values(filled.players ?? {})[now.sides.indexOf(side)] ?? "");
    const seeds = [...words].map((each) => each.value);
    $("names").replaceChildren(...now.sides.map((side, place) => field(WORDS.nameOf[side], "text", `name-${place}`, typed[place], { maxLength: 40, placeholder: WORDS.sides[side] })));
    const own = make("datalist");
    own.id = "own-players";
    own.append(...(now.own ?? []).map((value) => Object.assign(make("option"), { value })));
    $("names").append(own);
    for (const name of $("names").querySelectorAll("input")) name.setAttribute("list", own.id);
    $("words").replaceChildren(...now.sides.map((side, place) => field(WORDS.wordsOf[side], "text", `words-${place}`, seeds[place], { maxLength: 200 })));
    options();
  }
  $("left").hidden = !left.length;
  $("left-list").replaceChildren(...left.map((match) => {
    const row = make("li"), button = make("button", fill(WORDS.goOn, { match: `${match.players.join(" – ")}, ${match.title}, ${day(match.date)}` }));
    button.type = "button";
    button.onclick = trying("form-reason", async () => { await step("go-on", { log: match.id, leave: $("leave").checked }); location.href = "/"; });
    row.append(button);
    return row;
  }));
  [dice, pretend] = [diced, simulated];
  $("arrange-start").hidden = !simulated || now.map;
  $("dice-set").hidden = !dice;
  $("options-set").hidden = !now.options.length;
  terms();
  begins();
}

function fillForm(usual) {
  filled = usual;
  const terms = usual.terms ?? {}, clock = usual.clock ?? {};
  $("length").value = terms.length || 5;
  radio("kind", terms.length === 0 ? "money" : "match");
  const checks = { cube: terms.cube ?? true, crawford: terms.crawford ?? true, holland: terms.holland ?? false, jacoby: terms.jacoby ?? false, beavers: (terms.beavers ?? 0) > 0, raccoons: (terms.beavers ?? 0) > 1 };
  $("cube").replaceChildren(...Object.entries(checks).map(([name, value]) => field(WORDS.cube[name], "checkbox", `cube-${name}`, value)), field(WORDS.cube.automatic, "number", "cube-automatic", terms.automatic ?? 0, { min: 0, max: 10 }));
  $("clock").replaceChildren(...Object.entries(WORDS.clocks).map(([kind, label]) => new Option(label, kind)));
  $("penalty").replaceChildren(...Object.entries(WORDS.penalties).map(([kind, label]) => new Option(label, kind)));
  $("clock").value = clock.kind ?? "none";
  $("delay").value = clock.delay ?? 12;
  $("reserve").value = clock.reserve === null || clock.reserve === undefined ? "" : clock.reserve / 60;
  $("penalty").value = clock.penalty ?? "match";
  radio("dice", usual.dice ?? "rolled");
  radio("moves", usual.moves ?? "legal");
  $("event").value = usual.competition ?? "";
  $("place").value = usual.place ?? "";
}

function options() {
  $("options").replaceChildren(...game.options.map(({ name, usual, choices }) => {
    const label = WORDS.options[name] ?? name, before = filled.rules === game.name ? filled.options?.[name] ?? usual : usual;
    if (choices.every((each) => typeof each === "boolean")) return field(label, "checkbox", `option-${name}`, before);
    const box = make("label", label), select = make("select");
    select.append(...choices.map((each) => new Option(WORDS.choice[each] ?? WORDS.sides[each] ?? each, JSON.stringify(each))));
    select.value = JSON.stringify(before);
    box.htmlFor = select.id = `option-${name}`;
    box.append(select);
    return box;
  }));
}

function opted() {
  if (game.map) return map();
  return Object.fromEntries(game.options.map(({ name }) => { const each = $(`option-${name}`); return [name, each.type === "checkbox" ? each.checked : JSON.parse(each.value)]; }));
}

// Only what makes sense together is offered.
function terms() {
  const money = chosen("kind") === "money", cube = $("cube-cube").checked, kind = $("clock").value;
  $("length").disabled = money;
  $("cube-set").hidden = !game.cube;
  const shown = { crawford: !money && cube, holland: !money && cube, jacoby: money && cube, beavers: money && cube, raccoons: money && cube && $("cube-beavers").checked, automatic: money && cube };
  for (const [name, is] of Object.entries(shown)) $(`cube-${name}`).parentNode.hidden = !is;
  for (const label of document.querySelectorAll("#form .timed")) label.hidden = kind === "none";
  $("delay-label").textContent = WORDS.delays[kind] ?? "";
  const reckoned = 2 * Number($("length").value || 0);
  $("clock-text").textContent = kind === "none" ? "" : money ? ($("reserve").value ? "" : WORDS.reserveNeeded) : $("reserve").value ? "" : WORDS.reckoned(reckoned);
  $("seeds").hidden = chosen("dice") !== "rolled";
}

function number(id, name, least, most, whole = false) {
  const value = Number($(id).value.replace(",", "."));
  if ($(id).value.trim() === "" || !(value >= least && value <= most) || (whole && !Number.isInteger(value))) {
    $(id).focus();
    throw Object.assign(new Error(fill(WORDS.number, { name, least, most })), { status: 422 });
  }
  return value;
}

function begin() {
  const money = chosen("kind") === "money", on = (name) => game.cube && $("cube-cube").checked && $(`cube-${name}`).checked;
  const pairs = (kind) => Object.fromEntries(game.sides.map((side, place) => [side, $(`${kind}-${place}`).value.trim()]));
  const agreed = {
    rules: game.name, options: opted() ?? {}, players: pairs("name"), moves: chosen("moves"), dice: dice ? chosen("dice") : "rolled",
    competition: $("event").value.trim(), place: $("place").value.trim(),
    terms: money ? { length: 0, cube: game.cube && $("cube-cube").checked, jacoby: on("jacoby"), beavers: on("beavers") ? (on("raccoons") ? 2 : 1) : 0, automatic: game.cube && $("cube-cube").checked ? number("cube-automatic", WORDS.cube.automatic, 0, 10, true) : 0 }
      : { length: number("length", WORDS.length, 1, 99, true), cube: game.cube && $("cube-cube").checked, crawford: on("crawford"), holland: on("holland") },
  };
  if ($("clock").value !== "none") {
    const reserve = $("reserve").value.trim() === "" && !money ? null : 60 * number("reserve", WORDS.eachHas, 0, 600);
    agreed.clock = { kind: $("clock").value, delay: number("delay", WORDS.delays[$("clock").value], 0, 600), reserve, penalty: $("penalty").value };
  }
  return { begin: agreed, words: dice && chosen("dice") === "rolled" ? pairs("words") : {}, leave: $("leave").checked };
}

function begins() {
  const bare = game.start && !Object.values(game.start).some((layers) => layers.length);
  $("ready").hidden = game.map && !map();
  if (game.start) picture($("start"), game, game.start);
  $("start").parentNode.hidden = !game.start;
  $("start-head").textContent = bare ? WORDS.emptyStart : WORDS.start;
}

export function follow(state) {
  const { match } = state, between = match?.begun;
  $("leave-box").hidden = !between;
  if (between) say("leave-text", fill(WORDS.leave, { match: `${match.players.join(" – ")}, ${isolated(match.score.join("-"))}` }));
}

// Whether the board is set up for the game's start: asked again and again while the step is open.
export async function check() {
  if (!game || (game.map && !map())) return;
  const found = await step("look", { game: game.name, options: opted() ?? {} }).catch(() => null);
  if (!found) return;
  const box = $("board-said");
  box.className = found.seen && !found.differs.length ? "good" : "poor";
  say("board-said", !found.seen ? (pretend ? "" : WORDS.unseen) : found.differs.length ? fill(WORDS.differs, { places: found.differs.slice(0, 8).map(cellName).join(", ") + (found.differs.length > 8 ? " …" : "") }) : WORDS.stands);
}

$("form").addEventListener("input", () => game && terms());
$("form").onsubmit = trying("form-reason", async () => {
  if (game.map && !map()) { needsMap(); return; }
  $("begin").disabled = true;
  try { await step("begin", begin()); location.href = "/"; } finally { $("begin").disabled = false; }
});
$("arrange-start").onclick = trying("form-reason", async () => { await step("arrange", { game: game.name, what: "start" }); check(); });

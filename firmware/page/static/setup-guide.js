// Guided: asks for one button after another, lights the strip piece by piece, looks for a hand below the camera.
import { fill, inLanguage, plural } from "/static/language.js";
import { $, make, say, step, trying } from "/static/setup-ask.js";
import { WORDS } from "/static/setup-words.js";

const SAYS = inLanguage({
  title: "Guided", lead: "Goes through everything with you, and finds exchanged wires, bouncing buttons and lamps in a wrong place.",
  parts: { buttons: "Buttons", lamps: "Lamps", camera: "Camera" }, end: "End", skip: "Skip", yes: "Yes", no: "No", nowhere: "No light", elsewhere: "elsewhere …", found: "{what}: {text}",
  press: "Press {name}. It is wired to pin {pin} (GPIO {gpio}) and to ground.", hold: "Hold {name}. It is wired to pin {pin} (GPIO {gpio}) and to ground.",
  letGo: "Heard. Let it go.", other: "That was {name}. If you did press the right one, touch Skip.", done: "That was all.", allWell: "All is well.", picture: "The header of the Pi, as this table is wired",
  how: { well: "works", skipped: "not heard: is it wired to this pin and to ground?", bounces: "one press counts more than once: use another button, or solder its wires again", stuck: "stays down: jammed, or its wire touches ground", other: "{name} answered in its place" },
  exchange: "Exchange the wires of {one} and {other}.",
  asks: { red: "Is the whole strip red, nothing of it dark?", green: "Is the whole strip green, nothing of it dark?", last: "Does one lamp shine, the very last of the strip?", any: "Does any lamp shine?" },
  run: "Does the light go from {first} to {last}, in order?", one: "Does the light shine at {place}?", where: "This is {place}. Where is the light?", there: "at {place}",
  faults: {
    colours: "The colours are wrong, or lamps are dark. Does the configuration name this kind of strip?",
    count: plural("Only {n} lamp shines: the strip is shorter than the configuration says, or broken there.", "Only {n} lamps shine: the strip is shorter than the configuration says, or broken there."),
    none: "No lamp shines: check 5 V, ground, data and clock.", dark: "{place}: no light", elsewhere: "{place}: its light is at {seen}",
  },
  correct: "Use the corrected places", wave: "Hold a hand over the board, here and there.", seen: "seen in the picture: {down}, {across}", whole: "The whole picture changed: a lamp, or the camera moves.",
  across: { left: "left", middle: "middle", right: "right" }, down: { top: "top", middle: "middle", bottom: "bottom" },
});
let shown = "", save = null, now = null;

const found = (what, text) => fill(SAYS.found, { what, text });
const buttonName = ({ side, button }) => found(side ? WORDS.sides[side] ?? side : WORDS.shared, WORDS.buttons[button] ?? button);
const answer = (said) => trying("guide-reason", () => step("answer", { said }));
function choice(text, does, kind = "") {
  const button = make("button", text, kind);
  button.type = "button";
  button.onclick = does;
  return button;
}
const start = (part) => trying("guide-reason", () => step("guide", { part }));

// ``placeName`` names a lamp's place, ``savePlaces`` puts corrected ones into the form.
export function open(placeName, savePlaces) {
  now = placeName;
  save = savePlaces;
}

export function follow(state) {
  const { guide } = state;
  // Only what is new is drawn: a button that is about to be touched stays where it is.
  const next = JSON.stringify([guide, state.buttons.length > 0, Boolean(state.lamps), state.camera]);
  if (next === shown) return;
  shown = next;
  const has = { buttons: state.buttons.length, lamps: state.lamps, camera: state.camera };
  say("guide-title", SAYS.title);
  say("guide-lead", SAYS.lead);
  $("guide-parts").replaceChildren(...Object.keys(SAYS.parts).filter((part) => has[part]).map((part) => {
    const button = choice(SAYS.parts[part], start(guide?.part === part ? null : part));
    button.setAttribute("aria-pressed", guide?.part === part);
    return button;
  }), ...(guide ? [choice(SAYS.end, start(null))] : []));
  $("guide-stage").hidden = !guide;
  if (!guide) return;
  const { text, told, choices, gpio } = { buttons, lamps, camera }[guide.part](guide);
  say("guide-asks", text);
  $("guide-choices").replaceChildren(...choices);
  $("guide-found").replaceChildren(...told.map(([words, kind]) => make("li", words, kind)));
  $("wiring").hidden = guide.part !== "buttons";
  $("wiring").alt = SAYS.picture;
  const source = gpio === undefined ? "/api/setup/wiring.svg" : `/api/setup/wiring.svg?gpio=${gpio}`;
  if (guide.part === "buttons" && $("wiring").getAttribute("src") !== source) $("wiring").src = source;
}

function buttons({ asked, other, pressed, outcomes, exchanged }) {
  const told = outcomes.map((each) => [found(buttonName(each.wire), each.how === "other" ? fill(SAYS.how.other, { name: buttonName(each.other) }) : SAYS.how[each.how]), each.how === "well" ? "heard" : "stuck"]);
  told.push(...exchanged.map(([one, other]) => [fill(SAYS.exchange, { one: buttonName(one), other: buttonName(other) }), "stuck"]));
  if (!asked) return { text: SAYS.done, told, choices: [] };
  const wanted = fill(asked.held ? SAYS.hold : SAYS.press, { name: buttonName(asked), pin: asked.pin, gpio: asked.gpio });
  return { text: pressed ? SAYS.letGo : other ? `${wanted} ${fill(SAYS.other, { name: buttonName(other) })}` : wanted, told, choices: [choice(SAYS.skip, answer(null))], gpio: asked.gpio };
}

function fault({ kind, number, place, seen }) {
  if (kind === "count") return number ? SAYS.faults.count(number) : SAYS.faults.none;
  return fill(SAYS.faults[kind], { place: place && now(place), seen: seen && now(seen) });
}

function lamps({ asked, faults, corrected }) {
  const told = faults.map((each) => [fault(each), "stuck"]);
  if (asked) {
    const [first] = asked.places, last = asked.places.at(-1);
    if (asked.kind === "where") return { text: fill(SAYS.where, { place: now(first) }), told, choices: [choice(fill(SAYS.there, { place: now(first) }), answer("yes"), "main"), elsewhere(first), choice(SAYS.nowhere, answer("0")), choice(SAYS.skip, answer(null))] };
    return { text: SAYS.asks[asked.kind] ?? fill(first === last ? SAYS.one : SAYS.run, { place: now(first), first: now(first), last: now(last) }), told, choices: [choice(SAYS.yes, answer("yes"), "main"), choice(SAYS.no, answer("no")), choice(SAYS.skip, answer(null))] };
  }
  if (!faults.length) told.push([SAYS.allWell, "heard"]);
  return { text: SAYS.done, told, choices: Object.keys(corrected).length ? [choice(SAYS.correct, () => save(corrected), "main")] : [] };
}

// Where the light is instead: the places of the strip.
function elsewhere(place) {
  const list = document.createElement("select");
  list.setAttribute("aria-label", fill(SAYS.where, { place: now(place) }));
  list.append(new Option(SAYS.elsewhere, ""), ...[...$("places").querySelectorAll("input")].map(({ dataset }) => dataset.place).filter((each) => each !== place).map((each) => new Option(fill(SAYS.there, { place: now(each) }), each)));
  list.onchange = () => list.value && answer(list.value)();
  return list;
}

function camera({ seen, whole }) {
  const told = seen.map(([across, down]) => [fill(SAYS.seen, { down: SAYS.down[down], across: SAYS.across[across] }), "heard"]);
  if (whole) told.push([SAYS.whole, "stuck"]);
  return { text: SAYS.wave, told, choices: [] };
}

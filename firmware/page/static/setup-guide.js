// Guided: asks for one button after another, lights the strip piece by piece, looks for a hand below the camera.
import { $, make, say, step, trying } from "/static/setup-ask.js";
import { WORDS } from "/static/setup-words.js";

const SAYS = {
  title: "Guided", lead: "Goes through everything with you, and finds exchanged wires, bouncing buttons and lamps in a wrong place.",
  parts: { buttons: "Buttons", lamps: "Lamps", camera: "Camera" }, end: "End", skip: "Skip", yes: "Yes", no: "No", nowhere: "No light", elsewhere: "elsewhere …",
  press: (name) => `Press ${name}`, hold: (name) => `Hold ${name}`, letGo: "Heard. Let it go.", other: (name) => `That was ${name}. If you did press the right one, touch Skip.`,
  pin: (pin, gpio) => `It is wired to pin ${pin} (GPIO ${gpio}) and to ground.`, done: "That was all.", allWell: "All is well.", picture: "The header of the Pi, as this table is wired",
  how: { well: "works", skipped: "not heard: is it wired to this pin and to ground?", bounces: "one press counts more than once: use another button, or solder its wires again", stuck: "stays down: jammed, or its wire touches ground", other: (name) => `${name} answered in its place` },
  exchange: (one, other) => `Exchange the wires of ${one} and ${other}.`,
  asks: { red: "Is the whole strip red, nothing of it dark?", green: "Is the whole strip green, nothing of it dark?", last: "Does one lamp shine, the very last of the strip?", any: "Does any lamp shine?" },
  run: (first, last, count) => (count === 1 ? `Does the light shine at ${first}?` : `Does the light go from ${first} to ${last}, in order?`),
  where: (place) => `This is ${place}. Where is the light?`, there: (place) => `at ${place}`,
  faults: { colours: "The colours are wrong, or lamps are dark. Does the configuration name this kind of strip?", count: (n) => (n ? `Only ${n} lamps shine: the strip is shorter than the configuration says, or broken there.` : "No lamp shines: check 5 V, ground, data and clock."), dark: (place) => `${place}: no light`, elsewhere: (place, seen) => `${place}: its light is at ${seen}` },
  correct: "Use the corrected places", wave: "Hold a hand over the board, here and there.", seen: (down, across) => `seen: ${down} ${across} of the picture`, whole: "The whole picture changed: a lamp, or the camera moves.",
  across: { left: "left", middle: "middle", right: "right" }, down: { top: "top", middle: "middle", bottom: "bottom" },
};
let shown = "", save = null, now = null;

const buttonName = ({ side, button }) => `${side ? WORDS.side(side) : WORDS.shared}: ${WORDS.buttons[button] ?? button}`;
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
  const { text, found, choices, gpio } = { buttons, lamps, camera }[guide.part](guide);
  say("guide-asks", text);
  $("guide-choices").replaceChildren(...choices);
  $("guide-found").replaceChildren(...found.map(([words, kind]) => make("li", words, kind)));
  $("wiring").hidden = guide.part !== "buttons";
  $("wiring").alt = SAYS.picture;
  const source = gpio === undefined ? "/api/setup/wiring.svg" : `/api/setup/wiring.svg?gpio=${gpio}`;
  if (guide.part === "buttons" && $("wiring").getAttribute("src") !== source) $("wiring").src = source;
}

function buttons({ asked, other, pressed, outcomes, exchanged }) {
  const found = outcomes.map((each) => [`${buttonName(each.wire)}: ${each.how === "other" ? SAYS.how.other(buttonName(each.other)) : SAYS.how[each.how]}`, each.how === "well" ? "heard" : "stuck"]);
  found.push(...exchanged.map(([one, two]) => [SAYS.exchange(buttonName(one), buttonName(two)), "stuck"]));
  if (!asked) return { text: SAYS.done, found, choices: [] };
  const wanted = `${(asked.held ? SAYS.hold : SAYS.press)(buttonName(asked))}. ${SAYS.pin(asked.pin, asked.gpio)}`;
  return { text: pressed ? SAYS.letGo : other ? `${wanted} ${SAYS.other(buttonName(other))}` : wanted, found, choices: [choice(SAYS.skip, answer(null))], gpio: asked.gpio };
}

function lamps({ asked, faults, corrected }) {
  const found = faults.map((each) => [({ colours: () => SAYS.faults.colours, count: () => SAYS.faults.count(each.number), dark: () => SAYS.faults.dark(now(each.place)), elsewhere: () => SAYS.faults.elsewhere(now(each.place), now(each.seen)) })[each.kind](), "stuck"]);
  if (asked) {
    const [first] = asked.places, last = asked.places.at(-1);
    if (asked.kind === "where") return { text: SAYS.where(now(first)), found, choices: [choice(SAYS.there(now(first)), answer("yes"), "main"), elsewhere(first), choice(SAYS.nowhere, answer("0")), choice(SAYS.skip, answer(null))] };
    return { text: SAYS.asks[asked.kind] ?? SAYS.run(now(first), now(last), asked.places.length), found, choices: [choice(SAYS.yes, answer("yes"), "main"), choice(SAYS.no, answer("no")), choice(SAYS.skip, answer(null))] };
  }
  if (!faults.length) found.push([SAYS.allWell, "heard"]);
  return { text: SAYS.done, found, choices: Object.keys(corrected).length ? [choice(SAYS.correct, () => save(corrected), "main")] : [] };
}

// Where the light is instead: the places of the strip.
function elsewhere(place) {
  const list = document.createElement("select");
  list.setAttribute("aria-label", SAYS.where(now(place)));
  list.append(new Option(SAYS.elsewhere, ""), ...[...$("places").querySelectorAll("input")].map(({ dataset }) => dataset.place).filter((each) => each !== place).map((each) => new Option(SAYS.there(now(each)), each)));
  list.onchange = () => list.value && answer(list.value)();
  return list;
}

function camera({ seen, whole }) {
  const found = seen.map(([across, down]) => [SAYS.seen(SAYS.down[down], SAYS.across[across]), "heard"]);
  if (whole) found.push([SAYS.whole, "stuck"]);
  return { text: SAYS.wave, found, choices: [] };
}

// Trying the button box and the strip. While this step is open, no press counts for a game.
import { $, complain, make, say, step, trying } from "/static/setup-ask.js";
import * as guide from "/static/setup-guide.js";
import { fill } from "/static/language.js";
import { WORDS } from "/static/setup-words.js";

let lamps = null, walking = 0, dirty = false, last = Promise.resolve();

// One request after the other: the trial's end must not reach the table before its beginning.
function trial(on) {
  const before = last, now = (async () => { await before.catch(() => {}); return step("try", { on }); })();
  last = now;
  return now;
}

export const open = trying("tools-reason", () => trial(true));
export async function leave() {
  walk(false);
  await trial(false).catch(() => {});
}

export function follow(state) {
  const list = state.buttons;
  say("buttons-text", list.length ? WORDS.pressEach : WORDS.noButtons);
  if ($("box").children.length !== list.length) $("box").replaceChildren(...list.map(() => { const row = make("li"); row.append(make("strong"), make("small")); return row; }));
  list.forEach((each, place) => {
    const row = $("box").children[place];
    row.className = each.fault ? "stuck" : each.down ? "down" : each.heard ? "heard" : "";
    row.children[0].textContent = `${each.side ? WORDS.sides[each.side] : WORDS.shared}: ${WORDS.buttons[each.button] ?? each.button}`;
    row.children[1].textContent = each.fault ?? (each.down ? WORDS.isDown : each.heard ? WORDS.heard(each.heard) : `${each.held ? WORDS.holdIt : WORDS.press} · GPIO ${each.pin}`);
    if (each.last) say("button-said", `${row.children[0].textContent}: ${WORDS.heard(each.heard)}`);
  });
  show(state.lamps);
  guide.follow(state);
}

const placeName = (place) => (/^p\d/.test(place) ? fill(WORDS.pointLamp, { place: place.slice(1) }) : place.split(".").map((part) => WORDS.places[part] ?? part).join(" · "));

function show(now) {
  say("lamps-text", now ? WORDS.lampsText(now.count) : WORDS.noLamps);
  $("lamps").hidden = !now;
  if (!now || lamps) return;
  lamps = now;
  $("brightness").value = Math.round(100 * now.brightness);
  $("brightness-text").textContent = `${$("brightness").value} %`;
  $("places").replaceChildren(...Object.entries(now.map).map(([place, leds]) => {
    const row = make("li"), button = make("button", placeName(place)), field = make("input");
    button.type = "button";
    button.setAttribute("aria-pressed", "false");
    button.onclick = trying("lamps-reason", () => { walk(false); return light(row); });
    field.value = leds.join(" ");
    field.dataset.place = place;
    field.autocomplete = "off";
    field.setAttribute("aria-label", placeName(place));
    field.oninput = changed;
    row.append(button, field);
    return row;
  }));
}

function changed() { dirty = true; $("lamps-save").disabled = false; }

function numbers(row) {
  const field = row.querySelector("input");
  return field.value.split(/[\s,;]+/).filter(Boolean).flatMap((word) => {
    const [, low, high] = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(word) ?? [];
    if (low === undefined || Number(high ?? low) < Number(low) || Number(high ?? low) > 2000) throw Object.assign(new Error(fill(WORDS.badLeds, { place: placeName(field.dataset.place) })), { status: 422 });
    return Array.from({ length: Number(high ?? low) - Number(low) + 1 }, (_, n) => Number(low) + n);
  });
}

async function light(row) {
  for (const button of $("places").querySelectorAll("button")) button.setAttribute("aria-pressed", button.parentNode === row);
  await step("light", { leds: numbers(row) });
  say("button-said", fill(WORDS.lampLit, { place: row.querySelector("button").textContent }));
}

function walk(on) {
  clearTimeout(walking);
  walking = 0;
  $("walk").textContent = on ? WORDS.stopWalk : WORDS.walk;
  if (!on) return;
  const rows = [...$("places").children];
  let place = 0;
  const next = async () => {
    try { await light(rows[place]); } catch (error) { walk(false); complain("lamps-reason", error); return; }
    rows[place].scrollIntoView({ block: "nearest" });
    place = (place + 1) % rows.length;
    if (walking) walking = setTimeout(next, 900);
  };
  walking = setTimeout(next, 0);
}

$("walk").onclick = () => walk(!walking);
$("brightness").oninput = () => { $("brightness-text").textContent = `${$("brightness").value} %`; changed(); };
$("lamps-save").onclick = trying("lamps-reason", async () => {
  const map = Object.fromEntries([...$("places").children].map((row) => [row.querySelector("input").dataset.place, numbers(row)]));
  await step("lamps", { brightness: Number($("brightness").value) / 100, map });
  dirty = false;
  $("lamps-save").disabled = true;
  say("button-said", WORDS.lampsKept);
});

// The guide's corrected places go into the form, where they are looked at and saved.
guide.open(placeName, (corrected) => {
  for (const field of $("places").querySelectorAll("input")) if (corrected[field.dataset.place]) field.value = corrected[field.dataset.place].join(" ");
  changed();
  $("lamps-save").focus();
});

// Update: what is new, now or at night.
import { $, ask, make } from "/static/device-ask.js";
import { fill, inLanguage, moment } from "/static/language.js";

export const PATH = "/api/update";
const WORDS = inLanguage({
  steps: {
    "": "Nobody has looked for a newer version yet.",
    none: "No repository is configured, so this table hears of no newer version. The build guide says how it gets one.",
    looking: "Looking for a newer version …", current: "{installed} is the newest version.", available: "{available} is there; installed is {installed}.",
    waiting: "{available} waits: a match was under way.", installing: "{available} is being installed. The table goes on meanwhile.",
    checking: "{available} starts, and is watched.", "going-back": "{available} does not come up; the version before is taken again …",
    back: "{available} did not come up, so the version before is in use again. Nothing was lost.", done: "{installed} is installed and runs.",
  },
  failed: {
    network: "The repository cannot be reached, or its signature does not count. Is there a network?",
    apt: "apt could not install it; the version before is in use. On the table: sudo journalctl -u 'barpoint-update@*'",
    back: "The new version does not come up, and the one before could not be taken again. On the table: sudo barpoint rollback",
  },
  checkout: "This table was installed from a checkout: git pull, then sudo ./install.", unheard: "Nobody has heard what was asked for. On the table: systemctl status barpoint-update.path", asked: "Asked for …",
  atNight: "It will be installed at night, after four; leave the table switched on.", playing: "A match is being played, so it cannot be installed now.",
  now: "Install now", night: "Install at night", cancel: "Do not install at night", look: "Look for a newer version",
});
let shown = "";

const wish = (word) => async () => { await ask("POST", PATH, { do: word }); document.dispatchEvent(new Event("again")); };

export function hide() { $("update").hidden = true; }
export const lacks = hide;

export function show(state) {
  const next = JSON.stringify(state);
  $("update").hidden = false;
  if (next === shown) return;
  shown = next;
  const { step, why, night, waits, unheard, playing, possible, at } = state;
  const busy = waits || state.busy, there = ["available", "waiting"].includes(step) || (step === "back" && state.available);
  const told = step === "failed" ? WORDS.failed[why] ?? WORDS.failed.apt : fill(WORDS.steps[step] ?? WORDS.steps[""], state);
  const all = [told, at && `(${moment(at * 1000)})`, night && WORDS.atNight, playing && there && WORDS.playing].filter(Boolean);
  $("update-text").textContent = !possible ? WORDS.checkout : unheard ? WORDS.unheard : waits ? WORDS.asked : all.join(" ");
  const choices = [];
  if (possible && !busy) {
    if (there && !playing) choices.push(make("button", WORDS.now, wish("now")));
    if (there && !night) choices.push(make("button", WORDS.night, wish("night")));
    if (night) choices.push(make("button", WORDS.cancel, wish("cancel")));
    choices.push(make("button", WORDS.look, wish("look")));
    choices[0].className = "main";
  }
  $("update-choices").replaceChildren(...choices);
  $("news-title").hidden = !state.news;
  $("news").replaceChildren(...read(state.news));
}

// The changelog's own marks: headings and lists; all else is text.
function read(text) {
  const made = [];
  for (const line of text.split("\n")) {
    const [, marks, head] = /^(#{2,3}) (.*)$/.exec(line) ?? [];
    const plain = (words) => words.replaceAll("`", "").replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
    if (marks) made.push(make(marks.length === 2 ? "h3" : "h4", plain(head)));
    else if (line.startsWith("- ")) {
      if (made.at(-1)?.tagName !== "UL") made.push(make("ul"));
      made.at(-1).append(make("li", plain(line.slice(2))));
    } else if (line.trim()) {
      const into = made.at(-1)?.tagName === "UL" ? made.at(-1).lastElementChild : null;
      if (into) into.textContent += ` ${plain(line.trim())}`;
      else made.push(make("p", plain(line)));
    }
  }
  return made;
}

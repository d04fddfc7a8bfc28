// Keys for the keyboard, listed by "?". Nothing that costs a game is among them: doubling, dropping and resigning want a deliberate touch.
import { trigger } from "/static/act.js";
import { open } from "/static/layers.js";
import { wants } from "/static/mine.js";
import { KEYS } from "/static/words.js";

const $ = (id) => document.getElementById(id);
const press = (id) => () => $(id).click();
const DOES = { r: () => trigger("roll"), d: () => trigger("done"), u: () => trigger("undo"), p: () => trigger("pause"), o: press("flip"), l: press("mirror"), s: press("sound"), t: say, "?": list };

function say() {
  $("more").open = true;
  $("play").focus();
}

function list() {
  $("key-list").replaceChildren(...Object.entries(KEYS).flatMap(([key, word]) => {
    const [term, told] = [document.createElement("dt"), document.createElement("dd")];
    term.append(Object.assign(document.createElement("kbd"), { textContent: key }));
    told.textContent = word;
    return [term, told];
  }));
  open($("keys-dialog"));
}

addEventListener("keydown", (event) => {
  const does = DOES[event.key.length === 1 ? event.key.toLowerCase() : ""];
  const busy = event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, dialog");
  if (!does || busy || event.repeat || document.body.classList.contains("correcting") || !wants("keys", true)) return;
  event.preventDefault();
  does();
});
$("show-keys").onclick = list;

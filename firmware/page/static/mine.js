// What is this screen's own choice: the board's theme, light or dark, sound, spoken announcements, keys; and how to keep the page as an app, or share it.
import { forget } from "/static/depth.js";
import { LANGUAGES, choose, chosen } from "/static/language.js";
import { WORDS } from "/static/words.js";

const $ = (id) => document.getElementById(id), root = document.documentElement;
const asked = new URLSearchParams(location.search);
export const wants = (name, usual) => (localStorage[name] ?? (usual ? "1" : "0")) === "1";

function paint() {
  const theme = asked.get("theme") ?? localStorage.theme ?? "";
  if (theme) root.dataset.theme = theme; else delete root.dataset.theme;
  for (const light of ["dark", "light"]) root.classList.toggle(light, asked.has(light) || (!asked.has("dark") && !asked.has("light") && localStorage.light === light));
  forget();
}
paint();

// ``redraw`` draws the board again; ``changed`` hears which choice was made.
export function choices(redraw, changed) {
  for (const [id, name] of [["theme", "theme"], ["daylight", "light"]]) {
    $(id).replaceChildren(...Object.entries(WORDS[id === "theme" ? "themes" : "lights"]).map(([value, word]) => new Option(word, value)));
    $(id).value = localStorage[name] ?? "";
    $(id).onchange = () => { localStorage[name] = $(id).value; paint(); redraw(); };
  }
  $("language").replaceChildren(new Option(WORDS.browsers, ""), ...Object.entries(LANGUAGES).map(([code, name]) => Object.assign(new Option(name, code), { lang: code })));
  $("language").value = chosen();
  $("language").onchange = () => choose($("language").value);
  for (const [id, usual] of [["speech", false], ["keys", true]]) {
    $(id).checked = wants(id, usual);
    $(id).onchange = () => { localStorage[id] = $(id).checked ? "1" : "0"; changed(id); };
  }
  const loud = () => $("sound").setAttribute("aria-pressed", wants("sound", true));
  $("sound").onclick = () => { localStorage.sound = wants("sound", true) ? "0" : "1"; loud(); changed("sound"); };
  loud();
  offers();
}

// An app can be installed only over HTTPS, or on the table itself; a browser then says so. The link can always be passed on.
function offers() {
  let prompt = null;
  addEventListener("beforeinstallprompt", (event) => { event.preventDefault(); prompt = event; $("install").hidden = false; });
  addEventListener("appinstalled", () => { $("install").hidden = true; });
  $("install").onclick = () => prompt?.prompt();
  $("share").onclick = async () => {
    const url = `${location.origin}/`;
    $("share-link").textContent = url;
    $("share-link").hidden = false;
    if (navigator.share) await navigator.share({ title: document.title, url }).catch(() => {}); else await navigator.clipboard?.writeText(url).catch(() => {});
  };
}

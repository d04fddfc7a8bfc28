// Asking the table, for the director's page of the device.
import { asker } from "/static/ask.js";
import { inLanguage } from "/static/language.js";

const WORDS = inLanguage({ away: "The table does not answer. It may be starting again.", silent: "The table did not answer." });
export const $ = (id) => document.getElementById(id);

export function make(name, content = "", does = null) {
  const made = document.createElement(name);
  made.textContent = content;
  if (does) { made.type = "button"; made.onclick = trying(does); }
  return made;
}

export const ask = asker(WORDS.away, WORDS.silent);

// Does it, and says why where it was refused.
export function trying(does) {
  return async (event) => {
    event?.preventDefault?.();
    $("reason").textContent = "";
    try { await does(event); } catch (error) { $("reason").textContent = error.message; }
  };
}

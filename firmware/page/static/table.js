// Asking the table, and the small things that every part of the board's page is made of.
import { asker } from "/static/ask.js";
import { WORDS } from "/static/words.js";

export const ask = asker(WORDS.wrongNetwork, WORDS.wrongNetwork);

export function make(name, content = "", kind = "") {
  const made = document.createElement(name);
  made.textContent = content;
  if (kind) made.className = kind;
  return made;
}

export function button(label, kind, does) {
  const made = make("button", label, kind);
  made.type = "button";
  made.onclick = does;
  return made;
}

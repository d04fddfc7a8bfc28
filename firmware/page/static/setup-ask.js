// Asking the table, and small things that every step of the set-up needs.
import { draw } from "/static/board.js";
import { asker } from "/static/ask.js";
import { fill } from "/static/language.js";
import { WORDS } from "/static/setup-words.js";

export const $ = (id) => document.getElementById(id);
export function make(name, content = "", kind = "") {
  const made = document.createElement(name);
  made.textContent = content;
  if (kind) made.className = kind;
  return made;
}

// The token of whoever sets up; a reload of this tab keeps it.
export const seat = { get token() { return sessionStorage.desk ?? ""; }, set token(value) { sessionStorage.desk = value; } };

export const ask = asker(WORDS.network, WORDS.network);
export const step = (what, data = {}) => ask("POST", `/api/setup/${what}`, { desk: seat.token, ...data });

// Says beside a step why it was refused; "" or null clears that.
export function complain(id, error) {
  const box = $(id), text = typeof error === "string" ? error : error?.message ?? "";
  box.textContent = text;
  box.hidden = !text;
  if (text) box.scrollIntoView({ block: "nearest" });
}
export function trying(id, does) {
  return async (event) => {
    event?.preventDefault?.();
    complain(id, "");
    try { await does(event); } catch (error) { if (!error.status && !(error instanceof TypeError)) throw error; complain(id, error); if ([401, 423].includes(error.status)) document.dispatchEvent(new CustomEvent("outside")); }
  };
}

export function picture(svg, game, cells) {
  draw(svg, { cells, sides: game.sides, dice: [], leds: [], judgement: null, turn: null, cube: null });
}
export const cellName = (cell) => (/^p\d/.test(cell) ? fill(WORDS.point, { place: cell.slice(1) }) : cell.replace("hex.", "").replace(".", " "));

// Only a new text is put there: a screen reader would read the same one aloud again.
export function say(id, text) { if ($(id).textContent !== text) $(id).textContent = text; }

// Asking the table, for the director's page of the device.
import { headers, inLanguage } from "/static/language.js";

const WORDS = inLanguage({ away: "The table does not answer. It may be starting again.", silent: "The table did not answer." });
export const $ = (id) => document.getElementById(id);

export function make(name, content = "", does = null) {
  const made = document.createElement(name);
  made.textContent = content;
  if (does) { made.type = "button"; made.onclick = trying(does); }
  return made;
}

export async function ask(method, path, data) {
  let answer;
  try {
    answer = await fetch(path, { method, headers: headers({ "Content-Type": "application/json" }), body: data && JSON.stringify(data) });
  } catch { throw Object.assign(new Error(WORDS.away), { status: 0 }); }
  if (answer.ok) return answer.status === 204 ? null : answer.json();
  const { reason } = await answer.json().catch(() => ({}));
  throw Object.assign(new Error(reason ?? WORDS.silent), { status: answer.status });
}

// Does it, and says why where it was refused.
export function trying(does) {
  return async (event) => {
    event?.preventDefault?.();
    $("reason").textContent = "";
    try { await does(event); } catch (error) { $("reason").textContent = error.message; }
  };
}

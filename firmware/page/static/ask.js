// Asking the table or the hub: a function that gives the answer, or throws why not. ``away`` is said where nothing answers, ``silent`` where no reason
// comes, ``pin`` (if given) where the PIN is missing; ``wait`` are the seconds after which one may ask again. What is done at the table outlives its page.
import { headers } from "/static/language.js";

export const asker = (away, silent, pin = null) => async (method, path, data, cache) => {
  let answer;
  try {
    answer = await fetch(path, { method, cache, keepalive: path === "/api/act", headers: headers({ "Content-Type": "application/json" }), body: data && JSON.stringify(data) });
  } catch { throw Object.assign(new Error(away), { status: 0 }); }
  if (answer.ok) return answer.status === 204 ? null : answer.json();
  const { reason } = await answer.json().catch(() => ({}));
  throw Object.assign(new Error((answer.status === 401 && pin) || (reason ?? silent)), { status: answer.status, wait: Number(answer.headers.get("Retry-After")) });
};

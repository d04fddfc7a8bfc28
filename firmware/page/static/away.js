// The page while the table is away: a service worker keeps the page's own files, and the browser keeps the last state. Service workers and wake locks
// are there only over HTTPS, or on the table itself (docs/page.md, an app); without them the page is as it was.
const LAST = "barpoint-last";

export function keep(state) {
  try { localStorage[LAST] = JSON.stringify({ ...state, actions: undefined, candidates: undefined, number: undefined }); } catch { /* full, or not allowed */ }
}

export function last() {
  try { return JSON.parse(localStorage[LAST]); } catch { return null; }
}

// It fetches the page's files for itself, so it waits until the board is there.
const SETTLED = 2000;  // milliseconds
if (isSecureContext && "serviceWorker" in navigator) addEventListener("load", () => setTimeout(() => navigator.serviceWorker.register("/worker.js").catch(() => {}), SETTLED));

// The screen stays on where the table is shown to all, and for the player on turn.
let lock = null, wanted = false;
export async function awake(want) {
  wanted = want;
  if (!("wakeLock" in navigator) || document.hidden) return;
  if (want && !lock) {
    lock = "asked";
    lock = await navigator.wakeLock.request("screen").catch(() => null);
    lock?.addEventListener?.("release", () => { lock = null; });
  } else if (!want && lock?.release) { lock.release(); lock = null; }
}
document.addEventListener("visibilitychange", () => awake(wanted));

// Keeps the page's own files, so that it opens while the table is away. Nothing that the table says is kept here: what changes is asked of the table.
const FILES = "/static/", SHELL = ["/", "/tv", "/look.css"];

// All that the page asks for at its start, so that the first visit is enough.
async function fill() {
  const page = await (await fetch("/")).text(), files = new Set(page.match(/\/static\/[^"]+/g));
  await (await caches.open(FILES)).addAll([...SHELL, ...files, `${FILES}felt.webp`, `${FILES}wood.webp`]);
}

addEventListener("install", (event) => { event.waitUntil(fill()); skipWaiting(); });
addEventListener("activate", (event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name !== FILES) await caches.delete(name);
  await clients.claim();
})()));

async function fresh(request, name) {
  const kept = await caches.open(FILES);
  try {
    const answer = await fetch(request);
    if (answer.ok) kept.put(name, answer.clone());
    return answer;
  } catch (error) {
    const found = await kept.match(name);
    if (found) return found;
    throw error;
  }
}

async function stored(request) {
  const kept = await caches.open(FILES), found = await kept.match(request);
  if (found) return found;
  const answer = await fetch(request);
  if (answer.ok) kept.put(request, answer.clone());
  return answer;
}

addEventListener("fetch", (event) => {
  const { pathname, origin } = new URL(event.request.url);
  if (event.request.method !== "GET" || origin !== location.origin) return;
  if (pathname.startsWith(FILES)) event.respondWith(stored(event.request));
  else if (SHELL.includes(pathname)) event.respondWith(fresh(event.request, pathname));
});

// What lies over the table's board: a replay, a correction, a question. The browser's back button closes the topmost, and stays on the page.
const layers = [];  // how each is closed
const depth = () => history.state?.layers ?? 0;

export function lay(close) {
  layers.push(close);
  history.scrollRestoration = "manual";  // the page stays where it is when the layer goes
  if (depth() < layers.length) history.pushState({ layers: layers.length }, "");
}

// To be called when it was closed, however that came about.
export function lift(close) {
  const place = layers.indexOf(close);
  if (place < 0) return;
  layers.splice(place, 1);
  history.back();
}

addEventListener("popstate", () => {
  for (const close of layers.splice(depth())) close();
  if (!layers.length) history.scrollRestoration = "auto";
});

export function open(dialog) {
  const close = () => dialog.close();
  dialog.showModal();
  dialog.onclose = () => lift(close);
  lay(close);
}

// The camera and the board: four handles on the live picture, the board's lines laid between them, and the calibration.
import { $, complain, make, picture, say, step, trying } from "/static/setup-ask.js";
import { element } from "/static/svg.js";
import { fill, moment } from "/static/language.js";
import { WORDS } from "/static/setup-words.js";

const LENS = 280, REACH = 42;  // the magnifier's pixels, and how many of the picture's it shows to each side
let game = null, board = null, calibration = null, size = null, corners = null, lines = [], opened = false, knows = null, done = () => {}, number = 0, fitted = "", bare = false;

// From the unit square to any four corners: bottom left, bottom right, top right, top left.
export function onto([p0, p1, p2, p3]) {
  const [dx1, dy1, dx2, dy2] = [p1[0] - p2[0], p1[1] - p2[1], p3[0] - p2[0], p3[1] - p2[1]];
  const sx = p0[0] - p1[0] + p2[0] - p3[0], sy = p0[1] - p1[1] + p2[1] - p3[1], den = dx1 * dy2 - dx2 * dy1;
  const g = (sx * dy2 - dx2 * sy) / den, h = (dx1 * sy - sx * dy1) / den;
  const [a, b, c] = [p1[0] - p0[0] + g * p1[0], p3[0] - p0[0] + h * p3[0], p0[0]];
  const [d, e, f] = [p1[1] - p0[1] + g * p1[1], p3[1] - p0[1] + h * p3[1], p0[1]];
  return ([u, v]) => { const w = g * u + h * v + 1; return [(a * u + b * v + c) / w, (d * u + e * v + f) / w]; };
}

const handles = [0, 1, 2, 3].map((place) => {
  const made = make("button", "", "handle");
  made.type = "button";
  made.dataset.corner = place;
  made.setAttribute("aria-describedby", "corners-help");
  made.addEventListener("pointerdown", (event) => hold(event, place));
  made.addEventListener("keydown", (event) => nudge(event, place));
  made.addEventListener("blur", () => { $("magnifier").hidden = true; });
  return made;
});

function show() {
  if (!corners || !size) return;
  const [width, height] = size, stage = $("overlay");
  stage.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const at = onto(corners), points = (outline) => outline.map((place) => at(place).map((value) => value.toFixed(1)).join(",")).join(" ");
  stage.replaceChildren(
    element("polygon", { class: "edge", points: corners.map((place) => place.join(",")).join(" ") }),
    ...lines.map((outline) => element("polygon", { class: "outline", points: points(outline) })));
  handles.forEach((handle, place) => {
    const [x, y] = corners[place];
    handle.style.left = `${(100 * x) / width}%`;
    handle.style.top = `${(100 * y) / height}%`;
    handle.setAttribute("aria-label", fill(WORDS.cornerAt, { name: WORDS.corners[place], x: Math.round(x), y: Math.round(y) }));
  });
}

function put(place, x, y) {
  corners[place] = [Math.min(Math.max(x, 0), size[0]), Math.min(Math.max(y, 0), size[1])];
  show();
  magnify(place);
}

// Beside the thumb: what lies under it.
function magnify(place) {
  const lens = $("magnifier"), view = $("view"), [x, y] = corners[place], draw = lens.getContext("2d"), scale = view.naturalWidth / size[0];
  lens.hidden = false;
  lens.classList.toggle("right", x < size[0] / 2);
  lens.classList.toggle("low", y < size[1] / 2);
  draw.fillStyle = "#000";
  draw.fillRect(0, 0, LENS, LENS);
  if (view.naturalWidth) draw.drawImage(view, (x - REACH) * scale, (y - REACH) * scale, 2 * REACH * scale, 2 * REACH * scale, 0, 0, LENS, LENS);
  const middle = LENS / 2, far = LENS / (2 * REACH);
  draw.strokeStyle = "#4ee2a8";
  draw.lineWidth = 2;
  draw.beginPath();
  for (const other of [corners[(place + 1) % 4], corners[(place + 3) % 4]]) { draw.moveTo(middle, middle); draw.lineTo(middle + (other[0] - x) * far, middle + (other[1] - y) * far); }
  draw.stroke();
}

function hold(event, place) {
  event.preventDefault();
  const handle = handles[place], box = $("stage").getBoundingClientRect(), per = size[0] / box.width;
  const [x0, y0] = corners[place], { clientX, clientY } = event;
  handle.focus({ preventScroll: true });
  handle.setPointerCapture(event.pointerId);
  handle.classList.add("held");
  const move = (now) => put(place, x0 + (now.clientX - clientX) * per, y0 + (now.clientY - clientY) * per);
  const end = () => {
    handle.removeEventListener("pointermove", move);
    handle.classList.remove("held");
    $("magnifier").hidden = true;
  };
  magnify(place);
  handle.addEventListener("pointermove", move);
  handle.addEventListener("pointerup", end, { once: true });
  handle.addEventListener("pointercancel", end, { once: true });
}

const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
function nudge(event, place) {
  const way = WAYS[event.key], far = event.shiftKey ? 10 : 1;
  if (!way) return;
  event.preventDefault();
  put(place, corners[place][0] + far * way[0], corners[place][1] + far * way[1]);
  say("corner-said", fill(WORDS.cornerAt, { name: WORDS.corners[place], x: Math.round(corners[place][0]), y: Math.round(corners[place][1]) }));
}

function first([width, height]) {
  const [left, right, high, low] = [0.14 * width, 0.86 * width, 0.14 * height, 0.86 * height];
  return [[left, low], [right, low], [right, high], [left, high]];
}

// The measures as they were typed; what is empty is left out.
function measures() {
  const found = {};
  for (const field of $("measures").querySelectorAll("input, select")) {
    if (field.value === "") continue;
    found[field.dataset.name] = field.tagName === "SELECT" ? field.value : Number(field.value.replace(",", "."));
  }
  return found;
}

function askMeasures() {
  $("measures").replaceChildren(...board.asks.map((each) => {
    const label = make("label", WORDS.measures[each.name] ?? each.name), id = `measure-${each.name}`;
    let field;
    if (each.choices.length) {
      field = make("select");
      field.append(...["", ...each.choices].map((choice) => new Option(WORDS.trays[choice] ?? choice, choice)));
    } else {
      field = make("input");
      field.inputMode = each.whole ? "numeric" : "decimal";
      field.size = 6;
      field.autocomplete = "off";
      field.value = localStorage[`setup.${each.name}`] ?? each.usual ?? "";
    }
    field.dataset.name = each.name;
    label.htmlFor = field.id = id;
    field.onchange = () => { localStorage[`setup.${each.name}`] = field.value; fit(); };
    label.append(field);
    return label;
  }));
  const needed = board.asks.some((each) => each.needed);
  $("measures-text").textContent = needed ? WORDS.measuresNeeded : WORDS.measuresText;
  $("measures-box").open = needed;
}

const fit = trying("board-reason", async () => {
  const key = JSON.stringify([game.name, measures()]);
  if (key === fitted) return;
  const found = await step("outlines", { game: game.name, measures: measures() });
  if (key !== JSON.stringify([game.name, measures()])) return;  // asked anew meanwhile
  [lines, fitted] = [found, key];
  show();
});

// How the camera knows such boards: since when, what it has learned from play since, and what one can go back to.
function tellCalibration(found) {
  const { known, learned, before } = calibration = found;
  if (known) say("known-text", fill(WORDS.knownSince, { when: moment(known * 1000) }));
  $("go-back").hidden = !before;
  $("go-back").textContent = learned.length ? WORDS.goBack : WORDS.goBackCalibration;
  say("learned-text", learned.length ? [WORDS.learned(learned.length), learned.at(-1).at && fill(WORDS.learnedLast, { when: moment(learned.at(-1).at) })].filter(Boolean).join(" ") : "");
}

// The step is opened for a game: ``found`` says how the camera knows such boards (``again`` asks anew), ``next`` goes on.
export function open(chosen, kind, found, camera, simulated, next) {
  const other = game?.board !== chosen.board, { known } = found;
  [game, board, done, knows] = [chosen, kind, next, known];
  $("blind").hidden = camera;
  $("known").hidden = !camera || !known;
  tellCalibration(found);
  if (other) { opened = false; fitted = ""; }
  $("teach").hidden = !camera || (Boolean(known) && !opened);
  $("arrange").hidden = $("bare-arrange").hidden = !simulated;
  $("bare-box").hidden = !kind.sample;
  $("find").hidden = !kind.found;
  $("sample-figure").hidden = !kind.sample;
  say("sample-head", kind.sample ? WORDS.sample : WORDS.sampleMap);
  say("sample-text", kind.sample ? (chosen.board === "pyramids" ? WORDS.samplePyramids : WORDS.sampleText) : WORDS.sampleMapText);
  if (kind.sample) picture($("sample"), chosen, kind.sample);
  if (other) { askMeasures(); $("result").hidden = true; complain("board-reason", ""); }
  if (!$("stage").contains(handles[0])) $("magnifier").before(...handles);
  fit();
}

// What changes at the table: the live picture, and the job that runs.
export function follow(state, visible) {
  $("no-view").hidden = Boolean(state.picture);
  for (const handle of handles) handle.hidden = !state.picture;
  if (state.picture && String(state.picture) !== String(size)) { size = state.picture; corners = first(size); $("stage").style.aspectRatio = size.join(" / "); show(); }
  bare = state.bare;
  $("bare").textContent = bare ? WORDS.forgetBare : WORDS.takeBare;
  say("bare-said", bare ? WORDS.bareTaken : "");
  if (visible && state.picture && !$("teach").hidden && !handles.some((handle) => handle.matches(".held"))) look();
  work(state.work);
}

let looking = false;
function look() {
  if (looking) return;
  looking = true;
  $("view").onload = $("view").onerror = () => { looking = false; };
  $("view").src = `/api/setup/view.jpg?${++number}`;
}

let tidied = null;  // the table's answer that a finished job is cleared: the next job must wait for it
function work(now) {
  const busy = Boolean(now && !now.over);
  $("work").hidden = !busy;
  for (const id of ["find", "learn", "arrange", "bare"]) $(id).disabled = busy;
  if (busy) {
    say("work-text", `${now.words ? now.words[0].toUpperCase() + now.words.slice(1) : now.name === "find" ? WORDS.finding : WORDS.learning} …`);
    $("work-part").value = now.part;
  } else if (now) {
    if (now.refused) complain("board-reason", now.refused);
    else if (now.name === "find" && now.result) { corners = now.result.corners; show(); say("corner-said", now.result.sure > 0.8 ? WORDS.found : WORDS.perhaps); complain("board-reason", now.result.sure > 0.8 ? "" : WORDS.perhaps); }
    if (now.name === "learn" && now.result) result(now.result);
    else tidied = step("stop").catch(() => {});
  }
}

let shown = "";
function result(found) {
  const key = JSON.stringify(found);
  if (key === shown && !$("result").hidden) return;
  shown = key;
  $("result").className = `told ${found.grade}`;
  $("result-title").textContent = WORDS.grade[found.grade];
  $("result-words").replaceChildren(...[...(found.words.length ? found.words : [WORDS.goodWords]), ...(found.home ? [WORDS.homeAt[found.home]] : [])].map((words) => make("li", words)));
  $("result-picture").src = `/api/setup/overlay.jpg?${++number}`;
  $("result-numbers").replaceChildren(...Object.entries(WORDS.numbers).filter(([name]) => found[name] !== null && found[name] !== undefined && !(name === "diameter" && !found[name])).flatMap(([name, label]) => [
    make("dt", label), make("dd", Array.isArray(found[name]) ? found[name].join(", ") || WORDS.none : String(Math.round(10 * found[name]) / 10))]));
  $("exchange").hidden = found.lead === null;
  $("result").hidden = false;
  $("result-title").focus();
}

const remember = () => { opened = true; $("teach").hidden = false; fit(); };
$("again").onclick = () => { remember(); $("stage").scrollIntoView({ block: "nearest" }); };
$("find").onclick = trying("board-reason", async () => { $("result").hidden = true; await tidied; return step("find", { game: game.name, measures: measures() }); });
$("learn").onclick = trying("board-reason", async () => { $("result").hidden = true; await tidied; return step("learn", { game: game.name, corners, measures: measures() }); });
$("stop").onclick = trying("board-reason", () => step("stop"));
$("discard").onclick = trying("board-reason", async () => { await step("stop"); $("result").hidden = true; $("learn").focus(); });
$("arrange").onclick = trying("board-reason", async () => { await step("arrange", { game: game.name, what: "sample", measures: measures() }); look(); });
$("bare").onclick = trying("board-reason", () => step("bare", { on: !bare }));
$("bare-arrange").onclick = trying("board-reason", async () => { await step("arrange", { game: game.name, what: "empty", measures: measures() }); look(); });
$("go-back").onclick = trying("board-reason", async () => {
  const words = calibration.learned.length ? WORDS.wentBack : WORDS.wentBackCalibration;
  await step("go-back", { game: game.name });
  tellCalibration(await calibration.again());
  say("learned-text", words);
});
$("exchange").onclick = trying("board-reason", () => step("exchange"));
$("keep").onclick = trying("board-reason", async () => { await step("keep"); $("result").hidden = true; opened = false; done(); });

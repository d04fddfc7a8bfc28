// The director's form: sets score, cube and turn. Only what was changed is sent.
import * as layers from "/static/layers.js";
import { ask, make } from "/static/table.js";
import { WORDS, who } from "/static/words.js";

const $ = (id) => document.getElementById(id);
const HIGHEST = 10;  // of the cube's values, 2 to this power
let state = null, newest = null;

export const possible = (now) => Boolean(now?.position);

// What the table came to meanwhile: a correction that waits for an answer is answered first.
export function follow(now) {
  if (now?.state === "proposed" && newest?.state !== "proposed") $("director").close();
  newest = now;
}

export function open(now) {
  state = now;
  const sides = now.sides.map((side) => new Option(who(now, side), side));
  $("scores").replaceChildren($("scores").firstElementChild, ...now.sides.map((side) => {
    const label = make("label", who(now, side)), field = make("input");
    Object.assign(field, { type: "number", min: 0, max: 999, value: now.score[side], required: true });
    label.append(field);
    return label;
  }));
  $("cubes").hidden = !now.cube;
  $("cube-value").replaceChildren(...Array.from({ length: HIGHEST + 1 }, (_, power) => new Option(String(2 ** power), 2 ** power)));
  $("cube-value").value = now.cube?.value ?? 1;
  $("cube-owner").replaceChildren(new Option(WORDS.nobody, ""), ...sides.map((each) => each.cloneNode(true)));
  $("cube-owner").value = now.cube?.owner ?? "";
  $("turns").hidden = !now.turn;
  $("turn").replaceChildren(...sides);
  $("turn").value = now.turn ?? "";
  $("director-reason").textContent = "";
  layers.open($("director"));
}

function changes() {
  const event = { event: "correct" };
  const score = [...$("scores").querySelectorAll("input")].map((each) => Number(each.value));
  if (score.some((each, place) => each !== state.score[state.sides[place]])) event.score = score;
  const cube = Number($("cube-value").value), owner = $("cube-owner").value || null;
  if (state.cube && (cube !== state.cube.value || owner !== state.cube.owner)) Object.assign(event, { cube, owner });
  if (state.turn && $("turn").value !== state.turn) event.position = { turn: $("turn").value };
  return event;
}

$("director-form").onsubmit = async (event) => {
  event.preventDefault();
  const wanted = changes();
  try {
    if (Object.keys(wanted).length > 1) await ask("POST", "/api/act", { ...wanted, seen: newest?.number });
    $("director").close();
  } catch (error) { $("director-reason").textContent = error.message; }
};

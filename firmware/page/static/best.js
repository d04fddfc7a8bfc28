// What is best on the real board: asks the table, and follows a rollout until it ends.
import { asker } from "/static/ask.js";
import { fill, inLanguage, isolated, number as written, percent } from "/static/language.js";

const WORDS = inLanguage({
  notRolled: "not rolled", unreached: "The table cannot be reached.", pin: "Enter the table's PIN on its page first, then ask again.", silent: "The table did not answer.",
  thinking: "Thinking …", rolling: "Rolling out: {n} of {all}", rolled: "Rolled out: {n} of {all}",
  cubes: { "no double": "no double", double: "double" },
  answer: { take: "After a double the other side should take.", drop: "After a double the other side should drop.", pass: "After a double the other side should drop.", beaver: "After a double the other side should beaver." },
});
const $ = (id) => document.getElementById(id);
const number = (id) => Number($(id).value) || 0;
const option = (value, text) => Object.assign(document.createElement("option"), { value, textContent: text });

for (const id of ["one", "two"]) $(id).append(option("", WORDS.notRolled), ...[1, 2, 3, 4, 5, 6].map((die) => option(die, die)));
$("cube").append(...[1, 2, 4, 8, 16, 32, 64].map((value) => option(value, value)));

const table = asker(WORDS.unreached, WORDS.silent, WORDS.pin);
const ask = (method, data) => table(method, "/api/best", data);

const signed = (value) => isolated(`${value >= 0 ? "+" : "−"}${written(Math.abs(value), 3)}`);
function show({ state, advice, done, of, reason }) {
  const busy = state === "thinking" || state === "rolling";
  $("stop").hidden = !busy;
  $("status").textContent = { thinking: WORDS.thinking, rolling: fill(WORDS.rolling, { n: done, all: of }), failed: reason, done: of ? fill(WORDS.rolled, { n: done, all: of }) : "", idle: "" }[state] ?? "";
  $("options").hidden = !advice;
  $("options").tBodies[0].replaceChildren(...(advice?.options ?? []).map(({ text, equity, error, behind, chances }) => {
    const row = document.createElement("tr"), told = `${signed(equity)}${error ? ` ±${written(error, 3)}` : ""}`;
    for (const cell of [isolated(WORDS.cubes[text] ?? text), told, behind ? written(behind, 3) : "", percent(chances.win), percent(chances.gammon), percent(chances.gammon_lost)]) row.append(Object.assign(document.createElement("td"), { textContent: cell }));
    return row;
  }));
  $("answer").textContent = advice?.answer ? WORDS.answer[advice.answer] ?? advice.answer : "";
  return busy;
}

let round = 0;
async function follow() {
  const mine = ++round;
  try {
    while (mine === round && show(await ask("GET"))) await new Promise((done) => setTimeout(done, 500));
  } catch (error) { $("status").textContent = error.message; }
}

$("ask").onsubmit = async (event) => {
  event.preventDefault();
  const dice = [number("one"), number("two")].filter(Boolean);
  const data = { rules: $("rules").value, turn: $("turn").value, dice, cube: number("cube"), owner: $("owner").value || null, length: number("length"), score: [number("white"), number("black")], rollout: number("rollout") };
  $("seen").src = `/camera.jpg?${Date.now()}`;
  try { show(await ask("POST", data)); await follow(); } catch (error) { round++; $("status").textContent = error.message; }
};
$("stop").onclick = async () => { try { await ask("DELETE"); await follow(); } catch (error) { $("status").textContent = error.message; } };
follow();

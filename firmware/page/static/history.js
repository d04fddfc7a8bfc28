// A player's ratings over months: a graph, the phases of the game, and the matches with their reports.
import { element } from "/static/svg.js";

const $ = (id) => document.getElementById(id);
const cell = (content) => { const made = document.createElement("td"); made.append(content); return made; };
const row = (...cells) => { const made = document.createElement("tr"); made.append(...cells.map(cell)); return made; };
const signed = (value) => `${value >= 0 ? "+" : ""}${value.toFixed(2)}`;

const WIDE = 800, HIGH = 240, EDGE = 40;
function graph(matches) {
  const most = Math.max(5, ...matches.map(({ pr }) => pr)), step = (WIDE - 2 * EDGE) / Math.max(1, matches.length - 1);
  const at = (pr, place) => [EDGE + place * step, HIGH - EDGE - (pr / most) * (HIGH - 2 * EDGE)];
  const rules = [0, most / 2, most].map((pr) => at(pr, 0)[1]);
  $("graph").setAttribute("viewBox", `0 0 ${WIDE} ${HIGH}`);
  $("graph").replaceChildren(
    ...rules.map((y) => element("line", { x1: EDGE, x2: WIDE - EDGE, y1: y, y2: y, class: "rule" })),
    ...rules.map((y, place) => element("text", { x: EDGE - 8, y: y + 5, "text-anchor": "end", class: "mark" }, ((most * place) / 2).toFixed(0))),
    element("polyline", { points: matches.map(({ pr }, place) => at(pr, place).join(",")).join(" "), class: "curve" }),
    ...matches.map(({ pr, date, opponent }, place) => {
      const [x, y] = at(pr, place), dot = element("circle", { cx: x, cy: y, r: 5, class: "dot" });
      dot.append(element("title", {}, `${date.slice(0, 10)}, ${opponent}: ${pr.toFixed(1)}`));
      return dot;
    }),
    element("text", { x: EDGE, y: HIGH - 12, class: "mark" }, matches[0].date.slice(0, 10)),
    element("text", { x: WIDE - EDGE, y: HIGH - 12, "text-anchor": "end", class: "mark" }, matches.at(-1).date.slice(0, 10)),
  );
}

function show({ player, pr, matches, phases }) {
  for (const id of ["graph", "phases", "matches"]) $(id).toggleAttribute("hidden", !matches.length);
  $("status").textContent = !player ? "" : matches.length ? `${player}: performance rating ${pr.toFixed(1)} in ${matches.length} reviewed match${matches.length === 1 ? "" : "es"}; lower is better.` : `No match of ${player} has been reviewed.`;
  if (!matches.length) return;
  graph(matches);
  $("phases").tBodies[0].replaceChildren(...Object.entries(phases).map(([name, { pr: rating, decisions, lost }]) => row(name, rating.toFixed(1), String(decisions), lost.toFixed(2))));
  $("matches").tBodies[0].replaceChildren(...matches.toReversed().map((each) => {
    const link = Object.assign(document.createElement("a"), { href: `/review#${encodeURIComponent(each.id)}`, textContent: "review" });
    return row(each.date.slice(0, 10), each.opponent, each.pr.toFixed(1), each.play_pr.toFixed(1), each.cube_pr.toFixed(1), String(each.errors), String(each.blunders), signed(each.luck), link);
  }));
}

async function load(player) {
  $("status").textContent = "Reading …";
  try {
    const answer = await fetch(`/api/history?player=${encodeURIComponent(player)}`);
    const found = await answer.json();
    if (!answer.ok) throw new Error(found.reason);
    $("player").replaceChildren(...["", ...found.players].map((name) => Object.assign(document.createElement("option"), { value: name, textContent: name || "choose", selected: name === player })));
    show(found);
  } catch (error) { $("status").textContent = error.message || "The table cannot be reached."; }
}
$("player").onchange = () => { location.hash = encodeURIComponent($("player").value); };
addEventListener("hashchange", () => load(decodeURIComponent(location.hash.slice(1))));
load(decodeURIComponent(location.hash.slice(1)));

// Draw sheets and standings, for everybody and for the printer.
import { fill, make } from "/static/hub.js";

const HOW = { played: "", decided: "decided", forfeit: "forfeit", bye: "" };

export function describe(each) {
  const words = [];
  if (each.table && !each.result) words.push(/^table\b/i.test(each.table) ? each.table : `table ${each.table}`);
  if (each.result && HOW[each.result.how]) words.push(HOW[each.result.how]);
  if (each.corrected) words.push("corrected");
  if (!each.result && (each.score[0] || each.score[1])) words.push(`starts ${each.score[0]}-${each.score[1]}`);
  return words.join(" · ");
}

function match(each) {
  const over = each.result !== null, row = make("li", "", each.ready ? "ready" : "");
  [each.first, each.second].forEach((side, place) => {
    const won = over && side === each.result.winner && side !== 0;
    const name = side === null ? "" : side === 0 ? "bye" : each.names[place];
    row.append(make("p", "", won ? "won" : over || !side ? "lost" : "", make("span", name || "\u00a0"), make("span", each.result?.score ? String(each.result.score[place]) : "")));
  });
  const words = describe(each);
  if (words) row.append(make("small", words));
  return row;
}

const lengthOf = (event, round) => event.lengths[Math.min(round, event.lengths.length) - 1];
export function roundName(event, round) {
  const rest = event.rounds - round;
  return event.kind !== "elimination" ? `Round ${round}` : ["Final", "Semifinals", "Quarterfinals"][rest] ?? `Round ${round}`;
}

function rounds(event) {
  return Array.from({ length: event.rounds }, (_, place) => {
    const round = place + 1, list = make("ol", "", "", ...event.pairings.filter((each) => each.round === round).map(match));
    return make("div", "", "", make("h3", `${roundName(event, round)}, to ${lengthOf(event, round)}`), list);
  });
}

export function drawSheet(root, event) {
  if (event.kind === "elimination") return root.replaceChildren(make("div", "", "sheet", ...rounds(event)));
  const parts = [make("div", "", "rounds", ...rounds(event).map((each) => make("div", "", "sheet", each)))];
  if (event.kind === "round-robin") parts.unshift(cross(event));
  root.replaceChildren(...parts);
}

// Everybody against everybody: the score in the row's view.
function cross(event) {
  const rows = event.standings, table = make("table", "", "cross"), met = new Map();
  for (const each of event.pairings) {
    met.set(`${each.first} ${each.second}`, [each, 0]);
    met.set(`${each.second} ${each.first}`, [each, 1]);
  }
  const text = (one, other) => {
    const found = met.get(`${one} ${other}`), result = found?.[0].result;
    if (!result) return "";
    return result.score ? `${result.score[found[1]]}-${result.score[1 - found[1]]}` : result.winner === one ? "+" : "−";
  };
  fill(table, ["", ...rows.map((_, place) => String(place + 1))], rows.map((row, place) => [`${place + 1} ${row.name}`, ...rows.map((other) => (row.entry === other.entry ? "" : text(row.entry, other.entry)))]));
  table.querySelectorAll("tbody tr").forEach((line, place) => line.children[place + 1].classList.add("self"));
  return table;
}

export function standings(table, event, nameCell) {
  const points = event.kind !== "elimination";
  fill(table, ["Place", "Player", "Club", "Won", "Lost", ...(points ? ["Points", "Direct", "Berger"] : []), ""], event.standings.map((row) => [
    row.places, nameCell(row.name), event.entries.find(({ number }) => number === row.entry)?.club ?? "", row.won, row.lost, ...(points ? [row.points, row.direct, row.berger] : []), row.remark,
  ]));
}

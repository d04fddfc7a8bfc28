// Draw sheets and standings, for everybody and for the printer.
import { list, make } from "/static/hub.js";
import { fill, inLanguage, isolated, number } from "/static/language.js";

const WORDS = inLanguage({
  how: { played: "", decided: "decided", forfeit: "forfeit", bye: "" }, table: "table {name}", corrected: "corrected", starts: "starts {score}", bye: "bye", rest: "No match in this round: {players}",
  round: "Round {n}", last: ["Final", "Semifinals", "Quarterfinals"], length: "{round}, to {n}",
  columns: ["Rank", "Player", "Home club", "Matches won", "Matches lost"], points: ["Standing", "Direct", "Berger"],
  remarks: { left: "has left", "left; the matches do not count": "left; the matches do not count", "still in": "still in" },
});

export function describe(each) {
  const words = [];
  if (each.table && !each.result) words.push(/^\d/.test(each.table) ? fill(WORDS.table, { name: each.table }) : isolated(each.table));
  if (each.result && WORDS.how[each.result.how]) words.push(WORDS.how[each.result.how]);
  if (each.corrected) words.push(WORDS.corrected);
  if (!each.result && (each.score[0] || each.score[1])) words.push(fill(WORDS.starts, { score: each.score.join("-") }));
  return words.join(" · ");
}

export const nameOf = (each, place) => ([each.first, each.second][place] === 0 ? WORDS.bye : each.names[place]);

function match(each) {
  const over = each.result !== null, row = make("li", "", each.ready ? "ready" : "");
  [each.first, each.second].forEach((side, place) => {
    const won = over && side === each.result.winner && side !== 0;
    const name = side === null ? "" : nameOf(each, place);
    row.append(make("p", "", won ? "won" : over || !side ? "lost" : "", make("span", name || "\u00a0"), make("span", each.result?.score ? String(each.result.score[place]) : "")));
  });
  const words = describe(each);
  if (words) row.append(make("small", words));
  return row;
}

const lengthOf = (event, round) => event.lengths[Math.min(round, event.lengths.length) - 1];
export function roundName(event, round) {
  const rest = event.rounds - round;
  return (event.kind === "elimination" && WORDS.last[rest]) || fill(WORDS.round, { n: number(round) });
}

// Who has no match in a round, in words; a late entry has none before its first one.
export function resting(event, round) {
  if (event.kind === "elimination") return "";
  const begin = ({ late, number }) => (late ? Math.min(...event.pairings.filter(({ first, second }) => [first, second].includes(number)).map((each) => each.round)) : 1);
  const busy = new Set(event.pairings.filter((each) => each.round === round).flatMap(({ first, second }) => [first, second]));
  const names = event.entries.filter((each) => !each.out && !busy.has(each.number) && begin(each) <= round).map(({ name }) => name);
  return names.length ? fill(WORDS.rest, { players: names }) : "";
}

function rounds(event) {
  return Array.from({ length: event.rounds }, (_, place) => {
    const round = place + 1, words = resting(event, round), list = make("ol", "", "", ...event.pairings.filter((each) => each.round === round).map(match));
    return make("div", "", "", make("h3", fill(WORDS.length, { round: roundName(event, round), n: number(lengthOf(event, round)) })), list, ...(words ? [make("p", words, "faint")] : []));
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
  list(table, ["", ...rows.map((_, place) => String(place + 1))], rows.map((row, place) => [`${place + 1} ${isolated(row.name)}`, ...rows.map((other) => (row.entry === other.entry ? "" : text(row.entry, other.entry)))]));
  table.querySelectorAll("tbody tr").forEach((line, place) => line.children[place + 1].classList.add("self"));
  return table;
}

export function standings(table, event, nameCell) {
  const points = event.kind !== "elimination";
  list(table, [...WORDS.columns, ...(points ? WORDS.points : []), ""], event.standings.map((row) => [
    row.places, nameCell(row.name), event.entries.find(({ number }) => number === row.entry)?.club ?? "", row.won, row.lost, ...(points ? [row.points, row.direct, row.berger] : []), WORDS.remarks[row.remark] ?? row.remark,
  ]));
}

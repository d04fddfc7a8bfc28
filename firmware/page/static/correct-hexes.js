// Correcting a map of hexes: a touch changes the owner of a fortress or an army (at last it removes the army), or marks a free hex;
// marked hexes become an army. The table checks that four in a row were marked.
export const fits = (state) => Boolean(state?.position?.armies);

export function edit(state) {
  const { sides, position: { fortresses: held, armies: placed, border } } = state;
  const fortresses = { ...held }, marked = new Set();
  let armies = structuredClone(placed);
  const bare = Object.keys(state.cells).filter((cell) => cell.startsWith("hex."));
  const blocked = new Set(border);

  // The one after ``each``; undefined after the last.
  const next = (list, each) => list[list.indexOf(each) + 1];

  function touch(cell) {
    const hex = cell?.slice(4), army = armies.find(([, hexes]) => hexes.includes(hex));
    if (!bare.includes(cell) || blocked.has(hex)) return;
    if (army) {
      const side = next(sides, army[0]);
      if (side) army[0] = side; else armies = armies.filter((each) => each !== army);
    } else if (hex in fortresses) {
      fortresses[hex] = next(["neutral", ...sides], fortresses[hex]) ?? "neutral";
    } else if (!marked.delete(hex)) marked.add(hex);
  }

  function army(side) {
    if (marked.size) armies.push([side, [...marked]]);
    marked.clear();
  }

  function shown() {
    const cells = Object.fromEntries(bare.map((cell) => [cell, blocked.has(cell.slice(4)) ? [["border"]] : []]));
    for (const [hex, owner] of Object.entries(fortresses)) cells[`hex.${hex}`] = [[`fortress.${owner}`]];
    for (const [side, hexes] of armies) for (const hex of hexes) cells[`hex.${hex}`] = [[`army.${side}`]];
    return { cells, armies, marked: [...marked].map((hex) => `hex.${hex}`) };
  }

  return { touch, army, shown, position: () => ({ fortresses, armies }), places: bare.filter((cell) => !blocked.has(cell.slice(4))) };
}

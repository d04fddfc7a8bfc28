// Every word that the page's scripts say; what never changes stands in index.html. Another language is another pair of these two.
// What the table says (judgements, reasons, what it waits for) comes from the device.
export const WORDS = {
  live: "live", lost: "connection lost, trying again", none: "Waiting for the table", nothing: "No move judged yet.",
  read: "The reading is drawn over the picture.", board: "The board", turn: "to act", of: "of", pips: "pips",
  enter: "Enter the PIN to act", leave: "Stop acting", wrongNetwork: "The table did not answer; try again.",
  notNow: "Nothing can be done by hand just now.", whose: "Which of these was played?",
  own: "Own dice", die: "Die", correct: "Correct the position", correcting: "Drag the pieces to where they stand, or choose a piece and then its place.",
  gone: "Moved away. ", back: "Bring it back",
  noGames: "No match has been logged yet.", noneFound: "No match found.", download: "Download",
  pin: "PIN", remove: "Put away", watch: "Replay", crawford: "Crawford",
};

export const ACTIONS = {
  roll: "Roll", done: "Done", double: "Double", take: "Take", drop: "Drop", undo: "Undo", swap: "Swap", resign: "Resign",
  pause: "Pause", "roll by hand": "Own dice", choose: "Say the play", condone: "Let it stand", next: "Next game",
};
// The same button may mean another thing in another state of the table.
export const IN_STATE = {
  paused: { pause: "Go on" }, over: { done: "Next game" }, offered: { double: "Beaver" },
  resigned: { take: "Accept", drop: "Refuse" }, foul: { roll: "Roll: it stands" },
};
export const PIECES = { army: "armies", fortress: "fortresses", border: "border" };

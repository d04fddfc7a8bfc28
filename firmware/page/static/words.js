// Every word of the board's page, in English; inLanguage looks each up. What the table itself says (judgements, reasons, what it waits for) comes
// from the device, in the same language.
import { inLanguage, plural } from "/static/language.js";

export const WORDS = inLanguage({
  // The line to the table, and the heading.
  connecting: "connecting", setUp: "Set up", live: "live", moving: "board not at rest", crowded: "many are watching: shown every few seconds", lost: "connection lost; trying again", none: "Waiting for the table", crawford: "Crawford", money: "money session", game: "game {n}",
  points: plural("{n} point", "{n} points"), flip: "Show the board from the other side", flipped: "other side", mirror: "Swap left and right", mirrored: "left, right",

  // The board, the players, the judgement, the moves, the camera.
  board: "The board", point: "point {place}", size: "{piece} of size {size}", on: "{above}, on {below}", turn: "to act", chance: "{chance} to win", pips: plural("{n} pip", "{n} pips"), nothing: "Nothing has happened yet.", opening: "Each player rolls one die. The higher one begins.",
  moves: "Moves", noMoves: "None yet in this game", movesSoFar: "The moves so far", camera: "What the camera sees",
  picture: "The camera's picture of the board, with the reading drawn over it", noPicture: "No picture yet.",
  read: "The camera's picture, with the reading drawn over it.",

  // Acting.
  acting: "Acting at this table", enter: "Enter the PIN to act", leave: "Stop acting", wrongNetwork: "The table did not answer; try again.",
  notNow: "There is nothing to do by hand now.", theirTurn: "It is for {player} to act now.", another: "Set up the next match", more: "More", cancel: "Cancel", send: "Send", set: "Set",
  askPin: "The table's PIN has six digits, the director's eight. On the device, this command shows it:", enterPin: "Enter", pin: "PIN",
  whose: "Which of these did you play?", doubt: "The unclear points, as the camera sees them",
  say: "Type the play", own: "Own dice", resigns: "Who resigns, and how much?", die: "Die",

  // The dice of this game.
  dice: "Dice:", commitment: "Commitment", notBound: "The last game's secret is published; the next game gets a new one.", whoseSeat: "Who are you? This browser then acts for you alone, and gives words for your dice.",
  noSeat: "I only watch, or this is for both of us", sitDown: "Whose phone is this?", standUp: "Act for both players", actsFor: "Acts for {player}", directs: "The director",
  proposed: "The board as it would be", seatOf: "This browser gives words for {player}", seatOfNobody: "This browser gives no words.", changeSeat: "Change",
  ownWords: "Words of your own, added from the next game on", saveWords: "Save my words", wordsGiven: "Your words in this game:",
  othersWords: "These are not the words of this browser: somebody else gave words for you. These dice prove nothing to you.",
  chosenLate: "Somebody's words were chosen after this browser had told its own. These dice prove nothing to you.",
  wordsLeftOut: "The words of this browser are not in these dice. They prove nothing to you.",
  fairHelp: "Before each game the table binds itself to its dice by the commitment. Only then does your browser draw random words, which all rolls depend on. After the match, compare them: barpoint verify MATCH --words FILE.",

  // Setting things by hand.
  correct: "Correct the position", correcting: "Drag each piece to where it stands, or choose a piece and then its place.",
  correctingHexes: "Touch a fortress or an army to change its owner. Touch free hexes to mark them, then make them an army.",
  from: "From", to: "to", move: "Move", hex: "Hex", touch: "Touch", onTop: "It lies on top: a pin", join: "It stands beside: no pin", army: "Army: {side}", stands: "The board is right now", overtaken: "The board has changed meanwhile. Look at it, and correct what is still wrong.",
  callDirector: "Call the director", directorCalled: "The director is called: nobody need come any more", directorComes: "{who} comes: nobody need come any more",
  director: "Score, cube, turn", device: "Update and network of this table", score: "Score", cube: "Cube", owner: "Owner", nobody: "nobody", onTurn: "On turn",

  // The archive.
  archive: "Archive", history: "A player's history", best: "What is best? (training)", key: "This table's key", search: "Search the matches", searchFor: "Player, date, game", withAway: "show hidden matches",
  before: "One step back", after: "One step forward", place: "Place in the match", back: "Show again", backToTable: "Back to the table",
  of: "{n} of {all}", gone: "Hidden. ", remove: "Hide", watch: "Replay", download: "Download: {file}", report: "report", review: "review",
  play: "Play it", halt: "Stop", noGames: "No match has been logged yet.", noneFound: "No match was found.", looked: "{n} of {all} matches looked at; the list completes itself",

  // This screen.
  mine: "This screen", language: "Language", browsers: "The browser's", theme: "Board", daylight: "Light", speech: "Say aloud what happens", noVoice: "This browser has no voice for this language.", useKeys: "Keys", showKeys: "The keys", share: "Share the page", install: "Install as an app", sound: "sound", close: "Close",
  themes: { "": "Our own", walnut: "Walnut", club: "Club", slate: "Slate", sea: "Sea", contrast: "High contrast" },
  lights: { "": "As the device", light: "Light", dark: "Dark" },

  // Asking people in.
  code: "QR code: follow the table on a phone", hotspotCode: "QR code of the table's hotspot", wifi: "Wi-Fi",
});

export const ACTIONS = inLanguage({
  roll: "Roll", done: "Done", double: "Double", take: "Take", drop: "Drop", undo: "Undo", swap: "Swap", resign: "Resign",
  "undo dice": "Take the dice back", pause: "Pause", "roll by hand": "Own dice", choose: "Type the play", condone: "Let it stand", next: "Next game",
});
// What the keys do.
export const KEYS = inLanguage({ r: "Roll", d: "Done", u: "Undo", p: "Pause, or go on", t: "Type the play", o: "Other side", l: "Left and right", s: "Sound", "?": "This list" });
// The same button may mean another thing in another state of the table.
export const IN_STATE = inLanguage({
  paused: { pause: "Continue" }, over: { done: "Next game" }, offered: { double: "Beaver" },
  resigned: { take: "Accept", drop: "Refuse" }, proposed: { take: "Agree", drop: "Refuse" }, foul: { roll: "Roll, and let it stand" },
});
// Pieces and places, as they are read aloud. What is not here is called as the device calls it.
export const PIECES = inLanguage({ army: "army", fortress: "fortress", neutral: "neutral", white: "white", black: "black", red: "red", blue: "blue" });
export const SPARE = inLanguage({ fortress: plural("{n} fortress", "{n} fortresses"), army: plural("{n} army left", "{n} armies left") });
export const HEXES_OF = { army: 4 };  // the cells that one covers, each of which is told to hold it
export const PLACES = inLanguage({ bar: "bar", off: "off", reserve: "reserve", locked: "locked", hand: "hand", hex: "hex", supply: "supply" });
// What a game is resigned at; the table knows it by its English word.
export const GRADES = inLanguage({
  single: "single", gammon: "gammon", backgammon: "backgammon", "double backgammon": "double backgammon", standard: "standard", siege: "siege",
  "total siege": "total siege", mon: "mon", icegammon: "icegammon", "mons olympus": "mons olympus",
});

// What a side is called: by name, or by its colour.
export const who = (state, side) => state.called?.[side] ?? state.players[side];

// Puts the words into a page: data-word is an element's text, data-label what it is called, data-hint what a field shows while it is empty.
export function speak(words = WORDS, root = document) {
  for (const each of root.querySelectorAll("[data-word]")) each.textContent = words[each.dataset.word];
  for (const each of root.querySelectorAll("[data-label]")) each.setAttribute("aria-label", words[each.dataset.label]);
  for (const each of root.querySelectorAll("button[data-label]")) each.title = words[each.dataset.label];
  for (const each of root.querySelectorAll("img[data-label]")) each.alt = words[each.dataset.label];
  for (const each of root.querySelectorAll("[data-hint]")) each.placeholder = words[each.dataset.hint];
}

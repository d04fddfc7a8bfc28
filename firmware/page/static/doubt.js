// An unsure judgement: what the camera sees of the unclear points, and each possible play with the board after it.
import { describe, draw } from "/static/board.js";
import { element } from "/static/svg.js";
import { button, make } from "/static/table.js";
import { WORDS } from "/static/words.js";

// ``act`` sends what was chosen for ``side``.
export function show(box, state, act, side) {
  const open = side !== undefined && state.candidates.length ? state.candidates : [], asked = state.proposal?.cells;
  const key = JSON.stringify([open, asked]);
  if (box.dataset.key === key) return;
  box.dataset.key = key;
  const boards = open.filter(({ cells }) => cells), text = (cells, cell) => JSON.stringify(cells[cell] ?? []);
  const differ = Object.keys(state.cells ?? {}).filter((cell) => boards.some(({ cells }) => text(cells, cell) !== text(boards[0].cells, cell)));
  if (asked) return box.replaceChildren(make("h3", WORDS.proposed), proposed(state, asked));
  box.replaceChildren(...(open.length ? [make("h3", WORDS.whose), picture()] : []), ...open.map(({ play, cells }) => {
    const made = button(play, "candidate", () => act({ event: "choose", play, side }));
    if (cells) {
      const board = element("svg");
      board.setAttribute("aria-hidden", "true");
      draw(board, { ...state, cells, touched: differ, ghosts: {}, leds: [], dice: [], judgement: null, strip: false });
      made.prepend(board);
    }
    return made;
  }));
}

// The board as somebody wants it set by hand.
function proposed(state, cells) {
  const board = element("svg", { class: "proposed" });
  const changed = Object.keys(cells).filter((cell) => JSON.stringify(cells[cell]) !== JSON.stringify(state.cells[cell]));
  const after = { ...state, cells, touched: changed, ghosts: {}, leds: [], dice: [], judgement: null, strip: false };
  board.setAttribute("role", "img");
  board.setAttribute("aria-label", describe(after));
  draw(board, after);
  return board;
}

// Shown only once there is one: a table may have no camera.
function picture() {
  const made = make("img", "", "doubt");
  made.hidden = true;
  made.alt = WORDS.doubt;
  made.onload = () => { made.hidden = false; };
  made.src = `/doubt.jpg?${Date.now()}`;
  return made;
}

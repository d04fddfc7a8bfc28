// The lens of a camera that focuses by itself: sharp again, before the board is calibrated again.
import { $, say, step, trying } from "/static/setup-ask.js";

const SAYS = {
  focus: "Focus again", lens: (position) => (position > 0.05 ? `The lens is held at ${Math.round(100 / position)} cm.` : "The lens is held far away."),
  after: "Calibrate again afterwards: a lens that moves changes the picture's scale.",
};

export function follow({ lens }) {
  $("focus-part").hidden = lens === null;
  $("focus").textContent = SAYS.focus;
  if (lens !== null) say("focus-said", `${SAYS.lens(lens)} ${SAYS.after}`);
}
$("focus").onclick = trying("focus-reason", () => step("focus"));

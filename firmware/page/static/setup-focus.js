// The lens of a camera that focuses by itself: sharp again, before the board is calibrated again.
import { fill, inLanguage, number } from "/static/language.js";
import { $, say, step, trying } from "/static/setup-ask.js";

const SAYS = inLanguage({
  focus: "Focus again", near: "The lens is held at {n} cm.", far: "The lens is held far away.",
  after: "Calibrate again afterwards: a lens that moves changes the picture's scale.",
});

export function follow({ lens }) {
  $("focus-part").hidden = lens === null;
  $("focus").textContent = SAYS.focus;
  if (lens !== null) say("focus-said", `${lens > 0.05 ? fill(SAYS.near, { n: number(100 / lens) }) : SAYS.far} ${SAYS.after}`);
}
$("focus").onclick = trying("focus-reason", () => step("focus"));

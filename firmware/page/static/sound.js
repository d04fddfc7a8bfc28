// Sounds of a table, made here from noise and tones (Web Audio), and announcements in the browser's own voice. A browser lets nothing sound before
// somebody has touched the page.
import { language } from "/static/language.js";
import { wants } from "/static/mine.js";

let context = null, out = null, before = null, warned = 0;

function ready() {
  if (!context) {
    context = new AudioContext();
    out = context.createGain();
    out.gain.value = 0.5;
    out.connect(context.destination);
  }
  if (context.state === "suspended") context.resume();
}
for (const touch of ["pointerdown", "keydown"]) addEventListener(touch, () => { if (wants("sound", true)) ready(); }, { passive: true });

// A knock: noise through a resonance at ``pitch`` hertz, ``after`` seconds from now, that dies within ``long`` seconds.
function knock(pitch, after, long, loud, sharp = 6) {
  const at = context.currentTime + after, frames = Math.ceil(context.sampleRate * long);
  const noise = context.createBufferSource(), filter = context.createBiquadFilter(), gain = context.createGain();
  noise.buffer = context.createBuffer(1, frames, context.sampleRate);
  const samples = noise.buffer.getChannelData(0);
  for (let n = 0; n < frames; n++) samples[n] = (2 * Math.random() - 1) * (1 - n / frames) ** 3;
  Object.assign(filter, { type: "bandpass" });
  filter.frequency.value = pitch;
  filter.Q.value = sharp;
  gain.gain.value = loud;
  noise.connect(filter).connect(gain).connect(out);
  noise.start(at);
}

function tone(pitch, after, long, loud, type = "sine") {
  const at = context.currentTime + after, source = context.createOscillator(), gain = context.createGain();
  source.type = type;
  source.frequency.value = pitch;
  gain.gain.setValueAtTime(0, at);
  gain.gain.linearRampToValueAtTime(loud, at + 0.01);
  gain.gain.exponentialRampToValueAtTime(0.001, at + long);
  source.connect(gain).connect(out);
  source.start(at);
  source.stop(at + long);
}

export const SOUNDS = {
  dice: () => [0, .07, .13, .2, .29, .36, .44].forEach((after, n) => knock(1700 + 500 * Math.random(), after, .07, 1.1 - n * .1, 4)),
  checker: () => { knock(820, 0, .09, 2.2); knock(2400, 0, .03, .6); },
  hit: () => { knock(600, 0, .12, 2.8); knock(820, .14, .1, 2.2); },
  cube: () => { knock(420, 0, .16, 3); tone(660, .05, .35, .12, "triangle"); },
  foul: () => { tone(233, 0, .28, .3, "triangle"); tone(175, .2, .45, .3, "triangle"); },
  time: () => { tone(988, 0, .12, .22); tone(988, .2, .12, .22); },
  won: () => [523, 659, 784, 1047].forEach((pitch, n) => tone(pitch, .13 * n, .5, .2, "triangle")),
};

const onBar = (state) => Object.entries(state.cells).filter(([cell]) => cell.startsWith("bar.")).reduce((sum, [, layers]) => sum + layers.flat().length, 0);

// Which sound belongs to what has happened between two states; the first of these that fits.
export function soundOf(old, now) {
  const fresh = JSON.stringify(now.news) !== JSON.stringify(old.news) ? (now.news ?? []).map(({ kind }) => kind) : [];
  const judged = now.judgement?.verdict !== old.judgement?.verdict || now.moves?.length !== old.moves?.length ? now.judgement?.verdict : null;
  if (fresh.some((kind) => kind === "match won" || kind === "game won")) return "won";
  if (fresh.includes("time")) return "time";
  if (judged === "illegal") return "foul";
  if (fresh.some((kind) => ["double", "beaver", "take", "drop"].includes(kind))) return "cube";
  if (now.dice.length && (String(now.dice) !== String(old.dice) || now.moves?.length !== old.moves?.length)) return "dice";
  if (onBar(now) > onBar(old)) return "hit";
  return JSON.stringify(now.cells) === JSON.stringify(old.cells) ? null : "checker";
}

export function hear(state) {
  const old = before;
  before = state;
  if (!old || !state.cells || !old.cells) return;
  const name = soundOf(old, state);
  if (name && context && wants("sound", true)) SOUNDS[name]();
  const words = (state.news ?? []).map((each) => each.words).join(". ") || (state.judgement ? `${state.judgement.title}. ${state.judgement.text}` : "");
  const said = (old.news ?? []).map((each) => each.words).join(". ") || (old.judgement ? `${old.judgement.title}. ${old.judgement.text}` : "");
  if (words && words !== said) speak(words);
}

// A voice of the page's language: another one would read these words as if they were its own. A browser may know its voices only after a while.
const tongue = (tag) => tag.toLowerCase().split(/[-_]/)[0];
const voice = () => {
  const own = speechSynthesis.getVoices().filter(({ lang }) => tongue(lang) === language);
  return own.find((each) => each.default) ?? own.find((each) => each.localService) ?? own[0];
};
export const speaks = () => "speechSynthesis" in window && (speechSynthesis.getVoices().length === 0 || Boolean(voice()));

// Plays and dice as numbers one after the other: "13/8" would be read as a fraction, "3-1" as a subtraction.
export const aloud = (words) => words.replace(/[\u2066-\u2069]/g, "").replace(/(?<=[\p{L}\d*)])[/–-](?=[\p{L}]*\d|off)/gu, ", ").replaceAll("*", "");

function speak(words) {
  if (!wants("speech", false) || !speaks()) return;
  speechSynthesis.cancel();
  speechSynthesis.speak(Object.assign(new SpeechSynthesisUtterance(aloud(words)), { lang: language, voice: voice() ?? null }));
}

// A clock that runs out is heard at ten seconds, and again at five.
export function runsLow(left) {
  const mark = left <= 5 ? 5 : left <= 10 ? 10 : 0;
  if (mark && mark !== warned && left > 0 && context && wants("sound", true)) SOUNDS.time();
  warned = mark;
}

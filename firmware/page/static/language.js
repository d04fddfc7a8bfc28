// The reader's language. The table sends the words of one language (words.de.js) before any script runs; without them the page is in English.
const given = globalThis.barpointWords ?? { plural: (n) => Number(n !== 1), words: {} };
const root = document.documentElement;
export const language = root.lang || "en";

// ``text`` with the values that it names: "{n} points".
// From right to left, each keeps its own direction; and so does a name from right to left in any sentence. A list runs as the sentence does.
// Marks in a name that would turn all that follows are left out.
const TURNS = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const OVERRIDES = /[\u202a-\u202e]/g;
export function isolated(value) {
  if (Array.isArray(value)) return value.map(isolated).join(", ");
  const text = typeof value === "string" ? value.replace(OVERRIDES, "") : value;
  return TURNS.test(text) ? `\u2068${text}\u2069` : root.dir === "rtl" ? `\u2066${text}\u2069` : text;
}
export const fill = (text, values) => text.replace(/\{(\w+)\}/g, (all, name) => (name in values ? isolated(values[name]) : all));

// Words about ``n`` things: plural("{n} point", "{n} points")(2).
export const plural = (one, many) => (n, more) => {
  const forms = given.words[one] ?? [one, many];
  return fill(forms[Math.min(given.plural(n), forms.length - 1)], { ...more, n: number(n) });
};

// Words, or any object of words, in this language. What stands in here is found by ``python -m firmware.languages``: plain strings only.
export function inLanguage(words) {
  if (typeof words === "string") return given.words[words] ?? words;
  if (Array.isArray(words)) return words.map(inLanguage);
  return words?.constructor === Object ? Object.fromEntries(Object.entries(words).map(([name, each]) => [name, inLanguage(each)])) : words;
}

export const number = (value, places = 0) => new Intl.NumberFormat(language, { minimumFractionDigits: places, maximumFractionDigits: places }).format(value);
// A day without a time, as match files name it, is that day everywhere on earth.
const bare = (at) => typeof at === "string" && at.length === 10;
export const day = (at) => new Date(at).toLocaleDateString(language, { dateStyle: "medium", ...bare(at) && { timeZone: "UTC" } });
export const moment = (at) => bare(at) ? day(at) : new Date(at).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
// What a clock shows of so many seconds: 0:59, 12:00, 9:00:00.
export function clockTime(seconds) {
  const whole = Math.max(0, Math.ceil(seconds)), [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return [...(hours ? [hours] : []), hours ? String(minutes).padStart(2, "0") : minutes, String(rest).padStart(2, "0")].join(":");
}
export const dashed = (dice) => [...dice].sort((one, other) => other - one).join("-");  // as players say them, the higher first
export const percent = (value, places = 1) => new Intl.NumberFormat(language, { style: "percent", minimumFractionDigits: places, maximumFractionDigits: places }).format(value);

// The table says its own sentences in this language, too: a request names it, and a stream by its address.
export const headers = (more) => ({ "Accept-Language": language, ...more });
export const said = (path) => `${path}${path.includes("?") ? "&" : "?"}lang=${language}`;

export const LANGUAGES = { en: "English", de: "Deutsch", fr: "Français", es: "Español", tr: "Türkçe", el: "Ελληνικά", ru: "Русский", ja: "日本語", he: "עברית" };

// Kept for a year; "" is the browser's own again.
export function choose(code) {
  document.cookie = `barpoint-language=${code};path=/;max-age=${code ? 31536000 : 0};samesite=lax`;
  const query = new URLSearchParams(location.search);
  if (!query.has("lang")) { location.reload(); return; }
  query.delete("lang");
  location.search = query;
}
export const chosen = () => /(?:^|; )barpoint-language=(\w+)/.exec(document.cookie)?.[1] ?? "";

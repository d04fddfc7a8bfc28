// The table's own players, whose names in a record are these words.
import { inLanguage } from "/static/language.js";

export const OWN = inLanguage({
  engine: "engine", "engine best": "engine best", "engine strong": "engine strong", "engine club": "engine club", "engine casual": "engine casual",
  "engine beginner": "engine beginner",
});

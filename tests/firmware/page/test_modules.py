"""A page's script in one piece."""

import re

import pytest

from firmware.page.assets import ENTRY, STATIC
from firmware.page.modules import joined

MODULES = {
    "page.js": 'import * as board from "/static/board.js";\n'
    'import { fill as filled, words } from "/static/words.js"; // why\n'
    'import "/static/keys.js";\nfilled(board.draw(words));\n',
    "board.js": 'import { words } from "/static/words.js";\nexport function draw() { return words; }\n',
    "words.js": "export const words = 1;\nexport async function fill() {}\nexport const $ = 2;\n",
    "keys.js": "addEventListener();\n",
}


def test_every_module_stands_once_and_before_those_that_import_it() -> None:
    script = joined("page.js", MODULES)
    assert [line[3:] for line in script.splitlines() if line.startswith("// ")] == [
        "words.js",
        "board.js",
        "keys.js",
        "page.js",
    ]
    assert "const board = $board;" in script
    assert "const { fill: filled, words } = $words;" in script
    assert "return { words, fill, $ };" in script


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"words.js": 'import "/static/page.js";\n' + MODULES["words.js"]}, "circle: page.js -> board.js ->"),
        ({"words.js": "export let words = 1;\n"}, "board.js needs words of words.js"),
        ({"board.js": "const draw = 1;\n"}, "page.js needs draw of board.js"),
        ({"keys.js": "export default 1;\n"}, "keys.js: not understood: export default 1;"),
        ({"keys.js": 'import "/static/gone.js";\n'}, "keys.js needs gone.js"),
    ],
)
def test_a_module_that_cannot_be_joined_is_named(change: dict[str, str], reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        joined("page.js", MODULES | change)


def test_the_boards_page_asks_for_one_script() -> None:
    page = (STATIC / "index.html").read_text()
    assert len(re.findall(r"<script[^>]* src=", page)) == 1
    assert "modulepreload" not in page


def test_a_page_that_needs_a_script_says_so_where_the_browser_runs_none() -> None:
    pages = [*STATIC.glob("*.html"), *(STATIC.parents[1] / "hub" / "page" / "static").glob("*.html")]
    needing = {page.name for page in pages if ENTRY.search(page.read_bytes())}
    assert needing == {page.name for page in pages if b"<noscript>" in page.read_bytes()}
    assert len(needing) == 9

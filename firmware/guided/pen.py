"""A sheet to draw on: SVG elements with a handful of styles that follow the reader's light or dark
setting."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

STYLE = """
:root{--paper:#fff;--ink:#1d1d1f;--soft:#6b7280;--faint:#d8dbe0;--fill:#f1f3f5;--wood:#c9a77a;
--a:#0b62a8;--b:#b3480a;--c:#0a7a52;--power:#c1121f}
@media (prefers-color-scheme:dark){:root{--paper:#16181c;--ink:#eceef1;--soft:#a3abb8;--faint:#4a505a;
--fill:#24282e;--wood:#7b5f3c;
--a:#6cb6f2;--b:#f59a5b;--c:#5fd3a6;--power:#ff7b7b}}
text{font-family:system-ui,sans-serif;font-size:13px;fill:var(--ink)}
.small{font-size:11px;fill:var(--soft)}.title{font-size:15px;font-weight:600}
.line{stroke:var(--ink);stroke-width:1.5;fill:none}.thin{stroke:var(--soft);fill:none}
.dash{stroke:var(--soft);stroke-dasharray:5 4;fill:none}
.box{fill:var(--fill);stroke:var(--ink);stroke-width:1.5}.pale{fill:var(--fill);stroke:var(--faint)}
.wood{fill:var(--wood);stroke:var(--ink);stroke-width:1.5}
.a{fill:var(--a)}.b{fill:var(--b)}.c{fill:var(--c)}.power{fill:var(--power)}
.soft{fill:var(--soft)}.ink{fill:var(--ink)}
.wa{stroke:var(--a)}.wb{stroke:var(--b)}.wpower{stroke:var(--power)}.wground{stroke:var(--ink)}
.wire{fill:none;stroke-width:2.5}.on{fill:var(--paper);font-size:11px;font-weight:600}
.asked{fill:none;stroke:var(--power);stroke-width:4}
.cone{fill:var(--a);opacity:.15}.glow{fill:var(--b);opacity:.14}
"""
"""Colours that stay apart for colour-blind eyes; every one of them is told by a word, too."""


@dataclass
class Sheet:
    """A drawing of ``width`` x ``height`` units; ``title`` is read to who cannot see it. Places are in units
    from the top left."""

    width: float
    height: float
    title: str
    _parts: list[str] = field(default_factory=list)

    def line(self, points: list[tuple[float, float]], style: str = "line") -> None:
        """A line through all points."""
        self._parts.append(
            f'<polyline class="{style}" points="{" ".join(f"{x:g},{y:g}" for x, y in points)}"/>'
        )

    def area(self, points: list[tuple[float, float]], style: str) -> None:
        """A filled outline."""
        self._parts.append(
            f'<polygon class="{style}" points="{" ".join(f"{x:g},{y:g}" for x, y in points)}"/>'
        )

    def rect(
        self, x: float, y: float, width: float, height: float, style: str = "box", round_: float = 4
    ) -> None:
        """A rectangle by its top left corner."""
        self._parts.append(
            f'<rect class="{style}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"'
            f' rx="{round_:g}"/>'
        )

    def disc(self, x: float, y: float, radius: float, style: str = "box") -> None:
        """A disc by its centre."""
        self._parts.append(f'<circle class="{style}" cx="{x:g}" cy="{y:g}" r="{radius:g}"/>')

    def text(self, x: float, y: float, words: str, style: str = "", anchor: str = "start") -> None:
        """Words on a base line; ``anchor`` is start, middle or end."""
        self._parts.append(
            f'<text class="{style}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(words)}</text>'
        )

    def measure(self, start: tuple[float, float], end: tuple[float, float], words: str) -> None:
        """A level or upright measure with ticks at its ends, and words beside its middle."""
        (x0, y0), (x1, y1) = start, end
        self.line([start, end], "thin")
        if y0 == y1:
            self.line([(x0, y0 - 5), (x0, y0 + 5)], "thin")
            self.line([(x1, y1 - 5), (x1, y1 + 5)], "thin")
            self.text((x0 + x1) / 2, y0 - 7, words, "", "middle")
        else:
            self.line([(x0 - 5, y0), (x0 + 5, y0)], "thin")
            self.line([(x1 - 5, y1), (x1 + 5, y1)], "thin")
            self.text(x0 + 8, (y0 + y1) / 2 + 4, words)

    def svg(self) -> str:
        """The file's text."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {self.height:g}"'
            f' width="{self.width:g}"'
            f' role="img">\n<title>{escape(self.title)}</title>\n<style>{STYLE}</style>\n<rect'
            f' width="{self.width:g}" height="{self.height:g}" fill="var(--paper)"/>\n'
            + "\n".join(self._parts)
            + "\n</svg>\n"
        )

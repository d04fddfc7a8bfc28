"""How fair dice are, as an SVG: for every outcome a bar, its distance from what fair dice give."""

from __future__ import annotations

import math

from firmware.dice.fairness import ChiSquare, Fairness

WIDTH, PANEL, LEFT, TOP = 760, 190, 60, 50
REACH = 4.0
"""Standard deviations that a panel reaches up and down."""


def svg(found: Fairness) -> str:
    """The three tests. 95 of 100 bars end in the shaded band, two standard deviations to each side."""
    height = TOP + PANEL * len(found.tests)
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif"'
            ' font-size="12">'
        ),
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="{LEFT}" y="24" font-size="16">{found.dice} dice</text>',
    ]
    for number, test in enumerate(found.tests):
        parts += _panel(test, TOP + number * PANEL)
    return "\n".join([*parts, "</svg>", ""])


def _panel(test: ChiSquare, top: int) -> list[str]:
    expected, outcomes = test.expected, len(test.counts)
    sigma = math.sqrt(expected * (1 - 1 / outcomes)) or 1.0
    unit = (PANEL - 50) / 2 / REACH
    middle = top + 20 + unit * REACH
    step = (WIDTH - LEFT - 20) / outcomes
    lines = [
        (
            f'<text x="{LEFT}" y="{top + 10}">{test.name}: chi-square {test.statistic:.2f}, p = {test.p:.4f};'
            f" {expected:.0f} expected of each</text>"
        ),
        (
            f'<rect x="{LEFT}" y="{middle - 2 * unit:.1f}" width="{WIDTH - LEFT - 20}"'
            f' height="{4 * unit:.1f}" fill="#e8f0f6"/>'
        ),
        f'<line x1="{LEFT}" x2="{WIDTH - 20}" y1="{middle:.1f}" y2="{middle:.1f}" stroke="#333"/>',
    ]
    lines += [
        f'<text x="{LEFT - 34}" y="{middle - each * unit + 4:.1f}">{each:+d}σ</text>'
        for each in (-4, -2, 2, 4)
    ]
    for place, count in enumerate(test.counts):
        tall = max(-REACH, min(REACH, (count - expected) / sigma)) * unit
        x = LEFT + (place + 0.15) * step
        lines.append(
            f'<rect x="{x:.1f}" y="{middle - max(tall, 0):.1f}" width="{0.7 * step:.1f}"'
            f' height="{abs(tall):.1f}" fill="#0072b2"><title>{_label(place, outcomes)}:'
            f" {count}</title></rect>"
        )
        lines.append(
            f'<text x="{x:.1f}" y="{top + PANEL - 18}" font-size="9">{_label(place, outcomes)}</text>'
        )
    return lines


def _label(place: int, outcomes: int) -> str:
    return str(place + 1) if outcomes == 6 else f"{place // 6 + 1}{place % 6 + 1}"

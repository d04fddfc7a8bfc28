"""Are these dice fair? Three chi-square tests over any sequence of rolls, with their p-values.

* *faces*: how often each of the six faces came, over all dice (5 degrees of freedom);
* *pairs*: how often each ordered pair came as the first two dice of a roll (35);
* *serial*: how often each face was followed by each, from the last die of one roll to the first of the next
  (35). Of rolls with one die, every second pair is left out, so that no die is in two pairs and the pairs
  stay independent.

A p-value is the chance that fair dice deviate at least as much. Test again, with ten million other dice,
where it is under 0.001. Fair dice are under 0.05 one time in twenty; a source that never is would not be fair
either.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

FACES = 6


def survival(statistic: float, degrees: int) -> float:
    """The probability that a chi-square variable of so many degrees of freedom is at least ``statistic``.

    The regularised upper incomplete gamma function Q(k/2, x/2) for whole k, by its recurrence Q(a + 1, y) =
    Q(a, y) + y**a e**-y / Γ(a + 1) from Q(1/2, y) = erfc(√y) or Q(1, y) = e**-y (Abramowitz and Stegun
    6.5.21). Every term is positive, so nothing cancels. A statistics library for this one function would be
    larger than the rest of the program.

    Raises ValueError for a negative statistic or less than one degree of freedom.
    """
    if degrees < 1 or statistic < 0:
        raise ValueError(
            f"chi-square {statistic} of {degrees} degrees of freedom: at least 0, and at least 1"
        )
    y = statistic / 2
    if y == 0:
        return 1.0
    a, total = (0.5, math.erfc(math.sqrt(y))) if degrees % 2 else (1.0, math.exp(-y))
    while a < degrees / 2:
        total += math.exp(a * math.log(y) - y - math.lgamma(a + 1))
        a += 1
    return min(total, 1.0)


@dataclass(frozen=True, slots=True)
class ChiSquare:
    """One chi-square test: observed counts, all equally likely."""

    name: str
    counts: tuple[int, ...]

    @property
    def expected(self) -> float:
        """The count that each outcome should have."""
        return sum(self.counts) / len(self.counts)

    @property
    def statistic(self) -> float:
        """Pearson's chi-square; 0 where nothing was counted."""
        expected = self.expected
        return sum((count - expected) ** 2 for count in self.counts) / expected if expected else 0.0

    @property
    def p(self) -> float:
        """The chance that fair dice deviate at least as much."""
        return survival(self.statistic, len(self.counts) - 1)

    def to_json(self) -> dict[str, object]:
        """Counts, statistic and p-value."""
        return {
            "name": self.name,
            "counts": list(self.counts),
            "chi_square": round(self.statistic, 3),
            "p": round(self.p, 5),
        }


@dataclass(frozen=True, slots=True)
class Fairness:
    """The three tests over one sequence of rolls."""

    dice: int
    faces: ChiSquare
    pairs: ChiSquare
    serial: ChiSquare

    @property
    def tests(self) -> tuple[ChiSquare, ChiSquare, ChiSquare]:
        """All three."""
        return (self.faces, self.pairs, self.serial)

    def to_json(self) -> dict[str, object]:
        """For ``barpoint dice --stats N --json``."""
        return {"dice": self.dice, "tests": [test.to_json() for test in self.tests]}

    def chart(self, width: int = 50) -> str:
        """Lines of text: for each face a bar of its deviation in standard deviations; the three p-values."""
        expected = self.faces.expected
        sigma = math.sqrt(expected * (1 - 1 / FACES)) or 1.0
        half = width // 2
        lines = [
            f"{self.dice} dice; deviation of each face, one column = {8 / width:.2f} standard deviations"
        ]
        for face, count in enumerate(self.faces.counts, 1):
            columns = max(-half, min(half, round((count - expected) / sigma * width / 8)))
            bar = ("▇" * -columns).rjust(half) + "│" if columns < 0 else " " * half + "│" + "▇" * columns
            lines.append(f"{face} {bar.ljust(width + 1)} {count} ({(count - expected) / sigma:+.2f}σ)")
        lines += [f"{test.name:<7}chi-square {test.statistic:8.2f}   p = {test.p:.4f}" for test in self.tests]
        return "\n".join(lines)


def fairness(rolls: Iterable[Sequence[int]]) -> Fairness:
    """Tests rolls of one die or more, in the order rolled. Raises ValueError for a face outside 1-6."""
    faces, pairs, serial = [0] * FACES, [0] * FACES**2, [0] * FACES**2
    last = 0
    """The last die of the roll before, 0 where it is used up or there is none."""
    for roll in rolls:
        for face in roll:
            if not 1 <= face <= FACES:
                raise ValueError(f"a die cannot show {face}")
            faces[face - 1] += 1
        if len(roll) > 1:
            pairs[(roll[0] - 1) * FACES + roll[1] - 1] += 1
        if last:
            serial[(last - 1) * FACES + roll[0] - 1] += 1
        last = 0 if last and len(roll) == 1 else roll[-1]
    return Fairness(
        sum(faces),
        ChiSquare("faces", tuple(faces)),
        ChiSquare("pairs", tuple(pairs)),
        ChiSquare("serial", tuple(serial)),
    )

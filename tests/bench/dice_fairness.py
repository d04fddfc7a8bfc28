"""Ten million dice of the provable source through the fairness tests.

    python -m tests.bench.dice_fairness [DICE] [SECRET]

Prints the chart with the p-values and exits 1 where one is under 0.001. SECRET (hex) repeats a run; without
it a fresh one is drawn and printed.
"""

import sys
import time

from firmware.dice.fairness import fairness
from hardware.dice import SealedDice
from tests.bench.arguments import arguments


def main(dice: int, secret: str) -> int:
    source = SealedDice(bytes.fromhex(secret)) if secret else SealedDice.draw()
    begin = time.perf_counter()
    result = fairness(source.roll(number, 2) for number in range(1, dice // 2 + 1))
    print(result.chart())
    print(f"secret {source.secret.hex()}, {time.perf_counter() - begin:.0f} s")
    return int(any(test.p < 0.001 for test in result.tests))


if __name__ == "__main__":
    sys.exit(main(**arguments(__doc__, dice=10_000_000, secret="")))

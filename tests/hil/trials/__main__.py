"""In the guest: ``python3 -m trials [--short] [NAME…]`` runs the trials, or some, in this order."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable

from trials import buttons, faults, game, service, strip
from trials.bars import Bars

SHORT: tuple[Callable[[Bars], None], ...] = (
    service.sandbox,
    game.set_up,
    game.four_turns,
    game.memory,
    strip.lights,
    buttons.latency,
    buttons.bouncing,
    faults.strip_fails,
    faults.ribbon,
    faults.chip,
    faults.disk,
    faults.killed,
    faults.old_picture,
)
LONG = (
    buttons.each,
    buttons.loaded,
    buttons.loose,
    faults.no_ribbon,
    faults.strip_fails_at_start,
    faults.usb_camera,
    game.whole_game,
    game.memory,
    game.another_match,
)


def main(words: list[str]) -> int:
    """0 where every bar is met."""
    known = {each.__name__: each for each in (*SHORT, *LONG)}
    names = [word for word in words if not word.startswith("--")]
    if wrong := [name for name in names if name not in known]:
        print(f"there is no {' '.join(wrong)}; there are {' '.join(known)}", file=sys.stderr)
        return 2
    chosen = [known[name] for name in names] or [*SHORT, *(() if "--short" in words else LONG)]
    failed = 0
    for trial in chosen:
        print(f"== {trial.__name__}", flush=True)
        begin, bars = time.monotonic(), Bars(trial.__name__)
        try:
            trial(bars)
        except Exception as error:  # the next trial may work
            traceback.print_exc()
            bars.same("went through", f"{type(error).__name__}: {error}")
        failed += bars.missed
        print(f"   {time.monotonic() - begin:.0f} s", flush=True)
    print(f"== {failed} bars missed" if failed else "== every bar is met")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The loop by which every network of convolutions is trained; on a GPU where there is one."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

KEPT = 0.998
"""How much of the mean of its weights a step leaves: what is kept is the mean of some 500 steps."""
EACH = 500
"""Steps from one look at what is held out to the next."""


@dataclass(frozen=True)
class Limits:
    """At most so many steps, and minutes of processor time (on a GPU, by the clock); the highest rate."""

    steps: int
    minutes: float
    rate: float


def device_here() -> torch.device:
    """Where to train. On a processor one thread does it: a second core is for whoever makes examples."""
    torch.set_num_threads(1)
    torch.set_float32_matmul_precision("high")
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def keeping(weights: Path) -> Callable[[nn.Module], None]:
    """Writes a network's weights there, as any machine reads them."""

    def keep(net: nn.Module) -> None:
        torch.save({name: value.cpu() for name, value in net.state_dict().items()}, weights)

    return keep


def fit(
    net: nn.Module,
    limits: Limits,
    one: Callable[[], Tensor],
    unseen: Callable[[nn.Module], float],
    more: Callable[[], bool],
    keep: Callable[[nn.Module], None],
) -> nn.Module:
    """Adam with a rate that rises and falls; stops in time. ``one`` is the loss of the next batch, ``unseen``
    that of what is held out. What comes back is the mean of the last steps' weights, as they were where
    ``unseen`` was least; each time that it is less, they are given to ``keep``. ``more`` takes what has come
    since to train on, and says whether other things are held out now."""
    device = next(net.parameters()).device
    clock = time.process_time if device.type == "cpu" else time.monotonic
    net.to(memory_format=torch.channels_last)  # twice as fast on a processor, with bfloat16 where it has that
    half = device.type == "cpu" and torch.cpu._is_avx512_bf16_supported()  # type: ignore[attr-defined]  # or 13 times slower
    best = torch.optim.AdamW(net.parameters(), limits.rate, weight_decay=1e-3, fused=device.type == "cuda")
    mean = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(KEPT), use_buffers=True)
    least, kept = unseen(net), copy.deepcopy(net)
    begun, total = clock(), torch.zeros((), device=device)
    print(f"0: held out {least:.4f}", flush=True)
    for step in range(limits.steps):
        part = max(step / limits.steps, (clock() - begun) / 60 / limits.minutes)
        for group in best.param_groups:
            group["lr"] = limits.rate * min((step + 1) / 100, 1) * 0.5 * (1 + np.cos(np.pi * min(part, 1)))
        with torch.autocast("cpu", torch.bfloat16, enabled=half):
            loss = one()
        best.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        best.step()
        mean.update_parameters(net)
        total += loss.detach()
        last = part >= 1 or step + 1 == limits.steps
        if (step + 1) % EACH and not last:
            continue
        if more():
            least = unseen(kept)
        now, spent = unseen(mean.module), clock() - begun
        lately = float(total) / (step % EACH + 1)
        print(f"{step + 1}: {lately:.4f}, held out {now:.4f} (before {least:.4f}; {spent:.0f} s)", flush=True)
        total.zero_()
        if now < least:
            least, kept = now, copy.deepcopy(mean.module)
            keep(kept)
        if last:
            break
    return kept

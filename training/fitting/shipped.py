"""Weights to begin training with: kept ones (``.pt``), or those of a network that ships (``.onnx``, or
packed, ``.onnx.xz``)."""

from __future__ import annotations

from pathlib import Path

import torch
from onnx import numpy_helper
from torch import Tensor, nn

from training.fitting.packing import unpacked


def begin(net: nn.Module, kept: list[Path], pixels: Tensor) -> None:
    """Begin with the mean of the weights in these files: of networks that were trained side by side from the
    same ones, on different examples. ``pixels``: a batch (N x 3 x rows x columns), for :func:`unfold`."""
    every = []
    for path in kept:
        if path.suffix != ".pt":
            unfold(net, path, pixels)
            every.append({name: value.clone() for name, value in net.state_dict().items()})
        else:
            every.append(torch.load(path))
    if every:
        net.load_state_dict({name: sum(one[name] for one in every) / len(every) for name in every[0]})


def unfold(net: nn.Module, path: Path, pixels: Tensor) -> None:
    """Take the weights of an exported network. Its normalisations were folded into its convolutions, so that
    nothing is left of what they expect: they learn it anew from ``pixels``, and the network answers to those
    as it did. Raises RuntimeError where the network has another shape."""
    graph = unpacked(path).graph
    arrays = {one.name: torch.from_numpy(numpy_helper.to_array(one).copy()) for one in graph.initializer}
    folded = [node.input[1:3] for node in graph.node if node.op_type in ("Conv", "Gemm")]
    layers = [part for part in net.modules() if isinstance(part, (nn.Conv2d, nn.Linear))]
    norms = iter([part for part in net.modules() if isinstance(part, nn.BatchNorm2d)])
    if len(folded) != len(layers):
        raise RuntimeError(f"{path.name} has {len(folded)} layers, this network {len(layers)}")
    with torch.no_grad():
        for layer, (weight, bias) in zip(layers, folded, strict=True):
            layer.weight.copy_(arrays[weight])
            if layer.bias is not None:
                layer.bias.copy_(arrays[bias])
            else:
                next(norms).bias.copy_(arrays[bias])
        hooks = [
            part.register_forward_pre_hook(_expect)
            for part in net.modules()
            if isinstance(part, nn.BatchNorm2d)
        ]
        net(pixels)
    for hook in hooks:
        hook.remove()


def _expect(norm: nn.Module, inputs: tuple[Tensor, ...]) -> None:
    """Let a normalisation expect this input, and pass it on as it is, but for its bias."""
    assert isinstance(norm, nn.BatchNorm2d)
    mean, var = inputs[0].mean((0, 2, 3)), inputs[0].var((0, 2, 3), unbiased=False)
    norm.weight.copy_((var + norm.eps).sqrt())
    norm.bias.add_(mean)
    if norm.running_mean is not None and norm.running_var is not None:
        norm.running_mean.copy_(mean)
        norm.running_var.copy_(var)

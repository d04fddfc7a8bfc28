"""Makes an exported network faster: leaves out channels of its first convolution.

The second convolution is fitted anew, by least squares, to answer from the channels that are kept as it did
from all; of all choices of channels the one that comes nearest is taken. Nothing is trained. (He, Zhang and
Sun, "Channel pruning for accelerating very deep neural networks", 2017.)

    python -m training.dice.narrow vision/dice/finder.onnx EXAMPLES --keep 8 --out NARROW.onnx
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import Tensor
from torch.nn.functional import conv2d, relu, unfold

from training.dice.train import normal

FILES, PLACES = 14, 2500
"""Files of examples that are looked at; places of each map."""
Floats = NDArray[np.float64]


def seen(paths: list[Path], first: Tensor, bias: Tensor) -> Floats:
    """How what the second convolution sees (its inputs, and a one) varies together, on the maps of files."""
    rng, total, many = np.random.default_rng(0), np.zeros(()), 0
    for path in paths:
        with np.load(path) as kept:
            for image, shape in zip(kept["maps"], kept["shapes"], strict=True):
                pixels = torch.from_numpy(image[: shape[0], : shape[1]].transpose(2, 0, 1).astype(np.float32))
                inside = relu(conv2d(normal(pixels[None]), first, bias, 2, 1))
                rows = unfold(inside, 3, padding=1, stride=2)[0].T
                some = rows[torch.from_numpy(rng.choice(len(rows), PLACES, replace=False))].double()
                some = torch.cat([some, torch.ones(len(some), 1)], 1)
                total, many = total + (some.T @ some).numpy(), many + len(some)
    return np.asarray(total / many, np.float64)


def nearest(gram: Floats, weights: Floats, keep: int) -> tuple[float, tuple[int, ...], Floats]:
    """The part of the answers' energy that is lost, the channels to keep, and the weights for them, of a
    convolution (outputs x (9 inputs + 1)) whose inputs vary so."""
    channels = (len(gram) - 1) // 9
    whole, best = weights @ gram, (np.inf, (), np.zeros(()))  # type: tuple[Floats, tuple[float, tuple[int, ...], Floats]]
    energy = float((whole * weights).sum())
    for some in itertools.combinations(range(channels), keep):
        of = np.array([9 * channel + k for channel in some for k in range(9)] + [len(gram) - 1])
        fitted = np.linalg.solve(gram[np.ix_(of, of)] + 1e-6 * np.eye(len(of)), whole[:, of].T).T
        lost = (energy - float((fitted * whole[:, of]).sum())) / energy
        if lost < best[0]:
            best = (lost, some, fitted)
    return best


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("network", type=Path)
    parser.add_argument("examples", type=Path)
    parser.add_argument("--keep", type=int, default=8)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    model = onnx.load(str(options.network))
    arrays = {one.name: one for one in model.graph.initializer}
    names = [name for node in model.graph.node if node.op_type == "Conv" for name in node.input[1:3]][:4]
    first, bias, second, offset = (numpy_helper.to_array(arrays[name]) for name in names)
    paths = sorted(options.examples.glob("*.npz"))[:FILES]
    gram = seen(paths, torch.from_numpy(first.copy()), torch.from_numpy(bias.copy()))
    flat = np.column_stack([second.reshape(len(second), -1), offset]).astype(np.float64)
    lost, kept, fitted = nearest(gram, flat, options.keep)
    channels = list(kept)
    made = (first[channels], bias[channels], fitted[:, :-1].reshape(len(second), -1, 3, 3), fitted[:, -1])
    for name, values in zip(names, made, strict=True):
        values = np.ascontiguousarray(values.astype(np.float32))
        arrays[name].CopyFrom(numpy_helper.from_array(values, name))
    onnx.save(model, str(options.out))
    print(f"channels {channels} kept, {lost:.1%} of what the second convolution answers lost")


if __name__ == "__main__":
    main()

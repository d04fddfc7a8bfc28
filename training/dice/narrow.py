"""Makes an exported network faster: leaves out channels of one of its convolutions.

The next convolution is fitted anew, by least squares, to answer from the channels that are kept as it did
from all; one after the other the channel is left out that is missed least. Nothing is trained. (He, Zhang
and Sun, "Channel pruning for accelerating very deep neural networks", 2017.)

    python -m training.dice.narrow vision/dice/finder.onnx EXAMPLES --layer 0 --keep 8 --out NARROW.onnx
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from torch.nn.functional import unfold

from vision import onnx_file
from vision.dice.look import even

FILES, PLACES = 14, 2500
"""Files of examples that are looked at; places of each map, and as many around its dice."""
Floats = NDArray[np.float64]


def seen(paths: list[Path], network: Path, layer: str, following: onnx.NodeProto) -> Floats:
    """How what a convolution sees (its inputs, and a one) varies together, on the maps of files. ``layer``:
    what it gets its inputs from."""
    how = {each.name: list(each.ints) for each in following.attribute}
    rng, total, many = np.random.default_rng(0), np.zeros(()), 0
    net = onnx_file.read(network)
    for path in paths:
        with np.load(path) as kept:
            for image, shape, dice in zip(kept["maps"], kept["shapes"], kept["dice"], strict=True):
                net.setInput(even(np.ascontiguousarray(image[: shape[0], : shape[1]])))
                inside = torch.from_numpy(np.array(net.forward(layer), np.float32))
                step = how["strides"][0]
                rows = unfold(inside, how["kernel_shape"][0], padding=how["pads"][0], stride=step)[0].T
                cell, wide = step * shape[1] // inside.shape[3], inside.shape[3] // step
                at = around(rng, dice, cell)
                at = at[:, 1].clip(0, len(rows) // wide - 1) * wide + at[:, 0].clip(0, wide - 1)
                anywhere = rng.choice(len(rows), min(PLACES, len(rows)), replace=False)
                some = rows[torch.from_numpy(np.concatenate([anywhere, at]))]
                some = torch.cat([some.double(), torch.ones(len(some), 1)], 1)
                total, many = total + (some.T @ some).numpy(), many + len(some)
    return np.asarray(total / many, np.float64)


def around(rng: np.random.Generator, dice: NDArray[np.float32], cell: int) -> NDArray[np.int64]:
    """Cells (N x 2: column, row) around the dice of a map, as many as elsewhere: there it matters most."""
    middles = dice[dice[:, 2] > 0, :2]
    if not len(middles):
        return np.zeros((0, 2), np.int64)
    near = np.repeat(middles, -(-PLACES // len(middles)), axis=0)
    return np.asarray(np.floor((near + rng.normal(0, 4, near.shape)) / cell), np.int64)


def nearest(gram: Floats, weights: Floats, keep: int, taps: int = 9) -> tuple[float, tuple[int, ...], Floats]:
    """The part of the answers' energy that is lost, the channels to keep, and the weights for them, of a
    convolution (outputs x (taps of each input + 1)) whose inputs vary so."""
    whole = weights @ gram
    energy = float((whole * weights).sum())

    def without(some: list[int]) -> tuple[float, tuple[int, ...], Floats]:
        of = np.array([taps * channel + k for channel in some for k in range(taps)] + [len(gram) - 1])
        fitted = np.linalg.solve(gram[np.ix_(of, of)] + 1e-6 * np.eye(len(of)), whole[:, of].T).T
        return (energy - float((fitted * whole[:, of]).sum())) / energy, tuple(some), fitted

    best = without(list(range((len(gram) - 1) // taps)))
    while len(best[1]) > keep:
        tried = (without([other for other in best[1] if other != one]) for one in best[1])
        best = min(tried, key=lambda each: each[0])
    return best


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("network", type=Path)
    parser.add_argument("examples", type=Path)
    parser.add_argument("--layer", type=int, default=0, help="which of its convolutions, from 0")
    parser.add_argument("--keep", type=int, default=8, help="channels")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    model = onnx.load(str(options.network))
    arrays = {one.name: one for one in model.graph.initializer}
    one, other = [node for node in model.graph.node if node.op_type == "Conv"][options.layer :][:2]
    names = [name for node in (one, other) for name in node.input[1:3]]
    first, bias, second, offset = (numpy_helper.to_array(arrays[name]) for name in names)
    before = next(node for node in model.graph.node if node.output[0] == other.input[0])
    paths = sorted(options.examples.glob("*.npz"))[:FILES]
    gram = seen(paths, options.network, f"onnx_node!{before.name}", other)
    flat = np.column_stack([second.reshape(len(second), -1), offset]).astype(np.float64)
    taps = second.shape[2] * second.shape[3]
    lost, kept, fitted = nearest(gram, flat, options.keep, taps)
    channels = list(kept)
    shape = (len(second), len(channels), *second.shape[2:])
    made = (first[channels], bias[channels], fitted[:, :-1].reshape(shape), fitted[:, -1])
    for name, values in zip(names, made, strict=True):
        values = np.ascontiguousarray(values.astype(np.float32))
        arrays[name].CopyFrom(numpy_helper.from_array(values, name))
    onnx.save(model, str(options.out))
    print(f"channels {channels} kept, {lost:.1%} of what the next convolution answers lost")


if __name__ == "__main__":
    main()

"""The mean of two exported networks' weights, of which one began with the other: it keeps what each knows
that the other has not seen, or has forgotten (Wortsman and others, "Model soups", 2022).

python -m training.fitting.mean BEFORE.onnx AFTER.onnx --share 0.75 --out MEAN.onnx
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from training.fitting.packing import unpacked


def weights_of(graph: onnx.GraphProto) -> list[onnx.TensorProto]:
    """The weights and biases of its layers, in their order."""
    arrays = {one.name: one for one in graph.initializer}
    layers = [node for node in graph.node if node.op_type in ("Conv", "Gemm")]
    return [arrays[name] for node in layers for name in node.input[1:3]]


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--share", type=float, default=0.5, help="of the second network, 0 to 1")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    before, after = unpacked(options.before), unpacked(options.after)
    for one, other in zip(weights_of(before.graph), weights_of(after.graph), strict=True):
        mine, yours = numpy_helper.to_array(one), numpy_helper.to_array(other)
        mixed = np.float32((1 - options.share) * mine + options.share * yours)
        one.CopyFrom(numpy_helper.from_array(mixed, one.name))
    onnx.save(before, str(options.out))


if __name__ == "__main__":
    main()

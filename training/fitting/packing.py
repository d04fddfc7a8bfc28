"""Packs a network that ships: weights of 16 bits, compressed, are half as large.

python -m training.fitting.packing NETWORK.onnx vision/ROOM/NETWORK.onnx.xz
"""

from __future__ import annotations

import argparse
import lzma
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper


def unpacked(path: Path) -> onnx.ModelProto:
    """The network of a file, packed (``.xz``) or not."""
    data = path.read_bytes()
    return onnx.load_from_string(lzma.decompress(data) if path.suffix == ".xz" else data)


def pack(network: Path, packed: Path) -> None:
    """Write it as ``vision.onnx_file`` reads it. The weights are rounded to 16 bits, not stored in them:
    OpenCV 4.6 does not read such."""
    model = unpacked(network)
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype == np.float32:
            tensor.CopyFrom(
                numpy_helper.from_array(values.astype(np.float16).astype(np.float32), tensor.name)
            )
    packed.write_bytes(lzma.compress(model.SerializeToString(), preset=9))


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("network", type=Path)
    parser.add_argument("packed", type=Path)
    given = parser.parse_args()
    pack(given.network, given.packed)


if __name__ == "__main__":
    main()

"""The demo's table in Blender (``pip install bpy``): felt, walnut with round edges, varnished checkers,
dice and a cube."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

import training.rendered.things as things
from training.demo.table import BOARD, VIEW, Box, Lying

ROUND = 0.22
"""How far edges of wood are rounded, in cm."""
DIE, CUBE = 1.5, 2.5
"""Their edges, in cm."""
CORNERS = ((-1, -1), (1, 1), (-1, 1), (1, -1))
PIPS = {
    1: ((0, 0),),
    2: CORNERS[:2],
    3: (*CORNERS[:2], (0, 0)),
    4: CORNERS,
    5: (*CORNERS, (0, 0)),
    6: (*CORNERS, (-1, 0), (1, 0)),
}
PLAIN = {
    "die": ((0.48, 0.012, 0.012), 0.2),
    "pip": ((0.86, 0.84, 0.80), 0.4),
    "cube": ((0.83, 0.78, 0.66), 0.3),
    "ink": ((0.02, 0.02, 0.03), 0.5),
}


class Studio:
    """The table with its lamps and camera, and what lies on it now."""

    def __init__(self) -> None:
        things.clear()
        self._made = things.build_board(BOARD)
        for thing in bpy.data.objects:
            if thing.name.split(".")[0] in ("near", "far", "wall", "rim", "ridge"):
                _rounded(thing, ROUND)
        for name in ("field", "one", "two", "floor"):
            self._made[name].node_tree.nodes["Principled BSDF"].inputs["Sheen Weight"].default_value = 0.25
        self._made |= {name: things.plain(name, *given) for name, given in PLAIN.items()}
        self._moulds = {}
        for side in ("white", "black"):
            mould = things.checker(side, BOARD, self._made[side])
            self._moulds[side] = mould.data
            bpy.data.objects.remove(mould)
        things.light_up(VIEW, BOARD)
        things.camera(VIEW)
        self._lying: dict[Lying, list[Any]] = {}

    def lay(self, lying: Iterable[Lying]) -> None:
        """Takes away what does not belong there, and lays down what is missing."""
        wanted = set(lying)
        for each in [each for each in self._lying if each not in wanted]:
            for thing in self._lying.pop(each):
                bpy.data.objects.remove(thing)
        for each in sorted(wanted - self._lying.keys(), key=repr):
            before = set(bpy.data.objects)
            self._put(each)
            self._lying[each] = [thing for thing in bpy.data.objects if thing not in before]

    def _put(self, each: Lying) -> None:
        x, y, z = each.at
        if each.kind in self._moulds:
            thing = bpy.data.objects.new(each.kind, self._moulds[each.kind])
            bpy.context.scene.collection.objects.link(thing)
            if each.on_edge:
                thing.rotation_euler, thing.location = (np.pi / 2, each.turn, 0), (x, y, BOARD.checker / 2)
                thing.location[1] += BOARD.thick / 2
            else:
                thing.rotation_euler, thing.location = (0, 0, each.turn), (x, y, z + 0.012)
            return
        size = CUBE if each.kind == "cube" else DIE
        thing = things.box(
            each.kind, (-size / 2, -size / 2, 0), (size / 2, size / 2, size), self._made[each.kind]
        )
        _rounded(thing, 0.12 * size, 4)
        thing.location, thing.rotation_euler = (x, y, z + 0.012), (0, 0, each.turn)
        if each.kind == "cube":
            self._number(thing, each.shows)
        else:
            self._pips(thing, each.shows)

    def _pips(self, die: Any, face: int) -> None:
        for a, b in PIPS[face]:
            bpy.ops.mesh.primitive_circle_add(radius=0.115 * DIE, fill_type="NGON", vertices=20)
            pip = bpy.context.object
            pip.data.materials.append(self._made["pip"])
            pip.parent, pip.location = die, (a * 0.25 * DIE, b * 0.25 * DIE, DIE + 0.006)

    def _number(self, cube: Any, number: int) -> None:
        text = bpy.data.curves.new("number", "FONT")
        text.body, text.size, text.align_x, text.align_y = str(number), 1.6, "CENTER", "CENTER"
        text.materials.append(self._made["ink"])
        label = bpy.data.objects.new("number", text)
        label.parent, label.location = cube, (0, 0, CUBE + 0.01)
        bpy.context.scene.collection.objects.link(label)


def _rounded(thing: Any, width: float, steps: int = 3) -> None:
    edge = thing.modifiers.new("edge", "BEVEL")
    edge.width, edge.segments, edge.limit_method = width, steps, "ANGLE"
    for polygon in thing.data.polygons:
        polygon.use_smooth = True
    thing.modifiers.new("normals", "WEIGHTED_NORMAL").keep_sharp = True


def trace(part: Box, samples: int, threads: int) -> NDArray[np.float32]:
    """The light (linear, BGR) that a pinhole sees in this part of the picture, smoothed by the denoiser that
    comes with Blender; the rest is black."""
    things.set_up_render(VIEW.size, part, samples, threads)
    scene = bpy.context.scene
    scene.render.use_persistent_data = True
    cycles = scene.cycles
    cycles.use_denoising, cycles.denoiser, cycles.denoising_prefilter = True, "OPENIMAGEDENOISE", "FAST"
    cycles.max_bounces, cycles.diffuse_bounces, cycles.glossy_bounces = 3, 2, 2
    cycles.seed = 1
    return things.render()

"""Tables with dice on them, path-traced in Blender (``pip install bpy``), kept as linear light like those
that are drawn (``tables``): shade, glass and noise are as a renderer has them.

python -m training.dice.traced FOLDER --first 0 --boards 100
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Vector
from numpy.typing import NDArray

from training.dice.body import FACES, Body
from training.dice.put import Floats, Thing, pinhole
from training.dice.strew import mixed, throw
from training.dice.tables import Table, board_and_view, keep
from training.rendered.lens import seen_part
from training.rendered.setting import Setting, crowd, game, set_up
from training.rendered.shoot import random_hand
from training.rendered.table import View
from training.rendered.things import build_board, camera, clear, light_up, put, render, set_up_render, spread

PICTURES = 2
"""Positions of a table."""
LINES = 56
"""Lines of a face's net, each way, between its round edges."""
ROUND = 6
"""Lines across half a round edge."""
WIDEST = 1280
"""Pixels: a picture of twice as many costs four times as long."""
WINDOW = 0.58
"""How much of the board's width and height is rendered: the rest costs time and has no more to teach."""
MANY = 180
"""Dice on the whole board, of so many SETS."""
SETS = 14
HANDS = 0.15
"""The part of the pictures that a hand reaches into."""
ABOVE = (0.0, 0.0, 0.015)
"""How far a die lies above its floor, in cm, so that nothing shines through."""
SEEN = 4
"""Of five places of a face that is up, how many the camera must see."""


def _net(body: Body) -> tuple[NDArray[np.float64], NDArray[np.int_]]:
    """A die's surface: places (N x 3), and the squares of its net (M x 4)."""
    inner = 0.5 - body.round
    edge = np.linspace(inner, 0.5, ROUND + 1)[1:]
    line = np.concatenate([-edge[::-1], np.linspace(-inner, inner, LINES), edge])
    count = len(line)
    a, b = np.meshgrid(line, line)
    first = np.arange(count * count).reshape(count, count)
    square = np.stack([first[:-1, :-1], first[:-1, 1:], first[1:, 1:], first[1:, :-1]], -1).reshape(-1, 4)
    places, squares = [], []
    for number, up in enumerate(FACES):
        aside = np.roll(up, 1)
        along = np.cross(up, aside)
        flat = 0.5 * up + a.reshape(-1, 1) * aside + b.reshape(-1, 1) * along
        core = np.clip(flat, -inner, inner)
        way = flat - core
        found = core + body.round * way / np.linalg.norm(way, axis=1, keepdims=True)
        far = np.linalg.norm(found, axis=1, keepdims=True)
        places.append(found * np.minimum(1, body.dome / far))
        squares.append(square + number * count * count)
    return np.concatenate(places), np.concatenate(squares)


def _mesh(rng: np.random.Generator, body: Body) -> Any:
    """A die's mesh, 1 long; its pips are drilled or printed."""
    places, squares = _net(body)
    ink = np.concatenate([body.ink_at(some.astype(np.float32))[0] for some in np.split(places, 6)])
    deep = 0.0 if body.numerals or rng.random() < 0.4 else float(rng.uniform(0.01, 0.05))
    inward = np.repeat(FACES, len(places) // 6, axis=0)
    mesh = bpy.data.meshes.new("die")
    mesh.from_pydata((places - deep * ink[:, None] * inward).tolist(), [], squares.tolist())
    mesh.attributes.new("ink", "FLOAT", "POINT").data.foreach_set("value", ink.astype(np.float32))
    one = np.repeat([value == 1 for value in body.values], len(places) // 6).astype(np.float32)
    mesh.attributes.new("one", "FLOAT", "POINT").data.foreach_set("value", one)
    mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))
    mesh.materials.append(_material(rng, body))
    return mesh


def _colour(colour: Floats) -> tuple[float, float, float, float]:
    blue, green, red = (float(value) for value in colour)
    return red, green, blue, 1.0


def _material(rng: np.random.Generator, body: Body) -> Any:
    """Its paint: two colours in streaks, ink over them; clear, glossy or dull."""
    made = bpy.data.materials.new("die")
    made.use_nodes = True
    nodes, links = made.node_tree.nodes, made.node_tree.links
    shader, place, streak = (
        nodes["Principled BSDF"],
        nodes.new("ShaderNodeTexCoord"),
        nodes.new("ShaderNodeTexNoise"),
    )
    streak.inputs["Scale"].default_value = float(rng.uniform(1.5, 8))
    streak.inputs["Distortion"].default_value = float(rng.uniform(0, 3))
    links.new(place.outputs["Object"], streak.inputs["Vector"])

    def mixed_by(value: Any, one: Any, two: Any) -> Any:
        mix = nodes.new("ShaderNodeMixRGB")
        links.new(value, mix.inputs["Fac"])
        for name, given in (("Color1", one), ("Color2", two)):
            if isinstance(given, tuple):
                mix.inputs[name].default_value = given
            else:
                links.new(given, mix.inputs[name])
        return mix.outputs["Color"]

    def attribute(name: str) -> Any:
        found = nodes.new("ShaderNodeAttribute")
        found.attribute_name = name
        return found.outputs["Fac"]

    ramp = nodes.new("ShaderNodeMapRange")
    ramp.inputs["From Min"].default_value, ramp.inputs["From Max"].default_value = 0.4, 0.6
    links.new(streak.outputs[0], ramp.inputs["Value"])
    paint = mixed_by(ramp.outputs[0], _colour(body.colour), _colour(body.second))
    ink = mixed_by(attribute("one"), _colour(body.ink), _colour(body.one))
    links.new(mixed_by(attribute("ink"), paint, ink), shader.inputs["Base Color"])
    if body.clear:
        open_ = nodes.new("ShaderNodeMapRange")
        open_.inputs["To Min"].default_value, open_.inputs["To Max"].default_value = body.clear, 0.0
        links.new(attribute("ink"), open_.inputs["Value"])
        links.new(open_.outputs[0], shader.inputs["Transmission Weight"])
    shader.inputs["IOR"].default_value = 1.49
    shader.inputs["Roughness"].default_value = float(0.05 if body.gloss > 0.4 else rng.uniform(0.1, 0.6))
    shader.inputs["Coat Weight"].default_value = body.gloss
    shader.inputs["Metallic"].default_value = float(rng.uniform(0.5, 1)) if rng.random() < 0.06 else 0.0
    return made


def stand(rng: np.random.Generator, thrown: list[Thing]) -> list[Any]:
    """Put them onto the table; returns the objects."""
    meshes: dict[int, Any] = {}
    stood = []
    for number, thing in enumerate(thrown):
        if id(thing.body) not in meshes:
            meshes[id(thing.body)] = _mesh(rng, thing.body)
        solid = bpy.data.objects.new(f"die-{number}", meshes[id(thing.body)])
        whole = np.eye(4)
        whole[:3, :3], whole[:3, 3] = thing.turn * thing.size, thing.middle + ABOVE
        solid.matrix_world = Matrix(whole.tolist())
        bpy.context.scene.collection.objects.link(solid)
        stood.append(solid)
    return stood


def _hid(view: View, thing: Thing, solid: Any) -> bool:
    """Whether something lies or reaches between the camera and the face that is up."""
    up = FACES[thing.face]
    aside = np.roll(up, 1)
    across = np.cross(up, aside)
    eye, seen = np.array(view.eye), 0
    for a, b in ((0, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)):
        place = thing.middle + thing.turn @ (0.45 * up + 0.27 * (a * aside + b * across)) * thing.size
        met, _, _, _, what, _ = bpy.context.scene.ray_cast(
            bpy.context.evaluated_depsgraph_get(), Vector(eye), Vector(place - eye).normalized()
        )
        seen += bool(met) and what.name == solid.name
    return seen < SEEN


def light_of(view: View, part: tuple[int, int, int, int], samples: int, quiet: bool) -> Floats:
    """What the pinhole sees, linear; outside of ``part`` as at its edge. ``quiet``: Blender takes out the
    noise."""
    set_up_render(view.size, part, samples, 1)
    cycles = bpy.context.scene.cycles
    cycles.max_bounces, cycles.transmission_bounces, cycles.glossy_bounces = 5, 4, 1
    cycles.use_denoising = quiet
    return spread(render(), part)


def _window(rng: np.random.Generator, whole: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    """A part of the board's part of the picture."""
    low, high = np.array(whole[:2]), np.array(whole[2:])
    size = ((high - low) * WINDOW).astype(int)
    left, top = (int(value) for value in rng.integers(low, high - size + 1))
    return left, top, left + int(size[0]), top + int(size[1])


def _within(part: tuple[int, int, int, int], pixels: NDArray[np.float64]) -> bool:
    """Whether these pixels (N x 2), and some beside them, are in the part."""
    return bool((pixels > np.array(part[:2]) + 12).all() and (pixels < np.array(part[2:]) - 12).all())


def trace(number: int) -> list[Table]:
    """The positions of a table. Every number is another board, camera, lamp, set of checkers and of dice."""
    rng = np.random.default_rng([4712, number])
    board, view, _ = board_and_view(rng)
    shrink = min(1.0, WIDEST / view.size[0])
    view = replace(view, bend=0.0, size=(int(view.size[0] * shrink), int(view.size[1] * shrink)))
    clear()
    made = build_board(board)
    light_up(view, board)
    camera(view)
    tables = []
    for _ in range(PICTURES):
        setting: Setting = (crowd if rng.random() < 0.2 else game)(rng, board.tray in ("right", "both"))
        set_up(rng, board, setting, bare=True)
        if rng.random() < HANDS:
            setting.hand = random_hand(rng, board)
        bare = Table(board, view, setting, np.zeros((0, 0, 3), np.float16))
        part = _window(rng, seen_part(view, board))
        thrown = [
            thing
            for thing in throw(rng, bare, replace(mixed(rng), many=MANY, sets=SETS))
            if _within(part, pinhole(view, thing.corners))
        ]
        solids = stand(rng, thrown)
        stood = [*put(board, made, setting, rng), *solids]
        bpy.context.view_layer.update()
        lying = tuple(
            replace(thing, hid=_hid(view, thing, solid)) for thing, solid in zip(thrown, solids, strict=True)
        )
        light = light_of(view, part, int(rng.choice([3, 5, 8, 11])), bool(rng.random() < 0.5))
        for thing in stood:
            bpy.data.objects.remove(thing)
        kept = np.clip(light, 0, 6e4).astype(np.float16)
        tables.append(replace(bare, light=kept, things=lying, part=part))
    return tables


def main() -> None:
    """See the module."""
    keep(__doc__, trace)


if __name__ == "__main__":
    main()

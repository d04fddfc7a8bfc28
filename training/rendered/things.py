"""A table built in Blender (``pip install bpy``): materials, board, checkers, dice, hands, lamps and camera.
One unit is a centimetre."""

from __future__ import annotations

import math
import os
import tempfile
from pathlib import Path
from typing import Any

os.environ["OPENCV_IO_ENABLE_OPENEXR"] = "1"

import bpy
import cv2
import numpy as np

from training.rendered.deep import Slice
from training.rendered.lens import Floats, pose
from training.rendered.setting import Piece, Setting
from training.rendered.table import Board, Colour, Material, View

TURNS = 64


def clear() -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)


def material(name: str, given: Material) -> Any:
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    nodes, links = made.node_tree.nodes, made.node_tree.links
    shader = nodes["Principled BSDF"]
    place, spread, grain, mix = (
        nodes.new(f"ShaderNode{kind}") for kind in ("TexCoord", "Mapping", "TexNoise", "MixRGB")
    )
    spread.inputs["Scale"].default_value = (given.scale / given.stretch, given.scale, given.scale)
    grain.inputs["Detail"].default_value = 6
    grain.inputs["Scale"].default_value = 1.0
    ramp = nodes.new("ShaderNodeMapRange")
    ramp.inputs["From Min"].default_value, ramp.inputs["From Max"].default_value = 0.35, 0.65
    ramp.inputs["To Max"].default_value = given.mix
    links.new(place.outputs["Object"], spread.inputs["Vector"])
    links.new(spread.outputs["Vector"], grain.inputs["Vector"])
    links.new(grain.outputs[0], ramp.inputs["Value"])
    links.new(ramp.outputs[0], mix.inputs["Fac"])
    mix.inputs["Color1"].default_value, mix.inputs["Color2"].default_value = (
        (*given.colour, 1),
        (*given.second, 1),
    )
    links.new(mix.outputs["Color"], shader.inputs["Base Color"])
    shader.inputs["Roughness"].default_value = given.rough
    shader.inputs["Metallic"].default_value = given.metal
    shader.inputs["Coat Weight"].default_value = given.coat
    shader.inputs["Coat Roughness"].default_value = 0.15
    if given.bump > 0:
        bump = nodes.new("ShaderNodeBump")
        bump.inputs["Strength"].default_value, bump.inputs["Distance"].default_value = given.bump, 0.05
        links.new(grain.outputs[0], bump.inputs["Height"])
        links.new(bump.outputs["Normal"], shader.inputs["Normal"])
    return made


def plain(name: str, colour: Colour, rough: float = 0.4) -> Any:
    return material(name, Material(colour, colour, 0.0, 1.0, 1.0, rough, 0.0, 0.0, 0.0))


def solid(name: str, verts: list[Any], faces: list[Any], made_of: Any, smooth: bool = False) -> Any:
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([tuple(map(float, v)) for v in verts], [], faces)
    mesh.materials.append(made_of)
    if smooth:
        mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(thing)
    return thing


def box(name: str, low: tuple[float, float, float], high: tuple[float, float, float], made_of: Any) -> Any:
    (a, b, c), (d, e, f) = low, high
    verts = [(a, b, c), (d, b, c), (d, e, c), (a, e, c), (a, b, f), (d, b, f), (d, e, f), (a, e, f)]
    faces = [(3, 2, 1, 0), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]
    return solid(name, verts, faces, made_of)


def _lathe(name: str, profile: list[tuple[float, float]], made_of: Any) -> Any:
    """A solid turned about z from (radius, z) pairs, from the bottom's middle to the top's."""
    verts: list[Any] = [(0, 0, profile[0][1])]
    rings = profile[1:-1]
    for radius, z in rings:
        verts += [
            (radius * math.cos(2 * math.pi * k / TURNS), radius * math.sin(2 * math.pi * k / TURNS), z)
            for k in range(TURNS)
        ]
    verts.append((0, 0, profile[-1][1]))
    faces: list[Any] = [(0, 1 + (k + 1) % TURNS, 1 + k) for k in range(TURNS)]
    for ring in range(len(rings) - 1):
        base = 1 + ring * TURNS
        faces += [
            (base + k, base + (k + 1) % TURNS, base + TURNS + (k + 1) % TURNS, base + TURNS + k)
            for k in range(TURNS)
        ]
    base = 1 + (len(rings) - 1) * TURNS
    faces += [(base + k, base + (k + 1) % TURNS, len(verts) - 1) for k in range(TURNS)]
    return solid(name, verts, faces, made_of, smooth=True)


def checker(name: str, board: Board, made_of: Any) -> Any:
    """A disc with a round edge, a groove and a dish or a dome, after ``board.profile``."""
    r, t = board.checker / 2, board.thick
    edge, groove, depth, dish = board.profile
    rim = edge * r
    turn = [(r - rim + rim * math.sin(a), rim - rim * math.cos(a)) for a in np.linspace(0, math.pi / 2, 5)]
    low = [(0.0, 0.0), *turn]
    high = [(x, t - z) for x, z in reversed(turn)]
    cut = groove * r
    rest = [
        (cut + 0.06 * r, t),
        (cut + 0.03 * r, t + depth * 0.3),
        (cut - 0.03 * r, t + depth * 0.3),
        (cut - 0.06 * r, t + dish * 0.4),
        (0.0, t + dish),
    ]
    if cut + 0.06 * r > r - rim:
        rest = [(0.6 * r, t), (0.0, t + dish)]
    return _lathe(name, low + high + rest, made_of)


def build_board(board: Board) -> dict[str, Any]:
    """The empty board; returns the materials by name."""
    made = {name: material(name, given) for name, given in board.materials.items()}
    wide, high = board.width, board.height
    half = 6 * board.pitch
    box("field", (-0.01, -0.01, -0.6), (wide + 0.01, high + 0.01, 0.0), made["field"])
    box("ridge", (half, 0, 0.0), (half + board.bar, high, board.ridge), made["ridge"])
    for top in (False, True):
        for column in range(12):
            x = board.pitch * (column + 0.5) + (board.bar if column >= 6 else 0)
            w, end = board.pitch / 2 * board.foot, board.tip * high
            flip = (lambda y: high - y) if top else (lambda y: y)
            verts = [(x - w, flip(0.0), 0.01), (x + w, flip(0.0), 0.01), (x, flip(end), 0.01)]
            solid(
                "point",
                verts,
                [(0, 1, 2) if not top else (2, 1, 0)],
                made["one" if (column + top + board.swap) % 2 else "two"],
            )
    beside = board.wall + board.pocket
    left = beside if board.tray == "both" else 0.0
    right = beside if board.tray in ("both", "right") else 0.0
    f, z = board.frame, board.rail
    low, floor = -0.6, "floor"
    box("near", (-f - left, -f, low), (wide + f + right, 0, z), made["frame"])
    box("far", (-f - left, high, low), (wide + f + right, high + f, z), made["frame"])
    for there, sign, edge in ((left, -1, 0.0), (right, 1, wide)):
        inner = board.wall if there else f

        def slab(
            name: str, a: float, b: float, top: float, of: Any, sign: int = sign, edge: float = edge
        ) -> None:
            x0, x1 = sorted((edge + sign * a, edge + sign * b))
            box(name, (x0, 0, low), (x1, high, top), of)

        slab("wall", 0, inner, z, made["frame"])
        if there:
            slab(floor, inner, there, 0.0, made["floor"])
            slab("rim", there, there + f, z, made["frame"])
    box("table", (-150, -150, -2.0), (wide + 150, high + 150, -1.2), made["table"])
    return made


def put(board: Board, made: dict[str, Any], setting: Setting, rng: np.random.Generator) -> list[Any]:
    """Everything that stands in one picture; returns the objects."""
    before = set(bpy.data.objects)
    moulds = {side: checker(f"mould-{side}", board, made[side]) for side in ("white", "black")}
    for piece in setting.pieces:
        _place(board, moulds[piece.side].data, piece, rng)
    for mould in moulds.values():
        bpy.data.objects.remove(mould)
    for x, y, turn, colour, face in setting.dice:
        _die(x, y, turn, colour, face, float(board.checker) * 0.3)
    if setting.cube:
        x, y, number = setting.cube
        size = 1.3
        box(
            "cube",
            (x - size, y - size, board.ridge),
            (x + size, y + size, board.ridge + 2 * size),
            plain("cube", (0.85, 0.85, 0.85)),
        )
        text = bpy.data.curves.new("number", "FONT")
        text.body, text.size, text.align_x, text.align_y = str(number), 1.6, "CENTER", "CENTER"
        text.materials.append(plain("ink", (0.02, 0.02, 0.1)))
        label = bpy.data.objects.new("number", text)
        label.location, label.rotation_euler = (
            (x, y, board.ridge + 2 * size + 0.02),
            (0, 0, float(rng.choice([0, 1.57, 3.14, -1.57]))),
        )
        bpy.context.scene.collection.objects.link(label)
    for x, y, colour in setting.lights:
        bpy.ops.mesh.primitive_uv_sphere_add(
            radius=0.35, location=(x, y, board.rail + 0.1), segments=16, ring_count=8
        )
        glow = bpy.data.materials.new("glow")
        glow.use_nodes = True
        shader = glow.node_tree.nodes["Principled BSDF"]
        shader.inputs["Emission Color"].default_value, shader.inputs["Emission Strength"].default_value = (
            (*colour, 1),
            4.0,
        )
        bpy.context.object.data.materials.append(glow)
    if setting.hand:
        _hand(setting.hand, rng)
    _left(setting.things)
    return [thing for thing in bpy.data.objects if thing not in before]


def _left(things: list[Slice]) -> None:
    """What people leave on a board: each slice reaches down to the one that it lies on."""
    low = 0.0
    for part in things:
        low = low if low < part.z else 0.0
        count = len(part.outline)
        verts = [(x, y, z) for z in (low, part.z) for x, y in part.outline]
        sides = [(k, (k + 1) % count, count + (k + 1) % count, count + k) for k in range(count)]
        faces = [tuple(range(count))[::-1], tuple(range(count, 2 * count)), *sides]
        solid("left", verts, faces, plain("left", part.colour, max(0.05, 0.6 * (1 - part.gloss))))
        low = part.z


def _place(board: Board, mesh: Any, piece: Piece, rng: np.random.Generator) -> None:
    thing = bpy.data.objects.new("checker", mesh)
    turn = float(rng.uniform(0, 2 * math.pi))
    if piece.standing:
        thing.rotation_euler = (math.pi / 2, turn, 0)
        thing.location = (piece.x, piece.y + board.thick / 2, board.checker / 2)
    else:
        thing.rotation_euler, thing.location = (0, 0, turn), (piece.x, piece.y, piece.z + 0.012)
    bpy.context.scene.collection.objects.link(thing)


def _die(x: float, y: float, turn: float, colour: str, face: int, size: float) -> None:
    body = {"white": (0.85, 0.85, 0.8), "black": (0.02, 0.02, 0.03), "red": (0.6, 0.02, 0.02)}[colour]
    ink = (0.02, 0.02, 0.02) if colour == "white" else (0.9, 0.9, 0.9)
    half = size / 2
    thing = box("die", (-half, -half, 0), (half, half, size), plain("die", body))
    thing.location, thing.rotation_euler = (x, y, 0.01), (0, 0, turn)
    spots = {
        0: [(0, 0)],
        1: [(-1, -1), (1, 1)],
        2: [(-1, -1), (0, 0), (1, 1)],
        3: [(-1, -1), (1, 1), (-1, 1), (1, -1)],
    }
    spots[4] = [*spots[3], (0, 0)]
    spots[5] = [*spots[3], (-1, 0), (1, 0)]
    for a, b in spots[face]:
        bpy.ops.mesh.primitive_circle_add(radius=0.1 * size, fill_type="NGON", vertices=12)
        pip = bpy.context.object
        pip.data.materials.append(plain("pip", ink))
        pip.parent, pip.location = thing, (a * 0.27 * size, b * 0.27 * size, size + 0.01)


def _hand(hand: tuple[float, float, float, Colour], rng: np.random.Generator) -> None:
    """A forearm, a palm and fingers at (x, y), reaching in from the direction ``turn``."""
    x, y, turn, tone = hand
    skin = material("skin", Material(tone, tuple(0.8 * v for v in tone), 0.4, 1.0, 1.0, 0.6, 0.0, 0.0, 0.1))
    sleeve = (
        skin
        if rng.random() < 0.5
        else plain("sleeve", tuple(float(v) for v in rng.uniform(0.02, 0.7, 3)), 0.9)
    )
    back = np.array([math.cos(turn), math.sin(turn)])
    side = np.array([-back[1], back[0]])

    def limb(start: np.ndarray, end: np.ndarray, z0: float, z1: float, radius: float, of: Any) -> None:
        a, b = np.array([*start, z0]), np.array([*end, z1])
        long = b - a
        bpy.ops.mesh.primitive_cylinder_add(
            radius=radius, depth=float(np.linalg.norm(long)), location=tuple((a + b) / 2), vertices=24
        )
        thing = bpy.context.object
        thing.rotation_euler = (0, math.acos(long[2] / np.linalg.norm(long)), math.atan2(long[1], long[0]))
        thing.data.materials.append(of)
        for end_ in (a, b):
            bpy.ops.mesh.primitive_uv_sphere_add(
                radius=radius, location=tuple(end_), segments=20, ring_count=10
            )
            bpy.context.object.data.materials.append(of)

    tip = np.array([x, y])
    knuckle = tip + 7 * back
    wrist = knuckle + 8 * back
    for finger in range(4):
        off = (finger - 1.5) * 1.9 * side
        limb(
            tip + 0.8 * off + rng.normal(0, 0.6, 2),
            knuckle + off,
            2.0 + float(rng.uniform(0, 2)),
            5.5,
            0.85,
            skin,
        )
    limb(knuckle - 4.5 * side, wrist - 2.5 * side, 4.0, 5.5, 1.1, skin)
    for across in (-2.2, 0, 2.2):
        limb(knuckle + across * side, wrist + 0.6 * across * side, 5.5, 6.5, 2.0, skin)
    limb(wrist, wrist + 14 * back, 6.5, 9.0, 2.9, skin)
    limb(wrist + 10 * back, wrist + 70 * back, 9.0, 18.0, 4.0, sleeve)


def light_up(view: View, board: Board) -> None:
    """Lamps aimed at the board, and light from everywhere."""
    for x, y, z, size, strength, warmth in view.lamps:
        lamp = bpy.data.lights.new("lamp", "AREA")
        lamp.size = size
        away = np.array([x - board.width / 2, y - board.height / 2, z])
        lamp.energy = strength * 30.0 * float(away @ away)
        lamp.color = (1 + 0.15 * max(warmth, -1), 1.0, 1 - 0.25 * warmth if warmth < 2 else 0.5)
        thing = bpy.data.objects.new("lamp", lamp)
        thing.location = (x, y, z)
        flat = float(np.hypot(away[0], away[1]))
        thing.rotation_euler = (0, math.atan2(flat, z), math.atan2(away[1], away[0]))
        bpy.context.scene.collection.objects.link(thing)
    world = bpy.data.worlds.new("world")
    bpy.context.scene.world = world
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs["Strength"].default_value = view.ambient * 3.0


def camera(view: View) -> None:
    from mathutils import Matrix

    axes, eye = pose(view)
    made = bpy.data.cameras.new("camera")
    made.sensor_fit, made.sensor_width, made.lens = "HORIZONTAL", 36.0, 36.0 * view.focal
    made.clip_end = 1000.0
    thing = bpy.data.objects.new("camera", made)
    turn = np.stack([axes[0], -axes[1], -axes[2]], axis=1)
    whole = np.eye(4)
    whole[:3, :3], whole[:3, 3] = turn, eye
    thing.matrix_world = Matrix(whole.tolist())
    bpy.context.scene.collection.objects.link(thing)
    bpy.context.scene.camera = thing


def render() -> Floats:
    """Path-traced, linear light (height x width x 3); what Blender was not told to render is black."""
    with tempfile.TemporaryDirectory() as scratch:
        path = str(Path(scratch) / "light.exr")
        bpy.context.scene.render.filepath = path
        bpy.ops.render.render(write_still=True)
        return np.asarray(cv2.imread(path, cv2.IMREAD_UNCHANGED)[..., :3], np.float32)


def see_through() -> None:
    """Lets light pass through what is translucent, after ``set_up_render``."""
    cycles = bpy.context.scene.cycles
    cycles.max_bounces, cycles.transmission_bounces, cycles.diffuse_bounces, cycles.glossy_bounces = (
        8,
        6,
        2,
        2,
    )
    cycles.caustics_refractive = True


def spread(light: Floats, part: tuple[int, int, int, int]) -> Floats:
    """What was rendered of a ``part``; outside of it as at its edge."""
    left, top, right, bottom = part
    high, wide = light.shape[:2]
    margins = (top + 1, high - bottom + 1, left + 1, wide - right + 1)
    inside = light[top + 1 : bottom - 1, left + 1 : right - 1]
    return np.asarray(cv2.copyMakeBorder(inside, *margins, cv2.BORDER_REPLICATE), np.float32)


def set_up_render(size: tuple[int, int], part: tuple[int, int, int, int], samples: int, threads: int) -> None:
    """Tells Blender to render a ``part`` (left, top, right, bottom; pixels), and how: fast and plain, for
    training."""
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = samples
    scene.cycles.use_adaptive_sampling = False
    scene.cycles.use_denoising = False
    scene.cycles.max_bounces, scene.cycles.diffuse_bounces, scene.cycles.glossy_bounces = 2, 1, 1
    scene.cycles.caustics_reflective = scene.cycles.caustics_refractive = False
    scene.cycles.blur_glossy = 1.0
    scene.cycles.sample_clamp_indirect = 3.0
    scene.cycles.seed = int(np.random.default_rng().integers(1 << 30))
    scene.render.threads_mode, scene.render.threads = "FIXED", threads
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = *size, 100
    scene.render.use_border = True
    left, top, right, bottom = part
    scene.render.border_min_x, scene.render.border_max_x = left / size[0], right / size[0]
    scene.render.border_min_y, scene.render.border_max_y = 1 - bottom / size[1], 1 - top / size[1]
    scene.render.image_settings.file_format = "OPEN_EXR"

"""IceGammon a second time, as slow and as literal as can be, to compare with: lists of [colour, size] and the
rule text beside them.

It shares no code and no representation with ``engine.rules.icegammon`` and looks at no result of it. A
position is the JSON form.
"""

import itertools
import json

COLOURS = ("white", "black")


def enemy_of(colour):
    return "black" if colour == "white" else "white"


def road(colour):
    """6: White enters on 24 with a 1 and runs down to 1; Black enters on 13 with a 1, runs up to 24, then
    from 1 to 12."""
    if colour == "white":
        return [24 - i for i in range(24)]
    return [13 + i for i in range(12)] + [1 + i for i in range(12)]


def fresh(position):
    """A position with every space and bag spelled out, free to be changed."""
    spaces = {n: [[c, list(s)] for c, s in position.get("points", {}).get(str(n), [])] for n in range(1, 25)}
    bags = {k: {c: list(position.get(k, {}).get(c, [])) for c in COLOURS} for k in ("hand", "bar", "off")}
    return {"spaces": spaces, **bags}


def copied(board):
    """The same pieces, free to be moved."""
    spaces = {n: [[c, list(s)] for c, s in pile] for n, pile in board["spaces"].items()}
    return {"spaces": spaces} | {k: {c: list(board[k][c]) for c in COLOURS} for k in ("hand", "bar", "off")}


def frozen(board, turn=None, stage=None):
    """The JSON text of a result, the same for equal results."""
    data = {
        "points": {str(n): [[c, sorted(s)] for c, s in pile] for n, pile in board["spaces"].items() if pile}
    }
    for k in ("hand", "bar", "off"):
        data[k] = {c: sorted(board[k][c]) for c in COLOURS}
    if turn:
        data["turn"] = turn
    if stage:
        data["stage"] = stage
    return json.dumps(data, sort_keys=True)


def everywhere(board, colour):
    """Every piece that is not borne off."""
    lying = board["hand"][colour] + board["bar"][colour]
    for pile in board["spaces"].values():
        for c, sizes in pile:
            if c == colour:
                lying = lying + sizes
    return lying


def pick_up(board, colour, place, size):
    """Takes one piece from the bar, the hand, or the top layer of a space. An emptied layer frees the one
    below."""
    if place in ("bar", "hand"):
        board[place][colour].remove(size)
        return
    pile = board["spaces"][place]
    pile[-1][1].remove(size)
    if not pile[-1][1]:
        pile.pop()


def put_down(board, colour, place, size):
    """All boards that landing there can give."""
    pile = board["spaces"][place]
    if not pile:
        pile.append([colour, [size]])
        return [board]
    owner, sizes = pile[-1]
    pinned = copied(board)
    pinned["spaces"][place].append([colour, [size]])
    if owner == colour:
        joined = copied(board)
        joined["spaces"][place][-1][1].append(size)
        return [joined, pinned] if all(size >= other for other in sizes) else [joined]
    if size < sum(sizes):
        return []
    caught = copied(board)
    caught["spaces"][place].pop()
    caught["bar"][owner].extend(sizes)
    left = caught["spaces"][place]
    if left and left[-1][0] == colour:
        left[-1][1].append(size)
    else:
        left.append([colour, [size]])
    return [pinned, caught]


def after_one_die(board, colour, die):
    """Every board after one move with one die."""
    if board["bar"][colour]:
        starts = [("bar", s) for s in board["bar"][colour]]
    else:
        starts = [("hand", s) for s in board["hand"][colour]]
        starts += [
            (n, s)
            for n, pile in board["spaces"].items()
            if pile and pile[-1][0] == colour
            for s in pile[-1][1]
        ]
    way = road(colour)
    results = []
    for place, size in starts:
        gone = (
            way.index(place) + 1 if place not in ("bar", "hand") else 0
        ) + die  # as many points as the way then has behind it
        lifted = copied(board)
        pick_up(lifted, colour, place, size)
        if gone > 24 and all(s >= size for s in everywhere(lifted, colour)):
            out = copied(lifted)
            out["off"][colour].append(size)
            results.append(out)
        results += put_down(lifted, colour, way[(gone - 1) % 24], size)
    return results


def won(board, colour):
    return not everywhere(board, colour)


def full_plays(board, colour, numbers):
    """Every board after all of these dice, in any order; the last piece off ends it."""
    ends = {}
    for order in set(itertools.permutations(numbers)):
        now = {frozen(board): board}
        for die in order:
            later = {}
            for here in now.values():
                for there in after_one_die(here, colour, die):
                    (ends if won(there, colour) else later)[frozen(there)] = there
            now = later
        ends.update(now)
    return ends


def some_full_play(board, colour, numbers):
    def tries(here, order):
        if not order or won(here, colour):
            return True
        return any(tries(there, order[1:]) for there in after_one_die(here, colour, order[0]))

    return any(tries(board, order) for order in set(itertools.permutations(numbers)))


def graded(board, winner):
    """19."""
    loser = enemy_of(winner)
    if board["off"][loser]:
        return {"winner": winner, "kind": "mon", "points": 1}
    quarter = road(loser)[:6]
    back = board["bar"][loser] + board["hand"][loser]
    for n in quarter:
        for c, sizes in board["spaces"][n]:
            if c == loser:
                back = back + sizes
    if len(back) == len(everywhere(board, loser)):
        return {"winner": winner, "kind": "mons olympus", "points": 4}
    if back:
        return {"winner": winner, "kind": "icegammon", "points": 3}
    return {"winner": winner, "kind": "gammon", "points": 2}


def answer(position, dice):
    """What the rules say: ({result: outcome or None}, outcome of the whole if nothing can be played)."""
    board, colour, stage = fresh(position), position["turn"], position.get("stage")
    if stage:
        choices = [([stage["number"]] * stage["left"], stage["then"])]
    else:
        choices = []
        for one, two in itertools.combinations(dice, 2):
            choices.append(([one] * 4, 7 - one) if one == two else ([one, two], None))
    results = {}
    for numbers, then in choices:
        for end in full_plays(board, colour, numbers).values():
            if won(end, colour):
                results[frozen(end)] = graded(end, colour)
            elif then and not some_full_play(end, colour, [then] * 4):
                results[frozen(end)] = graded(end, enemy_of(colour))
            elif then:
                results[frozen(end, colour, {"number": then, "left": 4, "then": None})] = None
            else:
                results[frozen(end, colour if stage else enemy_of(colour))] = None
    return results, None if results else graded(board, enemy_of(colour))

from engine.layout import differing
from tests.fouls import distance


def test_only_cells_known_to_both_are_compared():
    assert differing({"p1": ("white",), "p2": ()}, {"p1": (), "p3": ()}) == ("p1",)


def test_distance_counts_pieces_put_down_and_taken_up():
    one = {"p1": ("white", "white"), "p2": (), "p3": ("black",)}
    other = {"p1": ("white",), "p2": ("white",), "p3": ("black",)}
    assert distance(one, other) == 2
    assert distance(one, one) == 0


def test_a_changed_colour_is_one_taken_up_and_one_put_down():
    assert distance({"p1": ("white",)}, {"p1": ("black",)}) == 2

"""A reading in one line for people."""

from firmware.readings import describe_reading

TOLD = {"file": "a.jpg", "rules": "r", "occluded": [], "confidence": {"p1": 0.5, "p2": 0.9}}


def test_pairs_and_layers_are_joined_by_dashes() -> None:
    assert (
        describe_reading(TOLD | {"points": {"1": -2}, "bar": [1, 0], "off": None})
        == "a.jpg: 1:-2 bar 1-0 (least sure: p1, 50%)"
    )
    assert (
        describe_reading(TOLD | {"points": {"1": ["white", [1, 2]]}, "occluded": ["p3"]})
        == "a.jpg: 1:white-1-2 hidden: p3 (least sure: p1, 50%)"
    )


def test_what_lies_on_the_board_is_told() -> None:
    told = TOLD | {"points": {"1": -2}, "occluded": ["p7", "p8"], "lying": ["p7"]}
    assert describe_reading(told) == (
        "a.jpg: 1:-2 hidden: p7, p8 (something lies on p7) (least sure: p1, 50%)"
    )


def test_hexes_stand_apart() -> None:
    told = {
        "file": "a.jpg",
        "rules": "r",
        "border": ["-1,14", "-1,2"],
        "armies": {"red": ["0,-1", "1,-1"], "blue": []},
    }
    assert (
        describe_reading(told | {"occluded": [], "confidence": {}})
        == "a.jpg: border -1,14 -1,2 armies red:0,-1 1,-1 blue:none"
    )

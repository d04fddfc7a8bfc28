"""The plug is pulled out of a whole table in the middle of a match. ``tests/bench/kill_match.py`` does it 200
times."""

from pathlib import Path

from tests.bench.kill_match import faults, lived, verified


def test_a_killed_table_loses_nothing_doubles_nothing_and_stands_where_it_stood(tmp_path: Path) -> None:
    counts: dict[str, int] = {}
    for seed, after in enumerate((0.02, 0.3, 0.0)):
        life = lived(tmp_path, seed, after, entries=12)
        assert life.stood is not None
        assert not faults(tmp_path, life, counts)
    assert sum(counts.values()) > 30
    assert not verified(tmp_path)[1]


def test_a_table_that_is_killed_in_mid_thought_goes_on(tmp_path: Path) -> None:
    counts: dict[str, int] = {}
    for seed, after in enumerate((0.05, 0.0)):
        life = lived(tmp_path, seed, after, 12, "rival")
        assert life.stood is not None
        assert not faults(tmp_path, life, counts)
    assert sum(counts.values()) > 20


def test_an_entry_that_is_missing_or_was_made_up_is_found(tmp_path: Path) -> None:
    life = lived(tmp_path, 1, 0.1, entries=12)
    log, number = life.kept[-1]
    assert faults(tmp_path, type(life)((*life.kept, (log, number + 1), (log, number + 2)), 1.0, ""), {})
    assert faults(tmp_path, type(life)(life.kept[1:], 1.0, ""), {})

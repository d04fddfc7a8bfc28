"""All matches of a tournament as ``.mat`` files in one archive, as the tables' journals have them."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Sequence

from firmware import formats
from firmware.errors import describe_fault
from firmware.formats.source import FormatError
from firmware.hub.office.book import KeptTournament
from firmware.hub.replay import replay
from firmware.hub.store import StoreError
from firmware.hub.tournament.changes import Report
from firmware.hub.tournament.exports import results_csv, standings_csv
from firmware.hub.tournament.model import Pairing
from firmware.hub.tournament.pairings import pairings
from firmware.record.chain import BrokenChain, Entry

Fetch = Callable[[str, str], Sequence[Entry]]
"""The journal of a match, by the table where it was to be played and its id; empty where the hub has none."""

FIXED = (2020, 1, 1, 0, 0, 0)
"""The time that files in the archive bear: the same tournament makes the same bytes."""


def archive(kept: KeptTournament, fetch: Fetch, breathe: Callable[[], None] = lambda: None) -> bytes:
    """A zip file: a match a file, results and standings, and ``missing.txt`` for the matches that no table
    has written down. Takes 0.2 s a match; ``breathe`` is called again and again: it may rest, or raise.
    Raises StoreError."""
    out, missing = io.BytesIO(), []
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as zipped:

        def put(name: str, content: str | bytes) -> None:
            info = zipfile.ZipInfo(name, FIXED)
            info.compress_type = zipfile.ZIP_DEFLATED
            data = content if isinstance(content, bytes) else content.encode("utf-8", "replace")
            zipped.writestr(info, data)

        for each in pairings(kept.event):
            breathe()  # what it raises in the middle of a match, it raises here again
            names = f"{kept.event.name_of(each.first)} - {kept.event.name_of(each.second)}"
            if each.result is None or each.result.how == "bye":
                continue
            match = each.result.match or _written_down(kept, each)
            if not match:
                missing.append(f"match {each.id}, {names}: its result was typed ({each.result.how})")
                continue
            try:
                entries = fetch(each.table, match)
                if not entries:
                    raise FormatError("the hub does not have its journal")
                put(
                    f"{each.id} {_plain(names)}.mat",
                    formats.write(replay(match, entries, breathe)[0], "mat"),
                )
            except StoreError:
                raise
            except (BrokenChain, FormatError) as error:
                missing.append(f"match {each.id}, {names}: {error}")
            except Exception as error:  # one bad match must not keep the others
                missing.append(f"match {each.id}, {names}: {describe_fault(error)}")
        put("results.csv", results_csv(kept.event))
        put("standings.csv", standings_csv(kept.event))
        if missing:
            put("missing.txt", "\n".join(missing) + "\n")
    return out.getvalue()


def _written_down(kept: KeptTournament, pairing: Pairing) -> str:
    """The id of the match that a table told, though its result was undone or corrected; "" where none did."""
    told = (done.act for done in reversed(kept.trail) if isinstance(done.act, Report))
    return next(
        (
            act.match
            for act in told
            if act.match and (act.pairing, act.first, act.second) == (pairing.id, *pairing.sides)
        ),
        "",
    )


def _plain(name: str) -> str:
    """A name that every file system takes."""
    return re.sub(r"[^\w .-]+", "_", name).strip(" .")[:80] or "match"

"""The languages that Barpoint speaks: their catalogues, and which one a reader gets.

``catalogues/de.po`` holds every word of page, judgement, terminal and report in German; the others likewise.
What no catalogue has is told in English. ``python -m firmware.languages`` brings the catalogues up to date
with the source, and lists what is missing (docs/extending.md).
"""

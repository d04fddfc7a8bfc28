"""Writes the drawings and the build guide's tables: ``python -m docs.drawings``."""

from __future__ import annotations

from docs.drawings.guide import GUIDE, drawings, filled

for path, text in drawings().items():
    path.write_text(text, encoding="utf-8")
GUIDE.write_text(filled(GUIDE.read_text(encoding="utf-8")), encoding="utf-8")

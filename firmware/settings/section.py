"""What every section of the configuration is: frozen, without unknown keys, its defaults checked as well."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

DEFAULTS = Path(__file__).with_name("barpoint.toml")
"""The file with every key, its default and a comment."""
Count: TypeAlias = Annotated[int, Field(ge=0, le=1_000_000_000)]
Seconds: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Section(BaseModel):
    """One table of the file."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, validate_default=True)


def one_of(kind: type[enum.StrEnum]) -> BeforeValidator:
    """TOML has no enumerations, so their values are texts."""

    def read(value: object) -> object:
        if isinstance(value, str):
            try:
                return kind(value)
            except ValueError:
                raise ValueError(f"{value!r} is not one of {', '.join(kind)}") from None
        return value

    return BeforeValidator(read)

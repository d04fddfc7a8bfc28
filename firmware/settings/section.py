"""What every section of the configuration is: frozen, without unknown keys, its defaults checked as well."""

from __future__ import annotations

import enum
import unicodedata
from pathlib import Path
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, field_validator

DEFAULTS = Path(__file__).with_name("barpoint.toml")
"""The file with every key, its default and a comment."""
Count: TypeAlias = Annotated[int, Field(ge=0, le=1_000_000_000)]
Seconds: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Section(BaseModel):
    """One table of the file."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, validate_default=True)

    @field_validator("*", mode="before")
    @classmethod
    def _one_line(cls, value: object) -> object:
        # No file's name has a NUL, and a line more in a text would be one more in the systemd unit.
        for text in value if isinstance(value, list | tuple) else (value,):
            if isinstance(text, str) and any(unicodedata.category(letter) == "Cc" for letter in text):
                raise ValueError(f"{text!r} has a character that no text here may have; leave it out")
        return value


def _whole(path: str) -> str:
    if path.startswith("~"):
        raise ValueError(f"{path!r} is no home directory here; write the whole path, as /srv/barpoint")
    return path


Place: TypeAlias = Annotated[str, AfterValidator(_whole)]
"""The path of a file or a folder."""


def one_of(kind: type[enum.StrEnum]) -> BeforeValidator:
    """TOML has no enumerations, so their values are texts."""

    def read(value: object) -> object:
        try:
            return kind(str(value))
        except ValueError:
            raise ValueError(f"{value!r} is not one of {', '.join(kind)}") from None

    return BeforeValidator(read)

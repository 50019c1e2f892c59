"""Settings from environment variables: `FACTREASONER_VERSION=3` is `--version 3`."""

from __future__ import annotations

import json
import os
from collections.abc import Collection
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from factreasoner.errors import ConfigError
from factreasoner.plugins.table import nearest
from factreasoner.settings.config import Config
from factreasoner.settings.expectations import kinds_of
from factreasoner.settings.setting import setting_of

PREFIX = "FACTREASONER_"
RESERVED = frozenset(
    PREFIX + name for name in ("API_BASE", "CONTACT", "DATA", "DEBUG", "INTEGRATION", "VERIFIERS")
)
"""Variables with a meaning of their own. So `api_base` has none: flags and profiles set it."""


def variable_of(key: str) -> str:
    """The variable that sets a setting."""
    return PREFIX + key.upper()


VARIABLES = {variable_of(key): key for key in Config.model_fields if variable_of(key) not in RESERVED}


def from_environment(also: Collection[str] = ()) -> dict[str, Any]:
    """The settings that variables give, not yet validated. A variable that is empty gives nothing.

    `also` are further variables that may be there, as those that hold a key.

    Raises:
        ConfigError: a variable begins with `FACTREASONER_` and is no setting's; the nearest is named.
    """
    given = {name: text for name, text in os.environ.items() if name.startswith(PREFIX) and text}
    found = {VARIABLES[name]: text for name, text in given.items() if name in VARIABLES}
    keys = {text for key, text in found.items() if key.endswith("api_key_env")}
    strange = sorted(given.keys() - VARIABLES.keys() - RESERVED - keys - set(also))
    if strange:
        lines = [
            f"{name}: no setting has this variable; {nearest(name, list(VARIABLES))}" for name in strange
        ]
        raise ConfigError("\n".join(lines))
    return {key: _value(Config.model_fields[key], text) for key, text in found.items()}


def _value(field: FieldInfo, text: str) -> object:
    """What a variable's text says: several values with commas or as JSON. Pydantic reads numbers."""
    first = kinds_of(field.annotation)[0]
    if setting_of(field).several or get_origin(first) in (tuple, dict):
        if text[0] in "[{":
            try:
                return json.loads(text)
            except (ValueError, RecursionError):
                pass
        return [part.strip() for part in text.split(",")]
    numbers = get_origin(first) is Literal and all(isinstance(one, int) for one in get_args(first))
    return int(text) if numbers and text.isdecimal() else text

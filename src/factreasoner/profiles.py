"""Settings from profiles (YAML files) and flags, with every problem named."""

from __future__ import annotations

from collections.abc import Container, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import ValidationError

from factreasoner.config import Config
from factreasoner.errors import ConfigError
from factreasoner.expectations import OWN, must_be, refused
from factreasoner.registry import nearest

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

DEEPEST_PROFILE = 20
SETTINGS = "settings"
"""Where settings come from that are in no file."""


def load_config(profile: Path | str | None = None, overrides: Mapping[str, Any] | None = None) -> Config:
    """Defaults < the profile (a YAML file) < overrides; an override of None counts as not given.

    Raises:
        ConfigError: unreadable file, unknown key (the nearest known one is named) or bad value.
    """
    values: dict[str, Any] = {}
    source = SETTINGS
    if profile is not None:
        source = str(profile)
        values.update(_read_profile(Path(profile)))
    chosen = {key: value for key, value in (overrides or {}).items() if value is not None}
    return parse_config(values | chosen, source, chosen=chosen)


class _ProfileLoader(yaml.SafeLoader):
    """Refuses a key that stands twice, of which YAML would silently take the last, and bottomless nesting."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self._depth == DEEPEST_PROFILE:
            problem = "nested too deeply"
            raise yaml.composer.ComposerError(None, None, problem, self.get_mark())
        self._depth += 1
        try:
            return super().compose_node(parent, index)
        finally:
            self._depth -= 1

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [key.value for key, _ in node.value]
        for key, _ in node.value:
            if keys.count(key.value) > 1:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the setting {key.value!r} stands twice", key.start_mark
                )
        return super().construct_mapping(node, deep)


def _read_profile(path: Path) -> dict[str, Any]:
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=_ProfileLoader)
    except OSError as error:
        raise ConfigError(f"{path}: can't be read: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not valid YAML: {error}") from error
    if data is None:
        return {}
    if not isinstance(data, dict) or not all(isinstance(key, str) for key in data):
        raise ConfigError(f"{path}: a profile is a mapping of setting names to values")
    return {key.replace("-", "_"): value for key, value in data.items()}


def parse_config(values: Mapping[str, Any], source: str, chosen: Container[str] = ()) -> Config:
    """Validate settings that came from `source`, but for those that were `chosen` beside it.

    Raises ConfigError with every problem found.
    """
    try:
        return Config.model_validate(dict(values))
    except ValidationError as error:
        lines = (
            _problem(item, SETTINGS if item["loc"] and item["loc"][0] in chosen else source)
            for item in error.errors()
        )
        raise ConfigError("\n".join(dict.fromkeys(lines))) from error


def kept_config(values: Mapping[str, Any], source: str) -> Config:
    """The settings that a run folder keeps; those that this version no longer has are passed over.

    Raises ConfigError as `parse_config` does.
    """
    return parse_config({key: value for key, value in values.items() if key in Config.model_fields}, source)


def _problem(error: ErrorDetails, source: str) -> str:
    """What is wrong with a setting, and what it takes."""
    key = str(error["loc"][0]) if error["loc"] else ""
    if error["type"] == "extra_forbidden":
        return f"{source}: unknown setting {key!r}; {nearest(key, list(Config.model_fields))}"
    field = Config.model_fields.get(key)
    takes = must_be(field) if field and error["type"] != OWN else None
    return ": ".join(filter(None, (source, key, takes or refused(error))))

"""Profiles: YAML files that map names of settings to values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from factreasoner.errors import ConfigError

DEEPEST = 20


class _Loader(yaml.SafeLoader):
    """Refuses a key that stands twice, of which YAML would silently take the last, and bottomless nesting."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self._depth == DEEPEST:
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


def read_profile(path: Path) -> dict[str, Any]:
    """The settings of a profile, not yet validated. `atoms-per-call` and `atoms_per_call` are one key.

    Raises:
        ConfigError: the file can't be read, or is no such mapping.
    """
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)
    except OSError as error:
        raise ConfigError(f"{path}: can't be read: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not valid YAML: {error}") from error
    if data is None:
        return {}
    if not isinstance(data, dict) or not all(isinstance(key, str) for key in data):
        raise ConfigError(f"{path}: a profile is a mapping of setting names to values")
    return {key.replace("-", "_"): value for key, value in data.items()}

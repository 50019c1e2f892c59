"""Settings: one model, :class:`Config`, which flags, variables, profiles and keyword arguments set."""

from factreasoner.settings.config import CALL_SETTINGS, FILE_SETTINGS, SCORE_SETTINGS, Config, Keywords
from factreasoner.settings.sources import (
    in_python,
    kept_config,
    keyword_settings,
    load_config,
    load_settings,
    parse_config,
    python_call,
    refuse_unknown,
)

__all__ = [
    "CALL_SETTINGS",
    "FILE_SETTINGS",
    "SCORE_SETTINGS",
    "Config",
    "Keywords",
    "in_python",
    "kept_config",
    "keyword_settings",
    "load_config",
    "load_settings",
    "parse_config",
    "python_call",
    "refuse_unknown",
]

"""Settings: one model, :class:`Config`; flags, variables, profiles and keyword arguments are made from it."""

from factreasoner.settings.config import CALL_SETTINGS, SCORE_SETTINGS, Config, Keywords
from factreasoner.settings.python import in_python, python_call, refuse_unknown
from factreasoner.settings.sources import (
    kept_config,
    keyword_settings,
    load_config,
    load_settings,
    parse_config,
)

__all__ = [
    "CALL_SETTINGS",
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

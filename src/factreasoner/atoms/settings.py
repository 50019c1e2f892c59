"""Settings for making atoms."""

from __future__ import annotations

from functools import partial

from factreasoner.llm.settings import LLMSettings
from factreasoner.plugins.table import PLUGINS
from factreasoner.settings.setting import setting

_set = partial(setting, "Assessor")


class AtomSettings(LLMSettings):
    """Settings of the atomizer and the reviser."""

    atomizer: str = _set("auto", f"Atomizer: auto, {', '.join(PLUGINS['atomizer'])} or package.module:Class.")
    reviser: str = _set("auto", f"Reviser: auto, {', '.join(PLUGINS['reviser'])} or package.module:Class.")
    revise_given: bool = _set(False, "Also revise atoms given in the records.")

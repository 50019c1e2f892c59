"""What would make a run's results better, in words."""

from __future__ import annotations

from importlib.util import find_spec

from factreasoner.judges import judged_by
from factreasoner.plugins.table import EXTRA_OF_MODULE
from factreasoner.settings import Config


def judging_notice(config: Config) -> str:
    """What judged, and what a better judge takes."""
    return f"Judged by: {judged_by(config)}. {better_judge(config)}".rstrip()


def better_judge(config: Config) -> str:
    """What the embedded judge does not see, and what a better one takes; nothing where another one judged."""
    return f"The embedded judge {embedded_limits()}." if config.plugin("judge") == "embedded" else ""


def embedded_limits() -> str:
    """What the embedded judge does and does not, and what a better one takes."""
    wanted = [module for module, (_, extra) in EXTRA_OF_MODULE.items() if extra == "verifiers"]
    extra = (
        "" if all(find_spec(module) for module in wanted) else 'pip install "factreasoner[verifiers]" and '
    )
    return (
        "compares words and does not reason: swapped roles, causes and other words for the same thing "
        "escape it; better: --model NAME, or "
        f"{extra}--judge verifier --verifier NAME (docs/judges.md)"
    )

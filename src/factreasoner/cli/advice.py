"""What would make a run's results better, in words."""

from __future__ import annotations

from importlib.util import find_spec

from factreasoner.plugins.table import EXTRA_OF_MODULE


def embedded_notice() -> str:
    """The last line of what the embedded judge has judged."""
    return f"Judged by the embedded judge, which {embedded_limits()}."


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

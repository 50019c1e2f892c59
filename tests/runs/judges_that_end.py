"""Judges for processes: a slow one, and one that ends its process as the kernel does when memory is short."""

import os
import signal
import time
from pathlib import Path

from factreasoner.models import Verdict
from factreasoner.protocols import Judged


class Deadly:
    """Ends its process at every passage "deadly", and once, the first time, at one that names a file."""

    def judge(self, premise, claims):
        once = Path(premise.text)
        if premise.text == "deadly" or (once.is_absolute() and not once.exists()):
            if once.is_absolute():
                once.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        said = {"context_id": premise.id, "label": "entailment", "probability": 0.75}
        return Judged(tuple(Verdict(target_id=claim.id, **said) for claim in claims), ())


class Slow(Deadly):
    """Takes its time."""

    def judge(self, premise, claims):
        time.sleep(0.1)
        return super().judge(premise, claims)


def end_at_once(*_):
    """Ends a process before it has begun."""
    os.kill(os.getpid(), signal.SIGKILL)

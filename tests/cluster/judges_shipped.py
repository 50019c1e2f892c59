"""A judge that only the driver's folder has: slow, and deadly to its process on demand."""

import os
import signal
import time

from factreasoner.models import Verdict
from factreasoner.protocols import Judged


class Slow:
    """Takes its time."""

    def judge(self, premise, claims):
        time.sleep(0.2)
        if "deadly" in premise.text:
            os.kill(os.getpid(), signal.SIGKILL)
        said = {"context_id": premise.id, "label": "entailment", "probability": 0.75}
        return Judged(tuple(Verdict(target_id=claim.id, **said) for claim in claims), ())

"""A judge that prints, as a library that it uses may."""

import os
import sys

from factreasoner.models import Verdict
from factreasoner.protocols import Judged


class TalkingJudge:
    def judge(self, premise, claims):
        sys.stdout.write("thinking aloud\n")
        sys.stdout.flush()
        os.write(1, b"and past Python's own streams\n")
        said = {"context_id": premise.id, "label": "entailment", "probability": 0.95, "quote": premise.text}
        return Judged(tuple(Verdict(target_id=claim.id, **said) for claim in claims), ())

"""Judges of scenarios: by numbers alone, so that no change of how words are read moves what they say."""

import os
import re
import signal
import time
from pathlib import Path

from factreasoner.models import Verdict
from factreasoner.protocols import Judged


class NumbersJudge:
    """A passage with all numbers of a claim supports it, one with others alone contradicts it."""

    def judge(self, premise, claims):
        said = (numbers_verdict(premise.text, claim.text) for claim in claims)
        return Judged(
            tuple(
                Verdict(context_id=premise.id, target_id=claim.id, label=label, probability=p)
                for claim, (label, p) in zip(claims, said, strict=True)
            ),
            (),
        )


def numbers_verdict(passage, claim):
    """The label and its probability."""
    known, stated = (set(re.findall(r"\d+", text)) for text in (passage, claim))
    if stated and stated <= known:
        return "entailment", 0.9
    return ("contradiction", 0.8) if stated and known else ("neutral", 0.7)


class MortalJudge(NumbersJudge):
    """Writes down what it is asked, and is killed by the first deadly passage, once two records are kept."""

    def judge(self, premise, claims):
        with Path("asked.txt").open("a", encoding="utf-8") as file:
            file.write(f"{premise.text}\n")
        if "deadly" in premise.text and not Path("killed.txt").exists():
            while Path("out/journal.jsonl").read_bytes().count(b"\n") < 2:
                time.sleep(0.01)
            Path("killed.txt").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().judge(premise, claims)

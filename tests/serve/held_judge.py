"""A judge that does what a passage says: holds it, fails or denies; else it agrees."""

import threading
import time

from factreasoner.errors import LLMError
from factreasoner.models import Atom, Failure, Verdict
from factreasoner.protocols import Atomized, Judged

DOWN = (
    "model.example has answered no call for 4 s (`patience`), and is now asked only every 15 s; "
    "rerun once it is up"
)
begun = []
"""Claims that were begun with, in this process."""
let_go = threading.Event()


class HeldJudge:
    """Acts on the words hold, slow, fail, deny and partly of a passage."""

    def judge(self, premise, claims):
        begun.extend(claim.text for claim in claims)
        if "hold" in premise.text:
            let_go.wait(30)
        if "slow" in premise.text:
            time.sleep(0.3)
        if "fail: down" in premise.text:
            raise LLMError(DOWN)
        if "fail" in premise.text:
            raise LLMError("the model said no")
        label = "contradiction" if "deny" in premise.text else "entailment"
        said = {"context_id": premise.id, "label": label, "probability": 0.95, "quote": premise.text}
        failures = ()
        if "partly" in premise.text:
            failures = tuple(
                Failure(stage="judge", item_id=claim.id, error_type="LLMError", message="lost")
                for claim in claims[1:]
            )
            claims = claims[:1]
        return Judged(tuple(Verdict(target_id=claim.id, **said) for claim in claims), failures)


class LongMade(HeldJudge):
    """Takes a minute to make."""

    def __init__(self):
        time.sleep(60)


class Parts:
    """Makes an atom of each part of a sentence between commas."""

    def atomize(self, record):
        texts = [text.strip() for text in record.response.split(",")]
        return Atomized(tuple(Atom(id=f"a{n}", text=text) for n, text in enumerate(texts)))


class FailedReviser:
    """Keeps the texts, and says so."""

    def revise(self, atoms, record):
        failure = Failure(stage="reviser", item_id=atoms[0].id, error_type="LLMError", message="lost")
        return Atomized(tuple(atoms), (failure,))

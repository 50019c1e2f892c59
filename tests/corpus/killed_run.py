"""An index run that is killed at one point."""

import os
import signal
import sys
from pathlib import Path

from factreasoner.corpus import indexing
from factreasoner.corpus.collection import Collection
from factreasoner.pipeline.config import Config

BATCH = 4
"""Passages written at once, so that documents take several writes."""


def main():
    """Index with the arguments METHOD before|after NUMBER DOCS STORE.

    At the NUMBER-th call of that method of a collection it is killed, before or after it does its work.
    """
    name, when, number, docs, store = sys.argv[1:]
    method = getattr(Collection, name)
    calls = 0

    def dying(self, *args, **kwargs):
        nonlocal calls
        calls += 1
        if (calls, when) == (int(number), "before"):
            os.kill(os.getpid(), signal.SIGKILL)
        found = method(self, *args, **kwargs)
        if calls == int(number):
            os.kill(os.getpid(), signal.SIGKILL)
        return found

    setattr(Collection, name, dying)
    indexing.BATCH = BATCH
    indexing.index([Path(docs)], Config(store=Path(store)), prune=True, listener=lambda step: None)

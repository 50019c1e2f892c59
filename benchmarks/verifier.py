"""Pairs a second of a verifier beside those of onnxruntime alone on the same batches, made beforehand.

    python benchmarks/verifier.py [MODEL [NAME]]

Both run on one thread and are timed by the CPU's clock, so that a busy machine changes little. MODEL is a
folder, or an id in the local cache, of the verifier NAME (nli); without it, the bundled judge's
network is read as any NLI model is. The goal is a ratio of at least 0.9.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Iterator
from typing import Any

from factreasoner.judges.encoder.judge import VerifierJudge
from factreasoner.judges.encoder.local import OnnxRuntime
from factreasoner.judges.encoder.model_files import BUNDLED_MODEL
from factreasoner.judges.encoder.runtime import use_one_thread
from factreasoner.models import Claim, Premise
from factreasoner.pipeline.config import Config

TEXT = "the bridge over the river was built in stone by masons who came from many towns during a long winter"
PREMISE_WORDS, CLAIMS = (20, 40, 80, 120, 700), 8
ROUNDS = 5
GOAL = 0.9


def words(draw: random.Random, number: int) -> str:
    """So many words."""
    return " ".join(draw.choices(TEXT.split(), k=number))


def workload() -> list[tuple[Premise, list[Claim]]]:
    """Passages, of which the longest takes windows, and claims of 5 to 20 words."""
    draw = random.Random(0)
    claims = [Claim(f"a{n}", words(draw, draw.randint(5, 20)) + ".") for n in range(CLAIMS)]
    passages = (". ".join(words(draw, 20) for _ in range(size // 20)) for size in PREMISE_WORDS)
    return [(Premise(f"c{n}", passage), claims) for n, passage in enumerate(passages)]


class Recorder:
    """A session that keeps what it is fed."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self.feeds: list[tuple[list[str], dict[str, Any]]] = []

    def run(self, outputs: list[str], feed: dict[str, Any]) -> Any:
        """The session's outputs."""
        self.feeds.append((outputs, feed))
        return self._session.run(outputs, feed)


def seconds_of(judge: VerifierJudge, work: list[tuple[Premise, list[Claim]]]) -> float:
    """CPU seconds of judging everything."""
    start = time.process_time()
    for premise, claims in work:
        judged = judge.judge(premise, claims)
        assert not judged.failures, judged.failures[0]
    return time.process_time() - start


def compared(config: Config) -> Iterator[tuple[int, float, float]]:
    """Pairs, seconds of the judge and of onnxruntime alone, by turns; a judge scores nothing twice."""
    runtime = VerifierJudge(config).runtime
    assert isinstance(runtime, OnnxRuntime)
    work, session = workload(), runtime.session
    recorder = Recorder(session)
    runtime.session = recorder
    seconds_of(VerifierJudge(config), work)
    runtime.session = session
    pairs = sum(len(feed["input_ids"]) for _, feed in recorder.feeds)
    for _ in range(ROUNDS):
        mine = seconds_of(VerifierJudge(config), work)
        start = time.process_time()
        for outputs, feed in recorder.feeds:
            session.run(outputs, feed)
        yield pairs, mine, time.process_time() - start


def main() -> None:
    """Print both rates and their ratio."""
    model = sys.argv[1] if len(sys.argv) > 1 else str(BUNDLED_MODEL)
    name = sys.argv[2] if len(sys.argv) > 2 else "nli"
    config = Config(judge="verifier", verifier=name, verifier_model=model)
    use_one_thread()
    rows = list(compared(config))
    pairs = rows[0][0]
    ratios = [alone / mine for _, mine, alone in rows]
    mine, alone = (statistics.median(row[place] for row in rows) for place in (1, 2))
    print(str(VerifierJudge(config).runtime).replace(f"{BUNDLED_MODEL}/", ""))
    print(f"{pairs} pairs: the judge {pairs / mine:,.1f} a second, onnxruntime alone {pairs / alone:,.1f}")
    ratio = statistics.median(ratios)
    print(f"ratio {ratio:.3f} (of {ROUNDS} rounds {min(ratios):.3f} to {max(ratios):.3f}); goal {GOAL}")
    sys.exit(ratio < GOAL)


if __name__ == "__main__":
    main()

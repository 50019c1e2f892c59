"""What claim-level metrics of RAG answers cost here and with peers, and what bad replies do to their scores.

    python benchmarks/peers.py [NAME...]        # ragas and deepeval unless named; `make peers`

50 answers, RAGChecker's own examples and answers of MT-RAG, with their passages and reference answers go to
each contender, which asks one stand-in for a model on loopback (`stand_in.py`: the same claims and verdicts
for all), once where it answers at once and once where it takes 0.5 s. It works on 16 requests at once for
everyone, and more wait in line, as at a server with so many places. Each is installed in an environment of
its own under .venv-peers, and runs in a process of its own: its seconds include the start. CPU seconds and MB
are those of the run where the model answers at once; "most" is the largest number of requests that were under
way or in line where it does not: each is told 16, which are calls for ours, rows for ragas, and answers for
deepeval, which asks several calls about one side by side.

- "faithfulness": that metric alone. "all": correctness and coverage against the reference, claim recall and
  context precision with it (ragas: factual_correctness, context_recall, context_precision; deepeval:
  contextual recall and precision, and nothing for the first two).
- Ours is `factreasoner rag --reviser none --premise joint`, and `--premise each` beside it.
- Bad replies: mean faithfulness where one verdict in five is left out of the replies, and where one reply in
  ten is prose, beside that where nothing is wrong; records without a score in brackets.
- "factuality": `factreasoner run` on the biographies with given atoms. IBM's FactReasoner is not run (but see
  `factcheck.py`): it asks one call for each pair of an atom and a passage (FR2), and one each way for each
  pair of passages (FR3); its seconds are these calls times 0.5 s by 16. The stand-in answers for 32 atoms a
  call. For Factcheck-Bench our calls are those of a dry run.

`--api-base URL` asks a real model instead: see `ranking.py`.

Data: the folder named by FACTREASONER_DATA or ../shared/data.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import Any

from contenders import (
    CONCURRENCY,
    METRICS,
    OURS,
    PEERS,
    Outcome,
    Way,
    install,
    installed,
    run,
)
from data_folder import data_folder
from ranking import BUNDLED, RULES, SEVERAL, add_options, compare, mtrag
from stand_in import StandIn

from factreasoner.inputs.input import CheckedInput
from factreasoner.models import Record
from factreasoner.pipeline.config import Config
from factreasoner.runs.plan import plan

ANSWERS, LATENCY = 50, 0.5
WIDTHS = {"calls": 7, "prompt": 9, "reply": 8, "tokens": 9, "ratio": 7}
MORE_WIDTHS = {"s, at once": 12, f"s, {LATENCY:g} s each": 14, "CPU s": 7, "MB": 6, "most": 6}


def main() -> None:
    """Print what each takes, what bad replies do, and what installing and starting it takes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*")
    parser.add_argument("--api-base", help="rank MT-RAG answers with the real model there, and nothing else")
    add_options(parser, answers=60)
    options = parser.parse_args()
    names = options.names or list(PEERS)
    if unknown := [name for name in names if name not in PEERS]:
        raise SystemExit(f"no peer {unknown[0]!r}; there are {', '.join(PEERS)}")
    alone = ("--reviser", "none", "--premise")
    ways = [Way(OURS, (*alone, "joint")), Way(OURS, (*alone, "each")), *(Way(PEERS[n]) for n in names)]
    contenders = list(dict.fromkeys(way.contender for way in ways))
    for contender in contenders:
        install(contender)
    if options.api_base:
        ranked = [RULES, SEVERAL, BUNDLED, *(Way(PEERS[name]) for name in names)]
        compare(ranked, mtrag(options.answers), options.api_base, options)
        return
    for which in METRICS:
        print_costs(which, [way for way in ways if which in way.contender.metrics])
    print_bad_replies(ways)
    print(f"\n{'':20}{'MB':>7}{'packages':>10}{'import s':>10}{'version':>12}")
    for contender in contenders:
        print(f"{contender.name:20}{installed(contender)}", flush=True)
    print_factuality()
    print_planned_calls()


def print_costs(which: str, ways: list[Way]) -> None:
    """What each way takes for a metric."""
    print(f"\n{which}: {ANSWERS} answers, {CONCURRENCY} at once; ratio of tokens to row 1")
    print(_head())
    first = None
    for way in ways:
        quick, slow = (run(way, records(which), which, StandIn(), seconds) for seconds in (0.0, LATENCY))
        first = first or quick
        print(
            f"{way.title:20}{cost_row(quick, slow, sum(quick.taken[1:]) / sum(first.taken[1:]))}", flush=True
        )


def _head() -> str:
    return " " * 20 + "".join(f"{name:>{width}}" for name, width in (WIDTHS | MORE_WIDTHS).items())


def cost_row(quick: Outcome, slow: Outcome, ratio: float) -> str:
    """What runs took where the model answers at once, and where it takes its time."""
    calls, prompt, reply = quick.taken
    tokens = f"{calls:7,d}{prompt:9,d}{reply:8,d}{prompt + reply:9,d}{ratio:7.2f}"
    failed = "" if quick.code == slow.code == 0 else f"  exit code {quick.code or slow.code}"
    seconds = f"{quick.seconds:12.1f}{slow.seconds:14.1f}{quick.cpu:7.1f}"
    return f"{tokens}{seconds}{quick.memory:6.0f}{slow.most:6d}{failed}"


def print_bad_replies(ways: list[Way]) -> None:
    """Mean faithfulness with good and bad replies, and how a run ends that got them."""
    print("\nmean faithfulness (records without a score), exit code and calls")
    print(f"{'':20}{'all well':>20}{'one verdict in five left out':>32}{'one reply in ten prose':>28}")
    for way in ways:
        well, dropped, chatty = (
            _scored(run(way, records("faithfulness"), "faithfulness", model, 0.0))
            for model in (StandIn(), StandIn(drop=True), StandIn(chatty=True))
        )
        print(f"{way.title:20}{well:>20}{dropped:>32}{chatty:>28}", flush=True)


def _scored(found: Outcome) -> str:
    scores = found.scores.get("faithfulness", [])
    known = [score for score in scores if score is not None]
    mean = f"{sum(known) / len(known):.3f}" if known else "none"
    return f"{mean} ({ANSWERS - len(known)}), {found.code}, {found.taken.calls}"


def print_factuality() -> None:
    """What the biographies take here, beside the calls of the published formula."""
    rows = _lines("factscore_bios/records.jsonl")
    given = _given("factscore_bios")
    print(f"\nfactuality: {len(rows)} biographies, {CONCURRENCY} at once; ratio of calls to IBM's")
    print(_head())
    for version in (2, 3):
        way = Way(OURS, ("--version", str(version)), "run")
        quick, slow = (run(way, rows, "factuality", StandIn(), seconds) for seconds in (0.0, LATENCY))
        published = formula(given, version)
        bound = LATENCY * published / CONCURRENCY
        print(f"{f'IBM, FR{version}':20}{published:7,d}{'':9}{'':8}{'':9}{1:7.2f}{'':12}{bound:14.1f}")
        row = cost_row(quick, slow, quick.taken.calls / published)
        print(f"{f'factreasoner, FR{version}':20}{row}", flush=True)


def print_planned_calls() -> None:
    """Calls for given atoms and passages, by the published formula and here."""
    given = _given("factcheck_bench")
    calls = []
    for version in (2, 3):
        planned = plan(given, Config(model="openai/gpt-4o-mini", version=version))
        ours = sum(stage.calls for stage in planned.stages)
        calls.append(f"FR{version} {formula(given, version):,} by IBM's formula and {ours:,} here")
    print(f"\ncalls for verdicts, Factcheck-Bench, {len(given)} records: {'; '.join(calls)}")


def formula(given: list[Record], version: int) -> int:
    """Calls of IBM's FactReasoner as published."""
    sizes = [(len(record.atoms or ()), len(record.contexts or ())) for record in given]
    return sum(n * m + (m * (m - 1) if version == 3 else 0) for n, m in sizes)


def _given(folder: str) -> list[Record]:
    return list(CheckedInput(data_folder() / folder / "records.jsonl").records())


def _lines(path: str) -> list[dict[str, Any]]:
    text = (data_folder() / path).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def records(which: str) -> list[dict[str, Any]]:
    """The answers, with references where these are asked for."""
    found = [row for _, row in zip(range(ANSWERS), _answers(), strict=False)]
    return found if which == "all" else [{k: v for k, v in row.items() if k != "reference"} for row in found]


def _answers() -> Iterator[dict[str, Any]]:
    """RAGChecker's examples, then answers of MT-RAG by models that had passages."""
    worked = json.loads((data_folder() / "ragchecker" / "checking_inputs.json").read_text(encoding="utf-8"))
    for row in worked["results"]:
        yield {
            "id": row["query_id"],
            "input": row["query"],
            "output": row["response"],
            "contexts": [{"id": c["doc_id"], "text": c["text"]} for c in row["retrieved_context"]],
            "reference": row["gt_answer"],
        }
    for row in _lines("mtrag_human/rag.jsonl"):
        if row["contexts"] and row["model"] != "reference":
            yield {
                "id": row["id"],
                "input": row["question"],
                "output": row["answer"],
                "contexts": row["contexts"],
                "reference": row["ground_truth"],
            }


if __name__ == "__main__":
    main()

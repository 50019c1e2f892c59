"""IBM's FactReasoner (fact-reasoner 0.8.0, FR2) on the records of a JSONL file; run by `factcheck.py`.

    python ibm_factreasoner_scores.py RECORDS.jsonl URL CONCURRENCY p_true MODEL

Its own runner, extractor, prompts and factor tables, with its defaults; an atom is asked about with each
context, and a call that fails counts as neutral there. Its retriever and its web search are replaced by
mocks, for nothing is retrieved and they load torch and chromadb. Merlin, the program it calls for inference,
is replaced by the exact sum over its network. Prints {"p_true": [{atom: P of each record}]} as its last line.
"""

import functools
import itertools
import json
import sys
from collections import defaultdict
from unittest.mock import MagicMock

import numpy as np

sys.modules |= {f"fact_reasoner.{unused}": MagicMock() for unused in ("core.retriever", "search_api")}
from fact_reasoner import FactualityRunner, assessor, build_backend  # noqa: E402
from fact_reasoner.core import nli  # noqa: E402

records, url, concurrency, which, name = sys.argv[1:]


def exact(network, merlin_path, *, task, query_variables):
    """P of each atom, by all states of the atoms: given these, contexts are independent in FR2."""
    place = {atom: at for at, atom in enumerate(query_variables)}
    states = np.array(list(itertools.product((0, 1), repeat=len(place))))
    weight = np.ones(len(states))
    of_contexts = defaultdict(lambda: np.ones((len(states), 2)))
    for names, _, values in network.factors:
        table = np.reshape(values, [2] * len(names))
        match [variable in place for variable in names]:
            case [True]:
                weight *= table[states[:, place[names[0]]]]
            case [False]:
                of_contexts[names[0]] *= table
            case [False, True]:
                of_contexts[names[0]] *= table[:, states[:, place[names[1]]]].T
            case _:
                raise NotImplementedError(names)
    for own in of_contexts.values():
        weight *= own.sum(axis=1)
    told = zip(place, (weight @ states / weight.sum()).tolist(), strict=True)
    return {"marginals": [{"variable": atom, "probabilities": [1 - p, p]} for atom, p in told]}


assessor.__dict__["_run_merlin_shared"] = exact
nli.run_throttled = functools.partial(nli.run_throttled, max_concurrency=int(concurrency))
backend = build_backend("vllm", model_id=name, base_url=url, api_key="none")
runner = FactualityRunner(backend, merlin_path="not called")
found = runner.assess_file(records, "results")
print(
    json.dumps({which: [{m["variable"]: m["probabilities"][1] for m in own["marginals"]} for own in found]})
)

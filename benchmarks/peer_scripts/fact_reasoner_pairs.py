"""The NLI extractor of fact-reasoner on pairs; run by `real_model.py` in an environment of its own.

    python fact_reasoner_pairs.py PAIRS.jsonl URL MODEL

Prints {"id", "label", "probability"} as each pair ends. The package's other modules ask for torch, chromadb
and langchain; these are not installed, so the two packages above the extractor are not imported.
"""

import contextlib
import json
import sys
import types
from importlib.metadata import distribution
from pathlib import Path

installed = Path(str(distribution("fact-reasoner").locate_file("fact_reasoner")))
for name, folder in (("fact_reasoner", installed), ("fact_reasoner.core", installed / "core")):
    package = types.ModuleType(name)
    package.__path__ = [str(folder)]
    sys.modules[name] = package

from fact_reasoner.backends import build_backend  # noqa: E402
from fact_reasoner.core.nli import NLIExtractor  # noqa: E402

pairs, url, model = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
with contextlib.redirect_stdout(sys.stderr):
    extractor = NLIExtractor(build_backend("vllm", model_id=model, base_url=url, api_key="none"))
for line in pairs.read_text(encoding="utf-8").splitlines():
    pair = json.loads(line)
    with contextlib.redirect_stdout(sys.stderr):
        found = extractor.run(pair["passage"], pair["claim"])
    print(json.dumps({"id": pair["id"], **found}), flush=True)

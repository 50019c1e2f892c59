"""The answer of a LlamaIndex query engine, held against the nodes it was made from.

    pip install llama-index-core
    python examples/integrations/with_llama_index.py

The model here says the same whatever it is asked; with one of yours, `Settings.llm` is that.
"""
# ruff: noqa: T201

from llama_index.core import get_response_synthesizer
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, TextNode

from factreasoner import assess

PASSAGE = "Skerry Point lighthouse opened on 4 May 1931."


class Kept(BaseRetriever):
    """Finds the same passage for every question; a vector index stands here otherwise."""

    def _retrieve(self, query_bundle):
        return [NodeWithScore(node=TextNode(text=PASSAGE, metadata={"file_name": "skerry.txt"}), score=0.9)]


class SaysSo(MockLLM):
    """Answers with a wrong year."""

    def complete(self, prompt, formatted=False, **kwargs):
        """Say it."""
        return super().complete("Skerry Point lighthouse opened on 4 May 1913.")


engine = RetrieverQueryEngine(Kept(), get_response_synthesizer(llm=SaysSo()))

if __name__ == "__main__":
    response = engine.query("When did it open?")
    assessment = assess(str(response), contexts=response.source_nodes, input="When did it open?")
    print(response, assessment.metrics["precision"])
    for atom in assessment.atoms:
        print(atom.text, round(assessment.p_true[atom.id], 2))

"""Records of `rag`, and a model that answers by a function: for tests of its parts."""

from factreasoner.inputs.parsing import Reader
from factreasoner.llm.scripted import ScriptedLLM
from factreasoner.pipeline.assembly import Calls
from factreasoner.pipeline.config import Config
from factreasoner.tasks.rag.table import scored_rag
from factreasoner.tasks.rag.task import TASK


def record_of(**fields):
    return Reader().record({"input": "Who?", "output": "An answer."} | fields, where="test", default_id="q1")


def judging(truth, sources=lambda prompt, fact: "1"):
    """A model that answers by `truth(passage, fact)` and names `sources`; it makes no claims."""

    def answer(prompt, schema):
        said = {name: truth(prompt.user, text) for name, text in schema.items.items()}
        named = {f"{name}_sources": sources(prompt.user, text) for name, text in schema.items.items()}
        return {name: value for name, value in (said | named).items() if name in schema.arguments}

    return ScriptedLLM(answer)


def stated(passage, fact):
    return "True" if fact in passage else "Not clear"


def worded(passage, fact):
    """Whether the passage has every word of a fact."""
    words = (word for word in fact.split() if word != "and")
    return "True" if all(word in passage for word in words) else "Not clear"


def assessed(llm, record, **settings):
    settings = {"cache": False, "confidence": "constant", "form": "tool"} | settings
    return TASK.worker(Config(model="test", **settings), Calls(llm=llm)).assess(record)


def scores(llm, record, **settings):
    return scored_rag(assessed(llm, record, **settings)).values

"""The pipeline and the library call, in the places people call them from."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

from factreasoner import Config, Record, ScriptedLLM, assess, build_pipeline
from factreasoner.errors import ConfigError, LLMError
from factreasoner.models import Atom, Context, Failure
from factreasoner.pipeline.assembly import retriever_names
from factreasoner.protocols import Retrieved

TEXT = "Marie Curie was born in Warsaw."
CONTEXTS = ["Marie Curie was born in Warsaw in 1867.", "The Eiffel Tower stands in Paris."]


def yes(prompt, schema):
    if "statements" in schema.arguments:
        return {"statements": [TEXT]}
    if schema.arguments[0].startswith("atom_"):
        return dict.fromkeys(schema.arguments, TEXT)
    return dict.fromkeys(schema.arguments, "True")


def calls_of(assessment):
    return {stage: usage.calls for stage, usage in assessment.usage.items() if usage.calls}


def test_pipeline_refuses_pickling():
    with pytest.raises(TypeError, match=r"make one in each process: build_pipeline\(\.\.\.\)$"):
        pickle.dumps(build_pipeline())


def test_atoms_without_a_reviser_take_one_call_less():
    llm = ScriptedLLM(yes)
    assessment = assess(TEXT, contexts=CONTEXTS, llm=llm, model="m", reviser="none")
    assert [call.prompt.name for call in llm.calls] == ["atomizer", "judge", "judge"]
    assert [atom.text for atom in assessment.atoms] == [TEXT]


def test_scripted_llm_serves_and_meters_every_stage():
    llm = ScriptedLLM(yes)
    assessment = assess(TEXT, contexts=CONTEXTS, llm=llm)
    assert [call.prompt.name for call in llm.calls] == ["atomizer", "judge", "judge"]
    assert assessment.model == "ScriptedLLM"
    assert calls_of(assessment) == {"atomizer": 1, "evaluator": 2}
    assert assessment.usage["evaluator"].prompt_tokens > 0
    assert set(assessment.seconds) >= {"atomizer", "reviser", "retriever", "evaluator", "solver"}


def test_context_priors_and_titles_are_used():
    low = Context(id="x", text=CONTEXTS[0], prior=0.6)
    high = low.model_copy(update={"prior": 0.95})
    p = [assess(TEXT, contexts=[c], llm=ScriptedLLM(yes)).p_true["a0"] for c in (low, high)]
    assert 0.5 < p[0] < p[1]


@pytest.mark.parametrize("response", ["", "  \n", "I don't know."])
def test_answer_without_claims_has_no_score(response):
    assessment = assess(response, contexts=CONTEXTS)
    assert assessment.status == "no_atoms"
    assert assessment.outcome is None


def test_given_atoms_are_kept_unchanged():
    record = Record(id="r", response=TEXT, atoms=(Atom(id="mine", text="It was Warsaw."),), contexts=())
    assessment = build_pipeline(Config()).assess(record)
    assert assessment.atoms == record.atoms
    assert assessment.p_true == pytest.approx({"mine": 0.5})


@pytest.mark.parametrize(
    ("dead", "status", "failed"),
    [("atomizer", "failed", {("atomizer", "r1[0:23]")}), ("reviser", "partial", {("reviser", "a0")})],
)
def test_failed_reviser_keeps_atom_text(dead, status, failed):
    def script(prompt, schema):
        if prompt.name == dead:
            return LLMError("no answer", attempts=5)
        said = {"statements": ["She was born in Warsaw."]}
        return said if "statements" in schema.arguments else yes(prompt, schema)

    assessment = assess("She was born in Warsaw.", contexts=CONTEXTS, llm=ScriptedLLM(script))
    assert assessment.status == status
    assert {(f.stage, f.item_id) for f in assessment.failures} == failed
    assert "no answer" in assessment.failures[0].message
    assert [atom.text for atom in assessment.atoms] == ["She was born in Warsaw."] * (status == "partial")
    assert all(p > 0.5 for p in assessment.p_true.values())
    assert (assessment.outcome is None) == (status == "failed")


@pytest.mark.parametrize(
    ("lost", "status", "judged"),
    [(set(), "ok", 2), ({"She sang."}, "partial", 1), ({TEXT, "She sang."}, "failed", 0)],
)
def test_some_failed_verdicts_are_partial_and_all_failed(lost, status, judged):
    def script(prompt, schema):
        return {name: "True" for name, text in schema.items.items() if text not in lost}

    atoms = (Atom(id="a0", text=TEXT), Atom(id="a1", text="She sang."))
    record = Record(id="r", response=TEXT, atoms=atoms, contexts=(Context(id="c", text=CONTEXTS[0]),))
    config = Config(reviser="none")
    assessment = build_pipeline(config, llm=ScriptedLLM(script)).assess(record)
    assert (assessment.status, len(assessment.p_true)) == (status, judged)
    assert len(assessment.outcome.failures) == len(lost)
    assert len(assessment.outcome.unjudged) == len(lost)


class HalfBlind:
    """Finds a context for the first atom; the search for the others fails."""

    def retrieve(self, atoms, record):
        failures = [Failure.of("retriever", atom.id, OSError("no route")) for atom in atoms[1:]]
        return Retrieved((Context(id="c", text=CONTEXTS[0], atom_ids=(atoms[0].id,)),), tuple(failures))


@pytest.mark.parametrize(("version", "unjudged", "partly"), [(1, ("a1",), ()), (2, (), ("a1",))])
def test_atom_with_failed_search_is_not_unverified(version, unjudged, partly):
    pipeline = build_pipeline(Config(version=version), llm=ScriptedLLM(yes))
    pipeline.retriever = HalfBlind()
    record = Record(id="r", response=TEXT, atoms=(Atom(id="a0", text=TEXT), Atom(id="a1", text="She sang.")))
    assessment = pipeline.assess(record)
    assert assessment.status == "partial"
    assert (assessment.outcome.unjudged, assessment.outcome.partly_judged) == (unjudged, partly)
    assert set(assessment.p_true) == {"a0", "a1"} - set(unjudged)
    assert set(assessment.outcome.support) == set(assessment.p_true)


class Echo:
    """Finds for every atom what was searched for."""

    def __init__(self, config=None):
        pass

    def retrieve(self, atoms, record):
        found = {atom.id: f"{CONTEXTS[0]} {atom.query or atom.text}" for atom in atoms}
        return Retrieved(tuple(Context(id=f"c_{i}", text=text, atom_ids=(i,)) for i, text in found.items()))


@pytest.mark.parametrize("contexts", [(Context(id="c1", text="B."), Context(id="c0", text="A.")), ()])
def test_given_contexts_are_used_with_any_retriever(contexts):
    record = Record(id="r", response=TEXT, atoms=(Atom(id="a0", text=TEXT),), contexts=contexts)
    for retriever in ("given", f"{__name__}:Echo"):
        assert build_pipeline(Config(retriever=retriever)).assess(record).contexts == contexts
    assert (
        assess(TEXT, contexts=CONTEXTS, retriever=Echo).contexts == assess(TEXT, contexts=CONTEXTS).contexts
    )


def test_query_and_summary_calls_have_own_stages():
    def script(prompt, schema):
        if prompt.name == "query":
            return {"query_0": "Curie birthplace"}
        if prompt.name == "summarizer":
            relevance = "relevant" if "birthplace" in prompt.user else "irrelevant"
            return {"reason": "Tea.", "relevance": relevance, "summary": "Born there.", "confidence": 70}
        return yes(prompt, schema)

    llm = ScriptedLLM(script)
    pipeline = build_pipeline(
        Config(query_builder="auto", summarizer="auto", retriever=f"{__name__}:Echo", max_attempts=1), llm=llm
    )
    atoms = (Atom(id="a0", text=TEXT), Atom(id="a1", text="She liked tea."))
    assessment = pipeline.assess(Record(id="r", response=TEXT, atoms=atoms))
    assert [atom.query for atom in assessment.atoms] == ["Curie birthplace", ""]
    assert [(f.stage, f.item_id) for f in assessment.failures] == [("query_builder", "a1")]
    assert assessment.status == "partial"
    assert [(c.id, c.summary, c.p_summary, c.dropped) for c in assessment.contexts] == [
        ("c_a0", "Born there.", 0.7, ""),
        ("c_a1", "", None, "irrelevant: Tea."),
    ]
    assert calls_of(assessment) == {"query_builder": 1, "summarizer": 2, "evaluator": 1}
    assert {"query_builder", "summarizer"} <= set(assessment.seconds)
    # An atom that was searched for in its own words was searched for.
    assert assessment.outcome.partly_judged == ()
    assert set(assessment.p_true) == {"a0", "a1"}
    assert {v.context_id for v in assessment.outcome.verdicts} == {"c_a0"}


def test_given_contexts_need_no_queries():
    llm = ScriptedLLM(yes)
    assess(TEXT, contexts=CONTEXTS, llm=llm, query_builder="auto")
    assert "query" not in {call.prompt.name for call in llm.calls}
    pipeline = build_pipeline(Config(query_builder="auto", retriever=f"{__name__}:Echo"), llm=llm)
    record = Record(id="r", response=TEXT, contexts=(Context(id="c", text=CONTEXTS[0]),))
    pipeline.assess(record)
    assert "query" not in {call.prompt.name for call in llm.calls}


def test_given_atoms_are_revised_only_on_request():
    atoms = (Atom(id="a0", text="She was born in 1815.", gold="S"),)
    record = Record(id="r", response=TEXT, topic="Ada Lovelace", atoms=atoms)

    def answer(prompt, schema):
        if prompt.name == "reviser":
            return {"atom_0": "Ada Lovelace was born in 1815."}
        return yes(prompt, schema)

    found = {}
    for revise in (False, True):
        config = Config(retriever=f"{__name__}:Echo", revise_given=revise)
        found[revise] = build_pipeline(config, llm=ScriptedLLM(answer)).assess(record).atoms[0]
    before, after = "She was born in 1815.", "Ada Lovelace was born in 1815."
    plain, revised = found[False], found[True]
    assert (plain.text, plain.query) == (before, f"Ada Lovelace {before}")
    assert (revised.text, revised.query, revised.original, revised.gold) == (after, "", before, "S")


def test_one_pipeline_serves_many_threads():
    pipeline, context = build_pipeline(Config()), Context(id="c", text=CONTEXTS[0])
    records = [
        Record(id=str(i), response=f"{TEXT} She was born in {1800 + i}.", contexts=(context,))
        for i in range(8)
    ]
    alone = [pipeline.assess(record).p_true for record in records]
    with ThreadPoolExecutor(8) as pool:
        assert [found.p_true for found in pool.map(pipeline.assess, records)] == alone


def test_made_atoms_avoid_the_ids_of_the_contexts():
    text = "The tower is 90 m tall. It was built in 1900."
    contexts = [{"id": "a1", "text": text}, {"id": "a0", "text": "Nothing."}]
    result = assess(text, contexts=contexts, version=3)
    assert result.status == "ok"
    ids = {atom.id for atom in result.atoms}
    assert len(ids) == len(result.atoms) >= 2
    assert not ids & {"a0", "a1"}


def test_the_setting_names_different_retrievers():
    assert retriever_names("corpus, wikipedia") == ("corpus", "wikipedia")
    assert retriever_names("given") == ("given",)
    for wrong in ("corpus,corpus", "corpus,", "given,web"):
        with pytest.raises(ConfigError, match="retriever"):
            retriever_names(wrong)

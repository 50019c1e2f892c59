"""The last step of a LangChain chain holds the answer against the documents it was made from.

    pip install langchain-core
    python examples/integrations/with_langchain.py

A real chain has a retriever and a model in the places of `retrieved` and `answered`.
"""
# ruff: noqa: T201

from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda, RunnablePassthrough

from factreasoner import assess

DOCUMENTS = [Document("Skerry Point lighthouse opened on 4 May 1931.", metadata={"source": "skerry.txt"})]
ANSWERS = {
    "When did it open?": "Skerry Point lighthouse opened on 4 May 1931.",
    "When?": "Skerry Point lighthouse opened on 4 May 1913.",
}

retrieved = RunnableLambda(lambda question: DOCUMENTS)
answered = RunnableLambda(lambda state: ANSWERS[state["question"]])


def checked(state):
    """The answer, or what is wrong with it."""
    assessment = assess(state["answer"], contexts=state["documents"], input=state["question"])
    if (assessment.metrics["precision"] or 0.0) >= 0.8:
        return state["answer"]
    return f"I am not sure. {assessment!r}"


chain = (
    {"question": RunnablePassthrough(), "documents": retrieved}
    | RunnablePassthrough.assign(answer=answered)
    | RunnableLambda(checked)
)

if __name__ == "__main__":
    for question in ANSWERS:
        print(chain.invoke(question))

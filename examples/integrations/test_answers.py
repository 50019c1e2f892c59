"""Tests of what a system answers. Needs no key: run it with ``pytest examples/integrations/test_answers.py``.

Add ``--factreasoner-model openai/gpt-4o-mini`` to have a language model judge.
"""

from factreasoner.integrations.pytest_plugin import Factuality

PASSAGES = [
    "Skerry Point lighthouse opened on 4 May 1931. Its tower is 25 metres high.",
    "Since 1998 the light of Skerry Point lighthouse has been electric.",
]


def answer(question: str) -> str:
    """What your system says; here always the same."""
    return "Skerry Point lighthouse opened on 4 May 1931. Its tower is 25 metres high."


def test_answer_is_supported(factuality: Factuality) -> None:
    """At least nine atoms in ten are supported."""
    question = "When did Skerry Point lighthouse open?"
    assessment = factuality.check(answer(question), PASSAGES, min_precision=0.9, input=question)
    assert "contradicted" not in assessment.labels.values()

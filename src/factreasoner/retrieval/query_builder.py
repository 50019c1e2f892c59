"""Search queries: the atom with the record's subject, or rewritten by a language model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from factreasoner import prompts
from factreasoner.llm.rewriting import Rewriter, Rewriting
from factreasoner.models import Atom, Claim, Failure, Record
from factreasoner.models.messages import Prompt
from factreasoner.protocols import LLM, Atomized
from factreasoner.retrieval.settings import RetrievalSettings
from factreasoner.text.language import FUNCTION_WORDS, content, fold, language_of, terms
from factreasoner.text.sentences import sentences

_JOINTS = r"(?:of|the|de|del|della|di|da|do|dos|du|la|le|van|von|der|den|ter|bin|ibn|al|el|y|e|and|&)"
_NAME_WORD = r"[^\W\d_a-zß-öø-ÿ][\w’'.\-]*"
_NAME = re.compile(rf"{_NAME_WORD}(?:\s+(?:{_JOINTS}\s+){{0,2}}(?:{_NAME_WORD}|\d+\b))*")
_FUNCTION_WORDS = frozenset().union(*FUNCTION_WORDS.values())
_ASKING = frozenset(
    """tell give write describe explain list name discuss provide summarize question answer please summarise
    who what when where why how which is was are were did do does can could would should has have""".split()  # noqa: SIM905
)
"""Words that open a request and are capitalised only for that reason."""
_LONGEST = 80


class SubjectQueryBuilder:
    """Adds the record's subject to the query of an atom that does not name it, without a model.

    An atom that names the subject, or that has a query, is unchanged.
    """

    def build(self, atoms: Sequence[Atom], record: Record) -> Atomized:
        """The same atoms, ids, texts and order, with a `query` if the text alone is not enough."""
        subject = subject_of(record)
        return Atomized(tuple(_with_query(atom, subject) for atom in atoms))


def subject_of(record: Record) -> str:
    """The subject of `record`: its topic, else a name in its prompt, else the name its answer opens with.

    Of several names in the prompt, the one most frequent in the answer counts; the answer's opening name must
    recur in it. Empty without a clear subject, and for scripts without capital letters.
    """
    topic = " ".join((record.topic or "").split())
    if topic:
        return topic if len(topic) <= _LONGEST else ""
    asked = _names(record.prompt)
    if len(asked) == 1:
        return asked[0]
    answer = fold(record.response)
    if asked:
        counts = Counter({name: answer.count(fold(name)) for name in asked})
        (first, most), (_, second) = counts.most_common(2)
        return first if most > second else ""
    opening = next(iter(sentences(record.response)), None)
    if opening is None:
        return ""
    named = _names(record.response[opening.start : opening.end])
    if not named:
        return ""
    last_word = fold(named[0]).split()[-1]
    return named[0] if len(re.findall(rf"\b{re.escape(last_word)}\b", answer)) > 1 else ""


def with_subject(text: str, subject: str) -> str:
    """`text`, preceded by the words of `subject` that it lacks.

    On Wikipedia biographies and the articles cited by WiCE's claims, in one collection, this finds the right
    page more often than the text alone, and better passages than the whole subject.
    """
    language = language_of([text, subject])
    there = set(terms(text, language))
    words = content(subject, language).split()
    return " ".join([*(word for word in words if not there.issuperset(terms(word, language))), text])


def _with_query(atom: Atom, subject: str) -> Atom:
    if atom.query or not subject:
        return atom
    query = with_subject(atom.text, subject)
    return atom if query == atom.text else atom.model_copy(update={"query": query})


def _names(text: str) -> list[str]:
    """Runs of capitalised words, each once, in order, without words that open a request."""
    found = []
    for match in _NAME.finditer(text):
        words = match[0].split()
        while words and fold(words[0]).partition("'")[0].strip(".") in _ASKING | _FUNCTION_WORDS:
            words = words[1:]
        name = " ".join(words).strip(" .,'’-")
        name = re.sub(r"['’]s$", "", name)
        if name and len(name) <= _LONGEST and name[0].isupper():
            found.append(name)
    return list(dict.fromkeys(found))


STAGE = "query_builder"
LONGEST = 200
"""Maximum characters of a query."""


class LLMQueryBuilder:
    """Has a model write one query per atom, for all atoms of a record in one call.

    Arguments are named by position. A missing, invalid or overlong query is retried, up to `max_attempts` in
    all; then it is a Failure, and the atom's text is used.
    """

    def __init__(self, llm: LLM, config: RetrievalSettings | None = None) -> None:
        self._template = prompts.load("query")
        self._rewriter = Rewriter(_WORDING, llm, config or RetrievalSettings())

    def build(self, atoms: Sequence[Atom], record: Record) -> Atomized:
        """The same atoms with a `query`; existing queries are kept.

        Raises ConfigError, BudgetError: from the model client.
        """
        claims = [Claim(atom.id, atom.text) for atom in atoms if not atom.query]
        found = self._rewriter.rewrite(self._prompt(record), claims)
        failures = tuple(result for result in found if isinstance(result, Failure))
        queries = {
            claim.id: {"query": query}
            for claim, query in zip(claims, found, strict=True)
            if isinstance(query, str)
        }
        return Atomized(tuple(atom.model_copy(update=queries.get(atom.id, {})) for atom in atoms), failures)

    def _prompt(self, record: Record) -> Prompt:
        return self._template.fill(
            question=prompts.delimit(record.prompt, "question"),
            topic=prompts.delimit(subject_of(record), "topic"),
        )


def _problem(original: str, query: str) -> str | None:
    """Why a query is unusable, or None; it is not compared with the statement."""
    return f"{len(query)} characters, {LONGEST} at most" if len(query) > LONGEST else None


_WORDING = Rewriting(
    stage=STAGE,
    function="word_queries",
    task="Give a search query for each statement.",
    argument="query",
    result="query",
    problem=_problem,
)

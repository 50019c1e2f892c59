"""What a record is about, and queries that say so: atoms often leave out what their page is found by."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from factreasoner.models import Atom, Record
from factreasoner.protocols import Atomized
from factreasoner.text.language import language_of
from factreasoner.text.lexicon import FUNCTION_WORDS
from factreasoner.text.passages import content, fold, terms
from factreasoner.text.sentences import sentences

_JOINTS = r"(?:of|the|de|del|della|di|da|do|dos|du|la|le|van|von|der|den|ter|bin|ibn|al|el|y|e|and|&)"
_NAME_WORD = r"[^\W\d_a-zß-öø-ÿ][\w’'.\-]*"
_NAME = re.compile(rf"{_NAME_WORD}(?:\s+(?:{_JOINTS}\s+){{0,2}}(?:{_NAME_WORD}|\d+\b))*")
_FUNCTION_WORDS = frozenset().union(*FUNCTION_WORDS.values())
_ASKING = frozenset(
    """tell give write describe explain list name discuss provide summarize question answer please summarise
    who what when where why how which is was are were did do does can could would should has have""".split()  # noqa: SIM905
)
"""Words that open a request and are written with a capital for that alone."""
_LONGEST = 80
"""Characters of a subject; a longer one is a sentence."""


class SubjectQueryBuilder:
    """Puts the subject of the record into the query of an atom that does not name it, without a model.

    An atom that names the subject, or that brings a query, keeps what it has.
    """

    def build(self, atoms: Sequence[Atom], record: Record) -> Atomized:
        """The same atoms, ids, texts and order, with a `query` where the text alone says too little."""
        subject = subject_of(record)
        return Atomized(tuple(_worded(atom, subject) for atom in atoms))


def subject_of(record: Record) -> str:
    """What `record` is about: its topic, else the name in its prompt, else the one its answer opens with.

    Of several names in the prompt the one most frequent in the answer is meant; the answer's opening name
    must come again in it. Empty when nothing stands out, and for scripts without capital letters.
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
    """`text`, with those words of `subject` before it that it lacks.

    On Wikipedia biographies and the articles that WiCE's claims cite, all in one collection, this finds the
    right page more often than the text alone, and better passages than repeating the whole subject.
    """
    language = language_of([text, subject])
    there = set(terms(text, language))
    words = content(subject, language).split()
    return " ".join([*(word for word in words if not there.issuperset(terms(word, language))), text])


def _worded(atom: Atom, subject: str) -> Atom:
    if atom.query or not subject:
        return atom
    query = with_subject(atom.text, subject)
    return atom if query == atom.text else atom.model_copy(update={"query": query})


def _names(text: str) -> list[str]:
    """Runs of capitalised words, each once, in order; the words that open a request are no part of one."""
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

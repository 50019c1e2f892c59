"""The words of a parsed sentence that point to something named elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from factreasoner.language.persons import is_person
from factreasoner.language.tree import NOUNS, SUBJECTS, Parse, Word
from factreasoner.stages.expletives import is_expletive
from factreasoner.stages.mentions import DEMONSTRATIVES, INSTITUTIONS, TIMES

Pointed = Literal["male", "female", "thing", "many"]
_FORMS: dict[Pointed, str] = {
    "male": "he him his himself",
    "female": "she her hers herself",
    "thing": "it its itself",
    "many": "they them their theirs themselves",
}
PRONOUNS: dict[str, Pointed] = {word: kind for kind, forms in _FORMS.items() for word in forms.split()}


class Anaphor(NamedTuple):
    """A pronoun, or "this" with its noun, if any; "the" with a noun that nothing else narrows."""

    word: Word
    noun: Word | None = None

    @property
    def is_definite(self) -> bool:
        """Whether it is "the" with its noun, which need not point to anything."""
        return self.word.lower == "the"

    @property
    def said(self) -> str:
        """The pointing word; with its noun where it is "the"."""
        return f"{self.word.text} {self.noun.text}" if self.noun and self.is_definite else self.word.text


def anaphors(parse: Parse) -> Iterator[Anaphor]:
    """The pronouns and demonstratives of a sentence that stand for something; "it is clear that" does not."""
    for word in parse.words:
        if word.lower in PRONOUNS and word.tag in ("PRP", "PRP$"):
            if not (word.lower == "it" and is_expletive(parse, word)):
                yield Anaphor(word)
        elif word.lower in DEMONSTRATIVES and word.tag in ("DT", "PDT", "JJ"):
            head = parse[word.head]
            if word.dep in ("det", "amod", "predet") and head.pos == "PROPN":
                continue
            if word.dep in ("det", "amod", "predet") and head.pos in NOUNS:
                following = "".join(each.lower for each in parse.words[word.i + 1 : word.i + 2])
                if head.lemma not in TIMES and not (word.lower == "such" and following in ("as", "a", "an")):
                    yield Anaphor(word, head)
            elif word.dep in (*SUBJECTS, "dobj", "pobj") and word.lower != "such":
                yield Anaphor(word)
        elif noun := definite(parse, word):
            yield Anaphor(word, noun)


def definite(parse: Parse, word: Word) -> Word | None:
    """The noun of "the" that has nothing else to say which one, but "in question"."""
    noun = parse[word.head]
    if word.lower != "the" or word.dep != "det" or noun.tag not in ("NN", "NNS", "NNP"):
        return None
    if noun.tag == "NNP" and noun.lower not in INSTITUTIONS and not is_person(noun.lower):
        return None
    said = "".join(f" {w.lower}" for w in parse.subtree(noun) if w.dep not in ("punct", "case"))
    return noun if re.fullmatch(rf" the {re.escape(noun.lower)}(?: in question)?", said) else None

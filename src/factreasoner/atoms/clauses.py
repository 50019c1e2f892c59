"""A parsed sentence as simple clauses: one finite verb, one subject, one item of a list.

A clause is split off only where the parse says plainly what it is said of; all else stays in its clause.
What comes of it is parsed again by `soundness`, which has the last word.
"""

from __future__ import annotations

from factreasoner.atoms.asides import Aside, asides_of
from factreasoner.atoms.lists import split_list
from factreasoner.atoms.wording import Draft, Line, Wording, without_stop
from factreasoner.text.lexicon import words
from factreasoner.text.tree import AUXILIARIES, VERBS, Parse, Word

_CONDITIONS = words("if unless when whenever once until because since as so")
_ASKING = words("if whether that when because while so")
_JOINTS = words("and but ; , yet")
_ONCE = words("bear die found establish release launch bury publish open")
"""Verbs of what happened at one time in one place."""
_NOT_ALWAYS = words(
    "only no few less all every most first last never none least fewer more including like such"
)
"""Words of what may hold of a time or place alone: "the only goal in 1990"."""


def split(parse: Parse) -> list[Draft]:
    """The clauses of a sentence, in the order they are found; none where its root is no clause."""
    if not parse.is_clause(parse.root):
        return []
    splitter = Splitter(parse)
    splitter.state(parse.root)
    return splitter.drafts


class Splitter:
    """Splits one sentence, clause by clause."""

    def __init__(self, parse: Parse) -> None:
        self.drafts: list[Draft] = []
        self._parse = parse
        self._wording = Wording(parse)

    def state(self, verb: Word, subject: Line = ()) -> None:
        """State a clause, then what was taken out of it; `subject`, with auxiliaries, where it has none."""
        conjuncts = self._conjuncts(verb)
        for word in conjuncts:
            self._wording.drop(word)
        asides = asides_of(self._wording, verb, subject or self._own_subject(verb))
        for aside in asides:
            self._wording.drop(aside.said)
        said = subject or self._own_subject(verb)
        for line in split_list(self._wording, verb):
            self.drafts += [Draft(each, verb) for each in self._when_and_where(verb, (*subject, *line))]
        for aside in asides:
            self._aside(aside, verb)
        for conjunct in conjuncts:
            self._wording.restore(conjunct)
            own = self._parse.subject(conjunct) is not None
            self.state(conjunct, () if own else (*said, *self._inherited(conjunct, verb)))

    def _own_subject(self, verb: Word) -> Line:
        subject = self._parse.subject(verb)
        if subject is None or subject.dep == "expl":
            return ()
        aside = self._parse.children(subject, "relcl", "appos", "acl")
        aside = tuple(c for c in aside if self._parse[self._parse.edges(c)[0] - 1].text == ",")
        return without_stop(self._wording.line_without(subject, *aside))

    # Clauses beside each other

    def _conjuncts(self, verb: Word) -> list[Word]:
        """The verbs joined to a verb, where each of them can be said apart from it; else none."""
        beside = list(self._parse.children(verb, "conj"))
        found = list(beside)
        for word in found:
            found += self._parse.children(word, "conj") if word.pos in VERBS else ()
        chain = [verb, *found]
        joints = {self._parse[self._parse.edges(each)[0] - 1].lower for each in found}
        clauses = [clause for each in chain[:-1] for clause in self._parse.children(each, "advcl")]
        if not joints <= _JOINTS or any(self._marks(clause) & _CONDITIONS for clause in clauses):
            return []
        compared = any(word.lower == "than" for word in self._parse.words)
        if compared or self._parse.children(verb, "preconj") or self._goes_on(verb, beside):
            return []
        if not all(self._may_stand_alone(word, verb, "but" in joints) for word in found):
            return []
        return beside

    def _goes_on(self, verb: Word, conjuncts: list[Word]) -> bool:
        """Whether a clause goes on behind the clauses that are joined to it."""
        gone = {i.i for each in conjuncts for i in self._parse.subtree(each)}
        kept = [w for w in self._parse.subtree(verb) if w.i not in gone and w.pos != "PUNCT"]
        return any(w.i > min(gone) for w in kept if w.dep != "cc") if gone else False

    def _may_stand_alone(self, word: Word, verb: Word, turned: bool) -> bool:
        """Whether a verb beside another has a subject of its own, or plainly that of the other."""
        marks = self._marks(word)
        if word.pos not in VERBS or marks & _ASKING:
            return False
        if self._parse.subject(word) is not None:
            return self._parse.is_clause(word)
        after = [
            c for c in self._parse.children(verb) if c.i > verb.i and c.dep not in ("conj", "cc", "punct")
        ]
        if not self._parse.is_finite(word):
            alike = word.tag == verb.tag and word.tag in ("VB", "VBN", "VBG")
            turned = turned or bool(self._parse.children(verb, "neg"))
            aims = any(c.dep in ("xcomp", "ccomp") for c in after)
            return alike and bool(after) and not turned and not aims
        tenses = {self._parse.finite(verb).tag, self._parse.finite(word).tag}
        turns = tenses == {"VBZ", "VBD"} and self._parse.finite(verb).lemma not in ("be", "have")
        return not turns and (bool(after) or not self._parse.children(word, "dobj", "agent"))

    def _inherited(self, word: Word, verb: Word) -> Line:
        """Auxiliaries of the first verb that the second one needs: "was born and raised"."""
        modal = self._parse.finite(verb).tag == "MD" and word.lower == word.lemma
        if self._parse.is_finite(word) and not (modal and not self._parse.children(word, *AUXILIARIES)):
            return ()
        return self._parse.children(verb, *AUXILIARIES)

    def _marks(self, clause: Word) -> set[str]:
        return {word.lower for word in self._parse.children(clause, "mark", "advmod") if word.i < clause.i}

    # What is said of nouns

    def _aside(self, aside: Aside, verb: Word) -> None:
        said = aside.said
        self._wording.restore(said)
        be = "was" if said.lemma == "bear" or self._parse.finite(verb).tag == "VBD" else "is"
        if said.dep == "appos":
            self.drafts.append(Draft((*aside.subject, be, *self._wording.line(said)), said))
        elif said.dep == "acl":
            self.state(said, (*aside.subject, be))
        else:
            self._wording.drop(aside.relative or said)
            self.state(said, aside.subject)

    # When and where

    def _when_and_where(self, verb: Word, line: Line) -> list[Line]:
        """ "Born on 5 May in Rome" as "born on 5 May" and "born in Rome"; any other line as it is."""
        after = [w for w in self._wording.children(verb, "prep") if w.i > verb.i and w in line]
        dates = [w for w in after if self._is_date(w)]
        others = [w for w in after if w not in dates]
        identified = verb.lemma in _ONCE or self._parse.child(verb, "dobj") is not None
        if not identified or len(dates) != 1 or not others:
            return [line]
        if any(bit.dep == "neg" or bit.lower in _NOT_ALWAYS for bit in line if isinstance(bit, Word)):
            return [line]
        return [_less(self._parse, line, *others), _less(self._parse, line, *dates)]

    def _is_date(self, preposition: Word) -> bool:
        target = self._parse.child(preposition, "pobj")
        return target is not None and target.entity == "DATE" and preposition.lower in ("in", "on", "at")


def _less(parse: Parse, line: Line, *parts: Word) -> Line:
    gone: set[int] = set()
    for part in parts:
        first, last = parse.edges(part)
        gone |= {each.i for each in parse.subtree(part)}
        gone |= {i for i in (first - 1, last + 1) if 0 <= i < len(parse) and parse[i].text == ","}
    return without_stop(tuple(bit for bit in line if isinstance(bit, str) or bit.i not in gone))

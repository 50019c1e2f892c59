"""A parsed sentence as simple clauses: one finite verb, one subject, one item of a list.

A clause is split off only where the parse says plainly what it is said of; all else stays in its clause.
What comes of it is parsed again by `soundness`, which has the last word.
"""

from __future__ import annotations

from collections.abc import Sequence

from factreasoner.atoms.asides import Aside, asides_of
from factreasoner.atoms.inflection import past, third_person
from factreasoner.atoms.lists import split_list
from factreasoner.atoms.wording import Draft, Line, Wording, without_stop
from factreasoner.text.abbreviations import words
from factreasoner.text.tree import AUXILIARIES, VERBS, Parse, Word

_CONDITIONS = words("if unless when whenever once until because since as so")
_CONTRASTS = words("although though whereas while so")
_ASKING = words("if whether that when because while")
_JOINTS = words("and but ; , yet so")
_INTENDED = ("could", "would", "might")
_ONCE = words("bear die found establish release launch bury publish open")
"""Verbs of what happened at one time in one place."""
_NOT_ALWAYS = words("only no few less all every most first last never none least fewer more")
"""Words of what may hold of a time or place alone: "the only goal in 1990"."""
_EXAMPLES = words("including like such as")
_SAYING = words("say report claim state think believe write note add argue suggest tell explain warn")
_OF_EVENT = words(
    "make cause allow result lead enable help create contribute ensure provide reduce increase mean leave",
    "give use include follow depend accord base regard concern consider start begin involve range bring let",
    "prevent improve require offer force turn end keep put",
)
"""Verbs whose participle behind a clause may be of all it says: "..., causing a flood"."""


def split(parse: Parse, subject: str = "") -> list[Draft]:
    """The clauses of a sentence, in the order they are found; none where its root is no clause.

    `subject` is said for the pronoun that the sentence begins with.
    """
    return _Splitter(parse, subject).drafts() if parse.is_clause(parse.root) else []


class _Splitter:
    def __init__(self, parse: Parse, subject: str) -> None:
        self._parse = parse
        self._wording = Wording(parse)
        if subject:
            self._wording.say(parse[0], subject)
        self._drafts: list[Draft] = []

    def drafts(self) -> list[Draft]:
        root = self._parse.root
        first = self._clause_before(root)
        if first is not None:
            self._wording.drop(first)
        self._clause(root)
        if first is not None:
            self._wording.restore(first)
            self._clause(first)
        return self._drafts

    def _clause_before(self, root: Word) -> Word | None:
        """The first of two clauses that a comma or semicolon joins: "Copper is reactive, so it ..."."""
        first = self._parse.child(root, "ccomp")
        if first is None or first.i > root.i or not self._parse.is_clause(first):
            return None
        if root.lemma in _SAYING or self._parse.children(first, "mark"):
            return None
        end = self._parse.edges(first)[1] + 1
        for so in self._parse.children(root, "advmod", "mark", "cc"):
            if so.lower in ("so", "and", "but") and so.i == end + 1:
                self._wording.drop(so)
        return first if self._parse[end].text in (",", ";") else None

    def _clause(self, verb: Word, subject: Line = ()) -> None:
        """State a clause, then what was taken out of it; `subject`, with auxiliaries, where it has none."""
        conjuncts = self._conjuncts(verb)
        beside = [
            c for c in self._wording.children(verb, "advcl") if self._is_contrast(c) or self._is_act(verb, c)
        ]
        for word in (*conjuncts, *beside):
            self._wording.drop(word)
        shared = subject or self._own_subject(verb)
        asides = asides_of(self._wording, verb, shared)
        for aside in asides:
            self._wording.drop(aside.said)
        said = subject or self._own_subject(verb)
        for line in split_list(self._wording, verb):
            self._drafts += [Draft(each, verb) for each in self._when_and_where(verb, (*subject, *line))]
        for aside in asides:
            self._aside(aside, verb)
        for child in beside:
            self._beside(child, verb, said)
        for conjunct in conjuncts:
            self._wording.restore(conjunct)
            own = self._parse.subject(conjunct) is not None
            self._clause(conjunct, () if own else (*said, *self._inherited(conjunct, verb)))

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
        found = list(self._parse.children(verb, "conj"))
        for word in found:
            found += self._parse.children(word, "conj") if word.pos in VERBS else ()
        chain = [verb, *found]
        joints = {joint for each in chain for joint in self._joints(each)}
        conditional = any(
            self._marks(clause) & _CONDITIONS
            for each in chain[:-1]
            for clause in self._parse.children(each, "advcl")
        )
        if not joints <= _JOINTS or conditional or self._parse.children(verb, "preconj"):
            return []
        apart = all(self._may_stand_alone(word, verb) for word in found)
        beside = list(self._parse.children(verb, "conj"))
        if not apart or self._is_torn(verb, beside) or self._share_than(chain):
            return []
        return beside

    def _is_torn(self, verb: Word, conjuncts: Sequence[Word]) -> bool:
        """Whether a clause goes on behind the clauses that are joined to it."""
        gone = {i.i for each in conjuncts for i in self._parse.subtree(each)}
        kept = [w for w in self._parse.subtree(verb) if w.i not in gone and w.pos != "PUNCT"]
        return any(w.i > min(gone) for w in kept if w.dep != "cc") if gone and min(gone) > verb.i else False

    def _share_than(self, chain: Sequence[Word]) -> bool:
        """ "5G is faster and has lower latency than LTE": both compare, and only one says with what."""
        said = [self._parse.subtree(chain[0], {word.i for word in chain[1:]}), self._parse.subtree(chain[-1])]
        compared = [any(w.tag in ("JJR", "RBR") for w in part) for part in said]
        told = [any(w.lower == "than" for w in part) for part in said]
        return all(compared) and told[0] != told[1]

    def _may_stand_alone(self, word: Word, verb: Word) -> bool:
        """Whether a verb beside another has a subject of its own, or plainly that of the other."""
        if word.pos not in VERBS:
            return False
        if self._parse.subject(word) is not None:
            for so in self._parse.children(word, "advmod", "mark"):
                if so.lower == "so":
                    self._wording.drop(so)
            return self._parse.is_clause(word) and not self._marks(word) & _ASKING
        if any(w.lower == "so" for w in self._parse.children(word, "advmod", "mark")):
            return False
        aims = [aim for aim in self._parse.children(verb, "xcomp", "ccomp") if aim.i < word.i]
        after = [
            c for c in self._parse.children(verb) if c.i > verb.i and c.dep not in ("conj", "cc", "punct")
        ]
        if not self._parse.is_finite(word):
            alike = word.tag == verb.tag and word.tag in ("VB", "VBN", "VBG")
            turned = self._parse.children(verb, "neg") or "but" in self._joints(verb)
            return alike and bool(after) and not turned and not aims
        return bool(after) or not self._parse.children(word, "dobj", "agent")

    def _joints(self, verb: Word) -> set[str]:
        return {word.lower for word in self._parse.children(verb, "cc") if word.i > verb.i}

    def _inherited(self, word: Word, verb: Word) -> Line:
        """Auxiliaries of the first verb that the second one needs: "was born and raised"."""
        modal = self._parse.finite(verb).tag == "MD" and word.lower == word.lemma
        if self._parse.is_finite(word) and not (modal and not self._parse.children(word, *AUXILIARIES)):
            return ()
        return self._parse.children(verb, *AUXILIARIES)

    def _marks(self, clause: Word) -> set[str]:
        return {word.lower for word in self._parse.children(clause, "mark", "advmod") if word.i < clause.i}

    # Adverbial clauses

    def _is_contrast(self, clause: Word) -> bool:
        """Whether a comma sets off "although ..." behind the main clause or before it."""
        if not self._parse.is_clause(clause) or not self._marks(clause) & _CONTRASTS:
            return False
        first, last = self._parse.edges(clause)
        if self._parse[first].lower == "so" and (
            self._parse[first + 1].lower == "that" or self._parse.finite(clause).lower in _INTENDED
        ):
            return False
        return self._parse[first].lower in _CONTRASTS and self._is_set_off(first, last)

    def _is_act(self, verb: Word, clause: Word) -> bool:
        """Whether a participle behind a comma says what the subject did, too: ", becoming the first"."""
        first, last = self._parse.edges(clause)
        bare = clause.tag == "VBG" and first == clause.i > verb.i and verb.lemma != "be"
        return bare and clause.lemma not in _OF_EVENT and self._is_set_off(first, last)

    def _is_set_off(self, first: int, last: int) -> bool:
        before = self._parse[first - 1].text if first else ","
        after = self._parse[last + 1].text if last + 1 < len(self._parse) else "."
        return before == "," and after in (",", ".")

    def _beside(self, child: Word, verb: Word, subject: Line) -> None:
        self._wording.restore(child)
        if self._parse.is_clause(child):
            self._wording.drop(self._parse.children(child, "mark", "advmod")[0])
            self._clause(child)
        elif subject:
            self._wording.say(child, in_tense_of(self._parse, verb, child.lemma))
            self._clause(child, subject)

    # What is said of nouns

    def _aside(self, aside: Aside, verb: Word) -> None:
        said = aside.said
        self._wording.restore(said)
        be = "was" if self._parse.finite(verb).tag == "VBD" else "is"
        if said.dep == "appos":
            self._drafts.append(Draft((*aside.subject, be, *self._wording.line(said)), said))
        elif said.dep == "acl" and said.tag == "VBN":
            self._clause(said, (*aside.subject, "was" if said.lemma == "bear" else be))
        elif said.dep == "acl":
            self._wording.say(said, in_tense_of(self._parse, verb, said.lemma))
            self._clause(said, aside.subject)
        else:
            self._wording.drop(aside.relative or said)
            self._clause(said, aside.subject)

    # When and where

    def _when_and_where(self, verb: Word, line: Line) -> list[Line]:
        """ "Born on 5 May in Rome" as "born on 5 May" and "born in Rome"; any other line as it is."""
        after = [w for w in self._wording.children(verb, "prep") if w.i > verb.i and w in line]
        dates = [w for w in after if self._is_of(w, "DATE")]
        others = [w for w in after if w not in dates]
        identified = verb.lemma in _ONCE or self._parse.child(verb, "dobj") is not None
        if not identified or len(dates) != 1 or len(others) != len(after) - 1 or not others:
            return [line]
        told = [bit for bit in line if isinstance(bit, Word)]
        if any(bit.dep == "neg" or bit.lower in _NOT_ALWAYS or bit.lower in _EXAMPLES for bit in told):
            return [line]
        return [_less(self._parse, line, *others), _less(self._parse, line, *dates)]

    def _is_of(self, preposition: Word, *entities: str) -> bool:
        target = self._parse.child(preposition, "pobj")
        return target is not None and target.entity in entities and preposition.lower in ("in", "on", "at")


def in_tense_of(parse: Parse, verb: Word, lemma: str) -> str:
    """A verb that has the tense, the number and the "can" of another one."""
    finite = parse.finite(verb)
    if finite.tag == "MD":
        return f"{finite.text} {lemma}"
    if finite.tag == "VBD" or (finite.lemma == "have" and finite is not verb):
        return past(lemma)
    return third_person(lemma) if finite.tag == "VBZ" else lemma


def _less(parse: Parse, line: Line, *parts: Word) -> Line:
    gone: set[int] = set()
    for part in parts:
        first, last = parse.edges(part)
        gone |= {each.i for each in parse.subtree(part)}
        gone |= {i for i in (first - 1, last + 1) if 0 <= i < len(parse) and parse[i].text == ","}
    return without_stop(tuple(bit for bit in line if isinstance(bit, str) or bit.i not in gone))

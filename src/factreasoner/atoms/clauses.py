"""Split a parsed sentence into simple clauses: one finite verb, one subject, one list item.

A clause is split off only if the parse shows its subject; all else stays in its clause. Each clause is parsed
again, and `is_sound` decides whether to keep it.
"""

from __future__ import annotations

from factreasoner.atoms.phrases import Aside, Draft, Line, PrunedParse, asides_of, split_list
from factreasoner.text.language import word_set
from factreasoner.text.parsing import AUXILIARIES, NOUNS, SUBJECTS, VERBS, Parse, Word

_PARTS = word_set("conj relcl appos acl")
_CONDITIONS = word_set("if unless when whenever once until because since as so")
_ASKING = word_set("if whether that when because while so")
_JOINTS = word_set("and but ; , yet")
_POINTERS = word_set("he him his she her it its they them their this that these those others")
_PERSONAL = word_set("he his she her")
_GENERIC = word_set("you we one")


def split(parse: Parse) -> list[Draft]:
    """The clauses of a sentence in the order found; none if its root is not a clause."""
    kinds = [word.dep for word in parse.words]
    if not parse.root.is_clause or _PARTS.isdisjoint(kinds):
        return []
    splitter = Splitter(parse)
    splitter.state(parse.root)
    return splitter.drafts


class Splitter:
    """Splits one sentence, clause by clause."""

    def __init__(self, parse: Parse) -> None:
        self.drafts: list[Draft] = []
        self._parse = parse
        self._wording = PrunedParse(parse)

    def state(self, verb: Word, subject: Line = ()) -> None:
        """State a clause, then what was split from it.

        `subject`, with its auxiliaries, is used for a verb without its own.
        """
        conjuncts = self._conjuncts(verb)
        for word in conjuncts:
            self._wording.drop(word)
        owner = subject or self._own_subject(verb)
        asides = asides_of(self._wording, verb, owner)
        for aside in asides:
            self._wording.drop(aside.word)
        owner = subject or self._own_subject(verb)
        for line in split_list(self._wording, verb):
            self.drafts.append(Draft((*subject, *line), verb))
        for aside in asides:
            self._add_aside(aside, verb)
        for conjunct in conjuncts:
            self._wording.gone.discard(conjunct.i)
            own = conjunct.subject is not None
            self.state(conjunct, () if own else (*owner, *_inherited(conjunct, verb)))

    def _own_subject(self, verb: Word) -> Line:
        subject = verb.subject
        if subject is None or subject.dep == "expl":
            return ()
        behind = subject.dependents("relcl", "appos", "acl")
        asides = [c for c in behind if self._parse.words[c.first - 1].text == ","]
        return self._wording.less(self._wording.line(subject), *asides)

    def _conjuncts(self, verb: Word) -> list[Word]:
        """The verbs joined to a verb if each can stand apart; else none."""
        beside = verb.dependents("conj")
        found = list(beside)
        for word in found:
            found += word.dependents("conj") if word.pos in VERBS else ()
        joints = {self._parse.words[each.first - 1].lower for each in found}
        clauses = [clause for each in [verb, *found][:-1] for clause in each.dependents("advcl")]
        conditions = {self._parse.words[0].lower}.union(*map(_marks, clauses)) & _CONDITIONS
        if conditions or not joints <= _JOINTS:
            return []
        compared = any(word.lower == "than" for word in self._parse.words)
        if compared or _goes_on(verb, beside) or self._is_scoped(verb):
            return []
        return beside if all(_may_stand_alone(word, verb, "but" in joints) for word in found) else []

    def _is_scoped(self, verb: Word) -> bool:
        """Whether a clause begins with words that may apply to all joined clauses: "Later, ..."."""
        begin = (c for c in verb.dependents("prep", "advcl", "npadvmod", "advmod") if c.last + 1 < verb.i)
        return any(self._parse.words[c.last + 1].text == "," for c in begin)

    def _add_aside(self, aside: Aside, verb: Word) -> None:
        wording = aside.word
        self._wording.gone.discard(wording.i)
        be = "was" if wording.lemma == "bear" or verb.finite.tag == "VBD" else "is"
        if wording.dep == "appos":
            self.drafts.append(Draft((*aside.subject, be, *self._wording.line(wording)), wording))
        elif wording.dep == "acl":
            self.state(wording, (*aside.subject, be))
        else:
            self._wording.drop(aside.relative or wording)
            self.state(wording, aside.subject)


def _goes_on(verb: Word, conjuncts: list[Word]) -> bool:
    """Whether a clause continues after the clauses that are joined to it."""
    gone = {word.i for each in conjuncts for word in each.subtree()}
    kept = [w for w in verb.subtree() if w.i not in gone and w.pos != "PUNCT" and w.dep != "cc"]
    return any(word.i > min(gone) for word in kept) if gone else False


def _may_stand_alone(word: Word, verb: Word, turned: bool) -> bool:
    """Whether a joined verb has its own subject, or clearly shares that of the first."""
    if word.pos not in VERBS or _marks(word) & _ASKING:
        return False
    if word.subject is not None:
        # "This makes a line and the cursor moves": perhaps what "this" does. "It is cheap, but you pay more".
        own, first = word.subject, verb.subject
        generic = own.is_expletive or (own.lower in _GENERIC and (first is None or first.lower != own.lower))
        return word.is_clause and not generic and not (first and first.tag == "DT")
    between = [each for each in verb.subtree() if each.dep == "relcl" and verb.i < each.i < word.i]
    if any(w.subject and w.subject.pos == "PRON" and w.finite.tag == word.finite.tag for w in between):
        return False  # "claims that seem good, but are false"
    after = [c for c in verb.children if c.i > verb.i and c.dep not in ("conj", "cc", "punct")]
    if not word.is_finite:
        aims = any(c.dep in ("xcomp", "ccomp") for c in after)
        return word.tag == verb.tag and bool(after) and not (turned or verb.dependent("neg") or aims)
    tenses = {verb.finite.tag, word.finite.tag}
    turns = tenses == {"VBZ", "VBD"} and verb.finite.lemma not in ("be", "have")
    return not turns and (bool(after) or not word.dependent("dobj", "agent"))


def _inherited(word: Word, verb: Word) -> list[Word]:
    """Auxiliaries of the first verb that the second one needs: "was born and raised"."""
    modal = verb.finite.tag == "MD" and word.lower == word.lemma
    if word.is_finite and not (modal and not word.dependent(*AUXILIARIES)):
        return []
    return verb.dependents(*AUXILIARIES)


def _marks(clause: Word) -> set[str]:
    return {word.lower for word in clause.dependents("mark", "advmod") if word.i < clause.i}


def is_sound(parse: Parse | None, draft: Draft, sentence: Parse) -> bool:
    """Whether a statement parses as one finite clause with its draft's verb and subject."""
    if parse is None or not parse.root.is_clause:
        return False
    beside = [w for w in parse.root.dependents("conj", "ccomp") if w.dep == "conj" or w.i < parse.root.i]
    second = any(w.pos in VERBS and (w.is_finite or w.tag == parse.root.tag) for w in beside)
    return not second and not _is_open(draft, sentence)


def _is_open(draft: Draft, sentence: Parse) -> bool:
    """Whether a statement refers back within its sentence and has no noun as its subject.

    Not if the sentence is about one person or begins with the same pronoun, which the reviser replaces.
    """
    subject = sentence.root.subject
    person = subject is not None and (subject.entity == "PERSON" or subject.lower in _PERSONAL)
    for word in draft.line:
        if not isinstance(word, Word):
            continue
        if word.dep in SUBJECTS and word.pos in NOUNS:
            return False
        points = word.lower in _POINTERS and word.tag not in ("IN", "WDT", "RB")
        if points and not (word.lower in _PERSONAL and person) and not word.is_expletive:
            return any(before.pos in NOUNS for before in sentence.words[: word.i])
    return False

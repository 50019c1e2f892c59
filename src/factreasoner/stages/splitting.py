"""A parsed sentence as simple statements: one finite verb, one subject, one item of each list."""

from __future__ import annotations

from collections.abc import Iterator

from factreasoner.language.abbreviations import words
from factreasoner.language.inflection import past, third_person
from factreasoner.language.tree import AUXILIARIES, SUBJECTS, VERBS, Parse, Word
from factreasoner.stages.attachments import OF_CLAUSE, Attachment, Attachments
from factreasoner.stages.descriptions import descriptions
from factreasoner.stages.joints import JOINTS, TRANSITIVE
from factreasoner.stages.lists import EXAMPLES, Lists
from factreasoner.stages.soundness import is_doubtful, is_torn
from factreasoner.stages.wording import Draft, Line, Wording

_POINTING = ("he", "she", "it", "this", "that")
_CONTRASTS = ("although", "though", "whereas", "while")
_CONDITIONS = ("if", "unless", "whenever", "provided")
_TIMES = ("when", "once", "while", "as", "until", "after", "before")
_HAPPENING_ONCE = words("bear die found establish release launch bury commission inaugurate")
"""Verbs that need no object to say what happened."""
_INTRANSITIVE = words(
    "come go sit stand smile live work die arrive run sing dance travel return laugh retire"
)


def split(parse: Parse, label: str = "") -> list[Draft]:
    """The statements of a sentence; none where its root is no clause with a subject, so that it stays whole.

    `label` is what stands before the sentence and its colon ("Ada Roe: She was born in 1815").
    """
    return _Splitter(parse).drafts(label)


class _Splitter:
    def __init__(self, parse: Parse) -> None:
        self._parse = parse
        self._wording = Wording(parse)
        self._lists = Lists(self._wording)
        self._attachments = Attachments(self._wording)
        self._drafts: list[Draft] = []

    def drafts(self, label: str) -> list[Draft]:
        root = self._parse.root
        if self._parse.is_clause(root) and not is_doubtful(self._parse):
            subject = self._parse.subject(root)
            if label and subject is not None and subject.i == 0 and subject.lower in _POINTING:
                self._wording.say(subject, label)
            self._clause(root)
        return [] if any(is_torn(self._parse, draft.line) for draft in self._drafts) else self._drafts

    def _clause(self, verb: Word, subject: Line = (), before: Line = ()) -> None:
        """State a clause, then all that was taken out of it; `subject` with auxiliaries where it has none."""
        conjuncts = list(self._conjoined(verb))
        beside = [child for child in self._wording.children(verb, "advcl") if self._stands_alone(verb, child)]
        for word in (*conjuncts, *beside):
            self._wording.drop(word)
        attached = self._attachments.of_clause(verb, subject or self._own_subject(verb))
        said = subject or self._own_subject(verb)
        for line in (*self._without_examples(verb), *self._lists.of_clause(verb)):
            self._drafts += [Draft(each, verb) for each in self._apart(verb, (*before, *subject, *line))]
        be = "was" if self._parse.finite(verb).tag == "VBD" else "is"
        self._drafts += [Draft(line, verb) for line in descriptions(self._wording, verb, said, be)]
        for child in beside:
            self._beside(child, verb, said)
        for attachment in attached:
            self._attached(attachment, verb, attachment.name or said)
        for conjunct in conjuncts:
            self._conjunct(conjunct, verb, said)

    def _without_examples(self, verb: Word) -> list[Line]:
        """ "He acted in several films" where the clause goes on with "such as A and B"."""
        lists = [
            word
            for word in self._wording.kept(verb)
            if word.lower in EXAMPLES
            and word.dep == "prep"
            and (word.lower == "including" or self._is_long(word))
        ]
        noun = self._parse[lists[0].head] if len(lists) == 1 else verb
        later = [c for c in self._wording.children(verb, "prep") if lists and c.i > lists[0].i]
        if noun.dep not in ("dobj", "pobj") or later:
            return []
        return [self._wording.line_without(verb, lists[0])]

    def _is_long(self, preposition: Word) -> bool:
        first = self._parse.child(preposition, "pobj")
        return first is not None and bool(self._wording.children(first, "conj"))

    def _own_subject(self, verb: Word) -> Line:
        subject = self._parse.subject(verb)
        return self._wording.line(subject) if subject is not None and self._wording.is_left(subject) else ()

    # Clauses beside each other

    def _conjoined(self, verb: Word) -> Iterator[Word]:
        """Verbs beside this one that can stand alone, with its subject or their own."""
        for child in self._wording.children(verb, "conj", "ccomp", "parataxis"):
            if child.pos not in VERBS or (child.dep != "conj" and not self._is_set_off(verb, child)):
                continue
            if self._parse.subject(child) is not None:
                if self._parse.is_finite(child) and not self._is_conditional(verb, child):
                    yield child
            elif self._is_joined(child) and self._may_stand_alone(child, verb):
                yield child

    def _may_stand_alone(self, child: Word, verb: Word) -> bool:
        """Whether both verbs of a subject can be said apart.

        "Will need to buy it and sell it" may be about needing to sell it; "decrypt and read the file" may
        have one object.
        """
        inherited = self._inherited(child, verb)
        aims = [aim for aim in self._parse.children(verb, "xcomp") if aim.tag == "VB" and aim.i < child.i]
        if inherited and child.tag == "VB" and aims:
            return False
        shared = self._shares_object(child, verb) and verb.lemma not in (*_INTRANSITIVE, *TRANSITIVE)
        return not shared and (self._parse.is_finite(child) or bool(inherited))

    def _shares_object(self, child: Word, verb: Word) -> bool:
        """Whether the second of two verbs has an object, and the first one has nothing behind it."""
        after = [c for c in self._parse.children(verb) if c.i > verb.i and c.dep not in (*JOINTS, "punct")]
        return not after and self._parse.child(child, "dobj") is not None

    def _is_conditional(self, verb: Word, child: Word) -> bool:
        """Whether both clauses may hold under the condition before the first: "If you stop, A, and B"."""
        past = self._parse.finite(verb).tag == "VBD"
        return child.dep == "conj" and any(
            mark.lower in (_CONDITIONS if past else (*_CONDITIONS, *_TIMES))
            for clause in self._parse.children(verb, "advcl")
            if clause.i < verb.i
            for mark in self._parse.children(clause, "mark", "advmod")
        )

    def _is_set_off(self, verb: Word, child: Word) -> bool:
        """Whether a semicolon stands between a clause and the main one."""
        first, last = self._parse.edges(child)
        between = self._parse.words[last + 1 : verb.i] if child.i < verb.i else ()
        return any(word.text == ";" for word in (*between, *self._parse.words[max(0, first - 1) : first]))

    def _is_joined(self, child: Word) -> bool:
        """Whether a conjunction or comma stands before a verb without a subject of its own."""
        first = self._parse.edges(child)[0]
        before = self._parse[first - 1] if first else child
        return before.dep == "cc" or before.text == ","

    def _inherited(self, conjunct: Word, verb: Word) -> Line:
        """Auxiliaries of the first verb that the second one needs: "was born and raised"."""
        own = self._parse.children(conjunct, *AUXILIARIES) or conjunct.tag in ("VBD", "VBZ", "VBP")
        alike = conjunct.tag == verb.tag and conjunct.tag in ("VB", "VBN", "VBG")
        turned = any(word.lower == "but" for word in self._parse.children(verb, "cc"))
        return () if own or turned or not alike else self._parse.children(verb, *AUXILIARIES)

    def _conjunct(self, conjunct: Word, verb: Word, subject: Line) -> None:
        if self._parse.subject(conjunct) is None:
            shared = self._inherited(conjunct, verb)
            borrowed = self._borrowed(conjunct, verb)
            if borrowed:
                last = self._drafts[-1]
                self._drafts[-1] = Draft((*_without_stop(last.line), *borrowed), last.verb)
            self._clause(conjunct, (*subject, *shared))
            return
        for word in self._parse.children(conjunct, "advmod", "mark"):
            if word.lower == "so":
                self._wording.drop(word)
        existential = self._parse.child(conjunct, "expl") is not None
        self._clause(conjunct, before=self._fronted(verb) if existential else ())

    def _borrowed(self, conjunct: Word, verb: Word) -> Line:
        """The object that "designed and built the engine" has but once."""
        if conjunct.tag != verb.tag or verb.lemma in _INTRANSITIVE or not self._drafts:
            return ()
        target = self._parse.child(conjunct, "dobj")
        return (
            self._wording.line(target) if target is not None and self._shares_object(conjunct, verb) else ()
        )

    def _fronted(self, verb: Word) -> Line:
        """ "In a cinema," before the clause."""
        first = self._parse.children(verb)[0]
        return (*self._wording.line(first), ",") if first.dep == "prep" and first.i < verb.i else ()

    # Adverbial clauses

    def _stands_alone(self, verb: Word, child: Word) -> bool:
        """Whether an adverbial clause is a statement of its own."""
        if child.pos not in VERBS:
            return False
        marks = [word.lower for word in self._parse.children(child, "mark")]
        if self._parse.is_clause(child):
            return bool(marks) and all(mark in _CONTRASTS for mark in marks)
        free = child.tag == "VBG" and not marks and not self._parse.children(child, *AUXILIARIES, *SUBJECTS)
        set_off = self._parse.edges(child)[0] == child.i and self._parse[child.i - 1].text == ","
        if not free or not set_off or child.i < verb.i:
            return False
        if child.lemma == "mean":
            return self._meant(child) is not None and self._parse.child(verb, "advcl") is child
        own = child.lemma not in OF_CLAUSE or (child.lemma == "provide" and self._is_of_subject(verb, child))
        return verb.lemma != "be" and own

    def _meant(self, child: Word) -> Word | None:
        """The clause of "X is a Y, meaning that it ..."."""
        clause = self._parse.child(child, "ccomp")
        return clause if clause is not None and self._parse.is_clause(clause) else None

    def _is_of_subject(self, verb: Word, child: Word) -> bool:
        """Whether what a thing generally does provides something, too: "X measures it, providing a view"."""
        subject = self._parse.subject(verb)
        general = self._parse.finite(verb).tag in ("VBZ", "VBP")
        pointing = any(word.pos == "PRON" for word in self._parse.subtree(child))
        return general and subject is not None and subject.pos == "NOUN" and not pointing

    def _beside(self, child: Word, verb: Word, subject: Line) -> None:
        self._wording.restore(child)
        if self._parse.is_clause(child):
            for mark in self._parse.children(child, "mark"):
                self._wording.drop(mark)
            self._clause(child)
        elif child.lemma == "mean" and (clause := self._meant(child)) is not None:
            for mark in self._parse.children(clause, "mark"):
                self._wording.drop(mark)
            self._clause(clause)
        elif subject:
            self._wording.say(child, self._in_tense_of(verb, child.lemma))
            self._clause(child, subject)

    def _in_tense_of(self, verb: Word, lemma: str) -> str:
        finite = self._parse.finite(verb)
        if finite.tag == "MD":
            return f"{finite.text} {lemma}"
        if finite.tag == "VBD" or (finite.lemma == "have" and finite is not verb):
            return past(lemma)
        return third_person(lemma) if finite.tag == "VBZ" else lemma

    # What is said of nouns

    def _attached(self, attachment: Attachment, verb: Word, subject: Line) -> None:
        noun, child = attachment.noun, attachment.said
        self._wording.restore(child)
        be = "was" if self._parse.finite(verb).tag == "VBD" else "is"
        if child.dep == "appos":
            self._drafts.append(Draft((*subject, be, *self._wording.line(child)), child))
        elif child.dep == "acl":
            self._clause(child, (*subject, "was" if child.lemma == "bear" else be))
        else:
            self._relative_clause(noun, child, subject)

    def _relative_clause(self, noun: Word, child: Word, subject: Line) -> None:
        relative = self._attachments.relative(child)
        if relative is None:
            return
        if relative.lower == "whose" or relative.head != child.i:
            self._wording.say(relative, *subject, *(["'s"] if relative.lower == "whose" else []))
            self._clause(child)
            return
        self._wording.drop(relative)
        if relative.dep in SUBJECTS and relative.head == child.i:
            self._clause(child, subject)
            return
        start = len(self._drafts)
        self._clause(child)
        before = self._parse[noun.head].lower if noun.dep == "pobj" else "in"
        where = (before if before in ("at", "on", "near") else "in",)
        for position in range(start, len(self._drafts)):
            draft = self._drafts[position]
            line = _without_stop(draft.line)
            if relative.lower == "where":
                line = (*line, *where, *subject)
            elif child in line:
                place = line.index(child) + 1
                line = (*line[:place], *subject, *line[place:])
            self._drafts[position] = Draft(line, draft.verb)

    def _apart(self, verb: Word, line: Line) -> list[Line]:
        """ "born on 5 May in Rome" as "born on 5 May" and "born in Rome"."""
        after = [w for w in self._wording.children(verb, "prep") if w.i > verb.i and w in line]
        dates = [w for w in after if self._is_date(w)]
        others = [w for w in after if w not in dates]
        if any(w.lower in EXAMPLES and w.dep == "prep" for w in self._wording.kept(verb)):
            return [line]
        identified = verb.lemma in _HAPPENING_ONCE or self._parse.child(verb, "dobj") is not None
        if not identified or len(dates) != 1 or not others or self._parse.child(verb, "neg") is not None:
            return [line]
        return [self._less(line, *others), self._less(line, *dates)]

    def _less(self, line: Line, *dropped: Word) -> Line:
        gone = {each.i for word in dropped for each in self._parse.subtree(word)}
        return tuple(bit for bit in line if isinstance(bit, str) or bit.i not in gone)

    def _is_date(self, preposition: Word) -> bool:
        """ "in 1990", but not "from 1990 until his death"."""
        target = self._parse.child(preposition, "pobj")
        return target is not None and target.entity == "DATE" and preposition.lower in ("in", "on")


def _without_stop(line: Line) -> Line:
    last = line[-1]
    return line[:-1] if isinstance(last, Word) and last.text in ".!" else line

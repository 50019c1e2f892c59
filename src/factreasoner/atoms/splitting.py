"""A parsed sentence as simple statements: one finite verb, one subject, one item of each list."""

from __future__ import annotations

from factreasoner.atoms.attachments import AS_PREPOSITION, OF_CLAUSE, Attachment, Attachments
from factreasoner.atoms.companions import companion, happening, having
from factreasoner.atoms.conjuncts import INTRANSITIVE, Conjuncts
from factreasoner.atoms.descriptions import descriptions
from factreasoner.atoms.instructions import is_instruction, is_told_beside
from factreasoner.atoms.lists import EXAMPLES, Lists
from factreasoner.atoms.occasions import apart
from factreasoner.atoms.soundness import is_doubtful, is_torn
from factreasoner.atoms.tenses import in_tense_of, with_own_subject
from factreasoner.atoms.wording import Draft, Line, Wording
from factreasoner.text.persons import is_person
from factreasoner.text.tree import AUXILIARIES, SUBJECTS, VERBS, Parse, Word

_POINTING = ("he", "she", "it", "this", "that")
_CONTRASTS = ("although", "though", "whereas", "while")


def split(parse: Parse, label: str = "", circumstance: str = "") -> list[Draft] | None:
    """The statements of a sentence; None where its root is no clause with a subject, so that it stays whole.

    `label` is what stands before the sentence and its colon ("Ada Roe: She was born in 1815"),
    `circumstance` what is said before its list ("Within three years").
    """
    return _Splitter(parse).drafts(label, circumstance)


class _Splitter:
    def __init__(self, parse: Parse) -> None:
        self._parse = parse
        self._wording = Wording(parse)
        self._conjuncts = Conjuncts(self._wording)
        self._lists = Lists(self._wording)
        self._attachments = Attachments(self._wording)
        self._drafts: list[Draft] = []

    def drafts(self, label: str, circumstance: str) -> list[Draft] | None:
        root = self._parse.root
        told = is_instruction(self._parse)
        subject = self._parse.subject(root)
        if is_doubtful(self._parse) and not told:
            return None
        if told:
            self._clause(root)
            self._drafts = [draft for draft in self._drafts if not self._is_told(draft.verb)]
            self._reasons(root)
        elif subject is not None and self._parse.is_finite(root) and not self._is_asked(root):
            if label and subject.i == 0 and subject.lower in _POINTING:
                self._wording.say(subject, label)
            self._clause(root)
        if any(is_torn(self._parse, draft.line) for draft in self._drafts):
            return [] if told else None
        if circumstance:
            self._drafts = [self._under(circumstance, draft) for draft in self._drafts]
        return self._drafts if self._drafts or told else None

    def _is_asked(self, root: Word) -> bool:
        """Whether an item is a clause of its lead-in: "The court looks at: whether it was fair"."""
        return any(mark.lower in ("whether", "if") for mark in self._parse.children(root, "mark"))

    def _under(self, circumstance: str, draft: Draft) -> Draft:
        """A statement of a main clause with what its lead-in said before it."""
        first = draft.line[0]
        if draft.verb.dep not in ("ROOT", "conj"):
            return draft
        if isinstance(first, Word) and first.pos != "PROPN" and first.text != "I":
            first = first.text[0].lower() + first.text[1:]
        return Draft((circumstance, ",", first, *draft.line[1:]), draft.verb)

    def _is_told(self, verb: Word) -> bool:
        """Whether a verb is that of an instruction, or is one beside it."""
        return verb.dep == "ROOT" or (verb.dep == "conj" and self._parse.subject(verb) is None)

    def _reasons(self, verb: Word) -> None:
        """State what an instruction gives as its reason: "Avoid it, because it may burn"."""
        for child in self._parse.children(verb, "advcl"):
            marks = self._parse.children(child, "mark")
            if self._parse.is_clause(child) and [mark.lower for mark in marks] == ["because"]:
                self._wording.restore(child)
                self._wording.drop(marks[0])
                self._clause(child)

    def _clause(self, verb: Word, subject: Line = (), before: Line = ()) -> None:
        """State a clause, then all that was taken out of it; `subject` with auxiliaries where it has none."""
        for child in self._wording.children(verb, "conj"):
            if is_told_beside(self._parse, child):
                self._wording.drop(child)
        conjuncts = list(self._conjuncts.of_clause(verb))
        beside = [child for child in self._wording.children(verb, "advcl") if self._stands_alone(verb, child)]
        with_it = companion(self._wording, verb)
        for word in (*conjuncts, *beside, *([with_it] if with_it else [])):
            self._wording.drop(word)
        attached = self._attachments.of_clause(verb, subject or self._own_subject(verb))
        said = subject or self._own_subject(verb)
        for line in (*self._without_examples(verb), *self._lists.of_clause(verb)):
            self._drafts += [
                Draft(each, verb) for each in apart(self._wording, verb, (*before, *subject, *line))
            ]
        be = "was" if self._parse.finite(verb).tag == "VBD" else "is"
        self._drafts += [Draft(line, verb) for line in descriptions(self._wording, verb, said, be)]
        for child in beside:
            self._beside(child, verb, said)
        if with_it is not None:
            self._companion(with_it, verb, said)
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
        later = [c for c in self._wording.children(verb, "prep", "conj") if lists and c.i > lists[0].i]
        bare = not any(child.i < noun.i for child in self._parse.children(noun))
        vague = bare and self._parse[noun.head].lower == "with"
        above = (w for w in (noun, *self._parse.above(noun, verb)))
        listed = any(w.dep == "conj" or self._wording.children(w, "conj") for w in above)
        if noun.dep not in ("dobj", "pobj") or later or vague or listed:
            return []  # "with features" says nothing without them
        return [self._wording.line_without(verb, lists[0])]

    def _is_long(self, preposition: Word) -> bool:
        first = self._parse.child(preposition, "pobj")
        return first is not None and bool(self._wording.children(first, "conj"))

    def _own_subject(self, verb: Word) -> Line:
        subject = self._parse.subject(verb)
        return self._wording.line(subject) if subject is not None and self._wording.is_left(subject) else ()

    # Clauses beside each other

    def _conjunct(self, conjunct: Word, verb: Word, subject: Line) -> None:
        if self._parse.subject(conjunct) is None:
            shared = self._conjuncts.inherited(conjunct, verb)
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
        if conjunct.tag != verb.tag or verb.lemma in INTRANSITIVE or not self._drafts:
            return ()
        target = self._parse.child(conjunct, "dobj")
        return (
            self._wording.line(target)
            if target is not None and self._conjuncts.shares_object(conjunct, verb)
            else ()
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
            return bool(marks) and (all(mark in _CONTRASTS for mark in marks) or self._follows(verb, child))
        free = child.tag == "VBG" and not marks and not self._parse.children(child, *AUXILIARIES, *SUBJECTS)
        set_off = self._parse.edges(child)[0] == child.i and self._parse[child.i - 1].text == ","
        if not free or not set_off or child.i < verb.i or child.lemma in AS_PREPOSITION:
            return False
        if child.lemma == "mean":
            return self._meant(child) is not None and self._parse.child(verb, "advcl") is child
        own = child.lemma not in OF_CLAUSE or (child.lemma == "provide" and self._is_of_subject(verb, child))
        return verb.lemma != "be" and own

    def _follows(self, verb: Word, child: Word) -> bool:
        """Whether a clause is what comes of the one before: ", so it grows", not ", so he could rest"."""
        first, possible = self._parse.edges(child)[0], self._parse.finite(child).lower
        opened = self._parse[first].lower == "so" and self._parse[first + 1].lower != "that"
        return (
            opened
            and first > verb.i
            and self._parse[first - 1].text == ","
            and possible not in ("could", "would", "might")
        )

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
            self._wording.say(child, in_tense_of(self._parse, verb, child.lemma))
            self._clause(child, subject)

    def _companion(self, preposition: Word, verb: Word, subject: Line) -> None:
        """ "Sales rose" of ", with sales rising"; "X has parks" of "X is a town, with parks"."""
        self._wording.restore(preposition)
        participle = happening(self._parse, preposition)
        if participle is not None:
            self._wording.say(participle, with_own_subject(self._parse, verb, participle))
            self._clause(participle)
        elif subject:
            self._wording.say(preposition, having(self._parse, verb, preposition))
            lines = self._lists.of_phrase(preposition)
            self._drafts += [Draft((*subject, *line), preposition) for line in lines]

    # What is said of nouns

    def _attached(self, attachment: Attachment, verb: Word, subject: Line) -> None:
        noun, child = attachment.noun, attachment.said
        self._wording.restore(child)
        be = "was" if self._parse.finite(verb).tag == "VBD" else "is"
        if child.dep == "appos":
            self._drafts.append(Draft((*subject, be, *self._wording.line(child)), child))
        elif child.tag == "VBG" and child.dep == "acl":
            self._wording.say(child, in_tense_of(self._parse, verb, child.lemma))
            self._clause(child, subject)
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
                line = line if is_person(noun.lemma) else (*line, *where, *subject)
            elif child in line:
                place = line.index(child) + 1
                line = (*line[:place], *subject, *line[place:])
            self._drafts[position] = Draft(line, draft.verb)


def _without_stop(line: Line) -> Line:
    last = line[-1]
    return line[:-1] if isinstance(last, Word) and last.text in ".!" else line

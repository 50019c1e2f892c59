"""What a sentence says of its nouns in passing: relative clauses, participles, appositions."""

from __future__ import annotations

from typing import NamedTuple

from factreasoner.atoms.joints import says_of_all
from factreasoner.atoms.lists import QUANTIFIERS
from factreasoner.atoms.wording import Line, Wording
from factreasoner.text.abbreviations import words
from factreasoner.text.persons import is_person
from factreasoner.text.tree import NOUNS, SUBJECTS, VERBS, Parse, Word

OF_CLAUSE = words(
    "make allow enable lead cause result help mean ensure add create give provide prove show demonstrate",
    "indicate suggest bring reflect mark",
)
"""Verbs whose participle, or whose "which", often has a whole clause as its subject."""
AS_PREPOSITION = words("follow regard concern depend accord bar exclude")
"""Verbs whose participle is a preposition: "following his appointment", "regarding the sale"."""
_VAGUE = words(
    "term word process way type thing one person concept technique method place state time point",
    "situation phenomenon case number group set part kind form area region approach strategy event reason",
)
"""Nouns that say little without what follows them."""
_KINDS = words("type kind form sort variety species member class genre")
_FREE = words("who which where whose")


class Attachment(NamedTuple):
    """What is said of a noun, and how that is named; without a name it is the subject the noun describes."""

    noun: Word
    said: Word
    name: Line


class Attachments:
    """Finds what can be said apart from the clause it stands in."""

    def __init__(self, wording: Wording) -> None:
        self._wording = wording
        self._parse: Parse = wording.parse

    def of_clause(self, verb: Word, subject: Line) -> list[Attachment]:
        """What hangs on the nouns of a clause with that subject; it is dropped from the clause."""
        found: list[Attachment] = []
        for noun in self._wording.kept(verb):
            inside = any(
                w.dep in ("advcl", "ccomp", "relcl", "acl") for w in (noun, *self._parse.above(noun, verb))
            )
            if noun.pos not in NOUNS or inside or noun.tag == "PRP":
                continue
            for child in self._wording.children(noun, "relcl", "acl", "appos"):
                if self._is_apart(noun, child, verb, subject):
                    found.append(Attachment(noun, child, ()))
        for attachment in found:
            self._wording.drop(attachment.said)
        return [a if subject and self._describes_subject(a.noun, verb) else self._with_name(a) for a in found]

    def _is_apart(self, noun: Word, child: Word, verb: Word, subject: Line) -> bool:
        if self._is_among_items(noun, child):
            return False
        first, last = self._parse.edges(child)
        comma = first > 0 and self._parse[first - 1].text == ","
        set_off = comma or self._is_of_one(noun, child)
        describes = bool(subject) and self._describes_subject(noun, verb)
        if child.dep == "appos":
            closed = last + 1 == len(self._parse) or self._parse[last + 1].pos == "PUNCT"
            whole = self._parse.child(child, "det") is not None and not self._parse.children(child, "conj")
            return set_off and closed and whole and noun.pos == "PROPN" and self._is_plainly_of(noun, child)
        if child.dep == "acl":
            leading = self._parse.words[first : child.i]
            passive = child.tag == "VBN" and all(word.dep == "advmod" for word in leading)
            doing = child.tag == "VBG" and first == child.i and child.lemma not in OF_CLAUSE | AS_PREPOSITION
            return (passive and (describes or (set_off and noun.dep in SUBJECTS))) or (
                doing and describes and set_off
            )
        relative = self.relative(child)
        if relative is None or not self._parse.is_finite(child) or not self._is_simple(child):
            return False
        if self._is_done(relative, child) or self._may_be_of_another(noun, child, relative):
            return False
        if relative.i != first:
            return set_off and self._is_share(relative, child)
        if relative.lower == "which" and relative.dep == "nsubj" and not self._may_tell_of(noun, child):
            return False
        plural = self._parse.finite(child).tag == "VBP"
        of_clause = relative.lower == "which" and child.lemma in OF_CLAUSE and not plural
        if noun.dep not in SUBJECTS and comma and of_clause:
            return False
        return (describes and relative.lower in ("who", "which", "that")) or (
            set_off and relative.lower in _FREE
        )

    def _is_of_one(self, noun: Word, child: Word) -> bool:
        """Whether a "which" without a comma tells of but one thing: "on the N2 road which leads to Lima"."""
        relative = self.relative(child) if child.dep == "relcl" else None
        if relative is None or relative.lower != "which" or self._parse.edges(child)[0] != relative.i:
            return False
        article = self._parse.child(noun, "det")
        named = any(word.pos == "PROPN" for word in self._parse.children(noun, "compound"))
        owned = self._parse.child(noun, "poss") is not None
        return owned or (named and article is not None and article.lower == "the")

    def _is_among_items(self, noun: Word, child: Word) -> bool:
        """Whether a clause may be of a whole list, or an item behind it may belong to the clause.

        "A service that offers tools, and support": it may offer support.
        """
        items = self._parse.children(noun, "conj")
        if child.dep == "relcl" and noun.dep == "conj" and says_of_all(self._parse, child):
            return True
        if not items or child.i > items[0].i:
            return bool(items) and child.dep == "acl"
        article = self._parse.child(noun, "det") is not None
        return article and self._parse.child(items[0], "det") is None

    def _is_plainly_of(self, noun: Word, apposition: Word) -> bool:
        """Whether an apposition is of a noun itself and not of one above: "the capital of X, a city"."""
        above = self._parse[self._parse[noun.head].head] if noun.dep == "pobj" else None
        if apposition.text == noun.text:
            return False
        if above is None or above.pos != "NOUN":
            return True
        person = noun.entity == "PERSON" and is_person(apposition.lemma)
        return person and above.tag == "NNS" and apposition.tag == "NN"

    def _is_done(self, relative: Word, verb: Word) -> bool:
        """Whether "which" is what one did, or the object of two verbs: "which A owns and runs"."""
        return relative.dep == "dobj" and (verb.lemma == "do" or bool(self._parse.children(verb, "conj")))

    def _may_be_of_another(self, noun: Word, clause: Word, relative: Word) -> bool:
        """Whether a thing before the noun may be meant: "a bridge across a river, which opened in 1900"."""
        if relative.lower != "which" or noun.dep != "pobj" or noun.pos == "PROPN":
            return False
        preposition = self._parse[noun.head]
        above = self._parse[preposition.head]
        if above.pos in VERBS:
            above = self._parse.child(above, "dobj", "attr", "nsubjpass") or above
        article = self._parse.child(above, "det")
        new = article is not None and article.lower in ("a", "an", "the")
        return preposition.lower != "of" and above.pos == "NOUN" and new and self._agrees(above, clause)

    def _is_share(self, relative: Word, verb: Word) -> bool:
        """ "all of which" as a subject."""
        subject = self._parse.subject(verb)
        of = self._parse[relative.head]
        return relative.dep == "pobj" and of.lower == "of" and subject is not None and of.head == subject.i

    def _is_simple(self, verb: Word) -> bool:
        """Whether nothing of a clause is torn from its place, as in "that people sit on"."""
        for word in self._parse.subtree(verb):
            first, last = self._parse.edges(word)
            if last - first + 1 != len(self._parse.subtree(word)):
                return False
        return True

    def _describes_subject(self, noun: Word, verb: Word) -> bool:
        """Whether the noun says what the subject is, and says enough without what follows it."""
        if self._parse.child(verb, "expl") is not None:
            return False  # "There are pills that help": "there" is no subject of "help"
        head = noun
        if noun.dep == "pobj":
            head = self._parse[self._parse[noun.head].head]
            if head.lemma not in _KINDS:
                return False
        article = self._parse.child(head, "det")
        indefinite = article is None or article.lower in ("a", "an", "another", "some")
        modified = noun.lemma in _KINDS or any(
            w.dep in ("amod", "compound", "nmod") for w in self._parse.children(noun)
        )
        predicate = head.dep == "attr" and head.head == verb.i and verb.lemma == "be"
        return predicate and indefinite and (noun.lemma not in _VAGUE or modified)

    def relative(self, verb: Word) -> Word | None:
        """The "who" or "which" of a relative clause."""
        return next((w for w in self._parse.subtree(verb) if w.tag in ("WDT", "WP", "WP$", "WRB")), None)

    def _with_name(self, attachment: Attachment) -> Attachment:
        return attachment._replace(name=self._named(attachment))

    def _named(self, attachment: Attachment) -> Line:
        """What a phrase or clause that follows a noun is about.

        A clause after a list that hangs on its first item is about all of them.
        """
        noun = attachment.noun
        relative = self.relative(attachment.said) if attachment.said.dep == "relcl" else None
        if relative is not None and self._is_share(relative, attachment.said):
            while noun.dep == "pobj" and self._parse[noun.head].lower in ("as", "including", "like"):
                noun = self._parse[self._parse[noun.head].head]
            kept = [w for w in self._parse.children(noun, "compound", "amod") if w.lower not in QUANTIFIERS]
            return ("the", *kept, noun)
        items = self._wording.children(noun, "conj")
        if items and attachment.said.i > items[0].i:
            return self._wording.line(noun)
        return self._name(noun, attachment.said)

    def _name(self, noun: Word, said: Word) -> Line:
        """A noun with what stands before it and its "of ..."; the whole of a name that it ends."""
        ends = noun.i
        noun = self._head_of_name(noun, said)
        before = [
            child
            for child in self._wording.children(noun)
            if child.dep not in ("preconj", "conj", "cc", "relcl", "acl", "appos")
            and (child.dep != "punct" or child.text == "-")
            and (child.i < noun.i or (child.dep == "prep" and (child.lower == "of" or child.i < ends)))
        ]
        said_before = [word for child in before for word in self._wording.kept(child)]
        line: list[Word | str] = sorted([noun, *said_before])
        if isinstance(line[0], Word) and line[0].lower in ("a", "an"):
            line[0] = "the"
        return tuple(line)

    def _head_of_name(self, noun: Word, said: Word) -> Word:
        """ "Association" for "Association for Computational Linguistics", "mean" for "mean of the sample"."""
        relative = self.relative(said)
        person = relative is not None and relative.lower in ("who", "whose", "whom") and noun.pos == "PROPN"
        candidates = [noun]
        apposed = said.dep == "appos"
        while noun.dep == "pobj" and not person:
            preposition = self._parse[noun.head]
            above = self._parse[preposition.head]
            named = noun.pos == above.pos == "PROPN" and noun.entity not in ("GPE", "LOC", "PERSON")
            joint = preposition.lower == "of" or (named and preposition.lower in ("for", "on", "in"))
            if above.pos not in NOUNS or not joint or (apposed and not named):
                break
            noun = above
            candidates.append(noun)
        agreeing = [each for each in candidates if self._agrees(each, said)]
        return agreeing[-1] if agreeing else candidates[0]

    def _may_tell_of(self, noun: Word, clause: Word) -> bool:
        """Whether a noun or one above it is of the clause's number; none of "marks, which boosts results"."""
        above = [word for word in self._parse.above(noun) if word.pos in NOUNS]
        return any(self._agrees(word, clause) for word in (noun, *above))

    def _agrees(self, noun: Word, verb: Word) -> bool:
        """Whether noun and verb have one number, as far as the verb shows it."""
        several = any(joint.lower == "and" for joint in self._parse.children(noun, "cc"))
        plural = noun.tag in ("NNS", "NNPS") or several
        form = self._parse.finite(verb)
        return not (form.tag == "VBZ" and plural) and not (form.tag == "VBP" and not plural)

"""Clauses beside each other: which of them can be said apart."""

from __future__ import annotations

from collections.abc import Iterator

from factreasoner.atoms.joints import JOINTS, POSSIBLE, TRANSITIVE, is_set_against, shares_than
from factreasoner.atoms.wording import Line, Wording
from factreasoner.text.abbreviations import words
from factreasoner.text.tree import AUXILIARIES, VERBS, Word

_CONDITIONS = ("if", "unless", "whenever", "provided")
_TIMES = ("when", "once", "while", "as", "until", "after", "before")
_SUBJECT_FORMS = ("i", "he", "she", "it", "we", "they")
"""Words that are a clause's own subject, whatever a parse takes them for."""
_HARDLY = words("hardly barely scarcely seldom rarely")
INTRANSITIVE = words("come go sit stand smile live work die arrive run sing dance travel return laugh retire")


class Conjuncts:
    """Finds the verbs beside one that can stand alone, with its subject or their own."""

    def __init__(self, wording: Wording) -> None:
        self._wording = wording
        self._parse = wording.parse

    def of_clause(self, verb: Word) -> Iterator[Word]:
        """Verbs beside this one that can stand alone, with its subject or their own."""
        for child in self._wording.children(verb, "conj", "ccomp", "parataxis"):
            if child.pos not in VERBS or (child.dep != "conj" and not self._is_set_off(verb, child)):
                continue
            first = self._parse[self._parse.edges(child)[0]]
            if is_set_against(self._parse, first.i):
                continue
            if first.tag in ("WRB", "WP", "WDT"):
                continue  # "how often it is paid" is asked, not said
            if child.dep == "conj" and self._is_of_both(child, verb):
                continue
            if self._parse.subject(child) is not None:
                if self._parse.is_finite(child) and not self._is_conditional(verb, child):
                    yield child
            elif (
                first.lower not in _SUBJECT_FORMS
                and self._is_joined(child)
                and self._may_stand_alone(child, verb)
            ):
                yield child

    def _may_stand_alone(self, child: Word, verb: Word) -> bool:
        """Whether both verbs of a subject can be said apart.

        "Will need to buy it and sell it" may be about needing to sell it; "decrypt and read the file" may
        have one object.
        """
        if self._may_be_of_condition(child, verb) or shares_than(self._parse, verb, child):
            return False
        inherited = self.inherited(child, verb)
        aims = [aim for aim in self._parse.children(verb, "xcomp") if aim.tag == "VB" and aim.i < child.i]
        if inherited and child.tag == "VB" and aims:
            return False
        shared = self.shares_object(child, verb) and verb.lemma not in (*INTRANSITIVE, *TRANSITIVE)
        passive = bool(self._parse.children(verb, "auxpass"))
        done = passive and child.tag == "VBD" and child.lower.endswith("ed")
        if done and self._parse[self._parse.edges(child)[0] - 1].text == ",":
            return False  # "is turned into bits, referred to as analog bits, and ..."
        return not shared and (self._parse.is_finite(child) or bool(inherited))

    def _may_be_of_condition(self, child: Word, verb: Word) -> bool:
        """Whether a verb may be one of a clause before it: "is lost if the player rests, or leaves"."""
        return any(
            verb.i < clause.i < child.i and self._parse.is_clause(clause)
            for clause in self._parse.children(verb, "advcl")
        )

    def _is_of_both(self, child: Word, verb: Word) -> bool:
        """Whether "or", or a negation before the first verb, is of both: "was not sold and leased".

        "It was sold or leased" says neither; "it may be sold or leased" says both.
        """
        row = [verb, child]
        while following := self._parse.child(row[-1], "conj"):
            row.append(following)
        joints = (joint for each in row for joint in self._parse.children(each, "cc") if joint.i > each.i)
        joint = next(joints, None)
        alternative = joint is not None and joint.lower in ("or", "nor")
        before = [word for word in self._parse.children(verb, "neg", "advmod") if word.i < verb.i]
        if any(word.dep == "neg" or word.lower in _HARDLY for word in before):
            return alternative or bool(self.inherited(child, verb))
        return alternative and self._parse.finite(verb).lower not in POSSIBLE

    def shares_object(self, child: Word, verb: Word) -> bool:
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

    def inherited(self, conjunct: Word, verb: Word) -> Line:
        """Auxiliaries of the first verb that the second one needs: "was born and raised".

        Of "may have been sold or have been lost" only the "may".
        """
        modal, helpers = self._parse.finite(verb), self._parse.children(conjunct, *AUXILIARIES)
        if modal.tag == "MD" and helpers and helpers[0].lower in ("have", "be"):
            again = any(word.lower == helpers[0].lower for word in self._parse.children(verb, *AUXILIARIES))
            return (modal,) if again else ()
        possible = self._parse.finite(verb).tag == "MD" and (
            conjunct.tag == "VBP" or (conjunct.tag == "VBD" and conjunct.lower == conjunct.lemma)
        )
        finite = conjunct.tag in ("VBD", "VBZ", "VBP") and not possible
        own = self._parse.children(conjunct, *AUXILIARIES) or finite
        alike = possible or (conjunct.tag == verb.tag and conjunct.tag in ("VB", "VBN", "VBG"))
        turned = any(word.lower == "but" for word in self._parse.children(verb, "cc"))
        return () if own or turned or not alike else self._parse.children(verb, *AUXILIARIES)

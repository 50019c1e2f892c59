"""Lists inside a clause: "in Rome and Paris" says "in Rome" and "in Paris", where that keeps the meaning."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product

from factreasoner.atoms.joints import COLLECTIVE, JOINTS, POSSIBLE, is_one_thing
from factreasoner.atoms.wording import Line, Wording
from factreasoner.text.abbreviations import words
from factreasoner.text.inflection import third_person
from factreasoner.text.tree import AUXILIARIES, NOUNS, VERBS, Word

_MOST_TOGETHER = 4
"""Statements that two or more lists of one clause may multiply to; a single list may be longer."""
_PARTED = words("nsubj nsubjpass dobj pobj attr acomp oprd pcomp xcomp prep agent dative appos")
"""What of a clause may be said item by item."""
_TOGETHER = words("together each one respectively respective both same other between total different similar")
EXAMPLES = words("as including like include")
"""What begins a list of examples."""
QUANTIFIERS = words("several many numerous various some few most all different multiple other")
_REST = words("more others etc etc.")
_AS_WELL_AS = ("as", "well")

Item = list[Word]
"""Heads of what one item of a list says: one word, or the parts of a name with "and" in it."""


class Lists:
    """Finds the lists of one sentence ("in Rome and Paris"), and what each item says alone."""

    def __init__(self, wording: Wording) -> None:
        self._wording = wording
        self._parse = wording.parse

    def of_clause(self, verb: Word) -> list[Line]:
        """The ways to say a clause with one item of each of its lists."""
        subject = self._parse.subject(verb)
        instruction = subject is not None and subject.lower == "you"
        paired = any(word.lower == "respectively" for word in self._parse.subtree(verb))
        if instruction or paired or self._says_more(verb) or not self._is_contiguous(verb):
            return [self._wording.line(verb)]
        return self._combined(verb, self._wording.children(verb))

    def of_phrase(self, preposition: Word) -> list[Line]:
        """The ways to say a phrase with one item of each of its lists."""
        return self._combined(preposition, self._wording.children(preposition))

    def _says_more(self, verb: Word) -> bool:
        """Whether a clause holds another statement, which each example of a list, or item, would repeat."""
        kept = self._wording.kept(verb)
        which = any(w.tag in ("WDT", "WP") and self._parse[w.i - 1].text == "," for w in kept if w.i)
        clauses = any(self._parse.is_clause(w) for w in self._wording.children(verb, "advcl"))
        return which or (clauses and self._gives_examples(verb))

    def _options(self, word: Word) -> list[Line]:
        if not self._is_contiguous(word) or word.dep in ("advcl", "relcl"):
            return [self._wording.line(word)]
        chain = self._chain(word)
        if len(chain) > 1:
            return self._items(word, chain)
        if self._wording.children(word, "conj"):
            return [self._wording.line(word)]
        return self._combined(word, self._wording.children(word))

    def _is_contiguous(self, word: Word) -> bool:
        """Whether every dependent's words stand together, so that they can be said one after the other."""
        for child in self._parse.children(word):
            first, last = self._parse.edges(child)
            if last - first + 1 != len(self._parse.subtree(child)):
                return False
        return True

    def _combined(self, word: Word, children: Sequence[Word]) -> list[Line]:
        parts: list[list[Line]] = []
        total = 1
        for each in sorted(children):
            options = self._options(each)
            if total > 1 and (total * len(options) > _MOST_TOGETHER or self._gives_examples(each)):
                options = [self._wording.line(each)]
            total *= len(options)
            parts.append(options)
        parts.insert(sum(each.i < word.i for each in children), [self._wording.said(word)])
        return [tuple(bit for part in choice for bit in part) for choice in product(*parts)]

    def _gives_examples(self, word: Word) -> bool:
        return any(each.lower in EXAMPLES and each.dep == "prep" for each in self._parse.subtree(word))

    def _items(self, word: Word, chain: list[Item]) -> list[Line]:
        """Each item of a list, with the words that it shares with the others."""
        found: list[Line] = []
        borrowed = self._borrowed(chain)
        for position, item in enumerate(chain):
            before = self._shared(word, item[0]) if position else ()
            after = self._tail(word, chain) if position else ()
            if position < len(chain) - 1 and borrowed:
                after = borrowed
            lines = [self._name(item)] if len(item) > 1 else self._alone(item[0], chain)
            found += [(*before, *line, *after) for line in lines]
        return found

    def _alone(self, word: Word, chain: list[Item]) -> list[Line]:
        """One item without the commas, conjunctions and items after it."""
        last = chain[-1][-1].i
        children = [
            child
            for child in self._wording.children(word)
            if child.dep not in JOINTS and not (child.dep == "punct" and word.i < child.i < last)
        ]
        return self._combined(word, children)

    def _name(self, item: Item) -> Line:
        """ "Songs of Faith and Devotion" as it stands."""
        first, last = self._parse.edges(item[0])[0], item[-1]
        after = {child.i for child in self._parse.children(last, *JOINTS, "punct")}
        end = self._parse.subtree(last, after)[-1].i
        return self._parse.words[first : end + 1]

    def _tail(self, word: Word, chain: list[Item]) -> Line:
        """What follows a list and hangs on its first item: it holds for all."""
        last = chain[-1][-1].i
        after = [c for c in self._wording.children(word) if c.i > last and c.dep not in (*JOINTS, "punct")]
        return tuple(bit for child in after for bit in self._wording.line(child))

    def _borrowed(self, chain: list[Item]) -> Line:
        """The object that "directing and producing plays" has but once."""
        heads = [item[0] for item in chain]
        if heads[0].pos not in VERBS or any(self._after(head) for head in heads[:-1]):
            return ()
        return tuple(bit for child in self._after(heads[-1]) for bit in self._wording.line(child))

    def _after(self, word: Word) -> list[Word]:
        return [c for c in self._wording.children(word) if c.i > word.i and c.dep not in (*JOINTS, "punct")]

    def _chain(self, word: Word) -> list[Item]:
        """The items of the list a word begins; one item where it begins none, or one that must stay whole."""
        heads = self._joined(word)
        links = [self._joints(one, other) for one, other in pairwise(heads)]
        if len(heads) == 1 or word.dep not in _PARTED or not self._may_part(word, heads, links):
            return [[word]]
        items: list[Item] = [[word]]
        for position, (link, head) in enumerate(zip(links, heads[1:], strict=True), start=1):
            if (link and position < len(links)) or any(joint.text == "&" for joint in link):
                if head.pos != "PROPN" and not self._is_group(heads, position):
                    return [[word]]
                items[-1].append(head)
            elif head.lower not in _REST:
                items.append([head])
        return items

    def _joined(self, word: Word) -> list[Word]:
        """A word and all that is joined to it or to what is, in the order of the sentence."""
        found = [word]
        for head in found:
            found += self._wording.children(head, "conj")
        return sorted(found)

    def _joints(self, one: Word, other: Word) -> tuple[Word, ...]:
        """The conjunctions that join two neighbours of a list."""
        joints = (*self._parse.children(one, "cc"), *self._parse.children(self._parse[other.head], "cc"))
        return tuple(sorted({joint for joint in joints if one.i < joint.i < other.i}))

    def _is_group(self, heads: Sequence[Word], position: int) -> bool:
        """ "C and D" in "A, B, C and D, and E"."""
        one, other, following = heads[position - 1 : position + 2]
        between, behind = (
            [w.text for w in self._parse.words[left.i : right.i]]
            for left, right in ((one, other), (other, following))
        )
        return position > 1 and "," not in between and "," in behind

    def _may_part(self, word: Word, heads: Sequence[Word], links: Sequence[Sequence[Word]]) -> bool:
        named = [head for head in heads if head.lower not in _REST]
        kinds = {_kind(w, word) for w in named}
        joints = {joint.lower for link in links for joint in link} - {"&"}
        head = self._parse[word.head]
        if len(kinds) > 1 or any(w.pos == "NUM" for w in heads) or self._parse.children(word, "preconj"):
            return False
        if is_one_thing(self._parse, heads):
            return False
        if not joints <= {"and", "or", *_AS_WELL_AS} or not (
            joints or (len(heads) > 2 and head.lower in EXAMPLES)
        ):
            return False
        if word.dep == "nsubj" and not self._parse.is_finite(head):
            return False
        if "or" in joints and not self._may_part_or(word, heads):
            return False
        if "verb" in kinds and len({w.tag for w in heads}) > 1:
            return False
        if word.dep == "attr" and not self._may_part_attribute(heads, head):
            return False
        if word.dep == "pobj" and (self._is_parallel(heads[-1], head) or self._may_belong_higher(word)):
            return False
        if word.dep == "appos":
            return self._may_part_names(heads, head)
        subject = word.dep in ("nsubj", "nsubjpass")
        return not self._may_share_head(heads) and (not subject or self._may_part_subject(heads, head))

    def _may_part_attribute(self, heads: Sequence[Word], verb: Word) -> bool:
        """ "The winners are A, B and C" as "The winners include A"."""
        subject = self._parse.subject(verb)
        if subject is None or subject.tag not in ("NNS", "NNPS") or verb.tag not in ("VBP", "VBD"):
            return True
        if any(word.tag in ("NNS", "NNPS") for word in heads) or len(heads) < 3:
            return all(word.tag in ("NNS", "NNPS") for word in heads)
        self._wording.say(verb, "include" if verb.tag == "VBP" else "included")
        for colon in self._parse.children(verb, "punct"):
            if colon.text == ":":
                self._wording.say(colon)
        return True

    def _may_part_names(self, names: Sequence[Word], noun: Word) -> bool:
        """ "The songs A and B" as "the song A"."""
        before = noun.dep == "dobj" or self._parse[noun.head].lower not in ("between", "among", "versus")
        between = self._parse.words[noun.i + 1 : names[0].i]
        told = noun.tag == "NNS" and noun.dep in ("dobj", "pobj") and before
        counted = any(w.dep == "nummod" or w.lower in QUANTIFIERS for w in self._parse.children(noun))
        bare = not counted and all(w.dep == "compound" for w in between)
        if told and bare and all(name.pos == "PROPN" for name in names):
            self._wording.say(noun, noun.lemma)
            return True
        return False

    def _is_parallel(self, last: Word, preposition: Word) -> bool:
        """ "X on A and Y on B", "between A and B", or what both must be had."""
        end = self._parse.edges(last)[1]
        behind = self._parse.words[(last.i if preposition.lower == "as" else end) + 1 : end + 2]
        again = any(word.lower == preposition.lower for word in behind)
        within = self._parse[preposition.head]
        if preposition.lower == "with" and within.dep == "pobj":
            return True  # "in areas with demand and rain": both are there
        phrases = [preposition]
        while phrases[-1].pos not in VERBS and phrases[-1].dep != "ROOT":
            phrases.append(self._parse[phrases[-1].head])
        return again or any(word.lower in ("between", "among", "versus") for word in phrases)

    def _may_belong_higher(self, word: Word) -> bool:
        """ "The products are a solution of A and B": a plural subject may be a solution, and B."""
        noun = self._parse[self._parse[word.head].head]
        subject = self._parse.subject(self._parse[noun.head]) if noun.dep == "attr" else None
        return subject is not None and subject.tag in ("NNS", "NNPS") and noun.tag == "NN"

    def _may_share_head(self, heads: Sequence[Word]) -> bool:
        """ "limited edition and collectible works" may be works of a limited edition."""
        alone = not self._parse.children(heads[0], "det", "poss", "nummod", "prep")
        doing = [any(c.tag == "VBG" for c in self._parse.children(h, "amod", "compound")) for h in heads]
        if alone and doing[0] and not any(doing[1:]) and heads[0].tag == "NNS":
            return True  # "heating homes and offices"
        modified = self._parse.children(heads[-1], "amod") and self._parse.children(heads[0], "amod")
        return len(heads) == 2 and alone and bool(modified) and heads[-1].tag == "NNS"

    def _may_part_or(self, word: Word, heads: Sequence[Word]) -> bool:
        """ "A or B" is neither A nor B, but among examples, and with "can"; not where a clause follows."""
        head = self._parse[word.head]
        if any(self._parse.children(w, "relcl", "acl", "xcomp") for w in heads):
            return False
        possible = any(
            aux.lower in POSSIBLE
            for verb in self._parse.above(word)
            for aux in self._parse.children(verb, "aux")
        )
        return possible or head.lower in EXAMPLES

    def _may_part_subject(self, heads: Sequence[Word], verb: Word) -> bool:
        """Whether each subject can be said alone; the verb then agrees with it."""
        attribute, counted = self._parse.child(verb, "attr"), self._parse.child(verb, "dobj")
        plural = ("NNS", "NNPS")
        if verb.lemma in COLLECTIVE or (attribute is not None and attribute.tag in plural):
            return False
        if counted is not None and self._parse.children(counted, "nummod"):
            return False
        if any(word.lower in _TOGETHER for word in self._parse.subtree(verb)):
            return False
        finite = self._parse.finite(verb)
        numbers = {word.tag in plural for word in heads}
        if finite.tag != "MD" and (finite.tag != "VBD" or finite.lemma == "be") and True not in numbers:
            if finite.tag == "VBD":
                self._wording.say(finite, "was")
            elif finite.tag == "VBP":
                self._wording.say(finite, third_person(finite.lemma))
        elif len(numbers) > 1 and finite.tag != "MD":
            return False
        for word in self._parse.children(verb):
            if word.lower in ("all", "both") and word.i > heads[-1].i:
                self._wording.say(word)
        return True

    def _shared(self, first: Word, item: Word) -> Line:
        """Determiners of a list's first item, or its "to", that hold for a later one without any."""
        own = self._parse.children(item)
        if item.pos in VERBS:
            to = [w for w in self._parse.children(first, *AUXILIARIES) if w.lower == "to"]
            return tuple(to) if not any(w.lower == "to" for w in own) else ()
        if item.pos in ("PRON", "PROPN") or item.dep != "conj":
            return ()
        if any(w.dep in ("det", "poss", "nummod") or w.lower in QUANTIFIERS for w in own):
            return ()
        shared: list[Word | str] = []
        plural = item.tag in ("NNS", "NNPS")
        for word in self._parse.children(first):
            following = self._parse[word.i + 1].lower if word.i < first.i else ""
            if word.dep == "poss":
                shared += self._wording.line(word)
            elif word.lower in ("a", "an") and word.i < first.i and following != "few":
                initial = self._parse[self._parse.edges(item)[0]].lower[0]
                shared += [] if plural or item.pos not in NOUNS else ["an" if initial in "aeiou" else "a"]
            elif word.dep == "det" and item.pos in NOUNS and (plural or following != "few"):
                shared.append(word)
            elif word.lower in QUANTIFIERS and word.i < first.i and plural:
                shared += self._wording.line(word)
        return tuple(shared)


def _kind(item: Word, first: Word) -> str:
    """ "Noun", "verb" or another part of speech; a participle beside an adjective is one."""
    if first.pos == "ADJ" and item.tag == "VBN":
        return "ADJ"
    return "noun" if item.pos in NOUNS else "verb" if item.pos in VERBS else item.pos

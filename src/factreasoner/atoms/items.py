"""A sentence with its lead-in and label, as statements: "To log in, enter it.", "Kinds include terns."."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from factreasoner.atoms.leads import (
    FINITE,
    GENERIC,
    GOES_ON,
    NAMED,
    Lead,
    Leads,
    as_sentence,
    capitalised,
    is_instruction,
    lowered,
)
from factreasoner.atoms.plain_text import STAND_IN, Plain
from factreasoner.text.language import FUNCTION_WORDS, word_set
from factreasoner.text.parsing import NOUNS, PLURAL, SUBJECTS, Parse
from factreasoner.text.sentences import Span

_CONDITION = re.compile(r"\b(?:when|if|whether)\s*:\Z")
_ASIDE = re.compile(r" \([^()]*\)$")
_CODE = re.compile(rf"\s*:\s*(?={STAND_IN}(?:(?:,| and|, and) {STAND_IN})*\W*\Z)")
_PRONOUNS = word_set("it he she they")
_POINTING = _PRONOUNS | word_set("this these that those such its his her their")


class Sentence(NamedTuple):
    """A sentence, its label and lead-in, whether it begins an item, and whether a remark opened it."""

    span: Span
    plain: Plain
    label: str
    label_span: Span
    lead: Lead
    listed: bool
    opened: bool

    @property
    def whole(self) -> str:
        """The sentence on one line, with a capital if an opening remark was cut off."""
        whole, found = self.plain.whole(), _CODE.search(self.plain.text)
        name = self.plain.names.get(found.end(), '"') if found else '"'
        if found and name[0] not in '"“«' and is_instruction(whole):
            before, end = self.plain.shown(0, found.start()), len(self.plain.text)
            code = self.plain.shown(found.end(), end).rstrip(" .")
            whole = f"{before} {code}." if before.endswith(("command", "commands")) else f"{before} ({code})."
        return capitalised(whole) if self.opened else whole


class Topic(NamedTuple):
    """A noun phrase as a label: at the start of a sentence, within one, its parse, if it is many."""

    name: str
    inside: str
    read: Parse
    many: bool


class ItemWriter:
    """Writes sentences as statements; `parse` reads a text, or None without a parser."""

    def __init__(self, parse: Callable[[str], Parse | None], leads: Leads) -> None:
        self._parse = parse
        self._leads = leads

    def repeats_label(self, sentence: Sentence, parse: Parse | None) -> bool:
        """Whether a clause with a subject of its own, or a step with a goal, has all words of its label."""
        if parse is None or not sentence.label:
            return False
        subject = parse.root.subject if parse.root.is_clause else None
        advises = is_instruction(sentence.plain.text, parse) and sentence.lead.goal
        if not advises and (subject is None or parse.words[subject.first].lower in _POINTING):
            return False
        said = {word[:5] for word in re.findall(r"\w+", sentence.plain.whole().casefold())}
        label = re.findall(r"\w{4,}|\d+|[A-Z]+\b", sentence.label)
        return bool(label) and all(word[:5].casefold() in said for word in label)

    def is_member(self, sentence: Sentence) -> bool:
        """Whether a sentence stands below a lead-in that makes its label one of several: "Kinds include:"."""
        return sentence.listed and NAMED.match(sentence.lead.text) is not None

    def stands_alone(self, sentence: Sentence, parse: Parse | None) -> bool:
        """Whether an item is a clause, and its lead-in does not say when, where or whether it holds."""
        if parse is None:
            finite = FINITE.search(sentence.plain.whole()) is not None
            return finite and not _CONDITION.search(sentence.lead.text)
        lead = self._parse(sentence.lead.text)
        asks = any(mark.lower in ("whether", "if") for mark in parse.root.dependents("mark"))
        if lead is not None and (
            asks or lead.root.pos == "ADP" or _ends_open(lead) or _CONDITION.search(lead.text)
        ):
            return False
        return parse.root.is_clause

    def written(self, sentence: Sentence, parse: Parse | None) -> Iterator[tuple[str, Span]]:
        """The statements of a sentence that is not split, with their places."""
        goal, label, whole, span = sentence.lead.goal, sentence.label, sentence.whole, sentence.span
        if not label:
            yield self._below(sentence, parse), span
            return
        advises, step = is_instruction(whole, parse), self._leads.is_goal(label)
        alone = self.stands_alone(sentence, parse)
        if step and (advises or (goal and alone)):
            if goal:
                yield as_sentence(f"{goal}, {self._leads.plain(label)}"), sentence.label_span
            body = (
                self._below(sentence, parse) if goal else f"To {self._leads.plain(label)}, {lowered(whole)}"
            )
            yield as_sentence(body), span
        else:
            topic = None if step else self._topic(sentence)
            said = self._said(sentence, topic, parse)
            named = topic is not None and self.is_member(sentence)
            member = named and (said is not None or alone)
            if member and topic is not None:
                yield self._joined(sentence.lead.text, topic.inside), sentence.label_span
            if said is not None or not sentence.lead.text or member or alone:
                yield f"{label}: {whole}" if said is None else as_sentence(said), span
            elif topic is None or parse is None or parse.root.is_clause:
                yield self._joined(sentence.lead.text, f"{label}: {whole}"), span
            else:
                described = f"{topic.inside} ({lowered(whole).rstrip(' .;,')})"
                yield self._joined(sentence.lead.text, described, topic.read), span

    def _below(self, sentence: Sentence, parse: Parse | None) -> str:
        """A sentence without a label, with its goal or its lead-in."""
        lead, whole = sentence.lead, sentence.whole
        if lead.goal and is_instruction(whole, parse):
            return as_sentence(whole if whole.startswith("To ") else f"{lead.goal}, {lowered(whole)}")
        if not lead.text or self.stands_alone(sentence, parse):
            return whole
        return self._joined(lead.text, whole, parse)

    def _topic(self, sentence: Sentence) -> Topic | None:
        """The label of a sentence, if it is a noun phrase or a gerund."""
        label = sentence.label
        read = self._parse(_ASIDE.sub("", label))
        if read is None or label.lower() in GENERIC:
            return None
        root, quoted = read.root, label.islower() and sentence.plain.text[:1].isupper() and '"' not in label
        is_word = len(read.words) == 1 and root.tag not in ("VBN", "VBD", "RB", "IN")
        if not (is_word or quoted or root.pos in NOUNS or root.tag == "VBG"):
            return None
        many = not (quoted or label.isupper()) and root.tag in PLURAL
        label = f'"{label}"' if quoted else label
        is_name = quoted or (is_word and label.lower() not in self._leads.known)
        return Topic(label, label if is_name else self._inside(label, read), read, many)

    def _said(self, sentence: Sentence, topic: Topic | None, parse: Parse | None) -> str | None:
        """What a sentence says of its label, where that is its subject, its topic or its place."""
        label, whole, read = sentence.label, sentence.whole, self._parse(sentence.label)
        place = label if read is not None and read.root.pos == "ADP" else ""
        if is_instruction(whole, parse):
            joint = place or (f"For {topic.inside}" if topic is not None and sentence.listed else "")
            joint = f"{sentence.lead.goal}, {lowered(joint)}" if joint and sentence.lead.goal else joint
            return f"{joint}, {lowered(whole)}" if joint else None
        if parse is None or (topic is None and not place):
            return None
        if parse.root.is_clause and (topic is None or not _is_kind(sentence, topic, parse)):
            if topic is None:
                return f"{place}, {self._inside(whole, parse)}"
            named, points = _named(sentence.plain, topic, parse), parse.words[0].lower in _PRONOUNS
            if named or points or self.repeats_label(sentence, parse):
                return named or (None if points else whole)
            return f"Regarding {topic.inside}, {self._inside(whole, parse)}" if sentence.listed else None
        again = self._parse(f"it {lowered(whole)}")
        if again is None or topic is None:
            return None
        verb = again.root.finite.tag
        if not topic.many and (verb == "MD" or (verb == "VBZ" and again.root.dependent("dobj", "ccomp"))):
            return f"{topic.name} {lowered(whole)}"
        return f"{topic.name} is {lowered(whole)}" if _is_kind(sentence, topic, parse) else None

    def _inside(self, whole: str, parse: Parse) -> str:
        """A text as it stands within a sentence: its first word without a capital, if it is no name."""
        first = parse.words[0]
        if first.lower in FUNCTION_WORDS["english"]:
            return lowered(whole)
        is_title = any(word.istitle() for word in whole.split()[1:3]) or not first.text[1:].islower()
        is_name = (first.pos == "PROPN" or first.entity) and first.lower not in self._leads.known
        return whole if is_title or is_name else lowered(whole)

    def _joined(self, lead: str, whole: str, parse: Parse | None = None) -> str:
        """An item with its lead-in: "Symptoms include fever."; `parse` is None for a label."""
        goes_on, named, above = GOES_ON.match(lead), NAMED.match(lead), self._parse(lead)
        before = ""
        if goes_on is not None:
            before = goes_on["before"]
            if above and above.root.pos in NOUNS:
                before = re.sub(r",? (?:including|such as)\Z", " include", before)
        elif named is not None and named["be"] and (parse is None or parse.root.pos in NOUNS):
            before = f"{named['before']}{'include' if named['be'] == 'are' else 'included'}"
        elif parse and above and (parse.root.pos in NOUNS or parse.root.tag == "VBG" or _ends_open(above)):
            end, joint = above.words[-2], None
            if above.root.pos in NOUNS and above.root.tag in PLURAL:
                joint = " include"
            elif above.root.is_clause and (end.tag in PLURAL or above.root.dependent("expl")):
                joint = ", including"
            elif end.pos in ("VERB", "ADP", "AUX"):
                joint = ""
            before = f"{lead.rstrip(' :：')}{joint}" if joint is not None else ""
        if not before:
            return f"{lead} {whole}".strip(" ;,")
        return as_sentence(f"{before} {self._inside(whole, parse) if parse is not None else whole}")


def _ends_open(lead: Parse) -> bool:
    """Whether a lead-in ends with a preposition: "Ask about:"."""
    return lead.words[-2].pos == "ADP"


def _named(plain: Plain, topic: Topic, parse: Parse) -> str | None:
    """A clause with its label for the subject: "Tern: Found here, it flies", "Tern: This bird flies"."""
    subject = parse.root.subject
    if subject is None or subject.is_expletive:
        return None
    wording = [word.lower for word in subject.subtree()]
    first, last = parse.words[subject.first], parse.words[subject.last]
    if wording[0] in ("this", "these"):
        points = len(wording) < 3 and (wording[0] == "these" or not topic.many)
    else:
        root, kinds = topic.read.root, [word.lower for word in parse.root.dependents("attr")]
        is_named = root.lower in kinds or (wording[0] in ("he", "she") and root.entity == "PERSON")
        points = len(wording) == 1 and wording[0] in _PRONOUNS and is_named
    rest = plain.shown(last.end, len(plain.text))
    if not points or rest.startswith(("'", "’")) or any(w.dep in SUBJECTS for w in parse.words[: first.i]):
        return None
    return f"{plain.shown(0, first.start)}{topic.inside if first.i else topic.name}{rest}"


def _is_kind(sentence: Sentence, topic: Topic, parse: Parse) -> bool:
    """Whether an item says what its label is: "Tern: A bird that flies and is often seen"."""
    if not sentence.listed or topic.many or parse.words[0].lower not in ("a", "an"):
        return False
    return parse.root.pos in NOUNS or parse.words[parse.root.finite.i - 1].lower == "and"

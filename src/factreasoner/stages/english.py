"""The little English the embedded stages need: word classes, tokens and verb forms."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from factreasoner.language.abbreviations import words
from factreasoner.language.sentences import Span, enclosed

VerbForm = Literal["be", "have", "modal", "past", "mixed", "present"]
"""`mixed` is a form that is both past tense and participle ("led", "directed")."""

BE = words("is are was were")
HAVE = words("has have had")
MODAL = words("can could will would may might must shall should do does did cannot")
_PAST = words(
    "became began wrote went took gave grew rose fell knew saw spoke chose broke drew drove flew froze",
    "rode sang sank shook stole swam threw wore ate came ran underwent overcame withdrew undertook arose",
)
_MIXED = words(
    "won made led held met left built bought brought caught found fought got kept laid lost meant paid",
    "read said sold sent set shot spent stood taught told thought understood cost cut hit put hurt let",
    "split spread sought rebuilt dealt felt heard sat swept",
)
_PARTICIPLE = words(
    "been born known written taken given seen shown done gone grown chosen drawn driven spoken stolen",
    "worn broken begun sung become fallen flown thrown hidden proven risen sworn undergone woven beaten",
)
_PRESENT = words(
    "includes include lives serves specializes specialises provides contains consists comprises produces",
    "allows becomes makes holds teaches writes belongs covers features focuses remains stands lies hosts",
    "owns operates employs offers uses depends refers describes involves requires occurs causes helps",
    "enables works plays follows explores",
)
_NO_VERB_ED = words(
    "need speed seed breed indeed hundred exceed sacred naked united wicked rugged aged beloved embed",
    "proceed succeed greed steed creed unprecedented limited advanced so-called inbred kindred",
)
INTRANSITIVE = words(
    "moved died worked served lived graduated studied began appeared participated returned settled",
    "retired competed attended enrolled emigrated immigrated trained resided traveled travelled continued",
    "contributed collaborated performed starred debuted specialized specialised remained belonged",
    "converted merged joined operated ranged escaped arrived resigned succeeded lasted ended",
)
"""Mixed forms that are the past tense even where no object follows."""
PRONOUNS = words("he she it they this these those that we i you there")
NOMINATIVES = words("he she it they there this i we you")
DETERMINERS = words(
    "the a an his her its their our my your this these those that some many several various numerous most",
    "all both each every another one two three four five six seven eight nine ten no any such other",
)
PREPOSITIONS = words(
    "in on at as by for from with without during after before since under until upon despite throughout",
    "between among to into onto over through across against around about near within toward towards",
    "following via per alongside outside inside along unlike like off out up down back of",
)
BLOCKERS = words(
    "that who whom whose which where when if because although though while whereas whether than how what",
    "why unless either neither both nor or",
)
"""Between a verb and a coordination these make it unclear what is coordinated."""
CONNECTIVES = words(
    "however therefore thus additionally moreover furthermore also consequently hence meanwhile",
    "nevertheless nonetheless overall similarly likewise finally eventually today currently originally",
    "initially later then instead subsequently notably importantly interestingly specifically generally",
    "typically",
)
_OBJECTS = words("him her it them")
_ADVERBS = words(
    "also later then now still often soon never always ever once since first even further not just",
)
PARTICLES = words("of the and de da di la le van von der den del du al el bin ibn y for in at")


_SINGULAR = {
    "are": "is", "were": "was", "have": "has", "do": "does", "aren't": "isn't", "weren't": "wasn't",
    "haven't": "hasn't", "don't": "doesn't", "aren’t": "isn’t", "weren’t": "wasn’t", "haven’t": "hasn’t",
    "don’t": "doesn’t",
}  # fmt: skip
SURELY_FINITE = ("be", "have", "modal", "past")


class Token(NamedTuple):
    """A word or mark at (start, end); a parenthesis or quotation is one token."""

    text: str
    start: int
    end: int

    @property
    def lower(self) -> str:
        """The word in lower case."""
        return self.text.lower()

    @property
    def named(self) -> bool:
        """Whether this may be part of a proper name: capitalised, a number or a quotation."""
        first = self.text[0]
        return first.isupper() or first.isdigit() or first in '"“«'


_TOKEN = re.compile(
    r"""\d+(?:[.,:]\d+)*[^\W\d_]*
      | (?:[^\W\d_]\.){2,}
      | [^\W\d_]\.(?=\s[^\W\d_])
      | (?:Dr|Mr|Mrs|Ms|St|Prof|Inc|Jr|Sr|Ltd|Co|Corp|No|Mt)\.(?=\s)
      | [^\W_]+(?:[.'’&/-][^\W_]+)*+(?:\+\+|\#|['’])?
      | \S""",
    re.VERBOSE,
)


def tokenize(text: str, span: Span) -> list[Token]:
    """Words and marks of a sentence, each parenthesis and quotation as one token."""
    tokens: list[Token] = []
    position = span.start
    for region in (*enclosed(text, span), Span(span.end, span.end)):
        tokens += [Token(m[0], m.start(), m.end()) for m in _TOKEN.finditer(text, position, region.start)]
        if region.end > region.start:
            tokens.append(Token(text[region.start : region.end], *region))
        position = region.end
    return tokens


def verb_form(token: Token) -> VerbForm | None:
    """The form of a finite verb this package knows; None for every other word."""
    word = token.text
    if word in BE:
        return "be"
    if word in HAVE:
        return "have"
    if word in MODAL:
        return "modal"
    if word in _PAST:
        return "past"
    if word in _PRESENT:
        return "present"
    if word in _MIXED or _is_regular_past(word):
        return "mixed"
    return None


def _is_regular_past(word: str) -> bool:
    return (
        len(word) > 4
        and word.endswith("ed")
        and word.islower()
        and word.isalpha()
        and word not in _NO_VERB_ED
    )


def third_person(verb: Token) -> str:
    """A verb that followed "they" in the form that follows "it": are -> is, focus -> focuses."""
    word = verb.text
    if word in _SINGULAR:
        return _SINGULAR[word]
    if verb_form(verb) not in (None, "present") or not (word.isalpha() and word.islower()):
        return word
    if re.search(r"[^aeiou]y$", word):
        return word[:-1] + "ies"
    return word + ("es" if re.search(r"(?:s|x|z|ch|sh|o)$", word) else "s")


def is_participle(token: Token) -> bool:
    """Whether the word may be a past participle."""
    return token.text in _PARTICIPLE or verb_form(token) == "mixed"


def skip_adverbs(tokens: Sequence[Token], index: int) -> int:
    """Index of the first token from `index` on that is no adverb."""
    while index < len(tokens) and (tokens[index].text in _ADVERBS or _is_manner(tokens[index].text)):
        index += 1
    return index


def _is_manner(word: str) -> bool:
    return len(word) > 4 and word.endswith("ly") and word.islower() and word not in ("family", "assembly")


def is_active(tokens: Sequence[Token], verb: int) -> bool:
    """Whether a mixed form before another word is surely the past tense: it has an object or needs none."""
    following = tokens[verb + 1]
    has_object = following.lower in DETERMINERS | _OBJECTS or following.named
    return following.text != "by" and (has_object or tokens[verb].text in INTRANSITIVE)


def describe(tokens: Sequence[Token], text: str, start: int, end: int) -> str:
    """The verbatim text of tokens [start, end)."""
    return text[tokens[start].start : tokens[end - 1].end] if end > start else ""

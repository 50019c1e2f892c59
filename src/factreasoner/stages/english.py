"""The little English grammar the embedded stages need: word classes, tokens, and the subject of a sentence.

Everything here prefers saying "not found" to a guess: what isn't recognised is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from factreasoner.stages.abbreviations import words
from factreasoner.stages.sentences import Span, enclosed

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
_PARTICIPIAL = words("based born founded known located established built formed named called raised")
_OBJECTS = words("him her it them")
_ADVERBS = words(
    "also later then now still often soon never always ever once since first even further not just",
)
PARTICLES = words("of the and de da di la le van von der den del du al el bin ibn y for in at")


_SURELY_FINITE = ("be", "have", "modal", "past")


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


class Subject(NamedTuple):
    """Tokens [start, end) are the subject, `verb` is the finite verb's index and `form` its form."""

    start: int
    end: int
    verb: int
    form: VerbForm


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


def find_subject(tokens: Sequence[Token], begin: int = 0) -> Subject | None:
    """Subject and finite verb of the clause that starts at `begin`, past a connective or an adjunct."""
    if begin >= len(tokens):
        return None
    if tokens[begin].lower in CONNECTIVES and tokens[begin + 1 : begin + 2] and tokens[begin + 1].text == ",":
        begin += 2
    subject = subject_at(tokens, begin)
    if subject or begin >= len(tokens) or tokens[begin].lower not in PREPOSITIONS | _PARTICIPIAL:
        return subject
    commas = [i for i in range(begin + 1, min(begin + 18, len(tokens))) if tokens[i].text == ","][:3]
    return next((found for comma in commas if (found := subject_at(tokens, comma + 1))), None)


def subject_at(tokens: Sequence[Token], start: int) -> Subject | None:
    """The subject that starts exactly at `start`, when its finite verb follows without a detour."""
    if start >= len(tokens):
        return None
    first = tokens[start]
    if first.lower in PRONOUNS:
        verb = skip_adverbs(tokens, start + 1)
        form = verb_form(tokens[verb]) if verb < len(tokens) else None
        if form:
            return Subject(start, start + 1, verb, form)
    opens_phrase = first.lower in DETERMINERS or (first.named and first.lower not in PREPOSITIONS | BLOCKERS)
    if not opens_phrase or first.lower in CONNECTIVES:
        return None
    for end in range(start + 1, min(start + 11, len(tokens))):
        token = tokens[end]
        verb = skip_adverbs(tokens, end)
        form = verb_form(tokens[verb]) if verb < len(tokens) else None
        if form == "mixed" and not _is_finite(tokens, start, verb):
            return None
        if form:
            return Subject(start, end, verb, form)
        if token.text == ",":
            return _past_apposition(tokens, start, end)
        if token.lower in BLOCKERS | NOMINATIVES or not (token.text[0].isalnum() or token.text[0] in '("“«'):
            return None
    return None


def _past_apposition(tokens: Sequence[Token], start: int, comma: int) -> Subject | None:
    """The subject of "X, also known as Y, is ..."; `comma` is the first one."""
    limit = min(comma + 14, len(tokens) - 1)
    second = next((i for i in range(comma + 1, limit) if tokens[i].text == ","), None)
    if second is None or any(verb_form(t) in _SURELY_FINITE for t in tokens[comma:second]):
        return None
    if tokens[comma + 1].lower in BLOCKERS | PREPOSITIONS | {"and"}:
        return None
    verb = skip_adverbs(tokens, second + 1)
    form = verb_form(tokens[verb]) if verb < len(tokens) else None
    return Subject(start, comma, verb, form) if form in _SURELY_FINITE else None


def _is_finite(tokens: Sequence[Token], start: int, verb: int) -> bool:
    """Whether a mixed form after a phrase is its verb and no participle ("proteins made in cells are")."""
    following = tokens[verb + 1].lower if verb + 1 < len(tokens) else ""
    bare = skip_adverbs(tokens, start + 1) == verb and tokens[start].lower in DETERMINERS
    if following == "by" or bare:
        return False
    for token in tokens[verb + 1 :]:
        if token.text in (",", "and", "but") or token.lower in BLOCKERS:
            break
        if verb_form(token) in ("be", "have", "past", "present"):
            return False
    named = all(t.named or t.lower in PARTICLES or t.text[0] == "(" for t in tokens[start:verb])
    return named or tokens[start].lower in DETERMINERS


def is_active(tokens: Sequence[Token], verb: int) -> bool:
    """Whether a mixed form before another word is surely the past tense: it has an object or needs none."""
    following = tokens[verb + 1]
    has_object = following.lower in DETERMINERS | _OBJECTS or following.named
    return following.text != "by" and (has_object or tokens[verb].text in INTRANSITIVE)


def describe(tokens: Sequence[Token], text: str, start: int, end: int) -> str:
    """The verbatim text of tokens [start, end)."""
    return text[tokens[start].start : tokens[end - 1].end] if end > start else ""

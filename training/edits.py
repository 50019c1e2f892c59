"""Synthetic pairs: a passage and a claim taken from it, one of them edited so that the label is known.

An edit names a kind of error (numbers, names, negation, ...), not an example. The passage is edited as often
as the claim, so that style does not tell the label. The words are in edits.toml.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from data import Pair, pairs, use_of
from factreasoner.judges.encoder.bundled.windows import choose_windows, content_words, windows
from factreasoner.text.language import word_set
from factreasoner.text.sentences import sentences

_SAID = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_WORDS, _RANKS, _MONTHS = (_SAID[kind].split() for kind in ("counts", "ranks", "months"))
_NUMBER = re.compile(r"(?<![\w.,-])\d{1,3}(?:,\d{3})+(?![\w,])|(?<![\w.,-])\d+(?:\.\d+)?(?![\w]|[.,]\d)")
_YEAR = re.compile(r"1[0-9]\d\d|20[0-4]\d")
_COUNT = re.compile(rf"\b(?:{'|'.join(_WORDS[2:])})\b", re.IGNORECASE)
_RANK = re.compile(rf"\b(?:{'|'.join(_RANKS[1:])})\b")
_MONTH = re.compile(rf"\b(?:{'|'.join(_MONTHS)})\b")
_DAY_MONTH = re.compile(rf"\b(\d{{1,2}}) ({'|'.join(_MONTHS)})\b")
_MONTH_DAY = re.compile(rf"\b({'|'.join(_MONTHS)}) (\d{{1,2}})\b(?!\d)")
_CAPITALISED = r"[A-Z][\w’'-]*[a-zà-ÿ]"
_NAME = re.compile(
    rf"(?<![\w’'.-]){_CAPITALISED}(?: (?:(?:of|de|van|von|of the) )?{_CAPITALISED}(?!\w))*(?![\w-])"
)
_NO_NAME = re.compile(rf"{_MONTH.pattern}|(?:an|ish|ese)$|^The$")
_NOUN = re.compile(
    r"\b(the|a|an|of|in|its|his|her|their|for|by|to the|of the|in the) ([a-z]{4,})\b"
    r"(?! [a-z]+s? (?:of|is|was)\b)"
)
_PREPOSITION = "(?:in|on|at|during|from|near|with|after|before|until|since)"
_PHRASE = re.compile(
    rf",? {_PREPOSITION} (?!which|whom)(?:the |a |an |his |her |its )?(?:[A-Z0-9][\w’'-]*|[a-z]+)"
    rf"(?:,? (?:of |and |the )?[A-Z0-9][\w’'-]*)*(?= {_PREPOSITION} | ?[,.;]|$)"
)
_BEFORE = re.compile(r"\b(?:is|was|are|were|be|been|of|the|and|or|to|as|located|based|found|known|set)$")
_SCOPED = re.compile(
    r"\b(?:not|never|no|only|first|last|most|least|all|every|each|than|if|unless|would|could|may|might|\w{3,}est)\b|n't"
)
_AUX = re.compile(
    r"\b(is|was|are|were|has|have|had|can|could|will|would|should|must|may|might|does|did)\b(?! not\b|n't)"
)
_NOT = re.compile(r"\b(?:is|was|are|were|has|have|had|can|could|will|would|does|did|do|should)( not)\b")
_NEVER = re.compile(r"\b(never|no longer) ")


def _both_ways(listed: Sequence[str]) -> dict[str, list[str]]:
    table: dict[str, list[str]] = {}
    for one, two in (entry.split("/") for entry in listed):
        table.setdefault(one, []).append(two)
        table.setdefault(two, []).append(one)
    return table


_OPPOSITE, _OTHER_UNIT = (_both_ways(_SAID[kind].split()) for kind in ("opposites", "units"))
_OPPOSED = re.compile(rf"\b(?:{'|'.join(sorted(_OPPOSITE, key=len, reverse=True))})\b")
_UNIT = re.compile(rf"\b(?:{'|'.join(sorted(_OTHER_UNIT, key=len, reverse=True))})\b|%|[$€£]")
_FROM_TO = re.compile(r"\bfrom ([\w’'. ]{2,30}?) to ([\w’'.]+(?: [A-Z][\w’']+)*)")
_OPENED = re.compile(r"^(?:In|On|At|By|After|Before|During|However|Moreover)[^,]{2,40}, (\w)")
_WHEN = re.compile(r"^((?:In|On|During) [^,]{3,30}), (.*?)\.?$")
_TAIL = re.compile(r", (?:which|who|where|as|although|while|because|and|but) .*$")
ALONE, ALONE_WRITTEN = 0.2, 0.5
"""How often the passage is the sentence of the claim alone, and how often a claim that people wrote."""
SHORT, SHORT_WORDS, GATHERED = 0.3, 12, 0.6
"""How often a pair is made of short claims that people wrote, how many words these have at most, and how
often the passage is several of them about one subject."""
TWINS = 0.35
"""How often an edited pair is followed by the same pair unedited, so that only the edit tells the label;
always where the passage is one sentence or short claims."""
Edit = Callable[[random.Random, str, str], str | None]


class Draft(NamedTuple):
    """A passage, a sentence of it, and a claim that the passage entails."""

    passage: str
    sentence: str
    claim: str
    part: bool = False
    """Whether the claim says less than the sentence, so that a denied sentence does not deny it."""


def number(rng: random.Random, text: str, passage: str) -> str | None:
    """Another number, date or count, often one that stands elsewhere in the passage."""
    found = list(_NUMBER.finditer(text))
    if not found:
        return _listed(rng, text, _COUNT, _WORDS[2:]) or _listed(rng, text, _RANK, _RANKS[1:])
    chosen_one = rng.choice(found)
    old = chosen_one[0]
    others = [
        o
        for o in _NUMBER.findall(passage)
        if o != old and bool(_YEAR.fullmatch(o)) == bool(_YEAR.fullmatch(old))
    ]
    new = rng.choice(others) if others and rng.random() < 0.5 else _other_number(rng, old)
    if new == old or new in text:
        return None
    return text[: chosen_one.start()] + new + text[chosen_one.end() :]


def _other_number(rng: random.Random, old: str) -> str:
    value = float(old.replace(",", ""))
    if _YEAR.fullmatch(old):
        return str(
            int(value) + rng.choice([-30, -20, -12, -10, -7, -4, -3, -2, -1, 1, 2, 3, 5, 8, 10, 15, 20])
        )
    if "." in old:
        return f"{value * rng.choice([0.3, 0.5, 0.7, 1.4, 2, 3]):.{len(old.split('.')[1])}f}"
    new = rng.choice(
        [value * 10, value * 2, value + 1, value + 2, value - 1, value // 2, value * 3, value + 10]
    )
    return f"{max(int(new), 0):,}" if "," in old else str(max(int(new), 0))


def _listed(rng: random.Random, text: str, pattern: re.Pattern[str], words: Sequence[str]) -> str | None:
    found = list(pattern.finditer(text))
    if not found:
        return None
    at = rng.choice(found)
    new = rng.choice([word for word in words if word.lower() != at[0].lower()])
    return text[: at.start()] + (new.capitalize() if at[0][0].isupper() else new) + text[at.end() :]


def month(rng: random.Random, text: str, passage: str) -> str | None:
    """Another month."""
    return _listed(rng, text, _MONTH, _MONTHS)


def unit(rng: random.Random, text: str, passage: str) -> str | None:
    """Another unit, currency or magnitude, or a sign before a number."""
    found = [m for m in _UNIT.finditer(text) if re.search(r"\d", text[max(0, m.start() - 12) : m.end() + 6])]
    if not found or rng.random() < 0.15:
        at = _NUMBER.search(text)
        if at is None or _YEAR.fullmatch(at[0]):
            return None
        return text[: at.start()] + "-" + text[at.start() :]
    at = rng.choice(found)
    table = {"%": [" degrees", " points"], "$": ["€", "£"], "€": ["$", "£"], "£": ["$", "€"]}
    new = rng.choice(table.get(at[0]) or _OTHER_UNIT[at[0]])
    return text[: at.start()] + new + text[at.end() :]


def opposite(rng: random.Random, text: str, passage: str) -> str | None:
    """An antonym, or another quantifier, person or direction."""
    found = list(_OPPOSED.finditer(text))
    if not found:
        return None
    at = rng.choice(found)
    return text[: at.start()] + rng.choice(_OPPOSITE[at[0]]) + text[at.end() :]


def negation(rng: random.Random, text: str, passage: str) -> str | None:
    """A negation added or removed."""
    if found := _NOT.search(text) or _NEVER.search(text):
        start, end = found.span(1)
        return " ".join((text[:start] + text[end:]).split())
    found = _AUX.search(text)
    if found is None:
        return None
    word = rng.choice([" not", " not", " never"]) if found[1] not in ("does", "did") else " not"
    return text[: found.end()] + word + text[found.end() :]


def _names(text: str) -> list[str]:
    """The names of a text: runs of capitalised words, without months and single words at a start."""
    found = []
    for at in _NAME.finditer(text):
        opens = not text[: at.start()].strip() or text[: at.start()].rstrip()[-1] in '.!?:“"'
        first, _, rest = at[0].partition(" ")
        name = rest if opens and rest and first.lower() in _LOWERED else at[0]
        if " " in name or not ((opens and name == at[0]) or _NO_NAME.search(name)):
            found.append(name)
    return list(dict.fromkeys(found))


def _alike(one: str, two: str) -> bool:
    """Whether both names are single words, or both are longer, and neither holds a word of the other."""
    return (" " in one) == (" " in two) and not set(one.split()) & set(two.split())


def names_swapped(rng: random.Random, text: str, passage: str) -> str | None:
    """Two names of a sentence change places, unless they stand in one list."""
    found = _names(text)
    alike = [(a, b) for a in found for b in found if _alike(a, b)]
    for one, two in rng.sample(alike, min(len(alike), 4)):
        said = re.search(
            rf"{re.escape(one)}(.*?){re.escape(two)}|{re.escape(two)}(.*?){re.escape(one)}", text
        )
        between = (said[1] or said[2] or "") if said else ""
        if len(between.split()) > 1 and not re.search(r",|\band\b|\bor\b", between):
            return text.replace(one, "\0").replace(two, one).replace("\0", two)
    return None


def name_replaced(rng: random.Random, text: str, passage: str) -> str | None:
    """A name replaced by another one of the passage, or by one of another passage."""
    others = passage if rng.random() < 0.5 else rng.choice(drafts()).passage
    pairs = [(a, b) for a in _names(text) for b in _names(others) if b not in text and _alike(a, b)]
    return text.replace(*rng.choice(pairs)) if pairs else None


def noun_replaced(rng: random.Random, text: str, passage: str) -> str | None:
    """A noun replaced by one that follows the same word in this passage or another one."""
    others = passage if rng.random() < 0.5 else rng.choice(drafts()).passage
    own = [at for at in _NOUN.finditer(text) if content_words(at[2])]
    pairs = [(at, b) for at in own for a, b in _NOUN.findall(others) if a == at[1] and b not in text]
    if not pairs:
        return None
    at, new = rng.choice(pairs)
    return text[: at.start(2)] + new + text[at.end(2) :]


def shortened(rng: random.Random, text: str) -> str | None:
    """Without one of its phrases of time, place or manner; None where that may change what is said."""
    found = (
        []
        if _SCOPED.search(text)
        else [at for at in _PHRASE.finditer(text) if not _BEFORE.search(text[: at.start()])]
    )
    if not found:
        return None
    at = rng.choice(found)
    new = text[: at.start()] + text[at.end() :]
    return new if len(new.split()) > 3 and _VERB.search(new) else None


def lengthened(rng: random.Random, text: str) -> str | None:
    """With one more phrase of time, place or manner; None where that may change what is said."""
    if _SCOPED.search(text) or not _VERB.search(text):
        return None
    for phrase in rng.choices(_phrases(), k=6):
        dated = re.search(r"\d", phrase) and not re.search(r"\d", text)
        if dated or phrase.split(" ")[0] not in text.split():
            roll, places = rng.random(), _phrase_starts(text)
            if roll < 0.2:
                return f"{phrase[0].upper()}{phrase[1:]}, {_clause(text)}."
            if roll < 0.6 and places:  # "was born in Warsaw in 1867"
                place = rng.choice(places)
                return f"{text[:place]} {phrase}{text[place:]}"
            return f"{text.rstrip('. ')} {phrase}."
    return None


def _phrase_starts(text: str) -> list[int]:
    """Where phrases of time, place or manner start that may be left out."""
    found = [at for at in _PHRASE.finditer(text) if not at[0].startswith(",")]
    return [at.start() for at in found if not _BEFORE.search(text[: at.start()])]


@cache
def _phrases() -> tuple[str, ...]:
    """Phrases of time, place and manner that stand in passages; as many with a date as without."""
    found = {at[0].lstrip(", ") for draft in drafts()[::4] for at in _PHRASE.finditer(draft.sentence)}
    found = {said for said in found if len(said.split()) < 6}
    dated = sorted(said for said in found if re.search(r"\d", said))
    other = sorted(said for said in found if not re.search(r"\d", said))
    return tuple(dated + random.Random(1).sample(other, min(len(dated), len(other))))


def from_to(rng: random.Random, text: str, passage: str) -> str | None:
    """ "From A to B" reversed."""
    found = _FROM_TO.search(text)
    if found is None or found[1] == found[2]:
        return None
    return f"{text[: found.start()]}from {found[2]} to {found[1]}{text[found.end() :]}"


def added(rng: random.Random, text: str, passage: str) -> str | None:
    """A reason, place or degree that the passage does not give."""
    return f"{text.rstrip('. ')} {rng.choice(_SAID['reasons'])}."


CONTRADICTING: dict[str, tuple[Edit, float]] = {
    "numbers": (number, 3),
    "dates": (month, 1),
    "units": (unit, 1.5),
    "opposites": (opposite, 3),
    "negation": (negation, 2.5),
    "roles": (names_swapped, 5),
    "from_to": (from_to, 1),
}
"""Kind of error -> its edit, and how often it is made."""


def rewritten(rng: random.Random, text: str) -> str:
    """The same in another spelling or shorter: numbers, dates, percent, asides, an opening phrase."""
    ways: list[Callable[[str], str]] = [
        lambda t: re.sub(r"(?<=\d),(?=\d{3})", "", t),
        lambda t: re.sub(r"(?<![\d,.])(\d{1,3})(\d{3})(?![\d,.])", r"\1,\2", t) if not _YEAR.search(t) else t,
        lambda t: t.replace("%", " percent") if "%" in t else t.replace(" percent", "%"),
        lambda t: _DAY_MONTH.sub(r"\2 \1", t) if _DAY_MONTH.search(t) else _MONTH_DAY.sub(r"\2 \1", t),
        lambda t: re.sub(r"(?<![\w.,-])(1?\d|20)(?![\w.,%]| [A-Z])", lambda m: _WORDS[int(m[1])], t, count=1),
        lambda t: _COUNT.sub(lambda m: str(_WORDS.index(m[0].lower())), t, count=1),
        lambda t: re.sub(r" \([^()]*\)", "", t),
        lambda t: _OPENED.sub(lambda m: m[1].upper(), t),
        lambda t: _WHEN.sub(lambda m: f"{m[2]} {m[1][0].lower()}{m[1][1:]}.", t),
        lambda t: _TAIL.sub(".", t) if t.count(" ") > 10 else t,
        lambda t: re.sub(r", (?:a|an|the) [^,]{3,60},", "", t),
    ]  # fmt: skip
    for way in rng.sample(ways, rng.choice([1, 2, 3, 4])):
        new = way(text)
        text = new if len(new.split()) >= 4 else text
    return text


def _clause(text: str) -> str:
    """A sentence as a clause behind "that"; names keep their capital."""
    said = text.rstrip(". ")
    first = said.split(" ")[0]
    return said[0].lower() + said[1:] if first.lower() in _LOWERED else said


_VERB = re.compile(r"\b(?:is|was|are|were|has|have|had|can|will|[a-z]{3,}ed|[a-z]{3,}s)\b")
_LOWERED = word_set("the a an in on at it he she they this these that there some many most all its his her")


def _replaced(draft: Draft, new: str) -> str:
    return draft.passage.replace(draft.sentence, new, 1)


def _without(draft: Draft) -> str | None:
    """The passage without its sentences that share much with the claim; None where nothing is left."""
    wanted = content_words(draft.claim)
    kept = []
    for span in sentences(draft.passage):
        said = draft.passage[span.start : span.end]
        if said != draft.sentence and len(wanted & content_words(said)) <= 0.55 * len(wanted):
            kept.append(said)
    return " ".join(kept) if kept else None


def _parted(draft: Draft, claim: str | None) -> Draft:
    """The draft with a claim that says less; as it is where there is none."""
    return draft._replace(claim=claim, part=True) if claim else draft


class Maker:
    """Makes pairs of one draft at random."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def varied(self, draft: Draft) -> Draft:
        """The draft, at times with its claim for a passage, or with a shorter claim."""
        written = draft.claim != draft.sentence
        alone = self._rng.random() < (ALONE_WRITTEN if written else ALONE)
        if alone:
            draft = Draft(draft.claim, draft.claim, draft.claim)
        if self._rng.random() < (0.7 if alone else 0.4):
            draft = _parted(draft, shortened(self._rng, draft.claim))
        return draft

    def short(self, draft: Draft) -> Draft:
        """A short claim as a passage of its own, at times with a phrase more than the claim."""
        claim = draft.claim
        alone = Draft(claim, claim, claim)
        longer, roll = lengthened(self._rng, claim), self._rng.random()
        if longer is None or roll < 0.2:
            return _parted(alone, shortened(self._rng, claim))
        alone = Draft(longer, longer, longer)
        if roll < 0.4:
            return alone
        return _parted(alone, claim if roll < 0.85 else shortened(self._rng, longer))

    def gathered(self, about: Sequence[Draft]) -> Draft:
        """A short claim among others about its subject, which may begin with a pronoun, as a passage."""
        chosen = self._rng.choice(about)
        subject, said = _subject(chosen.claim), chosen.passage.lower().split()
        own = content_words(chosen.claim) - content_words(subject)
        others = [draft.claim for draft in about if not own & content_words(draft.claim)]
        lines = [chosen.claim, *self._rng.sample(others, min(len(others), self._rng.randint(1, 3)))]
        order = self._rng.sample(range(len(lines)), len(lines))
        pronoun = max(("he", "she", "it", "they"), key=said.count)
        for place in order[1:]:
            if pronoun in said and self._rng.random() < 0.7:
                lines[place] = pronoun.capitalize() + lines[place][len(subject) :]
        return Draft(" ".join(lines[place] for place in order), lines[0], chosen.claim)

    def pair(self, draft: Draft) -> tuple[Pair, str] | None:
        """A pair and its kind; None where the drawn edit does not apply."""
        roll = self._rng.random()
        if roll < 0.12:
            return self._entailed(draft)
        if roll < 0.57:
            return self._contradicted(draft)
        return self._neutral(draft)

    def _entailed(self, draft: Draft) -> tuple[Pair, str]:
        claim = draft.claim if draft.claim != draft.sentence else rewritten(self._rng, draft.sentence)
        passage = draft.passage
        if self._rng.random() < 0.2:
            passage = _replaced(draft, self._rng.choice(_SAID["affirmed"]).format(_clause(draft.sentence)))
        elif self._rng.random() < 0.15:  # what is denied is another sentence
            return self._beside(draft, claim, _SAID["denials"], "entailed beside a denial")
        elif self._rng.random() < 0.2:  # both edited in the same way
            edit = self._rng.choice([number, month, opposite])
            state = self._rng.getstate()
            one = edit(self._rng, draft.sentence, draft.sentence)
            self._rng.setstate(state)
            two = edit(self._rng, claim, claim) if claim == draft.sentence else None
            if one and two:
                return Pair(
                    _replaced(draft, one), rewritten(self._rng, two), "entailment", "edited"
                ), "entailed"
        return Pair(passage, claim, "entailment", "edited"), "entailed"

    def _beside(self, draft: Draft, claim: str, forms: Sequence[str], kind: str) -> tuple[Pair, str]:
        others = [draft.passage[s.start : s.end] for s in sentences(draft.passage)]
        others = [other for other in others if other != draft.sentence and len(other.split()) > 4]
        passage = draft.passage
        if others:
            other = self._rng.choice(others)
            passage = passage.replace(other, self._rng.choice(forms).format(_clause(other)), 1)
        return Pair(passage, claim, "entailment", "edited"), kind

    def _contradicted(self, draft: Draft) -> tuple[Pair, str] | None:
        if self._rng.random() < 0.12:
            passage = _replaced(draft, self._rng.choice(_SAID["denials"]).format(_clause(draft.sentence)))
            label = "not_entailment" if draft.part else "contradiction"
            return Pair(passage, draft.claim, label, "edited"), "denied"
        if self._rng.random() < 0.35:
            return self._replaced(draft)
        kinds = list(CONTRADICTING)
        weights = [CONTRADICTING[kind][1] for kind in kinds]
        for kind in self._rng.choices(kinds, weights, k=3):
            edit = CONTRADICTING[kind][0]
            if self._rng.random() < 0.5:
                claim = edit(self._rng, draft.claim, draft.passage)
                if claim:
                    return Pair(draft.passage, claim, "contradiction", "edited"), kind
            else:
                sentence = edit(self._rng, draft.sentence, draft.passage)
                kept = draft.claim == draft.sentence or (kind == "negation" and not draft.part)
                if sentence and kept:
                    claim = draft.claim if self._rng.random() < 0.5 else rewritten(self._rng, draft.claim)
                    changed = _changed_word(draft.sentence, sentence)
                    if kind != "negation" and changed and changed.lower() not in claim.lower():
                        continue  # the rewriting cut what was edited
                    return Pair(_replaced(draft, sentence), claim, "contradiction", "edited"), kind
        return None

    def _replaced(self, draft: Draft) -> tuple[Pair, str] | None:
        kind, edit = self._rng.choice(
            [("names", name_replaced), ("names", name_replaced), ("nouns", noun_replaced)]
        )
        if self._rng.random() < 0.6 or draft.claim != draft.sentence:
            passage, claim = draft.passage, edit(self._rng, draft.claim, draft.passage)
        else:
            sentence = edit(self._rng, draft.sentence, draft.passage)
            passage, claim = _replaced(draft, sentence or ""), sentence and draft.claim
        return (Pair(passage, claim, "not_entailment", "edited"), kind) if claim else None

    def _neutral(self, draft: Draft) -> tuple[Pair, str] | None:
        roll = self._rng.random()
        if roll < 0.5 and draft.passage == draft.sentence:
            longer = lengthened(self._rng, draft.claim)
            label = "not_entailment" if draft.part else "neutral"  # another date may contradict
            return (Pair(draft.passage, longer, label, "edited"), "added") if longer else None
        if roll < 0.5:
            passage = _without(draft)
            if passage is None:
                return None
            claim = draft.claim if self._rng.random() < 0.7 else rewritten(self._rng, draft.claim)
            return Pair(passage, claim, "neutral", "edited"), "omitted"
        if roll < 0.75:
            claim = added(self._rng, draft.claim, draft.passage)
            return Pair(draft.passage, claim or "", "neutral", "edited"), "added"
        passage = _replaced(draft, self._rng.choice(_SAID["doubts"]).format(_clause(draft.sentence)))
        return Pair(passage, draft.claim, "neutral", "edited"), "doubted"


def _changed_word(old: str, new: str) -> str:
    """The first word of `old` that differs in `new`."""
    return next((one for one, two in zip(old.split(), new.split(), strict=False) if one != two), "").strip(
        ".,;"
    )


_NATURAL = ("fever", "begin_wow", "summedits", "conjnli", "snli")
"""Sources whose entailed claims are edited, too."""
_FROM = ("fever", "summedits", "wice_train", "begin_wow")
"""Sources whose passages give sentences as claims."""


@cache
def drafts(use: str = "training") -> tuple[Draft, ...]:
    """What pairs are made of: sentences of passages, and claims that people wrote for them."""
    found: dict[tuple[str, str], Draft] = {}
    for pair in pairs():
        if use_of(pair.premise) != use:
            continue
        if pair.source in _FROM:
            for passage, sentence in _sentences(pair.premise):
                found.setdefault((passage, sentence), Draft(passage, sentence, sentence))
        if pair.source in _NATURAL and pair.label == "entailment":
            found_windows = choose_windows(pair.premise, pair.claim)
            if found_windows and pair.source != "snli":
                passage = found_windows[0].text
                best = max(_split(passage), key=lambda s: len(content_words(s) & content_words(pair.claim)))
                if len(best.split()) > 4:
                    found[passage, pair.claim] = Draft(passage, best, pair.claim)
    return tuple(found.values())


def _subject(claim: str) -> str:
    """The name that a claim begins with; empty for none."""
    found = _NAME.match(claim)
    return found[0] if found else ""


def _same_subject(short: Sequence[Draft]) -> list[list[Draft]]:
    """Short claims by their subject, where it has several."""
    groups: dict[str, dict[str, Draft]] = {}
    for draft in short:
        if (subject := _subject(draft.claim)) and draft.claim.endswith("."):
            groups.setdefault(subject, {})[draft.claim] = draft
    return [list(group.values()) for group in groups.values() if len(group) > 1]


def _split(passage: str) -> list[str]:
    return [passage[span.start : span.end] for span in sentences(passage)]


def _sentences(premise: str) -> Iterator[tuple[str, str]]:
    for span in windows(premise):
        passage = " ".join(premise[span.start : span.end].split())
        for said in _split(passage):
            if 6 <= len(said.split()) <= 40 and said[0].isupper() and said[-1] in ".!" and _VERB.search(said):
                yield passage, said


def made(amount: int, seed: int, use: str = "training") -> Iterator[tuple[Pair, str]]:
    """So many synthetic pairs, and the kind of each; the same for the same seed."""
    rng = random.Random(seed)
    source = drafts(use) if use != "training" else drafts()
    maker = Maker(rng)
    short = [d for d in source if d.claim != d.sentence and len(d.claim.split()) <= SHORT_WORDS]
    groups = _same_subject(short)
    count = 0
    while count < amount:
        brief = rng.random() < SHORT
        if not brief:
            draft = maker.varied(rng.choice(source))
        elif rng.random() < GATHERED and groups:
            draft = maker.gathered(rng.choice(groups))
        else:
            draft = maker.short(rng.choice(short))
        if rng.random() < 0.06:  # another document
            other = rng.choice(source)
            pair, kind = Pair(other.passage, draft.claim, "neutral", "edited"), "unrelated"
            if len(content_words(other.passage) & content_words(draft.claim)) > 3:
                continue
        else:
            found = maker.pair(draft)
            if found is None:
                continue
            pair, kind = found
        if pair.claim and pair.premise:
            count += 1
            yield pair, kind
            share = 1 if brief or draft.passage == draft.sentence else TWINS
            if pair.label != "entailment" and rng.random() < share and count < amount:
                count += 1
                less = shortened(rng, draft.claim) if rng.random() < 0.5 else None
                yield Pair(draft.passage, less or draft.claim, "entailment", "edited"), "entailed"


if __name__ == "__main__":
    for pair, kind in made(60, seed=7):
        print(f"[{kind}: {pair.label}]\n  P {pair.premise}\n  C {pair.claim}")

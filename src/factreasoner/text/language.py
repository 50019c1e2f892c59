"""Language detection, stems, shared words, and closed word classes.

The classes are in `lexicon.json`: function words of ten languages, words at sentence borders of several, all
others English. They are in lower case and unstemmed, except words that begin sentences.
"""

from __future__ import annotations

import json
import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from functools import lru_cache
from importlib import resources
from typing import Any, Literal

import snowballstemmer

Gender = Literal["male", "female"]
Citation = Literal["found", "elsewhere", "absent"]


def word_set(*lines: str) -> frozenset[str]:
    """The set of words in `lines`."""
    return frozenset(" ".join(lines).split())


_DATA: dict[str, Any] = json.loads(
    resources.files("factreasoner.text").joinpath("lexicon.json").read_text(encoding="utf-8")
)
FUNCTION_WORDS = {language: word_set(listed) for language, listed in _DATA["function_words"].items()}
IN_ENGLISH_TOO = word_set(_DATA["in_english_too"])
"""Function words of other languages that are also English, or occur in names."""
SENTENCES = {kind: word_set(listed) for kind, listed in _DATA["sentences"].items()}
"""Abbreviations without their last full stop, and words at sentence borders."""
SAME: dict[str, str] = {word: group.split()[0] for group in _DATA["same"] for word in group.split()}
"""Word -> the representative of its synonyms."""
_PERSONS = {kind: word_set(listed) for kind, listed in _DATA["persons"].items()}
_LETTERS = re.compile(r"[^\W\d_]+")
UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f"
"""Letters of scripts without word spaces, for a pattern's character class."""
_IN_A_WORD = rf"(?<=[^\W{UNSPACED}])(?=[^\W{UNSPACED}])"
_WORD = re.compile(rf"[{UNSPACED}]|(?:(?![{UNSPACED}])\w)+")
_SEPARATOR = re.compile(r"(?<=\d),(?=\d{3})")
_COMPARED = re.compile(r"[^\W_]+(?:[.,]\d+)*")
"""A word or number used in comparisons: "1.5" is one."""
_PAIRED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]{2,}")
"""Letters of scripts without word spaces, compared in pairs."""
_POINTED = re.compile(
    r"\b(?:the|this|that|these|those|such|its|his|her|their|said)\s+[^\W\d_]+", re.IGNORECASE
)
"""Nouns that a name may replace: "the film", "this law"."""
_ENGLISH = FUNCTION_WORDS["english"]
_OTHERS = {language: known for language, known in FUNCTION_WORDS.items() if language != "english"}
_TELLING = {
    language: frozenset(word for word in known if len(word) > 2 or not word.isascii())
    - IN_ENGLISH_TOO
    - _ENGLISH
    for language, known in _OTHERS.items()
} | {"english": frozenset(word for word in _ENGLISH if len(word) > 1).difference(*_OTHERS.values()) | {"was"}}
_SURELY_ENGLISH = _TELLING["english"] - word_set(
    "an are as at be by can could do else ever has he here if just me must my of on or our over own per same"
    " she so some than to too us we were"
) | word_set("is are were has had he she it in to at for on could must been of by as")
"""English function words that are rarely words of other languages."""
_LEAST_ENGLISH, _MOST_FOREIGN, _MANY_WORDS = 0.05, 0.15, 9
_ENGLISH_FORM = re.compile(
    r"[a-z]{3,}(?:ed|ing)|became|began|born|broke|brought|built|chose|came|fell|fought|found|founded|gave|got"
    r"|grew|held|knew|known|led|left|lost|made|met|ran|rose|sang|sold|spent|spoke|stood|taught|took|went|won"
    r"|wrote|written|two|three|four|five|seven|eight|nine|ten|first|second|third"
)
"""Word forms that indicate English in a short text."""
_PROBED = 4000
_LEAST_LETTERS = 4
_LEAST_SHARE = 0.1
_FAR_AHEAD = 2
_SHARED = dict.fromkeys(("CJK", "HIRAGANA", "KATAKANA"), "Chinese or Japanese")
_LEAST_PREFIX, _PREFIX_SHARE = 4, 0.6
_LEAST_WORDS = 2
_STEMMER_LOCK = threading.Lock()
_stemmer = lru_cache(maxsize=16)(snowballstemmer.stemmer)


def language_of(texts: Sequence[str]) -> str:
    """The language of most function words in `texts`, such as "german"; default "english"."""
    words = Counter[str]()
    for text in texts:
        words.update(_words(text[:_PROBED]))
    return _ranked(words, FUNCTION_WORDS)[0][0]


def is_english(text: str) -> bool:
    """Whether script and function words show that a text is English."""
    return _reads_english(text[:_PROBED]) is True


def is_foreign(text: str) -> bool:
    """Whether script or words show that a text is not English; a name alone does not."""
    return _reads_english(text[:_PROBED]) is False


@lru_cache(maxsize=4096)
def _reads_english(text: str) -> bool | None:
    """Whether a text is English; None if unclear."""
    letters = [letter for letter in text if letter.isalpha()]
    latin = sum(letter.isascii() or "LATIN" in unicodedata.name(letter, "") for letter in letters)
    if 2 * latin < len(letters):
        return False
    found = _words(text)
    small = Counter({word: count for word, count in found.items() if word in text})
    size = small.total()
    if sum(count for word, count in small.items() if not word.isascii()) > _MOST_FOREIGN * size:
        return False
    ranked = dict(_ranked(found, _TELLING))
    foreign = max(hits for language, hits in ranked.items() if language != "english")
    hits = sum(found[word] for word in found.keys() & _SURELY_ENGLISH)
    if foreign > max(hits, ranked["english"]):
        return False
    if hits and hits >= _LEAST_ENGLISH * found.total():
        return True
    if size >= _MANY_WORDS:
        return False
    return True if not foreign and any(map(_ENGLISH_FORM.fullmatch, small)) else None


def other_language(text: str) -> str:
    """The script or language of a text, unless it may be English."""
    scripts, spoken = _scripts(text[:_PROBED]), _languages(text[:_PROBED])
    if scripts and scripts != ("Latin",):
        return scripts[0]
    return spoken[0] if spoken and "English" not in spoken else ""


def language_mismatches(claims: Sequence[str], passage: str) -> tuple[str, ...]:
    """Why each claim can't be compared with a passage: another script or language; "" if it can."""
    found = []
    for claim in claims:
        pairs = ((names(claim[:_PROBED]), names(passage[:_PROBED])) for names in (_scripts, _languages))
        apart = ((own[0], known[0]) for own, known in pairs if own and known and set(own).isdisjoint(known))
        found.append(next((f"atom in {own}, passage in {known}" for own, known in apart), ""))
    return tuple(found)


@lru_cache(maxsize=4096)
def _scripts(text: str) -> tuple[str, ...]:
    """The script of most letters; empty for short texts."""
    counts: Counter[str] = Counter()
    for letter, count in Counter(filter(str.isalpha, text)).items():
        name = unicodedata.name(letter, "").split(" ")[0]
        counts[_SHARED.get(name, name.capitalize())] += count
    script, count = next(iter(counts.most_common(1)), ("", 0))
    return (script,) if count >= _LEAST_LETTERS and 2 * count > counts.total() else ()


@lru_cache(maxsize=4096)
def _languages(text: str) -> tuple[str, ...]:
    """Possible languages of a text, most likely first; empty if unclear."""
    ranked = _ranked(_words(text), _TELLING)
    (likeliest, most), *_ = ranked
    if not most or (likeliest != "english" and most < _LEAST_SHARE * len(_LETTERS.findall(text))):
        return ()
    return tuple(language.capitalize() for language, hits in ranked if _FAR_AHEAD * hits > most)


def _words(text: str) -> Counter[str]:
    """The words of a text and their number, without capitalised words inside it."""
    found = _LETTERS.findall(text)
    return Counter(word.casefold() for i, word in enumerate(found) if i == 0 or word[0].islower())


def _ranked(words: Counter[str], classes: Mapping[str, Set[str]]) -> list[tuple[str, int]]:
    """Languages by the number of `words` in their class; on a tie English comes first."""
    hits = {
        language: sum(words[word] for word in words.keys() & known) for language, known in classes.items()
    }
    return sorted(hits.items(), key=lambda found: (-found[1], found[0] != "english"))


@lru_cache(maxsize=100_000)
def stem(word: str, language: str) -> str:
    """Snowball stem of a lower-case word; English synonyms have one stem."""
    if language == "english" and word in SAME:
        return SAME[word]
    with _STEMMER_LOCK:
        return str(_stemmer(language).stemWord(word))


def normalize_nfc(text: str) -> str:
    """`text` in comparison form: composed characters (NFC), no soft hyphens."""
    return unicodedata.normalize("NFC", text.replace("\xad", ""))


def fold(text: str) -> str:
    """`text` in lower case, with compatibility forms unified."""
    return unicodedata.normalize("NFKC", normalize_nfc(text)).casefold().replace("’", "'")


def is_quote(quote: str, passage: str) -> bool:
    """Whether a quote is whole words of a passage, ignoring white space, case and composition."""
    wanted, text = (" ".join(normalize_nfc(t).casefold().split()) for t in (quote, passage))
    found = re.search(f"(?!{_IN_A_WORD}){re.escape(wanted)}(?!{_IN_A_WORD})", text)
    return found is not None and re.search(r"\w", wanted) is not None


def check_citation(quote: str, passage: str, others: Sequence[str] = ()) -> Citation:
    """Where a quote is found: in the passage, in another one, or nowhere."""
    if is_quote(quote, passage):
        return "found"
    return "elsewhere" if any(is_quote(quote, other) for other in others) else "absent"


def folded_words(text: str) -> list[str]:
    """The words of `text`, folded; numbers without separators (38,000 is one word), single CJK characters."""
    return _WORD.findall(_SEPARATOR.sub("", fold(text)))


def term(word: str, language: str = "english") -> str:
    """The search term of a folded word: its stem, or a number itself."""
    return word if word[0].isdigit() else stem(word, language)


def terms(text: str, language: str = "english") -> list[str]:
    """The search terms of `text`, word by word."""
    return [term(word, language) for word in folded_words(text)]


def content(query: str, language: str) -> str:
    """`query` without function words, unless it has no other words."""
    known, phrase = FUNCTION_WORDS[language], _WORD.findall(_SEPARATOR.sub("", normalize_nfc(query)))
    return " ".join(word for word in phrase if fold(word) not in known) or query


class ComparedWords:
    """Words of texts to compare, with the stems of their common language."""

    def __init__(self, *texts: str) -> None:
        self._language = language_of(texts)

    def of(self, text: str) -> frozenset[str]:
        """Numbers, and stems of content words; in scripts without spaces, pairs of letters."""
        found: set[str] = set()
        for word in compared_words(text):
            if _PAIRED.search(word):
                found |= {word[n : n + 2] for n in range(len(word) - 1)}
            elif word not in FUNCTION_WORDS[self._language]:
                found.add(stem(word, self._language))
        return frozenset(found)


def compared_words(text: str) -> set[str]:
    """The words and numbers of a text, with function words."""
    return set(_COMPARED.findall(normalize_nfc(text).casefold()))


def keeps_words(original: str, text: str) -> bool:
    """Whether `text` has at least half of the original's content words, or this has only one.

    A noun after "the" or "this" is ignored: a name may have replaced it.
    """
    wording = ComparedWords(original, text)
    wanted = wording.of(_POINTED.sub(" ", original))
    return len(wanted) < _LEAST_WORDS or 2 * count_shared(wanted, wording.of(text)) >= len(wanted)


def count_shared(words: Set[str], others: Set[str]) -> int:
    """How many of the stems `words` are among `others`, in any form."""
    return sum(word in others or any(_alike(word, other) for other in others) for word in words)


def _alike(left: str, right: str) -> bool:
    """Whether two stems may be forms of one word: "treat" and "treatment"."""
    size = common_prefix(left, right)
    return size >= _LEAST_PREFIX and size >= _PREFIX_SHARE * max(len(left), len(right))


def common_prefix(left: str, right: str) -> int:
    """The length of the common prefix of two words."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((n for n, (one, other) in pairs if one != other), min(len(left), len(right)))


def gender_of_name(name: str) -> Gender | None:
    """The gender of a first name, a title before a name, or a common noun."""
    first = next(iter(name.lower().split()), "").strip(".")
    for gender in ("female", "male"):
        if first in _PERSONS[f"{gender}_names"] or first in _PERSONS[f"{gender}_nouns"]:
            return gender
    return None


def is_person(lemma: str) -> bool:
    """Whether a common noun names a person."""
    known = any(lemma in _PERSONS[kind] for kind in ("nouns", "male_nouns", "female_nouns"))
    return known or lemma.endswith(tuple(_PERSONS["endings"]))

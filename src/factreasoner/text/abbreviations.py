"""What a sentence splitter knows of abbreviations that take a full stop, and of words that begin sentences.

Keys are lower-case and without their last full stop.
"""

from __future__ import annotations

import re


def words(*lines: str) -> frozenset[str]:
    """The set of the words in `lines`."""
    return frozenset(" ".join(lines).split())


ALWAYS_CONTINUES = words(
    # Titles before a name.
    "dr drs mr mrs ms messrs prof gen col lt capt cpt maj sgt cpl cmdr adm rev fr hon gov sen rep pres supt",
    "insp atty mt ft mme mlle mgr ing dott sig sra srta dña exmo exma dhr mevr hr herr fru",
    "डॉ श्री श्रीमती प्रो पं",
    # Between two parts of one sentence.
    "vs v e.g i.e eg ie cf viz ca approx resp incl esp z.b d.h bzw bspw ggf u.a evtl",
    "p.ex p.ej bijv т.е напр им ул тов проф акад",
)
"""Never the end of a sentence, whatever comes next."""

BEFORE_NUMBER = words(
    "no nos nr núm num n° p pp pg vol vols fig figs ch chap sec sect art arts eq eqs pt op cap pág págs s",
    "jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun",
)
"""Part of the sentence when a number follows."""

MAY_END = words(
    "inc ltd co corp llc plc bros jr sr etc al st ste ave blvd rd hwy dept univ assn assoc est ext u.s",
    "u.k u.n e.u a.m p.m b.c a.d b.c.e c.e d.c ph.d m.d b.a m.a b.sc m.sc ed eds trans hrs min max usw",
    "mio mrd tsd mln mld млн млрд тыс o.ä ecc г гг в вв т.д т.п др п",
)
"""The end of a sentence only where a word follows that commonly begins one."""

NUMBERED_NOUNS = words(
    "Januar Jänner Februar März April Mai Juni Juli August September Oktober November Dezember",
    "Jahrhundert Jahrhunderts Weltkrieg Weltkriegs Weltkrieges Auflage Bundesliga Jahrtausend Klasse",
    "Stock Platz",
)
"""German nouns an ordinal ("am 3. Oktober") stands before."""

STARTERS = words(
    "The A An He She It They We You I This That These Those His Her Its Their Our My Your There Here In",
    "On At As By For From With Without During After Before Since When While Where Although Though Unlike",
    "However Moreover Furthermore Additionally Also But And Or If Because Thus Therefore Hence So Yet",
    "Some Many Most Both Each Several One Two Three All Another Other Others Few Such Only Today Later",
    "Then Once Under Until Upon Despite Throughout Between Among According Currently Originally Initially",
    "Eventually Finally Meanwhile Nevertheless Overall Not No What Who Why How Which Following Prior Over",
    "Instead Please Der Die Das Er Sie Es Ein Eine Im Am Seit Nach Le La Les Il Elle Un Une El Los Las Una",
    "En Dans Он Она Оно Они В На Это",
)
"""Capitalised words that commonly begin a sentence."""


_ACRONYM = re.compile(r"(?:[^\W\d_]{1,3}\.)+[^\W\d_]{1,3}")


def full_stop_ends(last_word: str, next_word: str) -> bool:
    """Whether a single "." between two words ends a sentence; the second does not begin in lower case."""
    key = last_word.lower()
    starts_sentence = next_word in STARTERS
    if key in ALWAYS_CONTINUES:
        return False
    if key in BEFORE_NUMBER and not (len(last_word) == 1 and last_word.isupper()):
        return not (next_word[:1].isdigit() or re.fullmatch("[IVXLC]+", next_word))
    if key in MAY_END or _ACRONYM.fullmatch(last_word):
        return starts_sentence or (key == "etc" and next_word[:1].isupper())
    if last_word.isdigit() and len(last_word) <= 2:
        return next_word not in NUMBERED_NOUNS
    if len(last_word) == 1 and last_word.isalpha():
        return starts_sentence and next_word != "I"
    return True

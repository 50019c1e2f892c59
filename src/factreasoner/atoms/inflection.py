"""Finite forms of English verbs."""

from __future__ import annotations

import re

from factreasoner.text.abbreviations import words

_PAST = dict(
    pair.split("/")
    for pair in words(
        "arise/arose be/was bear/bore beat/beat become/became begin/began bend/bent bet/bet bind/bound",
        "bite/bit bleed/bled blow/blew break/broke breed/bred bring/brought build/built burst/burst",
        "buy/bought cast/cast catch/caught choose/chose cling/clung come/came cost/cost creep/crept cut/cut",
        "deal/dealt dig/dug do/did draw/drew drink/drank drive/drove eat/ate fall/fell feed/fed feel/felt",
        "fight/fought find/found flee/fled fly/flew forbid/forbade forecast/forecast forget/forgot",
        "forgive/forgave freeze/froze get/got give/gave go/went grind/ground grow/grew hang/hung have/had",
        "hear/heard hide/hid hit/hit hold/held hurt/hurt keep/kept know/knew lay/laid lead/led leave/left",
        "lend/lent let/let lie/lay light/lit lose/lost make/made mean/meant meet/met outdo/outdid",
        "overcome/overcame overtake/overtook overthrow/overthrew pay/paid put/put quit/quit read/read",
        "rebuild/rebuilt ride/rode ring/rang rise/rose run/ran say/said see/saw seek/sought sell/sold",
        "send/sent set/set shake/shook shed/shed shine/shone shoot/shot show/showed shrink/shrank shut/shut",
        "sing/sang sink/sank sit/sat sleep/slept slide/slid speak/spoke spend/spent spin/spun split/split",
        "spread/spread spring/sprang stand/stood steal/stole stick/stuck strike/struck strive/strove",
        "swear/swore sweep/swept swim/swam swing/swung take/took teach/taught tear/tore tell/told",
        "think/thought throw/threw undergo/underwent understand/understood undertake/undertook uphold/upheld",
        "wake/woke wear/wore weave/wove win/won wind/wound withdraw/withdrew withstand/withstood write/wrote",
    )
)
_THIRD = {"be": "is", "have": "has", "do": "does", "go": "goes"}
_DOUBLED = words(
    "admit ban bar chat chop commit compel control drop equip grab nab occur omit permit plan plot prefer",
    "propel rap refer regret rob scrap ship shop sip skip slip snap spot star step stop strip submit",
    "transfer transmit trap trip wrap",
)


def past(lemma: str) -> str:
    """The simple past: "appear" -> "appeared", "write" -> "wrote"."""
    if lemma in _PAST:
        return _PAST[lemma]
    if lemma in _DOUBLED:
        return f"{lemma}{lemma[-1]}ed"
    if lemma.endswith("e"):
        return lemma + "d"
    return lemma[:-1] + "ied" if re.search(r"[^aeiou]y$", lemma) else lemma + "ed"


def third_person(lemma: str) -> str:
    """The present after a singular subject: "focus" -> "focuses", "carry" -> "carries"."""
    if lemma in _THIRD:
        return _THIRD[lemma]
    if re.search(r"[^aeiou]y$", lemma):
        return lemma[:-1] + "ies"
    return lemma + ("es" if re.search(r"(?:s|x|z|ch|sh|o)$", lemma) else "s")

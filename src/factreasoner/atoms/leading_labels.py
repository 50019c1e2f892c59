"""What stands before a colon or dash: labels, and the dates of a timeline's items ("1951: It opens")."""

from __future__ import annotations

import re

from factreasoner.text.lexicon import MONTHS

MONTH = "(?:" + "|".join(sorted(month.capitalize() for month in MONTHS if len(month) > 2)) + r")\.?"
_YEAR = r"(?:1\d{3}|20\d\d)"
DAY = rf"(?:\d{{1,2}}(?:st|nd|rd|th)? {MONTH}|{MONTH} \d{{1,2}}(?:st|nd|rd|th)?),? {_YEAR}"
DATE = rf"(?:{DAY}|(?:{MONTH} )?{_YEAR}|{_YEAR}s)"
_NOW = r"(?:the )?(?:[Pp]resent(?: day)?|[Tt]oday|[Nn]ow)"
_DATES = rf"(?P<since>{DATE})(?: ?(?:[-–—]|to) ?(?:(?P<until>{DATE})|{_NOW}))?"
_ALONE = re.compile(_DATES)
_DATED = re.compile(
    rf"[*_\u2060]*(?P<label>{_DATES})(?:[*_\u2060]*:[*_\u2060]*|[*_\u2060]* [-–—]) +(?=[\"“*\u2060\w])"
)
_BOLD_DATE = re.compile(rf"(?P<bold>\*\*|__)(?P<label>{_DATES})(?P=bold) +(?=[\"“]?[^\W\d_a-z])")
_LABELLED = re.compile(
    r"""(?P<label>["“*\w][^.:;!?\n]{0,80}?(?:\([^()\n]{1,40}\))?["”*]*)
        (?:\s*:[*_\u2060]*|\s+[-–—])\s+(?=["“*\u2060\w])""",
    re.VERBOSE,
)


def leading_label(text: str, start: int, end: int, *, item: bool) -> re.Match[str] | None:
    """The date or words, with the colon or dash behind them, that text[start:end] begins with.

    A date in bold type needs neither in the item of a list ("**1904** The works begin"). A dash ends a label
    in such an item and behind bold type alone ("The flight London - Paris" has none), and never within
    brackets or a formula ("Ada (1815 - 1852)", "$a - b$").
    """
    found = _DATED.match(text, start, end) or _LABELLED.match(text, start, end)
    if item and (bold := _BOLD_DATE.match(text, start, end)):
        return bold
    if found is None or _is_cut(found["label"]):
        return None
    return found if item or ":" in found[0] or "*" in found[0] else None


def _is_cut(label: str) -> bool:
    within = label.count("(") > label.count(")") or label.count("[") > label.count("]")
    return within or label.count("$") % 2 == 1


def circumstance(label: str) -> str:
    """ "In 1951", "On 12 June 1946", "In the 1950s", "From 1951 to 1953", "Since 2011"; empty for no date."""
    found = _ALONE.fullmatch(label.strip())
    if found is None:
        return ""
    since, until = found["since"], found["until"]
    if until is not None:
        return f"From {_spoken(since)} to {_spoken(until)}"
    if found.end("since") < found.end():
        return f"Since {_spoken(since)}"
    return f"{'On' if re.match(DAY, since) else 'In'} {_spoken(since)}"


def _spoken(date: str) -> str:
    return f"the {date}" if date.endswith("s") else date

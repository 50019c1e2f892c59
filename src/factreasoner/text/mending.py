"""Mends of what small parsers commonly get wrong in a list that goes on with another clause or phrase."""

from __future__ import annotations

from factreasoner.text.persons import is_person
from factreasoner.text.tree import SUBJECTS, VERBS, Parse, Word

_AS_WELL_AS = ["as", "well", "as"]


def mended(parse: Parse) -> Parse:
    """The parse with list items moved to where the words around them say they belong."""
    for mend in (
        _as_well_as,
        _so_before_the_main_clause,
        _participle_as_subject,
        _item_as_apposition,
        _adverb_of_a_capitalised_noun,
        _noun_beside_a_verb,
        _item_behind_a_clause,
        _subject_in_a_list,
        _article_of_a_higher_noun,
        _finite_verb_in_a_phrase,
        _plain_form_of_a_plural_subject,
        _participle_after_a_noun,
    ):
        changes = mend(parse)
        if changes:
            parse = Parse(parse.text, [changes.get(word.i, word) for word in parse.words])
    return parse


def _as_well_as(parse: Parse) -> dict[int, Word]:
    """ "A as well as B": all three words join B to A, as "and" does."""
    return {
        word.i: word._replace(head=joint.head, dep="cc")
        for joint in parse.words[2:]
        if joint.dep == "cc"
        and " ".join(w.lower for w in parse.words[joint.i - 2 : joint.i + 1]) == "as well as"
        for word in parse.words[joint.i - 2 : joint.i]
    }


def _so_before_the_main_clause(parse: Parse) -> dict[int, Word]:
    """ "Copper is reactive, so it displaces iron": the first clause is the main one, the second beside it."""
    root = parse.root
    so = next((w for w in parse.children(root, "mark", "advmod") if w.lower == "so"), None)
    first = next((c for c in parse.children(root, "ccomp") if c.i < root.i and parse.is_clause(c)), None)
    if so is None or first is None or parse[so.i - 1].text != "," or parse.edges(first)[1] != so.i - 2:
        return {}
    moved = {w.i: w._replace(head=first.i) for w in parse.children(root, "punct")}
    clauses = {
        first.i: first._replace(head=first.i, dep="ROOT"),
        root.i: root._replace(head=first.i, dep="conj"),
        so.i: so._replace(dep="advmod"),
    }
    return moved | clauses


def _adverb_of_a_capitalised_noun(parse: Parse) -> dict[int, Word]:
    """ "Bristly Bellflowers are found": a name of two words, no way of being found."""
    first, second = parse.words[0], parse.words[1:2]
    if first.dep != "advmod" or first.tag != "RB" or not first.lower.endswith("ly") or not second:
        return {}
    noun = second[0]
    name = noun.pos == "NOUN" and noun.text[0].isupper() and noun.head == first.head and noun.dep in SUBJECTS
    return {first.i: first._replace(head=noun.i, dep="amod", pos="ADJ", tag="JJ")} if name else {}


def _participle_as_subject(parse: Parse) -> dict[int, Word]:
    """ "Sinking sand is ...": what sinks, not what somebody does with sand."""
    first, second = parse.words[0], parse.words[1:2]
    if (
        first.dep != "csubj"
        or first.tag != "VBG"
        or not second
        or second[0].head != 0
        or second[0].dep != "dobj"
    ):
        return {}
    others = {
        w.i: w._replace(head=1, dep="acl" if w.tag == "VBN" else w.dep)
        for w in parse.children(first)
        if w.i != 1
    }
    return others | {
        0: first._replace(head=1, dep="amod"),
        1: second[0]._replace(head=first.head, dep="nsubj"),
    }


def _noun_beside_a_verb(parse: Parse) -> dict[int, Word]:
    """ "acted in films, shows and plays": shows stand beside films, not beside "acted"."""
    for item in parse.words:
        if item.dep != "conj" or item.pos not in ("NOUN", "PROPN") or parse[item.head].pos not in VERBS:
            continue
        before = parse.words[: parse.edges(item)[0]]
        joints = [word for word in before[-2:] if word.text == "," or word.dep == "cc"]
        noun = before[-1 - len(joints)] if joints and len(before) > len(joints) else None
        if noun is not None and noun.dep in ("pobj", "dobj", "attr") and noun.head != item.i:
            moved = {joint.i: joint._replace(head=noun.i) for joint in joints}
            return {item.i: item._replace(head=noun.i)} | moved
    return {}


def _item_behind_a_clause(parse: Parse) -> dict[int, Word]:
    """ "a chemist who worked on dyes, soaps and glue": soaps stand beside dyes, not beside the chemist."""
    for item in parse.words:
        first = parse[item.head]
        clauses = [c for c in parse.children(first, "relcl", "acl") if first.i < c.i < item.i]
        if item.dep != "conj" or not clauses or not parse.children(first, "det"):
            continue
        start = parse.edges(item)[0]
        joints = [
            word for word in parse.words[max(0, start - 2) : start] if word.text == "," or word.dep == "cc"
        ]
        before = start - len(joints) - 1
        last = parse[before] if joints and before > clauses[-1].i else None
        if parse.children(item, "det") or item.pos not in ("NOUN", "PROPN") or last is None:
            continue
        if last in parse.subtree(clauses[-1]) and last.dep in ("pobj", "dobj", "attr", "conj"):
            return {item.i: item._replace(head=last.i)} | {j.i: j._replace(head=last.i) for j in joints}
    return {}


def _item_as_apposition(parse: Parse) -> dict[int, Word]:
    """ "It has tools, a simple interface, and fast search": the interface is one of three things, no tool."""
    for noun in parse.words:
        first = parse[noun.head]
        if (
            noun.dep != "appos"
            or first.pos != "NOUN"
            or is_person(first.lemma)
            or not _has_article(parse, noun)
        ):
            continue
        item = parse.child(noun, "conj")
        if item is not None and parse.child(noun, "cc") is not None and item.pos in ("NOUN", "PROPN"):
            return {noun.i: noun._replace(dep="conj")}
        end = parse.edges(noun)[1]
        joints = parse.words[end + 1 : end + 3]
        listed = [w.text for w in joints[:1]] == [","] and [w.dep for w in joints[1:]] == ["cc"]
        last = next(
            (w for w in parse.words[end + 3 :] if w.dep == "conj" and parse.edges(w)[0] == end + 3), None
        )
        if listed and last is not None and last.pos in ("NOUN", "PROPN"):
            moved = {word.i: word._replace(head=noun.i) for word in (*joints, last)}
            return moved | {noun.i: noun._replace(dep="conj")}
    return {}


def _subject_in_a_list(parse: Parse) -> dict[int, Word]:
    """ "a professor at X and his interests include Y": "interests" is no place, but what includes."""
    for verb in parse.words:
        if verb.dep != "conj" or verb.pos not in VERBS or parse.subject(verb) is not None:
            continue
        first = parse.edges(verb)[0]
        for noun in parse.words[:first]:
            start, end = parse.edges(noun)
            joint = parse[start - 1] if start else noun
            if noun.dep == "conj" and end == first - 1 and joint.dep == "cc" and joint.lower == "and":
                return {
                    noun.i: noun._replace(head=verb.i, dep="nsubj"),
                    joint.i: joint._replace(head=verb.head),
                }
    return {}


def _article_of_a_higher_noun(parse: Parse) -> dict[int, Word]:
    """ "a degree from X and a doctorate from Y": two articles stand side by side, not X and a doctorate."""
    for item in parse.words:
        first = parse[item.head]
        if item.dep != "conj" or first.dep != "pobj" or not _has_article(parse, item):
            continue
        if _has_article(parse, first):
            continue
        for above in parse.above(first):
            beside = above if above.pos not in VERBS else parse.child(above, "dobj", "attr")
            if beside is not None and beside is not item and _has_article(parse, beside):
                moved = {item.i: item._replace(head=beside.i)}
                joints = {j.i: j._replace(head=beside.i) for j in parse.children(first, "cc")}
                return moved | joints
            if above.pos in VERBS:
                break
    return {}


def _has_article(parse: Parse, noun: Word) -> bool:
    """Whether "a" begins the noun's phrase: "a degree", "a bachelor's degree"."""
    return parse[parse.edges(noun)[0]].lower in ("a", "an")


def _finite_verb_in_a_phrase(parse: Parse) -> dict[int, Word]:
    """ "It covers the cost of producing and promotes growth": beside "covers", never beside "producing"."""
    for verb in parse.words:
        first = parse[verb.head]
        joint = parse[verb.i - 1] if verb.i else verb
        if verb.dep != "conj" or verb.tag != "VBZ" or first.tag != "VBG" or joint.dep != "cc":
            continue
        if parse.subject(verb) is not None or parse.children(first, "aux"):
            continue
        above = next((w for w in parse.above(first) if w.tag == "VBZ" and parse.subject(w) is not None), None)
        if above is not None:
            return {verb.i: verb._replace(head=above.i), joint.i: joint._replace(head=above.i)}
    return {}


def _plain_form_of_a_plural_subject(parse: Parse) -> dict[int, Word]:
    """ "Sourcers focus on ...": the present tense of a plural subject, not an infinitive."""
    root = parse.root
    subject = parse.child(root, "nsubj")
    if root.tag != "VB" or subject is None or subject.tag not in ("NNS", "NNPS") or subject.i > root.i:
        return {}
    return {} if parse.children(root, "aux") else {root.i: root._replace(tag="VBP")}


def _participle_after_a_noun(parse: Parse) -> dict[int, Word]:
    """ "is at X, where he leads a team focused on Y": nothing joins "focused" to "is", so the team is."""
    for verb in parse.words[1:]:
        noun = parse[verb.i - 1]
        alone = parse.subject(verb) is None and parse.edges(verb)[0] == verb.i
        if verb.dep == "conj" and verb.tag == "VBD" and alone and noun.tag in ("NN", "NNS"):
            return {verb.i: verb._replace(head=noun.i, dep="acl", tag="VBN")}
    return {}

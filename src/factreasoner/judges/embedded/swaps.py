"""Whether a passage says a claim's words of something else: another doer, another subject, another count.

"Steve Jobs founded Apple; Tim Cook led it" has every word of "Tim Cook founded Apple", and still speaks
against it. Where `bindings` asks for proof that the claim's words belong together, this asks for proof that
they do not. Such proof is rare; where it is found the claim is more likely false than true.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import groupby
from typing import Literal, NamedTuple

from factreasoner.judges.embedded.amounts import measured_otherwise
from factreasoner.judges.embedded.anchors import anchors
from factreasoner.judges.embedded.comparisons import compared_otherwise, said_of_standard
from factreasoner.judges.embedded.complements import taken_by_another
from factreasoner.judges.embedded.counts import counted_otherwise
from factreasoner.judges.embedded.doers import done_otherwise, set_apart
from factreasoner.judges.embedded.namesakes import of_another_label
from factreasoner.judges.embedded.owners import of_a_relative, owners_exchanged
from factreasoner.judges.embedded.pairing import Pairing, stands_alone
from factreasoner.judges.embedded.rates import paced_otherwise
from factreasoner.judges.embedded.relations import turned_relation, turned_state
from factreasoner.judges.embedded.roles import exchanged_roles
from factreasoner.judges.embedded.scopes import narrowed
from factreasoner.judges.embedded.text import Sentence, Text
from factreasoner.judges.embedded.windows import Window
from factreasoner.text.lexicon import DETERMINERS

_LEAST_SHARE = 0.7
_NEARLY_ALL = 0.9
_CONTEXT = 3
_LONGEST_RUN = 6
_LISTING = frozenset({"and", "or", "&", "of"}) | DETERMINERS


class _Run(NamedTuple):
    """Neighbouring content words of a claim, of one kind; whether they begin or end its content."""

    places: tuple[int, ...]
    kind: Literal["name", "number", "plain"]
    first: bool
    last: bool


def swapped(claim: Text, weights: Sequence[float], passage: Text, window: Window) -> bool:
    """Whether a sentence in or beside the window says the claim's words of another thing than the claim."""
    if "?" in claim.raw or stands_alone(claim.raw, passage.raw):
        return False
    parts = [part for part in passage.sentences if part.high >= window.low and part.low <= window.high]
    return any(_Swaps(Pairing(claim, weights, passage, part), parts).found() for part in parts)


class _Swaps:
    """What one sentence puts in the place of a part of the claim; `parts` are the sentences around it."""

    def __init__(self, pair: Pairing, parts: Sequence[Sentence]) -> None:
        self._pair, self._parts = pair, parts
        self._claim, self._text = pair.claim, pair.passage

    def found(self) -> bool:
        """Whether the sentence has the rest of the claim, and another thing in the place of a part of it."""
        if self._pair.share() < 1 - _LEAST_SHARE:
            return False
        return of_a_relative(self._pair) or (not self._pair.is_list() and self._told_otherwise())

    def _told_otherwise(self) -> bool:
        compared = compared_otherwise(self._pair)
        return compared or narrowed(self._pair) if compared is not None else self._told_of_another()

    def _told_of_another(self) -> bool:
        return (
            narrowed(self._pair)
            or turned_relation(self._claim, self._text, self._pair.part.low, self._pair.part.high)
            or turned_state(self._pair)
            or measured_otherwise(self._pair)
            or paced_otherwise(self._pair)
            or said_of_standard(self._pair)
            or counted_otherwise(self._pair)
            or of_another_label(self._pair)
            or (self._pair.share() >= _LEAST_SHARE and self._pair.exchanged())
            or exchanged_roles(self._pair)
            or done_otherwise(self._pair)
            or taken_by_another(self._pair)
            or owners_exchanged(self._pair)
            or any(self._taken(run) for run in self._runs)
        )

    @cached_property
    def _runs(self) -> list[_Run]:
        """The runs of the claim; a number that follows a name is the name's, "iPhone 14"."""
        runs: list[list[int]] = [[]]
        kinds = {i: self._kind(i) for i in self._pair.content}
        for place in self._pair.own:
            last = runs[-1][-1:]
            numbered = last == [place - 1] and kinds[last[0]] == "name" and not self._claim.value_at(last[0])
            if place not in kinds:
                runs.append([])
            elif last and (kinds[last[0]] == kinds[place] or (kinds[place] == "number" and numbered)):
                runs[-1].append(place)
            else:
                runs.append([place])
        found = [run for run in runs if run]
        # the claim's subject and last word may be part of a longer run: "insulin lowers", "town hall opened"
        ends = [*(found[0][:n] for n in range(1, len(found[0]))), found[-1][-1:]] if found else []
        found += [end for end in ends if end not in found and kinds[end[0]] == "plain"]
        content = self._pair.content
        return [
            _Run(tuple(run), kinds[run[0]], run[0] == content[0], run[-1] == content[-1]) for run in found
        ]

    @cached_property
    def _known(self) -> frozenset[int]:
        """Where the sentence has words of the claim."""
        return frozenset(place for places in self._pair.found.values() for place in places)

    def _kind(self, place: int) -> Literal["name", "number", "plain"]:
        if self._claim.value_at(place) is not None:
            return "number"
        return "name" if self._pair.is_name(place) else "plain"

    def _taken(self, run: _Run) -> bool:
        """Whether the sentence has another run beside what stands beside a run of the claim.

        Of a run that is no name this says something only where the passage says something else of the run.
        """
        if self._pair.share(run.places) < _LEAST_SHARE:
            return False
        own = self._pair.own
        low, high = own.index(run.places[0]), own.index(run.places[-1])
        before, after = own[:low][::-1], own[high + 1 :]
        for side, beside, beyond in ((1, after, before), (-1, before, after)):
            at_its_end = run.first if side == 1 else run.last
            least = max(2, len(beside[:_CONTEXT])) if run.kind == "number" else 2
            found = anchors(self._pair, beside[:_CONTEXT], side, least)
            rivals = [self._rival(run, anchor, side) for anchor in found]
            if run.kind == "number" and any(self._same_number(run, rival) for rival in rivals):
                continue
            if self._pair.stands_beside(run.places[-1 if side == 1 else 0], found, side):
                continue
            for anchor, rival in zip(found, rivals, strict=True):
                apart = set_apart(self._pair, run.places)
                if not rival or (not apart and self._listed(run, rival, anchor, side)):
                    continue
                contrasted = apart or (at_its_end and self._opens_a_clause(run, anchor))
                contrasted = contrasted or self._said_apart(run, anchor, beyond[:2], -side)
                if self._rivals(run, rival, contrasted):
                    return True
        return False

    def _rival(self, run: _Run, anchor: int, side: int) -> list[int]:
        """The content words right before an anchor (after it, for -1), if the claim has none of them.

        Of a number: the number there.
        """
        text, there = self._text, self._pair.there
        if run.kind == "number":
            return [there[anchor - side]] if 0 <= anchor - side < len(there) else []
        clause = text.clauses[there[anchor]]
        found: list[int] = []
        for index in range(anchor - side, anchor - side * (_LONGEST_RUN + 1), -side):
            if not 0 <= index < len(there):
                break
            place = there[index]
            if text.clauses[place] != clause or not text.content[place]:
                break
            stem = text.stems[place]
            if found and text.names[found[-1]] and stem in {self._claim.stems[i] for i in run.places}:
                break  # "Lake Baikal" for "Lake Superior"
            if stem in self._pair.found or (not text.names[place] and place in self._known):
                return []
            begins = not text.commas.isdisjoint(range(there[index - 1] + 1 if index else place, place + 1))
            if side == -1 and begins:
                break
            found.append(place)
            if side == 1 and begins:
                break
        return found

    def _same_number(self, run: _Run, rival: Sequence[int]) -> bool:
        own, other = self._claim.number_at(run.places[0]), self._text.number_at(rival[0]) if rival else None
        return own is not None and other is not None and own.follows_from(other)

    def _listed(self, run: _Run, rival: Sequence[int], anchor: int, side: int) -> bool:
        """Whether the run stands there, too, on the rival's side of the anchor: in a list, or close to it."""
        text, place = self._text, self._pair.there[anchor]
        whole = run.kind != "name" or all(self._pair.places([i]) for i in run.places)
        for j in self._pair.places(run.places) if whole else ():
            if (j < place) == (side == 1):
                between = range(min(j, rival[0]), max(j, rival[0]))
                listing = _LISTING | {text.words[place]}
                joined = all(text.content[k] or text.words[k] in listing for k in between) and not any(
                    between.start < opening <= between.stop for opening in text.openings
                )
                if (joined and not self._acts(run, j)) or text.clauses[j] == text.clauses[place]:
                    return True
        return self._goes_on(run, sorted(rival))

    def _goes_on(self, run: _Run, rival: Sequence[int]) -> bool:
        """Whether a verb is left out after the run: "Spain won in 2010 and Germany in 2014"."""
        text, part = self._text, self._pair.part
        for j in self._pair.places(run.places[-1:]):
            if j + 2 < part.high and not text.content[j + 1] and text.content[j + 2]:
                stem = text.stems[j + 2]
                if stem in self._claim.stems and stem not in text.stems[rival[0] : j]:
                    return True
        return False

    def _acts(self, run: _Run, place: int) -> bool:
        """Whether the run's last word begins a clause there that goes on: ", and kidneys filter blood"."""
        text, following = self._text, place + 1
        if run.kind != "plain" or text.stems[place] != self._claim.stems[run.places[-1]]:
            return False
        goes_on = following < self._pair.part.high and text.content[following] and not text.names[following]
        return goes_on and text.clauses[following] == text.clauses[place] and self._begins_its_clause(place)

    def _rivals(self, run: _Run, rival: Sequence[int], contrasted: bool) -> bool:
        """Whether a rival of the run is another thing of its kind."""
        text = self._text
        values = [text.value_at(j) for j in rival]
        if run.kind == "number":
            return contrasted and values[0] is not None
        if any(value is not None for value in values):
            return False
        opening = self._pair.part.low if run.first and run.kind == "name" else -1
        named = [j for j in rival if text.names[j] or j == opening]
        if named[:1] == list(rival[:1]):
            if self._describes(run):
                return False
            sure = len(named) == len(rival) or self._pair.share(run.places) >= _NEARLY_ALL
            return run.kind == "name" and sure and not self._one_thing(run, named)
        return contrasted and not named and not (run.kind == "name" and self._pair.is_known(rival))

    def _describes(self, run: _Run) -> bool:
        """Whether a name stands before a noun and describes it: a "Dutch" astronomer may be Frisian, too."""
        after = run.places[-1] + 1
        own = self._claim
        noun = after < len(own.words) and own.content[after] and not own.names[after]
        return not run.first and len(run.places) == 1 and noun and own.value_at(after) is None

    def _one_thing(self, run: _Run, rival: Sequence[int]) -> bool:
        """Whether the passage writes the two names as one, or one is the other's initials."""
        text, words = self._text, [self._claim.words[i] for i in run.places]
        others = [text.words[j] for j in sorted(rival)]
        if "".join(word[0] for word in words) in others or "".join(word[0] for word in others) in words:
            return True
        shared = {text.stems[j] for j in (min(rival) - 1, max(rival) + 1) if 0 <= j < len(text.stems)}
        own, other = {self._claim.stems[i] for i in run.places} - shared, {text.stems[j] for j in rival}
        name: set[str] = set()
        for j, stem in enumerate(text.stems):
            part = text.names[j] or (text.content[j] and j in text.openings)
            name = name | {stem} if part else set()
            if name & own and name & other:
                return True
        return False

    def _said_apart(self, run: _Run, anchor: int, beyond: Sequence[int], side: int) -> bool:
        """Whether another clause of the sentence has the run, and not what stands beyond it in the claim."""
        text, there = self._text, self._pair.there
        places = self._pair.places(run.places)
        clause = text.clauses[there[anchor]]
        if len(places) != len(run.places) or any(text.clauses[j] == clause for j in places):
            return False
        if self._pair.share(run.places) < _NEARLY_ALL:
            return False
        if not beyond:
            # "burned by Rome and later rebuilt": a verb that shares its subject with the one before it
            return not self._begins_its_clause(places[0])
        index = there.index(places[-1] if side == 1 else places[0])
        following = there[index + 1 :] if side == 1 else there[:index][::-1]
        return [self._claim.stems[i] for i in beyond] != [text.stems[j] for j in following[: len(beyond)]]

    def _begins_its_clause(self, place: int) -> bool:
        text = self._text
        before = range(self._pair.part.low, place)
        return not any(text.content[j] and text.clauses[j] == text.clauses[place] for j in before)

    def _opens_a_clause(self, run: _Run, anchor: int) -> bool:
        """Whether clauses near the window begin with the run, and say no more of the rest than this one."""
        text = self._text
        stems = [self._claim.stems[i] for i in run.places]
        rest = {self._claim.stems[i] for i in self._pair.content} - set(stems)
        clauses = {
            clause: [text.stems[j] for j in places if text.content[j]]
            for part in self._parts
            for clause, places in groupby(range(part.low, part.high), lambda j: text.clauses[j])
        }
        here = set(clauses[text.clauses[self._pair.there[anchor]]])
        begun = {number: clause for number, clause in clauses.items() if clause[: len(stems)] == stems}
        goes_on = all(number < text.clauses[self._pair.part.low] for number in begun)
        if goes_on and self._text.words[self._pair.part.low] in DETERMINERS:
            return False
        return bool(begun) and all(rest & set(clause) <= here for clause in begun.values())

"""Assessors that ask a model about an atom in view of all its contexts, as rows of one table.

Questions and the parsing of answers follow the papers; the wording of the prompts is this project's.

- factscore: FActScore (arXiv 2305.14251). True or False by the retrieved passages, with the topic.
- veriscore: VeriScore (arXiv 2406.19276). Three labels over search results with links; supported by some and
  contradicted by others is inconclusive.
- factverify: VERIFY of FactBench (arXiv 2410.22257). Three labels, after reasoning about the evidence.
- prompt-tf: the baseline prompt of FaaF (arXiv 2403.03888). Free text is searched for "true" and "false";
  with neither, both or a negated one there is no answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from factreasoner import prompts
from factreasoner.judges.functions import First, Inquiry
from factreasoner.models import Context, Label, Support
from factreasoner.models.verdicts import FALSE, NOT_CLEAR, TRUE

SUPPORT_OF: dict[Label, Support] = {
    "entailment": "supported",
    "contradiction": "contradicted",
    "neutral": "unverified",
}
LABEL_OF: dict[Support, Label] = {
    "supported": "entailment",
    "contradicted": "contradiction",
    "conflicting": "neutral",
    "unverified": "neutral",
}


class Assessor(NamedTuple):
    """One row of the table.

    `labels` maps answer values to labels; with `in_words` the values are searched for in free text. Without a
    neutral value, an answer cannot separate silence from contradiction, and such atoms are unverified.
    `passage` introduces a passage, and `fields` are pairs of a caption and a context field. `first` is what
    the model writes before its answer. `task` describes the function, `item` names an atom in it, `prompt`
    names the file. If a judge other than a model gives verdicts that disagree, `unanimous` leaves the atom
    undecided.
    """

    prompt: str
    task: str
    labels: Mapping[str, Label]
    passage: str
    fields: tuple[tuple[str, str], ...]
    first: tuple[First, ...] = ()
    item: str = "statement"
    in_words: bool = False
    unanimous: bool = False

    def inquiry(self, *, verbal: bool) -> Inquiry:
        """The question for every atom of a call."""
        values = None if self.in_words else tuple(self.labels)
        return Inquiry(values, self.task, self.item, self.first, verbal)

    @property
    def label_of(self) -> Callable[[str], Label | None]:
        """The judge label of an answer; None if it has none."""
        return self._word_in if self.in_words else self.labels.get

    @property
    def answer_words(self) -> Mapping[str, str]:
        """The words for True, False and Not clear in an answer."""
        of = {label: value for value, label in self.labels.items()}
        words = {TRUE: of["entailment"], FALSE: of["contradiction"]}
        words[NOT_CLEAR] = of.get("neutral", words[FALSE])
        if self.in_words:
            return {key: f"According to the text the statement is {word}." for key, word in words.items()}
        return words

    @property
    def means_silence(self) -> bool:
        """Whether an answer can say that the passages decide nothing."""
        return "neutral" in self.labels.values()

    def support_of(self, label: Label) -> Support:
        """The atom's label for an answer with that label."""
        if label == "contradiction" and not self.means_silence:
            return "unverified"
        return SUPPORT_OF[label]

    def p_true(self, label: Label, probability: float) -> float:
        """P(atom is true) for a label with its probability, which is raised to at least 0.5.

        Neutral gives 0.5; without a label for silence, it counts as not supported.
        """
        p = max(probability, 0.5)
        if label == "entailment":
            return p
        return 0.5 if label == "neutral" and self.means_silence else 1.0 - p

    def show(self, number: int, context: Context) -> str:
        """A passage as shown to the model."""
        lines = [f"{caption}{value}" for caption, name in self.fields if (value := getattr(context, name))]
        shown = prompts.delimit("\n".join(lines), "passage")
        return f"{self.passage} {number}:\n{shown}"

    def _word_in(self, answer: str) -> Label | None:
        found = {match[1].casefold() for match in _label_pattern(self.labels).finditer(answer)}
        negated = _label_pattern(self.labels, before=_NEGATION).search(answer)
        return self.labels[found.pop()] if len(found) == 1 and not negated else None


_NEGATION = r"(?:\b(?:not|never|neither|nor|cannot)|n['’]t)\s+(?:\w+\s+){0,2}"


def _label_pattern(labels: Mapping[str, Label], before: str = "") -> re.Pattern[str]:
    return re.compile(rf"{before}\b({'|'.join(map(re.escape, labels))})\b", re.IGNORECASE)


ASSESSORS: dict[str, Assessor] = {
    "factscore": Assessor(
        prompt="factscore",
        task="Say of each statement, by the passages alone, whether it is true.",
        labels={"True": "entailment", "False": "contradiction"},
        passage="Passage",
        fields=(("Title: ", "title"), ("Text: ", "text")),
    ),
    "veriscore": Assessor(
        prompt="veriscore",
        task="Decide whether the search results support or contradict each claim, or neither.",
        labels={"Supported": "entailment", "Contradicted": "contradiction", "Inconclusive": "neutral"},
        passage="Search result",
        fields=(("Title: ", "title"), ("Link: ", "link"), ("Content: ", "text")),
        item="claim",
        unanimous=True,
    ),
    "factverify": Assessor(
        prompt="factverify",
        task="Reason about each statement in view of the points of knowledge, then answer.",
        labels={"Supported": "entailment", "Contradicted": "contradiction", "Undecided": "neutral"},
        passage="Point",
        fields=(("Title: ", "title"), ("", "text")),
        first=("reasoning",),
    ),
    "prompt-tf": Assessor(
        prompt="prompt-tf",
        task="Say of each statement whether it is true or false.",
        labels={"true": "entailment", "false": "contradiction"},
        passage="Text",
        fields=(("", "text"),),
        in_words=True,
    ),
}

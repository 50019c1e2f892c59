"""One table of labels: words, marks and colours."""

from assessments import assessment

from factreasoner.models import Verdict
from factreasoner.models.label_styles import CAUTIONS, COLOURS, LOOKS, look_of
from factreasoner.tasks.recall import TASK as RECALL


def test_verdict_has_the_colour_of_its_label():
    said = Verdict(context_id="c0", target_id="a0", label="entailment", probability=0.9)
    (row,) = assessment([0.9], outcome={"verdicts": (said,)}).rows()
    assert look_of(row, RECALL.words.labels) == LOOKS["supported"]._replace(word="stated")


def test_every_look_has_its_colour_and_mark():
    looks = [*LOOKS.values(), *CAUTIONS.values()]
    assert {look.kind for look in looks} == set(COLOURS)
    assert len({look.mark for look in looks}) == len(looks)

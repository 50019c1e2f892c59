"""What the verdicts on a claim amount to, in words."""

from factreasoner.models import Context, Verdict
from factreasoner.tasks.verify.citations import CitedText
from factreasoner.tasks.verify.holding import Holding
from factreasoner.tasks.verify.labelling import labelled
from factreasoner.tasks.verify.result import VerifiedClaim

TEXT = CitedText("It opened [1, 2].", [Context(id="c0", text="x"), Context(id="c1", text="y")])
CLAIM = VerifiedClaim(id="a0", text="It opened.", cited=("c0", "c1"))


def holding(*sources, label="neutral"):
    premise = "+".join(sources)
    return Holding(Verdict(context_id=premise, target_id="a0", label=label, probability=0.9), sources)


def explained(*holdings):
    return labelled(CLAIM, holdings, TEXT, complete=True).explanation


def test_several_sources_are_spoken_of_as_several():
    one, other = holding("c0"), holding("c1")
    assert explained(one) == "[1] neither bears it out nor contradicts it."
    assert explained(one, other) == "[1] and [2] neither bear it out nor contradict it."
    assert explained(holding("c0", label="entailment")) == "[1] bears it out."
    assert explained(holding("c0", "c1", label="entailment")) == "[1] and [2] bear it out."
    assert explained(holding("c0", "c1", label="contradiction")) == "[1] and [2] say otherwise."

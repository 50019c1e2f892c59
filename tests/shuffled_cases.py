"""Drawn atoms, contexts and verdicts whose order can be shuffled."""

import random

from table_judge import TableJudge

from factreasoner.assessors.graph import GraphEvaluator
from factreasoner.models import Atom, Context, Record, Verdict
from factreasoner.plugins.kinds import SOLVER

LABELS = ("entailment", "contradiction", "neutral", "no answer")


def said(source, target, label, probability):
    """A verdict on a pair."""
    return Verdict(context_id=source, target_id=target, label=label, probability=probability)


class Case:
    """Atoms, contexts and verdicts, drawn so that ties, equal texts, sources and failures are common."""

    def __init__(self, seed):
        rng = random.Random(seed)
        self.atoms = [Atom(id=f"a{i}", text=f"Atom {i}.") for i in range(rng.randint(1, 4))]
        self.contexts = [self._context(i, rng) for i in range(rng.randint(1, 7))]
        self.verdicts = {}
        targets = [*(atom.id for atom in self.atoms), *(context.id for context in self.contexts)]
        for source in (context.id for context in self.contexts):
            for target in targets:
                label = rng.choices(LABELS, (4, 4, 2, 1))[0]
                if source != target and label != "no answer":
                    p = rng.choice((0.3, 0.6, 0.9, 0.9, 0.97, 1.0))
                    self.verdicts[source, target] = said(source, target, label, p)

    def _context(self, i, rng):
        text = rng.choice(("The same text.", "the SAME  text.", f"Passage {i}.", f"Passage {i}."))
        linked = rng.sample([atom.id for atom in self.atoms], rng.randint(1, len(self.atoms)))
        return Context(
            id=f"c{i}",
            text=text,
            title=rng.choice(("", "A title")),
            link=rng.choice(("", "", "https://x.example/page", f"https://y.example/{i}")),
            prior=rng.choice((None, None, 0.6, 0.95)),
            p_summary=rng.choice((None, 0.7, 0.8)),
            atom_ids=tuple(linked),
        )

    def outcome(self, config, solver, rng=None):
        """What is concluded of it, in its own order or in one that `rng` draws."""
        atoms, contexts, verdicts = list(self.atoms), list(self.contexts), list(self.verdicts.items())
        if rng:
            for items in (atoms, contexts, verdicts):
                rng.shuffle(items)
            contexts = [
                c.model_copy(update={"atom_ids": tuple(rng.sample(c.atom_ids, len(c.atom_ids)))})
                for c in contexts
            ]
        evaluator = GraphEvaluator(
            TableJudge(dict(verdicts), "lost"), SOLVER.make(solver, {"config": config}), config
        )
        return evaluator.evaluate(atoms, contexts, Record(id="r", response="x"))

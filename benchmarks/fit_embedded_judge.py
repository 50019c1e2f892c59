"""Fit the embedded judge and compare the result with the shipped parameters; `--write` replaces them.

Examples: every labelled atom against the passage of its record that covers it best; labelled pairs; true
atoms with one thing changed (see `labelled_pairs.py`, `changed_claims.py`). An atom's likelihood is that of
its posterior in a graph of one context with prior 0.9 and one atom with prior 0.5, so that the posterior is
what gets calibrated. Every data set counts the same and has an intercept of its own, so that weights are
learned within data sets and not from the difference between them; the judge's bias is the mean intercept of
the atom sets. Signs are fixed: covering a claim never speaks against it. The stance head is a
plain logistic on people's stances as they come. Deterministic.
Run: `python benchmarks/fit_embedded_judge.py [--write]`.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from changed_claims import SETS as CHANGED_SETS
from changed_claims import changed_examples
from labelled_pairs import (
    ATOM_SETS,
    PAIR_SETS,
    STANCE_SETS,
    THREE_WAY,
    atom_examples,
    background,
    judged_pairs,
    pair_features,
)
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from factreasoner.judges.embedded.clashes import CLASHES
from factreasoner.judges.embedded.features import COLUMN, FEATURES, MEASURES
from factreasoner.judges.embedded.model import PARAMETERS, STANCE_MEASURES, PairModel, stance_measures
from factreasoner.judges.embedded.windows import Array

PAIR_WEIGHT = CHANGED_WEIGHT = 0.1
RIDGE = 0.003
SPREAD = 0.01
POWER_RIDGE = 0.003
USUAL_POWER = 1.5
STANCE_C = 0.1
CONTEXT_PRIOR = 0.9
FREE = {"name_count", "agree", "company"}
AGAINST = {"names_missing", "numbers_missing"}


@dataclass(frozen=True, eq=False)
class Group:
    """Examples of one data set: features (n, d), labels (n,), the weight of each example (n,)."""

    name: str
    values: Array
    supported: Array
    weight: Array
    of_atoms: bool


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted model and how many examples of each kind went in."""

    model: PairModel
    counts: dict[str, int]


def groups(left_out: str | None) -> list[Group]:
    """All data sets but `left_out`, of which no part remains."""
    found = []
    for name in ATOM_SETS:
        if name != left_out:
            examples = atom_examples(name, left_out)
            supported = np.array([example.supported for example in examples])
            values = np.array([example.values for example in examples])
            found.append(
                Group(name, values, supported, np.full(len(examples), 1 / len(examples)), of_atoms=True)
            )
    for name in PAIR_SETS:
        if name != left_out:
            values, labels = pair_features(name, left_out)
            supported = np.array([label == "entailment" for label in labels])
            weight = np.full(len(labels), PAIR_WEIGHT / len(labels))
            found.append(Group(name, values, supported, weight, of_atoms=False))
    for name in CHANGED_SETS:
        if name != left_out:
            examples = changed_examples(name, left_out)
            supported = np.array([example.supported for example in examples])
            halves = np.where(supported, 0.5 / supported.sum(), 0.5 / (~supported).sum())
            values = np.array([example.values for example in examples])
            found.append(
                Group(f"{name}, changed", values, supported, CHANGED_WEIGHT * halves, of_atoms=False)
            )
    return found


def fit(left_out: str | None = None) -> Fit:
    """The model of all data sets but one."""
    data = groups(left_out)
    weights, bias, powers = _support(data)
    stance_bias, stance_weights = stance(left_out)
    model = PairModel(
        bias, weights, powers, stance_bias, stance_weights, denial(left_out), background(left_out)
    )
    return Fit(model, {group.name: len(group.supported) for group in data})


def _support(data: list[Group]) -> tuple[Array, float, Array]:
    """Weights, bias and clash powers of largest penalised likelihood."""
    values = np.concatenate([group.values for group in data])
    label = np.concatenate([group.supported for group in data]).astype(float)
    weight = np.concatenate([group.weight for group in data])
    weight /= weight.sum()
    group_of = np.repeat(np.arange(len(data)), [len(group.supported) for group in data])
    atoms = np.array([group.of_atoms for group in data])
    measures = values[:, [COLUMN[name] for name in MEASURES]]
    clashes = values[:, [COLUMN[name] for name in CLASHES]]
    mean = weight @ measures
    scale = np.sqrt(weight @ (measures - mean) ** 2) + 1e-6
    design = np.hstack([(measures - mean) / scale, np.eye(len(data))[group_of]])
    problem = _Problem(design, clashes, label, weight, np.where(atoms[group_of], CONTEXT_PRIOR, 0.996), atoms)
    bounds = [
        (None if name in FREE | AGAINST else 0.0, 0.0 if name in AGAINST else None) for name in MEASURES
    ]
    bounds += [(None, None)] * len(data) + [(-6.0, 6.0)] * len(CLASHES)
    start = np.concatenate([np.zeros(design.shape[1]), np.full(len(CLASHES), USUAL_POWER)])
    found = minimize(
        problem.loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 500}
    ).x
    slopes = found[: len(MEASURES)] / scale
    intercept = found[len(MEASURES) : design.shape[1]][atoms].mean()
    return slopes, float(intercept - slopes @ mean), 1 / (1 + np.exp(-found[design.shape[1] :]))


@dataclass(frozen=True, eq=False)
class _Problem:
    """What is minimised: weighted log loss of the posterior plus penalties, with its gradient."""

    design: Array
    clashes: Array
    label: Array
    weight: Array
    prior: Array
    atoms: Array

    def loss(self, point: Array) -> tuple[float, Array]:
        """Value and gradient at `point` = (slopes, intercepts, logits of the clash powers)."""
        slopes, rest = point[: len(MEASURES)], point[len(MEASURES) :]
        intercepts, logits = rest[: len(self.atoms)], rest[len(self.atoms) :]
        powers = 1 / (1 + np.exp(-logits))
        kept = 1 - self.clashes * powers
        unclashed = kept.prod(axis=1)
        support = 1 / (1 + np.exp(-self.design @ point[: self.design.shape[1]]))
        belief = support * unclashed
        posterior = (1 - self.prior) / 2 + self.prior * belief
        value = -self.weight @ (self.label * np.log(posterior) + (1 - self.label) * np.log(1 - posterior))
        by_belief = -self.weight * self.prior * (self.label / posterior - (1 - self.label) / (1 - posterior))
        gradient = self.design.T @ (by_belief * unclashed * support * (1 - support))
        by_power = -(by_belief * belief) @ (self.clashes / kept)
        by_logit = by_power * powers * (1 - powers) + 2 * POWER_RIDGE * (logits - USUAL_POWER)
        # intercepts are drawn to the atom sets' mean, those of the pair sets hardly so
        spread = np.where(self.atoms, SPREAD, SPREAD / 100)
        apart = intercepts - intercepts[self.atoms].mean()
        value += (
            RIDGE * slopes @ slopes + spread @ apart**2 + POWER_RIDGE * ((logits - USUAL_POWER) ** 2).sum()
        )
        gradient[: len(MEASURES)] += 2 * RIDGE * slopes
        gradient[len(MEASURES) :] += 2 * spread * apart
        gradient[len(MEASURES) :][self.atoms] -= 2 * (spread @ apart) / self.atoms.sum()
        return float(value), np.concatenate([gradient, by_logit])


def stance(left_out: str | None) -> tuple[float, Array]:
    """Bias and weights of P(entailment), by people's stances as they come; a part counts as one."""
    examples = {name: judged_pairs(name, left_out) for name in STANCE_SETS if name != left_out}
    values = np.array([pair.values for pairs in examples.values() for pair in pairs])
    measures = stance_measures(values)
    entailed = [pair.label in ("entailment", "partial") for pairs in examples.values() for pair in pairs]
    weight = np.concatenate([np.full(len(pairs), 1000 / len(pairs)) for pairs in examples.values()])
    mean, scale = measures.mean(axis=0), measures.std(axis=0) + 1e-6
    found = LogisticRegression(C=STANCE_C, max_iter=3000).fit((measures - mean) / scale, entailed, weight)
    slopes = found.coef_[0] / scale
    return float(found.intercept_[0] - slopes @ mean), slopes


def denial(left_out: str | None) -> float:
    """Share of contradictions among the pairs of which a sentence seems to deny the claim."""
    pairs = [pair for name in THREE_WAY if name != left_out for pair in judged_pairs(name, left_out)]
    said = [pair.label == "contradiction" for pair in pairs if pair.denied]
    return sum(said) / len(said)


def as_json(fitted: Fit) -> dict[str, Any]:
    """The parameters as they are shipped, rounded, with what they were fitted on."""
    about = "Fitted by benchmarks/fit_embedded_judge.py; see model.py for what each number does."
    rounded = _rounded(fitted.model.parameters())
    return {"about": about, "examples": fitted.counts, **rounded}


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    return round(value, 4) if isinstance(value, float) else value


def main() -> None:
    """Fit on everything, say what went in and what came out."""
    parameters = as_json(fit())
    for name, count in parameters["examples"].items():
        print(f"{name:28s} {count:6d} examples")
    for name in FEATURES:
        kind = "weights" if name in MEASURES else "clash_powers"
        print(f"{name:28s} {parameters[kind][name]:8.3f}")
    for name in STANCE_MEASURES:
        print(f"stance: {name:20s} {parameters['stance']['weights'][name]:8.3f}")
    print(f"{'denial':28s} {parameters['denial']:8.3f}")
    target = Path(str(resources.files("factreasoner.judges.embedded").joinpath(PARAMETERS)))
    text = json.dumps(parameters, indent=1) + "\n"
    if "--write" in sys.argv[1:]:
        target.write_text(text, encoding="utf-8")
        print(f"{target} written")
        return
    shipped = json.loads(target.read_text(encoding="utf-8")) if target.exists() else None
    print(f"{target} is {'what this fit gives' if shipped == parameters else 'NOT what this fit gives'}")


if __name__ == "__main__":
    main()

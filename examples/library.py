"""Assess one answer from Python. Needs no key and no network; run it with ``python examples/library.py``."""
# ruff: noqa: T201

from factreasoner import assess
from factreasoner.models import Context

ANSWER = (
    "Lake Baikal lies in southern Siberia. It is the deepest lake in the world, with a maximum depth of "
    "1,642 metres. Its largest island is Olkhon. The Lena is the only river that flows out of the lake."
)
PASSAGES: list[str | Context] = [
    "Lake Baikal, in the south of Siberia, has a maximum depth of 1,642 metres, which makes it the deepest "
    "lake in the world. Olkhon is its largest island.",
    Context(
        id="angara",
        title="Angara",
        link="https://en.wikipedia.org/wiki/Angara",
        text="The Angara is the only river that flows out of Lake Baikal. It joins the Yenisei.",
    ),
]


def main() -> None:
    """Print each atom with its probability and what the passages say about it."""
    # Any setting can follow, for example model="openai/gpt-4o-mini" or version=3.
    assessment = assess(ANSWER, input="Tell me about Lake Baikal.", topic="Lake Baikal", contexts=PASSAGES)
    if assessment.outcome is None:
        raise SystemExit(f"not assessed: {[failure.message for failure in assessment.all_failures]}")
    for atom in assessment.atoms:
        probability = assessment.p_true.get(atom.id)
        print("  -   " if probability is None else f"{probability:.2f}", atom.text, sep="  ")
        for verdict in assessment.outcome.verdicts:
            if verdict.target_id == atom.id and verdict.label != "neutral":
                print(f"        {verdict.label} by {verdict.context_id}: {verdict.quote or 'no quote'}")


if __name__ == "__main__":
    main()

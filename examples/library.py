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
    result = assess(ANSWER, input="Tell me about Lake Baikal.", topic="Lake Baikal", contexts=PASSAGES)
    if result.status == "failed":
        raise SystemExit(f"not assessed: {[failure.message for failure in result.failures]}")
    for row in result.rows():
        print("  -   " if row.p_true is None else f"{row.p_true:.2f}", row.text, sep="  ")
        if row.context is not None:
            print(f"        {row.label} by {row.context}: {row.quote or 'no quote'}")


if __name__ == "__main__":
    main()

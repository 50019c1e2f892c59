"""What a page says a program prints, held against what it prints."""

import re


def holds(printed, expected):
    """Whether runs of the expected lines, `...` between them, stand in what was printed, in their order."""
    lines, place = [line.rstrip() for line in printed.splitlines()], 0
    for run in re.split(r"^\.\.\.$", "\n".join(expected), flags=re.MULTILINE):
        wanted = run.strip("\n").splitlines()
        starts = range(place, len(lines) - len(wanted) + 1)
        found = next((at for at in starts if lines[at : at + len(wanted)] == wanted), None)
        if found is None:
            return False
        place = found + len(wanted)
    return True


def without_probabilities(text):
    """The text with a letter in the place of each number that a model is as sure of as it is."""
    return re.sub(r"\b0\.\d+", "P", text)

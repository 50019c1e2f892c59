"""Reading the fences of a prompt back, as a test sees them."""

import re

FENCE = r"<given_{label}_([0-9a-f]{{8}})>\n(.*?)\n</given_{label}_\1>"


def fenced(text, label):
    """What stands in each fence of `label`, in order."""
    return [found[1] for found in re.findall(FENCE.format(label=label), text, re.DOTALL)]


def unmarked(text):
    """`text` with its fences' marks left out, for comparing."""
    return re.sub(r"(</?given_[a-z]+)_[0-9a-f]{8}>", r"\1>", text)

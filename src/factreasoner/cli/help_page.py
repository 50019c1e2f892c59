"""The help of a command on a terminal too narrow for its table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand

if TYPE_CHECKING:
    from rich.text import Text


class FoldingCommand(TyperCommand):
    """A command whose help folds a flag that its column can't hold: one that is cut can't be typed."""

    def format_help(self, *page: Any) -> None:
        """Write the page."""
        from typer import rich_utils

        for name in ("highlighter", "negative_highlighter"):
            setattr(rich_utils, name, _folding(getattr(rich_utils, name)))
        super().format_help(*page)


def _folding(highlight: Callable[[str | Text], Text]) -> Callable[[str | Text], Text]:
    def folded(text: str | Text) -> Text:
        shown = highlight(text)
        shown.overflow = "fold"
        return shown

    return folded

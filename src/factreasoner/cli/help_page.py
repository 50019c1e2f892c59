"""The help of a command: its settings' defaults, and flags that a narrow terminal can't cut."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand, TyperOption

from factreasoner.cli.settings import PANELS, default_words

if TYPE_CHECKING:
    from rich.text import Text


DEFAULT = "(default: "


class SettingsCommand(TyperCommand):
    """A command whose help tells the defaults of settings, as `Config` has them.

    It folds a flag that its column can't hold: one that is cut can't be typed.
    """

    def format_help(self, *page: Any) -> None:
        """Write the help page of the command; typer calls it for --help."""
        from typer import rich_utils

        for option in self.params:
            if isinstance(option, TyperOption) and option.rich_help_panel in PANELS:
                option.help = _with_default(str(option.help), str(option.name))
        for name in ("highlighter", "negative_highlighter"):
            setattr(rich_utils, name, _folding(getattr(rich_utils, name)))
        super().format_help(*page)


def _with_default(text: str, key: str) -> str:
    return text if DEFAULT in text else f"{text} {DEFAULT}{default_words(key)})"


def _folding(highlight: Callable[[str | Text], Text]) -> Callable[[str | Text], Text]:
    def folded(text: str | Text) -> Text:
        shown = highlight(text)
        shown.overflow = "fold"
        return shown

    return folded

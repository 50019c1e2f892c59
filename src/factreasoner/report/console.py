"""Tables and styled text in a terminal, see `terminal.py`; separate, since rich imports slowly."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text

from factreasoner.report.terminal import between_words, in_flags
from factreasoner.text.visible import is_plain, one_line, visible

if TYPE_CHECKING:
    from factreasoner.models.label_styles import Look
    from factreasoner.models.rows import ClaimRow

UNLIMITED = 1_000_000


def plain(text: str, longest: int | None = None) -> str:
    """`text` on one line, with hidden characters visible and markup escaped.

    A text longer than `longest` characters is cut between words.
    """
    return escape(one_line(text, longest))


def error_text(stderr: float) -> str:
    """A standard error as text; below four digits it affects nothing printed."""
    return f"{stderr:.2g}" if stderr == 0 or stderr >= 1e-4 else "below 0.0001"


def coloured(look: Look) -> str:
    """The word of a label in its colour."""
    from factreasoner.models.label_styles import COLOURS

    return f"[{COLOURS[look.kind].terminal}]{look.word}[/]"


def label_cell(row: ClaimRow, words: Mapping[str | None, str], between: str = "\n") -> str:
    """A label in its colour, with the words of `words` if given, and its cautions."""
    from factreasoner.models.label_styles import CAUTIONS, look_of

    return between.join(map(coloured, (look_of(row, words), *map(CAUTIONS.__getitem__, row.cautions))))


class Terminal(Console):
    """A rich console that shows hidden characters, and adds no emoji or highlighting.

    Output that is not a terminal has no width unless COLUMNS is set: nothing is wrapped or cut.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(highlight=False, emoji=False, **settings)
        if not (self.is_terminal or "width" in settings or "COLUMNS" in os.environ):
            self.width = UNLIMITED

    def print(self, *parts: Any, **layout: Any) -> None:
        """Print as rich does; piped lines get no trailing spaces."""
        if self.is_terminal:
            super().print(*parts, **layout)
            return
        with self.capture() as held:
            super().print(*parts, **layout)
        self.file.write("\n".join(line.rstrip(" ") for line in held.get().split("\n")))
        self.file.flush()  # before what comes on standard error

    def sentence(self, text: str, indent: int = 0, hanging: int = 0) -> None:
        """Print a wrapped sentence, with `indent` for the first line and `hanging` for the others."""
        lines = Text.from_markup(text, emoji=False).wrap(self, self.width - max(indent, hanging))
        for number, line in enumerate(lines):
            line.rstrip()
            line.pad_left(hanging if number else indent)
            self.print(line)

    def columns(
        self, head: Sequence[Column | str], rows: Iterable[Sequence[RenderableType]], **layout: Any
    ) -> None:
        """Print columns over rows without rules; `layout` goes to rich's `Table`.

        A column given by name alone may break words that are wider than it, such as links.
        """
        named = (Column(one, overflow="fold") if isinstance(one, str) else one for one in head)
        table = Table(*named, box=None, pad_edge=False, **layout)
        for row in rows:
            table.add_row(*row)
        self.print(table)

    def aside(self, text: str, **layout: Any) -> None:
        """Print a dim remark without markup; `layout` goes to rich's `print`."""
        self.print(f"[dim]{escape(text)}[/dim]", **layout)

    def failed(self, text: str) -> None:
        """Print a failure, wrapped between words; long paths stay whole."""
        lines = between_words(one_line(in_flags(text)), self.width, hanging="  ")
        self.print(lines, markup=False, style="red", soft_wrap=True)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments of `renderable`, with rich's own control codes unchanged."""
        for segment in super().render(renderable, options):
            shown = segment.control or is_plain(segment.text)
            yield segment if shown else segment._replace(text=visible(segment.text))

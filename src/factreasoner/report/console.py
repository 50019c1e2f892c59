"""Tables and marked text in a terminal, see `terminal.py`; apart from it, since rich takes long to import."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text

from factreasoner.report.terminal import between_words
from factreasoner.text.visible import is_plain, one_line, visible

if TYPE_CHECKING:
    from factreasoner.models.looks import Look
    from factreasoner.models.rows import ClaimRow

UNLIMITED = 1_000_000


def plain(text: str, longest: int | None = None) -> str:
    """`text` on one line, visible, and without any effect of its markup.

    A text longer than `longest` characters is cut between words.
    """
    return escape(one_line(text, longest))


def error_text(stderr: float) -> str:
    """A standard error of a probability; below four digits it changes nothing that is printed."""
    return f"{stderr:.2g}" if stderr == 0 or stderr >= 1e-4 else "below 0.0001"


def coloured(look: Look) -> str:
    """The word of a label in its colour."""
    from factreasoner.models.looks import COLOURS

    return f"[{COLOURS[look.kind].terminal}]{look.word}[/]"


def label_cell(row: ClaimRow, words: Mapping[str | None, str], between: str = "\n") -> str:
    """A label in its colour, called as `words` or else the table says, and why it deserves a second look."""
    from factreasoner.models.looks import CAUTIONS, look_of

    return between.join(map(coloured, (look_of(row, words), *map(CAUTIONS.__getitem__, row.cautions))))


class Terminal(Console):
    """A rich console that shows hidden characters, makes no emoji, and colours no word by its looks.

    What is no terminal has no width, unless COLUMNS says one: nothing is wrapped or cut there.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(highlight=False, emoji=False, **settings)
        if not (self.is_terminal or "width" in settings or "COLUMNS" in os.environ):
            self.width = UNLIMITED

    def print(self, *parts: Any, **layout: Any) -> None:
        """Print as rich does; what is no terminal gets no blanks at the ends of lines."""
        if self.is_terminal:
            super().print(*parts, **layout)
            return
        with self.capture() as held:
            super().print(*parts, **layout)
        self.file.write("\n".join(line.rstrip(" ") for line in held.get().split("\n")))
        self.file.flush()  # before what comes on standard error

    def sentence(self, text: str, indent: int = 0, hanging: int = 0) -> None:
        """Print a sentence, broken between words: `indent` characters in, further lines `hanging`."""
        lines = Text.from_markup(text, emoji=False).wrap(self, self.width - max(indent, hanging))
        for number, line in enumerate(lines):
            line.rstrip()
            line.pad_left(hanging if number else indent)
            self.print(line)

    def columns(
        self, head: Sequence[Column | str], rows: Iterable[Sequence[RenderableType]], **layout: Any
    ) -> None:
        """Print columns over rows, without lines between them; `layout` is of rich's `Table`.

        A column by name alone breaks words that are longer than it is wide, such as links.
        """
        named = (Column(one, overflow="fold") if isinstance(one, str) else one for one in head)
        table = Table(*named, box=None, pad_edge=False, **layout)
        for row in rows:
            table.add_row(*row)
        self.print(table)

    def aside(self, text: str, **layout: Any) -> None:
        """Print a remark, dim and as it is; `layout` is of rich's `print`."""
        self.print(f"[dim]{escape(text)}[/dim]", **layout)

    def failed(self, text: str) -> None:
        """Print what went wrong: lines end between words, and a path that is longer than one stays whole."""
        lines = between_words(one_line(text), self.width, hanging="  ")
        self.print(lines, markup=False, style="red", soft_wrap=True)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments of `renderable`; rich's own styles and cursor movements are no text, and stay."""
        for segment in super().render(renderable, options):
            shown = segment.control or is_plain(segment.text)
            yield segment if shown else segment._replace(text=visible(segment.text))

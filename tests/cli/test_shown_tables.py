"""Tables of `show` are those that rich would lay out."""

import io

import pytest
from rich.table import Column, Table

from factreasoner.cli import shown_tables
from factreasoner.cli.shown_tables import LABEL_WIDTH, print_in_order
from factreasoner.report.console import Terminal
from factreasoner.tasks.factuality import TASK
from factreasoner.tasks.rows import ClaimRow

TEXTS = (
    "Short.",
    "Rather longer than a line of eighty columns has room for, so that it goes on in a second one.",
    "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所で泣いていた。",
    "https://example.org/" + "a" * 90,
    "[bold]no markup[/bold] :warning: \u202e",
)


def row(number, text):
    return ClaimRow(
        record="r[1]",
        claim=f"a{number}",
        of="answer",
        against="contexts",
        text=text,
        original=None,
        start=None,
        end=None,
        p_true=None if number == 2 else 0.5,
        label="supported" if number else None,
        judged="fully",
        gold=None,
        num_entailing=1,
        num_contradicting=number % 2,
        quote=text,
        context="c0",
        title=None,
        link=None,
    )


ROWS = [row(number, text) for number, text in enumerate(TEXTS)]


def printed(monkeypatch, width, colours, show):
    out = io.StringIO()

    def terminal(**settings):
        system = "256" if colours else None
        return Terminal(file=out, width=width, force_terminal=colours, color_system=system, **settings)

    monkeypatch.setattr(shown_tables, "Terminal", terminal)
    show(terminal(highlight=False))
    return out.getvalue()


def by_rich(console):
    table = Table(
        Column(TASK.p_word, width=len(TASK.p_word)),
        Column("", width=LABEL_WIDTH, no_wrap=True),
        Column(TASK.claim_word, ratio=1),
        box=None,
        pad_edge=False,
        expand=True,
    )
    for one in ROWS:
        table.add_row(*shown_tables.cells(one, TASK, name_record=True))
    console.print(table)
    console.print()


@pytest.mark.parametrize("width", [60, 80, 137])
@pytest.mark.parametrize("colours", [True, False])
def test_a_table_is_as_rich_lays_it_out(monkeypatch, width, colours):
    by_us = printed(monkeypatch, width, colours, lambda console: print_in_order(ROWS, TASK))
    assert by_us == printed(monkeypatch, width, colours, by_rich)
    assert by_us.count("\n") > 2 * len(ROWS)


def test_no_row_is_no_table(monkeypatch):
    assert printed(monkeypatch, 80, False, lambda console: print_in_order([], TASK)) == ""

"""Long passages in pieces, each with its title."""

from factreasoner.models import Context
from factreasoner.tasks.pieces import pieces

LONG = " ".join(f"Ship {n} lay in the harbour." for n in range(200))


def test_a_title_stands_once_on_every_piece():
    assert [part.text for part in pieces(Context(id="a", text="Ships. Two.", title="Ships"), 99)] == [
        "Ships. Two."
    ]
    cut = pieces(Context(id="a", text=LONG, title="Harbour"), 200)
    assert len(cut) > 3
    assert all(part.text.startswith("Harbour\nShip") for part in cut)

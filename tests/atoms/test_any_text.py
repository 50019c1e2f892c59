"""Atoms of mangled text: no exception, and spans inside the text whose characters the atom keeps."""

from hypothesis import given, settings
from hypothesis import strategies as st

from factreasoner.atoms.rules import RuleAtomizer, RuleReviser
from factreasoner.atoms.statements import statements
from factreasoner.models import Record

MARKS = '\n\n|\r\n|# |- |1. |> |```\n|**|[1]|](|<b>|</td>|: |; |, |https://a.b/c|"The Game,"|他是作家。'
PHRASES = "Ada Lovelace| was born in 1815| and wrote notes|, who met Bob| such as A, B and C| it |They | if "
MORE = "(born 1815)| is a tool used in Rome| because |He was| not |include:|Note that |having |films"
CHARACTERS = '\n|_`$é()“".?!\u202e\u200f\u2066\u0000\ufeff'
PIECES = st.sampled_from([*CHARACTERS, "|-|-|\n", *f"{MARKS}|{PHRASES}|{MORE}".split("|")])
TEXTS = st.lists(st.one_of(PIECES, st.text(max_size=12)), max_size=25).map("".join)


@settings(max_examples=120, deadline=None)
@given(TEXTS, st.sampled_from(["", "Who was Ada Lovelace?"]))
def test_any_text_gives_atoms_with_valid_spans(text, question):
    record = Record(id="r", response=text, prompt=question)
    atoms = RuleAtomizer().atomize(record).atoms
    revised = RuleReviser().revise(atoms, record).atoms
    assert [atom.id for atom in revised] == [f"a{n}" for n in range(len(atoms))]
    for atom in atoms:
        assert atom.text.strip()
        assert 0 <= atom.span[0] < atom.span[1] <= len(text)
        assert text[slice(*atom.span)] == (atom.original or atom.text)
    for statement in statements(text):
        assert statement.text.strip()
        assert text[slice(*statement.span)] == (statement.original or statement.text)

"""The claims of a verified answer as rows."""

from table_judge import PASSAGES, TableJudge, rows_of

from factreasoner import verify


def test_cited_claims_keep_their_labels_quotes_and_fates():
    table = {("old", "1930"): ("contradiction", 0.9), ("new", "1999"): ("entailment", 0.9)}
    text = "It opened in 1930 [1]. It closed in 1999 [2]. It is loved [7]. It is big."
    found = verify(text, sources=PASSAGES, judge=TableJudge(table), spacy_model="none")
    wrong, right, unknown, uncited = rows_of("verify", found)
    assert (wrong.label, wrong.context, wrong.title, wrong.fate) == (
        "contradicted",
        "old",
        "History",
        "removed",
    )
    assert text[wrong.start : wrong.end] in "It opened in 1930 [1]."
    assert (right.label, right.quote, right.fate, right.against) == (
        "supported",
        "It closed",
        "kept",
        "cited",
    )
    assert (unknown.label, uncited.label, uncited.against) == ("unknown_source", "uncited", "contexts")
    assert uncited.p_true is None

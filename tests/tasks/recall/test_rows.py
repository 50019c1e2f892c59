"""Facts as rows."""

from table_judge import TableJudge, rows_of

from factreasoner import recall


def test_facts_that_stayed_unanswered_are_not_false():
    table = {("answer", "1932"): ("entailment", 0.9), ("answer", "1999"): "lost"}
    table[("answer", "tall")] = ("contradiction", 0.9)
    facts = ["Opened in 1932.", "Closed in 1999.", "It is tall.", "It is big."]
    found = recall("It opened in 1932.", facts=facts, judge=TableJudge(table))
    assert [(row.of, row.against) for row in rows_of("recall", found)] == [("facts", "answer")] * 4
    assert [row.label for row in rows_of("recall", found)] == [
        "supported",
        None,
        "contradicted",
        "unverified",
    ]
    assert [row.judged for row in rows_of("recall", found)] == ["fully", "no", "fully", "fully"]

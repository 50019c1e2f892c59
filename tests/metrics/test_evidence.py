from __future__ import annotations

from assessments import assessment

from factreasoner.metrics.evidence import EvidenceTally, evidence_fields
from factreasoner.models import Assessment, Context, Independence

NOTHING = Assessment(record_id="r0", status="no_atoms", assessor="factreasoner")


def counted(*sources: tuple[str, ...], left_out: int) -> Assessment:
    independence = Independence(sources=sources, relations_left_out=left_out)
    contexts = (
        Context(id="c0", text="t", dropped="irrelevant: tea"),
        *(Context(id=i, text="u", link="https://a.example/", unread="status 503") for i in ("c1", "c2")),
    )
    return assessment(
        [0.9], outcome={"independence": independence}, contexts=contexts, searched=("documents@a1",)
    )


def test_a_line_says_what_was_dropped_why_and_what_counted_once() -> None:
    assert evidence_fields(counted(("c1", "c2"), left_out=3)) == {
        "dropped_contexts": {"c0": "irrelevant: tea"},
        "unread_pages": {"https://a.example/": "status 503"},
        "searched": ["documents@a1"],
        "independence": True,
        "shared_sources": [["c1", "c2"]],
        "relations_left_out": 3,
    }


def test_each_relation_counts_where_nothing_else_is_said() -> None:
    for item in (NOTHING, assessment([0.9])):
        assert evidence_fields(item) == {
            "dropped_contexts": {},
            "unread_pages": {},
            "searched": [],
            "independence": False,
            "shared_sources": [],
            "relations_left_out": 0,
        }


def test_records_add_up() -> None:
    tally = EvidenceTally()
    for item in (
        NOTHING,
        counted(("c1", "c2"), ("c3", "c4"), left_out=3),
        counted(left_out=0),
        assessment([0.9]),
    ):
        tally.add(item)
    assert tally.content() == {
        "credibility": None,
        "pruned": None,
        "without_contexts": 1,
        "dropped_contexts": 2,
        "unread_pages": 2,
        "searched": {"documents@a1": 2},
        "independence": {"records": 2, "shared_sources": 2, "relations_left_out": 3},
    }

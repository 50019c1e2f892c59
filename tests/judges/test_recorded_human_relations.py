"""Human stances in the place of a judge reproduce published posteriors. Skipped without the public data."""

import json

import pytest
from oracle import DATA

from factreasoner.inputs.input import check_input
from factreasoner.pipeline import build_pipeline
from factreasoner.settings import Config

FOLDER = DATA / "factcheck_bench"

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="no public data")


def expected():
    rows = (json.loads(line) for line in (FOLDER / "expected_posteriors.jsonl").read_text().splitlines())
    return {(row["record"], row["atom"]): row["p_true"] for row in rows}


@pytest.mark.parametrize(
    "settings", [{"version": 1}, {"version": 2, "unlisted": "neutral"}], ids=["fr1", "fr2"]
)
def test_posteriors_from_human_relations(settings):
    config = Config(judge="recorded", relations=FOLDER / "human_relations.jsonl", **settings)
    pipeline = build_pipeline(config)
    found = {}
    for record in check_input(FOLDER / "records.jsonl").records():
        assessment = pipeline.assess(record)
        assert assessment.status == "ok"
        found |= {(record.id, atom_id): p for atom_id, p in assessment.p_true.items()}
    assert found == pytest.approx(expected(), abs=1e-6)

"""Every data model: what goes in, what the stages hand on, what comes out.

All are frozen, refuse unknown fields and hold tuples, so that an assessment can be written to a journal,
read back and compared. Probabilities lie in [0, 1]; ids are strings, unique within their record.
"""

from factreasoner.models.assessment import (
    SMALLEST_P,
    Assessment,
    FactualityScores,
    JudgedAtom,
    factuality,
    judged_atoms,
)
from factreasoner.models.graph import (
    HALF_TOLERANCE,
    P_DIGITS,
    FactGraph,
    Marginals,
    Node,
    NodeKind,
    Relation,
    RelationKind,
    Support,
    has_converged,
    side_of,
    support_of,
    supports_of,
)
from factreasoner.models.records import Atom, Context, Gold, Model, Record, record_fingerprint
from factreasoner.models.results import Audit, Independence, Outcome, Status, TaskResult, Usage, status_of
from factreasoner.models.verdicts import (
    AtomAnswer,
    Claim,
    Failure,
    Label,
    Part,
    Premise,
    Verdict,
    VerdictConfidence,
)

__all__ = [
    "HALF_TOLERANCE",
    "P_DIGITS",
    "SMALLEST_P",
    "Assessment",
    "Atom",
    "AtomAnswer",
    "Audit",
    "Claim",
    "Context",
    "FactGraph",
    "FactualityScores",
    "Failure",
    "Gold",
    "Independence",
    "JudgedAtom",
    "Label",
    "Marginals",
    "Model",
    "Node",
    "NodeKind",
    "Outcome",
    "Part",
    "Premise",
    "Record",
    "Relation",
    "RelationKind",
    "Status",
    "Support",
    "TaskResult",
    "Usage",
    "Verdict",
    "VerdictConfidence",
    "factuality",
    "has_converged",
    "judged_atoms",
    "record_fingerprint",
    "side_of",
    "status_of",
    "support_of",
    "supports_of",
]

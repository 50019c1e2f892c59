"""All data models: inputs, intermediate values and results.

All are frozen, refuse unknown fields and hold tuples, so that an assessment can be written to a journal, read
back and compared. Probabilities lie in [0, 1]; ids are strings, unique within their record.
"""

from factreasoner.models.assessment import SMALLEST_P as SMALLEST_P
from factreasoner.models.assessment import Assessment as Assessment
from factreasoner.models.assessment import FactualityScores as FactualityScores
from factreasoner.models.assessment import JudgedAtom as JudgedAtom
from factreasoner.models.assessment import factuality as factuality
from factreasoner.models.assessment import judged_atoms as judged_atoms
from factreasoner.models.graph import HALF_TOLERANCE as HALF_TOLERANCE
from factreasoner.models.graph import P_DIGITS as P_DIGITS
from factreasoner.models.graph import FactGraph as FactGraph
from factreasoner.models.graph import Factor as Factor
from factreasoner.models.graph import FactorGraph as FactorGraph
from factreasoner.models.graph import FactorTable as FactorTable
from factreasoner.models.graph import Marginals as Marginals
from factreasoner.models.graph import Node as Node
from factreasoner.models.graph import NodeKind as NodeKind
from factreasoner.models.graph import Relation as Relation
from factreasoner.models.graph import RelationKind as RelationKind
from factreasoner.models.graph import Support as Support
from factreasoner.models.graph import label_of as label_of
from factreasoner.models.graph import side_of as side_of
from factreasoner.models.graph import support_of as support_of
from factreasoner.models.graph import supports_of as supports_of
from factreasoner.models.records import Atom as Atom
from factreasoner.models.records import Context as Context
from factreasoner.models.records import Gold as Gold
from factreasoner.models.records import Model as Model
from factreasoner.models.records import Record as Record
from factreasoner.models.records import new_id as new_id
from factreasoner.models.records import record_fingerprint as record_fingerprint
from factreasoner.models.results import Coherence as Coherence
from factreasoner.models.results import Independence as Independence
from factreasoner.models.results import Outcome as Outcome
from factreasoner.models.results import PriorFrom as PriorFrom
from factreasoner.models.results import Probe as Probe
from factreasoner.models.results import Pruned as Pruned
from factreasoner.models.results import Reason as Reason
from factreasoner.models.results import Result as Result
from factreasoner.models.results import SelfContradiction as SelfContradiction
from factreasoner.models.results import Status as Status
from factreasoner.models.results import Unchecked as Unchecked
from factreasoner.models.results import Usage as Usage
from factreasoner.models.results import counted as counted
from factreasoner.models.results import not_checked as not_checked
from factreasoner.models.results import status_of as status_of
from factreasoner.models.verdicts import AtomAnswer as AtomAnswer
from factreasoner.models.verdicts import Claim as Claim
from factreasoner.models.verdicts import Failure as Failure
from factreasoner.models.verdicts import Label as Label
from factreasoner.models.verdicts import Part as Part
from factreasoner.models.verdicts import Premise as Premise
from factreasoner.models.verdicts import StageError as StageError
from factreasoner.models.verdicts import Verdict as Verdict

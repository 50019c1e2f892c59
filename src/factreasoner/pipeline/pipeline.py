"""The pipeline: atomize, revise, retrieve, summarise, evaluate; and rescoring."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NoReturn, Unpack

from factreasoner.assessors.assessors import ASSESSORS
from factreasoner.assessors.graph import solved, with_graph
from factreasoner.assessors.prompted import concluded
from factreasoner.atoms.extraction import account_for, make_atoms, without_hidden_text
from factreasoner.atoms.nonclaims import is_abstention
from factreasoner.calls.threads import one_by_one_until
from factreasoner.calls.usage import Meter
from factreasoner.errors import ConfigError, InputError, InputProblem, PluginError
from factreasoner.inputs.parsing import AtomLike, ContextLike, parse_record
from factreasoner.judges.calibration import calibrated_verdicts, calibration_of
from factreasoner.models import (
    Assessment,
    Atom,
    Claim,
    Coherence,
    Context,
    Failure,
    Outcome,
    Record,
    StageError,
    new_id,
    record_fingerprint,
    status_of,
)
from factreasoner.pipeline.assembly import Assembly, Calls, assembly_of, parts_and_config
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.keywords import Keywords
from factreasoner.pipeline.loading import ConfigLike, python_call
from factreasoner.plugins.kinds import ASSESSOR, ATOMIZER, QUERY_BUILDER, REVISER, SUMMARIZER
from factreasoner.protocols import LLM, Atomized, Retrieved, Solver


class Pipeline:
    """Assesses records; thread-safe.

    `config` has the settings, which are recorded with every assessment. Without a `query_builder`, atoms'
    texts are the queries; without a `summarizer`, contexts are used as found. `coherence` finds contradicting
    atoms, if configured. All components share the model `llm`.

    Raises:
        ConfigError: an unknown plug-in, or a stage that needs a model when there is none.
        MissingExtraError: a plug-in needs an optional package.
    """

    def __init__(self, parts: Assembly) -> None:
        self.config = parts.config
        self.llm = parts.llm
        self.atomizer = parts.made(ATOMIZER)
        self.reviser = parts.made(REVISER)
        given = self.config.part("retriever").takes_given
        self.query_builder = None if given else parts.optional(QUERY_BUILDER)
        self.retriever = parts.retriever()
        self.summarizer = parts.optional(SUMMARIZER)
        self.evaluator = parts.made(ASSESSOR)
        self.coherence = parts.coherence()

    def __getstate__(self) -> NoReturn:
        raise TypeError(
            "a Pipeline can't be copied or pickled; make one in each process: build_pipeline(...)"
        )

    @property
    def settled(self) -> bool:
        """Whether it is known how to call the model. Until then, records are assessed in turn."""
        return bool(getattr(self.llm, "settled", True))

    @property
    def collections(self) -> tuple[str, ...]:
        """The document collections searched, in their present state: `name@state`."""
        return tuple(getattr(self.retriever, "collections", ()))

    @python_call
    def assess(
        self,
        output: str | Record,
        *,
        input: str = "",
        contexts: Iterable[ContextLike] | None = None,
        topic: str | None = None,
        atoms: Iterable[AtomLike] | None = None,
        id: str | None = None,
    ) -> Assessment:
        """Assess one answer, or one record. Parameters and exceptions are those of `assess`.

        Errors inside are failures of the assessment, not raised.
        """
        given = {"id": id, "prompt": input or None, "topic": topic, "contexts": contexts, "atoms": atoms}
        if isinstance(record := output, Record):
            problem = "the record has its own; change the record, or pass its output"
            if strange := [name for name, value in given.items() if value is not None]:
                raise InputError([InputProblem("assess()", strange[0].replace("prompt", "input"), problem)])
        else:
            record = parse_record("assess()", response=output, **given)
        with one_by_one_until(lambda: self.settled):
            found = self._assess(without_hidden_text(record))
        atoms, told = account_for(record, found.atoms if record.atoms is None else None)
        told |= {"response": record.response, "fingerprint": record_fingerprint(record)}
        return found.model_copy(update=told | ({"atoms": atoms} if record.atoms is None else {}))

    def _assess(self, record: Record) -> Assessment:
        meter = Meter()
        atoms: tuple[Atom, ...] = ()
        contexts: tuple[Context, ...] = ()
        searched: tuple[str, ...] = ()
        outcome: Outcome | None = None
        coherence: Coherence | None = None
        failures: list[Failure] = []
        try:
            atoms, failed = self._atoms(record, meter)
            failures += failed
            if atoms:
                atoms, failed = self._with_queries(atoms, record, meter)
                failures += failed
                with meter.stage("retriever"):
                    own = record.contexts
                    found = self.retriever.retrieve(atoms, record) if own is None else Retrieved(own)
                failures += found.failures
                searched = found.searched
                summarised = self._summarised(found.contexts, atoms, meter)
                contexts = summarised.contexts
                failures += summarised.failures
                with meter.stage("evaluator"):
                    evaluated = self.evaluator.evaluate(atoms, contexts, record)
                outcome = _without_unsearched(evaluated, {failure.item_id for failure in found.failures})
                coherence, unjudged = self._coherent(atoms, record, meter)
                failures += unjudged
        except StageError as error:
            failures += error.failures
        except PluginError as error:
            failures.append(Failure.of(error.kind, record.id, error))
        return Assessment(
            status=status_of(outcome, failures) if outcome else "failed" if failures else "no_atoms",
            assessor=self.config.assessor,
            atoms=atoms,
            contexts=contexts,
            searched=searched,
            outcome=outcome,
            failures=tuple(failures),
            coherence=coherence,
            **common_fields(record, self.config, meter),
        )

    def _coherent(
        self, atoms: Sequence[Atom], record: Record, meter: Meter
    ) -> tuple[Coherence | None, tuple[Failure, ...]]:
        """The coherence of the atoms, if requested."""
        if self.coherence is None:
            return None, ()
        with meter.stage("coherence"):
            return self.coherence.check([Claim(atom.id, atom.text) for atom in atoms], record.id)

    def _atoms(self, record: Record, meter: Meter) -> Atomized:
        if record.atoms is not None and self.config.revise_given:
            with meter.stage("reviser"):
                return self.reviser.revise(record.atoms, record)
        if record.atoms is not None:
            return Atomized(record.atoms)
        if is_abstention(record.response):
            return Atomized(())
        return _renamed(make_atoms(record, self.atomizer, self.reviser, meter), record)

    def _with_queries(self, atoms: tuple[Atom, ...], record: Record, meter: Meter) -> Atomized:
        """The atoms with queries, if there is something to search."""
        if self.query_builder is None or record.contexts is not None:
            return Atomized(atoms)
        with meter.stage("query_builder"):
            return self.query_builder.build(atoms, record)

    def _summarised(self, contexts: tuple[Context, ...], atoms: Sequence[Atom], meter: Meter) -> Retrieved:
        if self.summarizer is None or not contexts:
            return Retrieved(contexts)
        with meter.stage("summarizer"):
            return self.summarizer.summarize(contexts, atoms)


def common_fields(record: Record, config: Config, meter: Meter | None) -> dict[str, Any]:
    """The fields that the results of all tasks have, apart from the outcome."""
    same = ("prompt", "response", "topic", "metadata")
    return {name: getattr(record, name) for name in same} | {
        "record_id": record.id,
        "model": config.first_model,
        "usage": meter.usage if meter else {},
        "seconds": meter.seconds if meter else {},
        "elapsed": meter.elapsed if meter else None,
        "fingerprint": record_fingerprint(record),
        "k": config.k if isinstance(config.k, int) else None,
    }


def _renamed(made: Atomized, record: Record) -> Atomized:
    """Made atoms, with new ids for those that equal a context's."""
    given = {context.id for context in record.contexts or ()}
    taken = given | {atom.id for atom in made.atoms}
    names: dict[str, str] = {}
    for atom in made.atoms:
        if atom.id in given:
            names[atom.id] = new_id("a", len(made.atoms), taken)
            taken.add(names[atom.id])
    if not names:
        return made
    atoms = (atom.model_copy(update={"id": names.get(atom.id, atom.id)}) for atom in made.atoms)
    failures = (f.model_copy(update={"item_id": names.get(f.item_id, f.item_id)}) for f in made.failures)
    return Atomized(tuple(atoms), tuple(failures))


def _without_unsearched(outcome: Outcome, unsearched: Collection[str]) -> Outcome:
    """The outcome without atoms that have no evidence because their search failed.

    They would otherwise look unverified. An atom judged against other contexts is partly judged.
    """
    judged = {v.target_id for v in outcome.verdicts} | {answer.atom_id for answer in outcome.answers}
    lost = tuple(atom for atom in outcome.p_true if atom in unsearched and atom not in judged)
    partly = tuple(atom for atom in outcome.p_true if atom in unsearched and atom in judged)
    return outcome.model_copy(
        update={
            "p_true": {atom: p for atom, p in outcome.p_true.items() if atom not in lost},
            "support": {atom: support for atom, support in outcome.support.items() if atom not in lost},
            "unjudged": outcome.unjudged + lost,
            "partly_judged": tuple(dict.fromkeys(outcome.partly_judged + partly)),
        }
    )


def rescore(assessment: Assessment, solver: Solver, config: Config) -> Assessment:
    """The assessment with posteriors recomputed from its verdicts, without model calls.

    `config` names graph, solver and calibration. An assessment is returned unchanged if nothing was judged,
    or if a custom assessor made no graph.

    Raises ConfigError: the calibration does not apply to that assessor's results.
    """
    if assessment.outcome is None:
        return assessment
    if (row := ASSESSORS.get(assessment.assessor)) is not None:
        outcome = concluded(_calibrated(assessment.outcome, config), assessment.atoms, row)
    else:
        built = rebuilt(assessment, config).outcome
        if built is None or built.graph is None:
            if config.calibration is not None:
                raise ConfigError(
                    f"calibration: {assessment.assessor} keeps nothing to compute posteriors from"
                )
            return assessment
        outcome = solved(built, solver, config, record_id=assessment.record_id)
    return assessment.with_outcome(outcome)


def _calibrated(outcome: Outcome, config: Config) -> Outcome:
    """The outcome with calibrated verdicts, if there is a calibration."""
    if config.calibration is None:
        return outcome
    verdicts = calibrated_verdicts(outcome.verdicts, calibration_of(config).verdicts)
    return outcome.model_copy(update={"verdicts": verdicts})


def rebuilt(assessment: Assessment, config: Config) -> Assessment:
    """The assessment with the fact graph of its verdicts, if any, without posteriors."""
    outcome = assessment.outcome
    if outcome is None or outcome.graph is None:
        return assessment
    kept = tuple(failure for failure in outcome.failures if failure.stage != "solver")
    cleared = outcome.model_copy(update={"failures": kept, "p_true": {}, "support": {}, "marginals": None})
    judged = _calibrated(cleared, config)
    graphed = with_graph(judged, assessment.atoms, assessment.contexts, config)
    return assessment.with_outcome(graphed)


@python_call
def build_pipeline(
    config: ConfigLike = None, *, llm: LLM | None = None, **settings: Unpack[Keywords]
) -> Pipeline:
    """Build a reusable, thread-safe pipeline.

    `settings` override `config`, which defaults to the environment. A setting that names a component also
    takes your own object or class: `judge=MyJudge()`. `llm` replaces the model client; without it, one is
    made if a `model` is set.

    Raises:
        ConfigError: an unknown plug-in, a stage that needs a model when there is none, or a calibration that
            does not fit.
        InputError: the calibration file can't be read.
        MissingExtraError: a plug-in needs an optional package.
    """
    parts, config = parts_and_config(settings, config)
    return Pipeline(assembly_of(config, Calls(llm=llm, parts=parts)))

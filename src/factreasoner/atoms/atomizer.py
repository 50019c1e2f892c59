"""Atoms by a language model: from a response, or from a reference as the facts to state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from factreasoner import prompts
from factreasoner.atoms.nonclaims import is_abstention
from factreasoner.atoms.replies import ReplyReader, parts
from factreasoner.atoms.rules import as_atoms, reference_record
from factreasoner.atoms.settings import AtomSettings
from factreasoner.atoms.statements import Statement, statements
from factreasoner.calls.threads import parallel_map
from factreasoner.calls.usage import estimate_tokens
from factreasoner.llm.ask import ItemAsker, ItemQuestion
from factreasoner.models import Failure, Record, StageError
from factreasoner.models.messages import FunctionSchema, Prompt
from factreasoner.protocols import LLM, Atomized
from factreasoner.text.language import is_english
from factreasoner.text.parsing import find_parser
from factreasoner.text.passages import runs_of
from factreasoner.text.sentences import Span, sentences

STAGE = "atomizer"
_OUTPUT_PER_TOKEN = 6
"""Answer tokens per token of text: statements repeat subjects and quote their sources."""
_OUTPUT_SHARE = 0.8
_BEFORE = 4000

SCHEMA = prompts.function("atomizer")


class LLMAtomizer:
    """Has a model rewrite each part of a response as a self-contained fact, in one call.

    A reply repeats each part and gives its fact after an arrow; `ReplyReader` decides which facts become
    atoms. If a reply would not fit `max_tokens`, the response is split into chunks of whole sentences. A
    chunk with a cut or unusable reply is retried.
    """

    PROMPT = "atomizer"
    COVERS = True
    """Whether every sentence with a claim needs a fact."""

    def __init__(self, llm: LLM, config: AtomSettings | None = None) -> None:
        self._llm = llm
        self._config = config or AtomSettings()
        self._item_asker = ItemAsker(llm, self._config)
        self._template = prompts.load(self.PROMPT)

    def atomize(self, record: Record) -> Atomized:
        """Atoms with their spans, in the order of the response, without duplicates.

        Raises:
            StageError: no sentence could be atomized.
            ConfigError, BudgetError: from the model client.
        """
        parts_of_text = chunks(record.response, self._config.max_tokens)
        parser = find_parser() if is_english(record.response) else None
        stated = statements(record.response, parser) if self.COVERS else []
        reader = ReplyReader(record, stated, parser)
        answers = parallel_map(
            lambda chunk: self._ask(record, chunk, reader), parts_of_text, workers=self._config.concurrency
        )
        results = [part for answer in answers for part in answer]
        failures = tuple(part for part in results if isinstance(part, Failure))
        if failures and len(failures) == len(results):
            raise StageError(failures)
        found = [statement for part in results if not isinstance(part, Failure) for statement in part]
        return Atomized(as_atoms(found), failures)

    def _request(self, record: Record, sentences: Sequence[Span]) -> tuple[Prompt, FunctionSchema]:
        """One call, with the expected length of its answer."""
        lines = (f"[{n}] {text}" for n, (_, text) in enumerate(parts(record.response, sentences), start=1))
        values = {
            "question": prompts.delimit(record.prompt, "question"),
            "topic": prompts.delimit(record.topic or "", "topic"),
            "before": prompts.delimit(record.response[: sentences[0].start].strip()[-_BEFORE:], "before"),
            "parts": prompts.delimit(prompts.repeatable("\n".join(lines)), "parts"),
        }
        prompt = self._template.fill(**{name: values[name] for name in self._template.placeholders})
        expected = 3 * estimate_tokens(record.response[sentences[0].start : sentences[-1].end])
        return prompt, SCHEMA.model_copy(update={"expected_tokens": expected + 20 * len(sentences)})

    def _ask(
        self, record: Record, chunk: Sequence[Span], reader: ReplyReader
    ) -> list[list[Statement] | Failure]:
        """The statements of the chunk's sentences; consecutive failed ones make one failure."""
        asked = ItemQuestion[Span, list[Statement]](
            stage=STAGE,
            result="list of statements",
            name=lambda sentence: _name(record, [sentence]),
            request=lambda sentences: self._request(record, sentences),
            read=lambda reply, schema, sentences: reader.read(reply, sentences),
        )
        results: list[list[Statement] | Failure] = []
        answers = self._item_asker.ask(asked, chunk)
        pairs = zip(chunk, answers, strict=True)
        for failed, run in groupby(pairs, key=lambda pair: isinstance(pair[1], Failure)):
            sentences, found = zip(*run, strict=True)
            if failed:
                results.append(found[0].model_copy(update={"item_id": _name(record, sentences)}))
            else:
                results.extend(found)
        return results


class LLMFactGenerator(LLMAtomizer):
    """Has a model list the facts of the reference that answer the question.

    Short, independent of each other, without pronouns (FaaF, arXiv 2403.03888, section 3.1).
    """

    PROMPT = "fact_generator"
    COVERS = False

    def generate(self, record: Record) -> Atomized:
        """The facts, in the order of the reference.

        Raises:
            StageError: no fact could be made.
            ConfigError, BudgetError: from the model client.
        """
        return self.atomize(reference_record(record))


def chunks(response: str, max_tokens: int) -> list[list[Span]]:
    """Groups of sentences whose statements fit `max_tokens`; none if the response declines to answer."""
    if is_abstention(response):
        return []
    limit = _OUTPUT_SHARE * max_tokens / _OUTPUT_PER_TOKEN
    spans = list(_fitting(response, limit))
    runs = runs_of([estimate_tokens(response[start:end]) for start, end in spans], int(limit))
    return [spans[first:end] for first, end in runs]


def _fitting(response: str, limit: float) -> Iterator[Span]:
    """Sentences; one of more than `limit` tokens (a script without stops) is cut at spaces."""
    for first, end in sentences(response):
        tokens = estimate_tokens(response[first:end])
        step = max(1, int((end - first) * limit / tokens)) if tokens > limit else end - first
        start = first
        while end - start > step:
            blank = response.rfind(" ", start + step // 2, start + step)
            cut = blank if blank > 0 else start + step
            yield Span(start, cut)
            start = cut
        yield Span(start, end)


def _name(record: Record, sentences: Sequence[Span]) -> str:
    """The name of consecutive sentences in a failure: the record id and character range."""
    return f"{record.id}[{sentences[0].start}:{sentences[-1].end}]"

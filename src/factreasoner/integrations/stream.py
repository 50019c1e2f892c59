"""An answer checked while it is written: sentence by sentence, by a judge that computes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable
from typing import Literal, NamedTuple, Unpack

from factreasoner.errors import ConfigError, InputError, InputProblem
from factreasoner.inputs.parsing import ContextLike, given_record
from factreasoner.models import Assessment
from factreasoner.models.rows import ClaimRow
from factreasoner.pipeline.assembly import parts_and_config
from factreasoner.pipeline.keywords import Keywords
from factreasoner.pipeline.loading import python_call
from factreasoner.pipeline.pipeline import build_pipeline
from factreasoner.text.sentences import sentences

Hold = Literal["sentence", "none"]


class Guarded(NamedTuple):
    """What can be handed on now.

    `text` is the next piece of the answer; all of them together are the answer. `atoms` are those that no
    earlier piece had, `assessment` is that of the answer up to here, None where there is no new one. The one
    that is `final` is of the whole answer, and may say otherwise of earlier atoms: it decides.
    """

    text: str
    atoms: tuple[ClaimRow, ...] = ()
    assessment: Assessment | None = None
    final: bool = False


@python_call
def guard_stream(
    deltas: AsyncIterable[str],
    contexts: Iterable[ContextLike],
    *,
    hold: Hold = "sentence",
    prompt: str = "",
    **settings: Unpack[Keywords],
) -> AsyncIterator[Guarded]:
    """Pass an answer on as it comes, with its atoms as they are assessed.

    At each sentence's end the answer so far is assessed in a thread. `hold` "sentence" keeps a sentence back
    until then; "none" passes text on at once, and what is found follows. `settings` are those of
    :class:`Config`; the time of a sentence grows with the answer before it.

    ::

        async for piece in guard_stream(deltas, contexts):
            if any(atom.label == "contradicted" for atom in piece.atoms):
                break
            print(piece.text, end="")

    Raises:
        ConfigError: an unknown or wrong setting, or a model, which takes longer than a sentence does to come.
        InputError: the contexts or the deltas are not what they should be.
    """
    if not isinstance(deltas, AsyncIterable):
        raise _wrong(
            f"is {_kind(deltas)}; it must be an async iterator of texts: async def deltas(): ... yield text"
        )
    if hold not in ("sentence", "none"):
        raise ConfigError(f"hold: {hold!r}; write 'sentence' or 'none'")
    parts, config = parts_and_config(settings)
    if config.first_model is not None:
        raise ConfigError(f"model: {config.first_model!r}: streams are for local judges; remove it")
    record = given_record("guard_stream()", response="", prompt=prompt, contexts=contexts)
    pipeline = build_pipeline(config, **parts)

    def assessed(text: str) -> Assessment:
        return pipeline.assess(record.model_copy(update={"response": text}))

    return _checked(_texts(deltas), assessed, held=hold == "sentence")


async def _texts(deltas: AsyncIterable[str]) -> AsyncIterator[str]:
    """The deltas. Raises InputError for one that is not text."""
    async for delta in deltas:
        if not isinstance(delta, str):
            texts = "(part.choices[0].delta.content or '' async for part in stream)"
            raise _wrong(f"one is {_kind(delta)}; they must be texts, as {texts}")
        yield delta


def _wrong(message: str) -> InputError:
    return InputError([InputProblem("guard_stream()", "deltas", message)])


def _kind(value: object) -> str:
    return "None" if value is None else f"of type {type(value).__name__}"


async def _checked(
    deltas: AsyncIterable[str], assessed: Callable[[str], Assessment], *, held: bool
) -> AsyncIterator[Guarded]:
    """Pieces as they come and what is found of the answer once it is, one assessment at a time.

    Those that are `held` end with a sentence, and are handed on with what is found.
    """
    text, passed, done, seen = "", 0, 0, set[str]()
    under_way: asyncio.Future[Assessment] | None = None
    async for delta in deltas:
        text += delta
        if not held:
            passed = len(text)
            yield Guarded(delta)
        if under_way is not None and under_way.done():
            found, under_way = under_way.result(), None
            yield Guarded("", _new_atoms(found, seen), found)
        if under_way is None and (end := _last_end(text, done)) > done:
            under_way, done = asyncio.ensure_future(asyncio.to_thread(assessed, text[:end])), end
        if held and under_way is not None:
            found, under_way = await under_way, None
            yield Guarded(text[passed:done], _new_atoms(found, seen), found)
            passed = done
    if under_way is not None:
        found = await under_way
        yield Guarded("", _new_atoms(found, seen), found)
    found = await asyncio.to_thread(assessed, text)
    yield Guarded(text[passed:], _new_atoms(found, seen), found, final=True)


def _last_end(text: str, start: int) -> int:
    """Where the last sentence ends after which another begins, from `start` on; `start` where none does."""
    found = sentences(text[start:])
    return start + found[-2].end if len(found) > 1 else start


def _new_atoms(found: Assessment, seen: set[str]) -> tuple[ClaimRow, ...]:
    """The atoms whose wording has not been `seen`, which it then is."""
    rows = tuple(row for row in found.rows() if row.text not in seen)
    seen.update(row.text for row in rows)
    return rows

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from factreasoner.corpus.collection import Vectors
from factreasoner.corpus.vector_cache import VectorCache
from factreasoner.settings import Config

asked: list[str] = []


def lengths(texts: Sequence[str]) -> Vectors:
    asked.extend(texts)
    return np.array([[len(text), 1] for text in texts], np.float32)


@pytest.fixture(autouse=True)
def _nothing_asked() -> None:
    asked.clear()


def test_only_what_is_new_is_asked_for_once() -> None:
    cache = VectorCache("m", lengths, Config())
    assert cache.embed(["a", "bb", "a"]).tolist() == [[1, 1], [2, 1], [1, 1]]
    many = [f"{'x' * n}" for n in range(1, 1200)]
    assert cache.embed(many)[:, 0].tolist() == list(range(1, 1200))
    assert VectorCache("m", lengths, Config()).embed(["bb"]).tolist() == [[2, 1]]
    assert len(asked) == len(set(asked)) == 2 + 1199


def test_models_and_places_are_told_apart() -> None:
    for name, base in (("m", None), ("n", None), ("m", "http://localhost:1/v1")):
        VectorCache(name, lengths, Config(embedding_api_base=base)).embed(["a"])
    assert asked == ["a"] * 3

"""An embedding that needs no download: TF-IDF of words and word pairs, reduced by truncated SVD (LSA).

It is fitted on the passages that are then searched, and knows no word beside theirs and no meaning beside
their company. It stands in for a trained model where none can be had; such a model finds more.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import Pipeline, make_pipeline

DIMENSION = 256
_fitted: list[Pipeline] = []


def fit(texts: Sequence[str]) -> None:
    """Learn from `texts`; every later call of `embed` goes by this."""
    words = TfidfVectorizer(sublinear_tf=True, stop_words="english", ngram_range=(1, 2), min_df=2)
    _fitted[:] = [make_pipeline(words, TruncatedSVD(DIMENSION, random_state=0)).fit(texts)]


def embed(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """Vectors of shape (len(texts), 256)."""
    found: npt.NDArray[np.float32] = _fitted[0].transform(texts).astype(np.float32)
    return found

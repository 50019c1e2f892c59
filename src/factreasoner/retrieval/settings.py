"""Settings of retrieval."""

from __future__ import annotations

import re
from functools import partial
from typing import Annotated

from pydantic import AfterValidator

from factreasoner.corpus.settings import CorpusSettings
from factreasoner.graph.settings import GraphSettings
from factreasoner.llm.settings import LLMSettings
from factreasoner.plugins.table import PLUGINS
from factreasoner.settings.setting import setting
from factreasoner.settings.values import ServiceUrl, checked_service
from factreasoner.web.settings import WebSettings


def checked_wikipedia(wiki: str) -> str:
    """`wiki`, if it is a Wikipedia language or the URL of a wiki. Raises ValueError otherwise."""
    if re.fullmatch(r"[a-z][a-z0-9-]{0,19}", wiki):
        return wiki
    if "://" not in wiki:
        raise ValueError("must be a language, such as de, or the URL of a wiki's api.php")
    return checked_service(wiki)


Wikipedia = Annotated[str, AfterValidator(checked_wikipedia)]
_retrieval = partial(setting, "Retrieval")


class RetrievalSettings(LLMSettings, CorpusSettings, WebSettings, GraphSettings):
    """Settings of retrieval."""

    retriever: str = setting(
        "Assessor",
        "given",
        f"Retriever: {', '.join(PLUGINS['retriever'])} or package.module:Class; several: corpus,wikipedia.",
        common=True,
    )
    query_builder: str = _retrieval(
        "subject",
        "Writer of search queries: subject adds what the record is about; none, auto, llm or "
        "package.module:Class.",
    )
    summarizer: str = _retrieval(
        "none", "Summarizer of contexts; drops irrelevant ones: none, auto, llm or package.module:Class."
    )
    retrieve_k: int = _retrieval(3, "Contexts retrieved for each atom.", ge=1, le=50)
    wikipedia: Wikipedia = _retrieval(
        "en", "Language of Wikipedia, or the URL of another MediaWiki's api.php."
    )
    search_url: ServiceUrl = _retrieval(
        "https://google.serper.dev", "URL of a Serper-compatible search service."
    )
    fetch_text: bool = _retrieval(False, "Read the pages found, not just their snippets.")

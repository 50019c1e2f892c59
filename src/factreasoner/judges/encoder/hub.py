"""Models of the Hugging Face hub: found in the local cache; downloaded only where a user says so."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from huggingface_hub import HfApi, snapshot_download
from huggingface_hub import errors as hub_errors
from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

from factreasoner.errors import ConfigError

NOT_FETCHED: tuple[type[Exception], ...] = (HFValidationError, *hub_errors.HfHubHTTPError.__bases__)
"""What is raised where the hub is not reached or has no such model; its HTTP client differs by version."""
MODEL_ID = re.compile(r"[\w.-]+(?:/[\w.-]+)?(?:@[\w./-]+)?")
SMALL_FILES = ("*config.json", "*tokenizer.json", "*special_tokens_map.json")
"""The small files of a model that are kept, wherever they lie in its repository."""


class HubModel(NamedTuple):
    """A model's id on the hub, and the branch, tag or commit that is wanted."""

    name: str
    revision: str | None

    @classmethod
    def of(cls, given: str, revision: str | None) -> HubModel:
        """The model that an id, or ID@REVISION, names. Raises ConfigError for two revisions."""
        name, _, pinned = given.partition("@")
        if pinned and revision and pinned != revision:
            raise ConfigError(
                f"verifier_revision: {revision!r} is given, and {given!r} says {pinned!r}; give one"
            )
        return cls(name, pinned or revision)

    def __str__(self) -> str:
        return f"{self.name}@{self.revision}" if self.revision else self.name

    def cached(self) -> Path:
        """The folder of the hub's local cache with the model's files; nothing is sent anywhere.

        Raises:
            ConfigError: it is not there, with the command that fetches it.
        """
        try:
            # of a model of which some files were fetched, more than these may be missing
            return self._snapshot(["config.json"], local_files_only=True)
        except (HFValidationError, LocalEntryNotFoundError) as error:
            raise ConfigError(
                f"verifier_model: {str(self)!r} is neither a folder here nor in the hub's local cache, and "
                "nothing is downloaded unasked; fetch it with `factreasoner doctor --verifier NAME "
                f"--verifier-model {self} --verifier-download`"
            ) from error

    def download(
        self,
        choose: Callable[[Sequence[str]], str],
        weights: Callable[[Path, Sequence[str]], list[str]],
    ) -> Path:
        """Fetch the small files, the one graph that `choose` names of all, and the weights it names itself.

        `weights` says which of the names of the files beside a graph it names.

        Raises:
            ConfigError: the hub can't be reached or does not have it, or has no graph to choose.
        """
        try:
            names = HfApi().list_repo_files(self.name, revision=self.revision)
            graph = PurePosixPath(choose(names))
            folder = self._snapshot([*SMALL_FILES, str(graph)])
            beside = [path.name for path in map(PurePosixPath, names) if path.parent == graph.parent]
            outside = [str(graph.parent / name) for name in weights(folder / graph, beside)]
            return self._snapshot(outside) if outside else folder
        except NOT_FETCHED as error:
            raise ConfigError(f"verifier_model: {str(self)!r} can't be downloaded: {error}") from error

    def _snapshot(self, patterns: list[str], *, local_files_only: bool = False) -> Path:
        return Path(
            snapshot_download(
                self.name,
                revision=self.revision,
                allow_patterns=patterns,
                local_files_only=local_files_only,
            )
        )

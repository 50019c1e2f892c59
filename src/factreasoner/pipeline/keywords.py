"""Every setting as a keyword argument. Their types are in keywords.pyi, which `make settings` writes."""

from typing import Any, TypedDict

from factreasoner.pipeline.config import Config

Keywords = TypedDict("Keywords", dict.fromkeys(Config.model_fields, Any), total=False)

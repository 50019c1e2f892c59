"""The pipeline: atomizer, reviser, retriever and evaluator, as settings name them; and solving again."""

from factreasoner.pipeline.pipeline import Given, Pipeline, aassess, assess, build_pipeline

__all__ = ["Given", "Pipeline", "aassess", "assess", "build_pipeline"]
